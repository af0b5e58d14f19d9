//! What an ingest tells while it runs, what it did, and how it can fail.

use std::collections::BTreeMap;

use crate::events::ids::PersonaId;
use crate::events::receipt::Failure;
use crate::ingest::fault::Fault;
use crate::ingest::personas::PersonaFaults;
use crate::ingest::readers::form::Form;
use crate::ingest::sources::Skipped;
use crate::store::library::intake::Written;
use crate::store::library::open::LibraryError;

/// How far an ingest is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Sources in the web are asked for.
    Fetching {
        /// How many.
        n_sources: usize,
    },
    /// One of them has answered, or has not.
    Fetched {
        /// Its address.
        url: String,
    },
    /// All documents are read: how much there is to embed.
    Planned {
        /// Documents that are new or have changed.
        n_documents: usize,
        /// Passages and sentences in them.
        n_texts: usize,
    },
    /// More texts are done: embedded, or found to be stored already.
    Embedded {
        /// How many more.
        n_texts: usize,
    },
    /// A document is stored.
    Stored {
        /// Whose.
        persona: PersonaId,
        /// Its name.
        document: String,
        /// What became of its passages.
        written: Written,
    },
}

/// Whoever is told.
pub type Tell<'a> = &'a (dyn Fn(Progress) + Send + Sync);

/// What an ingest did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The embedder whose vectors the library holds now.
    pub embedder: String,
    /// What was done for each persona that was looked at.
    pub personas: BTreeMap<PersonaId, Tally>,
    /// Personas that were taken out, because their files are gone.
    pub removed: Vec<PersonaId>,
    /// What was passed over, and why. Of a document that is there and cannot be read, the library keeps what it has.
    pub skipped: Vec<Skipped>,
    /// What was taken in, and deserves a second look.
    pub remarks: Vec<Fault>,
    /// What was read, source by source.
    pub sources: Vec<SourceTold>,
    /// Documents that look like an attempt on a model that reads them. They are in the library all the same.
    pub flagged: Vec<Flagged>,
}

/// What was read of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceTold {
    /// Whose.
    pub persona: PersonaId,
    /// Its name among the persona's sources.
    pub name: String,
    /// What it is.
    pub form: Form,
    /// Documents that are new or have changed.
    pub n_read: usize,
    /// Documents that are as they were.
    pub n_unchanged: usize,
    /// Documents that it no longer shows, and that are kept.
    pub n_kept: usize,
    /// Parts that were passed over, and why.
    pub passed_over: Vec<String>,
    /// What is odd about it.
    pub remarks: Vec<String>,
}

impl SourceTold {
    /// Nothing read yet.
    pub fn new(persona: &PersonaId, name: &str, form: Form) -> SourceTold {
        let (persona, name) = (persona.clone(), name.to_owned());
        let (passed_over, remarks) = (Vec::new(), Vec::new());
        SourceTold { persona, name, form, n_read: 0, n_unchanged: 0, n_kept: 0, passed_over, remarks }
    }
}

/// A document that looks like an attempt on a model that reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flagged {
    /// Whose.
    pub persona: PersonaId,
    /// Its name.
    pub document: String,
    /// What it looks like: `sign: what was found`.
    pub flags: Vec<String>,
}

/// What was done for a persona.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Documents read, because they are new or have changed.
    pub n_read: usize,
    /// Documents that are as they were.
    pub n_unchanged: usize,
    /// Documents that are gone.
    pub n_removed: usize,
    /// Passages.
    pub passages: Written,
}

impl Report {
    /// All tallies in one.
    pub fn total(&self) -> Tally {
        self.personas.values().fold(Tally::default(), |sum, it| Tally {
            n_read: sum.n_read + it.n_read,
            n_unchanged: sum.n_unchanged + it.n_unchanged,
            n_removed: sum.n_removed + it.n_removed,
            passages: Written {
                new: sum.passages.new + it.passages.new,
                unchanged: sum.passages.unchanged + it.passages.unchanged,
                removed: sum.passages.removed + it.passages.removed,
            },
        })
    }
}

/// Why an ingest broke off. Documents stored before that stay, and the next one goes on from there.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// Persona files are wrong; nothing was written.
    #[error(transparent)]
    Personas(#[from] PersonaFaults),
    /// The corpus cannot be looked at; nothing was written.
    #[error(transparent)]
    Corpus(#[from] Fault),
    /// The embedder failed.
    #[error("cannot embed {what}: {failure}")]
    Embedding {
        /// The document, or what else.
        what: String,
        /// Why.
        failure: Failure,
    },
    /// The library refused, or its database failed.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// A task that reads files died.
    #[error("the reading of files broke off: {0}")]
    Reading(String),
}
