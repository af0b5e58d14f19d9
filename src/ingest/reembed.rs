//! Everything embedded anew by another embedder, while the one in use goes on serving.
//!
//! | step | what | a crash after it |
//! |------|------|------------------|
//! | 1 | enter the newcomer beside the embedder in use | nobody is any the wiser |
//! | 2 | embed the passages that it has not seen, some at a time | goes on with those that are left |
//! | 3 | put it to use, once nothing is missing | goes on with 4 |
//! | 4 | remove the vectors of all others, some at a time | goes on with those that are left |
//!
//! Readers hold on to the old vectors until step 3, and to none of two embedders ever. What is stored by the old one
//! meanwhile is found by another pass over the passages. Nothing is read from files.

use crate::ingest::embedding::embed_passages;
use crate::ingest::report::IngestError;
use crate::providers::ports::Embedder;
use crate::store::library::open::{Library, LibraryError, StoredEmbedder};

/// Passages that are embedded between two writes: what a crash costs at the most.
pub const EMBEDDED_AT_ONCE: u32 = 64;

/// Passages whose old vectors go in one transaction.
pub const FORGOTTEN_AT_ONCE: u32 = 256;

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// So many passages have to be embedded.
    Found {
        /// Passages.
        n_passages: u64,
    },
    /// More are embedded and stored.
    Embedded {
        /// How many more.
        n_passages: u64,
    },
    /// The newcomer is in use; so many passages have vectors that nobody needs any more.
    Switched {
        /// Passages.
        n_passages: u64,
    },
    /// More of them are rid of those.
    Forgotten {
        /// How many more.
        n_passages: u64,
    },
}

/// Whoever is told.
pub type Tell<'a> = &'a (dyn Fn(Progress) + Send + Sync);

/// What was done.
#[derive(Clone, Debug)]
pub struct Reembedded {
    /// The embedder in use now.
    pub by: StoredEmbedder,
    /// The one before it; `None` where there was none.
    pub before: Option<StoredEmbedder>,
    /// How many passages were embedded.
    pub n_embedded: u64,
    /// Of how many passages old vectors were removed.
    pub n_forgotten: u64,
    /// Why counts and indexes are not up to date, where they could not be made so: searches find everything, and take
    /// longer.
    pub untended: Option<LibraryError>,
}

/// Embeds the whole library by this embedder, puts it to use, and removes the vectors of the others. Where it is in use
/// already, only what a run before this one has left is removed.
///
/// # Errors
/// [`IngestError::Embedding`] and [`IngestError::Library`]; what was embedded stays, and the next run goes on from there.
pub async fn reembed(library: &Library, embedder: &dyn Embedder, tell: Tell<'_>) -> Result<Reembedded, IngestError> {
    let (name, width) = (embedder.name(), embedder.width());
    let before = library.embedder_in_use().await?;
    let (by, n_embedded) = if before.as_ref().is_some_and(|it| it.name == name) {
        let by = library.embedder(name, width, embedder.is_stand_in()).await?;
        (by, 0)
    } else {
        let newcomer = library.newcomer(name, width, embedder.is_stand_in()).await?;
        let n_embedded = fill(library, embedder, &newcomer, tell).await?;
        (newcomer, n_embedded)
    };
    tell(Progress::Switched { n_passages: library.count_forgotten().await?.unsigned_abs() });
    let n_forgotten = forget(library, tell).await?;
    let untended = library.tend().await.err();
    Ok(Reembedded { by, before, n_embedded, n_forgotten, untended })
}

/// Embeds what the newcomer has not seen, until nothing is left and it is in use. Says how many passages it was.
async fn fill(
    library: &Library,
    embedder: &dyn Embedder,
    newcomer: &StoredEmbedder,
    tell: Tell<'_>,
) -> Result<u64, IngestError> {
    tell(Progress::Found { n_passages: library.count_unseen(newcomer).await?.unsigned_abs() });
    let mut n_embedded = 0;
    loop {
        let mut last = None;
        loop {
            let unseen = library.unseen(newcomer, last.as_ref(), EMBEDDED_AT_ONCE).await?;
            let Some(at_end) = unseen.last().cloned() else { break };
            let passages: Vec<_> = unseen.iter().map(|it| (it.text.as_str(), it.sentences.as_slice())).collect();
            let embedded = embed_passages(embedder, &passages, &|_| {}).await;
            let failed = |failure| IngestError::Embedding { what: "the library anew".to_owned(), failure };
            let seen: Vec<_> = unseen.into_iter().zip(embedded.map_err(failed)?).collect();
            library.put_vectors(newcomer, &seen).await?;
            n_embedded += seen.len() as u64;
            tell(Progress::Embedded { n_passages: seen.len() as u64 });
            last = Some(at_end);
        }
        match library.switch(newcomer).await {
            // Somebody stored more meanwhile.
            Err(LibraryError::Incomplete { .. }) => {}
            switched => return Ok(switched.map(|()| n_embedded)?),
        }
    }
}

/// Removes the vectors of all embedders whose place was taken. Says of how many passages.
///
/// # Errors
/// The database's fault.
pub async fn forget(library: &Library, tell: Tell<'_>) -> Result<u64, LibraryError> {
    let mut n_forgotten = 0;
    loop {
        let n_passages = library.forget(FORGOTTEN_AT_ONCE).await?;
        if n_passages == 0 {
            return Ok(n_forgotten);
        }
        n_forgotten += n_passages;
        tell(Progress::Forgotten { n_passages });
    }
}
