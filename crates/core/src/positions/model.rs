//! Positions of a persona: topics with claims, replies, disputes and a crux.
//!
//! Every element carries the line of the file in which it begins, from 1.

use std::collections::BTreeMap;
use std::fmt;

use crate::events::argument::{ArgumentPart, AttackKind};
use crate::events::checks::check::CheckVerdict;
use crate::events::dispute::Side;
use crate::events::ids::PersonaId;
use crate::events::turn::ConcessionExtent;
use crate::questions::wording::says_the_same;

/// Positions of several personas, by id.
pub type AllPositions = BTreeMap<PersonaId, Positions>;

/// Positions of a persona.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Positions {
    /// Topics, in the order of the file.
    pub topics: Vec<TopicPositions>,
}

impl Positions {
    /// Returns the positions on a topic.
    pub fn topic(&self, name: &str) -> Option<&TopicPositions> {
        self.topics.iter().find(|topic| topic.name == name)
    }

    /// Returns the positions on the topic that a text asks about, in any of its annotated wordings.
    pub fn topic_asked_by(&self, text: &str) -> Option<&TopicPositions> {
        self.topics.iter().find(|topic| topic.is_asked_by(text))
    }
}

/// Positions on one topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicPositions {
    /// Short name, equal in the files of all personas that wrote about the topic.
    pub name: String,
    /// Question of the topic, answerable with yes or no.
    pub question: String,
    /// Other wordings of the question, with the same meaning.
    pub wordings: Vec<String>,
    /// Side of the persona before anybody has changed its mind.
    pub side: Side,
    /// Sentence that states the side.
    pub statement: PassageQuote,
    /// Passages with which it may open, at least one.
    pub openings: Vec<PassageQuote>,
    /// Passages with which it may close, at least one.
    pub closings: Vec<PassageQuote>,
    /// Conditions under which it would change its mind.
    pub falsifiers: Vec<PassageQuote>,
    /// Claims, in the order in which the author would make them.
    pub claims: Vec<AnnotatedClaim>,
    /// Replies to claims of other personas.
    pub replies: Vec<AnnotatedReply>,
    /// Pairs of claims that do not conflict.
    pub compatible: Vec<CompatibleClaims>,
    /// Disputes on which it has a side.
    pub disputes: Vec<AnnotatedDispute>,
    /// Crux that it would name, if any.
    pub crux: Option<AnnotatedCrux>,
    /// Facts on which its writings bear: sentences of its own and of other personas.
    pub facts: Vec<AnnotatedFact>,
    /// Line of the topic.
    pub line: usize,
}

impl TopicPositions {
    /// Returns the claim with this short name.
    pub fn claim(&self, name: &str) -> Option<&AnnotatedClaim> {
        self.claims.iter().find(|claim| claim.name == name)
    }

    /// Returns the dispute that asks this question.
    pub fn dispute_asking(&self, question: &str) -> Option<&AnnotatedDispute> {
        self.disputes.iter().find(|dispute| says_the_same(&dispute.question, question))
    }

    /// Returns true if a text asks the question of the topic in any of its annotated wordings. White space, case and
    /// punctuation may differ.
    pub fn is_asked_by(&self, text: &str) -> bool {
        self.all_wordings().any(|wording| says_the_same(wording, text))
    }

    /// Returns the question and its other wordings.
    pub fn all_wordings(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.question).chain(&self.wordings).map(String::as_str)
    }

    /// Returns the dispute with this short name.
    pub fn dispute(&self, name: &str) -> Option<&AnnotatedDispute> {
        self.disputes.iter().find(|dispute| dispute.name == name)
    }
}

/// Words of the persona, as they stand in one passage of its writings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassageQuote {
    /// Name of the document: the stem of its file.
    pub document: String,
    /// Words, byte for byte.
    pub quote: String,
    /// Line of the quotation.
    pub line: usize,
}

/// Support of a claim, or reason of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Words of the persona.
    Quoted(PassageQuote),
    /// Words of the author of the file, for something that the writings take for granted. Never shown as a quotation.
    Own(String),
}

impl Basis {
    /// Returns the words, quoted or written.
    pub fn text(&self) -> &str {
        match self {
            Basis::Quoted(quote) => &quote.quote,
            Basis::Own(text) => text,
        }
    }
}

/// Claim of the persona.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnnotatedClaim {
    /// Short name, unique in the topic.
    pub name: String,
    /// Sentence that makes the claim.
    pub sentence: PassageQuote,
    /// Premises.
    pub premises: Vec<Basis>,
    /// Assumptions: what the claim takes for granted.
    pub assumptions: Vec<Basis>,
    /// True if the claim itself answers the topic.
    pub answers_topic: bool,
    /// True if the claim is a reason for the persona's side of the topic. Other claims answer something else, or state what
    /// both sides can accept.
    pub supports_side: bool,
    /// Line of the claim.
    pub line: usize,
}

impl AnnotatedClaim {
    /// Returns true if the claim is the persona's answer to the topic, or a reason for it.
    pub fn is_for_its_side(&self) -> bool {
        self.answers_topic || self.supports_side
    }

    /// Returns the text of a part; `None` if the claim has no such part.
    pub fn part(&self, part: ArgumentPart) -> Option<&str> {
        match part {
            ArgumentPart::Claim => Some(&self.sentence.quote),
            ArgumentPart::Premise(at) => self.premises.get(at as usize).map(Basis::text),
            ArgumentPart::Assumption(at) => self.assumptions.get(at as usize).map(Basis::text),
        }
    }
}

