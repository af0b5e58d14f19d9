//! The environment, read once.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::limits::Limits;
use crate::proxies::Proxies;

/// Everything that the environment decides. The variables, their meaning and defaults are listed in [`VARIABLES`].
#[derive(Clone)]
pub struct Config {
    /// `DATABASE_URL`.
    pub database_url: Option<String>,
    /// `FAULTLINE_READ_URL`.
    pub read_url: Option<String>,
    /// `FAULTLINE_READ_LAG_SECONDS`.
    pub read_lag: Duration,
    /// `FAULTLINE_HOME`.
    pub home: PathBuf,
    /// `FAULTLINE_FREE_MIB`, in bytes.
    pub kept_free: u64,
    /// `FAULTLINE_PG_BIN`.
    pub pg_bin: Option<PathBuf>,
    /// `FAULTLINE_PERSONAS`.
    pub personas: PathBuf,
    /// `FAULTLINE_CORPUS`.
    pub corpus: PathBuf,
    /// `FAULTLINE_EMBEDDER`, and what goes with it.
    pub embedder: Embedding,
    /// `FAULTLINE_LEASE_SECONDS`.
    pub lease: Duration,
    /// `FAULTLINE_RUNNERS`.
    pub runners: usize,
    /// `FAULTLINE_CALL_SECONDS`.
    pub patience: Duration,
    /// `FAULTLINE_POOL`.
    pub pool: u32,
    /// `FAULTLINE_ORIGINS`.
    pub origins: Vec<String>,
    /// `FAULTLINE_TOKENS`.
    pub tokens: Option<PathBuf>,
    /// `FAULTLINE_SEALED`: whether new debates are sealed, each under a key of its own.
    pub sealed: bool,
    /// `FAULTLINE_MASTER_KEY`.
    pub master_key: Option<PathBuf>,
    /// `FAULTLINE_MASTER_KEY_ALSO`.
    pub master_key_also: Option<PathBuf>,
    /// `FAULTLINE_LIMITS`.
    pub limits: Limits,
    /// `FAULTLINE_OPERATIONS`.
    pub operations: Option<PathBuf>,
    /// `FAULTLINE_TRUSTED_PROXIES`.
    pub proxies: Proxies,
    /// `FAULTLINE_CONNECTIONS`.
    pub connections: usize,
    /// `FAULTLINE_SUBSCRIPTIONS`.
    pub subscriptions: usize,
    /// `FAULTLINE_DRAIN_SECONDS`.
    pub drain: Duration,
    /// `FAULTLINE_PRICES`.
    pub prices: Option<PathBuf>,
    /// `FAULTLINE_FETCH_PRIVATE`: whether sources may lie on this machine and in its network.
    pub fetch_private: bool,
    /// `FAULTLINE_SCRIPT`.
    pub script: Option<PathBuf>,
    /// `ANTHROPIC_API_KEY` and what goes with it.
    pub anthropic: Option<Remote>,
    /// `OPENAI_API_KEY` or `OPENAI_BASE_URL`, and what goes with them.
    pub openai: Option<Remote>,
    /// `FAULTLINE_LOG`.
    pub log: String,
    /// `FAULTLINE_LOG_FORMAT`: `text` or `json`.
    pub log_format: String,
    /// `OTEL_EXPORTER_OTLP_ENDPOINT`.
    pub otlp: Option<String>,
    /// `OTEL_SERVICE_NAME`.
    pub service_name: String,
    /// `FAULTLINE_SPANS`.
    pub spans: String,
}

/// A provider somewhere else.
#[derive(Clone)]
pub struct Remote {
    /// The key; empty where the server wants none.
    pub key: String,
    /// Where it is, if not at its usual place.
    pub base_url: Option<String>,
    /// The model for speech and distilling.
    pub deep: String,
    /// The model for checks.
    pub quick: String,
}

/// Whoever turns texts into vectors.
#[derive(Clone)]
pub enum Embedding {
    /// Sentence embeddings in process.
    MiniLm,
    /// A stand-in without weights.
    Hashing,
    /// A model behind an endpoint.
    Endpoint {
        /// The endpoint's name for it.
        model: String,
        /// The key; empty where the server wants none.
        key: String,
        /// Where it is, if not at its inventor's.
        base_url: Option<String>,
        /// How long its vectors shall be, if that is not for the model to say.
        width: Option<usize>,
    },
}

