//! Interfaces to the outside world that a debate depends on.

use std::collections::BTreeSet;
use std::future::Future;
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;

use uuid::Uuid;

use faultline_core::events::ids::PersonaId;
use faultline_core::events::receipt::{Failure, ProviderAnswer};
use faultline_core::kernel::effect::{EffectAttempt, PassageQuery, SuppliedPassage};

/// Boxed future of an outside call, which may fail with a [`Failure`].
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, Failure>> + Send + 'a>>;

/// Provider that answers prompts.
pub trait Model: Send + Sync {
    /// Name by which debates select the provider: `offline`, `anthropic`.
    fn name(&self) -> &str;

    /// Description for people: the models behind the provider, or the rule by which it answers.
    fn about(&self) -> String;

    /// Returns true if the same attempt at the same question always gets the same answer, at no cost. A debate of such a
    /// provider is reproducible: its answers are recorded in an order that does not depend on their arrival.
    fn is_reproducible(&self) -> bool {
        false
    }

    /// Returns true if the provider reads words only where annotations say what they mean, and gives no reading of other
    /// words. Its readings then count without a measurement.
    fn reads_by_annotations(&self) -> bool {
        false
    }

    /// Returns the name under which answers are recorded, if it is known before the first answer.
    fn answers_as(&self) -> Option<&str> {
        None
    }

    /// Answers one question, once. Retries transport errors inside the call if a short wait can help.
    ///
    /// # Errors
    /// [`Failure`] if no usable answer came; its kind shows whether another attempt can help.
    fn complete<'a>(&'a self, ask: &'a EffectAttempt) -> Pending<'a, ProviderAnswer>;

    /// Returns the models that can be chosen for participants.
    fn choosable(&self) -> ChoosableModels {
        ChoosableModels::Nothing
    }

    /// Returns what is known of the provider and its server so far.
    fn traits(&self) -> ModelTraits {
        ModelTraits::default()
    }

    /// Returns true if every call ends within its own timeout, which does not count the time in the provider's queue. The
    /// caller then applies none.
    fn keeps_time(&self) -> bool {
        false
    }

    /// Answers like [`Model::complete`], and hands the text of the reply on while it is generated, if the provider and
    /// its server can. Otherwise nothing is handed on, and the answer is the same.
    ///
    /// # Errors
    /// As [`Model::complete`].
    fn stream<'a>(&'a self, ask: &'a EffectAttempt, _drafts: &'a dyn DraftSink) -> Pending<'a, ProviderAnswer> {
        self.complete(ask)
    }
}

/// Properties of a provider and its server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelTraits {
    /// True if calls leave this process.
    pub is_remote: bool,
    /// False if the server rejected a reply schema; `None` before the first call.
    pub enforces_schemas: Option<bool>,
    /// Number of tokens of the context window, if it is configured.
    pub context: Option<u32>,
}

/// Models of a provider that can be chosen for participants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ChoosableModels {
    /// None: the provider has no models to choose from.
    #[default]
    Nothing,
    /// Any that its server knows.
    Any,
    /// These, and their dated versions.
    Listed(BTreeSet<String>),
}

/// Receiver of a reply's text while it is generated. Its methods return at once: a slow reader of a draft must not hold
/// up the call.
pub trait DraftSink: Send + Sync {
    /// Takes the next piece of the raw reply.
    fn write(&self, piece: &str);

    /// Discards all that was written: the call failed for this reason, and is repeated from the start.
    fn discard(&self, reason: &str);
}

/// Embedder: converts texts to vectors.
pub trait Embedder: Send + Sync {
    /// Name of the model and its exact weights. Vectors with different names are never compared.
    fn name(&self) -> &str;

    /// Length of every vector.
    fn width(&self) -> usize;

    /// Returns true if the embedder knows spellings only, so that search should rely on full-text matches.
    fn is_fallback(&self) -> bool {
        false
    }

