//! Probes of debates that have ended: requested by a command, carried out by a session, measured, and without effect on a
//! verdict.

use faultline_core::engines::registry::ENGINES;
use faultline_core::events::checks::probes::{ContractProbed, ProbesRequested};
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::persona::{Contract, Persona};
use faultline_core::events::receipt::{CONTRADICTION_PROBE, ENDORSEMENT_PROBE, PROBE_PURPOSES};
use faultline_core::export::jsonl::jsonl;
use faultline_core::imports::import::{read, read_edited};
use faultline_core::kernel::closing::closing::{Closing, Occasion};
use faultline_core::kernel::closing::tasks::tasks;
use faultline_core::kernel::command::{self, Command};
use faultline_core::kernel::effect::EffectAttempt;
use faultline_core::kernel::engine::RefusalKind;
use faultline_core::kernel::session::{Session, SessionStep};
use faultline_core::kernel::task::TaskKind;
use faultline_core::measures::measure::rounded;
use faultline_core::measures::registry::measures;
use faultline_core::verdicts::read_model::DebateReadModel;
use serde_json::json;

use crate::debates::verdicts::verdict_debate::{VerdictDebate, exhausted};
use crate::rehearsal::{Log, Script, perform};
use crate::support::personas::persona;

/// Maximum number of bytes of a prompt, its schema included, as in the law on the prompts of engines.
const MAX_PROMPT_BYTES: usize = 80_000;

/// Rehearsed debate with common ground whose participants hold something.
fn ended() -> Log {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/rehearsals/disputes_settles.txt");
    let text = std::fs::read_to_string(path).expect("a rehearsal");
    let mut script = Script::parse(text.split_once("\n= log\n").map_or(text.as_str(), |(script, _)| script));
    for (id, bias) in [("ada", "The town owes its night workers a way home."), ("ben", "No crew sails tired.")] {
        let contract = Contract { bias: bias.to_owned(), ..Contract::default() };
        script.cast.insert(id.to_owned(), Persona { contract, ..persona(id) });
    }
    perform(script, None)
}

fn session(log: &Log) -> Session {
    let Event::DebateOpened(opened) = &log.0[0].event else { panic!("the first event opens the debate") };
    let mut session = Session::open(ENGINES, opened).expect("the engine starts");
    log.0.iter().for_each(|recorded| session.evolve(recorded));
    session
}

fn append(log: &mut Log, session: &mut Session, events: Vec<Event>) {
    log.append(events).iter().for_each(|recorded| session.evolve(recorded));
}

fn request(log: &mut Log, command: Command) {
    let requested = command::decide(&DebateReadModel::of(&log.0).summary, command).expect("it is granted");
    log.append(requested);
}

/// Carries out what was requested after the end with these replies; returns the keys of the requests.
fn carry_out(log: &mut Log, reply: impl Fn(&EffectAttempt) -> String) -> Vec<String> {
    let (mut session, mut keys) = (session(log), Vec::new());
    for _ in 0..100 {
        match session.step(&Default::default()) {
            SessionStep::Done => return keys,
            SessionStep::Append(events) => append(log, &mut session, events),
            SessionStep::Start(effects) => {
                for effect in effects {
                    let ask = session.attempt(&effect, Vec::new());
                    let requested = session.requested(&ask);
                    append(log, &mut session, vec![requested]);
                    let answer = json!({ "by": "script/model", "text": reply(&ask), "millis": 0 });
                    let answer = serde_json::from_value(answer).expect("an answer");
                    let events = session.record_outcome(&ask, Ok(answer), None);
                    append(log, &mut session, events);
                    keys.push(effect.key.to_string());
                }
            }
            other => panic!("{other:?}"),
        }
    }
    panic!("the probes do not end:\n{}", log.lines());
}

/// Reply to a probe: the first turn of each request contradicts, no pair does, and all statements are endorsed.
fn plain_reply(ask: &EffectAttempt) -> String {
    let reply = match &ask.prompt.task.work {
        TaskKind::ProbeContract { turns, .. } => {
            let read: Vec<&String> = turns.iter().map(|turn| &turn.alias).collect();
            let found = json!({ "turn": turns[0].alias, "field": "bias", "words": turns[0].text });
            json!({ "contradictions": [found], "read": read })
        }
        TaskKind::ProbeContradictions { pairs } => {
            let yes = |name: &String| json!({ "name": name, "both_can_be_true": "yes" });
            json!({ "pairs": pairs.iter().map(|pair| yes(&pair.alias)).collect::<Vec<_>>() })
        }
        TaskKind::RateStatements { statements } => {
            let six = |name: &String| json!({ "name": name, "rating": 6 });
            json!({ "ratings": statements.iter().map(|statement| six(&statement.alias)).collect::<Vec<_>>() })
        }
        other => panic!("{other:?} is no probe"),
    };
    reply.to_string()
}

