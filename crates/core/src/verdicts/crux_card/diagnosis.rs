//! Diagnosis of a crux: what each participant holds, and what depends on it.

use crate::verdicts::candidates::Level;
use crate::verdicts::consequence::Consequence;
use crate::verdicts::crux::{CruxOrigin, Position, PositionSide};
use crate::verdicts::crux_card::crux_text::{listed, why_theses};

/// Describes the positions, each with its turn, and the consequence of settling the crux, as two sentences.
pub fn diagnosis(origin: CruxOrigin, positions: &[Position], consequence: Option<&Consequence>) -> String {
    let held: Vec<String> = positions.iter().map(|position| held(origin, position)).collect();
    let held = if held.is_empty() { String::new() } else { format!("{}.", listed(&held)) };
    let takes_side =
        |position: &Position| !matches!(position.side, PositionSide::ProposesCrux | PositionSide::AgreesOnCrux);
    let is_unanswered = matches!(origin, CruxOrigin::Acknowledged { .. }) && !positions.iter().any(takes_side);
    let held = if is_unanswered { format!("{held} No side on it is recorded.") } else { held };
    match consequence {
        Some(consequence) => {
            let theses = why_theses(consequence);
            let first = theses.chars().next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
            let rest: String = theses.chars().skip(1).collect();
            format!("{held} {first}{rest}.")
        }
        None => held,
    }
}

/// Describes one position.
fn held(origin: CruxOrigin, position: &Position) -> String {
    let (name, turn) = (&position.name, position.turn);
    let argument = position.argument.map(|argument| format!(" {argument}")).unwrap_or_default();
    let held = match (origin, position.side) {
        (_, PositionSide::ProposesCrux) => format!("{name} proposed it as the crux in {turn}"),
        (_, PositionSide::AgreesOnCrux) => format!("{name} agreed in {turn} that it is the crux"),
        (CruxOrigin::Structure { level: Level::Claim }, PositionSide::RestsOn) => {
            format!("{name} claims it in {turn} ({})", argument.trim())
        }
        (_, PositionSide::RestsOn) => format!("{name} rests{argument} on it in {turn}"),
        (_, PositionSide::Attacks) => format!("{name} attacks it with{argument} in {turn}"),
        (_, PositionSide::Undercuts) => format!("{name} denies with{argument} in {turn} that it follows"),
        (_, PositionSide::ConflictsWith) => {
            format!("{name} claims something that conflicts with it in {turn} ({})", argument.trim())
        }
        (_, PositionSide::Yes) => format!("{name} says yes in {turn}"),
        (_, PositionSide::No) => format!("{name} says no in {turn}"),
        (_, PositionSide::Nuanced) => format!("{name} says in {turn} that it depends"),
        (_, PositionSide::Undecided) => format!("{name} is undecided in {turn}"),
    };
    held + &position.remark()
}
