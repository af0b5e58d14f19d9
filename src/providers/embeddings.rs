//! Vectors from any server that speaks the `/embeddings` of `OpenAI`: its inventor's, Ollama, vLLM, llama.cpp, TEI.
//!
//! | what | rule |
//! |------|------|
//! | the name | `openai:<model>:<width>`: not the address, so that a model may move |
//! | the width | told (`dimensions` in every request), or found out by asking once; every vector has it, or it is a failure |
//! | calls | [`TEXTS`] texts each; retried as [`crate::providers::http`] retries |
//! | a server that refuses `dimensions` | is asked without it, and has to give the width all the same |
//! | a long text | counts to its [`TEXT_BYTES`]th byte; what stands after it says nothing to the vector |
//! | a text of nothing but white space | is not sent; its vector is the first axis |
//! | vectors | brought to length 1, components rounded ([`crate::providers::grid`]) |
//!
//! A server whose vectors are of another number or width than asked for, or no numbers, or without a direction, has
//! failed: nothing of its answer is kept.

use std::sync::atomic::{AtomicBool, Ordering};

use reqwest::header::{AUTHORIZATION, HeaderMap};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::events::receipt::{Failure, FailureKind};
use crate::providers::grid::settle;
use crate::providers::http::{Wire, base_url, extended};
use crate::providers::ports::{Embedder, Pending};
use crate::providers::setback::quote;
use crate::providers::settings::{ConfigError, Patience, Secret};

const NAME: &str = "openai embeddings";

/// The most texts of one call. So many of the widest vectors fit into the longest body that is read.
pub const TEXTS: usize = 32;

/// How much of a text counts, in bytes. A token has a byte at least, so no text has more tokens than the 8,192 that
/// `OpenAI`'s models take, and no call more than its 300,000.
pub const TEXT_BYTES: usize = 8_000;

/// What is embedded to find a width out.
const PROBE: &str = "How wide is this?";

/// What [`Embeddings`] is made from.
#[derive(Clone, Debug)]
pub struct EmbeddingsConfig {
    /// Where the API is, with its version: `http://127.0.0.1:11434/v1`. A bare host is taken to mean `/v1`.
    pub base: String,
    /// The API key, where the server wants one.
    pub key: Option<Secret>,
    /// The server's name for the model.
    pub model: String,
    /// How long its vectors shall be; as long as the model makes them where `None`.
    pub width: Option<usize>,
    /// How long is waited.
    pub patience: Patience,
}

/// Why there is no embedder.
#[derive(Debug, thiserror::Error)]
pub enum EmbeddingsError {
    /// A setting cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The width had to be asked for, and was not told.
    #[error("the width of the vectors by {model} could not be found out: {failure}. Mend that, or say the width")]
    Unasked {
        /// The model.
        model: String,
        /// Why.
        failure: Failure,
    },
}

/// An embedder behind an endpoint.
#[derive(Debug)]
pub struct Embeddings {
    wire: Wire,
    model: String,
    name: String,
    width: usize,
    /// Whether requests say the width.
    says_width: AtomicBool,
}

