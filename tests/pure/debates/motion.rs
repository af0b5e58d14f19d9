//! Sides, drafts and fact checks in a debate driven from outside. Which events are accepted, and how they are shown.

use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::{DraftId, TurnId};
use faultline_core::export::json::views;
use faultline_core::export::report::html::html;
use faultline_core::export::report::markdown::markdown;
use faultline_core::projections::fact_checks::FactCheck;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_terminal::text::style::TerminalStyle;
use faultline_terminal::verdict::report::report;
use serde_json::{Value, json};

use crate::debates::rooms::{Given, before, log, recorded, said, with};

fn sides(change: Value) -> Given {
    let body = json!({ "pro": ["ada"], "con": ["ben"], "reason": "by lot" });
    ("sides_assigned", with(body, change))
}

/// Returns a draft of ada for the turn t3.
fn draft(id: &str, attempt: u32, change: Value) -> Given {
    let turn = json!({
        "turn": "t3", "speaker": "ada", "round": 1, "moves": ["claim"], "text": "Nine hands have papers. Hire them.",
        "preparation": { "reflection": "Ben counts four.", "critique": "He counts no papers.", "draft": id },
    });
    ("turn_drafted", with(json!({ "draft": id, "attempt": attempt, "turn": turn }), change))
}

/// Returns the second draft of ada for the turn t3.
fn corrected() -> Given {
    let turn = json!({
        "turn": "t3", "speaker": "ada", "round": 1, "moves": ["claim"], "text": "Four hands have papers. Hire them.",
        "preparation": { "reflection": "Ben counts four.", "critique": "He counts no papers.", "draft": "w2" },
    });
    draft("w2", 2, json!({ "turn": turn }))
}

fn corrected_claim(check: &str) -> Given {
    let claim = json!({ "check": check, "quote": "Four hands have papers.", "claim": "Four hands have papers." });
    claims("w2", check, json!({ "claims": [claim] }))
}

fn claims(draft: &str, check: &str, change: Value) -> Given {
    let claim = json!({ "check": check, "quote": "Nine hands have papers.", "claim": "Nine hands have papers." });
    let body = json!({ "turn": "t3", "draft": draft, "speaker": "ada", "claims": [claim] });
    ("claims_extracted", with(body, change))
}

fn check(id: &str, draft: &str, change: Value) -> Given {
    let body = json!({
        "check": id, "turn": "t3", "draft": draft, "claim": "Nine hands have papers.", "verdict": "false",
        "sources": [{ "title": "Register", "excerpt": "four hands" }], "by": "a clerk", "explanation": "It counts four.",
    });
    ("claim_checked", with(body, change))
}

fn rejected(draft: &str, change: Value) -> Given {
    ("turn_rejected", with(json!({ "draft": draft, "checks": ["f1"], "reason": "a claim was found false" }), change))
}

/// Returns the turn t3 of ada, as the draft w2.
fn taken(change: Value) -> Given {
    let preparation = json!({ "reflection": "Ben counts four.", "critique": "He counts no papers.", "draft": "w2" });
    let body = json!({
        "turn": "t3", "speaker": "ada", "round": 1, "moves": ["claim"], "text": "Four hands have papers. Hire them.",
        "preparation": with(preparation, change),
    });
    ("turn_taken", body)
}

fn with_sides() -> Vec<Given> {
    let mut events = before();
    events.push(sides(json!({})));
    events
}

/// Returns the events up to the check of the first draft.
fn checked() -> Vec<Given> {
    let mut events = with_sides();
    events.extend([draft("w1", 1, json!({})), claims("w1", "f1", json!({})), check("f1", "w1", json!({}))]);
    events
}

fn whole() -> Vec<Given> {
    let mut events = checked();
    events.extend([
        rejected("w1", json!({})),
        corrected(),
        corrected_claim("f2"),
        taken(json!({})),
        said(4, "ben", None, "Then hire them."),
    ]);
    events
}

#[test]
fn a_rejected_draft_is_no_turn_and_its_false_claim_counts_against_nobody() {
    let model = DebateReadModel::of(&log(&whole()));
    let drafts: Vec<(bool, Option<TurnId>)> =
        model.motion.drafts.values().map(|draft| (draft.rejected.is_some(), draft.said_in)).collect();
    assert_eq!(drafts, [(true, None), (false, Some(TurnId(3)))]);
    let ada = "ada".parse().expect("an id");
    let facts = model.fact_checks.of(&ada);
    assert_eq!((facts.n_false, facts.n_unchecked, facts.share), (0, 1, None));
    let used = model.speaker_use.speakers[&ada];
    assert_eq!((used.rejections, used.turns), (1, 2));
    let check = model.fact_checks.checks.values().next().expect("a check");
    assert_eq!((model.fact_checks.turn_of(check), check.speaker.as_ref()), (None, Some(&ada)));
}

