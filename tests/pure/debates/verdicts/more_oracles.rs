//! Oracles of the law's second reading: debates that older rules judged falsely.

use faultline_argumentation::labelling::Label::{In, Undec};
use faultline_core::engines::registry::ENGINES;
use faultline_core::events::argument::ArgumentPart::{Claim, Premise};
use faultline_core::events::argument::AttackKind::Rebut;
use faultline_core::events::dispute::Side;
use faultline_core::events::event::Event;
use faultline_core::events::ids::ArgumentId;
use faultline_core::events::lifecycle::DebateOutcome;
use faultline_core::events::proposal::Recommendation;
use faultline_core::verdicts::coverage::Coverage;
use faultline_core::verdicts::crux::CruxOrigin;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_core::verdicts::regime::RegimeKind;

use crate::debates::verdicts::verdict_debate::{TWO, VerdictDebate, exhausted, labels, statements};
use crate::rehearsal::{Log, Script, perform};
use crate::support::personas::persona_id;

fn thesis(debate: &mut VerdictDebate, speaker: &str, claim: &str) -> ArgumentId {
    debate.add_argument(speaker, claim, |argument| argument.answers_topic = true)
}

/// A critic of the dialectic engine finds nothing, or recommends to accept; neither is a side, nor a consensus.
#[test]
fn o6_a_critic_without_objection_has_accepted_nothing() {
    let script = |recommendation: &str| {
        let head =
            "topic: When may the ferry sail?\nengine: dialectic\npersonas: ada, ben\noptions: {\"passages\": 0}\n";
        let mut script = Script::parse(head);
        let draft = r#"{"proposal": "With a crew.", "reasoning": "...", "confidence": 0.9, "terms": ["crew"]}"#;
        let criticism = format!(r#"{{"issues": [], "recommendation": "{recommendation}"}}"#);
        script.answers.insert("draft/*".into(), [draft.to_owned()].into());
        script.answers.insert("criticize/*".into(), [criticism].into());
        script
    };
    let log = perform(script("accept"), None);
    let read_model = DebateReadModel::of(&log.0);
    assert_eq!(stances(&log), [], "neither the author nor the critic said that it should stand");
    let criticism = read_model.proposals.proposals.last().and_then(|proposal| proposal.criticism.as_ref());
    assert_eq!(criticism.map(|criticism| criticism.recommendation), Some(Recommendation::NoObjection));
    let outcome = read_model.summary.outcome.as_ref().expect("it ended");
    assert_eq!((outcome.kind(), outcome.reason()), ("exhausted", "Ben has no objection to p1"));
    let verdict = read_model.verdict();
    assert_eq!((verdict.regime.kind, verdict.common_ground.len()), (RegimeKind::Undetermined, 0));
}

/// The same with every condition of a consensus met but that one, for two who stand on opposite sides.
#[test]
fn o6_an_acceptance_without_a_change_of_side_is_no_consensus() {
    let mut debate = VerdictDebate::new(TWO);
    let topic = debate.ask_topic("ada yes, ben no");
    debate.raise_dispute_with_stances("Does proposal p1 stand?", "ada yes, ben yes");
    debate.conclude(exhausted());
    assert_eq!(debate.regime(), RegimeKind::Partial);
    debate.take_side("ben", topic, Side::Nuanced);
    assert_eq!(debate.regime(), RegimeKind::Undetermined);
    debate.take_side("ben", topic, Side::Yes);
    assert_eq!(debate.regime(), RegimeKind::Consensus, "ben said that he changed sides");
}

fn stances(log: &Log) -> Vec<(&str, Side)> {
    let taken = log.0.iter().filter_map(|recorded| match &recorded.event {
        Event::StanceTaken(taken) => Some((taken.speaker.as_str(), taken.side)),
        _ => None,
    });
    taken.collect()
}

#[test]
fn o7_opposite_theses_are_two_camps() {
    let mut debate = VerdictDebate::new(TWO);
    let topic = debate.ask_topic("ada yes, ben no");
    let one = thesis(&mut debate, "ada", "The ferry should run.");
    let other = thesis(&mut debate, "ben", "The ferry should rest.");
    let verdict = debate.verdict();
    let camps: Vec<_> = verdict.camps.iter().map(|camp| (camp.arguments.clone(), camp.personas.clone())).collect();
    assert_eq!(camps, [(vec![one], vec![persona_id("ada")]), (vec![other], vec![persona_id("ben")])]);
    assert_eq!((verdict.n_extensions.as_str(), verdict.regime.kind), ("2", RegimeKind::Polarized));
    // One pair of claims, and two answers to the topic.
    assert_eq!(verdict.regime.coverage, Coverage { examined: 1, pairs: 1, answered: 2, asked: 2, unread: 0 });
    let clauses = "opposite sides on the topic and camps of arguments that conflict with each other";
    assert!(verdict.regime.reason.starts_with(clauses), "{}", verdict.regime.reason);
    // A comparison that finds that both can hold, and a judge who rejects an attack, change nothing.
    debate.compare(&[(one, other)]);
    let attack = debate.raise_attack(one, other, Rebut, Claim);
    debate.judge_attack(attack, false);
    assert_eq!(labels(&debate), [Undec, Undec]);
    // The conflict goes when one changes sides, and comes back.
    for (speaker, side, n_extensions) in [
        ("ben", Side::Yes, "1"),
        ("ben", Side::No, "2"),
        ("ada", Side::Nuanced, "1"),
        ("ada", Side::Yes, "2"),
        ("ben", Side::Undecided, "1"),
    ] {
        debate.take_side(speaker, topic, side);
        let verdict = debate.verdict();
        assert_eq!(verdict.n_extensions, n_extensions, "{speaker} {side:?}");
        assert!(verdict.labels.values().all(|label| *label == if n_extensions == "1" { In } else { Undec }));
    }
}

#[test]
fn o7_only_theses_of_opposite_sides_conflict() {
    let opposed = |stances: &str| {
        let mut debate = VerdictDebate::new(&["ada", "ben", "cleo"]);
        debate.ask_topic(stances);
        for speaker in ["ada", "ben", "cleo"] {
            thesis(&mut debate, speaker, &format!("thesis of {speaker}"));
            debate.add_claim(speaker, &format!("aside by {speaker}"));
        }
        let pairs = debate.read_model().arguments.opposed_theses();
        let pairs: Vec<String> = pairs.iter().map(|(one, other)| format!("{one} {other}")).collect();
        pairs.join(", ")
    };
    assert_eq!(opposed("ada yes, ben no, cleo no"), "a1 a3, a1 a5");
    assert_eq!(opposed("ada no, ben no, cleo yes"), "a1 a5, a3 a5");
    assert_eq!(opposed("ada yes, ben yes, cleo yes"), "");
    assert_eq!(opposed("ada yes, ben nuanced, cleo undecided"), "");
    assert_eq!(opposed("ada yes"), "");
}

#[test]
fn o9_a_number_that_both_cite_is_no_crux() {
    let number = "Forty nurses finish at eleven.";
    let mut debate = VerdictDebate::new(TWO);
    debate.ask_topic("ada yes, ben no");
    let citing = |debate: &mut VerdictDebate, speaker: &str, claim: &str, number: &str| {
        debate.add_argument(speaker, claim, |argument| argument.premises = vec![number.into()])
    };
    let one = citing(&mut debate, "ada", "Demand is high.", number);
    let other = citing(&mut debate, "ben", "Demand is low.", "forty nurses  finish at eleven");
    debate.add_mutual_attack(one, other);
    debate.add_attack(other, one);
    let verdict = debate.verdict();
    let mut found = statements(&verdict);
    found.sort_unstable();
    assert_eq!((found, verdict.contested.len()), (vec!["Demand is low."], 0));
    // As soon as a third argument of ben's denies the number, he both states it and denies it: still no crux in it.
    let denial = debate.add_claim("ben", "Thirty finish at eleven.");
    debate.undermine(denial, one, Premise(0));
    let verdict = debate.verdict();
    let all = verdict.cruxes.iter().chain(&verdict.contested);
    assert!(all.clone().all(|crux| !crux.statement.starts_with("Forty")), "{:?}", all.collect::<Vec<_>>());
}

/// Replays a rehearsal of an engine with other answers. Returns its log.
fn rehearsed(name: &str, change: impl FnOnce(&mut Script)) -> Log {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/rehearsals");
    let text = std::fs::read_to_string(format!("{folder}/{name}.txt")).expect("a rehearsal");
    let mut script = Script::parse(text.split_once("\n= log\n").map_or(text.as_str(), |(script, _)| script));
    change(&mut script);
    perform(script, None)
}

#[test]
fn o10_a_crux_that_everybody_proposes_and_nobody_acknowledges_settles_nothing() {
    for engine in ["dialogue", "disputes"] {
        let cruxes = ["Whether a second crew can be had.", "Whether the pier is safe in winter."];
        let close = |crux: &str| {
            format!(
                r#"{{"text": "So: {crux}", "core_words": "So: {crux}", "core_question": "{crux}", "agrees_with": null, "stances": []}}"#
            )
        };
        let turn = |crux: &str| {
            format!(
                r#"{{"text": "So: {crux}", "moves": [{{"words": "So: {crux}", "move": "propose_crux"}}], "answers": null, "crux": "{crux}",
                    "agrees_with": null, "stances": []}}"#
            )
        };
        let log = rehearsed(&format!("{engine}_turns_spent"), |script| {
            script.answers.retain(|key, _| !key.starts_with("turn/") && !key.starts_with("close/"));
            script.answers.insert("turn/*".into(), cruxes.map(turn).into());
            script.answers.insert("close/*".into(), cruxes.map(close).into());
            script.limits = Default::default();
        });
        let read_model = DebateReadModel::of(&log.0);
        let proposers: std::collections::BTreeSet<&str> =
            read_model.crux_proposals.cruxes.values().map(|crux| crux.proposed.speaker.as_str()).collect();
        assert_eq!(proposers.len(), read_model.summary.participants.len(), "{engine}: {}", log.lines());
        assert_eq!(read_model.crux_proposals.acknowledged().count(), 0, "{engine}");
        let outcome = read_model.summary.outcome.as_ref().expect("it ended");
        assert!(!matches!(outcome, DebateOutcome::Settled { .. }), "{engine}: {outcome:?}\n{}", log.lines());
        let verdict = read_model.verdict();
        assert!(verdict.all_cruxes().all(|crux| !matches!(crux.origin, CruxOrigin::Acknowledged { .. })), "{engine}");
    }
}