/// The widest vectors that can be kept.
pub const MAX_WIDTH: u64 = 4_000;

/// Where the home is, unless it is named.
pub const DEFAULT_HOME: &str = ".faultline";

/// The environment variables: name, default, meaning.
pub const VARIABLES: &[(&str, &str, &str)] = &[
    ("DATABASE_URL", "", "a PostgreSQL 16 or newer with pgvector 0.7 or newer; without it a private one is started"),
    (
        "FAULTLINE_READ_URL",
        "",
        "a streaming replica of DATABASE_URL that lists, histories and debates may be read from",
    ),
    ("FAULTLINE_READ_LAG_SECONDS", "5", "a replica further behind than this is not read; 1 to 600"),
    ("FAULTLINE_HOME", DEFAULT_HOME, "where the private PostgreSQL, its data and the embedder's weights are kept"),
    (
        "FAULTLINE_FREE_MIB",
        "64",
        "events are refused while the private PostgreSQL's disk has less free than this, in MiB; 0 to 1000000",
    ),
    ("FAULTLINE_PG_BIN", "", "the bin directory of a PostgreSQL installation to use for the private server"),
    ("FAULTLINE_PERSONAS", "personas", "the folder of persona files"),
    ("FAULTLINE_CORPUS", "corpus", "the folder of what the personas wrote"),
    (
        "FAULTLINE_EMBEDDER",
        "minilm",
        "minilm (sentence embeddings in process), hashing (a stand-in without weights), or openai:<model> (any server \
         that speaks OpenAI's embeddings)",
    ),
    ("FAULTLINE_EMBEDDINGS_URL", "", "where openai:<model> is asked; without it OPENAI_BASE_URL"),
    ("FAULTLINE_EMBEDDINGS_KEY", "", "its key; without it and without a URL of its own OPENAI_API_KEY"),
    ("FAULTLINE_EMBEDDINGS_WIDTH", "", "how long its vectors shall be, 1 to 4000; without it the model is asked once"),
    ("FAULTLINE_LEASE_SECONDS", "10", "a dead process's debates are taken over within this time; 1 to 600"),
    ("FAULTLINE_RUNNERS", "64", "debates that one process drives at once; 1 to 10000"),
    ("FAULTLINE_CALL_SECONDS", "180", "how long one call to a provider may take; 1 to 3600"),
    ("FAULTLINE_POOL", "16", "connections to the database that one process holds; 4 to 200"),
    ("FAULTLINE_ORIGINS", "", "web origins that may use the API beside its own, separated by commas"),
    (
        "FAULTLINE_TOKENS",
        "",
        "a file of bearer tokens, a line each, as `faultline token` makes them; it is read again when it changes",
    ),
    ("FAULTLINE_SEALED", "1", "1 seals what new debates say, so that it can be erased; 0 records it in plain"),
    (
        "FAULTLINE_MASTER_KEY",
        "",
        "a file of 64 hexadecimal digits, with which the keys of debates are wrapped; without it they are stored as they are",
    ),
    (
        "FAULTLINE_MASTER_KEY_ALSO",
        "",
        "a file like it: keys that are wrapped with this one are read as well, while keys are wrapped anew",
    ),
    ("FAULTLINE_LIMITS", "", "limits of the API that are not to be the usual ones: `name=value` with commas between"),
    (
        "FAULTLINE_OPERATIONS",
        "",
        "a JSON file of GraphQL operations; nobody but holders of an admin's token may ask for others",
    ),
    (
        "FAULTLINE_TRUSTED_PROXIES",
        "",
        "addresses and networks of proxies, with commas between, that are believed about from where a request comes",
    ),
    ("FAULTLINE_CONNECTIONS", "5000", "sockets and event streams that one process holds; 1 to 100000"),
    ("FAULTLINE_SUBSCRIPTIONS", "64", "operations under way on one socket; 1 to 1000"),
    ("FAULTLINE_DRAIN_SECONDS", "5", "when the service stops, sockets are closed spread over this time; 0 to 300"),
    ("FAULTLINE_PRICES", "", "a TOML file with the prices of models; without it money is counted as 0"),
    (
        "FAULTLINE_FETCH_PRIVATE",
        "0",
        "1 lets `corpus ingest` fetch from this machine and its network; 0 from public addresses only",
    ),
    ("FAULTLINE_SCRIPT", "", "a JSON file of answers for the provider `scripted`"),
    (
        "FAULTLINE_LOG",
        "warn,faultline::audit=info,sqlx_core::pool=error,sqlx::pool=error,sqlx::postgres::notice=error",
        "what is traced, in the syntax of tracing filters",
    ),
    ("FAULTLINE_LOG_FORMAT", "text", "text or json"),
    (
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "",
        "an OpenTelemetry collector that takes OTLP over HTTP, such as http://127.0.0.1:4318; without it no spans are sent",
    ),
    ("OTEL_SERVICE_NAME", "faultline", "the service's name in its spans"),
    (
        "FAULTLINE_SPANS",
        "faultline=info,faultline::api::request_id=off",
        "which spans are sent, in the syntax of tracing filters",
    ),
    ("ANTHROPIC_API_KEY", "", "turns the provider `anthropic` on"),
    ("ANTHROPIC_BASE_URL", "", "where it is, if not at its usual place"),
    ("FAULTLINE_ANTHROPIC_DEEP", "claude-sonnet-4-5", "its model for speech and distilling"),
    ("FAULTLINE_ANTHROPIC_QUICK", "claude-haiku-4-5", "its model for checks"),
    ("OPENAI_BASE_URL", "", "turns the provider `openai` on: any server that speaks chat completions"),
    ("OPENAI_API_KEY", "", "its key; turns the provider on as well"),
    ("FAULTLINE_OPENAI_DEEP", "gpt-4.1", "its model for speech and distilling"),
    ("FAULTLINE_OPENAI_QUICK", "gpt-4.1-mini", "its model for checks"),
];

