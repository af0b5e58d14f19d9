//! Decides whether a reply accepts a proposal, and which side of the topic it takes.
//!
//! An acceptance needs words and a reason. A speaker who stands on the other side of the topic than the author of the
//! proposal accepts nothing, unless they say that they changed sides.

use crate::engines::dialectic::schema::{AcceptanceReply, TopicReply};
use crate::events::dispute::Side;
use crate::events::ids::{PersonaId, TurnId};
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::verdicts::topic::{are_opposite, stood_against, topic_side};

/// Maximum length of a sentence on the topic or of an acceptance, in characters.
const MAX_WORDS: usize = 600;

/// Acceptance in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acceptance {
    /// The words of acceptance.
    pub words: String,
    /// The reason.
    pub reason: String,
    /// Words in which the speaker says that they changed sides.
    pub change_of_mind: Option<String>,
}

/// Side of the topic, with the words that state it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicSide {
    /// The side.
    pub side: Side,
    /// The words.
    pub words: String,
}

/// Reads the side of the topic. A side without words is added to `refused`.
pub fn topic_words(reply: Option<&TopicReply>, refused: &mut Vec<String>) -> Option<TopicSide> {
    let reply = reply?;
    let (side, words) = (Side::from(reply.side), sentence(&reply.words));
    if words.is_empty() {
        refused.push(format!("takes the side {} on the topic without words", side.name()));
        return None;
    }
    Some(TopicSide { side, words })
}

/// Reads an acceptance of a proposal by `author`. Adds the reason to `refused` if the reply accepts nothing. If the reply
/// takes no side of the topic but says that the speaker changed sides, `topic` becomes the author's side in those words.
pub fn acceptance(
    disputes: &DisputeGraph,
    (speaker, turn): (&PersonaId, TurnId),
    author: &PersonaId,
    reply: Option<&AcceptanceReply>,
    topic: &mut Option<TopicSide>,
    refused: &mut Vec<String>,
) -> Option<Acceptance> {
    let (words, reason) = reply.map(|it| (sentence(&it.words), sentence(&it.reason))).unwrap_or_default();
    if words.is_empty() || reason.is_empty() {
        let missing = if words.is_empty() { "words of acceptance" } else { "a reason" };
        refused.push(format!("accepts the proposal without {missing}"));
        return None;
    }
    let change_of_mind = optional(reply.and_then(|it| it.change_of_mind.as_deref()));
    let theirs = topic_side(disputes, author);
    let now = topic.as_ref().map(|topic| topic.side);
    if are_opposite(now, theirs) {
        refused.push(format!("accepts a proposal of {author} from the other side of the topic"));
        return None;
    }
    let stood_against = stood_against(disputes, speaker, author, turn);
    if stood_against && change_of_mind.is_none() {
        refused.push(format!(
            "accepts a proposal of {author} from the other side of the topic without saying that they changed sides"
        ));
        return None;
    }
    if let (None, true, Some(words), Some(side)) = (now, stood_against, &change_of_mind, theirs) {
        *topic = Some(TopicSide { side, words: words.clone() });
    }
    Some(Acceptance { words, reason, change_of_mind: change_of_mind.filter(|_| stood_against) })
}

/// Returns the sentences of an acceptance in the order in which they are said, without blank ones.
pub fn sentences(reply: &AcceptanceReply) -> Vec<String> {
    let change = reply.change_of_mind.as_deref().unwrap_or_default();
    [change, &reply.words, &reply.reason].map(sentence).into_iter().filter(|sentence| !sentence.is_empty()).collect()
}

/// Returns an optional sentence on one line, cut at the maximum; `None` if it is blank.
pub fn optional(given: Option<&str>) -> Option<String> {
    given.map(sentence).filter(|sentence| !sentence.is_empty())
}

/// Returns a text on one line, cut at the maximum.
fn sentence(given: &str) -> String {
    let line = given.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(MAX_WORDS).collect::<String>().trim_end().to_owned()
}
