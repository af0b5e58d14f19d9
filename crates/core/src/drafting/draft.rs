//! Draft of a persona, as a model or the extractor returns it: statements, each with the passages that support it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum number of characters of a statement, as in a persona file.
pub const MAX_TEXT_CHARS: usize = 1_000;
/// Maximum number of characters of the line about a persona.
pub const MAX_ABOUT_CHARS: usize = 160;
/// Maximum number of entries of a list.
pub const MAX_ENTRIES: usize = 12;

/// Text of a statement for which the corpus has no evidence. A persona file that contains it is incomplete.
pub const PLACEHOLDER: &str = "No evidence in the corpus; please write this by hand.";

/// Drafted persona.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PersonaDraft {
    /// One line about who this is and what they hold, at most 160 characters.
    pub about: String,
    /// Their manner of meeting the world.
    pub personality: DraftStatement,
    /// The direction in which they lean.
    pub bias: DraftStatement,
    /// Their stakes: what they stand to lose or gain.
    pub stakes: DraftStatement,
    /// Their standard of knowledge: what counts as knowing, for them.
    pub epistemology: DraftStatement,
    /// The time span, ahead and back, that they consider.
    pub time_horizon: DraftStatement,
    /// The kind of evidence that they accept.
    pub evidence_policy: DraftStatement,
    /// Conditions that would change their mind, each concrete enough to be observed; one to five.
    pub flip_conditions: Vec<DraftStatement>,
    /// Habits of speech; two to six.
    pub speech_patterns: Vec<DraftStatement>,
    /// Words and phrases that they like to use, exactly as in the passages.
    pub vocabulary: Vec<String>,
    /// Phrases that they would never use.
    pub forbidden_phrases: Vec<String>,
    /// Lines of theirs to open a debate, word for word from passages; at most three.
    pub opening: Vec<Quotation>,
    /// Lines in which they dispute something.
    pub challenge: Vec<Quotation>,
    /// Lines in which they grant something.
    pub concession: Vec<Quotation>,
    /// Lines in which they name the point on which a disagreement depends.
    pub crux: Vec<Quotation>,
    /// Lines of theirs to close a debate.
    pub closing: Vec<Quotation>,
}

/// A statement about a person, with the quotations that support it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DraftStatement {
    /// The statement.
    pub text: String,
    /// Quotations that support it, word for word.
    pub anchors: Vec<Quotation>,
}

/// Words quoted from a passage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Quotation {
    /// Name of the passage: `g3`.
    pub passage: String,
    /// The words, exactly as in the passage.
    pub quote: String,
}

impl PersonaDraft {
    /// Returns the single statements of the contract, by their keys in a persona file.
    pub fn statements(&self) -> [(&'static str, &DraftStatement); 6] {
        [
            ("contract.personality", &self.personality),
            ("contract.bias", &self.bias),
            ("contract.stakes", &self.stakes),
            ("contract.epistemology", &self.epistemology),
            ("contract.time_horizon", &self.time_horizon),
            ("contract.evidence_policy", &self.evidence_policy),
        ]
    }

    /// Returns the example lines by situation.
    pub fn examples(&self) -> [(&'static str, &[Quotation]); 5] {
        [
            ("opening", &self.opening),
            ("challenge", &self.challenge),
            ("concession", &self.concession),
            ("crux", &self.crux),
            ("closing", &self.closing),
        ]
    }

    /// Returns the first reason for which the draft is no valid persona file, for a repeated request; `None` if it is
    /// valid.
    pub fn fault(&self) -> Option<String> {
        let long = |text: &str, most: usize| text.chars().count() > most;
        for (field, stated) in self.statements() {
            if stated.text.trim().is_empty() {
                return Some(format!("{field} is empty; write a sentence or two"));
            }
            if long(&stated.text, MAX_TEXT_CHARS) {
                return Some(format!("{field} is longer than {MAX_TEXT_CHARS} characters; shorten it"));
            }
        }
        let lists = [("flip_conditions", &self.flip_conditions, 1), ("speech_patterns", &self.speech_patterns, 1)];
        for (field, list, least) in lists {
            if list.len() < least || list.len() > MAX_ENTRIES {
                return Some(format!("{field} has {} entries; give {least} to {MAX_ENTRIES}", list.len()));
            }
            if list.iter().any(|entry| entry.text.trim().is_empty() || long(&entry.text, MAX_TEXT_CHARS)) {
                return Some(format!("an entry of {field} is empty or longer than {MAX_TEXT_CHARS} characters"));
            }
        }
        if self.vocabulary.iter().all(|word| word.trim().is_empty()) {
            return Some("vocabulary is empty; give words and phrases that the person likes to use".to_owned());
        }
        if long(&self.about, MAX_ABOUT_CHARS) || self.about.trim().is_empty() {
            return Some(format!("about is empty or longer than {MAX_ABOUT_CHARS} characters"));
        }
        None
    }
}
