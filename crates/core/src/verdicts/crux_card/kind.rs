//! Kind of disagreement of a crux, with its basis.

use crate::events::argument::ArgumentPart;
use crate::events::crux::Disagreement;
use crate::events::ids::ArgumentId;
use crate::questions::wording::asks_the_same;
use crate::verdicts::candidates::Level;
use crate::verdicts::crux::{CruxInputs, CruxOrigin};
use crate::verdicts::crux_card::crux_text::listed;
use crate::verdicts::crux_card::room::room_of;
use crate::verdicts::crux_id::normal;

/// Returns the kind of disagreement, and its basis as a sentence: the card of the dispute's last room, or the role that the
/// statement has in arguments. Without either, the kind is unknown, and the sentence says so.
pub fn kind(views: CruxInputs<'_>, origin: CruxOrigin, statement: &str) -> (Option<Disagreement>, String) {
    if let Some((room, kind)) = room_of(views, origin).and_then(|(room, card)| Some((room, card.kind?))) {
        return (Some(kind), format!("The card of room {room} names it."));
    }
    let role = match origin {
        CruxOrigin::Structure { level } => Some((level, resting_on(views, statement).1)),
        CruxOrigin::Dispute { .. } | CruxOrigin::Acknowledged { .. } => {
            let (level, arguments) = resting_on(views, statement);
            level.map(|level| (level, arguments))
        }
    };
    let Some((level, arguments)) = role else {
        return (None, "No kind of disagreement is recorded for it.".to_owned());
    };
    let kind = match level {
        Level::Claim => Disagreement::Claim,
        Level::Premise | Level::Assumption => Disagreement::Premise,
    };
    let roles = [(Level::Assumption, "an assumption"), (Level::Premise, "a premise"), (Level::Claim, "the claim")];
    let roles = roles.into_iter().filter_map(|(level, word)| {
        let of = arguments.iter().filter(|(_, role)| *role == level).map(|(id, _)| id.to_string());
        let of: Vec<String> = of.collect();
        (!of.is_empty()).then(|| format!("{word} of {}", of.join(", ")))
    });
    (Some(kind), format!("It is {}.", listed(&roles.collect::<Vec<_>>())))
}

/// Lowest level at which live arguments contain the statement, or what it asks if it is a question, and these arguments,
/// each with its own lowest level.
fn resting_on(views: CruxInputs<'_>, statement: &str) -> (Option<Level>, Vec<(ArgumentId, Level)>) {
    let (wanted, is_question) = (normal(statement), statement.trim_end().ends_with('?'));
    let is_it =
        |(_, text): &(ArgumentPart, &str)| normal(text) == wanted || is_question && asks_the_same(text, statement);
    let (mut lowest, mut arguments) = (None, Vec::new());
    for (id, argument) in views.graph.live() {
        let levels = argument.parts().filter(is_it).map(|(part, _)| Level::of(part));
        if let Some(level) = levels.min() {
            lowest = Some(lowest.map_or(level, |known: Level| known.min(level)));
            arguments.push((id, level));
        }
    }
    (lowest, arguments)
}
