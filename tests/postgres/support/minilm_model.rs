//! The sentence embedder, with its weights from the cache of the tests.

use std::path::{Path, PathBuf};

use faultline_providers::minilm::{EmbedderConcurrency, MiniLm};
use faultline_store::provision::minilm::minilm_model;

/// The embedder as the service opens it.
pub async fn minilm() -> MiniLm {
    let home = std::env::var_os("FAULTLINE_HOME").map(PathBuf::from);
    let home = home.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(".faultline"));
    let weights = minilm_model(&home.join("cache")).await.expect("fetch the weights");
    MiniLm::open(&weights, EmbedderConcurrency::default()).expect("open the weights")
}
