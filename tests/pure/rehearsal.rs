//! Rehearsals: debates in memory with the real session, a script in place of providers and people, and a list as the
//! log.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use chrono::{DateTime, TimeDelta, Utc};
use faultline_core::engines::registry::ENGINES;
use faultline_core::events::audit::{Auditor, QualificationBasis};
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::DebateId;
use faultline_core::events::lifecycle::DebateLimits;
use faultline_core::events::persona::Persona;
use faultline_core::events::receipt::{EffectKey, Failure, FailureKind, PassageRef, ProviderAnswer, Usage, WebPage};
use faultline_core::kernel::closing::audit_request::AUDIT_REVISION;
use faultline_core::kernel::command;
use faultline_core::kernel::command::{Command, DebateConfig};
use faultline_core::kernel::effect::{Effect, EffectAttempt, Recalled, Search, SuppliedPassage};
use faultline_core::kernel::session::{Session, SessionStep};
use faultline_core::projections::audits::AUDIT_PURPOSE;
use faultline_core::verdicts::audit::items::AuditItem;
use faultline_core::verdicts::read_model::DebateReadModel;
use serde_json::Value;
use uuid::Uuid;

use crate::support::adversary::Adversary;
use crate::support::personas::persona;

/// Rehearsal as it is written in a fixture: the opening, the scripted answers, and the commands in between.
#[derive(Clone, Debug, Default)]
pub struct Script {
    pub topic: String,
    pub engine: String,
    pub personas: Vec<String>,
    pub options: Value,
    pub limits: DebateLimits,
    /// Passages given with every prompt that requests grounding, and web pages, which searches find.
    pub passages: Vec<SuppliedPassage>,
    pub answers: BTreeMap<String, VecDeque<String>>,
    /// Participants by name; any other participant is a [`persona`] with nothing but a name.
    pub cast: BTreeMap<String, Persona>,
    /// Requests to the provider, in order.
    pub asked: Vec<EffectAttempt>,
    /// Replier that answers in place of the script.
    pub adversary: Option<Adversary>,
    /// True if the auditor is not qualified.
    pub is_auditor_unqualified: bool,
    /// Commands of a person, by the number of events in the log at which they are given.
    pub commands: BTreeMap<i64, String>,
}

