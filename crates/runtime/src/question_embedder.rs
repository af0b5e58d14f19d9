//! Embeds the questions of debates, so that their vectors follow the stored views.
//!
//! It follows the projector at its own pace and never delays it. It finds texts that have no vector by the embedder in
//! use, embeds them in batches, and compares each with the others. Results are stored at once, so a killed process
//! loses at most a batch and the next one continues; several processes share the work
//! (`store/questions/embedding_queue.rs`). After a change of the embedder no text has a vector by the new one, so
//! everything is embedded again.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use faultline_core::events::receipt::Failure;
use faultline_core::questions::sameness::NEAR;
use faultline_providers::ports::Embedder;
use faultline_service::cross_debate_search::stored;
use faultline_store::error::StoreError;
use faultline_store::library::open::{Library, LibraryError};
use faultline_store::questions::question_index::INDEXED_FROM;
use faultline_store::stored_embedder::StoredEmbedder;
use faultline_store::views::views::Views;

/// Number of texts embedded at once.
const BATCH: u32 = 64;
/// Number of vectors compared with the others by one statement.
const PAIRED: u32 = 16;
/// Pause when nothing is left to do.
const PAUSE: Duration = Duration::from_secs(1);
/// Interval at which all texts are looked through for some that the queue lacks.
const FILLED_EVERY: Duration = Duration::from_secs(600);
/// Longest pause after failures; the pauses double up to it.
const LONGEST: Duration = Duration::from_secs(60);
/// Number of consecutive failures after which the embedder is at fault and not a text.
const FAILURES: u32 = 3;

/// Worker that embeds the questions of debates.
pub struct QuestionEmbedder {
    views: Views,
    library: Library,
    embedder: Arc<dyn Embedder>,
}

/// Error that interrupts the embedding.
#[derive(Debug, thiserror::Error)]
pub enum EmbedQuestionsError {
    /// Another embedder is in use, or this one's vectors cannot be stored.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// The database failed.
    #[error(transparent)]
    Fault(#[from] StoreError),
    /// The embedder failed.
    #[error("cannot embed questions: {0}")]
    Embedder(Failure),
}

impl QuestionEmbedder {
    /// Creates a worker that embeds the questions of the views by this embedder.
    pub fn new(views: Views, library: Library, embedder: Arc<dyn Embedder>) -> QuestionEmbedder {
        QuestionEmbedder { views, library, embedder }
    }

    /// Embeds questions until told to stop.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        let (mut pause, mut filled) = (PAUSE, None::<Instant>);
        while !*stop.borrow() {
            let outcome = tokio::select! {
                _ = stop.changed() => return,
                outcome = self.round(&mut filled) => outcome,
            };
            pause = match outcome {
                Ok(_) => PAUSE,
                Err(error) => {
                    tracing::warn!(%error, "cannot embed the questions of debates, retrying");
                    (2 * pause).min(LONGEST)
                }
            };
            tokio::select! {
                _ = stop.changed() => return,
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Looks for texts that the queue lacks, if that was long ago, and catches up.
    async fn round(&self, filled: &mut Option<Instant>) -> Result<usize, EmbedQuestionsError> {
        if filled.is_none_or(|filled| filled.elapsed() >= FILLED_EVERY) {
            let by = stored(&self.library, self.embedder.as_ref()).await?;
            self.views.fill_question_queue(&by).await?;
            self.views.maintain_question_index(&by, INDEXED_FROM).await?;
            *filled = Some(Instant::now());
        }
        self.catch_up().await
    }

    /// Embeds and pairs all questions that are pending and not claimed by another process. Returns the number of texts
    /// embedded. Skips a text that cannot be embedded.
    ///
    /// # Errors
    /// An [`EmbedQuestionsError`]; results before it are stored.
    pub async fn catch_up(&self) -> Result<usize, EmbedQuestionsError> {
        let by = stored(&self.library, self.embedder.as_ref()).await?;
        let embedded = self.embed(&by).await;
        if !matches!(embedded, Ok(0)) {
            self.views.maintain_question_index(&by, INDEXED_FROM).await?;
        }
        while self.views.pair_questions(&by, NEAR, PAIRED).await? > 0 {}
        self.views.remove_paired_questions(&by).await?;
        embedded
    }

    async fn embed(&self, by: &StoredEmbedder) -> Result<usize, EmbedQuestionsError> {
        let (mut n, mut behind, mut batch) = (0, 0, BATCH);
        let (mut failures, mut failed) = (0, None);
        loop {
            let claim = self.views.claim_questions(by, behind, batch).await?;
            let Some(last) = claim.last() else { break };
            if claim.texts.is_empty() {
                claim.release().await?;
                behind = last;
                continue;
            }
            match self.embedder.embed(&claim.texts).await {
                Ok(vectors) => {
                    n += vectors.len();
                    failures = 0;
                    claim.store(by, &vectors).await?;
                    metrics::counter!("faultline_questions_embedded_total").increment(vectors.len() as u64);
                    behind = last;
                }
                // A single text may be the cause, so each is tried by itself.
                Err(failure) if batch > 1 && failures == 0 => {
                    tracing::warn!(%failure, "cannot embed a batch of questions, trying them one by one");
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
        failed.map_or(Ok(n), |error| Err(EmbedQuestionsError::Embedder(error)))
    }
}
