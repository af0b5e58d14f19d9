//! Configuration read from environment variables at start-up.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::limits::ApiLimits;
use crate::proxies::TrustedProxies;

/// Settings taken from the environment. [`VARIABLES`] lists each variable with its default and meaning.
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
    /// `FAULTLINE_FREE_MIB`, converted to bytes.
    pub kept_free: u64,
    /// `FAULTLINE_PG_BIN`.
    pub pg_bin: Option<PathBuf>,
    /// `FAULTLINE_PERSONAS`.
    pub personas: PathBuf,
    /// `FAULTLINE_CORPUS`.
    pub corpus: PathBuf,
    /// `FAULTLINE_EMBEDDER` and the variables that belong to it.
    pub embedder: EmbedderConfig,
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
    /// `FAULTLINE_SEALED`: true if new debates are encrypted, each with its own key.
    pub sealed: bool,
    /// `FAULTLINE_MASTER_KEY`.
    pub master_key: Option<PathBuf>,
    /// `FAULTLINE_MASTER_KEY_ALSO`.
    pub master_key_also: Option<PathBuf>,
    /// `FAULTLINE_LIMITS`.
    pub limits: ApiLimits,
    /// `FAULTLINE_OPERATIONS`.
    pub operations: Option<PathBuf>,
    /// `FAULTLINE_TRUSTED_PROXIES`.
    pub proxies: TrustedProxies,
    /// `FAULTLINE_CONNECTIONS`.
    pub connections: usize,
    /// `FAULTLINE_SUBSCRIPTIONS`.
    pub subscriptions: usize,
    /// `FAULTLINE_DRAIN_SECONDS`.
    pub drain: Duration,
    /// `FAULTLINE_PRICES`.
    pub prices: Option<PathBuf>,
    /// `FAULTLINE_FETCH_PRIVATE`: true if sources may be fetched from this machine and its private network.
    pub fetch_private: bool,
    /// `FAULTLINE_SCRIPT`.
    pub script: Option<PathBuf>,
    /// `ANTHROPIC_API_KEY` and the variables that belong to it.
    pub anthropic: Option<Remote>,
    /// `OPENAI_API_KEY` or `OPENAI_BASE_URL`, and the variables that belong to them.
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

/// Settings of a remote model provider.
#[derive(Clone)]
pub struct Remote {
    /// API key; empty if the server requires none.
    pub key: String,
    /// Base URL; `None` for the provider's default.
    pub base_url: Option<String>,
    /// Model for speech and distillation.
    pub deep: String,
    /// Model for checks.
    pub quick: String,
}

/// Embedder that turns texts into vectors.
#[derive(Clone)]
pub enum EmbedderConfig {
    /// Sentence-embedding model that runs in this process.
    MiniLm,
    /// Feature hashing, without model weights.
    Hashing,
    /// Model behind an `OpenAI`-compatible endpoint.
    Endpoint {
        /// Name of the model at the endpoint.
        model: String,
        /// API key; empty if the server requires none.
        key: String,
        /// Base URL; `None` for `OpenAI`'s.
        base_url: Option<String>,
        /// Requested vector width; `None` for the model's default.
        width: Option<usize>,
    },
}

/// Largest vector width that can be stored.
pub const MAX_WIDTH: u64 = 4_000;

/// Default home folder.
pub const DEFAULT_HOME: &str = ".faultline";

