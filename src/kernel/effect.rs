//! Effects: questions to the world that a debate's present state lacks the answers to.

use crate::events::ids::PersonaId;
use crate::events::receipt::{EffectKey, Ground, Tier};
use crate::kernel::prompt::Prompt;

/// A question, under the key by which it is always asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// The key.
    pub key: EffectKey,
    /// Whose voice answers.
    pub voice: Voice,
    /// How much thought it deserves.
    pub tier: Tier,
    /// The question.
    pub prompt: Prompt,
    /// Lay the persona's own passages beside the prompt: those that fit this query best.
    pub ground: Option<Query>,
}

/// Whose voice answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Voice {
    /// A persona's.
    Persona(PersonaId),
    /// The voice of no one: judging, distilling.
    Clerk,
}

/// What to look for in a persona's corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// Whose corpus.
    pub persona: PersonaId,
    /// What about.
    pub text: String,
    /// How many passages at the most.
    pub passages: u32,
}

/// The most characters of each thing that a query is about: the search reads some hundred words, and the last thing is to
/// count as well as the first.
pub const MAX_ABOUT_CHARS: usize = 600;

impl Query {
    /// A query about several things, most telling first; `None` where no passages are wanted. They are prose: what a search
    /// would read as a command in them, quotation marks and a minus before a word, is left out.
    pub fn about<'a>(persona: &PersonaId, passages: u32, about: impl IntoIterator<Item = &'a str>) -> Option<Query> {
        let mut things: Vec<&str> = Vec::new();
        for thing in about.into_iter().map(str::trim).filter(|it| !it.is_empty()) {
            let end = thing.char_indices().nth(MAX_ABOUT_CHARS).map_or(thing.len(), |(at, _)| at);
            if !things.contains(&&thing[..end]) {
                things.push(&thing[..end]);
            }
        }
        let mut text = String::new();
        for letter in things.join("\n").chars() {
            let commands = letter == '"' || letter == '-' && !text.ends_with(char::is_alphanumeric);
            text.push(if commands { ' ' } else { letter });
        }
        (passages > 0).then(|| Query { persona: persona.clone(), text, passages })
    }
}

/// An effect about to be carried out: one attempt at it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// The key.
    pub key: EffectKey,
    /// Which attempt, from 1.
    pub attempt: u32,
    /// How much thought it deserves.
    pub tier: Tier,
    /// The question; `text` holds the passages and what was wrong with the last reply as well.
    pub prompt: Prompt,
    /// The passages that were laid beside it; behind them, once it is answered, those that the provider found by itself.
    pub grounds: Vec<Passage>,
}

/// A passage of a persona's corpus, laid beside a prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// What the prompt calls it, and where it is stored.
    pub ground: Ground,
    /// The passage itself.
    pub text: String,
    /// The title of the text it is from.
    pub title: String,
}

/// Names a question: what for, of whom or about what, and which of several of that kind.
pub fn key(purpose: &str, subject: impl std::fmt::Display, ordinal: u32) -> EffectKey {
    EffectKey { purpose: purpose.to_owned(), subject: subject.to_string(), ordinal }
}
