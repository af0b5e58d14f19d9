//! Progress, results and errors of an ingest.

use std::collections::BTreeMap;

use crate::file_error::FileError;
use crate::personas::PersonaFaults;
use crate::readers::form::Form;
use crate::shared_corpora::SharedCorpusFaults;
use crate::sources::Skipped;
use faultline_core::events::ids::PersonaId;
use faultline_core::events::receipt::Failure;
use faultline_store::library::document_writes::DocumentChanges;
use faultline_store::library::open::LibraryError;

/// Progress of an ingest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IngestProgress {
    /// Web sources are being fetched.
    Fetching {
        /// Number of sources.
        n_sources: usize,
    },
    /// A source has answered or failed.
    Fetched {
        /// URL of the source.
        url: String,
    },
    /// All documents were read; the amount to embed is known.
    Planned {
        /// Number of new or changed documents.
        n_documents: usize,
        /// Number of passages and sentences in them.
        n_texts: usize,
    },
    /// More texts are done: embedded, or found in the library.
    Embedded {
        /// Number of additional texts.
        n_texts: usize,
    },
    /// A document was stored.
    Stored {
        /// Persona that wrote it, or the shared corpus that it belongs to.
        persona: PersonaId,
        /// Name of the document.
        document: String,
        /// Changes to its passages.
        written: DocumentChanges,
    },
}

/// Progress callback.
pub type OnProgress<'a> = &'a (dyn Fn(IngestProgress) + Send + Sync);

/// Result of an ingest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IngestReport {
    /// Embedder of the stored vectors.
    pub embedder: String,
    /// Counts per ingested persona.
    pub personas: BTreeMap<PersonaId, PersonaCounts>,
    /// Counts per ingested shared corpus.
    pub shared: BTreeMap<PersonaId, PersonaCounts>,
    /// Personas that were removed because their files are gone.
    pub removed: Vec<PersonaId>,
    /// Shared corpora that were removed because their folders, or their files `shared.toml`, are gone.
    pub removed_shared: Vec<PersonaId>,
    /// Skipped files and sources, with the reasons. Stored documents of unreadable ones remain.
    pub skipped: Vec<Skipped>,
    /// Remarks on personas, shared corpora and sources that were ingested.
    pub remarks: Vec<FileError>,
    /// Results per source.
    pub sources: Vec<SourceReport>,
    /// Documents that look like prompt injection. They are in the library all the same.
    pub flagged: Vec<Flagged>,
}

/// Result of one source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceReport {
    /// Persona or shared corpus of the source.
    pub persona: PersonaId,
    /// Name of the source.
    pub name: String,
    /// Format of the source.
    pub form: Form,
    /// Number of new or changed documents.
    pub n_read: usize,
    /// Number of unchanged documents.
    pub n_unchanged: usize,
    /// Number of documents that the source no longer contains and that are kept.
    pub n_kept: usize,
    /// Skipped parts, with the reasons.
    pub passed_over: Vec<String>,
    /// Remarks on the source.
    pub remarks: Vec<String>,
}

impl SourceReport {
    /// Creates an empty result.
    pub fn new(persona: &PersonaId, name: &str, form: Form) -> SourceReport {
        let (persona, name) = (persona.clone(), name.to_owned());
        let (passed_over, remarks) = (Vec::new(), Vec::new());
        SourceReport { persona, name, form, n_read: 0, n_unchanged: 0, n_kept: 0, passed_over, remarks }
    }
}

/// Document that looks like prompt injection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flagged {
    /// Persona or shared corpus of the document.
    pub persona: PersonaId,
    /// Name of the document.
    pub document: String,
    /// Signs found, as `sign: what was found`.
    pub flags: Vec<String>,
}

/// Counts of one persona or one shared corpus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PersonaCounts {
    /// Number of documents that were new or changed.
    pub n_read: usize,
    /// Number of unchanged documents.
    pub n_unchanged: usize,
    /// Number of removed documents.
    pub n_removed: usize,
    /// Numbers of new, unchanged and removed passages.
    pub passages: DocumentChanges,
}

impl IngestReport {
    /// Sums the counts of all personas and shared corpora.
    pub fn total(&self) -> PersonaCounts {
        self.personas.values().chain(self.shared.values()).fold(PersonaCounts::default(), |sum, counts| PersonaCounts {
            n_read: sum.n_read + counts.n_read,
            n_unchanged: sum.n_unchanged + counts.n_unchanged,
            n_removed: sum.n_removed + counts.n_removed,
            passages: DocumentChanges {
                new: sum.passages.new + counts.passages.new,
                unchanged: sum.passages.unchanged + counts.passages.unchanged,
                removed: sum.passages.removed + counts.passages.removed,
            },
        })
    }
}

/// Error that ended an ingest. Documents stored before it remain, and the next ingest continues from there.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// Persona files are invalid; nothing was written.
    #[error(transparent)]
    Personas(#[from] PersonaFaults),
    /// Files of shared corpora are invalid; nothing was written.
    #[error(transparent)]
    SharedCorpora(#[from] SharedCorpusFaults),
    /// The corpus folder cannot be read; nothing was written.
    #[error(transparent)]
    Corpus(#[from] FileError),
    /// The embedder failed.
    #[error("cannot embed {what}: {failure}")]
    Embedding {
        /// Document or other text that was being embedded.
        what: String,
        /// Cause.
        failure: Failure,
    },
    /// The library refused the change, or its database failed.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// A task that reads files panicked.
    #[error("reading files failed: {0}")]
    Reading(String),
}
