//! Remarks on statements that the turn told with them does not contain: they were said elsewhere, or only written.

use crate::events::dispute::ReasonGiven;
use crate::events::ids::{PersonaId, TurnId};
use crate::export::report::quotes::sentences;
use crate::projections::argument_graph::Argument;
use crate::projections::transcript::Transcript;
use crate::verdicts::read_model::DebateReadModel;

/// Remark on a statement of an argument that its turn does not contain: the turn in which its speaker said it, or that they
/// did not; `None` for others, and if no turn of the argument is known.
pub fn unsaid_in_argument(
    read_model: &DebateReadModel,
    argument: &Argument,
    turn: Option<TurnId>,
    statement: &str,
) -> Option<String> {
    let transcript = &read_model.transcript;
    let is_known = argument.turns().any(|turn| transcript.turn(turn).is_some());
    let is_there = turn.is_some_and(|turn| transcript.quote(turn, statement).is_some());
    (is_known && !is_there).then(|| said_elsewhere(transcript, &argument.advanced.speaker, statement))
}

/// Remark on a statement of a reason that its turn does not contain, as [`unsaid_in_argument`].
pub fn unsaid_in_reason(read_model: &DebateReadModel, given: &ReasonGiven, statement: &str) -> Option<String> {
    let is_unsaid = read_model.is_unsaid_reason(given, statement);
    is_unsaid.then(|| said_elsewhere(&read_model.transcript, &given.speaker, statement))
}

/// Remark on a statement that a turn does not contain.
pub fn unsaid_in_turn(transcript: &Transcript, turn: TurnId, speaker: &PersonaId, statement: &str) -> Option<String> {
    let statement = without_ellipsis(statement);
    transcript.quote(turn, statement).is_none().then(|| said_elsewhere(transcript, speaker, statement))
}

/// Remark on the reasoning for a proposal: whether its speaker said it, sentence by sentence; `None` if the turn contains it.
pub fn unsaid_reasoning(
    transcript: &Transcript,
    turn: TurnId,
    speaker: &PersonaId,
    reasoning: &str,
) -> Option<&'static str> {
    if transcript.quote(turn, reasoning).is_some() {
        return None;
    }
    let sentences = sentences(reasoning);
    let is_said = |sentence: &&String| transcript.said_by(speaker, sentence).next().is_some();
    match sentences.iter().filter(is_said).count() {
        0 => Some("written, not said aloud"),
        n if n == sentences.len() => Some("written here, said elsewhere"),
        _ => Some("written, in part said aloud"),
    }
}

/// A statement without the sign that it was cut when it was recorded, which nobody said.
pub fn without_ellipsis(statement: &str) -> &str {
    statement.trim().trim_end_matches('…').trim_end()
}

fn said_elsewhere(transcript: &Transcript, speaker: &PersonaId, statement: &str) -> String {
    let said = transcript.said_by(speaker, statement).next();
    said.map_or_else(|| "not said aloud".to_owned(), |turn| format!("said in {turn}"))
}
