//! Kind of disagreement of a crux, with its basis.

use std::collections::BTreeMap;

use crate::events::argument::ArgumentPart;
use crate::events::crux::Disagreement;
use crate::events::ids::ArgumentId;
use crate::projections::argument_graph::Argument;
use crate::questions::wording::AskedQuestion;
use crate::verdicts::candidates::Level;
use crate::verdicts::crux::{CruxInputs, CruxOrigin, Position, PositionSide};
use crate::verdicts::crux_card::crux_text::listed;
use crate::verdicts::crux_card::room::room_of;
use crate::verdicts::crux_id::{is_normally, normal};

/// Returns the kind of disagreement, and its basis as a sentence: the card of the dispute's last room, or the role in
/// arguments of the statement or, for a question, of the words that answer it. Without any, the kind is unknown, and the
/// sentence says so.
pub fn kind(
    views: CruxInputs<'_>,
    origin: CruxOrigin,
    statement: &str,
    positions: &[Position],
) -> (Option<Disagreement>, String) {
    if let Some((room, kind)) = room_of(views, origin).and_then(|(room, card)| Some((room, card.kind?))) {
        return (Some(kind), format!("The card of room {room} names it."));
    }
    let is_contained = !resting_on(views, statement).is_empty() || matches!(origin, CruxOrigin::Structure { .. });
    let roles = if is_contained { resting_on(views, statement) } else { with_answers(views, positions) };
    let subject = match roles.len() {
        _ if is_contained => "It is",
        1 => "An answer to it is",
        _ => "Answers to it are",
    };
    let lowest = roles.iter().map(|(_, level)| *level).min();
    let level = match origin {
        CruxOrigin::Structure { level } => Some(level),
        CruxOrigin::Dispute { .. } | CruxOrigin::Acknowledged { .. } => lowest,
    };
    let Some(level) = level else {
        return (None, "No kind of disagreement is recorded for it.".to_owned());
    };
    let kind = match level {
        Level::Claim => Disagreement::Claim,
        Level::Premise | Level::Assumption => Disagreement::Premise,
    };
    let words = [(Level::Assumption, "an assumption"), (Level::Premise, "a premise"), (Level::Claim, "the claim")];
    let told = words.into_iter().filter_map(|(level, word)| {
        let of = roles.iter().filter(|(_, role)| *role == level).map(|(id, _)| id.to_string());
        let of: Vec<String> = of.collect();
        (!of.is_empty()).then(|| format!("{word} of {}", of.join(", ")))
    });
    (Some(kind), format!("{subject} {}.", listed(&told.collect::<Vec<_>>())))
}

/// Live arguments that contain what a question asks, or, if there are none, the words of an answer to it.
pub fn resting_on_question(views: CruxInputs<'_>, question: &str, positions: &[Position]) -> Vec<ArgumentId> {
    let asking = resting_on(views, question);
    let roles = if asking.is_empty() { with_answers(views, positions) } else { asking };
    roles.into_iter().map(|(id, _)| id).collect()
}

/// Live arguments that contain the words of an answer to a question, each with its lowest level.
fn with_answers(views: CruxInputs<'_>, positions: &[Position]) -> Vec<(ArgumentId, Level)> {
    let answers = |side| matches!(side, PositionSide::Yes | PositionSide::No | PositionSide::Nuanced);
    let quotes = positions.iter().filter(|position| answers(position.side)).filter_map(|it| it.quote.as_deref());
    let mut roles: BTreeMap<ArgumentId, Level> = BTreeMap::new();
    for (id, level) in quotes.flat_map(|quote| resting_on(views, quote)) {
        let known = roles.entry(id).or_insert(level);
        *known = level.min(*known);
    }
    roles.into_iter().collect()
}

/// Live arguments that contain the statement, or what it asks if it is a question, each with its lowest level.
fn resting_on(views: CruxInputs<'_>, statement: &str) -> Vec<(ArgumentId, Level)> {
    let wanted = normal(statement);
    let question = statement.trim_end().ends_with('?').then(|| AskedQuestion::of(statement));
    let asks = |text: &str| question.as_ref().is_some_and(|question| question.is_asked_by(text));
    let is_it = |(_, text): &(ArgumentPart, &str)| is_normally(text, &wanted) || asks(text);
    let of = |(id, argument): (ArgumentId, &Argument)| {
        let level = argument.parts().filter(is_it).map(|(part, _)| Level::of(part)).min();
        level.map(|level| (id, level))
    };
    views.graph.live().filter_map(of).collect()
}
