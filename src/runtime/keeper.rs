//! Keeps the vectors of what debates ask up with the stored views.
//!
//! It follows the projector at its own pace and never stands in its way: it looks for texts that have no vector by the
//! embedder in use, embeds them in batches, and holds each against the others. What it did is stored at once, so whoever
//! is killed loses a batch and whoever comes next goes on; several processes share the work (`store/questions/due.rs`).
//! After the embedder was changed nothing has a vector by the new one, so everything is done again.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::desk::inquiry::stored;
use crate::events::receipt::Failure;
use crate::providers::ports::Embedder;
use crate::questions::sameness::NEAR;
use crate::store::fault::Fault;
use crate::store::library::open::{Library, LibraryError, StoredEmbedder};
use crate::store::views::Views;

/// Texts embedded at once.
const BATCH: u32 = 64;
/// Vectors held against the others by one statement.
const PAIRED: u32 = 16;
/// How long the keeper rests when nothing is left to do.
const PAUSE: Duration = Duration::from_secs(1);
/// How long it rests at most after a failure; the rests double up to it.
const LONGEST: Duration = Duration::from_secs(60);
/// After so many failures one after the other it is not the text's fault.
const FAILURES: u32 = 3;

/// Whoever keeps them up.
pub struct Keeper {
    views: Views,
    library: Library,
    embedder: Arc<dyn Embedder>,
}

/// Why the keeper rests with work left to do.
#[derive(Debug, thiserror::Error)]
pub enum KeeperError {
    /// Another embedder is in use, or this one's vectors cannot be kept.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// The database failed.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The embedder failed.
    #[error("questions cannot be embedded: {0}")]
    Embedder(Failure),
}

impl Keeper {
    /// A keeper of the views' questions by this embedder.
    pub fn new(views: Views, library: Library, embedder: Arc<dyn Embedder>) -> Keeper {
        Keeper { views, library, embedder }
    }

    /// Keeps them up until told to stop.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        let mut pause = PAUSE;
        while !*stop.borrow() {
            let outcome = tokio::select! {
                _ = stop.changed() => return,
                outcome = self.catch_up() => outcome,
            };
            pause = match outcome {
                Ok(_) => PAUSE,
                Err(error) => {
                    tracing::warn!(%error, "questions of debates wait for their vectors");
                    (2 * pause).min(LONGEST)
                }
            };
            tokio::select! {
                _ = stop.changed() => return,
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Does all that is to be done now and that no other process is doing; answers how many texts it embedded. A text that
    /// cannot be embedded is passed over.
    ///
    /// # Errors
    /// A [`KeeperError`]; what was done before it is stored.
    pub async fn catch_up(&self) -> Result<usize, KeeperError> {
        let by = stored(&self.library, self.embedder.as_ref()).await?;
        let embedded = self.embed(&by).await;
        while self.views.pair_questions(&by, NEAR, PAIRED).await? > 0 {}
        embedded
    }

    async fn embed(&self, by: &StoredEmbedder) -> Result<usize, KeeperError> {
        let (mut n, mut behind, mut batch) = (0, 0, BATCH);
        let (mut failures, mut failed) = (0, None);
        loop {
            let claim = self.views.claim_questions(by, behind, batch).await?;
            let Some(last) = claim.last() else { break };
            match self.embedder.embed(&claim.texts).await {
                Ok(vectors) => {
                    n += vectors.len();
                    failures = 0;
                    claim.keep(by, &vectors).await?;
                    metrics::counter!("faultline_questions_embedded_total").increment(vectors.len() as u64);
                    behind = last;
                }
                // One of them may be to blame: each by itself.
                Err(failure) if batch > 1 && failures == 0 => {
                    tracing::warn!(%failure, "a batch of questions could not be embedded");
                    batch = 1;
                    claim.release().await?;
                }
                Err(failure) => {
                    claim.release().await?;
                    behind = last;
                    failures += 1;
                    failed = Some(failure);
                    if failures == FAILURES {
                        break;
                    }
                }
            }
        }
        failed.map_or(Ok(n), |it| Err(KeeperError::Embedder(it)))
    }
}
