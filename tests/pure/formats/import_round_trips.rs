//! Exports that are imported again.

use faultline_core::events::dispute::Side;
use faultline_core::events::event::Recorded;
use faultline_core::export::jsonl::{ExportedEvent, jsonl};
use faultline_core::imports::import::{Imported, read, read_edited};
use faultline_core::imports::shape::Shape;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_core::verdicts::regime::RegimeKind;
use serde_json::{Value, json};

use crate::formats::import_files::{imported, refusal, stream};
use crate::rehearsals::rehearsed;

// Exports of this service.

/// Returns events as earlier versions exported them: without hashes.
fn exported(events: &[Recorded]) -> String {
    let line = |recorded| serde_json::to_string(&ExportedEvent::of(recorded)).expect("JSON") + "\n";
    events.iter().map(line).collect()
}

#[test]
fn an_export_is_imported_unchanged() {
    for name in
        ["blitz-2p.events.jsonl", "v2-2p-20-moves.events.jsonl", "v1-o2.result.json", "dialogue-3p.events.jsonl"]
    {
        let first = imported(name);
        for text in [jsonl(&first.events), exported(&first.events)] {
            let second = read(text.as_bytes()).expect("an export");
            assert_eq!((second.report.shape, second.timed), (Shape::Own, true));
            assert_eq!((second.debate, &second.events), (first.debate, &first.events), "{name}");
            assert_eq!(jsonl(&second.events), jsonl(&first.events), "{name}");
        }
    }
}

