//! Embedder for servers with the `/embeddings` endpoint of `OpenAI`: `OpenAI`, Ollama, vLLM, llama.cpp, TEI.
//!
//! | aspect | rule |
//! |--------|------|
//! | name | `openai:<model>:<width>`, without the address, so that a model may move to another server |
//! | width | configured (sent as `dimensions`), or found by one probe call; any other width is a failure |
//! | calls | [`MAX_TEXTS`] texts each; retried as described in [`crate::http`] |
//! | server that rejects `dimensions` | called without it; must return the configured width all the same |
//! | long text | cut after [`MAX_TEXT_BYTES`] bytes |
//! | blank text | not sent; its vector is the first axis |
//! | vectors | normalized to length 1, components rounded ([`crate::quantize`]) |
//!
//! A response with the wrong number or width of vectors, with components that are not numbers, or with a zero vector is
//! a failure and is discarded as a whole.

use std::sync::atomic::{AtomicBool, Ordering};

use reqwest::header::{AUTHORIZATION, HeaderMap};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call_error::quote;
use crate::http::{Wire, base_url, extended};
use crate::ports::{Embedder, Pending};
use crate::quantize::quantize;
use crate::settings::{ApiKey, CallTimeouts, ConfigError};
use faultline_core::events::receipt::{Failure, FailureKind};

const NAME: &str = "openai embeddings";

/// Maximum number of texts per call. That many vectors of the largest width fit into the longest body that is read.
pub const MAX_TEXTS: usize = 32;

/// Maximum length of a text, in bytes. A token has at least one byte, so no text exceeds the 8,192 tokens that
/// `OpenAI`'s models accept, and no call exceeds 300,000 tokens.
pub const MAX_TEXT_BYTES: usize = 8_000;

/// Text that is embedded to determine the width.
const PROBE: &str = "How wide is this?";

/// Configuration of [`Embeddings`].
#[derive(Clone, Debug)]
pub struct EmbeddingsConfig {
    /// Base URL of the API, with its version: `http://127.0.0.1:11434/v1`. `/v1` is added to a URL without a path.
    pub base: String,
    /// API key, if the server requires one.
    pub key: Option<ApiKey>,
    /// Model name on the server.
    pub model: String,
    /// Length of the vectors; the model's own length if `None`.
    pub width: Option<usize>,
    /// Timeouts and backoff.
    pub timeouts: CallTimeouts,
}

/// Error of opening the embedder.
#[derive(Debug, thiserror::Error)]
pub enum EmbeddingsError {
    /// A setting is invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The width was not configured and could not be determined.
    #[error("cannot determine the vector width of {model}: {failure}. Fix that, or configure the width")]
    Unasked {
        /// Model name.
        model: String,
        /// Cause.
        failure: Failure,
    },
}

/// Embedder behind an HTTP endpoint.
#[derive(Debug)]
pub struct Embeddings {
    wire: Wire,
    model: String,
    name: String,
    width: usize,
    /// True if requests include `dimensions`.
    says_width: AtomicBool,
}

impl Embeddings {
    /// Opens an embedder. Makes no call if the width is configured, and one call otherwise.
    ///
    /// # Errors
    /// [`EmbeddingsError::Config`] if a setting is invalid; [`EmbeddingsError::Unasked`] if the width could not be
    /// determined.
    pub async fn open(config: EmbeddingsConfig) -> Result<Self, EmbeddingsError> {
        let EmbeddingsConfig { base, key, model, width, timeouts } = config;
        let key = key.filter(|key| !key.is_empty());
        let mut headers = HeaderMap::new();
        if let Some(key) = &key {
            let header = key.header("Bearer ").ok_or(ConfigError::Header { provider: NAME, what: "API key" })?;
            headers.insert(AUTHORIZATION, header);
        }
        let url = base_url(NAME, &base)?;
        let is_bare = url.path().trim_matches('/').is_empty();
        let url = extended(url, if is_bare { &["v1", "embeddings"] } else { &["embeddings"] });
        let wire = Wire::new(NAME, url, headers, key, timeouts, &[("embedding", &model)])?;
        let says_width = AtomicBool::new(width.is_some());
        let mut made = Embeddings { wire, model, name: String::new(), width: 0, says_width };
        made.width = match width {
            Some(width) => width,
            None => made
                .found_out()
                .await
                .map_err(|failure| EmbeddingsError::Unasked { model: made.model.clone(), failure })?,
        };
        made.name = format!("openai:{}:{}", made.model, made.width);
        Ok(made)
    }

