//! Fault line: two sides of a debate, with what each advanced for itself, and the subject of what divides them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::events::ids::{ArgumentId, DisputeId, PersonaId, ReasonId, TurnId};
use crate::verdicts::crux::Crux;
use crate::verdicts::crux_id::CruxKey;
use crate::verdicts::disagreement::fault_category::FaultCategory;

/// Line between two sides that conflict with each other: camps of arguments, or those who answer a question with yes and
/// with no.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FaultLine {
    /// Question that the first side answers with yes and the second with no; `None` for a line between camps.
    pub dispute: Option<DisputeId>,
    /// First side.
    pub one: FaultSide,
    /// Second side.
    pub other: FaultSide,
    /// Subject of the first argument or reason of each side, by their words; `None` unless they contain two words of a
    /// category.
    pub category: Option<FaultCategory>,
    /// Reason why there is no category, as a sentence; `None` if there is one.
    pub category_missing: Option<String>,
    /// Words of the two that belong to the category, in lower case.
    pub words: Vec<String>,
    /// Cruxes on the line, most important first: the question itself, if it is one; between camps and on the topic those
    /// that a participant of one side affirms and one of the other denies.
    pub cruxes: Vec<CruxKey>,
}

/// Side of a fault line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FaultSide {
    /// Participants who belong to this camp alone, or who give this answer.
    pub personas: Vec<PersonaId>,
    /// Arguments that this camp accepts and the other does not. Those in conflict with an argument of the other side come
    /// first, then theses, then in order. The first of each side conflict with each other, if any two do. Empty for a
    /// question.
    pub arguments: Vec<ArgumentId>,
    /// Live reasons for this answer or against the other that these participants gave, in the same order. Empty for
    /// camps.
    pub reasons: Vec<ReasonId>,
    /// Turns behind the side, in ascending order: those that answer the question, and those of its arguments or reasons.
    pub turns: Vec<TurnId>,
}

/// Subject of a fault line.
#[derive(Debug)]
pub struct Subject {
    /// The category; `None` if there is none.
    pub category: Option<FaultCategory>,
    /// Reason why there is none, as a sentence.
    pub missing: Option<String>,
    /// Words of the category.
    pub words: Vec<String>,
}

impl Subject {
    /// Finds the subject of what the two sides put first, by its words.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Subject {
        match FaultCategory::of(texts) {
            Some((category, words)) => Subject { category: Some(category), missing: None, words },
            None => Subject::missing("What the two sides say first contains no two words of a category."),
        }
    }

    /// Subject of which nothing is known, for this reason.
    pub fn missing(reason: &str) -> Subject {
        Subject { category: None, missing: Some(reason.to_owned()), words: Vec::new() }
    }
}

/// Orders what two sides advanced so that what is quoted of a line is what divides them: on each side, what conflicts with
/// something on the other comes first, and the first of each side conflict with each other, if any two do. `conflicts` are
/// the ends of attacks.
pub fn conflicting_first<Id: Copy + Ord>(conflicts: &[(Id, Id)], mut one: Vec<Id>, mut other: Vec<Id>) -> [Vec<Id>; 2] {
    let before = one.clone();
    put_first(conflicts, &mut one, &other);
    put_first(conflicts, &mut other, &before);
    put_first(conflicts, &mut other, one.get(..1).unwrap_or_default());
    [one, other]
}

fn put_first<Id: Copy + Ord>(conflicts: &[(Id, Id)], points: &mut [Id], others: &[Id]) {
    let against: BTreeSet<Id> = others.iter().copied().collect();
    let either = conflicts.iter().flat_map(|(one, other)| [(*one, *other), (*other, *one)]);
    let dividing: BTreeSet<Id> = either.filter(|(_, end)| against.contains(end)).map(|(id, _)| id).collect();
    points.sort_by_key(|id| !dividing.contains(id));
}

/// True if a participant of one side affirms the crux and a participant of the other denies it.
pub fn is_between(crux: &Crux, one: &[PersonaId], other: &[PersonaId]) -> bool {
    let affirms = |personas: &[PersonaId]| {
        crux.positions.iter().any(|position| position.side.affirms() && personas.contains(&position.persona))
    };
    let denies = |personas: &[PersonaId]| {
        crux.positions.iter().any(|position| position.side.denies() && personas.contains(&position.persona))
    };
    affirms(one) && denies(other) || affirms(other) && denies(one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_conflicts_comes_first_on_both_sides() {
        let check = |conflicts: &[(u32, u32)], expected: [&[u32]; 2]| {
            let actual = conflicting_first(conflicts, vec![1, 2, 3], vec![4, 5, 6]);
            assert_eq!(actual, expected.map(<[u32]>::to_vec), "{conflicts:?}");
        };
        check(&[], [&[1, 2, 3], &[4, 5, 6]]);
        check(&[(3, 5)], [&[3, 1, 2], &[5, 4, 6]]);
        check(&[(6, 3)], [&[3, 1, 2], &[6, 4, 5]]);
        check(&[(4, 3), (6, 2)], [&[2, 3, 1], &[6, 4, 5]]);
        check(&[(1, 2)], [&[1, 2, 3], &[4, 5, 6]]);
    }
}