#[test]
fn a_changed_missing_or_moved_line_of_an_export_is_refused() {
    let text = jsonl(&imported("v2-2p-6.events.jsonl").events);
    let lines: Vec<&str> = text.lines().collect();
    let but = |n: usize, line: Option<&str>| -> String {
        let kept = lines.iter().enumerate().filter_map(|(at, kept)| if at == n { line } else { Some(*kept) });
        kept.collect::<Vec<_>>().join("\n")
    };
    let unhashed = lines[4].rsplit_once(",\"hash\"").expect("a hash").0.to_owned() + "}";
    for (changed, expected) in [
        (but(2, Some(&lines[2].replacen(" ", "  ", 1))), "line 3: its hash does not match: this line was changed"),
        (but(3, None), "line 4: its hash does not match"),
        (but(4, Some(&unhashed)), "line 5: it has no hash, unlike other lines"),
    ] {
        let error = read(changed.as_bytes()).expect_err(expected).to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    let spaced = text.replace("{\"debateId\":", "{ \"debateId\" : ");
    assert!(read(spaced.as_bytes()).is_ok(), "white space between fields does not matter");
}

/// The output of `history --json` is an export as well.
#[test]
fn history_json_is_imported_unchanged() {
    let first = imported("v2-2p-6.events.jsonl");
    let text = exported(&first.events);
    let actual = text.lines().map(|line| {
        let mut record: Value = serde_json::from_str(line).expect("JSON");
        record.as_object_mut().expect("an object").remove("schema");
        record["position"] = json!("3.17");
        record
    });
    assert_eq!(read(&stream(&actual.collect::<Vec<_>>())).expect("an export").events, first.events);
}

/// Returns the export of a rehearsed debate in which every stance has this quotation.
fn with_quotes(quote: &Value) -> String {
    let log = &rehearsed("disputes_settles").0;
    let text = exported(log);
    let lines = text.lines().map(|line| {
        let mut record: Value = serde_json::from_str(line).expect("JSON");
        if record["kind"] == "stance_taken" {
            record["body"]["quote"] = quote.clone();
        }
        record.to_string()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Oracle O12 of VERDICTS.md.
#[test]
fn o12_stances_without_words_are_reported_and_not_counted() {
    let imported = read(with_quotes(&Value::Null).as_bytes()).expect("an export");
    let read_model = DebateReadModel::of(&imported.events);
    let verdict = read_model.verdict();
    assert_eq!((verdict.regime.kind, verdict.common_ground.len()), (RegimeKind::Undetermined, 0));
    assert!(verdict.topic.is_some_and(|topic| topic.positions.iter().all(|position| position.side == Side::Undecided)));
    let disputes = read_model.disputes.disputes.values();
    let counts = disputes.map(|dispute| (dispute.stances.len(), dispute.reported.len()));
    assert_eq!(counts.collect::<Vec<_>>(), [(0, 3), (0, 3)]);
}

#[test]
fn an_export_with_forged_quotations_is_refused() {
    let refused = read(with_quotes(&json!("as nobody said")).as_bytes()).expect_err("forged quotations");
    assert!(refused.to_string().contains("quotes words that its turn does not contain"), "{refused}");
}

#[test]
fn an_edited_export_is_another_debate_whose_stances_are_reported() {
    let text = jsonl(&rehearsed("disputes_settles").0);
    let original = read(text.as_bytes()).expect("an export");
    let kind = |imported: &Imported| DebateReadModel::of(&imported.events).verdict().regime.kind;
    let edited = text.replacen("\"seed\":", "\"seed\": 1", 1);
    assert!(read(edited.as_bytes()).is_err());
    let taken = read_edited(edited.as_bytes()).expect("an edited export");
    assert_ne!(taken.debate, original.debate);
    assert_ne!(kind(&original), RegimeKind::Undetermined);
    assert_eq!(kind(&taken), RegimeKind::Undetermined);
    let read_model = DebateReadModel::of(&taken.events);
    let disputes = read_model.disputes.disputes.values();
    assert!(disputes.clone().all(|dispute| dispute.stances.is_empty()) && disputes.clone().count() > 0);
    let versions: Vec<i64> = taken.events.iter().map(|recorded| recorded.version).collect();
    assert_eq!(versions, (1..=versions.len() as i64).collect::<Vec<_>>());
    assert!(
        taken.events.iter().all(|recorded| recorded.debate == taken.debate && recorded.event.kind() != "words_audited")
    );
    assert_eq!(read_edited(edited.as_bytes()).expect("the same"), taken, "the same file gives the same debate");
}

#[test]
fn an_export_that_was_changed_is_refused() {
    let text = exported(&imported("v2-2p-6.events.jsonl").events);
    let lines: Vec<&str> = text.lines().collect();
    let without = |n: usize| {
        lines.iter().enumerate().filter(|(index, _)| *index != n).map(|(_, line)| *line).collect::<Vec<_>>().join("\n")
    };
    let changed = |n: usize, change: &dyn Fn(&mut Value)| {
        let mut record: Value = serde_json::from_str(lines[n]).expect("JSON");
        change(&mut record);
        lines
            .iter()
            .enumerate()
            .map(|(index, line)| if index == n { record.to_string() } else { (*line).to_owned() })
            .collect::<Vec<_>>()
            .join("\n")
    };
    for (text, wanted) in [
        (without(0), "line 1: it has the version 2, but 1 is expected"),
        (without(3), "line 4: it has the version 5, but 4 is expected"),
        (without(lines.len() - 1), "the debate is still running: pause it"),
        (
            changed(4, &|record| record["id"] = serde_json::from_str::<Value>(lines[3]).expect("JSON")["id"].clone()),
            "belongs to another event",
        ),
        (
            changed(4, &|record| record["debateId"] = json!("0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b")),
            "it belongs to another debate",
        ),
        (
            changed(4, &|record| record["at"] = json!("2001-01-01T00:00:00Z")),
            "recorded before the event that it follows",
        ),
        (changed(4, &|record| record["body"] = json!({"x": 1})), "line 5: the stored body of a"),
        (changed(4, &|record| record["extra"] = json!(1)), "line 5: it is not an exported event"),
        (changed(0, &|record| record["body"]["limits"]["calls"] = json!(1_000_000)), "the limit calls is 1000000"),
        (changed(0, &|record| record["body"]["topic"] = json!("a\u{0}b")), "contains control characters"),
        (text.replace("\"t8\"", "\"t4000000000\""), "has the number 4000000000"),
    ] {
        let said = refusal(text.as_bytes());
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    let opaque = changed(4, &|record| {
        record["kind"] = json!("moon_landed");
        record["schema"] = json!(3);
    });
    let kept = read(opaque.as_bytes()).expect("an unknown kind is kept");
    assert_eq!(kept.events[4].event.kind(), "moon_landed");
}
