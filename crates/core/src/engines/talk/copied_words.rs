//! Words that a participant's reply copies from its own text.

use crate::engines::shared::view_prompts;
use crate::kernel::quotations::turn_quotes;

/// Finds the words that a speaker copied from their own text to do something, such as "states a flip condition".
///
/// # Errors
/// A message if the text does not contain them.
pub fn own_words(text: &str, copied: &str, act: &str) -> Result<String, String> {
    turn_quotes::words(text.trim(), copied).ok_or_else(|| match named(Some(copied)) {
        None => format!("{act} without the words of the text that say so"),
        Some(copied) => format!("{act} in {}, which the text does not contain", view_prompts::excerpt(copied)),
    })
}

/// Returns the content of an optional field; `None` if it is blank, "null" or "none".
pub fn named(given: Option<&str>) -> Option<&str> {
    given
        .map(str::trim)
        .filter(|text| !text.is_empty() && !text.eq_ignore_ascii_case("null") && !text.eq_ignore_ascii_case("none"))
}