impl Script {
    /// Parses the part of a fixture above its line `= log`.
    pub fn parse(text: &str) -> Script {
        let mut script = Script { options: Value::Null, ..Script::default() };
        let mut blocks = text.split("\n> ");
        for line in blocks.next().unwrap_or_default().lines() {
            let Some((name, value)) = line.split_once(':') else { continue };
            let value = value.trim();
            match name.trim() {
                "topic" => script.topic = value.to_owned(),
                "engine" => script.engine = value.to_owned(),
                "personas" => script.personas = value.split(',').map(|name| name.trim().to_owned()).collect(),
                "options" => script.options = serde_json::from_str(value).expect("options are JSON"),
                "limits" => script.limits = serde_json::from_str(value).expect("limits are JSON"),
                "auditor" => script.is_auditor_unqualified = value == "not qualified",
                "passage" => script.passages.push(passage(script.passages.len() + 1, value)),
                "page" => script.passages.push(page(script.passages.len() + 1, value)),
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

    /// Answers a request. Without an answer in the script, an auditor reads all words as they were recorded.
    fn answer(&mut self, ask: &EffectAttempt, log: &Log) -> Result<ProviderAnswer, Failure> {
        self.asked.push(ask.clone());
        if let Some(adversary) = &mut self.adversary {
            let reply = adversary.reply(ask)?;
            return Ok(answered(reply));
        }
        let key = ask.key.to_string();
        let any = format!("{}/*", ask.key.purpose);
        let queue = if self.answers.contains_key(&key) { key.clone() } else { any };
        if ask.key.purpose == AUDIT_PURPOSE && !self.answers.contains_key(&queue) {
            return Ok(answered(confirming(log)));
        }
        let Some(answers) = self.answers.get_mut(&queue) else {
            return Err(Failure::new(FailureKind::Hopeless, format!("the script has no answer to {key}")));
        };
        let text = if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() }.unwrap_or_default();
        if let Some(reason) = text.strip_prefix("! ") {
            return Err(Failure::new(FailureKind::Unavailable, reason));
        }
        Ok(answered(text))
    }
}

/// Returns the reply of an auditor who reads all words as they were recorded.
pub fn confirming(log: &Log) -> String {
    let items = DebateReadModel::of(&log.0).audit_items();
    let reading = |item: &AuditItem| format!(r#"{{"name": "e{}", "reading": "{}"}}"#, item.event, item.recorded.name());
    format!(r#"{{"readings": [{}]}}"#, items.iter().map(reading).collect::<Vec<_>>().join(", "))
}

/// Returns the auditor of rehearsals.
pub fn auditor(qualified: bool) -> Auditor {
    let precision = if qualified { 0.97 } else { 0.61 };
    Auditor {
        provider: "script".into(),
        model: "script".into(),
        revision: AUDIT_REVISION,
        qualified,
        basis: QualificationBasis::Measured,
        precision: Some(precision),
        recall: Some(0.8),
    }
}

fn answered(text: String) -> ProviderAnswer {
    let words = text.split_whitespace().count() as u64;
    let usage = Usage { input_tokens: 100, output_tokens: words, cost_micros: words, ..Usage::default() };
    ProviderAnswer { by: "script".into(), text, usage, millis: 0, request_id: None, tries: 1, grounds: Vec::new() }
}

/// Parses a passage from `TITLE | TEXT`, in which escapes are those of Rust.
fn passage(number: usize, told: &str) -> SuppliedPassage {
    let (title, text) = told.split_once(" | ").expect("a passage is TITLE | TEXT");
    let text: String = serde_json::from_str(&format!("\"{}\"", text.replace('"', "\\\""))).expect("escapes as in JSON");
    let ground = PassageRef::of_chunk("", Uuid::from_u128(number as u128), 1.0);
    SuppliedPassage { ground, text, title: title.to_owned() }
}

/// Parses a web page from `TITLE | ADDRESS | TEXT`. Only a search finds it.
fn page(number: usize, told: &str) -> SuppliedPassage {
    let (title, rest) = told.split_once(" | ").expect("a page is TITLE | ADDRESS | TEXT");
    let (address, text) = rest.split_once(" | ").expect("a page is TITLE | ADDRESS | TEXT");
    let mut found = passage(number, &format!("{title} | {text}"));
    found.ground.page = Some(WebPage { title: title.to_owned(), address: address.to_owned() });
    found
}

/// Log in memory: positions and times in order, one second apart; and the passages given with prompts that request
/// grounding.
#[derive(Clone, Debug, Default)]
pub struct Log(pub Vec<Recorded>, pub Vec<SuppliedPassage>);

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

    /// Returns one line per event.
    pub fn lines(&self) -> String {
        let mut lines = String::new();
        for recorded in &self.0 {
            let line = format!("{} {} {}", recorded.version, recorded.event.kind(), recorded.event.summary());
            lines.push_str(line.trim_end());
            lines.push('\n');
        }
        lines
    }
}

/// Runs a debate to its end. After `interrupt` appends, the runner is killed and a new one, which knows only the log,
/// takes over; requests in flight are lost.
pub fn perform(mut script: Script, interrupt: Option<usize>) -> Log {
    play(&mut script, interrupt)
}

/// Runs a debate like [`perform`], for callers that inspect the script afterwards.
pub fn play(script: &mut Script, interrupt: Option<usize>) -> Log {
    let mut log = Log(Vec::new(), script.passages.clone());
    let opening = DebateConfig {
        topic: script.topic.clone(),
        engine: script.engine.clone(),
        options: script.options.clone(),
        participants: script
            .personas
            .iter()
            .map(|name| script.cast.get(name).cloned().unwrap_or_else(|| persona(name)))
            .collect(),
        limits: script.limits.clone(),
        models: std::collections::BTreeMap::new(),
        seed: 1,
        provider: "script".into(),
    };
    log.append(command::open(ENGINES, opening).expect("the fixture opens a debate"));
    resume(log, script, interrupt)
}

/// Runs a debate from where its log ends, as [`play`] does; a fork with the engine and the participants that it has.
pub fn resume(mut log: Log, script: &mut Script, interrupt: Option<usize>) -> Log {
    let mut appends = 0;
    loop {
        let mut run = Run::over(&log);
        let done = run.until_end(&mut log, script, &mut appends, interrupt);
        if done {
            return log;
        }
    }
}

/// Returns the passages given with the prompt of an effect. A search finds all web pages, or fails if its query says so.
pub fn beside(effect: &Effect, passages: &[SuppliedPassage]) -> Recalled {
    let (pages, written): (Vec<_>, Vec<_>) =
        passages.iter().cloned().partition(|passage| passage.ground.page.is_some());
    let search = effect.added.search.as_ref().map(|query| Search {
        query: query.text.clone(),
        by: "script".into(),
        found: match query.text.strip_prefix("fail with ") {
            Some(reason) => Err(Failure::new(FailureKind::Unavailable, reason)),
            None => Ok(pages),
        },
    });
    let given = |query: &Option<_>| if query.is_some() { written.clone() } else { Vec::new() };
    Recalled { own: given(&effect.ground), shared: given(&effect.added.shared), search }
}

struct Run {
    session: Session,
    under_way: BTreeSet<EffectKey>,
    started: VecDeque<(Effect, EffectAttempt)>,
}

impl Run {
    fn over(log: &Log) -> Run {
        let opened = log.0.iter().rev().find_map(|recorded| recorded.event.opening());
        let opened = opened.expect("an event opens the debate");
        let mut session = Session::open(ENGINES, opened).expect("the engine starts");
        log.0.iter().for_each(|recorded| session.evolve(recorded));
        Run { session, under_way: BTreeSet::new(), started: VecDeque::new() }
    }

    /// Runs until the end of the debate or the interruption. Returns true at the end.
    fn until_end(&mut self, log: &mut Log, script: &mut Script, appends: &mut usize, interrupt: Option<usize>) -> bool {
        for _ in 0..10_000 {
            self.obey(log, script);
            let events = match self.session.step(&self.under_way) {
                SessionStep::Done => return true,
                SessionStep::Append(events) => events,
                SessionStep::Start(effects) => self.start(effects, &script.passages),
                SessionStep::Await => self.settle(log, script),
                SessionStep::Rest => panic!("this debate is paused and nothing resumes it:\n{}", log.lines()),
                SessionStep::Leave(unknown) => panic!("{unknown:?} does not belong to this debate:\n{}", log.lines()),
            };
            self.append(log, events);
            *appends += 1;
            if interrupt == Some(*appends) {
                return false;
            }
        }
        panic!("the debate does not end:\n{}", log.lines());
    }

    fn start(&mut self, effects: Vec<Effect>, passages: &[SuppliedPassage]) -> Vec<Event> {
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

    fn settle(&mut self, log: &Log, script: &mut Script) -> Vec<Event> {
        // The order of a reproducible provider: it depends on the log alone.
        let next = self.session.next_outcome(&self.under_way).expect("something is under way");
        let at = self.started.iter().position(|(effect, _)| effect.key == *next).expect("it was started");
        let (effect, mut ask) = self.started.remove(at).expect("it is there");
        self.under_way.remove(&effect.key);
        let outcome = script.answer(&ask, log);
        let is_audit = ask.key.purpose == AUDIT_PURPOSE;
        ask.auditor = is_audit.then(|| auditor(!script.is_auditor_unqualified));
        self.session.record_outcome(&ask, outcome, None)
    }

    fn append(&mut self, log: &mut Log, events: Vec<Event>) {
        for recorded in log.append(events) {
            self.session.evolve(recorded);
        }
    }

    /// Executes the command that is due at this point, if any.
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
            let summary = DebateReadModel::of(&log.0).summary;
            let events = command::decide(&summary, command).expect("the command is granted");
            self.append(log, events);
        }
    }
}
