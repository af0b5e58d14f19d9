//! A draft, as whoever drafts replies with it: statements, each with the passages that it rests on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most characters of a statement: what a persona file takes.
pub const TEXT_CHARS: usize = 1_000;
/// The most characters of the line about a persona.
pub const ABOUT_CHARS: usize = 160;
/// The most entries of a list.
pub const ENTRIES: usize = 12;

/// A persona as it was drafted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Draft {
    /// Who this is and what they hold, in a line of at most 160 characters.
    pub about: String,
    /// How they meet the world.
    pub personality: Stated,
    /// Which way they lean.
    pub bias: Stated,
    /// What they stand to lose or gain.
    pub stakes: Stated,
    /// What counts as knowing, for them.
    pub epistemology: Stated,
    /// How far ahead, and back, they look.
    pub time_horizon: Stated,
    /// What they accept as evidence.
    pub evidence_policy: Stated,
    /// What would change their mind, each concrete enough to be observed; one to five.
    pub flip_conditions: Vec<Stated>,
    /// Habits of speech; two to six.
    pub speech_patterns: Vec<Stated>,
    /// Words and phrases that they reach for, as they stand in the passages.
    pub vocabulary: Vec<String>,
    /// Phrases that they would never use.
    pub forbidden_phrases: Vec<String>,
    /// Lines of theirs for first words, word for word from passages; at most three.
    pub opening: Vec<Quoted>,
    /// Lines in which they dispute something.
    pub challenge: Vec<Quoted>,
    /// Lines in which they grant something.
    pub concession: Vec<Quoted>,
    /// Lines in which they name what a disagreement turns on.
    pub crux: Vec<Quoted>,
    /// Lines for last words.
    pub closing: Vec<Quoted>,
}

/// A statement about somebody, and what it rests on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stated {
    /// The statement.
    pub text: String,
    /// What it rests on, word for word.
    pub anchors: Vec<Quoted>,
}

/// Words out of a passage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Quoted {
    /// The passage's name: `g3`.
    pub passage: String,
    /// The words, exactly as they stand there.
    pub quote: String,
}

impl Draft {
    /// The single statements of the contract, by their keys in a persona file.
    pub fn statements(&self) -> [(&'static str, &Stated); 6] {
        [
            ("contract.personality", &self.personality),
            ("contract.bias", &self.bias),
            ("contract.stakes", &self.stakes),
            ("contract.epistemology", &self.epistemology),
            ("contract.time_horizon", &self.time_horizon),
            ("contract.evidence_policy", &self.evidence_policy),
        ]
    }

    /// The lines by situation.
    pub fn examples(&self) -> [(&'static str, &[Quoted]); 5] {
        [
            ("opening", &self.opening),
            ("challenge", &self.challenge),
            ("concession", &self.concession),
            ("crux", &self.crux),
            ("closing", &self.closing),
        ]
    }

    /// What keeps it from being a persona file, so that it can be asked for again.
    pub fn fault(&self) -> Option<String> {
        let long = |text: &str, most: usize| text.chars().count() > most;
        for (field, stated) in self.statements() {
            if stated.text.trim().is_empty() {
                return Some(format!("{field} is empty; say it in a sentence or two"));
            }
            if long(&stated.text, TEXT_CHARS) {
                return Some(format!("{field} is longer than {TEXT_CHARS} characters; shorten it"));
            }
        }
        let lists = [("flip_conditions", &self.flip_conditions, 1), ("speech_patterns", &self.speech_patterns, 1)];
        for (field, list, least) in lists {
            if list.len() < least || list.len() > ENTRIES {
                return Some(format!("{field} has {} entries; {least} to {ENTRIES} are wanted", list.len()));
            }
            if list.iter().any(|it| it.text.trim().is_empty() || long(&it.text, TEXT_CHARS)) {
                return Some(format!("an entry of {field} is empty or longer than {TEXT_CHARS} characters"));
            }
        }
        if self.vocabulary.iter().all(|it| it.trim().is_empty()) {
            return Some("vocabulary is empty; name words and phrases that they reach for".to_owned());
        }
        if long(&self.about, ABOUT_CHARS) || self.about.trim().is_empty() {
            return Some(format!("about is empty or longer than {ABOUT_CHARS} characters"));
        }
        None
    }
}
