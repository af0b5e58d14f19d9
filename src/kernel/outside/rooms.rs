//! Rooms beside the main channel, as somebody outside tells them.

use crate::events::crux::{Card, RoomClosed, RoomOpened, RoomOutcome};
use crate::events::dispute::Side;
use crate::events::event::Event;
use crate::events::ids::{PersonaId, RoomId};
use crate::kernel::engine::Refusal;
use crate::kernel::outside::claims::few;
use crate::kernel::outside::names::{conflict, dispute, filled, missing, next, present, turn};
use crate::projections::crux_rooms::Room;
use crate::verdicts::board::Board;

/// The most rooms of a debate that is run from outside.
pub const ROOMS: usize = 1_000;

/// Whether a room fits what was said before; other events do.
///
/// # Errors
/// A [`Refusal`] where it does not.
pub fn room(board: &Board, event: &Event) -> Result<(), Refusal> {
    match event {
        Event::RoomOpened(it) => opened(board, it),
        Event::RoomClosed(it) => closed(board, it),
        Event::TurnTaken(it) => entered(board, it.room, Some(&it.speaker)),
        Event::Interjected(it) => entered(board, it.room, it.speaker.as_ref()),
        _ => Ok(()),
    }
}

fn opened(board: &Board, it: &RoomOpened) -> Result<(), Refusal> {
    few("rooms", board.rooms.rooms.len(), ROOMS)?;
    next("room", &it.room, &board.rooms.next_room())?;
    filled("question", &it.question)?;
    it.reason.iter().try_for_each(|it| filled("reason", it))?;
    it.dispute.map_or(Ok(()), |it| dispute(board, it).map(|_| ()))?;
    it.participants.iter().try_for_each(|it| present(board, it))?;
    if it.participants.len() < 2 {
        return Err(Refusal::invalid("a room is for two participants or more"));
    }
    twice(it.participants.iter())?;
    it.turns.iter().try_for_each(|it| turn(board, *it))
}

fn closed(board: &Board, it: &RoomClosed) -> Result<(), Refusal> {
    let found = open(board, it.room)?;
    filled("reason", &it.reason)?;
    it.card.as_ref().map_or(Ok(()), |it| card(found, it))?;
    match it.outcome {
        RoomOutcome::Failed if it.card.is_some() => {
            Err(Refusal::invalid("a room that failed has no card: one that could not be drawn is none"))
        }
        RoomOutcome::Resolved => undivided(board, found),
        _ => Ok(()),
    }
}

/// Nobody is told that a room resolved a dispute on which its participants stand against each other.
fn undivided(board: &Board, room: &Room) -> Result<(), Refusal> {
    let Some(id) = room.opened.dispute else { return Ok(()) };
    let stances = board.disputes.disputes.get(&id).map(|it| &it.stances);
    let side = |of: &PersonaId| stances.and_then(|it| it.get(of)).map(|it| it.side);
    let who = |wanted: Side| room.opened.participants.iter().find(|it| side(it) == Some(wanted));
    match (who(Side::Yes), who(Side::No)) {
        (Some(yes), Some(no)) => Err(Refusal::invalid(format!(
            "{yes} says yes to {id} and {no} says no: that is not resolved; close the room as surfaced or exhausted"
        ))),
        _ => Ok(()),
    }
}

fn card(room: &Room, card: &Card) -> Result<(), Refusal> {
    filled("diagnosis", &card.diagnosis)?;
    card.resolution.iter().try_for_each(|it| filled("resolution", it))?;
    card.falsifiers.iter().try_for_each(|it| {
        filled("falsifier", &it.text)?;
        inside(room, &it.speaker)
    })?;
    twice(card.falsifiers.iter().map(|it| &it.speaker))
}

/// Whoever speaks in a room is in it, and it is open. A moderator is in all of them.
fn entered(board: &Board, id: Option<RoomId>, speaker: Option<&PersonaId>) -> Result<(), Refusal> {
    let Some(id) = id else { return Ok(()) };
    let room = open(board, id)?;
    speaker.map_or(Ok(()), |it| inside(room, it))
}

/// A room that was not closed.
fn open(board: &Board, id: RoomId) -> Result<&Room, Refusal> {
    let room = board.rooms.rooms.get(&id).ok_or_else(|| missing("room", id))?;
    if room.closed.is_some() {
        return Err(conflict(format!("the room {id} was closed")));
    }
    Ok(room)
}

fn inside(room: &Room, speaker: &PersonaId) -> Result<(), Refusal> {
    let inside = &room.opened.participants;
    if inside.contains(speaker) {
        return Ok(());
    }
    let names: Vec<&str> = inside.iter().map(PersonaId::as_str).collect();
    Err(Refusal::invalid(format!("{speaker} is not in the room {}; {} are", room.opened.room, names.join(", "))))
}

fn twice<'a>(mut all: impl Iterator<Item = &'a PersonaId> + Clone) -> Result<(), Refusal> {
    while let Some(one) = all.next() {
        if all.clone().any(|it| it == one) {
            return Err(Refusal::invalid(format!("{one} is named twice")));
        }
    }
    Ok(())
}
