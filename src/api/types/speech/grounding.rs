//! GraphQL types of citations, quotations and grounding statistics.

use async_graphql::{ID, SimpleObject};
use uuid::Uuid;

use crate::api::types::scalars::QuoteCheck;
use crate::api::types::speech::search::WebPage;
use faultline_core::events::citation;
use faultline_core::events::receipt::SuspectPassage;
use faultline_core::projections::grounding;

/// A passage cited by a turn or a piece of evidence.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Citation {
    /// Alias of the passage in the prompt.
    alias: String,
    /// Id of the stored passage. One of a web page is not in the library.
    passage_id: ID,
    /// The web page; null for a passage of the library.
    page: Option<WebPage>,
    /// Quotations from the passage, each checked against it.
    quotes: Vec<Quote>,
    #[graphql(skip)]
    pub(crate) chunk: Uuid,
}

/// A quotation, and the result of checking it.
#[derive(SimpleObject, Clone)]
pub struct Quote {
    /// Quoted words.
    text: String,
    /// Result of the comparison with the passage.
    check: QuoteCheck,
    /// Location in the passage: one range, or one for each piece of an abridged quotation; empty if it was not found.
    ranges: Vec<ByteRange>,
}

/// A byte range of a passage's text.
#[derive(SimpleObject, Clone)]
pub struct ByteRange {
    /// Start, inclusive.
    start: u32,
    /// End, exclusive.
    end: u32,
}

impl From<&citation::Citation> for Citation {
    fn from(citation: &citation::Citation) -> Self {
        let range = |range: &citation::ByteRange| ByteRange { start: range.from, end: range.to };
        let quotes = citation.quotes.iter().map(|quote| Quote {
            text: quote.text.clone(),
            check: quote.check.into(),
            ranges: quote.ranges.iter().map(range).collect(),
        });
        Citation {
            alias: citation.alias.clone(),
            passage_id: ID(citation.chunk.to_string()),
            page: citation.page.as_ref().and_then(WebPage::of),
            quotes: quotes.collect(),
            chunk: citation.chunk,
        }
    }
}

/// Statistics on how speech is grounded in the speakers' own texts.
#[derive(SimpleObject, Clone)]
pub struct Grounding {
    /// Number of turns taken.
    turn_count: u32,
    /// Number of turns that cite at least one given passage.
    grounded: u32,
    /// Share of grounded turns, from 0 to 1; null before the first turn.
    rate: Option<f64>,
    /// Number of cited passages, each counted once per turn.
    citation_count: u32,
    /// Number of citations of passages that were not given; such citations are rejected.
    dangling: u32,
    /// Number of quotations that occur verbatim in their passage.
    verbatim: u32,
    /// Number of quotations that occur in pieces, with an ellipsis for each omission.
    abridged: u32,
    /// Number of quotations that do not occur in their passage.
    unverified: u32,
    /// Number of distinct passages given in prompts.
    given: u32,
    /// Number of given passages that no turn cites.
    uncited: u32,
}

impl From<grounding::GroundingCounts> for Grounding {
    fn from(it: grounding::GroundingCounts) -> Self {
        Grounding {
            turn_count: it.turns,
            grounded: it.grounded,
            rate: it.rate,
            citation_count: it.citations,
            dangling: it.dangling,
            verbatim: it.verbatim,
            abridged: it.abridged,
            unverified: it.unverified,
            given: it.given,
            uncited: it.uncited,
        }
    }
}

/// Grounding of a debate.
#[derive(SimpleObject, Clone)]
pub struct DebateGrounding {
    /// Statistics for all participants together.
    total: Grounding,
    /// Passages that read like instructions to a model, in the order of prompts. They were included in the prompt
    /// nevertheless, between its delimiters.
    suspected: Vec<SuspectedPassage>,
}

/// A passage that reads like instructions to a model.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct SuspectedPassage {
    /// Alias of the passage in the prompt.
    alias: String,
    /// Id of the stored passage.
    passage_id: ID,
    /// Findings, each with kind and evidence.
    suspicions: Vec<String>,
    /// Version of the event that recorded them.
    version: i64,
    #[graphql(skip)]
    pub(crate) chunk: Uuid,
}

impl From<&grounding::Grounding> for DebateGrounding {
    fn from(it: &grounding::Grounding) -> Self {
        let suspected = |(version, passage): &(i64, SuspectPassage)| SuspectedPassage {
            alias: passage.alias.clone(),
            passage_id: ID(passage.chunk.to_string()),
            suspicions: passage.suspicions.clone(),
            version: *version,
            chunk: passage.chunk,
        };
        DebateGrounding { total: it.total().into(), suspected: it.suspected.iter().map(suspected).collect() }
    }
}
