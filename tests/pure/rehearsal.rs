//! A debate on paper: the session of the product, a script for the world, and a list for the log.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use chrono::{DateTime, TimeDelta, Utc};
use faultline::engines::registry::ENGINES;
use faultline::events::event::{Event, Recorded};
use faultline::events::ids::DebateId;
use faultline::events::lifecycle::Limits;
use faultline::events::persona::{Contract, Persona, Voice};
use faultline::events::receipt::{Answer, EffectKey, Failure, FailureKind, Ground, Usage};
use faultline::events::tell::tell;
use faultline::kernel::command::{self, Command, Opening};
use faultline::kernel::effect::{Ask, Effect, Passage};
use faultline::kernel::session::{Session, Step};
use faultline::verdicts::board::Board;
use serde_json::Value;
use uuid::Uuid;

/// A rehearsal as it is written: what is asked for, what the world answers, what is said in between.
#[derive(Clone, Debug, Default)]
pub struct Script {
    pub topic: String,
    pub engine: String,
    pub personas: Vec<String>,
    pub options: Value,
    pub limits: Limits,
    /// What lies beside every prompt that asks for ground.
    pub passages: Vec<Passage>,
    pub answers: BTreeMap<String, VecDeque<String>>,
    /// Who takes part under which name; whoever is not among them is a [`persona`] of whom only the name matters.
    pub cast: BTreeMap<String, Persona>,
    /// What the world was asked, in order.
    pub asked: Vec<Ask>,
    /// What a person does once the log has this many events.
    pub commands: BTreeMap<i64, String>,
}

impl Script {
    /// Reads the part of a fixture above its line `= log`.
    pub fn parse(text: &str) -> Script {
        let mut script = Script { options: Value::Null, ..Script::default() };
        let mut blocks = text.split("\n> ");
        for line in blocks.next().unwrap_or_default().lines() {
            let Some((name, value)) = line.split_once(':') else { continue };
            let value = value.trim();
            match name.trim() {
                "topic" => script.topic = value.to_owned(),
                "engine" => script.engine = value.to_owned(),
                "personas" => script.personas = value.split(',').map(|it| it.trim().to_owned()).collect(),
                "options" => script.options = serde_json::from_str(value).expect("options are JSON"),
                "limits" => script.limits = serde_json::from_str(value).expect("limits are JSON"),
                "passage" => script.passages.push(passage(script.passages.len() + 1, value)),
                at if at.starts_with("at ") => {
                    let version = at[3..].parse().expect("at VERSION");
                    script.commands.insert(version, value.to_owned());
                }
                _ => {}
            }
        }
        for block in blocks {
            let (key, answer) = block.split_once('\n').unwrap_or((block, ""));
            script.answers.entry(key.trim().to_owned()).or_default().push_back(answer.trim().to_owned());
        }
        script
    }

    fn answer(&mut self, ask: &Ask) -> Result<Answer, Failure> {
        self.asked.push(ask.clone());
        let key = ask.key.to_string();
        let any = format!("{}/*", ask.key.purpose);
        let queue = if self.answers.contains_key(&key) { key.clone() } else { any };
        let Some(answers) = self.answers.get_mut(&queue) else {
            return Err(Failure::new(FailureKind::Hopeless, format!("the script has no answer to {key}")));
        };
        let text = if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() }.unwrap_or_default();
        if let Some(reason) = text.strip_prefix("! ") {
            return Err(Failure::new(FailureKind::Unavailable, reason));
        }
        let words = text.split_whitespace().count() as u64;
        let usage = Usage { input_tokens: 100, output_tokens: words, cost_micros: words, ..Usage::default() };
        Ok(Answer { by: "script".into(), text, usage, millis: 0, request_id: None, tries: 1, grounds: Vec::new() })
    }
}

/// A passage, from `TITLE | TEXT`. What stands escaped in the text, as in Rust, is taken as it is meant.
fn passage(number: usize, told: &str) -> Passage {
    let (title, text) = told.split_once(" | ").expect("a passage is TITLE | TEXT");
    let text: String = serde_json::from_str(&format!("\"{}\"", text.replace('"', "\\\""))).expect("escapes as in JSON");
    let ground = Ground { alias: String::new(), chunk: Uuid::from_u128(number as u128), score: 1.0 };
    Passage { ground, text, title: title.to_owned() }
}

/// A persona of whom only the name matters.
pub fn persona(id: &str) -> Persona {
    let mut name = id.to_owned();
    name[..1].make_ascii_uppercase();
    Persona {
        id: id.parse().expect("a persona id"),
        name,
        about: format!("{id} of the rehearsals"),
        version: 1,
        contract: Contract::default(),
        voice: Voice::default(),
    }
}

/// A log in memory: places and times in order, one second apart; and what lay beside every prompt that asked for ground.
#[derive(Clone, Debug, Default)]
pub struct Log(pub Vec<Recorded>, pub Vec<Passage>);

