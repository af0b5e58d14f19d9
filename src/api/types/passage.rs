//! Passages that a search of the library found.

use std::collections::BTreeMap;

use async_graphql::{ID, SimpleObject};

use crate::api::types::persona::Persona;
use crate::desk::passages;
use crate::desk::roster::Member;
use crate::events::ids::PersonaId;
use crate::store::library::recall;

/// A passage of what a persona wrote, as a search found it.
#[derive(SimpleObject)]
pub struct PassageHit {
    /// The passage's name: that of a chunk, which receipts of answers name too.
    chunk_id: ID,
    /// Whose it is.
    persona_id: ID,
    /// The persona; none where it takes part in no debates any more.
    persona: Option<Persona>,
    /// The document's name among the persona's documents.
    document: String,
    /// The document's title.
    title: String,
    /// Where the document appeared.
    source: String,
    /// When, as year-month-day.
    date: String,
    /// What the document is: an essay, a letter.
    kind: String,
    /// The passage's place in the document, from 0.
    ordinal: i32,
    /// The passage itself.
    text: String,
    /// How well it fits: the larger the better, comparable within one search only.
    score: f64,
    /// Why it was found.
    why: PassageWhy,
    /// Passages that say nearly the same word for word and fit less, folded into this one.
    folded: Vec<ID>,
}

/// Why a passage was found. Two rankings are fused: the better its places, the better its score.
#[derive(SimpleObject)]
pub struct PassageWhy {
    /// Its place in the ranking by meaning, from 1.
    by_meaning: Option<i32>,
    /// Its place in the ranking by words, from 1; none where no word of the search that was looked up stands in it.
    by_words: Option<i32>,
    /// How near it is to the search in meaning: the cosine of their vectors, -1 to 1.
    cosine: Option<f64>,
    /// The same of its nearest sentence.
    sentence_cosine: Option<f64>,
    /// How much of what the words of the search tell is told by those in it, rare words telling more: 0 to 1.
    share: f64,
    /// Whether it matches the search as it is written: all its words, phrases in quotes, none after a minus.
    as_written: bool,
    /// Where words of the search stand in the text, in any form of the word, in order.
    words: Vec<WordHit>,
}

/// A word of a text.
#[derive(SimpleObject)]
pub struct WordHit {
    /// The word as it stands there.
    word: String,
    /// Where it begins, in bytes of the text as UTF-8.
    start: i32,
    /// Where it ends, in bytes.
    end: i32,
}

impl PassageHit {
    /// What a search found, with the persona where there is one.
    pub fn of(hit: passages::PassageHit, personas: &BTreeMap<PersonaId, Member>) -> PassageHit {
        let recall::Passage { persona, chunk, document, ordinal, text, title, source, date, kind, score } = hit.passage;
        let word = |it: std::ops::Range<usize>| WordHit {
            word: text.get(it.clone()).unwrap_or_default().to_owned(),
            start: it.start as i32,
            end: it.end as i32,
        };
        let words = hit.words.into_iter().map(word).collect();
        let place = |it: Option<i64>| it.and_then(|it| i32::try_from(it).ok());
        PassageHit {
            chunk_id: ID(chunk.to_string()),
            persona_id: ID(persona.to_string()),
            persona: personas.get(&persona).map(Persona::from),
            document,
            title,
            source,
            date: date.to_string(),
            kind,
            ordinal,
            text,
            score,
            why: PassageWhy {
                by_meaning: place(hit.why.by_meaning),
                by_words: place(hit.why.by_words),
                cosine: hit.why.cosine,
                sentence_cosine: hit.why.sentence_cosine,
                share: hit.why.share,
                as_written: hit.why.as_written,
                words,
            },
            folded: hit.folded.into_iter().map(|it| ID(it.to_string())).collect(),
        }
    }
}
