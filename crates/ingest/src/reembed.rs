//! Re-embedding of the whole library with another embedder, while the current one stays in use.
//!
//! | step | action | after a crash |
//! |------|--------|---------------|
//! | 1 | register the new embedder beside the one in use | no visible effect |
//! | 2 | embed the passages that it has not embedded, in batches | continues with the remaining ones |
//! | 3 | switch to it once no passage is missing | continues with 4 |
//! | 4 | delete the vectors of all other embedders, in batches | continues with the remaining ones |
//!
//! Readers use the old vectors until step 3, and never mix those of two embedders. Another pass over the passages finds
//! those that the old embedder stored meanwhile. No files are read.

use crate::embedding::embed_passages;
use crate::report::IngestError;
use faultline_providers::ports::Embedder;
use faultline_store::library::open::{Library, LibraryError};
use faultline_store::stored_embedder::StoredEmbedder;

/// Number of passages embedded between two writes: the maximum loss after a crash.
pub const EMBEDDED_AT_ONCE: u32 = 64;

/// Number of passages whose old vectors are deleted in one transaction.
pub const FORGOTTEN_AT_ONCE: u32 = 256;

/// Progress of a re-embedding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReembedProgress {
    /// The passages to embed were counted.
    Found {
        /// Number of passages.
        n_passages: u64,
    },
    /// More passages were embedded and stored.
    Embedded {
        /// Number of additional passages.
        n_passages: u64,
    },
    /// The new embedder is in use; the passages with obsolete vectors were counted.
    Switched {
        /// Number of passages.
        n_passages: u64,
    },
    /// Obsolete vectors of more passages were deleted.
    Forgotten {
        /// Number of additional passages.
        n_passages: u64,
    },
}

/// Progress callback.
pub type OnReembedProgress<'a> = &'a (dyn Fn(ReembedProgress) + Send + Sync);

/// Result of a re-embedding.
#[derive(Clone, Debug)]
pub struct Reembedded {
    /// Embedder in use now.
    pub by: StoredEmbedder,
    /// Previous embedder; `None` if there was none.
    pub before: Option<StoredEmbedder>,
    /// Number of embedded passages.
    pub n_embedded: u64,
    /// Number of passages whose old vectors were deleted.
    pub n_forgotten: u64,
    /// Error of updating statistics and indexes, if it failed. Searches stay complete but are slower.
    pub untended: Option<LibraryError>,
}

/// Embeds the whole library with an embedder, switches to it, and deletes the vectors of all others. If it is in use
/// already, only deletes what an earlier run has left.
///
/// # Errors
/// [`IngestError::Embedding`] and [`IngestError::Library`]; embedded passages remain, and the next run continues from
/// there.
pub async fn reembed(
    library: &Library,
    embedder: &dyn Embedder,
    tell: OnReembedProgress<'_>,
) -> Result<Reembedded, IngestError> {
    let (name, width) = (embedder.name(), embedder.width());
    let before = library.embedder_in_use().await?;
    let (by, n_embedded) = if before.as_ref().is_some_and(|embedder| embedder.name == name) {
        let by = library.embedder(name, width, embedder.is_fallback()).await?;
        (by, 0)
    } else {
        let newcomer = library.register_embedder(name, width, embedder.is_fallback()).await?;
        let n_embedded = fill(library, embedder, &newcomer, tell).await?;
        (newcomer, n_embedded)
    };
    tell(ReembedProgress::Switched { n_passages: library.count_retired_vectors().await?.unsigned_abs() });
    let n_forgotten = forget(library, tell).await?;
    let untended = library.maintain().await.err();
    Ok(Reembedded { by, before, n_embedded, n_forgotten, untended })
}

/// Embeds the passages that the new embedder lacks, until none is left and it is in use. Returns the number of
/// passages.
async fn fill(
    library: &Library,
    embedder: &dyn Embedder,
    newcomer: &StoredEmbedder,
    tell: OnReembedProgress<'_>,
) -> Result<u64, IngestError> {
    tell(ReembedProgress::Found { n_passages: library.count_unembedded(newcomer).await?.unsigned_abs() });
    let mut n_embedded = 0;
    loop {
        let mut last = None;
        loop {
            let unseen = library.unembedded(newcomer, last.as_ref(), EMBEDDED_AT_ONCE).await?;
            let Some(at_end) = unseen.last().cloned() else { break };
            let passages: Vec<_> =
                unseen.iter().map(|passage| (passage.text.as_str(), passage.sentences.as_slice())).collect();
            let embedded = embed_passages(embedder, &passages, &|_| {}).await;
            let failed = |failure| IngestError::Embedding { what: "the library again".to_owned(), failure };
            let seen: Vec<_> = unseen.into_iter().zip(embedded.map_err(failed)?).collect();
            library.put_vectors(newcomer, &seen).await?;
            n_embedded += seen.len() as u64;
            tell(ReembedProgress::Embedded { n_passages: seen.len() as u64 });
            last = Some(at_end);
        }
        match library.activate(newcomer).await {
            // Passages were stored in the meantime.
            Err(LibraryError::Incomplete { .. }) => {}
            switched => return Ok(switched.map(|()| n_embedded)?),
        }
    }
}

/// Deletes the vectors of all replaced embedders. Returns the number of passages.
///
/// # Errors
/// [`LibraryError`] if the database fails.
pub async fn forget(library: &Library, tell: OnReembedProgress<'_>) -> Result<u64, LibraryError> {
    let mut n_forgotten = 0;
    loop {
        let n_passages = library.delete_retired_vectors(FORGOTTEN_AT_ONCE).await?;
        if n_passages == 0 {
            return Ok(n_forgotten);
        }
        n_forgotten += n_passages;
        tell(ReembedProgress::Forgotten { n_passages });
    }
}