/// Rule 17: a crux decides the topic. The topic in other words is none, and agreeing on it settles nothing.
#[test]
fn the_topic_cannot_be_proposed_as_the_crux() {
    for engine in ["dialogue", "disputes"] {
        let log = rehearsed(&format!("{engine}_turns_spent"), |script| {
            let statement = "The ferry should run at night.";
            let turn = format!(
                r#"{{"text": "So: {statement}", "moves": [{{"words": "So: {statement}", "move": "propose_crux"}}], "answers": null, "crux": "{statement}",
                    "agrees_with": null, "stances": []}}"#
            );
            script.answers.retain(|key, _| !key.starts_with("turn/"));
            script.answers.insert("turn/*".into(), [turn].into());
        });
        let read_model = DebateReadModel::of(&log.0);
        assert_eq!(read_model.crux_proposals.cruxes.len(), 0, "{engine}: {}", log.lines());
        let refused = read_model.transcript.turns.iter().flat_map(|turn| &turn.refused);
        assert!(refused.into_iter().any(|reason| reason.starts_with("proposes the topic as the crux")), "{engine}");
    }
}

#[test]
fn o11_a_no_in_the_last_words_is_no_consensus() {
    let mut debate = VerdictDebate::in_consensus(&["ada", "ben", "cleo"]);
    let topic = debate.read_model().disputes.topic().expect("the topic was asked").0;
    debate.raise_dispute_with_stances("Is winter rough?", "ada yes, ben yes, cleo yes");
    assert_eq!(debate.regime(), RegimeKind::Consensus);
    debate.take_side("cleo", topic, Side::No);
    let verdict = debate.verdict();
    assert_eq!(verdict.regime.kind, RegimeKind::Partial, "winter is agreed upon, the topic is not");
    assert_eq!(verdict.regime.reason, "opposite sides on the topic; 1 question answered alike");
    assert!(verdict.topic.is_some_and(|topic| topic.is_split() && topic.moved().count() == 1));
    assert_eq!((verdict.cruxes.len(), verdict.common_ground.len()), (0, 1));
}

