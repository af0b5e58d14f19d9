//! Validates identifiers in external events: new ones must be the next in sequence, referenced ones must exist.

use std::fmt::Display;

use crate::events::ids::{ArgumentId, DisputeId, PersonaId, ReasonId, TurnId};
use crate::kernel::engine::{Refusal, RefusalKind};
use crate::kernel::quotations::turn_quotes;
use crate::kernel::quotations::turn_quotes::MAX_QUOTE_BYTES;
use crate::projections::argument_graph::Argument;
use crate::projections::disputes::dispute_state::{Dispute, Reason};
use crate::projections::motion::Draft;
use crate::verdicts::read_model::DebateReadModel;

/// Checks that a new identifier is the next in sequence. Things are numbered in the order in which they are recorded.
///
/// # Errors
/// [`Refusal`] of the kind [`RefusalKind::Conflict`] that names the next free identifier.
pub fn next<T: PartialEq + Display>(what: &str, given: &T, free: &T) -> Result<(), Refusal> {
    if given == free {
        return Ok(());
    }
    Err(Refusal::new(RefusalKind::Conflict, format!("the next {what} is {free}, not {given}")))
}

/// Creates a refusal of the kind [`RefusalKind::NotFound`].
pub fn missing(what: &str, name: impl Display) -> Refusal {
    Refusal::new(RefusalKind::NotFound, format!("there is no {what} {name}"))
}

/// Creates a refusal of the kind [`RefusalKind::Conflict`].
pub fn conflict(reason: impl Into<String>) -> Refusal {
    Refusal::new(RefusalKind::Conflict, reason)
}

/// Checks that a text is not blank.
///
/// # Errors
/// [`Refusal`] if it is.
pub fn check_not_blank(what: &str, text: &str) -> Result<(), Refusal> {
    if text.trim().is_empty() { Err(Refusal::invalid(format!("the {what} is empty"))) } else { Ok(()) }
}

/// Checks that a value is between 0 and 1.
///
/// # Errors
/// [`Refusal`] if it is not.
pub fn share(what: &str, value: f64) -> Result<(), Refusal> {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    Err(Refusal::invalid(format!("the {what} is {value}; it must be between 0 and 1")))
}

/// Checks that the speaker is a present participant.
///
/// # Errors
/// [`Refusal`] that lists the participants.
pub fn present(read_model: &DebateReadModel, speaker: &PersonaId) -> Result<(), Refusal> {
    if read_model.summary.present().any(|participant| participant.persona == *speaker) {
        return Ok(());
    }
    let names: Vec<&str> = read_model.summary.present().map(|participant| participant.persona.as_str()).collect();
    let reason = format!("{speaker} is not a participant; participants: {}", names.join(", "));
    Err(Refusal::new(RefusalKind::NotFound, reason))
}

/// Checks that a turn exists.
///
/// # Errors
/// [`Refusal`] if it does not.
pub fn turn(read_model: &DebateReadModel, turn: TurnId) -> Result<(), Refusal> {
    read_model.transcript.get(turn).map(|_| ()).ok_or_else(|| missing("turn", turn))
}

/// Checks that an event about a draft names the turn for which the draft was written.
///
/// # Errors
/// [`Refusal`] if it names another.
pub fn drafted_for(draft: &Draft, turn: TurnId) -> Result<(), Refusal> {
    let drafted = draft.drafted.turn.turn;
    if drafted == turn {
        return Ok(());
    }
    Err(Refusal::invalid(format!("{} was written for {drafted}, not for {turn}", draft.drafted.draft)))
}

/// Checks that the speaker is a participant and that the turn is their own.
///
/// # Errors
/// [`Refusal`] if either is not the case.
pub fn own_turn(read_model: &DebateReadModel, speaker: &PersonaId, of: TurnId) -> Result<(), Refusal> {
    present(read_model, speaker)?;
    turn(read_model, of)?;
    match read_model.transcript.speaker(of) {
        Some(it) if it == speaker => Ok(()),
        Some(it) => Err(Refusal::invalid(format!("the turn {of} belongs to {it}, not to {speaker}"))),
        None => Err(Refusal::invalid(format!("the turn {of} belongs to the moderator, not to {speaker}"))),
    }
}

/// Checks that the speaker is a participant, that the turn is their own, and that it contains the quoted words.
///
/// # Errors
/// [`Refusal`] if any of these is not the case, or there are no words.
pub fn own_words(
    read_model: &DebateReadModel,
    speaker: &PersonaId,
    of: TurnId,
    (what, quote): (&str, Option<&String>),
) -> Result<(), Refusal> {
    own_turn(read_model, speaker, of)?;
    let Some(quote) = quote else {
        return Err(Refusal::invalid(format!("the {what} has no `quote`; give the words of {of} that state it")));
    };
    if quote.len() > MAX_QUOTE_BYTES {
        let (n, reason) =
            (quote.len(), format!("the quote has {} bytes; at most {MAX_QUOTE_BYTES} are allowed", quote.len()));
        return Err(Refusal::limit("quote", MAX_QUOTE_BYTES as u64, n as u64, reason));
    }
    let is_there = read_model.transcript.get(of).is_some_and(|turn| turn_quotes::is_quoted(&turn.text, quote));
    if is_there {
        return Ok(());
    }
    Err(Refusal::invalid(format!("{of} does not contain the quote of the {what}; copy the words exactly")))
}

/// Checks that a turn contains what was distilled from it, word for word.
///
/// # Errors
/// [`Refusal`] if it does not. What a turn says in other words is marked as `paraphrased`.
pub fn said_in_turn(read_model: &DebateReadModel, of: TurnId, (what, text): (&str, &str)) -> Result<(), Refusal> {
    let is_there = read_model.transcript.get(of).is_some_and(|turn| turn_quotes::is_quoted(&turn.text, text));
    if is_there {
        return Ok(());
    }
    Err(Refusal::invalid(format!(
        "{of} does not contain the distilled {what}; copy the words exactly, or mark it as a reading with `paraphrased`"
    )))
}

/// Returns an argument, even if it was withdrawn.
///
/// # Errors
/// [`Refusal`] if it does not exist.
pub fn argument(read_model: &DebateReadModel, id: ArgumentId) -> Result<&Argument, Refusal> {
    read_model.arguments.arguments.get(&id).ok_or_else(|| missing("argument", id))
}

/// Returns an argument that was not withdrawn.
///
/// # Errors
/// [`Refusal`] if it does not exist or was withdrawn.
pub fn active_argument(read_model: &DebateReadModel, id: ArgumentId) -> Result<&Argument, Refusal> {
    let found = argument(read_model, id)?;
    if found.withdrawn.is_some() {
        return Err(conflict(format!("the argument {id} was withdrawn")));
    }
    Ok(found)
}

/// Returns a dispute that was not retired.
///
/// # Errors
/// [`Refusal`] if it does not exist or was retired.
pub fn dispute(read_model: &DebateReadModel, id: DisputeId) -> Result<&Dispute, Refusal> {
    let found = read_model.disputes.disputes.get(&id).ok_or_else(|| missing("dispute", id))?;
    if found.retired.is_some() {
        return Err(conflict(format!("the dispute {id} was retired")));
    }
    Ok(found)
}

/// Returns a reason, even if it was withdrawn, with its dispute.
///
/// # Errors
/// [`Refusal`] if it does not exist.
pub fn reason(read_model: &DebateReadModel, id: ReasonId) -> Result<(DisputeId, &Reason), Refusal> {
    read_model.disputes.reason(id).ok_or_else(|| missing("reason", id))
}
