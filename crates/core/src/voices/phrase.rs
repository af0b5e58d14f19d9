//! Search for phrases in a text, by whole words.

/// Counts the uses of a phrase in a text. Case, spacing and the kind of apostrophe make no difference; a phrase inside
/// a longer word does not count. Linear in the text for a phrase of fixed length.
pub fn uses(text: &str, phrase: &str) -> usize {
    uses_plain(&plain(text), &plain(phrase))
}

/// Normalizes a text to lower case with single spaces and straight quotation marks, for [`uses_plain`].
pub fn plain(text: &str) -> String {
    let text = text.to_lowercase().replace(['’', '‘'], "'").replace(['“', '”'], "\"");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Counts [`uses`] in a text and a phrase that are [`plain`] already, to search one text for many phrases.
pub fn uses_plain(text: &str, phrase: &str) -> usize {
    let runs_on = |inner: Option<char>, outer: Option<char>| {
        inner.is_some_and(char::is_alphanumeric) && outer.is_some_and(char::is_alphanumeric)
    };
    let bounded = |at: &usize| {
        let before = text[..*at].chars().next_back();
        let after = text[at + phrase.len()..].chars().next();
        !runs_on(phrase.chars().next(), before) && !runs_on(phrase.chars().next_back(), after)
    };
    if phrase.is_empty() { 0 } else { text.match_indices(phrase).map(|(at, _)| at).filter(bounded).count() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_match_whole_words() {
        let check = |text: &str, sought: &str, expected: usize| {
            assert_eq!(uses(text, sought), expected, "{sought:?} in {text:?}");
        };
        check("Mind you, it rains.", "mind you", 1);
        check("It rains, mind  YOU", "Mind you", 1);
        check("Mind your step.", "mind you", 0);
        check("Remind you? Never mind: you win.", "mind you", 0);
        check("Remind you? Mind you! And mind\nyou.", "mind you", 2);
        check("It’s a no-brainer.", "it's", 1);
        check("“So,” he said", "\"so,\"", 1);
        check("100% sure", "%", 1);
        check("anything", "", 0);
    }
}