impl Log {
    pub fn append(&mut self, events: Vec<Event>) -> &[Recorded] {
        let before = self.0.len();
        for event in events {
            let version = self.0.len() as i64 + 1;
            let start = DateTime::<Utc>::from_timestamp(1_700_000_000, 0).expect("a time");
            self.0.push(Recorded {
                id: Uuid::from_u128(version as u128),
                debate: DebateId(Uuid::from_u128(7)),
                version,
                lane: 0,
                position: version,
                at: start + TimeDelta::seconds(version),
                caused_by: None,
                event,
            });
        }
        &self.0[before..]
    }

    /// One line an event.
    pub fn lines(&self) -> String {
        let mut lines = String::new();
        for recorded in &self.0 {
            let line = format!("{} {} {}", recorded.version, recorded.event.kind(), tell(&recorded.event));
            lines.push_str(line.trim_end());
            lines.push('\n');
        }
        lines
    }
}

/// Runs a debate to its end. `interrupt` says after how many appends the runner is killed and a new one, that knows
/// nothing but the log, takes over; what was under way then is lost.
pub fn perform(mut script: Script, interrupt: Option<usize>) -> Log {
    play(&mut script, interrupt)
}

/// [`perform`], for whoever looks at the script afterwards.
pub fn play(script: &mut Script, interrupt: Option<usize>) -> Log {
    let mut log = Log(Vec::new(), script.passages.clone());
    let opening = Opening {
        topic: script.topic.clone(),
        engine: script.engine.clone(),
        options: script.options.clone(),
        participants: script
            .personas
            .iter()
            .map(|it| script.cast.get(it).cloned().unwrap_or_else(|| persona(it)))
            .collect(),
        limits: script.limits.clone(),
        seed: 1,
        provider: "script".into(),
    };
    log.append(command::open(ENGINES, opening).expect("the fixture opens a debate"));
    let mut appends = 0;
    loop {
        let mut run = Run::over(&log);
        let done = run.until_end(&mut log, script, &mut appends, interrupt);
        if done {
            return log;
        }
    }
}

/// What lies beside the prompt of an effect.
pub fn beside(effect: &Effect, passages: &[Passage]) -> Vec<Passage> {
    effect.ground.as_ref().map_or_else(Vec::new, |_| passages.to_vec())
}

struct Run {
    session: Session,
    under_way: BTreeSet<EffectKey>,
    started: VecDeque<(Effect, Ask)>,
}

impl Run {
    fn over(log: &Log) -> Run {
        let Event::DebateOpened(opened) = &log.0[0].event else { panic!("the first event opens the debate") };
        let mut session = Session::open(ENGINES, opened).expect("the engine starts");
        log.0.iter().for_each(|it| session.evolve(it));
        Run { session, under_way: BTreeSet::new(), started: VecDeque::new() }
    }

    /// Whether the end was reached, rather than the interruption.
    fn until_end(&mut self, log: &mut Log, script: &mut Script, appends: &mut usize, interrupt: Option<usize>) -> bool {
        for _ in 0..10_000 {
            self.obey(log, script);
            let events = match self.session.step(&self.under_way) {
                Step::Done => return true,
                Step::Append(events) => events,
                Step::Start(effects) => self.start(effects, &script.passages),
                Step::Await => self.settle(script),
                Step::Rest => panic!("nobody would resume this debate:\n{}", log.lines()),
                Step::Leave(unknown) => panic!("{unknown:?} is none of this debate:\n{}", log.lines()),
            };
            self.append(log, events);
            *appends += 1;
            if interrupt == Some(*appends) {
                return false;
            }
        }
        panic!("no end in sight:\n{}", log.lines());
    }

    fn start(&mut self, effects: Vec<Effect>, passages: &[Passage]) -> Vec<Event> {
        let (mut requests, mut suspected) = (Vec::new(), Vec::new());
        for effect in effects {
            let ask = self.session.attempt(&effect, beside(&effect, passages));
            requests.push(self.session.requested(&ask));
            suspected.extend(self.session.suspected(&ask));
            self.under_way.insert(effect.key.clone());
            self.started.push_back((effect, ask));
        }
        requests.extend(suspected);
        requests
    }

    fn settle(&mut self, script: &mut Script) -> Vec<Event> {
        let (effect, ask) = self.started.pop_front().expect("something is under way");
        self.under_way.remove(&effect.key);
        let outcome = script.answer(&ask);
        self.session.settle(&ask, outcome, None)
    }

    fn append(&mut self, log: &mut Log, events: Vec<Event>) {
        for recorded in log.append(events) {
            self.session.evolve(recorded);
        }
    }

    /// What a person does at this point, if anything.
    fn obey(&mut self, log: &mut Log, script: &mut Script) {
        let due: Vec<i64> = script.commands.range(..=log.0.len() as i64).map(|(at, _)| *at).collect();
        for version in due {
            let told = script.commands.remove(&version).expect("it is due");
            let (word, rest) = told.split_once(' ').unwrap_or((&told, ""));
            let command = match word {
                "pause" => Command::Pause,
                "resume" => Command::Resume,
                "cancel" => Command::Cancel(rest.to_owned()),
                "interject" => Command::Interject { text: rest.to_owned(), speaker: None },
                other => panic!("{other} is no command of a rehearsal"),
            };
            let summary = Board::of(&log.0).summary;
            let events = command::decide(&summary, command).expect("the command is granted");
            self.append(log, events);
        }
    }
}
