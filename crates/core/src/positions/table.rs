//! Tables of a positions file as they stand in TOML, before names and references are resolved.

use serde::Deserialize;
use toml::Spanned;

use crate::events::dispute::Side;
use crate::events::turn::ConcessionExtent;
use crate::positions::model::ReplyKind;

/// File.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileTable {
    /// Topics.
    pub topics: Vec<TopicTable>,
}

/// Entry of `topics`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopicTable {
    /// Short name.
    pub name: Spanned<String>,
    /// Question.
    pub question: String,
    /// Other wordings of the question.
    #[serde(default)]
    pub wordings: Vec<String>,
    /// Side.
    pub side: Side,
    /// Sentence that states the side.
    pub statement: QuoteTable,
    /// Opening passages.
    pub opening: Vec<QuoteTable>,
    /// Closing passages.
    pub closing: Vec<QuoteTable>,
    /// Conditions that would change its mind.
    #[serde(default)]
    pub falsifiers: Vec<QuoteTable>,
    /// Claims.
    #[serde(default)]
    pub claims: Vec<ClaimTable>,
    /// Replies.
    #[serde(default)]
    pub replies: Vec<ReplyTable>,
    /// Pairs of claims that do not conflict.
    #[serde(default)]
    pub compatible: Vec<CompatibleTable>,
    /// Disputes.
    #[serde(default)]
    pub disputes: Vec<DisputeTable>,
    /// Crux.
    pub crux: Option<CruxTable>,
    /// Facts.
    #[serde(default)]
    pub facts: Vec<FactTable>,
}

/// Entry of `facts`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FactTable {
    /// Persona whose sentence it is.
    pub of: Spanned<String>,
    /// The sentence.
    pub sentence: String,
    /// Result.
    pub verdict: FactVerdict,
    /// Words that decide it.
    pub source: Option<QuoteTable>,
    /// Explanation.
    pub reason: String,
}

/// Result of a fact in a file.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactVerdict {
    /// The source says the same.
    True,
    /// The source contradicts it.
    False,
    /// Nothing decides it.
    Unknown,
}

/// Quotation: `{ document = "parapet-notebook", quote = "..." }`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuoteTable {
    /// Name of the document.
    pub document: Spanned<String>,
    /// Words.
    pub quote: String,
}

/// Premise, assumption or reason: a quotation, or `{ own = "..." }`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BasisTable {
    /// Name of the document.
    pub document: Option<Spanned<String>>,
    /// Words.
    pub quote: Option<Spanned<String>>,
    /// Words of the author of the file.
    pub own: Option<Spanned<String>>,
}

/// Entry of `claims`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimTable {
    /// Short name.
    pub name: Spanned<String>,
    /// Sentence that makes the claim.
    pub sentence: QuoteTable,
    /// Premises.
    #[serde(default)]
    pub premises: Vec<BasisTable>,
    /// Assumptions.
    #[serde(default)]
    pub assumptions: Vec<BasisTable>,
    /// True if the claim answers the topic.
    #[serde(default)]
    pub answers_topic: bool,
    /// True if the claim is a reason for the side of the topic.
    #[serde(default)]
    pub supports_side: bool,
}

/// Entry of `replies`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplyTable {
    /// Answered claim: `gus-ormerand/deliveries`.
    pub to: Spanned<String>,
    /// Kind of reply.
    pub kind: ReplyKind,
    /// Part of the claim: `claim`, `premise 1`, `assumption 2`.
    pub component: Option<Spanned<String>>,
    /// False for a grant whose words do not say that the component is true.
    #[serde(default = "yes")]
    pub in_words: bool,
    /// Own claim that carries an attack.
    pub with: Option<String>,
    /// Words in which the reply is made.
    pub words: Vec<QuoteTable>,
    /// Reason.
    pub reason: BasisTable,
    /// Consequences of a concession.
    #[serde(default)]
    pub gives_way: Vec<GivesWayTable>,
    /// Claims that must have been made before.
    #[serde(default)]
    pub needs: Vec<Spanned<String>>,
}

fn yes() -> bool {
    true
}

/// Entry of `gives_way`: `{ claim = "takings", extent = "partial", becomes = { ... } }`, `{ dispute = "seconds", side = "yes" }`
/// or `{ topic = "no", closing = { ... } }`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivesWayTable {
    /// Own claim.
    pub claim: Option<Spanned<String>>,
    /// Extent to which the claim is given up.
    pub extent: Option<ConcessionExtent>,
    /// Claim that remains.
    pub becomes: Option<QuoteTable>,
    /// Dispute.
    pub dispute: Option<Spanned<String>>,
    /// New side of the dispute.
    pub side: Option<Side>,
    /// New side of the topic.
    pub topic: Option<Side>,
    /// Passage with which the persona closes after it changed its side of the topic.
    pub closing: Option<QuoteTable>,
}

/// Entry of `compatible`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompatibleTable {
    /// Claim of another persona.
    pub with: Spanned<String>,
    /// Own claims.
    pub claims: Vec<String>,
    /// Reason.
    pub reason: String,
}

/// Entry of `disputes`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DisputeTable {
    /// Short name.
    pub name: Spanned<String>,
    /// Question.
    pub question: String,
    /// Side.
    pub side: Side,
    /// Sentence that states the side.
    pub words: QuoteTable,
    /// Observations that would settle it.
    pub settled_by: Vec<QuoteTable>,
}

/// Table `crux`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CruxTable {
    /// Dispute that is the crux.
    pub dispute: Spanned<String>,
    /// Words in which it is named.
    pub words: QuoteTable,
    /// Acknowledged cruxes of others.
    #[serde(default)]
    pub signs: Vec<SignatureTable>,
}

/// Entry of `crux.signs`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignatureTable {
    /// Persona.
    pub persona: Spanned<String>,
    /// Words of the acknowledgement.
    pub words: QuoteTable,
}
