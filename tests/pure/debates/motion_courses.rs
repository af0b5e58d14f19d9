//! Courses of debates on a motion: forks with new participants, limits within a draft, and checks that fail or decide
//! nothing.

use faultline_core::engines::registry::ENGINES;
use faultline_core::events::checks::check::CheckVerdict;
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::PersonaId;
use faultline_core::events::lifecycle::{DebateLimits, DebateOutcome};
use faultline_core::export::report::markdown::markdown;
use faultline_core::kernel::forking;
use faultline_core::kernel::forking::ForkChanges;
use faultline_core::kernel::quotations::turn_quotes::MAX_QUOTE_BYTES;
use faultline_core::verdicts::read_model::DebateReadModel;
use serde_json::{Value, json};

use crate::rehearsal::{Log, Script, perform, resume};
use crate::support::personas::{persona, persona_id};

/// Claim of ada's first draft.
const NINE: &str = "Nine hands have papers.";

fn speech(text: &str) -> String {
    let reply = json!({
        "reflection": "They count the crew.", "critique": "One tired crew is no law.", "text": text, "answers": null,
        "moves": [{ "words": text, "move": "claim" }], "stances": [], "agreement_words": null, "agrees_with": null,
        "crux": null, "would_change": null, "passages": [],
    });
    reply.to_string()
}

fn opening(text: &str, side: &str) -> String {
    json!({ "text": text, "stance": side, "stance_words": text, "passages": [] }).to_string()
}

fn claims(sentences: &[&str]) -> String {
    let claims = sentences.iter().map(|sentence| json!({ "sentence": sentence, "claim": null }));
    json!({ "claims": claims.collect::<Vec<_>>() }).to_string()
}

fn check(words: &str, verdict: &str) -> String {
    json!({
        "sources": [{ "passage": "g1", "words": words }], "explanation": "It counts four, not nine.",
        "verdict": verdict, "confidence": 0.9,
    })
    .to_string()
}

/// Script of a debate between ada, for the motion, and ben, with two rounds of speeches and these answers.
fn script(options: Value, answers: &[(&str, String)]) -> Script {
    let closing = json!({
        "text": "I say what I said.", "core_words": null, "core_question": null, "agrees_with": null,
        "agreement_words": null, "stances": [], "passages": [],
    });
    let read = json!({
        "disputes": [], "stances": [], "reasons": [], "withdrawn": [], "concessions": [], "retired": [],
    });
    let mut script = Script {
        topic: "Should the ferry run at night?".to_owned(),
        engine: "pro_con".to_owned(),
        personas: vec!["ada".to_owned(), "ben".to_owned()],
        options,
        ..Script::parse("passage: Register of the port | The register counts four hands with papers.")
    };
    let defaults = [
        ("open/ada/0", opening("Run it at night.", "yes")),
        ("open/ben/0", opening("Leave it in port.", "no")),
        ("turn/ada/11", speech(NINE)),
        ("turn/ben/11", speech("The harbour is dark.")),
        ("turn/ada/21", speech("Lamps were bought in May.")),
        ("turn/ben/21", speech("They stand in a shed.")),
        ("crystallize/*", read.to_string()),
        ("close/*", closing.to_string()),
    ];
    for (key, answer) in defaults.iter().chain(answers) {
        script.answers.entry((*key).to_owned()).or_default().push_back(answer.clone());
    }
    script
}

/// Forks a debate after some events, with cleo as a third participant and a second round, and plays the fork to its end.
fn forked_with_cleo(log: &Log, at: usize, script: &mut Script) -> Log {
    let mut fork = Log(log.0[..at].to_vec(), log.1.clone());
    let Event::DebateOpened(opened) = &log.0[0].event else { panic!("the first event opens the debate") };
    let changes = ForkChanges {
        participants: Some(["ada", "ben", "cleo"].map(persona).to_vec()),
        options: json!({ "rounds": 2 }),
        ..ForkChanges::default()
    };
    let event = forking::fork(ENGINES, log.0[0].debate, at as i64, opened, changes).expect("a fork");
    fork.append(vec![Event::DebateForked(event)]);
    resume(fork, script, None)
}

fn phases(events: &[Recorded]) -> Vec<String> {
    let entered = events.iter().filter_map(|recorded| match &recorded.event {
        Event::PhaseEntered(entered) => Some(match entered.round {
            Some(round) => format!("{} {round}", entered.phase),
            None => entered.phase.clone(),
        }),
        _ => None,
    });
    entered.collect()
}