/// In every engine: two openings that both say yes, and a limit of two calls.
#[test]
fn o13_two_openings_are_no_consensus() {
    for engine in ENGINES.iter().filter(|engine| !engine.is_external()) {
        let (engine, n) = (engine.name, engine.participants.0.max(2));
        // The first call of these decomposes the topic.
        let n_calls = n as u32 + u32::from(["blitz", "classical"].contains(&engine));
        let log = rehearsed(&format!("{engine}_valid_replies"), |script| {
            for (key, replies) in &mut script.answers {
                if key.starts_with("open/") {
                    let said = replies.front().expect("a reply").replace("\"stance\": \"no\"", "\"stance\": \"yes\"");
                    *replies = [said].into();
                }
            }
            script.personas.truncate(n);
            script.limits.calls = n_calls;
        });
        let read_model = DebateReadModel::of(&log.0);
        assert_eq!(read_model.summary.usage.total.calls, n_calls, "{engine}: {}", log.lines());
        let verdict = read_model.verdict();
        assert_eq!(verdict.regime.kind, RegimeKind::Undetermined, "{engine}: {}", verdict.regime.reason);
        assert_eq!(verdict.limit.as_deref(), Some("calls"), "{engine}");
        // Nobody is asked for a side before the clerk reads the talk of a baseline.
        if !["baseline", "dialectic"].contains(&engine) {
            let sides: Vec<Side> = stances(&log).iter().map(|(_, side)| *side).collect();
            assert!(sides.len() >= n && sides.iter().all(|side| *side == Side::Yes), "{engine}: {sides:?}");
        }
    }
}