/// A variable that says something it cannot mean.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} is {value:?}; it has to be {wanted}")]
pub struct BadVariable {
    name: &'static str,
    value: String,
    wanted: String,
}

impl Config {
    /// Reads the environment of this process.
    ///
    /// # Errors
    /// [`BadVariable`] for the first variable that cannot be meant.
    pub fn from_env() -> Result<Config, BadVariable> {
        Config::read(&|name| std::env::var(name).ok())
    }

    /// Reads an environment given as pairs; for tests.
    ///
    /// # Errors
    /// As [`Config::from_env`].
    pub fn from_pairs(pairs: &[(&str, &str)]) -> Result<Config, BadVariable> {
        let pairs: BTreeMap<&str, &str> = pairs.iter().copied().collect();
        Config::read(&|name| pairs.get(name).map(|it| (*it).to_owned()))
    }

    fn read(variable: &dyn Fn(&str) -> Option<String>) -> Result<Config, BadVariable> {
        let given = |name: &str| variable(name).filter(|it| !it.trim().is_empty());
        let or_default = |name: &'static str| given(name).unwrap_or_else(|| default(name).to_owned());
        let path = |name: &str| given(name).map(PathBuf::from);
        let remote = |key: Option<String>, base_url: Option<String>, deep: &'static str, quick: &'static str| Remote {
            key: key.unwrap_or_default(),
            base_url,
            deep: or_default(deep),
            quick: or_default(quick),
        };
        let (anthropic_key, openai_key) = (given("ANTHROPIC_API_KEY"), given("OPENAI_API_KEY"));
        let openai_url = given("OPENAI_BASE_URL");
        let has_openai = openai_key.is_some() || openai_url.is_some();
        Ok(Config {
            database_url: given("DATABASE_URL"),
            read_url: given("FAULTLINE_READ_URL"),
            read_lag: seconds("FAULTLINE_READ_LAG_SECONDS", &or_default("FAULTLINE_READ_LAG_SECONDS"), 1, 600)?,
            home: or_default("FAULTLINE_HOME").into(),
            kept_free: number("FAULTLINE_FREE_MIB", &or_default("FAULTLINE_FREE_MIB"), 0, 1_000_000)? << 20,
            pg_bin: path("FAULTLINE_PG_BIN"),
            personas: or_default("FAULTLINE_PERSONAS").into(),
            corpus: or_default("FAULTLINE_CORPUS").into(),
            embedder: embedding(or_default("FAULTLINE_EMBEDDER"), &given)?,
            lease: seconds("FAULTLINE_LEASE_SECONDS", &or_default("FAULTLINE_LEASE_SECONDS"), 1, 600)?,
            runners: number("FAULTLINE_RUNNERS", &or_default("FAULTLINE_RUNNERS"), 1, 10_000)? as usize,
            patience: seconds("FAULTLINE_CALL_SECONDS", &or_default("FAULTLINE_CALL_SECONDS"), 1, 3_600)?,
            pool: number("FAULTLINE_POOL", &or_default("FAULTLINE_POOL"), 4, 200)? as u32,
            origins: or_default("FAULTLINE_ORIGINS")
                .split(',')
                .map(|it| it.trim().to_owned())
                .filter(|it| !it.is_empty())
                .collect(),
            tokens: path("FAULTLINE_TOKENS"),
            sealed: one_of("FAULTLINE_SEALED", or_default("FAULTLINE_SEALED"), &["0", "1"])? == "1",
            master_key: path("FAULTLINE_MASTER_KEY"),
            master_key_also: path("FAULTLINE_MASTER_KEY_ALSO"),
            limits: limits(&or_default("FAULTLINE_LIMITS"))?,
            operations: path("FAULTLINE_OPERATIONS"),
            proxies: proxies(&or_default("FAULTLINE_TRUSTED_PROXIES"))?,
            connections: number("FAULTLINE_CONNECTIONS", &or_default("FAULTLINE_CONNECTIONS"), 1, 100_000)? as usize,
            subscriptions: number("FAULTLINE_SUBSCRIPTIONS", &or_default("FAULTLINE_SUBSCRIPTIONS"), 1, 1_000)?
                as usize,
            drain: seconds("FAULTLINE_DRAIN_SECONDS", &or_default("FAULTLINE_DRAIN_SECONDS"), 0, 300)?,
            prices: path("FAULTLINE_PRICES"),
            fetch_private: one_of("FAULTLINE_FETCH_PRIVATE", or_default("FAULTLINE_FETCH_PRIVATE"), &["0", "1"])?
                == "1",
            script: path("FAULTLINE_SCRIPT"),
            anthropic: anthropic_key.map(|key| {
                remote(Some(key), given("ANTHROPIC_BASE_URL"), "FAULTLINE_ANTHROPIC_DEEP", "FAULTLINE_ANTHROPIC_QUICK")
            }),
            openai: has_openai
                .then(|| remote(openai_key, openai_url, "FAULTLINE_OPENAI_DEEP", "FAULTLINE_OPENAI_QUICK")),
            log: or_default("FAULTLINE_LOG"),
            log_format: one_of("FAULTLINE_LOG_FORMAT", or_default("FAULTLINE_LOG_FORMAT"), &["text", "json"])?,
            otlp: given("OTEL_EXPORTER_OTLP_ENDPOINT"),
            service_name: or_default("OTEL_SERVICE_NAME"),
            spans: or_default("FAULTLINE_SPANS"),
        })
    }
}