    /// Recommended maximum number of texts per call.
    fn max_batch_size(&self) -> usize {
        16
    }

    /// Embeds texts: one vector of length 1 per text, in order.
    ///
    /// # Errors
    /// [`Failure`] if the model could not be run or reached.
    fn embed<'a>(&'a self, texts: &'a [String]) -> Pending<'a, Vec<Vec<f32>>>;

    /// Embeds texts together with their parts, each part in the context of its text: for each text its own vector, equal
    /// to that of [`Embedder::embed`], and then those of its parts, in order. `None` if the model can embed whole texts
    /// only; parts are then embedded as texts of their own.
    ///
    /// # Errors
    /// [`Failure`] if the model could not be run or reached.
    fn embed_divided(&self, texts: Vec<DividedText>) -> Option<Pending<'_, Vec<Vec<Vec<f32>>>>> {
        let _ = texts;
        None
    }
}

/// Text with the byte ranges of its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DividedText {
    /// The text.
    pub text: String,
    /// Byte ranges of the parts, at the boundaries of characters.
    pub parts: Vec<Range<usize>>,
}

/// Source of the sentences of a persona's corpus.
pub trait Corpora: Send + Sync {
    /// Returns all sentences of a persona's corpus, ordered by title, chunk and position; empty for a persona without a
    /// corpus.
    ///
    /// # Errors
    /// [`Failure`] if the corpus could not be read.
    fn sentences<'a>(&'a self, persona: &'a PersonaId) -> Pending<'a, Arc<Vec<Sentence>>>;
}

/// Passage retrieval from a persona's corpus.
pub trait Recall: Send + Sync {
    /// Makes the corpora of these personas searchable, so that the first search of a debate finds what a later one finds:
    /// a search weighs words by how rare they are among all passages.
    ///
    /// # Errors
    /// [`Failure`] if a corpus could not be read. Searches may still work.
    fn prepare<'a>(&'a self, personas: &'a [PersonaId]) -> Pending<'a, ()>;

    /// Returns the passages that match a query best, best first; empty for a persona without a corpus. Aliases are
    /// empty: the caller that adds the passages to a prompt assigns them.
    ///
    /// # Errors
    /// [`Failure`] if the corpus could not be searched.
    fn recall<'a>(&'a self, query: &'a PassageQuery) -> Pending<'a, Vec<SuppliedPassage>>;

    /// Returns the passages of the given chunks, of any persona. Chunks that no longer exist are left out. Aliases are
    /// empty, scores are 0.
    ///
    /// # Errors
    /// [`Failure`] if the library could not be read.
    fn passages<'a>(&'a self, chunks: &'a [Uuid]) -> Pending<'a, Vec<SuppliedPassage>>;
}

/// Search for texts that bear on a claim, for fact checks.
pub trait EvidenceSearch: Send + Sync {
    /// Name of the search: `corpora`, `tavily`, `searxng`.
    fn name(&self) -> &str;

    /// Returns the texts that match a query best, best first, and at most as many as it asks for. Aliases are empty: the
    /// caller that adds the texts to a prompt assigns them. The scope of the query is not read. Retries transport errors
    /// inside the call if a short wait can help.
    ///
    /// # Errors
    /// [`Failure`] if the search could not be made; its kind shows whether another attempt can help. Nothing found is not
    /// a failure.
    fn find<'a>(&'a self, query: &'a PassageQuery) -> Pending<'a, Vec<SuppliedPassage>>;
}

/// Sentence of a persona's corpus.
#[derive(Clone, Debug, PartialEq)]
pub struct Sentence {
    /// Persona that wrote it.
    pub persona: PersonaId,
    /// Stored chunk that contains it.
    pub chunk: Uuid,
    /// Position in the chunk, from 0.
    pub ordinal: u16,
    /// Text of the sentence, byte for byte as in the chunk.
    pub text: String,
}