    /// Origin of the endpoint (scheme, host and port), for people.
    pub fn origin(&self) -> String {
        self.wire.origin()
    }

    async fn found_out(&self) -> Result<usize, Failure> {
        let vectors = self.asked(&[PROBE]).await?;
        match vectors.first() {
            Some(vector) if !vector.is_empty() => Ok(vector.len()),
            _ => Err(unreadable("returned a vector without components".to_owned())),
        }
    }

    async fn all(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Failure> {
        let mut blank = vec![0.0; self.width];
        quantize(&mut blank);
        let mut vectors = vec![blank; texts.len()];
        let places: Vec<usize> = (0..texts.len()).filter(|at| !texts[*at].trim().is_empty()).collect();
        for places in places.chunks(MAX_TEXTS) {
            let some: Vec<&str> = places.iter().map(|at| counted(&texts[*at])).collect();
            for (at, mut vector) in places.iter().zip(self.asked(&some).await?) {
                if vector.len() != self.width {
                    let (given, width) = (vector.len(), self.width);
                    return Err(unreadable(format!("returned a vector of length {given}; expected {width}")));
                }
                quantize(&mut vector);
                vectors[*at] = vector;
            }
        }
        Ok(vectors)
    }

    /// Requests the vectors of some texts, in their order. Validates their number, and that components are finite and
    /// not all zero.
    async fn asked(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Failure> {
        let mut calls = self.wire.calls_about("embedding".to_owned(), texts.first().copied().unwrap_or("").to_owned());
        let reply = loop {
            let says_width = self.says_width.load(Ordering::Relaxed);
            let error = match calls.send::<Reply>(&self.body(texts, says_width)).await {
                Ok(reply) => break reply.body,
                Err(error) => error,
            };
            if !(says_width && error.refuses(&["dimension"])) {
                return Err(calls.failure(error));
            }
            calls.leave_out(error);
            self.says_width.store(false, Ordering::Relaxed);
        };
        in_order(reply, texts.len())
    }

    fn body(&self, texts: &[&str], says_width: bool) -> Value {
        let mut body = json!({ "model": self.model, "input": texts });
        if says_width {
            body["dimensions"] = json!(self.width);
        }
        body
    }
}

impl Embedder for Embeddings {
    fn name(&self) -> &str {
        &self.name
    }

    fn width(&self) -> usize {
        self.width
    }

    fn max_batch_size(&self) -> usize {
        MAX_TEXTS
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> Pending<'a, Vec<Vec<f32>>> {
        Box::pin(self.all(texts))
    }
}

/// Body of a response.
#[derive(Deserialize)]
struct Reply {
    #[serde(default)]
    data: Vec<Entry>,
    /// Error object: some relays report failures with status 200.
    error: Option<Value>,
}

/// Vector with the index of its text. Entries without an index are in the order of the texts.
#[derive(Deserialize)]
struct Entry {
    index: Option<usize>,
    /// Components; some servers send null for a value that is not a number.
    embedding: Vec<Option<f32>>,
}

/// Sorts the vectors into the order of the texts.
fn in_order(reply: Reply, n_texts: usize) -> Result<Vec<Vec<f32>>, Failure> {
    if let Some(error) = reply.error.filter(|error| !error.is_null()) {
        return Err(Failure::new(
            FailureKind::Unavailable,
            format!("{NAME} sent no vectors, saying {}", quote(&error.to_string())),
        ));
    }
    let n = reply.data.len();
    if n != n_texts {
        return Err(unreadable(format!("returned {n} vectors for {n_texts} texts")));
    }
    let mut vectors = vec![None; n_texts];
    for (place, entry) in reply.data.into_iter().enumerate() {
        let at = entry.index.unwrap_or(place);
        let sound = |vector: &Vec<f32>| {
            vector.iter().all(|component| component.is_finite()) && vector.iter().any(|component| *component != 0.0)
        };
        let Some(vector) = entry.embedding.into_iter().collect::<Option<Vec<f32>>>().filter(sound) else {
            return Err(unreadable(format!(
                "returned an invalid vector for text {at}: not all components are numbers, or all are 0"
            )));
        };
        match vectors.get_mut(at) {
            Some(free @ None) => *free = Some(vector),
            _ => return Err(unreadable(format!("returned an index that is out of range or repeated: {at}"))),
        }
    }
    Ok(vectors.into_iter().flatten().collect())
}

/// Cuts a text to its maximum length.
fn counted(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TEXT_BYTES)]
}

fn unreadable(what: String) -> Failure {
    Failure::new(FailureKind::Unreadable, format!("{NAME} {what}"))
}
