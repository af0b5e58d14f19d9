//! Laws that hold for every debate, whatever is said in it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use chrono::TimeDelta;
use faultline_core::engines::registry::ENGINES;
use faultline_core::events::distillation::Comparison;
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::{PersonaId, PointId, ReasonId};
use faultline_core::events::lifecycle::{DebateLimits, DebateOutcome};
use faultline_core::events::receipt::{
    EffectAbandoned, EffectAnswered, EffectFailed, EffectKey, Failure, FailureKind, ProviderAnswer, Usage,
};
use faultline_core::events::wire;
use faultline_core::kernel::command;
use faultline_core::kernel::command::{Command, DebateConfig, MAX_TEXT_BYTES, MAX_TOPIC_BYTES};
use faultline_core::kernel::effect::{Effect, EffectAttempt, SuppliedPassage};
use faultline_core::kernel::engine::Refusal;
use faultline_core::kernel::forking;
use faultline_core::kernel::forking::ForkChanges;
use faultline_core::kernel::session::{Session, SessionStep};
use faultline_core::projections::projection::{Projection, fold};
use faultline_core::projections::summary::Summary;
use faultline_core::verdicts::read_model::{DebateReadModel, ProjectionVisitor};
use serde_json::{Value, json};

use crate::debates::rooms::external_debate;
use crate::rehearsal::{Log, Script, beside, perform, persona};

/// Random numbers that are the same in every run.
pub struct Chance(pub u64);