/// The checks of each turn and each draft are those that a scan of all checks finds, after every event.
#[test]
fn the_index_of_checks_finds_what_a_scan_finds() {
    let mut given = whole();
    given.extend([
        check("f3", "w2", json!({ "draft": null, "claim": "Hire them.", "verdict": "unverifiable", "sources": [] })),
        check("f2", "w2", json!({ "claim": "Four hands have papers.", "verdict": "true" })),
    ]);
    let events = log(&given);
    let mut found = 0;
    for n in 1..=events.len() {
        let checks = DebateReadModel::of(&events[..n]).fact_checks;
        for turn in (1..6).map(TurnId) {
            let scanned: Vec<&FactCheck> =
                checks.checks.values().filter(|check| checks.turn_of(check) == Some(turn)).collect();
            assert_eq!(checks.of_turn(turn).collect::<Vec<_>>(), scanned, "{turn} after {n}");
            found = found.max(scanned.len());
        }
        for draft in (1..4).map(DraftId) {
            let scanned: Vec<&FactCheck> =
                checks.checks.values().filter(|check| check.checked.draft == Some(draft)).collect();
            assert_eq!(checks.of_draft(draft).collect::<Vec<_>>(), scanned, "{draft} after {n}");
        }
    }
    assert_eq!(found, 2, "a check of the turn, and one of its draft");
}

/// Sides, drafts and checks decide nothing.
#[test]
fn no_verdict_depends_on_sides_and_drafts() {
    let events = log(&whole());
    let decides_nothing = |event: &Event| {
        matches!(
            event,
            Event::SidesAssigned(_)
                | Event::TurnDrafted(_)
                | Event::TurnRejected(_)
                | Event::ClaimsExtracted(_)
                | Event::ClaimChecked(_)
        )
    };
    let bare: Vec<Recorded> = events.iter().filter(|recorded| !decides_nothing(&recorded.event)).cloned().collect();
    assert_eq!(bare.len() + 7, events.len());
    assert_eq!(DebateReadModel::of(&bare).verdict(), DebateReadModel::of(&events).verdict());
}

#[test]
fn every_surface_tells_sides_rejected_drafts_and_unchecked_claims() {
    let model = DebateReadModel::of(&log(&whole()));
    let events = log(&whole());
    let json = views(&model).to_string();
    for (name, page) in [("html", html(&model, &events, None)), ("markdown", markdown(&model, &events)), ("json", json)]
    {
        for wanted in ["Nine hands have papers. Hire them.", "It counts four.", "Ben counts four."] {
            assert!(page.contains(wanted), "{wanted} in {name}");
        }
    }
    let page = markdown(&model, &events);
    for wanted in [
        "For the motion",
        "drafts rejected: 1",
        "(ADA, for the motion): \"Four hands have papers.\" was not checked: the check has no result yet",
        "No side wins",
    ] {
        assert!(page.contains(wanted), "{wanted}: {page}");
    }
}

#[test]
fn a_turn_taken_with_a_false_claim_is_told_with_its_speaker_and_their_side() {
    let mut given = checked();
    given.extend([
        rejected("w1", json!({})),
        corrected(),
        corrected_claim("f2"),
        check("f2", "w2", json!({ "claim": "Four hands have papers.", "same_as": "f1" })),
        taken(json!({ "violations": ["f2"] })),
    ]);
    let events = log(&given);
    let model = DebateReadModel::of(&events);
    let (page, text) = (html(&model, &events, None), markdown(&model, &events));
    for wanted in [
        "### Turns with a claim that was found false\n\n- [ADA, for the motion: t3 was taken although a claim in it",
        " was found false (f2)](#t3)\n",
        "claims checked: 1, of which 1 repeats a claim checked before: 0 true, 1 false, 0 unverifiable; 0 without",
        "true: 0.00 of those decided",
    ] {
        assert!(text.contains(wanted), "{wanted}:\n{text}");
    }
    assert!(page.contains("<h3>Turns with a claim that was found false</h3>"), "{page}");
    let whole = report(&model, &[], TerminalStyle { width: 100, colour: false, unicode: true });
    let words = whole.split_whitespace().collect::<Vec<_>>().join(" ");
    for wanted in [
        "The motion ─",
        "For the motion: ADA",
        "ADA, for the motion: t3 was taken although a claim in it was found false (f2)",
        "Drafts that were not taken Nobody but their speakers has heard them.",
        "w1: ADA, round 1, attempt 1, rejected Nine hands have papers. Hire them.",
        "Checks ─",
        "t3 f2 false, according to a clerk, as in f1: Four hands have papers. because: It counts four. source: Register",
    ] {
        assert!(words.contains(wanted), "{wanted}:\n{whole}");
    }
}