/// A debate that was probed after its end.
pub fn probed_debate() -> Vec<Recorded> {
    let mut log = ended();
    request(&mut log, Command::Probe("script".into()));
    carry_out(&mut log, plain_reply);
    log.0
}

fn value(log: &[Recorded], key: &str) -> Option<f64> {
    let read_model = DebateReadModel::of(log);
    let found = measures(&read_model, &read_model.verdict());
    found.into_iter().find(|it| it.definition.key == key).expect("a measure").measurement.value
}

#[test]
fn a_debate_that_has_ended_is_probed_and_its_verdict_stays() {
    let mut log = ended();
    let before = DebateReadModel::of(&log.0);
    assert!(!before.verdict().common_ground.is_empty(), "{}", log.lines());
    request(&mut log, Command::Probe("script".into()));
    assert_eq!(session(&log).late_provider(), Some("script"));
    let keys = carry_out(&mut log, plain_reply);
    let after = DebateReadModel::of(&log.0);
    assert_eq!(after.verdict(), before.verdict());
    assert_eq!((after.summary.end, after.summary.status), (before.summary.end, before.summary.status));
    assert_eq!(log.0.last().map(|recorded| recorded.event.kind()), Some("probes_concluded"));

    let n_ground = before.verdict().common_ground.len();
    let round = &after.probes.rounds[0];
    assert_eq!((round.contracts.len(), round.endorsements.len()), (2, 2), "{keys:?}");
    assert_eq!(round.contradictions.len(), usize::from(n_ground > 1), "{keys:?}");
    assert!(round.contracts.iter().all(|it| it.probed.model == "script/model" && it.probed.unread.is_empty()));
    let n_turns = before.transcript.turns.iter().filter(|turn| turn.speaker.is_some()).count();
    assert_eq!(value(&log.0, "contract_contradictions"), Some(rounded(2.0 / n_turns as f64)));
    assert_eq!(value(&log.0, "probed_contradictions"), (n_ground > 1).then_some(0.0));
    for (key, rating) in [("endorsement", 6.0), ("least_endorsement", 6.0), ("endorsement_spread", 0.0)] {
        assert_eq!(value(&log.0, key), Some(rating), "{key}");
    }
    assert_eq!(value(&log.0, "probe_agreement"), None);
}

#[test]
fn a_second_round_asks_everything_again_under_new_keys() {
    let mut log = ended();
    request(&mut log, Command::Probe("script".into()));
    let first = carry_out(&mut log, plain_reply);
    request(&mut log, Command::Probe("script".into()));
    let second = carry_out(&mut log, plain_reply);
    assert_eq!(first.len(), second.len());
    assert!(first.iter().all(|key| !second.contains(key)), "{first:?} {second:?}");
    assert_eq!(value(&log.0, "probe_agreement"), Some(1.0));
    // An audit in between has a round of its own, and asks no probes.
    request(&mut log, Command::Audit("script".into()));
    let audited = carry_out(&mut log, |ask| {
        assert!(!PROBE_PURPOSES.contains(&ask.key.purpose.as_str()), "{}", ask.key);
        r#"{"readings": []}"#.to_owned()
    });
    assert!(audited.iter().all(|key| key.starts_with("audit/4/")), "{audited:?}");
}

#[test]
fn a_probe_and_an_audit_exclude_each_other_and_a_running_debate_has_neither() {
    let log = ended();
    let kind = |log: &Log, command: Command| {
        command::decide(&DebateReadModel::of(&log.0).summary, command).map_err(|refusal| refusal.kind)
    };
    let (probe, audit) = (|| Command::Probe("script".into()), || Command::Audit("script".into()));
    let running = Log(log.0[..20].to_vec(), Vec::new());
    assert_eq!(kind(&running, probe()), Err(RefusalKind::Conflict));
    let requested = Event::ProbesRequested(ProbesRequested { provider: "script".into() });
    assert_eq!(kind(&log, probe()), Ok(vec![requested.clone()]));
    let mut probed = log.clone();
    probed.append(vec![requested]);
    assert_eq!(kind(&probed, probe()), Ok(Vec::new()), "they are under way");
    assert_eq!(kind(&probed, audit()), Err(RefusalKind::Conflict));
    let mut audited = log;
    request(&mut audited, audit());
    assert_eq!(kind(&audited, probe()), Err(RefusalKind::Conflict));
}