/// Environment variables: name, default, meaning.
pub const VARIABLES: &[(&str, &str, &str)] = &[
    ("DATABASE_URL", "", "URL of a PostgreSQL 16+ with pgvector 0.7+; if unset, a private server is started"),
    (
        "FAULTLINE_READ_URL",
        "",
        "URL of a streaming replica of DATABASE_URL; lists, histories and debates may be read from it",
    ),
    ("FAULTLINE_READ_LAG_SECONDS", "5", "maximum lag at which the replica is still read; 1 to 600"),
    ("FAULTLINE_HOME", DEFAULT_HOME, "folder of the private PostgreSQL, its data and the embedder's weights"),
    (
        "FAULTLINE_FREE_MIB",
        "64",
        "free disk space of the private PostgreSQL, in MiB, below which events are refused; 0 to 1000000",
    ),
    ("FAULTLINE_PG_BIN", "", "bin directory of the PostgreSQL installation that runs the private server"),
    ("FAULTLINE_PERSONAS", "personas", "folder of the persona files"),
    ("FAULTLINE_CORPUS", "corpus", "folder of the personas' writings"),
    (
        "FAULTLINE_EMBEDDER",
        "minilm",
        "minilm (sentence embeddings in process), hashing (no model weights), or openai:<model> (any server \
         with OpenAI's embeddings API)",
    ),
    ("FAULTLINE_EMBEDDINGS_URL", "", "base URL for openai:<model>; default OPENAI_BASE_URL"),
    (
        "FAULTLINE_EMBEDDINGS_KEY",
        "",
        "API key for openai:<model>; default OPENAI_API_KEY, unless FAULTLINE_EMBEDDINGS_URL is set",
    ),
    (
        "FAULTLINE_EMBEDDINGS_WIDTH",
        "",
        "vector width for openai:<model>, 1 to 4000; if unset, one request finds it out",
    ),
    (
        "FAULTLINE_LEASE_SECONDS",
        "10",
        "lease duration: another process takes over a dead process's debates after it; 1 to 600",
    ),
    ("FAULTLINE_RUNNERS", "64", "maximum number of debates that one process runs at once; 1 to 10000"),
    ("FAULTLINE_CALL_SECONDS", "180", "timeout of one provider call; 1 to 3600"),
    ("FAULTLINE_POOL", "16", "size of the database connection pool; 4 to 200"),
    ("FAULTLINE_ORIGINS", "", "additional web origins that may use the API, separated by commas"),
    (
        "FAULTLINE_TOKENS",
        "",
        "file of bearer tokens, one per line, as `faultline token` prints them; reloaded when it changes",
    ),
    ("FAULTLINE_SEALED", "1", "1 encrypts new debates so that they can be erased; 0 stores them as plain text"),
    (
        "FAULTLINE_MASTER_KEY",
        "",
        "file of 64 hexadecimal digits: the key that wraps the debates' keys; if unset, these are stored unwrapped",
    ),
    ("FAULTLINE_MASTER_KEY_ALSO", "", "file of a second master key that may unwrap keys too; used during key rotation"),
    ("FAULTLINE_LIMITS", "", "API limits that differ from the defaults: `name=value`, separated by commas"),
    ("FAULTLINE_OPERATIONS", "", "JSON file of allowed GraphQL operations; only admin tokens may run others"),
    (
        "FAULTLINE_TRUSTED_PROXIES",
        "",
        "addresses and networks of proxies whose forwarding headers are trusted, separated by commas",
    ),
    ("FAULTLINE_CONNECTIONS", "5000", "maximum number of WebSockets and event streams of one process; 1 to 100000"),
    ("FAULTLINE_SUBSCRIPTIONS", "64", "maximum number of concurrent operations on one WebSocket; 1 to 1000"),
    ("FAULTLINE_DRAIN_SECONDS", "5", "time over which sockets are closed when the service stops; 0 to 300"),
    ("FAULTLINE_PRICES", "", "TOML file of model prices; if unset, costs are counted as 0"),
    (
        "FAULTLINE_FETCH_PRIVATE",
        "0",
        "1 lets `corpus ingest` fetch from this machine and its private network; 0 allows public addresses only",
    ),
    ("FAULTLINE_SCRIPT", "", "JSON file of replies for the provider `scripted`"),
    (
        "FAULTLINE_LOG",
        "warn,faultline::audit=info,sqlx_core::pool=error,sqlx::pool=error,sqlx::postgres::notice=error",
        "log filter, in the syntax of tracing filters",
    ),
    ("FAULTLINE_LOG_FORMAT", "text", "format of log lines: text or json"),
    (
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "",
        "OpenTelemetry collector for OTLP over HTTP, such as http://127.0.0.1:4318; if unset, no spans are exported",
    ),
    ("OTEL_SERVICE_NAME", "faultline", "service name in exported spans"),
    (
        "FAULTLINE_SPANS",
        "faultline=info,faultline::api::request_id=off",
        "filter of exported spans, in the syntax of tracing filters",
    ),
    ("ANTHROPIC_API_KEY", "", "API key; enables the provider `anthropic`"),
    ("ANTHROPIC_BASE_URL", "", "base URL of `anthropic`, if not the default"),
    ("FAULTLINE_ANTHROPIC_DEEP", "claude-sonnet-4-5", "model of `anthropic` for speech and distillation"),
    ("FAULTLINE_ANTHROPIC_QUICK", "claude-haiku-4-5", "model of `anthropic` for checks"),
    ("OPENAI_BASE_URL", "", "base URL of any chat-completions server; enables the provider `openai`"),
    ("OPENAI_API_KEY", "", "API key; enables the provider `openai`"),
    ("FAULTLINE_OPENAI_DEEP", "gpt-4.1", "model of `openai` for speech and distillation"),
    ("FAULTLINE_OPENAI_QUICK", "gpt-4.1-mini", "model of `openai` for checks"),
];

/// Invalid value of an environment variable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} is {value:?}; it must be {wanted}")]
pub struct InvalidVariable {
    name: &'static str,
    value: String,
    wanted: String,
}

impl Config {
    /// Reads the environment of this process.
    ///
    /// # Errors
    /// [`InvalidVariable`] for the first variable with an invalid value.
    pub fn from_env() -> Result<Config, InvalidVariable> {
        Config::read(&|name| std::env::var(name).ok())
    }

    /// Reads the given name-value pairs instead of the environment; for tests.
    ///
    /// # Errors
    /// The same as [`Config::from_env`].
    pub fn from_pairs(pairs: &[(&str, &str)]) -> Result<Config, InvalidVariable> {
        let pairs: BTreeMap<&str, &str> = pairs.iter().copied().collect();
        Config::read(&|name| pairs.get(name).map(|it| (*it).to_owned()))
    }

