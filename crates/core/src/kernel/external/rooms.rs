//! Validates rooms in external events.

use crate::events::crux::{Card, RoomClosed, RoomKind, RoomOpened, RoomOutcome};
use crate::events::dispute::Side;
use crate::events::event::Event;
use crate::events::ids::{CandidateId, PersonaId, RoomId, TurnId};
use crate::kernel::engine::Refusal;
use crate::kernel::external::claims::check_count;
use crate::kernel::external::id_rules::{check_not_blank, conflict, dispute, missing, next, present, turn};
use crate::projections::crux_rooms::Room;
use crate::verdicts::read_model::DebateReadModel;

/// Maximum number of rooms in an external debate.
pub const MAX_ROOMS: usize = 1_000;

/// Checks whether a room event, or a turn in a room, is consistent with the debate; accepts all other events.
///
/// # Errors
/// [`Refusal`] if the event is not.
pub fn check_room(read_model: &DebateReadModel, event: &Event) -> Result<(), Refusal> {
    match event {
        Event::RoomOpened(it) => opened(read_model, it),
        Event::RoomClosed(it) => closed(read_model, it),
        Event::TurnTaken(it) => entered(read_model, it.room, Some(&it.speaker)),
        Event::Interjected(it) => entered(read_model, it.room, it.speaker.as_ref()),
        _ => Ok(()),
    }
}

fn opened(read_model: &DebateReadModel, it: &RoomOpened) -> Result<(), Refusal> {
    check_count("rooms", read_model.rooms.rooms.len(), MAX_ROOMS)?;
    next("room", &it.room, &read_model.rooms.next_room())?;
    check_not_blank("question", &it.question)?;
    it.reason.iter().try_for_each(|reason| check_not_blank("reason", reason))?;
    it.dispute.map_or(Ok(()), |id| dispute(read_model, id).map(|_| ()))?;
    it.participants.iter().try_for_each(|participant| present(read_model, participant))?;
    if it.participants.len() < 2 {
        return Err(Refusal::invalid("a room needs at least two participants"));
    }
    twice(it.participants.iter())?;
    if let Some(parent) = it.parent {
        let parent = read_model.rooms.rooms.get(&parent).ok_or_else(|| missing("room", parent))?;
        if it.kind != RoomKind::Thread || parent.opened.kind != RoomKind::Thread {
            return Err(Refusal::invalid(
                "only a thread is split from a room, and only from a thread; leave out `parent`",
            ));
        }
    }
    it.turns.iter().try_for_each(|id| turn(read_model, *id))?;
    it.candidate.map_or(Ok(()), |id| candidate(read_model, it, id))
}

/// Checks that the candidate exists, has no room yet, and is a disagreement of the room's participants.
fn candidate(read_model: &DebateReadModel, it: &RoomOpened, id: CandidateId) -> Result<(), Refusal> {
    let found = read_model.candidates.candidates.get(&id).ok_or_else(|| missing("candidate", id))?;
    if let Some(room) = found.room {
        return Err(conflict(format!("the room {room} was opened for the candidate {id}")));
    }
    match found.pair().filter(|_| it.kind == RoomKind::Private) {
        Some([one, other])
            if it.participants.len() != 2 || !it.participants.contains(one) || !it.participants.contains(other) =>
        {
            Err(Refusal::invalid(format!(
                "the candidate {id} is a disagreement of {one} and {other}; a room for it has these two participants"
            )))
        }
        _ => Ok(()),
    }
}

fn closed(read_model: &DebateReadModel, it: &RoomClosed) -> Result<(), Refusal> {
    let found = open_room(read_model, it.room)?;
    check_not_blank("reason", &it.reason)?;
    it.card.as_ref().map_or(Ok(()), |outcome| card(found, outcome))?;
    match it.outcome {
        RoomOutcome::Failed if it.card.is_some() => {
            Err(Refusal::invalid("a room with the outcome failed cannot have a card"))
        }
        RoomOutcome::Resolved => undivided(read_model, found),
        _ => Ok(()),
    }
}

/// Refuses the outcome resolved for a dispute on which the room's participants take opposite sides.
fn undivided(read_model: &DebateReadModel, room: &Room) -> Result<(), Refusal> {
    let Some(id) = room.opened.dispute else { return Ok(()) };
    let stances = read_model.disputes.disputes.get(&id).map(|dispute| &dispute.stances);
    let side = |of: &PersonaId| stances.and_then(|stances| stances.get(of)).map(|stance| stance.side);
    let who = |wanted: Side| room.members().find(|participant| side(participant) == Some(wanted));
    match (who(Side::Yes), who(Side::No)) {
        (Some(yes), Some(no)) => Err(Refusal::invalid(format!(
            "{yes} says yes to {id} and {no} says no, which is not resolved; close the room as surfaced or exhausted"
        ))),
        _ => Ok(()),
    }
}

fn card(room: &Room, card: &Card) -> Result<(), Refusal> {
    check_not_blank("diagnosis", &card.diagnosis)?;
    card.resolution.iter().try_for_each(|resolution| check_not_blank("resolution", resolution))?;
    card.falsifiers.iter().try_for_each(|falsifier| {
        check_not_blank("falsifier", &falsifier.text)?;
        check_inside(room, &falsifier.speaker)
    })?;
    twice(card.falsifiers.iter().map(|falsifier| &falsifier.speaker))
}

/// Checks that the room is open and the speaker is one of its participants. A moderator may speak in every room.
fn entered(read_model: &DebateReadModel, id: Option<RoomId>, speaker: Option<&PersonaId>) -> Result<(), Refusal> {
    let Some(id) = id else { return Ok(()) };
    let room = open_room(read_model, id)?;
    speaker.map_or(Ok(()), |speaker| check_inside(room, speaker))
}

/// Returns a room that was not closed.
///
/// # Errors
/// [`Refusal`] if it does not exist or was closed.
pub fn open_room(read_model: &DebateReadModel, id: RoomId) -> Result<&Room, Refusal> {
    let room = read_model.rooms.rooms.get(&id).ok_or_else(|| missing("room", id))?;
    if room.closed.is_some() {
        return Err(conflict(format!("the room {id} was closed")));
    }
    Ok(room)
}

/// Checks that the speaker is one of the room's participants.
///
/// # Errors
/// [`Refusal`] that lists the participants.
pub fn check_inside(room: &Room, speaker: &PersonaId) -> Result<(), Refusal> {
    if room.admits(speaker) {
        return Ok(());
    }
    let inside = &room.opened.participants;
    let names: Vec<&str> = inside.iter().map(PersonaId::as_str).collect();
    Err(Refusal::invalid(format!(
        "{speaker} is not a participant of the room {}; participants: {}",
        room.opened.room,
        names.join(", ")
    )))
}

/// Checks that a turn was taken in the room.
///
/// # Errors
/// [`Refusal`] if it was not.
pub fn check_room_turn(room: &Room, turn: TurnId) -> Result<(), Refusal> {
    if room.turns.contains(&turn) {
        return Ok(());
    }
    Err(Refusal::invalid(format!("the turn {turn} was not taken in the room {}", room.opened.room)))
}

fn twice<'a>(mut all: impl Iterator<Item = &'a PersonaId> + Clone) -> Result<(), Refusal> {
    while let Some(one) = all.next() {
        if all.clone().any(|other| other == one) {
            return Err(Refusal::invalid(format!("{one} is listed twice")));
        }
    }
    Ok(())
}
