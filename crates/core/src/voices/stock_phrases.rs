//! Stock phrases: the courtesies by which a language model is recognized whatever its persona.

/// Phrases that no participant should use, in lower case. They are polite, and say nothing about the topic. Phrases that
/// people also use to say something ("it depends on the price") are not among them.
pub const STOCK_PHRASES: &[&str] = &[
    "as a language model",
    "as an ai",
    "great point",
    "great question",
    "i appreciate your perspective",
    "i hear what you're saying",
    "i see where you're coming from",
    "i can see where you're coming from",
    "i understand where you're coming from",
    "i understand your concern",
    "i understand your perspective",
    "i understand your point of view",
    "it's important to note",
    "it is important to note",
    "it's worth noting",
    "it is worth noting",
    "let's agree to disagree",
    "thank you for raising",
    "thank you for sharing",
    "that's a fair point",
    "that's a good point",
    "that's a valid point",
    "valid points on both sides",
    "you raise a good point",
    "you raise a valid point",
    "you raise an important point",
];

#[cfg(test)]
mod tests {
    use super::STOCK_PHRASES;
    use crate::voices::phrase::plain;

    #[test]
    fn stock_phrases_are_plain_and_different() {
        let mut seen = STOCK_PHRASES.to_vec();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), STOCK_PHRASES.len());
        assert!(STOCK_PHRASES.iter().all(|phrase| plain(phrase) == **phrase));
    }
}