/// A speech that answers nothing is reflected on by nobody; one of reflection and critique is not enough.
#[test]
fn reflection_and_critique_may_both_be_null() {
    let prepared = |reflection: Value, critique: Value| {
        let mut reply: Value = serde_json::from_str(&speech("Lamps are dear.")).expect("a speech");
        reply["reflection"] = reflection;
        reply["critique"] = critique;
        reply.to_string()
    };
    let mut script = script(json!({ "passages": 0, "rounds": 1, "fact_check": "off" }), &[]);
    let none = prepared(Value::Null, Value::Null);
    script.answers.insert("turn/ada/11".to_owned(), [none].into());
    let half = prepared(json!("They count the crew."), Value::Null);
    script.answers.insert("turn/ben/11".to_owned(), [half, speech("The harbour is dark.")].into());
    let log = perform(script, None);
    let model = DebateReadModel::of(&log.0);
    let preparations = model.transcript.turns.iter().filter_map(|turn| turn.preparation.as_ref());
    let parts: Vec<[&str; 2]> = preparations.map(|it| [it.reflection.as_str(), it.critique.as_str()]).collect();
    assert_eq!(parts, [["", ""], ["They count the crew.", "One tired crew is no law."]], "{}", log.lines());
    assert!(log.lines().contains("turn/ben/11 attempt 1: the critique is empty"), "{}", log.lines());
    let report = markdown(&model, &log.0);
    assert!(report.contains("*Reflection: They count the crew.*") && !report.contains("*Reflection: *"), "{report}");
}

/// Whoever joins with a fork opens before the next round, in a phase of openings, and joins a side; the others keep theirs.
#[test]
fn a_fork_with_a_new_participant_assigns_the_sides_anew_before_the_next_round() {
    let options = json!({ "passages": 0, "rounds": 1, "fact_check": "off" });
    let joined = [
        ("open/cleo/0", opening("I too would leave it in port.", "no")),
        ("turn/cleo/21", speech("A shed has no windows.")),
    ];
    let script = script(options, &joined);
    let log = perform(script.clone(), None);
    let enters = |event: &Event| matches!(event, Event::PhaseEntered(entered) if entered.round == Some(1));
    let first = log.0.iter().position(|recorded| enters(&recorded.event)).expect("a round") + 1;
    let mut forks_in_closing = 0;
    for at in first..log.0.len() {
        let fork = forked_with_cleo(&log, at, &mut script.clone());
        let told = format!("forked at {at}\n{}", fork.lines());
        let new = &fork.0[at..];
        let model = DebateReadModel::of(&fork.0);
        let entered = phases(new);
        let before_round = &entered[..entered.iter().position(|it| it == "speeches 2").expect(&told)];
        assert_eq!(before_round.last().map(String::as_str), Some("opening"), "{told}");
        let cleo = persona_id("cleo");
        let own: Vec<(Option<&str>, Option<u32>)> = model
            .transcript
            .turns
            .iter()
            .filter(|turn| turn.speaker.as_ref() == Some(&cleo))
            .map(|turn| (turn.phase.as_deref(), turn.round.filter(|round| *round > 0)))
            .collect();
        assert_eq!(own[..2], [(Some("opening"), None), (Some("speeches"), Some(2))], "{told}");
        let sides: Vec<_> = new
            .iter()
            .filter_map(|recorded| match &recorded.event {
                Event::SidesAssigned(sides) => Some((sides.pro.clone(), sides.con.clone(), sides.reason.as_str())),
                _ => None,
            })
            .collect();
        let con: Vec<PersonaId> = ["ben", "cleo"].map(persona_id).to_vec();
        assert_eq!(sides, [(vec![persona_id("ada")], con, "participants or options have changed")], "{told}");
        let speeches: Vec<&str> = model
            .transcript
            .turns
            .iter()
            .filter(|turn| turn.preparation.is_some())
            .filter_map(|turn| turn.speaker.as_ref().map(PersonaId::as_str))
            .collect();
        assert_eq!(speeches, ["ada", "ben", "ada", "ben", "cleo"], "{told}");
        let Some(DebateOutcome::Limit { limit, reason }) = &model.summary.outcome else { panic!("{told}") };
        assert_eq!((limit.as_str(), reason.as_str()), ("rounds", "2 of 2 rounds held"), "{told}");
        forks_in_closing += usize::from(phases(&log.0[..at]).last().is_some_and(|phase| phase == "closing"));
    }
    assert!(forks_in_closing > 3, "{forks_in_closing}");
}

fn strict() -> Value {
    json!({ "passages": 0, "rounds": 1, "fact_check": "strict", "retries": 1 })
}

