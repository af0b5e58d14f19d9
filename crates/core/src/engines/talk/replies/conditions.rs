//! Conditions for a change of mind, told apart from stances in the same words.

use crate::engines::shared::view_prompts;
use crate::engines::talk::copied_words::named;
use crate::engines::talk::replies::schema::StanceReply;
use crate::engines::talk::state::Talk;
use crate::events::ids::{PersonaId, TurnId};
use crate::questions::mind_change::{answers, is_conditional, only_states_flip_condition};
use crate::questions::wording::says_the_same;

/// Tells stances and a condition for a change of mind apart that are stated in the very same words: a condition takes no side,
/// and what is no condition by its words is a side.
pub fn told_apart<'a>(
    given: Vec<StanceReply>,
    condition: Option<&'a str>,
    refused: &mut Vec<String>,
) -> (Vec<StanceReply>, Option<&'a str>) {
    let Some(condition) = named(condition) else { return (given, None) };
    let (same, stated): (Vec<_>, Vec<_>) =
        given.into_iter().partition(|stance| says_the_same(&stance.words, condition));
    if !same.is_empty() && !is_conditional(condition) {
        refused.push(format!("states a condition in the words of a side: {}", view_prompts::excerpt(condition)));
        return (same.into_iter().chain(stated).collect(), None);
    }
    refused.extend(same.iter().map(|stance| {
        format!("takes a side on {} in the words of a condition", view_prompts::excerpt(&stance.dispute))
    }));
    (stated, Some(condition))
}

/// Returns true if words of a turn only state what would change the mind of their speaker: those that the speaker recorded as
/// such, or as told by [`only_states_flip_condition`].
pub fn states_flip_condition(talk: &Talk, speaker: &PersonaId, turn: TurnId, words: &str) -> bool {
    let mut recorded = talk.flip_conditions.of(speaker).filter(|stated| stated.turn == turn);
    recorded.any(|stated| says_the_same(&stated.quote, words)) || only_states_flip_condition(words)
}

/// Returns true if words begin with yes or no, and state no condition.
fn only_takes_side(words: &str) -> bool {
    answers(words) && !is_conditional(words)
}

/// Returns the words that tell what would settle a dispute, as a stance on it gives them; `None` if they only take its side
/// again.
pub fn settling(stance: &StanceReply) -> Option<&str> {
    let copied = stance.settled_by.as_deref()?;
    (!says_the_same(copied, &stance.words) || !only_takes_side(copied)).then_some(copied)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_that_only_take_a_side_settle_nothing() {
        let check = |words: &str, settled_by: Option<&str>, expected: bool| {
            let given = json!({ "dispute": "d1", "side": "yes", "words": words, "settled_by": settled_by });
            let stance: StanceReply = serde_json::from_value(given).expect("a stance");
            assert_eq!(settling(&stance).is_some(), expected, "{words} {settled_by:?}");
        };
        check("Yes, close it.", Some("Yes, close it."), false);
        check("Yes, close it.", Some("The count of next May decides it."), true);
        check("Yes, unless the count of May says no.", Some("Yes, unless the count of May says no."), true);
        check("It comes down to the count of May.", Some("It comes down to the count of May."), true);
        check("Yes, close it.", None, false);
    }
}