/// Reference to a claim of another persona: `gus-ormerand/deliveries`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClaimRef {
    /// Persona that makes the claim.
    pub persona: PersonaId,
    /// Short name of the claim.
    pub claim: String,
}

impl fmt::Display for ClaimRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.persona, self.claim)
    }
}

/// Reply to a claim of another persona.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnnotatedReply {
    /// Claim that is answered.
    pub to: ClaimRef,
    /// Kind of reply.
    pub kind: ReplyKind,
    /// Part of the claim that the reply is about.
    pub component: ArgumentPart,
    /// False for a grant whose words give a point without saying that the component itself is true. It grants no statement.
    pub in_words: bool,
    /// Own claim that carries an attack; without one, the words carry it.
    pub with: Option<String>,
    /// Words in which the reply is made, at least one quotation, in the order in which they are spoken.
    pub words: Vec<PassageQuote>,
    /// Reason for the reply.
    pub reason: Basis,
    /// Consequences of a concession; empty for other kinds.
    pub gives_way: Vec<GivesWay>,
    /// Claims of others that must have been made before the reply is possible, besides `to`.
    pub needs: Vec<ClaimRef>,
    /// Line of the reply.
    pub line: usize,
}

/// Kind of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyKind {
    /// Attacks the claim.
    Rebut,
    /// Attacks a premise or an assumption.
    Undermine,
    /// Attacks the step from a part to the claim.
    Undercut,
    /// Accepts a part of the claim as true, and gives up nothing.
    Grant,
    /// Gives up something of its own: see [`AnnotatedReply::gives_way`].
    Concede,
    /// Moves the discussion to another question, without an attack.
    Reframe,
    /// States that the claim and the persona's own claims can both hold.
    Compatible,
}

impl ReplyKind {
    /// Name in the file: `rebut`, `undermine`, `undercut`, `grant`, `concede`, `reframe` or `compatible`.
    pub fn name(self) -> &'static str {
        match self {
            ReplyKind::Rebut => "rebut",
            ReplyKind::Undermine => "undermine",
            ReplyKind::Undercut => "undercut",
            ReplyKind::Grant => "grant",
            ReplyKind::Concede => "concede",
            ReplyKind::Reframe => "reframe",
            ReplyKind::Compatible => "compatible",
        }
    }

    /// Returns the kind of attack; `None` if the reply is no attack.
    pub fn attack(self) -> Option<AttackKind> {
        match self {
            ReplyKind::Rebut => Some(AttackKind::Rebut),
            ReplyKind::Undermine => Some(AttackKind::Undermine),
            ReplyKind::Undercut => Some(AttackKind::Undercut),
            _ => None,
        }
    }
}

/// Consequence of a concession.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GivesWay {
    /// An own claim is given up, narrowed or put under a condition.
    Claim {
        /// Short name of the own claim.
        name: String,
        /// Extent of the concession.
        extent: ConcessionExtent,
        /// Claim that remains; `None` if the claim is given up.
        becomes: Option<PassageQuote>,
    },
    /// The persona changes its side of a dispute.
    Dispute {
        /// Short name of the dispute.
        name: String,
        /// New side.
        side: Side,
    },
    /// The persona changes its side of the topic.
    Topic {
        /// New side.
        side: Side,
        /// Passage with which it closes from then on; `None` for any of its closing passages.
        closing: Option<PassageQuote>,
    },
}

/// Own claims that do not conflict with a claim of another persona.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompatibleClaims {
    /// Claim of another persona.
    pub with: ClaimRef,
    /// Short names of own claims.
    pub claims: Vec<String>,
    /// Reason, in the author's words.
    pub reason: String,
    /// Line of the entry.
    pub line: usize,
}

/// Dispute on which the persona has a side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnnotatedDispute {
    /// Short name, equal in the files of all personas that have a side.
    pub name: String,
    /// Question, answerable with yes or no, equal in all files.
    pub question: String,
    /// Side of the persona.
    pub side: Side,
    /// Sentence that states the side.
    pub words: PassageQuote,
    /// Observations that would settle the dispute, in the persona's words, at least one.
    pub settled_by: Vec<PassageQuote>,
    /// Line of the dispute.
    pub line: usize,
}

/// Sentence that can be checked, with the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnnotatedFact {
    /// Persona whose sentence it is.
    pub of: PersonaId,
    /// The sentence, byte for byte a part of a quotation in that persona's positions on the topic.
    pub sentence: String,
    /// Result: what the source says on the sentence, or that no corpus decides it.
    pub verdict: CheckVerdict,
    /// Words of the persona whose file it is, which decide the sentence; `None` if nothing does.
    pub source: Option<PassageQuote>,
    /// Explanation of how the source bears on the sentence, in the words of the author of the file.
    pub reason: String,
    /// Line of the entry.
    pub line: usize,
}

/// Crux that the persona would name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnnotatedCrux {
    /// Short name of the dispute that is the crux.
    pub dispute: String,
    /// Words in which the persona names it.
    pub words: PassageQuote,
    /// Personas with whose crux it could agree, with the words.
    pub signs: Vec<CruxSignature>,
    /// Line of the crux.
    pub line: usize,
}

/// Agreement with the crux of another persona.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CruxSignature {
    /// Persona whose crux is acknowledged.
    pub persona: PersonaId,
    /// Words of the acknowledgement.
    pub words: PassageQuote,
    /// Line of the entry.
    pub line: usize,
}
