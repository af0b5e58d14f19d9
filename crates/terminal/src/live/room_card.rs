//! Card of a room or thread that was closed: its question and outcome, the stances of its participants, what its author
//! states, and what would settle the question.

use crate::labels;
use crate::live::speech::quoted;
use crate::speakers::Speakers;
use crate::text::page::TextPage;
use crate::text::span::{SpanLine, shortened, trusted};
use crate::text::style::{TerminalStyle, Tone};
use faultline_core::events::crux::{Falsifier, RoomClosed};
use faultline_core::events::dispute::Side;
use faultline_core::events::event::Event;
use faultline_core::events::ids::{PersonaId, TurnId};
use faultline_core::projections::crux_rooms::Room;
use faultline_core::verdicts::crux_card::crux_text::criterion_turn;
use faultline_core::verdicts::disagreement::room_summary::{SummarizedQuestion, room_summary};
use faultline_core::verdicts::read_model::DebateReadModel;

/// Width of the column of labels such as `Diagnosis`.
const LABEL: usize = 12;
/// Maximum number of characters of a text on a card.
const MAX_TEXT: usize = 4_000;

/// Renders the card of the room that an event closes, in a frame; nothing for other events, and for a room without a card.
pub fn closed_by(look: TerminalStyle, speakers: &Speakers, read_model: &DebateReadModel, event: &Event) -> String {
    let Event::RoomClosed(RoomClosed { room, card: Some(_), .. }) = event else { return String::new() };
    let name = read_model.rooms.named(*room);
    let Some(room) = read_model.rooms.rooms.get(room) else { return String::new() };
    let mut page = TextPage::inside(look);
    card(&mut page, speakers, read_model, room);
    let dispute = room.opened.dispute.and_then(|id| read_model.disputes.disputes.get(&id));
    // Criteria that were stated elsewhere are no result of the room.
    let is_here = |criterion: &&String| criterion_turn(criterion).is_some_and(|turn| room.turns.contains(&turn));
    for criterion in dispute.iter().flat_map(|dispute| &dispute.criteria).filter(is_here) {
        fact(&mut page, "Criterion", criterion);
    }
    format!("\n{}", page.framed(&format!("Card of {name}")))
}

/// Renders a room: its question and outcome, those who joined it, all stances, the sides on its aspects, and the content of its
/// card if there is one.
pub fn card(page: &mut TextPage, speakers: &Speakers, read_model: &DebateReadModel, room: &Room) {
    let opened = &room.opened;
    page.text(&shortened(Tone::Strong, &opened.question, MAX_TEXT));
    let closed = room.closed.as_ref().map(|closing| &closing.closed);
    if let Some(closed) = closed {
        fact(page, "Outcome", &format!("{}: {}", closed.outcome.name(), closed.reason));
    }
    let joined: Vec<String> = room.joined().map(|participant| speakers.get(participant).name).collect();
    fact(page, "Joined", &labels::listed(&joined));
    for participant in room.members() {
        stance(page, speakers, participant, room);
    }
    let summary = room_summary(room, &read_model.disputes, &read_model.flip_conditions);
    for asked in summary.iter().flat_map(|summary| &summary.questions) {
        aspect(page, speakers, asked);
    }
    let Some(card) = closed.and_then(|closed| closed.card.as_ref()) else { return };
    fact(page, "Kind", &card.kind.map(|kind| labels::capital(kind.name())).unwrap_or_default());
    fact(page, "Diagnosis", &card.diagnosis);
    fact(page, "Resolution", card.resolution.as_deref().unwrap_or_default());
    for falsifier in &card.falsifiers {
        mind_change(page, speakers, falsifier);
    }
}

/// Renders an aspect of the question with the sides of the members; nothing for the question itself.
fn aspect(page: &mut TextPage, speakers: &Speakers, asked: &SummarizedQuestion) {
    if asked.label.is_none() {
        return;
    }
    fact(page, "Aspect", &asked.title());
    for (persona, stance) in &asked.positions {
        page.hang(&[], &[], LABEL, &position(speakers, persona, (stance.side, stance.turn, stance.words())));
    }
}

fn fact(page: &mut TextPage, label: &'static str, text: &str) {
    if !text.trim().is_empty() {
        page.hang(&[], &[trusted(Tone::Quiet, label)], LABEL, &shortened(Tone::Plain, text, MAX_TEXT));
    }
}

/// Renders the stance of a participant with the words of the turn that states it.
fn stance(page: &mut TextPage, speakers: &Speakers, participant: &PersonaId, room: &Room) {
    let line = match room.stances.get(participant) {
        Some(taken) => position(speakers, participant, (taken.side, taken.turn, taken.quote.as_deref())),
        None => {
            let mut line = speakers.get(participant).badge();
            line.push(trusted(Tone::Quiet, format!(" took no side in the {}", room.opened.kind.noun())));
            line
        }
    };
    page.hang(&[], &[trusted(Tone::Quiet, "Stance")], LABEL, &line);
}

/// Returns the side of a participant, the turn in which they took it, and their words.
fn position(
    speakers: &Speakers,
    participant: &PersonaId,
    (side, turn, words): (Side, TurnId, Option<&str>),
) -> SpanLine {
    let mut line = speakers.get(participant).badge();
    line.push(trusted(Tone::Plain, " "));
    line.push(labels::side(side));
    line.push(trusted(Tone::Quiet, format!(" in {turn}")));
    if let Some(words) = words {
        line.push(trusted(Tone::Quiet, ": "));
        line.extend(quoted(Tone::Quiet, words));
    }
    line
}

fn mind_change(page: &mut TextPage, speakers: &Speakers, falsifier: &Falsifier) {
    let mut line = vec![trusted(Tone::Quiet, "What would change ")];
    line.extend(speakers.get(&falsifier.speaker).badge());
    line.push(trusted(Tone::Quiet, "'s mind: "));
    line.extend(shortened(Tone::Plain, &falsifier.text, MAX_TEXT));
    page.hang(&[], &[trusted(Tone::Quiet, "Condition")], LABEL, &line);
}
