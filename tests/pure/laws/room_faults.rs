//! Faults of rooms: openings without the words of both sides, turns of outsiders or after the end, cards without quoted
//! positions.

use faultline_core::events::channel::StatedWords;
use faultline_core::events::event::Event;
use faultline_core::events::ids::{PersonaId, TurnId};
use faultline_core::projections::crux_rooms::Room;
use faultline_core::verdicts::read_model::DebateReadModel;

use crate::rehearsal::Log;

/// Returns the faults of the rooms that a detector led to.
pub fn room_faults(log: &Log, read_model: &DebateReadModel) -> Vec<String> {
    let said = |words: &StatedWords| {
        let turn = read_model.transcript.turn(words.turn);
        turn.is_some_and(|turn| turn.speaker.as_ref() == Some(&words.speaker) && turn.text.contains(&words.quote))
    };
    let mut faults = Vec::new();
    for (id, room) in &read_model.rooms.rooms {
        let seen = room.opened.candidate.and_then(|id| read_model.candidates.candidates.get(&id)?.latest());
        match seen {
            Some(seen) if said(&seen.yes) && said(&seen.no) && seen.yes.speaker != seen.no.speaker => {}
            _ => faults.push(format!("{id} opened without words of both sides")),
        }
        for persona in &room.opened.participants {
            if quoted_sides(log, room, persona).next().is_none() {
                faults.push(format!("{id} opened without a quoted side of {persona}"));
            }
        }
        let closed = room.closed.as_ref().map_or(i64::MAX, |closing| closing.version);
        for turn in room.turns.iter().filter_map(|turn| read_model.transcript.turn(*turn)) {
            let is_inside = turn.speaker.as_ref().is_none_or(|speaker| room.admits(speaker));
            if !is_inside || turn.version > closed {
                faults.push(format!("{} is no turn of the open room {id}", turn.turn));
            }
        }
        let words = room.exit_checks.iter().filter(|check| check.surfaced).flat_map(|check| &check.words);
        faults.extend(words.filter(|words| !said(words)).map(|words| format!("{id}: nobody said {:?}", words.quote)));
    }
    faults
}

/// Turns in which a participant of a room took a side on its dispute in words of that turn.
fn quoted_sides<'a>(log: &'a Log, room: &'a Room, persona: &'a PersonaId) -> impl Iterator<Item = TurnId> + 'a {
    log.0.iter().filter_map(move |recorded| match &recorded.event {
        Event::StanceTaken(taken) if taken.speaker == *persona && Some(taken.dispute) == room.opened.dispute => {
            taken.quote.as_ref().map(|_| taken.turn)
        }
        _ => None,
    })
}
