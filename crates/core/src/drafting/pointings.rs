//! Pointings: a model gives roles to numbered sentences of a corpus, for a draft of positions.
//!
//! It can name nothing that was not shown to it: sentences, claims of other personas and their parts, disputed questions.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::drafting::cues::is_telling;
use crate::drafting::material::SourcePassage;
use crate::events::argument::ArgumentPart;
use crate::events::dispute::Side;
use crate::events::ids::PersonaId;
use crate::positions::check::MIN_QUOTE_CHARS;
use crate::positions::model::{ClaimRef, ReplyKind, TopicPositions};
use crate::positions::parse::{MAX_NAME_BYTES, MAX_TEXT_BYTES};
use crate::positions::render::component;
use crate::questions::wording::TextFeatures;

/// Maximum number of sentences that are shown to the model; a schema can enumerate no more.
pub const MAX_SENTENCES: usize = 200;

/// Maximum number of claims, premises and assumptions of other personas that are shown.
pub const MAX_TARGETS: usize = 120;

/// Number of words from which a short name is made.
const NAME_WORDS: usize = 2;

/// Least length of a word in a short name.
const NAME_WORD_BYTES: usize = 4;

/// Reply of the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PointingsReply {
    /// Side that the author takes on the question.
    pub side: DraftSide,
    /// Sentences with their roles, at most 120.
    pub pointings: Vec<Pointing>,
}

/// Side on a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DraftSide {
    /// Yes.
    Yes,
    /// No.
    No,
    /// Yes in one case, no in another.
    Nuanced,
}

impl From<DraftSide> for Side {
    fn from(side: DraftSide) -> Side {
        match side {
            DraftSide::Yes => Side::Yes,
            DraftSide::No => Side::No,
            DraftSide::Nuanced => Side::Nuanced,
        }
    }
}

/// Role of a sentence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pointing {
    /// Number of the sentence: `s12`.
    pub sentence: String,
    /// Its role.
    pub role: Role,
    /// For a premise or a reason: the sentence that it supports. For a concession: the own claim that is given up.
    pub refers_to: Option<String>,
    /// For a reply: the claim of somebody else, or the part of it.
    pub answers: Option<String>,
    /// For a stance, and for what settles it: the disputed question.
    pub dispute: Option<String>,
    /// For a stance: the side.
    pub side: Option<DraftSide>,
}

/// Role of a sentence in the positions of its author.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// States the side on the question; exactly one.
    Statement,
    /// Can open a debate.
    Opening,
    /// Can close a debate.
    Closing,
    /// Says what would change the author's mind.
    Falsifier,
    /// Claims something that answers the question itself.
    Thesis,
    /// Claims something else.
    Claim,
    /// Supports a claim.
    Premise,
    /// Denies a claim of somebody else.
    Rebut,
    /// Denies a premise or an assumption of somebody else.
    Undermine,
    /// Denies that a claim of somebody else follows from its premises.
    Undercut,
    /// Grants what somebody else says, and gives up nothing.
    Grant,
    /// Grants what somebody else says, and gives up an own claim for it.
    Concede,
    /// Gives the reason of a reply.
    Reason,
    /// Takes a side on a disputed question.
    Stance,
    /// Says what would settle a disputed question.
    Settles,
}

impl Role {
    /// Returns the kind of reply; `None` if the role is no reply.
    pub fn reply(self) -> Option<ReplyKind> {
        match self {
            Role::Rebut => Some(ReplyKind::Rebut),
            Role::Undermine => Some(ReplyKind::Undermine),
            Role::Undercut => Some(ReplyKind::Undercut),
            Role::Grant => Some(ReplyKind::Grant),
            Role::Concede => Some(ReplyKind::Concede),
            _ => None,
        }
    }
}

/// Material of a draft: everything that a model can point at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointableMaterial {
    /// Short name of the topic.
    pub topic: String,
    /// Question of the topic.
    pub question: String,
    /// Sentences of the corpus; the first one is `s1`.
    pub sentences: Vec<PointableSentence>,
    /// Claims of other personas and their parts.
    pub targets: Vec<PointableTarget>,
    /// Disputed questions of other personas.
    pub disputes: Vec<PointableDispute>,
}

/// Sentence of a corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointableSentence {
    /// Name of the document.
    pub document: String,
    /// The sentence, unchanged.
    pub text: String,
}

/// Claim of another persona, or a part of it.
#[derive(Clone, Debug, PartialEq)]
pub struct PointableTarget {
    /// The claim.
    pub claim: ClaimRef,
    /// Part of the claim.
    pub part: ArgumentPart,
    /// Text of the part.
    pub text: String,
    /// True if the whole claim answers the topic, and its author stands on this side.
    pub thesis_of: Option<Side>,
}

impl PointableTarget {
    /// Returns the name by which a model refers to the part: `gus-ormerand/trade` or `gus-ormerand/trade premise 1`.
    pub fn name(&self) -> String {
        match self.part {
            ArgumentPart::Claim => self.claim.to_string(),
            part => format!("{} {}", self.claim, component(part)),
        }
    }
}

