//! Kind of disagreement of a crux, with its basis.

use std::collections::{BTreeMap, BTreeSet};

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
        return (Some(kind), format!("The card of {} names it.", views.rooms.named(room)));
    }
    let asking = resting_on(views, statement);
    let answering = match origin {
        CruxOrigin::Structure { .. } => Vec::new(),
        CruxOrigin::Dispute { .. } | CruxOrigin::Acknowledged { .. } => with_answers(views, positions, &asking),
    };
    let lowest = asking.iter().chain(&answering).map(|(_, level)| *level).min();
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
    let answers = if answering.len() == 1 { "an answer to it is" } else { "answers to it are" };
    let clauses = [("it is", asking), (answers, answering)].into_iter().filter(|(_, roles)| !roles.is_empty());
    let clauses: Vec<String> = clauses.map(|(subject, roles)| format!("{subject} {}", told(&roles))).collect();
    (Some(kind), sentence(&listed(&clauses)))
}

/// Names the arguments of each role: `a premise of a1 and the claims of a2 and a3`.
fn told(roles: &[(ArgumentId, Level)]) -> String {
    let words = [
        (Level::Assumption, ["an assumption", "assumptions"]),
        (Level::Premise, ["a premise", "premises"]),
        (Level::Claim, ["the claim", "the claims"]),
    ];
    let told = words.into_iter().filter_map(|(level, [one, several])| {
        let of = roles.iter().filter(|(_, role)| *role == level).map(|(id, _)| id.to_string());
        let of: Vec<String> = of.collect();
        let word = if of.len() == 1 { one } else { several };
        (!of.is_empty()).then(|| format!("{word} of {}", listed(&of)))
    });
    listed(&told.collect::<Vec<_>>())
}

/// Clause with a capital letter and a full stop.
fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    letters.next().map(|first| format!("{}{}.", first.to_uppercase(), letters.as_str())).unwrap_or_default()
}

/// Live arguments that contain what a question asks, or the words of an answer to it.
pub fn resting_on_question(views: CruxInputs<'_>, question: &str, positions: &[Position]) -> Vec<ArgumentId> {
    let asking = resting_on(views, question);
    let answering = with_answers(views, positions, &asking);
    let all: BTreeSet<ArgumentId> = asking.into_iter().chain(answering).map(|(id, _)| id).collect();
    all.into_iter().collect()
}

/// Live arguments that contain the words of an answer to a question, and not what it asks, each with its lowest level.
fn with_answers(
    views: CruxInputs<'_>,
    positions: &[Position],
    asking: &[(ArgumentId, Level)],
) -> Vec<(ArgumentId, Level)> {
    let answers = |side| matches!(side, PositionSide::Yes | PositionSide::No | PositionSide::Nuanced);
    let quotes = positions.iter().filter(|position| answers(position.side)).filter_map(|it| it.quote.as_deref());
    let mut roles: BTreeMap<ArgumentId, Level> = BTreeMap::new();
    for (id, level) in quotes.flat_map(|quote| resting_on(views, quote)) {
        let known = roles.entry(id).or_insert(level);
        *known = level.min(*known);
    }
    roles.into_iter().filter(|(id, _)| !asking.iter().any(|(known, _)| known == id)).collect()
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