fn embedding(value: String, given: &dyn Fn(&str) -> Option<String>) -> Result<Embedding, BadVariable> {
    let model = match value.trim() {
        "minilm" => return Ok(Embedding::MiniLm),
        "hashing" => return Ok(Embedding::Hashing),
        other => other.strip_prefix("openai:").map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned),
    };
    let wanted = || "minilm, hashing or openai:<model>".to_owned();
    let model = model.ok_or_else(|| BadVariable { name: "FAULTLINE_EMBEDDER", value, wanted: wanted() })?;
    let width = given("FAULTLINE_EMBEDDINGS_WIDTH");
    let width = width.map(|it| number("FAULTLINE_EMBEDDINGS_WIDTH", &it, 1, MAX_WIDTH)).transpose()?;
    let url = given("FAULTLINE_EMBEDDINGS_URL");
    let key = given("FAULTLINE_EMBEDDINGS_KEY");
    // The key of one server is never shown to another.
    let key = key.or_else(|| if url.is_none() { given("OPENAI_API_KEY") } else { None });
    let base_url = url.or_else(|| given("OPENAI_BASE_URL"));
    Ok(Embedding::Endpoint { model, key: key.unwrap_or_default(), base_url, width: width.map(|it| it as usize) })
}

fn limits(value: &str) -> Result<Limits, BadVariable> {
    let bad = |wanted| BadVariable { name: "FAULTLINE_LIMITS", value: value.to_owned(), wanted };
    Limits::read(value).map_err(bad)
}

fn proxies(value: &str) -> Result<Proxies, BadVariable> {
    let bad = |wanted| BadVariable { name: "FAULTLINE_TRUSTED_PROXIES", value: value.to_owned(), wanted };
    Proxies::read(value).map_err(bad)
}

