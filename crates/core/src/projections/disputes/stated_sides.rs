//! Words that state no side, or the other side, of a question.

use crate::events::dispute::Side;
use crate::questions::stated_answer::{only_refers_back, stated_answer};
use crate::questions::wording::only_asks;

/// Returns true if words repeat a question as a statement of the other side: "The city should keep its centre open" is no
/// yes to "Should the city close its centre?", whoever takes it for one.
pub fn says_otherwise(words: &str, question: &str, side: Side) -> bool {
    match side {
        Side::Yes => stated_answer(question, words) == Some(false),
        Side::No => stated_answer(question, words) == Some(true),
        Side::Nuanced | Side::Undecided => false,
    }
}

/// Returns true if words can state a side of a question: they do more than ask it, do not say otherwise, and do not only
/// refer to a view of which nothing is recorded. `held` is the side that the speaker took before, if any.
pub fn can_state(words: &str, question: &str, side: Side, held: Option<Side>) -> bool {
    !only_asks(words, question)
        && !says_otherwise(words, question, side)
        && (held == Some(side) || !only_refers_back(words))
}
