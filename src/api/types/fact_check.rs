//! Claims that were checked.

use async_graphql::{ID, SimpleObject};
use chrono::{DateTime, Utc};

use crate::api::types::grounding::Citation;
use crate::api::types::scalars::CheckVerdict;
use crate::events::check;
use crate::projections::fact_checks::{self, Check};

/// A claim that was checked. What a checker finds is its word: no verdict of the debate rests on it.
#[derive(SimpleObject, Clone)]
pub struct FactCheck {
    /// Its name in the debate: `f1`.
    id: ID,
    /// The turn in which the claim was made.
    turn_id: ID,
    /// Who made it; none for the moderator.
    speaker_id: Option<ID>,
    /// The claim: a sentence that can be checked.
    claim: String,
    /// The words of the turn that make it, where they are not the claim itself.
    quote: Option<String>,
    /// What came of it.
    verdict: CheckVerdict,
    /// What was found. A claim that is called true or false has one or more.
    sources: Vec<CheckSource>,
    /// By whom: the name of a search, of a corpus, of a model.
    by: String,
    /// How the sources bear on the claim.
    explanation: Option<String>,
    /// The checker's own, from 0 to 1.
    confidence: Option<f64>,
    /// The version of the event that recorded it.
    version: i64,
    /// When it was recorded.
    at: DateTime<Utc>,
}

/// Something that a check rests on.
#[derive(SimpleObject, Clone)]
pub struct CheckSource {
    /// What it is called.
    title: String,
    /// Where it is to be had: an address in the web, `http` or `https`.
    address: Option<String>,
    /// Its words that bear on the claim.
    excerpt: Option<String>,
    /// The passage of the library that it is, where it is one; the excerpt is checked against it.
    citation: Option<Citation>,
}

/// How the checks of somebody's claims came out. A claim that was checked twice counts twice.
#[derive(SimpleObject, Clone)]
pub struct Factuality {
    /// Called true.
    true_claims: u32,
    /// Called false.
    false_claims: u32,
    /// Not decided by anything that was found.
    unverifiable_claims: u32,
    /// The share of the true among those that were decided, from 0 to 1; none where none was.
    share: Option<f64>,
}

impl From<fact_checks::Factuality> for Factuality {
    fn from(it: fact_checks::Factuality) -> Self {
        let (true_claims, false_claims, unverifiable_claims) = (it.n_true, it.n_false, it.n_unverifiable);
        Factuality { true_claims, false_claims, unverifiable_claims, share: it.share }
    }
}

impl From<&Check> for FactCheck {
    fn from(check: &Check) -> Self {
        let checked = &check.checked;
        FactCheck {
            id: ID(checked.check.to_string()),
            turn_id: ID(checked.turn.to_string()),
            speaker_id: check.speaker.as_ref().map(|it| ID(it.to_string())),
            claim: checked.claim.clone(),
            quote: checked.quote.clone(),
            verdict: checked.verdict.into(),
            sources: checked.sources.iter().map(CheckSource::from).collect(),
            by: checked.by.clone(),
            explanation: checked.explanation.clone(),
            confidence: checked.confidence,
            version: check.version,
            at: check.at,
        }
    }
}

impl From<&check::Source> for CheckSource {
    fn from(source: &check::Source) -> Self {
        CheckSource {
            title: source.title.clone(),
            // A log that came in from elsewhere was not looked at when it was written: a page would link to it.
            address: source.address.clone().filter(|it| check::is_address(it)),
            excerpt: source.excerpt.clone(),
            citation: source.citation.as_ref().map(Citation::from),
        }
    }
}
