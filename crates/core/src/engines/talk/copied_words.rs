//! Words that a participant's reply copies from its own text.

use crate::engines::shared::view_prompts;
use crate::engines::shared::view_prompts::DisplayNames;
use crate::engines::talk::ground_given::check_address;
use crate::events::dispute::Side;
use crate::events::ids::{DisputeId, PersonaId};
use crate::kernel::quotations::turn_quotes;
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::questions::stated_answer::{only_thanks, why_not};

/// Number of words below which a quotation says nothing by itself: its sentence is quoted instead.
const FEWEST_WORDS: usize = 3;

/// Finds the words that a speaker copied from their own text to do something, such as "states a flip condition". One or two
/// words, such as "agree", are quoted with their sentence, if only one contains them.
///
/// # Errors
/// A message if the text does not contain them, or if they only thank somebody.
pub fn own_words(text: &str, copied: &str, act: &str) -> Result<String, String> {
    let text = text.trim();
    let found = turn_quotes::words(text, copied).ok_or_else(|| match named(Some(copied)) {
        None => format!("{act} without the words of the text that say so"),
        Some(copied) => format!("{act} in {}, which the text does not contain", view_prompts::excerpt(copied)),
    })?;
    if only_thanks(&found) {
        return Err(format!("{act} in {}, which only thanks", view_prompts::excerpt(&found)));
    }
    if found.split_whitespace().count() >= FEWEST_WORDS {
        return Ok(found);
    }
    let sentences = turn_quotes::sentences(text).into_iter().filter_map(|range| text.get(range));
    let around: Vec<&str> = sentences.filter(|sentence| turn_quotes::is_quoted(sentence, &found)).collect();
    match around.as_slice() {
        [sentence] if turn_quotes::is_quoted(text, sentence) => Ok((*sentence).to_owned()),
        // Nobody knows which of several sentences was meant.
        _ => Ok(found),
    }
}

/// Finds the words that a speaker copied from their own text to take a side on a dispute, as [`own_words`].
///
/// # Errors
/// A message as of [`own_words`], and if the words cannot state the side.
pub fn words_of_side(
    (disputes, names): (&DisputeGraph, &DisplayNames),
    (speaker, text, copied): (&PersonaId, &str, &str),
    (dispute, side): (DisputeId, Side),
) -> Result<String, String> {
    let words = own_words(text, copied, &format!("states a side on {dispute}"))?;
    check_side((disputes, names), speaker, (dispute, side), &words)?;
    Ok(words)
}

/// Checks whether words can state a side of a dispute.
///
/// # Errors
/// A message if they say the opposite, only refer to a view that the speaker has not stated, only thank, or answer the speaker.
pub fn check_side(
    (disputes, names): (&DisputeGraph, &DisplayNames),
    speaker: &PersonaId,
    (dispute, side): (DisputeId, Side),
    words: &str,
) -> Result<(), String> {
    let asked = disputes.disputes.get(&dispute);
    let said = asked.map_or(Ok(()), |asked| {
        let is_held = asked.stances.get(speaker).is_some_and(|stance| stance.side == side);
        why_not(words, &asked.question, side.answer(), is_held).map_or(Ok(()), Err)
    });
    said.and_then(|()| check_address(names, speaker, words)).map_err(|why| {
        format!("states the side {} on {dispute} in {}, {why}", side.name(), view_prompts::excerpt(words))
    })
}

/// Returns the content of an optional field; `None` if it is blank, "null" or "none".
pub fn named(given: Option<&str>) -> Option<&str> {
    given
        .map(str::trim)
        .filter(|text| !text.is_empty() && !text.eq_ignore_ascii_case("null") && !text.eq_ignore_ascii_case("none"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::talk::replies::decode::noted;
    use crate::engines::talk::sample::{persona, talk};
    use crate::events::dispute::DisputeRaised;
    use crate::events::event::Event;

    #[test]
    fn words_that_say_the_opposite_take_no_side() {
        let mut talk = talk(&["ada", "ben"], &["ada: a"]);
        let topic = DisputeId(1);
        let raised = DisputeRaised::bare(topic, "Should the port close its gates by night?", true);
        talk.evolve(&noted(&Event::DisputeRaised(raised)));
        let text =
            "I agree with Ben. The port should keep its gates open by night. Watchmen are tired. I keep my view.";
        let open = "The port should keep its gates open by night";
        let refused = format!("states the side yes on d1 in \"{open}\", which says the opposite");
        for (side, copied, expected) in [
            (Side::Yes, open, refused.as_str()),
            (Side::No, open, open),
            (Side::Nuanced, open, open),
            (Side::Yes, "Watchmen are tired.", "Watchmen are tired."),
            (
                Side::No,
                "I keep my view",
                "states the side no on d1 in \"I keep my view\", which refers to a view that was not stated",
            ),
        ] {
            let found = words_of_side((&talk.disputes, &talk.names), (&persona("ada"), text, copied), (topic, side));
            assert_eq!(found.unwrap_or_else(|reason| reason), expected, "{side:?}");
        }
    }

    #[test]
    fn one_or_two_words_are_quoted_with_their_sentence() {
        let text =
            "The tide is one thing. I agree with Ben on the crew. No. Ben says yes. I say yes. Thank you for sharing.";
        for (copied, expected) in [
            ("I agree with Ben", "I agree with Ben"),
            ("agree", "I agree with Ben on the crew."),
            ("the crew", "I agree with Ben on the crew."),
            ("No", "No."),
            ("yes", "yes"),
            ("no.", "states it in \"no.\", which the text does not contain"),
            ("", "states it without the words of the text that say so"),
            ("Thank you for sharing.", "states it in \"Thank you for sharing.\", which only thanks"),
        ] {
            assert_eq!(own_words(text, copied, "states it").unwrap_or_else(|reason| reason), expected, "{copied:?}");
        }
    }
}
