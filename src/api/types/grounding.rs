//! What speech rests on: citations, quotations, and how much of it is grounded.

use std::collections::HashMap;

use async_graphql::dataloader::{DataLoader, Loader};
use async_graphql::{ComplexObject, Context, Error, ID, Result, SimpleObject};
use chrono::NaiveDate;
use uuid::Uuid;

use crate::api::error::from_desk;
use crate::api::types::scalars::QuoteCheck;
use crate::desk::desk::Desk;
use crate::events::receipt::SuspectPassage;
use crate::events::turn;
use crate::projections::grounding;
use crate::store::library::recall::Passage;

/// A passage that a turn or a piece of evidence rests on.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Citation {
    /// What the prompt called it.
    alias: String,
    /// The stored passage.
    passage_id: ID,
    /// What was said in its words, each checked against it.
    quotes: Vec<Quote>,
    #[graphql(skip)]
    chunk: Uuid,
}

#[ComplexObject]
impl Citation {
    /// The passage itself; none where the library does not hold it any more.
    async fn passage(&self, context: &Context<'_>) -> Result<Option<CitedPassage>> {
        context.data::<DataLoader<Passages>>()?.load_one(self.chunk).await
    }
}

/// Words that stand for those of a passage, and whether they are.
#[derive(SimpleObject, Clone)]
pub struct Quote {
    /// The words, as they were said.
    text: String,
    /// Whether the passage says so.
    check: QuoteCheck,
    /// Where in the passage: one stretch, or one for each piece of an abridged quotation; none where it is not there.
    ranges: Vec<ByteRange>,
}

/// Bytes of a passage's text.
#[derive(SimpleObject, Clone)]
pub struct ByteRange {
    /// The first.
    from: u32,
    /// The one behind the last.
    to: u32,
}

impl From<&turn::Citation> for Citation {
    fn from(citation: &turn::Citation) -> Self {
        let range = |it: &turn::ByteRange| ByteRange { from: it.from, to: it.to };
        let quotes = citation.quotes.iter().map(|it| Quote {
            text: it.text.clone(),
            check: it.check.into(),
            ranges: it.ranges.iter().map(range).collect(),
        });
        Citation {
            alias: citation.alias.clone(),
            passage_id: ID(citation.chunk.to_string()),
            quotes: quotes.collect(),
            chunk: citation.chunk,
        }
    }
}

/// A passage as the library holds it.
#[derive(SimpleObject, Clone)]
pub struct CitedPassage {
    /// The stored passage.
    id: ID,
    /// Whose it is.
    persona_id: ID,
    /// The passage.
    text: String,
    /// What the text is called that it is from.
    title: String,
    /// Where that appeared.
    source: String,
    /// When.
    date: NaiveDate,
    /// What it is: an essay, a letter.
    kind: String,
}

impl From<Passage> for CitedPassage {
    fn from(passage: Passage) -> Self {
        CitedPassage {
            id: ID(passage.chunk.to_string()),
            persona_id: ID(passage.persona.to_string()),
            text: passage.text,
            title: passage.title,
            source: passage.source,
            date: passage.date,
            kind: passage.kind,
        }
    }
}

/// Reads the passages that the fields of a request ask for, all of them in one statement.
pub struct Passages(Desk);

impl Passages {
    /// Passages as a desk knows them, gathered while a request is answered.
    pub fn loader(desk: Desk) -> DataLoader<Passages> {
        DataLoader::new(Passages(desk), tokio::spawn)
    }
}

impl Loader<Uuid> for Passages {
    type Value = CitedPassage;
    type Error = Error;

    async fn load(&self, keys: &[Uuid]) -> Result<HashMap<Uuid, CitedPassage>, Error> {
        let found = self.0.cited(keys).await.map_err(from_desk)?;
        Ok(found.into_iter().map(|it| (it.chunk, CitedPassage::from(it))).collect())
    }
}

/// How speech is grounded in what speakers wrote.
#[derive(SimpleObject, Clone)]
pub struct Grounding {
    /// Turns taken.
    turns: u32,
    /// Turns that cite at least one passage that was given.
    grounded: u32,
    /// Their share, from 0 to 1; none before the first turn.
    rate: Option<f64>,
    /// Passages cited, each once a turn.
    citations: u32,
    /// Passages cited that were not given; such a citation is refused.
    dangling: u32,
    /// Quotations that stand in their passage letter by letter.
    verbatim: u32,
    /// Quotations that stand there in pieces, with an ellipsis for what was left out.
    abridged: u32,
    /// Quotations that do not stand there.
    unverified: u32,
    /// Different passages laid beside prompts.
    given: u32,
    /// Those of them that no turn cites.
    uncited: u32,
}

impl From<grounding::Tally> for Grounding {
    fn from(it: grounding::Tally) -> Self {
        Grounding {
            turns: it.turns,
            grounded: it.grounded,
            rate: it.rate,
            citations: it.citations,
            dangling: it.dangling,
            verbatim: it.verbatim,
            abridged: it.abridged,
            unverified: it.unverified,
            given: it.given,
            uncited: it.uncited,
        }
    }
}

/// How a debate is grounded.
#[derive(SimpleObject, Clone)]
pub struct DebateGrounding {
    /// All participants together.
    total: Grounding,
    /// Passages that read as if they were meant for a model, in the order of prompts. They were laid beside the prompt all the
    /// same, between its marks.
    suspected: Vec<SuspectedPassage>,
}

/// A passage that reads as if it were meant for a model.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct SuspectedPassage {
    /// What the prompt called it.
    alias: String,
    /// The stored passage.
    passage_id: ID,
    /// What was found, each as kind and evidence.
    suspicions: Vec<String>,
    /// The version of the event that says so.
    version: i64,
    #[graphql(skip)]
    chunk: Uuid,
}

#[ComplexObject]
impl SuspectedPassage {
    /// The passage itself; none where the library does not hold it any more.
    async fn passage(&self, context: &Context<'_>) -> Result<Option<CitedPassage>> {
        context.data::<DataLoader<Passages>>()?.load_one(self.chunk).await
    }
}

impl From<&grounding::Grounding> for DebateGrounding {
    fn from(it: &grounding::Grounding) -> Self {
        let suspected = |(version, it): &(i64, SuspectPassage)| SuspectedPassage {
            alias: it.alias.clone(),
            passage_id: ID(it.chunk.to_string()),
            suspicions: it.suspicions.clone(),
            version: *version,
            chunk: it.chunk,
        };
        DebateGrounding { total: it.total().into(), suspected: it.suspected.iter().map(suspected).collect() }
    }
}