    fn read(variable: &dyn Fn(&str) -> Option<String>) -> Result<Config, InvalidVariable> {
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

fn embedding(value: String, given: &dyn Fn(&str) -> Option<String>) -> Result<EmbedderConfig, InvalidVariable> {
    let model = match value.trim() {
        "minilm" => return Ok(EmbedderConfig::MiniLm),
        "hashing" => return Ok(EmbedderConfig::Hashing),
        other => other.strip_prefix("openai:").map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned),
    };
    let wanted = || "minilm, hashing or openai:<model>".to_owned();
    let model = model.ok_or_else(|| InvalidVariable { name: "FAULTLINE_EMBEDDER", value, wanted: wanted() })?;
    let width = given("FAULTLINE_EMBEDDINGS_WIDTH");
    let width = width.map(|it| number("FAULTLINE_EMBEDDINGS_WIDTH", &it, 1, MAX_WIDTH)).transpose()?;
    let url = given("FAULTLINE_EMBEDDINGS_URL");
    let key = given("FAULTLINE_EMBEDDINGS_KEY");
    // A server is never sent the API key of another server.
    let key = key.or_else(|| if url.is_none() { given("OPENAI_API_KEY") } else { None });
    let base_url = url.or_else(|| given("OPENAI_BASE_URL"));
    Ok(EmbedderConfig::Endpoint { model, key: key.unwrap_or_default(), base_url, width: width.map(|it| it as usize) })
}

fn limits(value: &str) -> Result<ApiLimits, InvalidVariable> {
    let bad = |wanted| InvalidVariable { name: "FAULTLINE_LIMITS", value: value.to_owned(), wanted };
    ApiLimits::parse(value).map_err(bad)
}

fn proxies(value: &str) -> Result<TrustedProxies, InvalidVariable> {
    let bad = |wanted| InvalidVariable { name: "FAULTLINE_TRUSTED_PROXIES", value: value.to_owned(), wanted };
    TrustedProxies::read(value).map_err(bad)
}

fn default(name: &str) -> &'static str {
    VARIABLES.iter().find(|(it, ..)| *it == name).map_or("", |(_, default, _)| default)
}

fn number(name: &'static str, value: &str, lowest: u64, highest: u64) -> Result<u64, InvalidVariable> {
    let wanted = || format!("a number from {lowest} to {highest}");
    let read = value.trim().parse().ok().filter(|it| (lowest..=highest).contains(it));
    read.ok_or_else(|| InvalidVariable { name, value: value.to_owned(), wanted: wanted() })
}

fn seconds(name: &'static str, value: &str, lowest: u64, highest: u64) -> Result<Duration, InvalidVariable> {
    number(name, value, lowest, highest).map(Duration::from_secs)
}

fn one_of(name: &'static str, value: String, allowed: &[&str]) -> Result<String, InvalidVariable> {
    if allowed.contains(&value.as_str()) {
        Ok(value)
    } else {
        Err(InvalidVariable { name, value, wanted: allowed.join(" or ") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unset_variables_take_their_defaults() {
        let config = Config::from_pairs(&[("DATABASE_URL", " "), ("OPENAI_BASE_URL", "")]).expect("defaults");
        assert_eq!((config.database_url, config.openai.is_none(), config.runners), (None, true, 64));
        assert_eq!(config.home, PathBuf::from(".faultline"));
    }

    #[test]
    fn an_invalid_value_is_reported_with_its_variable() {
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
    fn the_openai_key_is_used_only_for_the_openai_url() {
        let endpoint = |pairs: &[(&str, &str)]| {
            let pairs =
                [&[("FAULTLINE_EMBEDDER", "openai:m"), ("OPENAI_API_KEY", "a"), ("OPENAI_BASE_URL", "b")], pairs];
            match Config::from_pairs(&pairs.concat()).map(|it| it.embedder) {
                Ok(EmbedderConfig::Endpoint { model, key, base_url, width }) => {
                    Ok((model, key, base_url.unwrap_or_default(), width))
                }
                Ok(_) => Err("another embedder".to_owned()),
                Err(error) => Err(error.to_string()),
            }
        };
        let expected = |key: &str, url: &str, width| Ok(("m".to_owned(), key.to_owned(), url.to_owned(), width));
        assert_eq!(endpoint(&[]), expected("a", "b", None));
        let (url, key) = (("FAULTLINE_EMBEDDINGS_URL", "c"), ("FAULTLINE_EMBEDDINGS_KEY", "d"));
        assert_eq!(endpoint(&[url]), expected("", "c", None));
        assert_eq!(endpoint(&[url, key, ("FAULTLINE_EMBEDDINGS_WIDTH", "256")]), expected("d", "c", Some(256)));
        assert_eq!(endpoint(&[key]), expected("d", "b", None));
        let refused = endpoint(&[("FAULTLINE_EMBEDDINGS_WIDTH", "4001")]);
        assert_eq!(
            refused,
            Err("FAULTLINE_EMBEDDINGS_WIDTH is \"4001\"; it must be a number from 1 to 4000".to_owned())
        );
    }
}
