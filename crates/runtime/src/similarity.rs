//! Measures the similarity of texts by an embedder, for the evaluation of an answer.
//!
//! Recent statements are compared with earlier ones, so the same texts recur; their vectors are cached.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;

use faultline_core::kernel::similarity::TextSimilarity;
use faultline_providers::ports::Embedder;

/// Maximum number of cached vectors. At 384 numbers of 4 bytes they take about 3 MB.
const MAX_KEPT: usize = 2_048;

/// Similarity of texts by an embedder, with a cache of vectors.
pub struct SimilarityService {
    embedder: Arc<dyn Embedder>,
    call_timeout: Duration,
    kept: Mutex<HashMap<String, Vec<f32>>>,
}

impl SimilarityService {
    /// Creates the service; `call_timeout` is the timeout for the texts of one answer.
    pub fn new(embedder: Arc<dyn Embedder>, call_timeout: Duration) -> SimilarityService {
        SimilarityService { embedder, call_timeout, kept: Mutex::default() }
    }

    /// Returns the similarities of these texts; `None` if there are none or the embedder failed. Callers then compare
    /// words.
    pub async fn similarity(&self, texts: BTreeSet<String>) -> Option<TextSimilarity> {
        if texts.is_empty() {
            return None;
        }
        let mut known = self.known(&texts).await;
        let missing: Vec<String> = texts.into_iter().filter(|text| !known.contains_key(text)).collect();
        let new = self.embedded(&missing).await?;
        let new: Vec<(String, Vec<f32>)> = missing.into_iter().zip(new).collect();
        self.keep(&new).await;
        known.extend(new);
        Some(TextSimilarity::new(self.embedder.name(), known))
    }

    async fn known(&self, texts: &BTreeSet<String>) -> HashMap<String, Vec<f32>> {
        let kept = self.kept.lock().await;
        texts.iter().filter_map(|text| Some((text.clone(), kept.get(text)?.clone()))).collect()
    }

    async fn keep(&self, new: &[(String, Vec<f32>)]) {
        let mut kept = self.kept.lock().await;
        if kept.len() + new.len() > MAX_KEPT {
            kept.clear();
        }
        kept.extend(new.iter().cloned());
    }

    async fn embedded(&self, texts: &[String]) -> Option<Vec<Vec<f32>>> {
        if texts.is_empty() {
            return Some(Vec::new());
        }
        match tokio::time::timeout(self.call_timeout, self.embedder.embed(texts)).await {
            Ok(Ok(vectors)) => Some(vectors),
            Ok(Err(failure)) => {
                tracing::warn!(%failure, "cannot embed texts to compare them; comparing words instead");
                None
            }
            Err(_) => {
                tracing::warn!("embedding texts to compare them timed out; comparing words instead");
                None
            }
        }
    }
}
