//! Names in events from outside: those that are given have to be the next ones, those that are used have to exist.

use std::fmt::Display;

use crate::events::ids::{ArgumentId, DisputeId, PersonaId, ReasonId, TurnId};
use crate::kernel::engine::{Refusal, RefusalKind};
use crate::projections::argument_graph::Argument;
use crate::projections::dispute_graph::{Dispute, Reason};
use crate::verdicts::board::Board;

/// Things of a debate are numbered in the order in which they are recorded.
///
/// # Errors
/// A [`Refusal`] that says which name is free.
pub fn next<T: PartialEq + Display>(what: &str, given: &T, free: &T) -> Result<(), Refusal> {
    if given == free {
        return Ok(());
    }
    Err(Refusal::new(RefusalKind::Conflict, format!("the next {what} is {free}, not {given}")))
}

/// There is no such thing.
pub fn missing(what: &str, name: impl Display) -> Refusal {
    Refusal::new(RefusalKind::NotFound, format!("there is no {what} {name}"))
}

/// Not in this state.
pub fn conflict(reason: impl Into<String>) -> Refusal {
    Refusal::new(RefusalKind::Conflict, reason)
}

/// A text that says something.
///
/// # Errors
/// A [`Refusal`] where it is empty.
pub fn filled(what: &str, text: &str) -> Result<(), Refusal> {
    if text.trim().is_empty() { Err(Refusal::invalid(format!("the {what} is empty"))) } else { Ok(()) }
}

/// A share.
///
/// # Errors
/// A [`Refusal`] where it is none.
pub fn share(what: &str, value: f64) -> Result<(), Refusal> {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    Err(Refusal::invalid(format!("the {what} is {value}; it may be 0 to 1")))
}

/// Whoever speaks takes part.
///
/// # Errors
/// A [`Refusal`] that names those who do.
pub fn present(board: &Board, speaker: &PersonaId) -> Result<(), Refusal> {
    if board.summary.present().any(|it| it.persona == *speaker) {
        return Ok(());
    }
    let names: Vec<&str> = board.summary.present().map(|it| it.persona.as_str()).collect();
    let reason = format!("{speaker} does not take part; {} do", names.join(", "));
    Err(Refusal::new(RefusalKind::NotFound, reason))
}

/// A turn that was taken.
///
/// # Errors
/// A [`Refusal`] where there is none of this name.
pub fn turn(board: &Board, turn: TurnId) -> Result<(), Refusal> {
    board.transcript.get(turn).map(|_| ()).ok_or_else(|| missing("turn", turn))
}

/// Whoever speaks takes part, and the turn is their own.
///
/// # Errors
/// A [`Refusal`] where one of that is not so.
pub fn own_turn(board: &Board, speaker: &PersonaId, of: TurnId) -> Result<(), Refusal> {
    present(board, speaker)?;
    turn(board, of)?;
    match board.transcript.speaker(of) {
        Some(it) if it == speaker => Ok(()),
        Some(it) => Err(Refusal::invalid(format!("{of} is a turn of {it}'s, not of {speaker}'s"))),
        None => Err(Refusal::invalid(format!("{of} is a turn of the moderator's, not of {speaker}'s"))),
    }
}

/// An argument, whatever became of it.
///
/// # Errors
/// A [`Refusal`] where there is none of this name.
pub fn argument(board: &Board, id: ArgumentId) -> Result<&Argument, Refusal> {
    board.arguments.arguments.get(&id).ok_or_else(|| missing("argument", id))
}

/// An argument that was not withdrawn.
///
/// # Errors
/// A [`Refusal`] where there is none of this name, or it was.
pub fn standing(board: &Board, id: ArgumentId) -> Result<&Argument, Refusal> {
    let found = argument(board, id)?;
    if found.withdrawn.is_some() {
        return Err(conflict(format!("the argument {id} was withdrawn")));
    }
    Ok(found)
}

/// A dispute that counts.
///
/// # Errors
/// A [`Refusal`] where there is none of this name, or it was retired.
pub fn dispute(board: &Board, id: DisputeId) -> Result<&Dispute, Refusal> {
    let found = board.disputes.disputes.get(&id).ok_or_else(|| missing("dispute", id))?;
    if found.retired.is_some() {
        return Err(conflict(format!("the dispute {id} was retired")));
    }
    Ok(found)
}

/// A reason, whatever became of it.
///
/// # Errors
/// A [`Refusal`] where there is none of this name.
pub fn reason(board: &Board, id: ReasonId) -> Result<(DisputeId, &Reason), Refusal> {
    board.disputes.reason(id).ok_or_else(|| missing("reason", id))
}