impl Embeddings {
    /// An embedder by its settings. Calls nobody where they say the width, and else once.
    ///
    /// # Errors
    /// [`EmbeddingsError`].
    pub async fn open(config: EmbeddingsConfig) -> Result<Self, EmbeddingsError> {
        let EmbeddingsConfig { base, key, model, width, patience } = config;
        let key = key.filter(|it| !it.is_empty());
        let mut headers = HeaderMap::new();
        if let Some(key) = &key {
            let header = key.header("Bearer ").ok_or(ConfigError::Header { provider: NAME, what: "API key" })?;
            headers.insert(AUTHORIZATION, header);
        }
        let url = base_url(NAME, &base)?;
        let is_bare = url.path().trim_matches('/').is_empty();
        let url = extended(url, if is_bare { &["v1", "embeddings"] } else { &["embeddings"] });
        let wire = Wire::new(NAME, url, headers, key, patience, &[("embedding", &model)])?;
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

    /// The host that is asked, for people.
    pub fn origin(&self) -> String {
        self.wire.origin()
    }

    async fn found_out(&self) -> Result<usize, Failure> {
        let vectors = self.asked(&[PROBE]).await?;
        match vectors.first() {
            Some(vector) if !vector.is_empty() => Ok(vector.len()),
            _ => Err(unreadable("gave a vector without components".to_owned())),
        }
    }

    async fn all(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Failure> {
        let mut blank = vec![0.0; self.width];
        settle(&mut blank);
        let mut vectors = vec![blank; texts.len()];
        let places: Vec<usize> = (0..texts.len()).filter(|at| !texts[*at].trim().is_empty()).collect();
        for places in places.chunks(TEXTS) {
            let some: Vec<&str> = places.iter().map(|at| counted(&texts[*at])).collect();
            for (at, mut vector) in places.iter().zip(self.asked(&some).await?) {
                if vector.len() != self.width {
                    let (given, width) = (vector.len(), self.width);
                    return Err(unreadable(format!("gave a vector of length {given}, where {width} is the width")));
                }
                settle(&mut vector);
                vectors[*at] = vector;
            }
        }
        Ok(vectors)
    }

    /// The server's vectors of some texts, in their order: as many, of finite numbers, with a direction.
    async fn asked(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Failure> {
        let mut calls = self.wire.calls_about("embedding".to_owned(), texts.first().copied().unwrap_or("").to_owned());
        let reply = loop {
            let says_width = self.says_width.load(Ordering::Relaxed);
            let setback = match calls.post::<Reply>(&self.body(texts, says_width)).await {
                Ok(reply) => break reply.body,
                Err(setback) => setback,
            };
            if !(says_width && setback.refuses(&["dimension"])) {
                return Err(calls.failure(setback));
            }
            calls.leave_out(setback);
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

    fn texts_a_call(&self) -> usize {
        TEXTS
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> Pending<'a, Vec<Vec<f32>>> {
        Box::pin(self.all(texts))
    }
}

/// The body of a response.
#[derive(Deserialize)]
struct Reply {
    #[serde(default)]
    data: Vec<Entry>,
    /// Some relays report their failures with status 200.
    error: Option<Value>,
}

/// A vector, and which text it is of; in the order of the texts where the server does not say.
#[derive(Deserialize)]
struct Entry {
    index: Option<usize>,
    /// What is no number arrives as null from some servers.
    embedding: Vec<Option<f32>>,
}

/// The vectors in the order of the texts.
fn in_order(reply: Reply, n_texts: usize) -> Result<Vec<Vec<f32>>, Failure> {
    if let Some(error) = reply.error.filter(|it| !it.is_null()) {
        return Err(Failure::new(
            FailureKind::Unavailable,
            format!("{NAME} sent no vectors, saying {}", quote(&error.to_string())),
        ));
    }
    let n = reply.data.len();
    if n != n_texts {
        return Err(unreadable(format!("gave {n} vectors for {n_texts} texts")));
    }
    let mut vectors = vec![None; n_texts];
    for (place, entry) in reply.data.into_iter().enumerate() {
        let at = entry.index.unwrap_or(place);
        let sound = |vector: &Vec<f32>| vector.iter().all(|it| it.is_finite()) && vector.iter().any(|it| *it != 0.0);
        let Some(vector) = entry.embedding.into_iter().collect::<Option<Vec<f32>>>().filter(sound) else {
            return Err(unreadable(format!(
                "gave a vector for text {at} that is no direction: not all numbers, or all 0"
            )));
        };
        match vectors.get_mut(at) {
            Some(free @ None) => *free = Some(vector),
            _ => return Err(unreadable(format!("numbered a vector {at}, which no text or another one has"))),
        }
    }
    Ok(vectors.into_iter().flatten().collect())
}

/// As much of a text as counts.
fn counted(text: &str) -> &str {
    &text[..text.floor_char_boundary(TEXT_BYTES)]
}

fn unreadable(what: String) -> Failure {
    Failure::new(FailureKind::Unreadable, format!("{NAME} {what}"))
}
