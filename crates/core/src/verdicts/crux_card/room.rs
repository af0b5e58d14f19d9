//! Room in which a crux was discussed.

use crate::events::crux::Card;
use crate::events::ids::RoomId;
use crate::verdicts::crux::{CruxInputs, CruxOrigin};

/// Finds the last closed room that discussed the dispute of a crux and has a card.
pub fn room_of<'a>(views: CruxInputs<'a>, origin: CruxOrigin) -> Option<(RoomId, &'a Card)> {
    let CruxOrigin::Dispute { dispute } = origin else { return None };
    let rooms = views.rooms.rooms.iter().rev().filter(|(_, room)| room.opened.dispute == Some(dispute));
    let mut cards = rooms.filter_map(|(id, room)| Some((*id, room.closed.as_ref()?.closed.card.as_ref()?)));
    cards.next()
}
