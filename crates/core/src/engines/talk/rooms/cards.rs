//! Cards of closed rooms, as prompts show them.

use std::fmt::Write;

use crate::engines::shared::bounded_lines::newest;
use crate::engines::talk::state::Talk;
use crate::events::ids::RoomId;
use crate::kernel::safety::foreign_text::flat;
use crate::projections::crux_rooms::{CruxRooms, Room};

/// Maximum number of bytes of the cards in a prompt.
pub const MAX_CARD_BYTES: usize = 4_000;

/// Formats the cards of closed rooms as lines, the newest of them.
pub fn cards(talk: &Talk, rooms: &CruxRooms) -> String {
    let cards = rooms.rooms.iter().filter_map(|(id, room)| card_line(talk, *id, room));
    newest(cards.collect(), MAX_CARD_BYTES, "card", "nothing yet")
}

fn card_line(talk: &Talk, id: RoomId, room: &Room) -> Option<String> {
    let card = room.closed.as_ref()?.closed.card.as_ref()?;
    let dispute = room.opened.dispute?;
    let stances = &talk.disputes.disputes.get(&dispute)?.stances;
    let mut line = format!("{id} on {dispute}: {}\n", flat(&room.opened.question));
    for participant in room.members() {
        let Some(stance) = stances.get(participant) else { continue };
        let words = stance.quote.as_deref().map(flat).unwrap_or_default();
        let _ = writeln!(line, "    {}: {}. {words}", talk.names.of(participant), stance.side.name());
    }
    let _ = writeln!(line, "    {}", flat(&card.diagnosis));
    Some(line)
}