#[test]
fn invalid_events_of_sides_and_drafts_are_refused_with_a_reason() {
    let (base, sided, there, done) = (before(), with_sides(), checked(), whole());
    let drafted = [&sided[..], &[draft("w1", 1, json!({}))]].concat();
    let sent_back = [&there[..], &[rejected("w1", json!({}))]].concat();
    let second = [&sent_back[..], &[corrected()]].concat();
    for (there, given, wanted) in [
        (&base, sides(json!({})), ""),
        (&base, sides(json!({ "con": [] })), "`con` is empty; each side needs a participant"),
        (&base, sides(json!({ "con": ["ben", "ada"] })), "ada is named twice among the sides"),
        (&base, sides(json!({ "con": ["dora"] })), "dora is not a participant"),
        (&sided, draft("w2", 1, json!({})), "the next draft is w1, not w2"),
        (&sided, draft("w1", 2, json!({})), "the attempt is 2, not 1"),
        (&drafted, draft("w2", 2, json!({})), "w1 is neither taken nor rejected yet"),
        (&drafted, claims("w1", "f2", json!({})), "the next check is f1, not f2"),
        (&drafted, claims("w9", "f1", json!({})), "there is no draft w9"),
        (&drafted, claims("w1", "f1", json!({ "speaker": "ben" })), "w1 is a draft of ada"),
        (
            &drafted,
            claims("w1", "f1", json!({ "claims": [{ "check": "f1", "quote": "Ten hands.", "claim": "Ten." }] })),
            "the quote of f1 does not occur in the words",
        ),
        (&drafted, rejected("w1", json!({})), "there is no check f1"),
        (&there, rejected("w1", json!({ "checks": [] })), "`checks` is empty"),
        (&there, rejected("w1", json!({})), ""),
        (&sent_back, rejected("w1", json!({})), "w1 is taken or rejected already"),
        (&sent_back, draft("w2", 1, json!({})), "the attempt is 1, not 2"),
        (&second, taken(json!({})), ""),
        (&second, taken(json!({ "draft": "w9" })), "there is no draft w9"),
        (
            &second,
            taken(json!({ "violations": ["f1"] })),
            "`violations` must be the checks that found a claim of w2 false: none",
        ),
        (&second, taken(json!({ "critique": " " })), "the critique is empty"),
        (&second, taken(json!({ "critique": "" })), "the critique is empty"),
        (&second, taken(json!({ "reflection": "", "critique": "" })), ""),
        (
            &sent_back,
            taken(json!({ "draft": "w1" })),
            "the turn is not the draft w1: text, moves and round must be the same",
        ),
        (&second, claims("w2", "f2", json!({ "turn": "t4" })), "w2 was written for t3, not for t4"),
        (&second, taken(json!({ "draft": null, "violations": ["f1"] })), "`violations` needs a `draft`"),
        (&second, check("f2", "w2", json!({ "same_as": "f9" })), "there is no check f9"),
        (&second, check("f2", "w2", json!({ "same_as": "f1" })), ""),
        (&second, check("f2", "w2", json!({ "turn": "t4" })), "w2 was written for t3, not for t4"),
        (&done, check("f2", "w2", json!({ "claim": "Ten hands have papers." })), "f2 checks another claim"),
        (&done, check("f2", "w2", json!({ "claim": "Four hands have papers." })), ""),
    ] {
        match recorded(&[&there[..], std::slice::from_ref(&given)].concat()) {
            Ok(_) => assert_eq!(wanted, "", "{given:?} was accepted"),
            Err(refused) => assert!(!wanted.is_empty() && refused.contains(wanted), "{given:?}: {refused}"),
        }
    }
}
