//! GraphQL types of library search results.

use std::collections::BTreeMap;

use async_graphql::{ID, SimpleObject};
use chrono::NaiveDate;

use crate::api::types::persona::document::document_id;
use crate::api::types::persona::persona::Persona;
use faultline_core::events::ids::PersonaId;
use faultline_service::catalog::Member;
use faultline_service::passage_search;
use faultline_store::library::documents::DocumentName;
use faultline_store::library::recall;

/// A passage of a persona's writings or of a shared corpus, found by a search.
#[derive(SimpleObject)]
#[graphql(complex)]
pub struct PassageHit {
    /// Id of the passage: that of its chunk, which receipts of model replies contain too.
    chunk_id: ID,
    /// Id of the persona who wrote it, or of the shared corpus that contains it.
    persona_id: ID,
    /// The persona; null for a passage of a shared corpus, and if the persona does not take part in debates any more.
    persona: Option<Persona>,
    /// Name of the document among those of the persona or the shared corpus.
    document: String,
    /// Id of the document, also accepted by `node`.
    document_id: ID,
    /// Title of the document.
    title: String,
    /// Publication in which the document appeared.
    source: String,
    /// Date of the document.
    date: NaiveDate,
    /// Kind of document, such as an essay or a letter.
    kind: String,
    /// Index of the passage in the document, from 0.
    ordinal: i32,
    /// Text of the passage.
    text: String,
    /// Relevance score: higher is better; comparable within one search only.
    score: f64,
    /// Explanation of the match.
    ranking: PassageRanking,
    /// Ids of near-duplicate passages with lower scores, merged into this one.
    duplicate_ids: Vec<ID>,
    /// Id of the shared corpus that contains it.
    #[graphql(skip)]
    pub(crate) shared: Option<PersonaId>,
}

/// Explanation of a match. Two rankings are fused; better ranks produce a better score.
#[derive(SimpleObject)]
pub struct PassageRanking {
    /// Rank by meaning, from 1.
    meaning_rank: Option<i32>,
    /// Rank by words, from 1; null if it contains none of the search words.
    word_rank: Option<i32>,
    /// Cosine similarity of the passage and the search text, from -1 to 1.
    cosine: Option<f64>,
    /// Cosine similarity of its nearest sentence and the search text.
    sentence_cosine: Option<f64>,
    /// Share of the search words that it contains, weighted by rarity, from 0 to 1.
    word_share: f64,
    /// True if it matches the search as written: all words and quoted phrases, and no excluded word.
    exact_match: bool,
    /// Locations of the search words in the text, in any word form, in order.
    word_matches: Vec<WordMatch>,
}

/// A word in a text.
#[derive(SimpleObject)]
pub struct WordMatch {
    /// Word as written in the text.
    word: String,
    /// Start offset, in bytes of the UTF-8 text.
    start: i32,
    /// End offset, in bytes, exclusive.
    end: i32,
}

impl PassageHit {
    /// Builds a search result, with the persona if it is known.
    pub fn of(hit: passage_search::PassageMatch, personas: &BTreeMap<PersonaId, Member>) -> PassageHit {
        let recall::StoredPassage {
            persona,
            is_shared,
            chunk,
            document,
            ordinal,
            text,
            title,
            source,
            date,
            kind,
            score,
        } = hit.passage;
        let word = |range: std::ops::Range<usize>| WordMatch {
            word: text.get(range.clone()).unwrap_or_default().to_owned(),
            start: range.start as i32,
            end: range.end as i32,
        };
        let word_matches = hit.words.into_iter().map(word).collect();
        let place = |position: Option<i64>| position.and_then(|number| i32::try_from(number).ok());
        PassageHit {
            chunk_id: ID(chunk.to_string()),
            persona_id: ID(persona.to_string()),
            persona: personas.get(&persona).map(Persona::from),
            document_id: document_id(&DocumentName { owner: persona.clone(), name: document.clone() }),
            document,
            title,
            source,
            date,
            kind,
            ordinal,
            text,
            score,
            ranking: PassageRanking {
                meaning_rank: place(hit.why.by_meaning),
                word_rank: place(hit.why.by_words),
                cosine: hit.why.cosine,
                sentence_cosine: hit.why.sentence_cosine,
                word_share: hit.why.share,
                exact_match: hit.why.as_written,
                word_matches,
            },
            duplicate_ids: hit.folded.into_iter().map(|passage| ID(passage.to_string())).collect(),
            shared: is_shared.then_some(persona),
        }
    }
}
