//! Tells how alike texts are, by an embedder, for the settlement of an answer.
//!
//! What was said lately is held against what was said before it, so the same texts come again and again: their vectors are
//! kept for a while.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;

use crate::kernel::likeness::Likeness;
use crate::providers::ports::Embedder;

/// Vectors that are kept. At 384 numbers of 4 bytes they take about 3 MB.
const KEPT: usize = 2_048;

/// Whoever tells how alike texts are.
pub struct Likener {
    embedder: Arc<dyn Embedder>,
    patience: Duration,
    kept: Mutex<HashMap<String, Vec<f32>>>,
}

impl Likener {
    /// By this embedder, which is given so long for one answer's texts.
    pub fn new(embedder: Arc<dyn Embedder>, patience: Duration) -> Likener {
        Likener { embedder, patience, kept: Mutex::default() }
    }

    /// How alike these texts are; `None` where there are none, or the embedder failed: then words have to do.
    pub async fn likeness(&self, texts: BTreeSet<String>) -> Option<Likeness> {
        if texts.is_empty() {
            return None;
        }
        let mut known = self.known(&texts).await;
        let missing: Vec<String> = texts.into_iter().filter(|it| !known.contains_key(it)).collect();
        let new = self.embedded(&missing).await?;
        let new: Vec<(String, Vec<f32>)> = missing.into_iter().zip(new).collect();
        self.keep(&new).await;
        known.extend(new);
        Some(Likeness::new(self.embedder.name(), known))
    }

    async fn known(&self, texts: &BTreeSet<String>) -> HashMap<String, Vec<f32>> {
        let kept = self.kept.lock().await;
        texts.iter().filter_map(|text| Some((text.clone(), kept.get(text)?.clone()))).collect()
    }

    async fn keep(&self, new: &[(String, Vec<f32>)]) {
        let mut kept = self.kept.lock().await;
        if kept.len() + new.len() > KEPT {
            kept.clear();
        }
        kept.extend(new.iter().cloned());
    }

    async fn embedded(&self, texts: &[String]) -> Option<Vec<Vec<f32>>> {
        if texts.is_empty() {
            return Some(Vec::new());
        }
        match tokio::time::timeout(self.patience, self.embedder.embed(texts)).await {
            Ok(Ok(vectors)) => Some(vectors),
            Ok(Err(failure)) => {
                tracing::warn!(%failure, "how alike texts are could not be told; words have to do");
                None
            }
            Err(_) => {
                tracing::warn!("telling how alike texts are took too long; words have to do");
                None
            }
        }
    }
}
