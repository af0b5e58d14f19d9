//! Card of a room or thread that was closed: its question and outcome, the stances of its participants, what its author
//! states, and what would settle the question.

use crate::labels;
use crate::live::speech::quoted;
use crate::speakers::Speakers;
use crate::text::page::TextPage;
use crate::text::span::{shortened, trusted};
use crate::text::style::{TerminalStyle, Tone};
use faultline_core::events::crux::{Falsifier, RoomClosed};
use faultline_core::events::event::Event;
use faultline_core::events::ids::PersonaId;
use faultline_core::projections::crux_rooms::Room;
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
    card(&mut page, speakers, room);
    let dispute = room.opened.dispute.and_then(|id| read_model.disputes.disputes.get(&id));
    for criterion in dispute.map(|dispute| dispute.criteria.as_slice()).unwrap_or_default() {
        fact(&mut page, "Criterion", criterion);
    }
    format!("\n{}", page.framed(&format!("Card of {name}")))
}

/// Renders a room: its question and outcome, those who joined it, all stances, and the content of its card if there is one.
pub fn card(page: &mut TextPage, speakers: &Speakers, room: &Room) {
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
    let Some(card) = closed.and_then(|closed| closed.card.as_ref()) else { return };
    fact(page, "Kind", &card.kind.map(|kind| labels::capital(kind.name())).unwrap_or_default());
    fact(page, "Diagnosis", &card.diagnosis);
    fact(page, "Resolution", card.resolution.as_deref().unwrap_or_default());
    for falsifier in &card.falsifiers {
        mind_change(page, speakers, falsifier);
    }
}

fn fact(page: &mut TextPage, label: &'static str, text: &str) {
    if !text.trim().is_empty() {
        page.hang(&[], &[trusted(Tone::Quiet, label)], LABEL, &shortened(Tone::Plain, text, MAX_TEXT));
    }
}

/// Renders the stance of a participant with the words of the turn that states it.
fn stance(page: &mut TextPage, speakers: &Speakers, participant: &PersonaId, room: &Room) {
    let mut line = speakers.get(participant).badge();
    match room.stances.get(participant) {
        Some(taken) => {
            line.push(trusted(Tone::Plain, " "));
            line.push(labels::side(taken.side));
            line.push(trusted(Tone::Quiet, format!(" in {}", taken.turn)));
            if let Some(quote) = &taken.quote {
                line.push(trusted(Tone::Quiet, ": "));
                line.extend(quoted(Tone::Quiet, quote));
            }
        }
        None => line.push(trusted(Tone::Quiet, format!(" took no side in the {}", room.opened.kind.noun()))),
    }
    page.hang(&[], &[trusted(Tone::Quiet, "Stance")], LABEL, &line);
}

fn mind_change(page: &mut TextPage, speakers: &Speakers, falsifier: &Falsifier) {
    let mut line = vec![trusted(Tone::Quiet, "What would change ")];
    line.extend(speakers.get(&falsifier.speaker).badge());
    line.push(trusted(Tone::Quiet, "'s mind: "));
    line.extend(shortened(Tone::Plain, &falsifier.text, MAX_TEXT));
    page.hang(&[], &[trusted(Tone::Quiet, "Condition")], LABEL, &line);
}
