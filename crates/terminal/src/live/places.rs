//! Places in which turns are taken: the main channel, and rooms and threads beside it.

use crate::live::speech;
use crate::text::page::{PagePart, TextPage};
use crate::text::style::TerminalStyle;
use faultline_core::events::event::Event;
use faultline_core::events::ids::RoomId;
use faultline_core::verdicts::read_model::DebateReadModel;

/// Creates a page for text of a place; `None` is the main channel. As soon as there are rooms, a wide terminal shows the
/// channel in its left half and rooms in its right half; a narrow one indents rooms.
pub fn page_of(look: TerminalStyle, read_model: &DebateReadModel, place: Option<RoomId>) -> TextPage {
    let part = match place {
        Some(_) => PagePart::Side,
        None if read_model.rooms.rooms.is_empty() => PagePart::Whole,
        None => PagePart::Main,
    };
    TextPage::part(look, part)
}

/// Renders the heading of a room or thread: its id and its question; nothing for the main channel.
pub fn heading(look: TerminalStyle, read_model: &DebateReadModel, place: Option<RoomId>) -> String {
    let Some(room) = place else { return String::new() };
    let mut page = page_of(look, read_model, place);
    let question = read_model.rooms.rooms.get(&room).map(|room| format!(" · {}", room.opened.question));
    page.blank();
    page.rule(&format!("{}{}", read_model.rooms.named(room), question.unwrap_or_default()));
    page.print()
}

/// Returns the room in which something was said, skipped or read; `None` for everything else.
pub fn place_of(read_model: &DebateReadModel, event: &Event) -> Option<RoomId> {
    match event {
        Event::TurnTaken(it) => it.room,
        Event::Interjected(it) => it.room,
        Event::TurnSkipped(it) => it.room,
        Event::RoomAspectsNamed(it) => Some(it.room),
        Event::RoomStageEntered(it) => Some(it.room),
        Event::SteelmanJudged(it) => Some(it.room),
        Event::ExitChecked(it) => Some(it.room),
        other => read_model.transcript.turn(speech::turn_of(other)?).and_then(|turn| turn.room),
    }
}
