//! Panels: the aspects of a room's question, played by the rehearsal and without a model, and the summary of a room.

use std::path::Path;

use faultline_core::events::channel::RoomStage;
use faultline_core::events::ids::RoomId;
use faultline_core::export::json::views;
use faultline_core::export::report::html::html;
use faultline_core::export::report::markdown::markdown;
use faultline_core::verdicts::disagreement::room_summary::{RoomSummary, SummarizedQuestion, room_summary};
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_terminal::text::style::TerminalStyle;
use faultline_terminal::verdict::report::report;
use serde_json::json;

use crate::rehearsal::Log;
use crate::rehearsals::rehearsed;
use crate::support::offline::{OfflineDebate, Shipped};

fn panel() -> &'static Log {
    rehearsed("crux_rooms_panel")
}

fn summary(model: &DebateReadModel) -> RoomSummary {
    room_summary(&model.rooms.rooms[&RoomId(1)], &model.disputes, &model.flip_conditions)
        .expect("a room with a dispute")
}

/// Tells a question in a line: its label, the sides of its members, the side on which all stand.
fn line(asked: &SummarizedQuestion) -> String {
    let sides =
        asked.positions.iter().map(|(persona, stance)| format!("{persona} {} in {}", stance.side.name(), stance.turn));
    let sides: Vec<String> = sides.collect();
    let agreed = asked.agreed.map(|side| format!("; all {}", side.name())).unwrap_or_default();
    format!("{} {}: {}{agreed}", asked.dispute, asked.label.as_deref().unwrap_or("the question"), sides.join(", "))
}

#[test]
fn a_summary_tells_sides_reasons_and_conditions() {
    let summary = summary(&DebateReadModel::of(&panel().0));
    let told: Vec<String> = summary.questions.iter().map(line).collect();
    assert_eq!(
        told,
        [
            "d2 the question: ada yes in t7, ben no in t8",
            "d3 tickets among the six: ada yes in t9, ben no in t10",
            "d4 training in winter: ada no in t14, ben no in t15; all no",
        ]
    );
    let reasons = summary.questions.iter().flat_map(|asked| &asked.reasons);
    let reasons: Vec<String> = reasons
        .map(|it| format!("{} {} for {} {:?}", it.reason, it.speaker, it.side.name(), it.challenged_by))
        .collect();
    assert_eq!(reasons, ["r1 ben for no [ReasonId(2)]", "r2 ada for yes []"]);
    let conditions = summary.conditions.iter();
    let conditions: Vec<String> =
        conditions.map(|it| format!("{} in {} on {}", it.speaker, it.turn, it.dispute.expect("a dispute"))).collect();
    assert_eq!(conditions, ["ada in t9 on d3", "ada in t20 on d2", "ben in t21 on d2"]);
}

/// What is recorded after a room was closed does not change what it brought.
#[test]
fn a_summary_is_that_of_the_closing() {
    let log = &panel().0;
    let closed = log.iter().position(|recorded| recorded.event.kind() == "room_closed").expect("the closing");
    assert_eq!(summary(&DebateReadModel::of(&log[..=closed])), summary(&DebateReadModel::of(log)));
}

#[test]
fn every_surface_tells_the_aspects() {
    let log = &panel().0;
    let model = DebateReadModel::of(log);
    let markdown = markdown(&model, log);
    for told in [
        "aspect tickets among the six (d3)",
        "they stand on opposite sides",
        "all answer no",
        "r1 for no, challenged by r2",
        "r2 against r1",
    ] {
        assert!(markdown.contains(told), "{told}:\n{markdown}");
    }
    let page = html(&model, log, None);
    assert!(page.contains("training in winter (d4): Can a crew be trained in winter?"), "{page}");
    let terminal = report(&model, &[], TerminalStyle { width: 100, colour: false, unicode: true });
    assert!(terminal.contains("training in winter (d4)"), "{terminal}");
    assert_eq!(views(&model)["roomSummaries"]["m1"]["questions"][2]["agreed"], json!("no"));
}

/// Without a model, aspects are annotated questions that replies connect with that of the room, and on which both have a side.
/// Where there is none, none is made up: the clash follows the entry statements.
#[test]
fn an_offline_panel_makes_up_no_aspects() {
    let debate = OfflineDebate {
        topic: "Should software be merged without human review when a machine wrote it?",
        engine: "crux_rooms",
        personas: vec!["dorrit-halvane", "isbel-corvath", "oswin-crake"],
        options: json!({ "room_style": "panel" }),
        seed: 1,
        ..OfflineDebate::default()
    };
    let log = Shipped::read(Path::new(env!("CARGO_MANIFEST_DIR"))).play(&debate);
    let model = DebateReadModel::of(&log);
    let mut n_cards = 0;
    for room in model.rooms.rooms.values() {
        let Some(aspects) = &room.aspects else { continue };
        let entered: Vec<RoomStage> = room.stages.iter().map(|held| held.stage).collect();
        assert!(entered.ends_with(&[RoomStage::Clash, RoomStage::Closing]), "{entered:?}");
        assert_eq!(entered.iter().filter(|stage| **stage == RoomStage::Takes).count(), aspects.len());
        let summary = room_summary(room, &model.disputes, &model.flip_conditions).expect("a dispute");
        for asked in summary.questions.iter().filter(|asked| asked.label.is_some()) {
            assert_eq!(asked.positions.len(), 2, "{asked:?}");
        }
        n_cards += usize::from(room.closed.as_ref().is_some_and(|closed| closed.closed.card.is_some()));
    }
    assert!(n_cards > 0, "no panel came back with a card");
}