fn default(name: &str) -> &'static str {
    VARIABLES.iter().find(|(it, ..)| *it == name).map_or("", |(_, default, _)| default)
}

fn number(name: &'static str, value: &str, lowest: u64, highest: u64) -> Result<u64, BadVariable> {
    let wanted = || format!("a number from {lowest} to {highest}");
    let read = value.trim().parse().ok().filter(|it| (lowest..=highest).contains(it));
    read.ok_or_else(|| BadVariable { name, value: value.to_owned(), wanted: wanted() })
}

fn seconds(name: &'static str, value: &str, lowest: u64, highest: u64) -> Result<Duration, BadVariable> {
    number(name, value, lowest, highest).map(Duration::from_secs)
}

fn one_of(name: &'static str, value: String, allowed: &[&str]) -> Result<String, BadVariable> {
    if allowed.contains(&value.as_str()) {
        Ok(value)
    } else {
        Err(BadVariable { name, value, wanted: allowed.join(" or ") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_said_has_its_default() {
        let config = Config::from_pairs(&[("DATABASE_URL", " "), ("OPENAI_BASE_URL", "")]).expect("defaults");
        assert_eq!((config.database_url, config.openai.is_none(), config.runners), (None, true, 64));
        assert_eq!(config.home, PathBuf::from(".faultline"));
    }

    #[test]
    fn what_cannot_be_meant_is_named() {
        for (name, value) in [
            ("FAULTLINE_RUNNERS", "many"),
            ("FAULTLINE_RUNNERS", "0"),
            ("FAULTLINE_LEASE_SECONDS", "-1"),
            ("FAULTLINE_READ_LAG_SECONDS", "0"),
            ("FAULTLINE_FREE_MIB", "1G"),
            ("FAULTLINE_LOG_FORMAT", "xml"),
            ("FAULTLINE_EMBEDDER", "ada"),
            ("FAULTLINE_FETCH_PRIVATE", "yes"),
            ("FAULTLINE_SEALED", "yes"),
            ("FAULTLINE_LIMITS", "depth=0"),
            ("FAULTLINE_TRUSTED_PROXIES", "10.0.0.0/33"),
            ("FAULTLINE_CONNECTIONS", "0"),
            ("FAULTLINE_SUBSCRIPTIONS", "1001"),
            ("FAULTLINE_DRAIN_SECONDS", "301"),
            ("FAULTLINE_EMBEDDER", "openai: "),
        ] {
            let error = Config::from_pairs(&[(name, value)]).err().map(|it| it.to_string()).unwrap_or_default();
            assert!(error.contains(name) && error.contains(value), "{name}={value}: {error}");
        }
    }

    #[test]
    fn an_embeddings_endpoint_is_read_and_no_key_goes_to_a_server_that_it_is_not_of() {
        let endpoint = |pairs: &[(&str, &str)]| {
            let pairs =
                [&[("FAULTLINE_EMBEDDER", "openai:m"), ("OPENAI_API_KEY", "a"), ("OPENAI_BASE_URL", "b")], pairs];
            match Config::from_pairs(&pairs.concat()).map(|it| it.embedder) {
                Ok(Embedding::Endpoint { model, key, base_url, width }) => {
                    Ok((model, key, base_url.unwrap_or_default(), width))
                }
                Ok(_) => Err("another embedder".to_owned()),
                Err(error) => Err(error.to_string()),
            }
        };
        let told = |key: &str, url: &str, width| Ok(("m".to_owned(), key.to_owned(), url.to_owned(), width));
        assert_eq!(endpoint(&[]), told("a", "b", None));
        let (url, key) = (("FAULTLINE_EMBEDDINGS_URL", "c"), ("FAULTLINE_EMBEDDINGS_KEY", "d"));
        assert_eq!(endpoint(&[url]), told("", "c", None));
        assert_eq!(endpoint(&[url, key, ("FAULTLINE_EMBEDDINGS_WIDTH", "256")]), told("d", "c", Some(256)));
        assert_eq!(endpoint(&[key]), told("d", "b", None));
        let refused = endpoint(&[("FAULTLINE_EMBEDDINGS_WIDTH", "4001")]);
        assert_eq!(
            refused,
            Err("FAULTLINE_EMBEDDINGS_WIDTH is \"4001\"; it has to be a number from 1 to 4000".to_owned())
        );
    }
}