/// Answers of a debate in which the first draft of ada is rejected.
fn rejecting() -> [(&'static str, String); 5] {
    [
        ("turn/ada/12", speech("Four hands have papers.")),
        ("extract_claims/w1/0", claims(&["w1.1"])),
        ("extract_claims/w2/0", claims(&[])),
        ("extract_claims/w3/0", claims(&[])),
        ("check/f1/0", check("The register counts four hands with papers.", "false")),
    ]
}

/// A limit can end the debate between a draft and its turn: the draft is listed, counts as no turn, and is heard by nobody.
#[test]
fn a_limit_within_a_draft_loses_nothing_and_counts_no_turn() {
    let script = script(strict(), &rejecting());
    let mut untaken = Vec::new();
    for calls in 1..40 {
        let limits = DebateLimits { calls, ..DebateLimits::default() };
        let log = perform(Script { limits, ..script.clone() }, None);
        let (model, told) = (DebateReadModel::of(&log.0), log.lines());
        let Some(DebateOutcome::Limit { limit, .. }) = &model.summary.outcome else { panic!("{told}") };
        let said: u32 = model.speaker_use.speakers.values().map(|used| used.turns).sum();
        assert_eq!(said as usize, model.transcript.turns.len(), "{told}");
        let page = markdown(&model, &log.0);
        for draft in model.motion.drafts.values() {
            let is_said = model.transcript.turns.iter().any(|turn| turn.text == draft.drafted.turn.text);
            assert_eq!(is_said, draft.said_in.is_some(), "{told}");
            let listed = page.split_once("### Drafts that were not taken").map_or("", |(_, listed)| listed);
            let listed = listed.split("\n## ").next().unwrap_or_default();
            assert_eq!(listed.contains(&draft.drafted.turn.text), draft.said_in.is_none(), "{page}");
        }
        assert!(model.fact_checks.unchecked.values().all(|claim| claim.reason.is_some()), "{told}");
        if limit == "calls" {
            let drafts = model.motion.drafts.values().filter(|draft| draft.said_in.is_none());
            untaken.extend(drafts.map(|draft| (draft.drafted.attempt, draft.rejected.is_some())));
        }
    }
    for wanted in [(1, false), (1, true), (2, false)] {
        assert!(untaken.contains(&wanted), "{wanted:?} in {untaken:?}");
    }
}

/// A search that always fails rejects nothing: its claims are listed as unchecked, and the debate ends as it would have.
#[test]
fn a_debate_whose_search_always_fails_ends_normally_and_lists_its_claims() {
    for mode in ["standard", "strict"] {
        let options = json!({ "passages": 0, "rounds": 2, "fact_check": mode });
        let all_claims = |alias: &'static str| {
            let keys = [1, 2, 3, 4].map(|place| {
                let turn = if alias == "t" { place + 2 } else { place };
                (format!("extract_claims/{alias}{turn}/0"), claims(&[&format!("{alias}{turn}.1")]))
            });
            keys.to_vec()
        };
        let extractions = all_claims(if mode == "strict" { "w" } else { "t" });
        let mut answers: Vec<(&str, String)> =
            extractions.iter().map(|(key, reply)| (key.as_str(), reply.clone())).collect();
        answers.push(("check/*", "! the search is down".to_owned()));
        let log = perform(script(options, &answers), None);
        let (model, told) = (DebateReadModel::of(&log.0), log.lines());
        let Some(DebateOutcome::Limit { limit, .. }) = &model.summary.outcome else { panic!("{told}") };
        assert_eq!(limit, "rounds", "{told}");
        assert!(model.fact_checks.checks.is_empty(), "{told}");
        let reasons: Vec<Option<&str>> =
            model.fact_checks.unchecked.values().map(|claim| claim.reason.as_deref()).collect();
        assert_eq!(reasons, [Some("the search is down"); 4], "{told}");
        assert!(model.motion.drafts.values().all(|it| it.rejected.is_none() && it.said_in.is_some()), "{told}");
        let preparations = model.transcript.turns.iter().filter_map(|turn| turn.preparation.as_ref());
        assert_eq!(preparations.filter(|it| it.violations.is_empty()).count(), 4, "{told}");
        for name in ["ada", "ben"] {
            let facts = model.fact_checks.of(&persona_id(name));
            assert_eq!(
                (facts.n_false, facts.n_unverifiable, facts.n_unchecked, facts.share),
                (0, 0, 2, None),
                "{told}"
            );
        }
        let page = markdown(&model, &log.0);
        assert!(page.contains("the search is down"), "{page}");
    }
}

/// A quotation that is longer than a quotation may be decides nothing, though its source contains it.
#[test]
fn an_overlong_quotation_decides_no_claim() {
    let sentence = "The register counts four hands with papers and no more. ";
    let passage = sentence.repeat(MAX_QUOTE_BYTES / sentence.len() + 1);
    for (words, expected) in [(passage.trim(), CheckVerdict::Unverifiable), (sentence.trim(), CheckVerdict::False)] {
        let mut answers = rejecting().to_vec();
        answers.retain(|(key, _)| *key != "check/f1/0");
        answers.push(("check/f1/0", check(words, "false")));
        let mut script = script(strict(), &answers);
        script.passages[0].text = passage.clone();
        let log = perform(script, None);
        let (model, told) = (DebateReadModel::of(&log.0), log.lines());
        let found = &model.fact_checks.checks.values().next().expect("a check").checked;
        assert_eq!(found.verdict, expected, "{} bytes\n{told}", words.len());
        let is_decided = expected == CheckVerdict::False;
        assert_eq!(found.sources.len(), usize::from(is_decided), "{found:?}");
        let draft = model.motion.drafts.values().next().expect("a draft");
        assert_eq!((draft.rejected.is_some(), draft.said_in.is_none()), (is_decided, is_decided), "{told}");
    }
}
