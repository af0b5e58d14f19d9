//! GraphQL types of fact checks.

use async_graphql::{ID, SimpleObject};
use chrono::{DateTime, Utc};

use crate::api::types::debate::debate_ref::ParticipantSource;
use crate::api::types::debate_object::DebateObject;
use crate::api::types::scalars::{CheckVerdict, QuoteCheck};
use crate::api::types::speech::grounding::Citation;
use faultline_core::events::checks::check;
use faultline_core::projections::fact_checks;
use faultline_core::projections::fact_checks::{FactCheck as CoreFactCheck, FactChecks};

/// A fact check of a claim. It is the finding of a checker; verdicts do not depend on it.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct FactCheck {
    /// Unique id, also accepted by `node`.
    pub(crate) id: ID,
    /// Short id within the debate, such as `f1`. Fields that refer to objects of the same debate contain short ids.
    short_id: ID,
    /// Id of the turn that made the claim; null if it was made in a draft that became no turn.
    turn_id: Option<ID>,
    /// Short id of the draft that made it, if it was checked before it was said.
    draft_id: Option<ID>,
    /// Id of the participant who made it; null for the moderator.
    pub(crate) speaker_id: Option<ID>,
    /// Claim, as a sentence that can be checked.
    claim: String,
    /// Words of the turn that make the claim, if they differ from it.
    quote: Option<String>,
    /// Result.
    verdict: CheckVerdict,
    /// Sources. A claim that is found true or false has at least one.
    sources: Vec<CheckSource>,
    /// Name of the checker: a search engine, a corpus or a model.
    by: String,
    /// Explanation of what the sources say about the claim.
    explanation: Option<String>,
    /// Confidence of the checker, from 0 to 1.
    confidence: Option<f64>,
    /// Id of the earlier check of the same claim whose result was taken over, if any.
    same_as_id: Option<ID>,
    /// Version of the event that recorded it.
    version: i64,
    /// Time at which it was recorded.
    at: DateTime<Utc>,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

/// A source of a fact check.
#[derive(SimpleObject, Clone)]
pub struct CheckSource {
    /// Title.
    title: String,
    /// Web address, `http` or `https`.
    address: Option<String>,
    /// Relevant excerpt.
    excerpt: Option<String>,
    /// Result of looking for the excerpt in the text that the checker was given; null if nobody looked.
    excerpt_check: Option<QuoteCheck>,
    /// Passage of the library, if the source is one; the excerpt is checked against it.
    citation: Option<Citation>,
}

/// Claim without a result: its check is under way, or was given up.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct UncheckedClaim {
    /// Short id of its check, such as `f1`.
    short_id: ID,
    /// Id of the turn that made the claim; null if it was made in a draft that became no turn.
    turn_id: Option<ID>,
    /// Short id of the draft that made it, if it was to be checked before it was said.
    draft_id: Option<ID>,
    /// Id of the participant who made it.
    pub(crate) speaker_id: ID,
    /// Claim, as a sentence that can be checked.
    claim: String,
    /// Words that make the claim.
    quote: String,
    /// Reason for which the check was given up; null while it is under way.
    reason: Option<String>,
    /// Version of the event that recorded the claim.
    version: i64,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

impl UncheckedClaim {
    /// Builds all of a debate with these participants, in order.
    pub fn all(checks: &FactChecks, participants: &ParticipantSource) -> Vec<UncheckedClaim> {
        let built = checks.unchecked.iter().map(|(check, it)| UncheckedClaim {
            short_id: ID(check.to_string()),
            turn_id: checks.turn_with(it.turn, it.draft).map(|turn| ID(turn.to_string())),
            draft_id: it.draft.map(|draft| ID(draft.to_string())),
            speaker_id: ID(it.speaker.to_string()),
            claim: it.claim.claim.clone(),
            quote: it.claim.quote.clone(),
            reason: it.reason.clone(),
            version: it.version,
            participants: participants.clone(),
        });
        built.collect()
    }
}

/// Summary of the fact checks of what was said; rejected drafts are left out. A claim that was made in two turns counts twice.
#[derive(SimpleObject, Clone)]
pub struct Factuality {
    /// Number of claims found true.
    true_claims: u32,
    /// Number of claims found false.
    false_claims: u32,
    /// Number of claims that no source decided.
    unverifiable_claims: u32,
    /// Number of claims without a result: their check is under way, or was given up.
    unchecked_claims: u32,
    /// Share of true claims among the decided ones, from 0 to 1; null if there are none.
    share: Option<f64>,
}

impl From<fact_checks::Factuality> for Factuality {
    fn from(it: fact_checks::Factuality) -> Self {
        let (true_claims, false_claims, unverifiable_claims) = (it.n_true, it.n_false, it.n_unverifiable);
        let (unchecked_claims, share) = (it.n_unchecked, it.share);
        Factuality { true_claims, false_claims, unverifiable_claims, unchecked_claims, share }
    }
}

impl FactCheck {
    /// Builds a fact check of a debate with these checks and participants.
    pub fn new(check: &CoreFactCheck, checks: &FactChecks, participants: &ParticipantSource) -> Self {
        let checked = &check.checked;
        FactCheck {
            id: participants.object_id(DebateObject::FactCheck(checked.check)),
            short_id: ID(checked.check.to_string()),
            turn_id: checks.turn_of(check).map(|turn| ID(turn.to_string())),
            draft_id: checked.draft.map(|draft| ID(draft.to_string())),
            speaker_id: check.speaker.as_ref().map(|speaker| ID(speaker.to_string())),
            claim: checked.claim.clone(),
            quote: checked.quote.clone(),
            verdict: checked.verdict.into(),
            sources: checked.sources.iter().map(CheckSource::from).collect(),
            by: checked.by.clone(),
            explanation: checked.explanation.clone(),
            confidence: checked.confidence,
            same_as_id: checked.same_as.map(|check| ID(check.to_string())),
            version: check.version,
            at: check.at,
            participants: participants.clone(),
        }
    }
}

impl From<&check::EvidenceSource> for CheckSource {
    fn from(source: &check::EvidenceSource) -> Self {
        CheckSource {
            title: source.title.clone(),
            // Addresses of imported logs were not validated when they were written, and a page would link to them.
            address: source.address.clone().filter(|address| check::is_web_address(address)),
            excerpt: source.excerpt.clone(),
            excerpt_check: source.check.map(QuoteCheck::from),
            citation: source.citation.as_ref().map(Citation::from),
        }
    }
}