impl Chance {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns a number from 0 up to, but not including, `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() >> 11) as usize % end
    }
}

/// Performs every rehearsal. Returns the logs by name.
fn rehearsals() -> Vec<(String, Log)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/rehearsals");
    let entries = std::fs::read_dir(folder).expect("the folder of rehearsals");
    let mut paths: Vec<_> = entries.map(|it| it.expect("an entry").path()).collect();
    paths.sort();
    let performed = paths.iter().map(|path| {
        let text = std::fs::read_to_string(path).expect("a rehearsal");
        let script = text.split_once("\n= log\n").map_or(text.as_str(), |(script, _)| script);
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        (name, perform(Script::parse(script), None))
    });
    performed.collect()
}

/// Returns the rehearsals, and a debate driven from outside with the events that no engine records.
fn debates() -> Vec<(String, Log)> {
    let mut debates = rehearsals();
    debates.push(("external".to_owned(), Log(external_debate(), Vec::new())));
    debates
}

// Folds.

/// A view stored after any event and loaded again continues as if it had never been stored.
#[test]
fn folding_in_pieces_gives_the_same_views() {
    for (name, log) in debates() {
        DebateReadModel::default().visit(&mut FoldsInPieces { name: &name, log: &log });
    }
}

/// Check of one projection at every event of a rehearsal.
struct FoldsInPieces<'a> {
    name: &'a str,
    log: &'a Log,
}

impl ProjectionVisitor for FoldsInPieces<'_> {
    fn visit<P: Projection + Clone + Debug + PartialEq>(&mut self, view: &'static str, _empty: &P) {
        let mut pieced = P::default();
        for (n, recorded) in (1..).zip(&self.log.0) {
            let row = serde_json::to_vec(&pieced).expect("a view is JSON");
            pieced = serde_json::from_slice(&row).expect("a view reads back");
            pieced.apply(recorded);
            let whole: P = fold(&self.log.0[..n]);
            assert_eq!(pieced, whole, "{view} of {} after {n} events", self.name);
        }
    }
}

/// Record of the projections that some debate changed.
struct Moved<'a>(&'a mut BTreeMap<&'static str, bool>);

impl ProjectionVisitor for Moved<'_> {
    fn visit<P: Projection + Clone + Debug + PartialEq>(&mut self, name: &'static str, view: &P) {
        *self.0.entry(name).or_default() |= *view != P::default();
    }
}

#[test]
fn every_projection_is_changed_by_some_debate() {
    let mut moved = BTreeMap::new();
    for (_, log) in debates() {
        DebateReadModel::of(&log.0).visit(&mut Moved(&mut moved));
    }
    let still: Vec<&str> = moved.iter().filter(|(_, moved)| !**moved).map(|(name, _)| *name).collect();
    assert!(still.is_empty(), "no debate changes {still:?}, so no law tests these projections");
}

// Sessions.

/// Replay of a log: a fresh session receives the recorded answers, and must append what the log contains.
struct Replay<'a> {
    log: &'a [Recorded],
    passages: &'a [SuppliedPassage],
    at: usize,
    session: Session,
    under_way: BTreeSet<EffectKey>,
    asks: BTreeMap<(EffectKey, u32), EffectAttempt>,
    /// Requests that were answered or abandoned.
    closed: BTreeSet<EffectKey>,
}

impl<'a> Replay<'a> {
    fn of(log: &'a Log) -> Self {
        Replay {
            log: &log.0,
            passages: &log.1,
            at: 1,
            session: session_over(&log.0[..1]),
            under_way: BTreeSet::new(),
            asks: BTreeMap::new(),
            closed: BTreeSet::new(),
        }
    }

    /// Replays the next append. Returns false if there is none.
    fn next(&mut self) -> bool {
        let Some(next) = self.log.get(self.at) else {
            return false;
        };
        let events = match &next.event {
            by_person @ (Event::Interjected(_)
            | Event::DebatePaused(_)
            | Event::DebateResumed(_)
            | Event::DebateAborted(_)) => vec![by_person.clone()],
            Event::EffectAnswered(it) => self.settle(&it.key, it.attempt, Ok(it.answer.clone())),
            Event::EffectFailed(it) => {
                let outcome = match (&it.answer, it.failure.kind) {
                    (Some(answer), FailureKind::Unreadable) => Ok(answer.clone()),
                    (answer, _) => Err(Failure { answer: answer.clone().map(Box::new), ..it.failure.clone() }),
                };
                self.settle(&it.key, it.attempt, outcome)
            }
            _ => match self.session.step(&self.under_way) {
                SessionStep::Append(events) => events,
                SessionStep::Start(effects) => {
                    let asks: Vec<EffectAttempt> = effects.iter().map(|effect| self.start(effect)).collect();
                    let requested = asks.iter().map(|ask| self.session.requested(ask));
                    requested.chain(asks.iter().filter_map(|ask| self.session.suspected(ask))).collect()
                }
                other => panic!("the session returned {other:?}, but the log continues with {next:?}"),
            },
        };
        let recorded = &self.log[self.at..];
        let recorded = &recorded[..events.len().min(recorded.len())];
        assert_eq!(
            events,
            recorded.iter().map(|recorded| recorded.event.clone()).collect::<Vec<_>>(),
            "after {}",
            self.at
        );
        recorded.iter().for_each(|recorded| self.note(recorded));
        self.at += recorded.len();
        true
    }

    fn start(&mut self, effect: &Effect) -> EffectAttempt {
        let ask = self.session.attempt(effect, beside(effect, self.passages));
        self.under_way.insert(ask.key.clone());
        self.asks.insert((ask.key.clone(), ask.attempt), ask.clone());
        ask
    }

    fn settle(&mut self, key: &EffectKey, attempt: u32, outcome: Result<ProviderAnswer, Failure>) -> Vec<Event> {
        self.under_way.remove(key);
        self.session.record_outcome(&self.asks[&(key.clone(), attempt)], outcome, None)
    }

    fn note(&mut self, recorded: &Recorded) {
        self.session.evolve(recorded);
        match &recorded.event {
            Event::EffectAnswered(it) => drop(self.closed.insert(it.key.clone())),
            Event::EffectAbandoned(it) => drop(self.closed.insert(it.key.clone())),
            _ => {}
        }
    }

    /// Returns the requests that are no longer waited for.
    fn late(&self) -> impl Iterator<Item = &EffectAttempt> {
        self.asks.values().filter(|ask| self.closed.contains(&ask.key))
    }
}

fn session_over(log: &[Recorded]) -> Session {
    let Event::DebateOpened(opened) = &log[0].event else {
        panic!("the first event opens the debate");
    };
    let mut session = Session::open(ENGINES, opened).expect("the engine starts");
    log.iter().for_each(|recorded| session.evolve(recorded));
    session
}

fn answer(text: &str) -> ProviderAnswer {
    ProviderAnswer {
        by: "late".into(),
        text: text.into(),
        usage: Usage::default(),
        millis: 0,
        request_id: None,
        tries: 1,
        grounds: Vec::new(),
    }
}

/// An engine is a function of its events: the same answers produce literally the same log.
#[test]
fn a_replayed_log_is_identical() {
    for (_, log) in rehearsals() {
        let mut replay = Replay::of(&log);
        while replay.next() {}
        assert_eq!(replay.session.version() as usize, log.0.len());
    }
}

/// A fork continues from any moment, whatever was in flight, paused or spent there. Apart from its own settings it is
/// the debate that it was, and it spends from a budget of its own.
#[test]
fn a_fork_continues_from_any_moment() {
    for (name, log) in rehearsals() {
        let Event::DebateOpened(opened) = &log.0[0].event else { panic!("{name} is not opened") };
        for at in 1..log.0.len() {
            let mut forked = Log(log.0[..at].to_vec(), log.1.clone());
            let before = DebateReadModel::of(&forked.0);
            let origin = before.summary.debate.expect("it was opened");
            let changes = ForkChanges { seed: Some(99), ..ForkChanges::default() };
            let event = forking::fork(ENGINES, origin, at as i64, opened, changes).expect("a fork");
            forked.append(vec![Event::DebateForked(event)]);
            let after = DebateReadModel::of(&forked.0);
            let told = format!("{name} forked at {at}");
            assert_eq!((&after.arguments, &after.disputes), (&before.arguments, &before.disputes), "{told}");
            assert_eq!((after.summary.seed, after.summary.usage.total.calls), (99, 0), "{told}");
            let step = session_over(&forked.0).step(&BTreeSet::new());
            assert!(!matches!(step, SessionStep::Done | SessionStep::Rest | SessionStep::Await), "{told}: {step:?}");
            let limited = |event: &Event| {
                matches!(event, Event::DebateConcluded(event) if matches!(&event.outcome, DebateOutcome::Limit { limit, .. }
                    if ["calls", "tokens", "cost_micros", "turns", "seconds"].contains(&limit.as_str())))
            };
            assert!(!matches!(&step, SessionStep::Append(events) if events.iter().any(limited)), "{told}: {step:?}");
        }
    }
}

#[test]
fn no_event_follows_the_end() {
    for (name, log) in rehearsals() {
        let mut replay = Replay::of(&log);
        while replay.next() {}
        assert!(DebateReadModel::of(&log.0).summary.status.is_final(), "{name}");
        for ask in replay.asks.values() {
            let key = BTreeSet::from([ask.key.clone()]);
            assert_eq!(replay.session.step(&BTreeSet::new()), SessionStep::Done, "{name}");
            assert_eq!(replay.session.step(&key), SessionStep::Done, "{name} with {} under way", ask.key);
            assert_eq!(replay.session.record_outcome(ask, Ok(answer("{}")), None), [], "{name}: {}", ask.key);
            let failure = Failure::new(FailureKind::Hopeless, "no such model");
            assert_eq!(replay.session.record_outcome(ask, Err(failure), None), [], "{name}: {}", ask.key);
        }
    }
}

#[test]
fn a_late_answer_is_recorded_and_ignored() {
    let mut n_late = 0;
    for (name, log) in rehearsals() {
        let mut replay = Replay::of(&log);
        while replay.next() && replay.at < log.0.len() {
            let before = &log.0[..replay.at];
            let mut after = Log(before.to_vec(), log.1.clone());
            for ask in replay.late() {
                let told = format!("{name} after {}: {}", replay.at, ask.key);
                let again = |attempt| EffectAttempt { attempt, ..ask.clone() };
                assert_eq!(replay.session.record_outcome(ask, Ok(answer("{}")), None), [], "{told} has its receipt");

                let late = answer("{\"cut\": \"off");
                let receipt = Event::EffectAnswered(EffectAnswered {
                    key: ask.key.clone(),
                    attempt: 90,
                    answer: late.clone(),
                    ignored: true,
                    repaired: false,
                });
                let answered = replay.session.record_outcome(&again(90), Ok(late), None);
                assert_eq!(answered, [receipt], "{told} answered late");

                let failure = Failure::new(FailureKind::Hopeless, "too late");
                let receipt = Event::EffectFailed(EffectFailed {
                    key: ask.key.clone(),
                    attempt: 91,
                    failure: failure.clone(),
                    answer: None,
                });
                let failed = replay.session.record_outcome(&again(91), Err(failure), None);
                assert_eq!(failed, [receipt], "{told} failed late");

                after.append(answered);
                after.append(failed);
                n_late += 1;
            }
            // They arrive at once, because time alone may end a debate.
            after.0[before.len()..].iter_mut().for_each(|recorded| recorded.at = before[before.len() - 1].at);
            let step = |log: &[Recorded]| session_over(log).step(&replay.under_way);
            assert_eq!(step(&after.0), step(before), "{name} after {}", replay.at);
            let (before, after) = (DebateReadModel::of(before), DebateReadModel::of(&after.0));
            assert_eq!(
                (after.transcript, after.arguments, after.disputes, after.proposals),
                (before.transcript, before.arguments, before.disputes, before.proposals),
                "{name} after {}",
                replay.at
            );
        }
    }
    assert!(n_late > 100, "only {n_late} answers came late");
}

// Replies.

/// Returns the rehearsal `ENGINE_valid_replies` of an engine: a short debate with a valid reply to each of its requests.
fn valid_replies(engine: &str) -> Script {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/rehearsals");
    let path = format!("{folder}/{engine}_valid_replies.txt");
    let text =
        std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("the engine {engine} needs the rehearsal {path}"));
    let script = Script::parse(text.split_once("\n= log\n").map_or(text.as_str(), |(script, _)| script));
    assert_eq!(script.engine, engine, "{path}");
    script
}

/// Returns every request of every engine that this service drives, with a valid reply.
fn questions() -> Vec<(&'static str, Vec<(String, String)>)> {
    let driven = ENGINES.iter().filter(|engine| !engine.is_external()).map(|engine| engine.name);
    let questions = driven.map(|engine| {
        let answers = valid_replies(engine).answers.into_iter();
        let purposes = answers.map(|(key, replies)| {
            let purpose = key.strip_suffix("/*").expect("a valid reply answers all requests of a purpose");
            (purpose.to_owned(), replies.front().cloned().unwrap_or_default())
        });
        (engine, purposes.collect())
    });
    questions.collect()
}

/// Builds a debate in which every request receives its valid reply, except for those in `otherwise`.
fn script(engine: &str, limits: DebateLimits, otherwise: &[(&str, &str)]) -> Script {
    let mut script = Script { limits, ..valid_replies(engine) };
    for (purpose, reply) in otherwise {
        script.answers.insert(format!("{purpose}/*"), [(*reply).to_owned()].into());
    }
    script
}

/// Replies from which nothing can be read: the request is abandoned.
fn hopeless() -> Vec<(&'static str, String)> {
    let fixed = [
        ("nothing", ""),
        ("white space", " \n\t\r\n "),
        ("prose", "I would rather not say. {Well}, perhaps."),
        ("HTML", "<!DOCTYPE html><html><body style=\"{color: red}\"><h1>502 Bad Gateway</h1></body></html>"),
        ("an empty object", "{}"),
        ("an empty array", "[]"),
        ("an array of empty objects", "[{}, {}]"),
        ("null", "null"),
        ("a string", "\"{}\""),
        ("a number", "42"),
        ("NaN", "NaN"),
        ("another shape", r#"{"answer": 42, "status": "ok"}"#),
        ("an error of a provider", r#"{"error": {"type": "overloaded_error", "message": "Overloaded"}}"#),
        ("single quotes", "{'speech': 'x', 'proposal': 'x', 'judgements': [], 'issues': []}"),
        ("control characters", "\u{0}\u{1}\u{8}\u{1b}[31m{\u{0}}\u{7f}\u{9b}"),
        ("marks of direction", "\u{202e}{\u{202c}}\u{feff}\u{200b}"),
        ("an emoji", "👩\u{200d}🚀"),
        ("half an emoji", r#"{"speech": "\ud83d", "proposal": "\ud83d", "judgements": "\udc00", "issues": "\ud83d"}"#),
    ];
    let mut replies: Vec<(&str, String)> = fixed.iter().map(|(name, text)| (*name, (*text).to_owned())).collect();
    replies.extend([
        ("brackets to no end", "[".repeat(10_000)),
        ("braces to no end", "{".repeat(10_000)),
        ("objects in objects", "{\"a\":".repeat(500)),
        ("brackets and commas to no end", format!("{{\"a\": {}{}", "[".repeat(3_000), "0,".repeat(3_000))),
        ("two MiB of an object", format!("{{\"speech\": \"{}\"}}", "x".repeat(2 << 20))),
    ]);
    replies
}

/// Variations of a valid reply, from which something may or may not be read.
fn twisted(good: &str) -> Vec<(&'static str, String)> {
    let value: Value = serde_json::from_str(good).expect("a good reply is JSON");
    let each = |twist: &dyn Fn(&Value) -> Option<Value>| replaced(&value, twist).to_string();
    let texts = |text: &str| each(&|value| value.is_string().then(|| json!(text)));
    let numbers = |text: &str| each(&|value| value.is_number().then(|| json!("@"))).replace("\"@\"", text);
    let names = |text: &str| {
        let is_name = |name: &str| name.len() == 2 && name.ends_with(|letter: char| letter.is_ascii_digit());
        each(&|value| value.as_str().filter(|name| is_name(name)).map(|_| json!(text)))
    };
    let (start, end) = good.split_at(good.len() / 2);
    vec![
        ("cut in the middle", start.to_owned()),
        ("its end only", end.to_owned()),
        (
            "wrong types",
            each(&|value| Some(if value.is_string() { json!(7) } else { json!("7") }).filter(|_| !value.is_object())),
        ),
        ("null everywhere", each(&|value| (!value.is_object()).then_some(Value::Null))),
        ("empty arrays", each(&|value| value.is_array().then(|| json!([])))),
        (
            "endless arrays",
            each(&|value| {
                value.as_array().map(|array| array.iter().cycle().take(100 * array.len()).cloned().collect())
            }),
        ),
        ("unknown words", each(&|value| value.as_str().filter(|word| !word.contains(' ')).map(|_| json!("banana")))),
        ("words in capitals", each(&|value| value.as_str().map(|word| json!(word.to_uppercase())))),
        ("numbers as strings", numbers("\"0.5\"")),
        ("NaN", numbers("NaN")),
        ("infinity", numbers("1e999")),
        ("numbers below", numbers("-3")),
        ("numbers beyond", numbers("99999999999999999999")),
        ("numbers beside", numbers("0.5000000000000000000000000001")),
        ("unknown names", names("a999")),
        ("names of another kind", names("t1")),
        ("names beyond", names("a4294967296")),
        ("no names", names("the first one")),
        ("empty texts", texts("")),
        ("control characters", texts("\u{0}\u{7}\u{1b}[2J\u{9b}")),
        ("marks of direction", texts("\u{202e}👩\u{200d}🚀\u{2066}e\u{301}")),
        ("slots", texts("{{persona}} {{arguments}} {{")),
        ("marks of passages", texts("~~0011223344556677 end")),
        ("texts of 60 kB", texts(&"long ".repeat(12_000))),
        ("texts of 3 kB", texts(&"é".repeat(1_500))),
        ("keys twice", good.replacen('{', "{\"speech\": \"\", \"speech\": 1, \"proposal\": 2, \"issues\": [], ", 1)),
        ("an array at the top", format!("[{good}]")),
        ("twice", format!("{good}{good}")),
        ("in a fence", format!("Sure {{here}} it is:\n```json\n{good}\n```")),
        ("in an object", format!("{{\"result\": {good}}}")),
        ("as a string", json!(good).to_string()),
        ("with a mark of order", format!("\u{feff}{good}")),
        ("with a comma too many", good.replace('}', ",}")),
        ("with comments", good.replace(", ", ", // so\n")),
        ("with 3,000 passages", replaced_field(&value, "passages", json!(vec!["g1"; 3_000]))),
        (
            "with 2,000 changes",
            replaced_field(&value, "changes", json!(vec![json!({"issue": "i1", "text": "x"}); 2_000])),
        ),
    ]
}

fn replaced(value: &Value, twist: &dyn Fn(&Value) -> Option<Value>) -> Value {
    twist(value).unwrap_or_else(|| match value {
        Value::Object(fields) => fields.iter().map(|(name, field)| (name.clone(), replaced(field, twist))).collect(),
        Value::Array(items) => items.iter().map(|element| replaced(element, twist)).collect(),
        other => other.clone(),
    })
}

fn replaced_field(value: &Value, name: &str, with: Value) -> String {
    let mut value = value.clone();
    value[name] = with;
    value.to_string()
}

/// Limits every request to two attempts.
fn twice() -> DebateLimits {
    DebateLimits { attempts: 2, ..DebateLimits::default() }
}

#[test]
fn valid_replies_are_read() {
    for (engine, questions) in questions() {
        let log = perform(script(engine, DebateLimits::default(), &[]), None);
        assert_sound(engine, &log);
        for (purpose, _) in &questions {
            let answered =
                |event: &Event| matches!(event, Event::EffectAnswered(event) if event.key.purpose == *purpose);
            assert!(log.0.iter().any(|recorded| answered(&recorded.event)), "{purpose}:\n{}", log.lines());
        }
    }
}

#[test]
fn an_unreadable_reply_abandons_its_request_and_the_debate_ends() {
    for (engine, questions) in questions() {
        for (purpose, _) in &questions {
            for (what, reply) in hopeless() {
                let log = perform(script(engine, twice(), &[(purpose, &reply)]), None);
                let told = format!("{what} as a reply to {purpose}");
                assert_sound(&told, &log);
                let of_it = |key: &EffectKey| key.purpose == *purpose;
                let read = log.0.iter().find(
                    |recorded| matches!(&recorded.event, Event::EffectAnswered(recorded) if of_it(&recorded.key)),
                );
                assert!(read.is_none(), "{told} was read:\n{}", log.lines());
                let given_up = |event: &Event| matches!(event, Event::EffectAbandoned(EffectAbandoned { key, attempts: 2, .. }) if of_it(key));
                assert!(log.0.iter().any(|recorded| given_up(&recorded.event)), "{told}:\n{}", log.lines());
            }
        }
    }
}

#[test]
fn no_reply_breaks_a_debate() {
    for (engine, questions) in questions() {
        for (purpose, good) in &questions {
            for (what, reply) in twisted(good) {
                let log = perform(script(engine, twice(), &[(purpose, &reply)]), None);
                assert_sound(&format!("{what} as a reply to {purpose}"), &log);
            }
        }
    }
}

/// Tries odd values at every place of every valid reply, replies cut off at regular intervals, and noise.
#[test]
fn no_variation_of_a_reply_breaks_a_debate() {
    let odd = [
        json!(null),
        json!(true),
        json!(""),
        json!(-1),
        json!(1e308),
        json!(u64::MAX),
        json!([]),
        json!({}),
        json!("a1"),
        json!("\u{0}\u{202e}"),
        json!("x".repeat(5_000)),
        json!([[[[{ "a": [null] }]]]]),
    ];
    let mut chance = Chance(0x5eed_0001);
    for (engine, questions) in questions() {
        let whole = perform(script(engine, DebateLimits::default(), &[]), None);
        for (purpose, good) in &questions {
            let asked = asked(&whole, purpose);
            let ask = asked.asks.values().find(|ask| ask.key.purpose == *purpose).expect("it was asked");
            let log = Log(whole.0[..asked.at].to_vec(), whole.1.clone());
            let mut before = Inspection::default();
            log.0.iter().for_each(|recorded| before.see(recorded));

            let value: Value = serde_json::from_str(good).expect("a good reply is JSON");
            let mut replies: Vec<String> = Vec::new();
            for place in places(&value, String::new()) {
                for twist in &odd {
                    let mut reply = value.clone();
                    *reply.pointer_mut(&place).expect("a place of the reply") = twist.clone();
                    replies.push(reply.to_string());
                }
            }
            replies.extend((0..good.len()).step_by(5).map(|end| good[..end].to_owned()));
            replies.extend((0..60).map(|_| noisy(good, &mut chance)));
            for reply in &replies {
                let events = asked.session.record_outcome(ask, Ok(answer(reply)), None);
                let mut after = before.clone();
                log.clone().append(events).iter().for_each(|recorded| after.see(recorded));
                assert_eq!(after.faults, [""; 0], "{purpose} answered by {}", short(reply));
            }
        }
    }
}

/// A truncated reply has been paid for: it is read if possible, and otherwise its cost is reported with the failure.
#[test]
fn a_reply_truncated_by_the_provider_is_read_if_possible() {
    for (engine, questions) in questions() {
        let whole = perform(script(engine, DebateLimits::default(), &[]), None);
        for (purpose, good) in &questions {
            let asked = asked(&whole, purpose);
            let ask = asked.asks.values().find(|ask| ask.key.purpose == *purpose).expect("it was asked");
            let settled = |text: &str| {
                let message = "max_tokens".to_owned();
                let cut = Some(Box::new(answer(text)));
                asked.session.record_outcome(
                    ask,
                    Err(Failure { kind: FailureKind::Truncated, message, answer: cut }),
                    None,
                )
            };
            let read = settled(good.trim_end_matches('}'));
            let repaired = matches!(&read[0], Event::EffectAnswered(it) if it.repaired && !it.ignored);
            assert!(repaired && read.len() > 1, "{purpose}: {read:?}");
            let lost = settled("{");
            let told = matches!(&lost[..], [Event::EffectFailed(it)]
                if it.failure.kind == FailureKind::Truncated && it.answer == Some(answer("{")));
            assert!(told, "{purpose}: {lost:?}");
        }
    }
}

/// Replays a debate up to the point at which the first answer to this request arrives.
fn asked<'a>(log: &'a Log, purpose: &str) -> Replay<'a> {
    let mut replay = Replay::of(log);
    let answered = |event: &Event| matches!(event, Event::EffectAnswered(event) if event.key.purpose == purpose);
    while !answered(&log.0[replay.at].event) {
        replay.next();
    }
    replay
}

/// Returns pointers to every value in a value, itself included.
fn places(value: &Value, place: String) -> Vec<String> {
    let below: Vec<String> = match value {
        Value::Object(fields) => {
            fields.iter().flat_map(|(name, field)| places(field, format!("{place}/{name}"))).collect()
        }
        Value::Array(items) => {
            (0..).zip(items).flat_map(|(n, element): (usize, _)| places(element, format!("{place}/{n}"))).collect()
        }
        _ => Vec::new(),
    };
    std::iter::once(place).chain(below).collect()
}

/// Returns a text with some of its characters lost, doubled or moved.
fn noisy(text: &str, chance: &mut Chance) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=chance.below(6) {
        let (at, other) = (chance.below(chars.len()), chance.below(chars.len()));
        match chance.below(4) {
            0 => drop(chars.remove(at)),
            1 => chars.insert(at, chars[other]),
            2 => chars.swap(at, other),
            _ => chars[at] = ['"', '{', '}', '[', ',', ':', '\\', '\u{0}', '9', '🚀'][chance.below(10)],
        }
    }
    chars.into_iter().collect()
}

/// Checks what holds for every debate that has ended.
fn assert_sound(what: &str, log: &Log) {
    let mut seen = Inspection::default();
    log.0.iter().for_each(|recorded| seen.see(recorded));
    let faults = [seen.faults.clone(), seen.faults_at_end()].concat();
    assert!(faults.is_empty(), "{}:\n{}\n{}", short(what), faults.join("\n"), short(&log.lines()));
}

fn short(text: &str) -> String {
    text.chars().take(6_000).collect()
}

/// Greatest size in the log, in bytes, of a fact derived from one reply.
const MAX_FACT_BYTES: usize = 50_000;

/// Inspection of a log, event by event.
#[derive(Clone, Default)]
struct Inspection {
    read_model: DebateReadModel,
    requests: BTreeMap<EffectKey, u32>,
    /// Latest number given with each letter.
    numbers: BTreeMap<&'static str, u32>,
    n_ends: usize,
    faults: Vec<String>,
}

impl Inspection {
    fn see(&mut self, recorded: &Recorded) {
        let (version, event) = (recorded.version, &recorded.event);
        if version != self.read_model.summary.version + 1 {
            self.faults.push(format!("version {version} follows {}", self.read_model.summary.version));
        }
        if self.n_ends > 0 {
            self.faults.push(format!("event {version} follows the end"));
        }
        for (letter, number) in named(event) {
            let last = self.numbers.insert(letter, number).unwrap_or(0);
            if number != last + 1 {
                self.faults.push(format!("{letter}{number} follows {letter}{last}"));
            }
        }
        let stored = wire::encode(event);
        if wire::decode(&stored.kind, stored.schema, &stored.body).ok().as_ref() != Some(event) {
            self.faults.push(format!("event {version} does not read back"));
        }
        match event {
            Event::EffectRequested(it) => *self.requests.entry(it.key.clone()).or_default() += 1,
            Event::EffectAnswered(_) | Event::EffectFailed(_) => {}
            _ if stored.body.len() > MAX_FACT_BYTES => {
                self.faults.push(format!("event {version}, a {}, has {} bytes", event.kind(), stored.body.len()));
            }
            Event::DebateConcluded(_) => self.n_ends += 1,
            _ => {}
        }
        self.faults.extend(dangling(event, &self.read_model));
        self.read_model.apply(recorded);
    }

    fn faults_at_end(&self) -> Vec<String> {
        let attempts = self.read_model.summary.limits.attempts;
        let too_often = self.requests.iter().filter(|(_, n)| **n > attempts);
        let mut faults: Vec<String> = too_often.map(|(key, n)| format!("{key} was asked {n} times")).collect();
        if self.n_ends != 1 {
            faults.push(format!("{} ends", self.n_ends));
        }
        faults
    }
}

/// Returns the names that an event introduces.
fn named(event: &Event) -> Vec<(&'static str, u32)> {
    match event {
        Event::TurnTaken(it) => vec![("t", it.turn.0)],
        Event::Interjected(it) => vec![("t", it.turn.0)],
        Event::ArgumentAdvanced(it) => vec![("a", it.argument.0)],
        Event::AttackRaised(it) => vec![("k", it.attack.0)],
        Event::DisputeRaised(it) => vec![("d", it.dispute.0)],
        Event::ReasonGiven(it) => vec![("r", it.reason.0)],
        Event::CruxProposed(it) => vec![("c", it.crux.0)],
        Event::RoomOpened(it) => vec![("m", it.room.0)],
        Event::ClaimChecked(it) => vec![("f", it.check.0)],
        Event::ProposalDrafted(it) => vec![("p", it.proposal.0)],
        Event::ProposalSynthesized(it) => vec![("p", it.proposal.0)],
        Event::ProposalCriticized(it) => it.issues.iter().map(|criticism| ("i", criticism.issue.0)).collect(),
        _ => vec![],
    }
}

/// Returns a reference of an event to something that did not exist before it.
fn dangling(event: &Event, before: &DebateReadModel) -> Option<String> {
    let own = |turn, speaker: &PersonaId| before.transcript.speaker(turn) == Some(speaker);
    let graph = &before.arguments;
    let mine =
        |turn, argument| graph.is_live(argument) && graph.speaker(argument).is_some_and(|speaker| own(turn, speaker));
    let counted = |dispute| before.disputes.not_retired().any(|(id, _)| id == dispute);
    let stands = match event {
        Event::TurnTaken(it) => {
            let inside = |room| before.rooms.rooms.get(&room).is_some_and(|room| room.closed.is_none());
            it.answers.is_none_or(|turn| before.transcript.get(turn).is_some()) && it.room.is_none_or(inside)
        }
        Event::ArgumentAdvanced(it) => own(it.turn, &it.speaker),
        Event::AttackRaised(it) => {
            let source = graph.arguments.get(&it.source);
            let carried =
                source.is_some_and(|source| source.advanced.carries.is_none_or(|carried| carried == it.attack));
            let others = graph.speaker(it.target).is_some_and(|whose| *whose != it.speaker);
            own(it.turn, &it.speaker) && carried && others && graph.component_text(it.target, it.component).is_some()
        }
        Event::AttackJudged(it) => graph.attacks.get(&it.attack).is_some_and(|attack| {
            let hit = it.component.is_none_or(|part| graph.component_text(attack.raised.target, part).is_some());
            attack.judged.is_none() && hit && (0.0..=1.0).contains(&it.strength)
        }),
        Event::ArgumentRevised(it) => mine(it.turn, it.argument),
        Event::ArgumentWithdrawn(it) => {
            let replaced =
                |by| graph.is_live(by) && graph.speaker(by) == graph.speaker(it.argument) && by != it.argument;
            mine(it.turn, it.argument) && it.superseded_by.is_none_or(replaced)
        }
        Event::AttackWithdrawn(it) => {
            before.transcript.get(it.turn).is_some() && graph.active().any(|(id, _)| id == it.attack)
        }
        Event::ConcessionMade(it) => own(it.turn, &it.speaker) && !it.what.is_empty(),
        Event::StanceTaken(it) => own(it.turn, &it.speaker) && counted(it.dispute),
        Event::DisputeRaised(it) => it.turns.iter().all(|turn| before.transcript.get(*turn).is_some()),
        Event::DisputeRetired(it) => counted(it.dispute),
        Event::DisputeLinked(it) => counted(it.dispute),
        Event::ReasonGiven(it) => {
            let there = before.disputes.disputes.get(&it.dispute);
            let held = there.is_some_and(|dispute| dispute.on_side(it.side).next().is_some());
            let answered = |reason: &ReasonId| there.is_some_and(|dispute| dispute.reasons.contains_key(reason));
            own(it.turn, &it.speaker) && held && it.attacks.iter().all(answered)
        }
        Event::ReasonWithdrawn(it) => {
            let reason = before.disputes.live_reasons().find(|(id, _)| *id == it.reason);
            reason.is_some_and(|(_, reason)| own(it.turn, &reason.given.speaker))
        }
        Event::CruxProposed(it) => own(it.turn, &it.speaker) && !it.statement.is_empty(),
        Event::CruxAcknowledged(it) => before.crux_proposals.cruxes.get(&it.crux).is_some_and(|crux| {
            own(it.turn, &it.speaker) && crux.proposed.speaker != it.speaker && crux.proposed.turn == it.cites
        }),
        Event::RoomOpened(it) => {
            let asked = it.dispute.is_none_or(counted);
            asked && it.participants.len() > 1 && it.turns.iter().all(|turn| before.transcript.get(*turn).is_some())
        }
        Event::RoomClosed(it) => before.rooms.rooms.get(&it.room).is_some_and(|room| room.closed.is_none()),
        Event::ClaimChecked(it) => before.transcript.get(it.turn).is_some(),
        Event::TurnsCrystallized(it) => it.turns.iter().all(|turn| before.transcript.get(*turn).is_some()),
        Event::ClaimsCompared(it) => it.pairs.iter().all(|pair| compares(pair, before)),
        Event::HintGiven(it) => it.about.is_none_or(|turn| before.transcript.get(turn).is_some()),
        Event::ProposalDrafted(it) => own(it.turn, &it.speaker) && (0.0..=1.0).contains(&it.confidence),
        Event::ProposalCriticized(it) => own(it.turn, &it.speaker) && before.proposals.get(it.proposal).is_some(),
        Event::ProposalSynthesized(it) => own(it.turn, &it.speaker) && before.proposals.get(it.from).is_some(),
        _ => true,
    };
    (!stands).then(|| format!("dangles: {} {}", event.kind(), event.summary()))
}

/// Returns true if both claims exist, are of one kind, and belong to different speakers.
fn compares(pair: &Comparison, before: &DebateReadModel) -> bool {
    let speaker = |point| match point {
        PointId::Argument(it) => before.arguments.speaker(it).map(|speaker| ("a", speaker)),
        PointId::Reason(it) => before.disputes.reason(it).map(|(_, reason)| ("r", &reason.given.speaker)),
        PointId::Dispute(_) => None,
    };
    let (one, other) = (speaker(pair.one), speaker(pair.other));
    one.zip(other).is_some_and(|(one, other)| one.0 == other.0 && one.1 != other.1)
}

// Limits.

#[test]
fn every_limit_ends_a_debate_and_is_named() {
    for (engine, _) in questions() {
        let whole = perform(script(engine, DebateLimits::default(), &[]), None);
        let spent = DebateReadModel::of(&whole.0).summary;
        let seconds = whole.0.len() as u64 - 1;
        let tokens = spent.usage.total.input_tokens + spent.usage.total.output_tokens;
        let free = DebateLimits::default;
        type Set = fn(DebateLimits, u64) -> DebateLimits;
        let limits: [(&str, u64, Set); 5] = [
            ("calls", spent.usage.total.calls.into(), |free, n| DebateLimits { calls: n as u32, ..free }),
            ("tokens", tokens, |free, n| DebateLimits { tokens: n, ..free }),
            ("cost_micros", spent.usage.total.cost_micros, |free, n| DebateLimits { cost_micros: n, ..free }),
            ("turns", spent.n_turns.into(), |free, n| DebateLimits { turns: n as u32, ..free }),
            ("seconds", seconds, |free, n| DebateLimits { seconds: n as u32, ..free }),
        ];
        for (name, total, set) in limits {
            for limit in [1, 2, total / 3, total / 2, total * 3 / 4] {
                let log = perform(script(engine, set(free(), limit), &[]), None);
                let told = format!("{engine} with {limit} of {total} {name}:\n{}", log.lines());
                let read_model = DebateReadModel::of(&log.0);
                let Some(DebateOutcome::Limit { limit: named, reason }) = &read_model.summary.outcome else {
                    panic!("{told}");
                };
                assert_eq!(named, name, "{told}");
                assert!(reason.contains(&format!("of {limit} ")), "{told}");
                assert_eq!(read_model.verdict().limit.as_deref(), Some(name), "{told}");
                assert!(name != "calls" || u64::from(read_model.summary.usage.total.calls) == limit, "{told}");
                assert_sound(&told, &log);
            }
            let log = perform(script(engine, set(free(), total + 1), &[]), None);
            assert_eq!(log.lines(), whole.lines(), "{engine} with more {name} than it needs");
        }
    }
}

#[test]
fn the_rounds_of_an_engine_are_a_limit_too() {
    let fresh = r#"{"proposal": "something else", "reasoning": "", "changes": [], "confidence": 1, "passages": []}"#;
    for (engine, rounds, otherwise) in [
        ("graph", 0, &[][..]),
        ("graph", 1, &[][..]),
        ("dialectic", 0, &[][..]),
        ("dialectic", 1, &[("synthesize", fresh)][..]),
    ] {
        let mut script = script(engine, DebateLimits::default(), otherwise);
        script.options["rounds"] = json!(rounds);
        let log = perform(script, None);
        let limit = DebateReadModel::of(&log.0).verdict().limit;
        assert_eq!(limit.as_deref(), Some("rounds"), "{engine} with {rounds} rounds:\n{}", log.lines());
    }
}

#[test]
fn a_request_that_is_lost_repeatedly_is_abandoned() {
    for losses in [1, 2, 8] {
        let limits = DebateLimits { losses, ..DebateLimits::default() };
        let mut log = Log::default();
        log.append(command::open(ENGINES, opening("graph", limits)).expect("it opens"));
        let mut n_lost = 0;
        loop {
            let session = session_over(&log.0);
            match session.step(&BTreeSet::new()) {
                SessionStep::Start(effects) => {
                    let requested = |effect: &Effect| session.requested(&session.attempt(effect, Vec::new()));
                    log.append(effects.iter().map(requested).collect());
                    n_lost += 1; // the runner is killed here
                }
                SessionStep::Append(events) => drop(log.append(events).len()),
                other => {
                    assert_eq!(other, SessionStep::Done);
                    break;
                }
            }
        }
        assert_eq!(n_lost, losses, "{}", log.lines());
        let abandoned = log.0.iter().filter(|recorded| matches!(recorded.event, Event::EffectAbandoned(_))).count();
        assert_eq!(abandoned, 2, "{}", log.lines());
        assert!(
            matches!(DebateReadModel::of(&log.0).summary.outcome, Some(DebateOutcome::Stalled { .. })),
            "{}",
            log.lines()
        );
    }
}

#[test]
fn time_spent_paused_does_not_count() {
    let limits = DebateLimits { seconds: 100, ..DebateLimits::default() };
    let append = |log: &mut Log, after: i64, events: Vec<Event>| {
        let n_before = log.0.len();
        let at = log.0.last().map(|recorded| recorded.at + TimeDelta::seconds(after));
        log.append(events);
        log.0[n_before..].iter_mut().for_each(|recorded| recorded.at = at.unwrap_or(recorded.at));
    };
    let ends = |paused_for: i64, running_for: i64| {
        let mut log = Log::default();
        append(&mut log, 0, command::open(ENGINES, opening("graph", limits.clone())).expect("it opens"));
        for (after, command) in [(0, Command::Pause), (paused_for, Command::Resume), (running_for, interject("Well?"))]
        {
            let summary = DebateReadModel::of(&log.0).summary;
            append(&mut log, after, command::decide(&summary, command).expect("it is granted"));
        }
        while let SessionStep::Append(events) = session_over(&log.0).step(&BTreeSet::new()) {
            append(&mut log, 0, events);
        }
        DebateReadModel::of(&log.0).verdict().limit.is_some()
    };
    assert!(!ends(10_000, 90), "a pause was counted");
    assert!(ends(10_000, 110), "time under way was not counted");
    assert!(ends(0, 110), "time under way was not counted");
}

// Commands.

fn interject(text: &str) -> Command {
    Command::Interject { text: text.to_owned(), speaker: None }
}

fn opening(engine: &str, limits: DebateLimits) -> DebateConfig {
    DebateConfig {
        topic: "Should the ferry run at night?".into(),
        engine: engine.into(),
        options: Value::Null,
        participants: vec![persona("ada"), persona("ben")],
        limits,
        seed: 1,
        provider: "script".into(),
    }
}

/// Summarizes the result of a command in one line: the events that it adds, or the kind of its refusal.
fn decision_line(decided: Result<Vec<Event>, Refusal>) -> String {
    match decided {
        Ok(events) => {
            let lines: Vec<String> =
                events.iter().map(|event| format!("{} {}", event.kind(), event.summary())).collect();
            lines.join("; ").trim_end().to_owned()
        }
        Err(refusal) => {
            assert!(!refusal.reason.is_empty() && refusal.reason.len() < 1_000, "{}", refusal.reason.len());
            format!("{:?}", refusal.kind)
        }
    }
}

#[test]
fn commands_are_granted_or_refused() {
    let opened = || {
        let mut log = Log::default();
        log.append(command::open(ENGINES, opening("graph", DebateLimits::default())).expect("it opens"));
        log
    };
    let with = |commands: &[Command]| {
        let mut log = opened();
        for command in commands {
            let summary = DebateReadModel::of(&log.0).summary;
            log.append(command::decide(&summary, command.clone()).expect("it is granted"));
        }
        DebateReadModel::of(&log.0).summary
    };
    let absent = Summary::default();
    let running = with(&[]);
    let paused = with(&[Command::Pause]);
    let resumed = with(&[Command::Pause, Command::Resume, interject("Well?")]);
    let aborted = with(&[Command::Cancel("enough".into())]);
    let concluded = DebateReadModel::of(&perform(script("graph", DebateLimits::default(), &[]), None).0).summary;

    let as_ben = |id: &str| Command::Interject { text: "I am Ben.".into(), speaker: Some(persona(id).id) };
    let cancel = |reason: &str| Command::Cancel(reason.to_owned());
    let check = |debate: &Summary, command: Command, expected: &str| {
        let asked = format!("{command:?} of a debate that is {:?}", debate.status);
        assert_eq!(decision_line(command::decide(debate, command)), expected, "{}", short(&asked));
    };
    for command in [Command::Pause, Command::Resume, cancel("x"), interject("x"), as_ben("ben")] {
        check(&absent, command.clone(), "NotFound");
        check(&aborted, command.clone(), "Conflict");
        check(&concluded, command, "Conflict");
    }
    check(&running, Command::Pause, "debate_paused");
    check(&running, Command::Resume, "");
    check(&paused, Command::Pause, "");
    check(&paused, Command::Resume, "debate_resumed");
    check(&resumed, Command::Pause, "debate_paused");
    for debate in [&running, &paused, &resumed] {
        check(debate, cancel("enough"), "debate_aborted enough");
        check(debate, cancel(" \n"), "debate_aborted cancelled");
        check(debate, cancel(&"x".repeat(MAX_TEXT_BYTES + 1)), "Limit");
        check(debate, interject(""), "Invalid");
        check(debate, interject(" \u{0}\u{1b}\r\n\t"), "Invalid");
        check(debate, interject(&"x".repeat(MAX_TEXT_BYTES + 1)), "Limit");
        check(debate, as_ben("cleo"), "NotFound");
    }
    check(&running, interject("  Mind\u{0} the\u{7} winter. "), "interjected t1 moderator: Mind the winter.");
    check(&resumed, interject("And now?"), "interjected t2 moderator: And now?");
    check(&running, as_ben("ben"), "interjected t1 ben: I am Ben.");
    check(&running, interject("a\tb\r\nc"), "interjected t1 moderator: a b c");
    assert!(command::decide(&running, interject(&"é".repeat(MAX_TEXT_BYTES / 2))).is_ok());
}

#[test]
fn an_opening_is_granted_or_refused() {
    type Change<'a> = &'a dyn Fn(&mut DebateConfig);
    let check = |what: &str, change: Change, expected: &str| {
        let mut opening = opening("graph", DebateLimits::default());
        change(&mut opening);
        let told = decision_line(command::open(ENGINES, opening));
        let told = told.split_once(':').map_or(told.as_str(), |(kind, _)| kind);
        assert_eq!(told, expected, "{what}");
    };
    let granted = "debate_opened graph / script / ada, ben";
    let people = |ids: &[&str]| ids.iter().map(|id| persona(id)).collect::<Vec<_>>();
    let many: Vec<String> = (0..13).map(|number| format!("p{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();

    check("as it is", &|_| {}, granted);
    check("no topic", &|command| command.topic.clear(), "Invalid");
    check("a blank topic", &|command| command.topic = " \t\r\n ".into(), "Invalid");
    check("a topic of controls", &|command| command.topic = "\u{0}\u{1}\u{1b}\u{9b}".into(), "Invalid");
    check("controls in a topic", &|command| command.topic = "a\u{0}b\u{1b}".into(), granted);
    check("slots in a topic", &|command| command.topic = "{{persona}} {{".into(), granted);
    check("100 kB of topic", &|command| command.topic = "x".repeat(100_000), "Limit");
    check("the longest topic", &|command| command.topic = "x".repeat(MAX_TOPIC_BYTES), granted);
    check("a byte too many", &|command| command.topic = "x".repeat(MAX_TOPIC_BYTES + 1), "Limit");
    check("an unknown engine", &|command| command.engine = "phlogiston".into(), "NotFound");
    check("an engine of 100 kB", &|command| command.engine = "x".repeat(100_000), "NotFound");
    check("an engine in capitals", &|command| command.engine = "Graph".into(), "NotFound");
    check("nobody", &|command| command.participants.clear(), "Invalid");
    check("one", &|command| command.participants = people(&["ada"]), "Invalid");
    check("thirteen", &|command| command.participants = people(&many), "Invalid");
    check("one twice", &|command| command.participants = people(&["ada", "ada"]), "Invalid");
    check("one twice among three", &|command| command.participants = people(&["ada", "ben", "ada"]), "Invalid");
    check("no options", &|command| command.options = json!({}), granted);
    check("some options", &|command| command.options = json!({ "rounds": 10, "passages": 0 }), granted);
    check("an unknown option", &|command| command.options = json!({ "turns": 3 }), "Invalid");
    check("an option of a wrong type", &|command| command.options = json!({ "rounds": "3" }), "Invalid");
    check("an option below", &|command| command.options = json!({ "rounds": -1 }), "Invalid");
    check("an option beyond", &|command| command.options = json!({ "rounds": 11 }), "Invalid");
    check("options that are none", &|command| command.options = json!([1]), "Invalid");
    check(
        "a share beyond",
        &|command| (command.engine, command.options) = ("dialectic".into(), json!({ "alike": 1.1 })),
        "Invalid",
    );
    check(
        "four for three",
        &|command| (command.engine, command.participants) = ("dialectic".into(), people(&["a", "b", "c", "d"])),
        "Invalid",
    );
    for limit in ["attempts", "losses", "calls", "tokens", "cost_micros", "turns", "seconds"] {
        for (value, expected) in [(json!(0), "Limit"), (json!(1), granted), (json!(u32::MAX), "Limit")] {
            let value = if ["tokens", "cost_micros"].contains(&limit) && expected == "Limit" && value != json!(0) {
                json!(u64::MAX)
            } else {
                value
            };
            let set: Change =
                &|command| command.limits = serde_json::from_value(json!({ limit: value })).expect("limits");
            check(&format!("{limit} {value}"), set, expected);
        }
    }
}

/// Text inserted into a prompt is never scanned for slots, and no slot is left unfilled.
#[test]
fn slots_in_a_topic_are_left_as_they_are() {
    for (engine, _) in questions() {
        let mut script = script(engine, DebateLimits::default(), &[]);
        script.topic = "{{persona}} or {{arguments}}?".into();
        let log = perform(script, None);
        assert_sound(engine, &log);
        let asked = log.0.iter().filter_map(|recorded| match &recorded.event {
            Event::EffectRequested(recorded) => Some(recorded.prompt.as_str()),
            _ => None,
        });
        for prompt in asked {
            assert!(prompt.contains("{{persona}} or {{arguments}}?"), "{prompt}");
        }
    }
}