/// Disputed question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointableDispute {
    /// Short name.
    pub name: String,
    /// Question.
    pub question: String,
}

/// Returns the names of the sentences: `s1`, `s2`, and so on.
pub fn sentence_names(material: &PointableMaterial) -> Vec<String> {
    (1..=material.sentences.len()).map(|number| format!("s{number}")).collect()
}

/// Selects at most [`MAX_SENTENCES`] sentences that can be quoted, in the order of the documents. Passages that share
/// content words with the question take precedence, then those with sentences that concede or doubt.
pub fn select(passages: &[SourcePassage], question: &str) -> Vec<PointableSentence> {
    let wanted: BTreeSet<String> = content_words(question).collect();
    let weight = |passage: &SourcePassage| {
        let words: BTreeSet<String> = passage.sentences.iter().flat_map(|sentence| content_words(sentence)).collect();
        let telling = passage.sentences.iter().filter(|sentence| is_telling(sentence)).count().min(3);
        2 * words.intersection(&wanted).count() + telling
    };
    let fits = |sentence: &&String| {
        let is_line = !sentence.contains(char::is_control);
        is_line && sentence.chars().count() >= MIN_QUOTE_CHARS && sentence.len() <= MAX_TEXT_BYTES
    };
    let mut order: Vec<usize> = (0..passages.len()).collect();
    order.sort_by_key(|at| (std::cmp::Reverse(weight(&passages[*at])), *at));
    let mut room = MAX_SENTENCES;
    let mut taken: Vec<usize> = order
        .into_iter()
        .filter(|at| {
            let size = passages[*at].sentences.iter().filter(fits).count();
            let has_room = size <= room;
            room -= if has_room { size } else { 0 };
            has_room
        })
        .collect();
    taken.sort_unstable();
    let sentences = taken.into_iter().flat_map(|at| {
        let passage = &passages[at];
        let sentence = |text: &String| PointableSentence { document: passage.document.clone(), text: text.clone() };
        passage.sentences.iter().filter(fits).map(sentence).collect::<Vec<_>>()
    });
    sentences.collect()
}

fn content_words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).map(str::to_lowercase);
    words.filter(|word| word.len() >= NAME_WORD_BYTES && TextFeatures::is_full(word))
}

/// Lists the claims of other personas on a topic with their parts, those of each persona in turn.
pub fn targets<'a>(others: impl IntoIterator<Item = (&'a PersonaId, &'a TopicPositions)>) -> Vec<PointableTarget> {
    let mut targets = Vec::new();
    for (persona, topic) in others {
        for claim in &topic.claims {
            let reference = ClaimRef { persona: persona.clone(), claim: claim.name.clone() };
            let parts = std::iter::once(ArgumentPart::Claim)
                .chain((0..).take(claim.premises.len()).map(ArgumentPart::Premise))
                .chain((0..).take(claim.assumptions.len()).map(ArgumentPart::Assumption));
            targets.extend(parts.map(|part| PointableTarget {
                claim: reference.clone(),
                part,
                text: claim.part(part).unwrap_or_default().to_owned(),
                thesis_of: claim.answers_topic.then_some(topic.side),
            }));
        }
    }
    targets.truncate(MAX_TARGETS);
    targets
}

/// Makes a short name of the first content words of a text that is not among `names`, and adds it.
pub fn short_name(text: &str, names: &mut BTreeSet<String>) -> String {
    let is_plain = |word: &String| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let words: Vec<String> = content_words(text).filter(is_plain).take(NAME_WORDS).collect();
    let name: String = words.join("-").chars().take(MAX_NAME_BYTES - 4).collect();
    let name = if name.is_empty() { "claim".to_owned() } else { name };
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let free = std::iter::once(name.clone()).chain(numbered).find(|name| !names.contains(name)).unwrap_or(name);
    names.insert(free.clone());
    free
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_near_the_question_are_selected_and_keep_their_order() {
        let passage = |document: &str, sentence: &str, n: usize| SourcePassage {
            document: document.to_owned(),
            sentences: (0..n).map(|number| format!("{sentence} Number {number}.")).collect(),
            ..SourcePassage::default()
        };
        let passages = [
            passage("a", "It rained on the harbour.", 150),
            passage("b", "The ferry at night is full.", 120),
            passage("c", "It rained on the moor.", 60),
        ];
        let selected = select(&passages, "Should the ferry run at night?");
        assert_eq!(selected.len(), 180);
        assert_eq!((selected[0].document.as_str(), selected[179].document.as_str()), ("b", "c"));
    }

    #[test]
    fn short_names_are_made_of_content_words_and_differ() {
        let mut names = BTreeSet::new();
        let made =
            ["The ferry crews are tired.", "The ferry crews sleep.", "Is it so?"].map(|it| short_name(it, &mut names));
        assert_eq!(made, ["ferry-crews", "ferry-crews-2", "claim"]);
    }
}
