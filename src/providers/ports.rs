//! What the outside can do, as far as a debate is concerned.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use uuid::Uuid;

use crate::events::ids::PersonaId;
use crate::events::receipt::{Answer, Failure};
use crate::kernel::effect::{Ask, Passage, Query};

/// Something that will be there later, or fail.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, Failure>> + Send + 'a>>;

/// Whoever answers prompts.
pub trait Model: Send + Sync {
    /// The name under which debates ask for it: `offline`, `anthropic`.
    fn name(&self) -> &str;

    /// What it is, for people: the models behind it, or the rule by which it speaks.
    fn about(&self) -> String;

    /// Answers one question, once. Transport errors that are worth a moment's wait are retried inside.
    ///
    /// # Errors
    /// A [`Failure`] whose kind says whether asking again can help.
    fn complete<'a>(&'a self, ask: &'a Ask) -> Pending<'a, Answer>;
}

/// Whoever turns texts into vectors.
pub trait Embedder: Send + Sync {
    /// Names the model and its exact weights; vectors of different names are never compared.
    fn name(&self) -> &str;

    /// The length of every vector.
    fn width(&self) -> usize;

    /// Whether it knows spellings only, so that search had better lean on words.
    fn is_stand_in(&self) -> bool {
        false
    }

    /// How many texts one call had better be given at the most.
    fn texts_a_call(&self) -> usize {
        16
    }

    /// One vector of length 1 a text, in order.
    ///
    /// # Errors
    /// A [`Failure`] where the model could not be run or reached.
    fn embed<'a>(&'a self, texts: &'a [String]) -> Pending<'a, Vec<Vec<f32>>>;
}

/// Whoever knows what a persona wrote, sentence by sentence.
pub trait Corpora: Send + Sync {
    /// All sentences of a persona's corpus, in the order of title, chunk and place; empty for a persona without one.
    ///
    /// # Errors
    /// A [`Failure`] where the corpus could not be read.
    fn sentences<'a>(&'a self, persona: &'a PersonaId) -> Pending<'a, Arc<Vec<Sentence>>>;
}

/// Whoever finds what a persona wrote about something.
pub trait Recall: Send + Sync {
    /// The passages that fit a query best, the best first; none for a persona without a corpus. Their aliases are left
    /// empty: whoever lays them beside a prompt names them.
    ///
    /// # Errors
    /// A [`Failure`] where the corpus could not be searched.
    fn recall<'a>(&'a self, query: &'a Query) -> Pending<'a, Vec<Passage>>;

    /// The passages of these chunks, of whatever persona; those that are there no more are left out. Aliases are empty,
    /// scores 0.
    ///
    /// # Errors
    /// A [`Failure`] where the library could not be read.
    fn passages<'a>(&'a self, chunks: &'a [Uuid]) -> Pending<'a, Vec<Passage>>;
}

/// A sentence of a persona's corpus.
#[derive(Clone, Debug, PartialEq)]
pub struct Sentence {
    /// Whose it is.
    pub persona: PersonaId,
    /// The stored chunk that it is part of.
    pub chunk: Uuid,
    /// Its place in the chunk, from 0.
    pub ordinal: u16,
    /// The sentence, byte for byte as it stands in the chunk.
    pub text: String,
    /// Its embedding, of length 1.
    pub vector: Vec<f32>,
}
