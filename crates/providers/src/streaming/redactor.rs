//! Redaction of a key in text that arrives in pieces.

use crate::settings::ApiKey;

/// Redactor of one text: removes the key also where it is split over pieces.
#[derive(Debug)]
pub(super) struct Redactor<'a> {
    key: Option<&'a ApiKey>,
    /// End of the text so far that may be the beginning of the key.
    held: String,
}

impl<'a> Redactor<'a> {
    /// Creates a redactor of a new text.
    pub(super) fn new(key: Option<&'a ApiKey>) -> Self {
        Redactor { key: key.filter(|key| key.is_secret()), held: String::new() }
    }

    /// Takes the next piece; returns the text that is known to be safe.
    pub(super) fn push(&mut self, piece: &str) -> String {
        let Some(key) = self.key else { return piece.to_owned() };
        self.held.push_str(piece);
        let text = key.scrub(&self.held);
        let safe = text.len() - key.begins_at_end_of(&text);
        text[safe..].clone_into(&mut self.held);
        text[..safe].to_owned()
    }

    /// Ends the text; returns what was held back.
    pub(super) fn finish(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_removed_however_it_is_split() {
        let key = ApiKey::new("sk-sk-0123456789");
        let text = "é sk-sk-sk-0123456789 and sk-sk-01234567 sk-sk-0123456789";
        let letters: Vec<String> = text.chars().map(String::from).collect();
        for size in 1..=letters.len() {
            let mut redactor = Redactor::new(Some(&key));
            let mut shown: String = letters.chunks(size).map(|piece| redactor.push(&piece.concat())).collect();
            shown.push_str(&redactor.finish());
            assert_eq!(shown, "é sk-[redacted] and sk-sk-01234567 [redacted]", "in pieces of {size} letters");
        }
        let placeholder = ApiKey::new("none");
        assert_eq!(Redactor::new(Some(&placeholder)).push("none"), "none");
    }
}
