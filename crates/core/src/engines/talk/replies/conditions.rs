//! Conditions for a change of mind, told apart from stances in the same words.

use crate::engines::shared::view_prompts;
use crate::engines::talk::copied_words::named;
use crate::engines::talk::replies::schema::StanceReply;
use crate::questions::wording::says_the_same;

/// Words of which a condition has at least one.
const CONDITIONAL: &[&str] =
    &["if", "unless", "when", "once", "until", "would", "could", "might", "show", "provided", "suppose"];

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
    let mut words = condition.split(|letter: char| !letter.is_alphanumeric()).map(str::to_lowercase);
    if !same.is_empty() && !words.any(|word| CONDITIONAL.contains(&word.as_str())) {
        refused.push(format!("states a condition in the words of a side: {}", view_prompts::excerpt(condition)));
        return (same.into_iter().chain(stated).collect(), None);
    }
    refused.extend(same.iter().map(|stance| {
        format!("takes a side on {} in the words of a condition", view_prompts::excerpt(&stance.dispute))
    }));
    (stated, Some(condition))
}
