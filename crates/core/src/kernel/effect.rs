//! Effects: requests to providers whose answers the present state of a debate needs.

use crate::events::audit::Auditor;
use crate::events::ids::PersonaId;
use crate::events::receipt::{EffectKey, Failure, PassageRef, SearchResult, Tier};
use crate::kernel::prompt::Prompt;

/// Request to a provider, identified by a stable key.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// Key of the effect.
    pub key: EffectKey,
    /// The voice that answers.
    pub voice: Responder,
    /// Model tier.
    pub tier: Tier,
    /// The prompt.
    pub prompt: Prompt,
    /// Query for passages to supply with the prompt; `None` for no passages.
    pub ground: Option<PassageQuery>,
    /// Queries that the kernel adds.
    pub added: AddedQueries,
}

/// Queries for passages that no engine asks for: the kernel adds them before an effect is started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddedQueries {
    /// Query for passages of the corpus that all participants share.
    pub shared: Option<PassageQuery>,
    /// Search that the speaker asked for.
    pub search: Option<PassageQuery>,
}

/// Voice that answers a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Responder {
    /// A persona.
    Persona(PersonaId),
    /// No persona: a neutral clerk that judges and distills.
    Clerk,
}

/// Query for passages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassageQuery {
    /// Texts that are searched.
    pub scope: PassageScope,
    /// Text of the query.
    pub text: String,
    /// Maximum number of passages.
    pub passages: u32,
}

/// Texts that a query searches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PassageScope {
    /// The corpus of a persona, or a shared one. If it cannot be searched, the prompt gets no passages.
    Writings(PersonaId),
    /// Texts that bear on a claim or a query, found by the search that is configured for evidence. If they cannot be searched,
    /// a fact check fails, and a speaker answers without them.
    Evidence {
        /// Participant whose own corpus is left out: nobody confirms themselves, and who searches has been given their own.
        without: Option<PersonaId>,
    },
}

/// Maximum number of characters of each topic of a query. The search reads only some hundred words, and the last topic
/// should count as well as the first.
pub const MAX_ABOUT_CHARS: usize = 600;

impl PassageQuery {
    /// Creates a query about several topics, most important first; `None` if no passages are wanted. Topics are prose:
    /// characters that a search would read as operators (quotation marks, and a minus before a word) are replaced by
    /// blanks.
    pub fn about<'a>(
        persona: &PersonaId,
        passages: u32,
        about: impl IntoIterator<Item = &'a str>,
    ) -> Option<PassageQuery> {
        let mut things: Vec<&str> = Vec::new();
        for thing in about.into_iter().map(str::trim).filter(|thing| !thing.is_empty()) {
            let end = thing.char_indices().nth(MAX_ABOUT_CHARS).map_or(thing.len(), |(at, _)| at);
            if !things.contains(&&thing[..end]) {
                things.push(&thing[..end]);
            }
        }
        let text = without_operators(&things.join("\n"));
        (passages > 0).then(|| PassageQuery { scope: PassageScope::Writings(persona.clone()), text, passages })
    }

    /// Leaves out the corpus of a participant.
    #[must_use]
    pub fn without(self, speaker: &PersonaId) -> PassageQuery {
        PassageQuery { scope: PassageScope::Evidence { without: Some(speaker.clone()) }, ..self }
    }

    /// Creates a query for texts that bear on a claim, of which the first [`MAX_ABOUT_CHARS`] characters count. It is prose
    /// too.
    pub fn evidence(claim: &str, passages: u32) -> PassageQuery {
        let claim: String = claim.trim().chars().take(MAX_ABOUT_CHARS).collect();
        PassageQuery { scope: PassageScope::Evidence { without: None }, text: without_operators(&claim), passages }
    }
}

/// Replaces quotation marks, and minuses before a word, by blanks.
fn without_operators(prose: &str) -> String {
    let mut text = String::new();
    for letter in prose.chars() {
        let commands = letter == '"' || letter == '-' && !text.ends_with(char::is_alphanumeric);
        text.push(if commands { ' ' } else { letter });
    }
    text
}

/// One attempt at an effect, ready to be carried out.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectAttempt {
    /// Key of the effect.
    pub key: EffectKey,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// Model tier.
    pub tier: Tier,
    /// Model chosen for the speaker, instead of the provider's model of the tier.
    pub model: Option<String>,
    /// True if the last reply was refused because it only repeated words: a provider that can penalizes repetition.
    pub is_after_repetition: bool,
    /// The prompt; its `text` includes the passages and the reason why the last reply was unreadable.
    pub prompt: Prompt,
    /// The search that the speaker had asked for; `None` if there was none.
    pub search: Option<SearchResult>,
    /// The supplied passages, followed, once the request is answered, by those that the provider found by itself.
    pub grounds: Vec<SuppliedPassage>,
    /// Qualification of the author of the answer as an auditor, once a request to read words is answered.
    pub auditor: Option<Auditor>,
}

/// Passages that were found for an effect.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recalled {
    /// Passages by the engine's query: of the speaker's own corpus, or evidence for a claim.
    pub own: Vec<SuppliedPassage>,
    /// Passages of the shared corpus.
    pub shared: Vec<SuppliedPassage>,
    /// Search that the speaker asked for; `None` if there was none.
    pub search: Option<Search>,
}

/// Search that was made for a speaker.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// Words that were searched for.
    pub query: String,
    /// Name of the search.
    pub by: String,
    /// The passages found, or the failure.
    pub found: Result<Vec<SuppliedPassage>, Failure>,
}

impl From<Vec<SuppliedPassage>> for Recalled {
    fn from(own: Vec<SuppliedPassage>) -> Recalled {
        Recalled { own, ..Recalled::default() }
    }
}

/// Passage of a corpus or of a web page, supplied with a prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct SuppliedPassage {
    /// Alias in the prompt, source and score.
    pub ground: PassageRef,
    /// Text of the passage.
    pub text: String,
    /// Title of the source document.
    pub title: String,
}

/// Creates an effect key from the purpose, the subject and an index among effects of that kind.
pub fn effect_key(purpose: &str, subject: impl std::fmt::Display, ordinal: u32) -> EffectKey {
    EffectKey { purpose: purpose.to_owned(), subject: subject.to_string(), ordinal }
}