#[test]
fn replies_that_nobody_can_read_are_abandoned_and_measure_nothing() {
    for reply in ["I would rather not.", "{}", r#"{"contradictions": 7, "read": {}, "pairs": null, "ratings": "six"}"#]
    {
        let mut log = ended();
        request(&mut log, Command::Probe("script".into()));
        carry_out(&mut log, |_| reply.to_owned());
        let after = DebateReadModel::of(&log.0);
        let round = &after.probes.rounds[0];
        assert!(!round.has_answers() && round.abandoned.len() >= 4, "{}", log.lines());
        assert!(round.result.as_ref().is_some_and(|result| result.ends_with("requests were abandoned")), "{round:?}");
        assert_eq!(value(&log.0, "contract_contradictions"), None);
        assert!(!after.summary.is_being_probed);
    }
}

#[test]
fn prompts_of_probes_have_a_set_size_however_long_the_debate() {
    let mut debate = VerdictDebate::new(&["ada", "ben"]);
    let Event::DebateOpened(opened) = &mut debate.events[0] else { panic!("the first event opens the debate") };
    for persona in &mut opened.participants {
        let long = "\"".repeat(9_000);
        let flip_conditions = vec!["\\".repeat(9_000); 40];
        persona.contract = Contract { bias: long.clone(), stakes: long, flip_conditions, ..Contract::default() };
    }
    let opened = opened.clone();
    for _ in 0..40 {
        debate.say("ada", &"\"\\ ".repeat(4_000));
    }
    for number in 0..30 {
        debate.raise_dispute_with_stances(&format!("Is {number} {}?", "\" ".repeat(900)), "ada yes, ben yes");
    }
    debate.conclude(exhausted());
    debate.events.push(Event::ProbesRequested(ProbesRequested { provider: "script".into() }));
    let mut closing = Closing::new(tasks(&opened));
    debate.recorded().iter().for_each(|recorded| closing.evolve(recorded));
    let effects = closing.missing(Occasion::ProbesRequested);
    let count = |purpose: &str| effects.iter().filter(|effect| effect.key.purpose == purpose).count();
    assert_eq!((count(CONTRADICTION_PROBE), count(ENDORSEMENT_PROBE)), (3, 2), "120 pairs, and two participants");
    for effect in &effects {
        let prompt = &effect.prompt;
        let bytes = prompt.system.len() + prompt.text.len() + prompt.schema.to_string().len();
        assert!(bytes <= MAX_PROMPT_BYTES, "{}: {bytes} bytes", effect.key);
    }
    let result = closing.result(Occasion::ProbesRequested, |_| false);
    assert!(result.ends_with("; limits left out 315 pairs, 6 statements"), "{result}");
    let others = [Occasion::End, Occasion::AuditRequested].map(|occasion| closing.missing(occasion)).concat();
    assert!(others.iter().all(|effect| !PROBE_PURPOSES.contains(&effect.key.purpose.as_str())));
}

#[test]
fn an_export_whose_probe_quotes_what_nobody_said_is_refused_and_an_edited_one_loses_its_probes() {
    let log = probed_debate();
    read(jsonl(&log).as_bytes()).expect("as it was exported");
    let mut forged = log.clone();
    for recorded in &mut forged {
        if let Event::ContractProbed(ContractProbed { contradictions, .. }) = &mut recorded.event {
            contradictions.iter_mut().for_each(|found| found.quote = "I never said this.".to_owned());
        }
    }
    let refused = read(jsonl(&forged).as_bytes()).expect_err("nobody said it").to_string();
    assert!(refused.contains("quotes words that its turn does not contain"), "{refused}");
    let edited = jsonl(&log).replacen("\"seed\":", "\"seed\": 1", 1);
    let taken = read_edited(edited.as_bytes()).expect("as a report");
    assert!(taken.events.iter().all(|recorded| recorded.event.kind() != "contract_probed"));
}
