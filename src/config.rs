//! Configuration read at start-up from environment variables, and from the configuration file below them.
//!
//! [`Config`] is the table of variables: names, defaults, bounds and meanings. `clap` parses it, but does not read the
//! environment itself: its `env` would take a blank variable for a value, and here it counts as unset.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

use clap::error::{ContextKind, ContextValue};
use clap::{ArgAction, CommandFactory, Parser};

use crate::config_file::{ConfigFileError, KnownSetting, SettingSource, Settings};
use crate::config_values::{
    AuditorConfig, BudgetSetting, CallLimits, EmbedderConfig, MAX_WIDTH, NliSettings, ProviderConfig, SearchConfig,
    ShardUrls, Values, auditor, budget, call_limits, embedder, flag, log_format, mebibytes, milliseconds, number,
    search, seconds, shards, values,
};
use crate::limits::ApiLimits;
use crate::proxies::TrustedProxies;
use faultline_shipped::files::folder_or_built_in;

/// Default home folder.
pub const DEFAULT_HOME: &str = ".faultline";

/// Default filters of log lines and of exported spans.
const DEFAULT_LOG: &str =
    "warn,faultline::audit=info,async_nats=off,sqlx_core::pool=error,sqlx::pool=error,sqlx::postgres::notice=error";
const DEFAULT_SPANS: &str = "faultline=info,faultline::api::telemetry::request_id=off";

/// Settings taken from the environment; each argument is a variable.
#[derive(Clone, Parser)]
#[command(no_binary_name = true, disable_help_flag = true, disable_version_flag = true)]
pub struct Config {
    /// URL of a `PostgreSQL` 16+ with pgvector 0.7+; if unset, a private server is started.
    #[arg(long = "DATABASE_URL")]
    pub database_url: Option<String>,
    /// URL of a streaming replica of `DATABASE_URL`; lists, histories and debates may be read from it.
    #[arg(long = "FAULTLINE_READ_URL")]
    pub read_url: Option<String>,
    /// Maximum lag at which the replica is still read.
    #[arg(long = "FAULTLINE_READ_LAG_SECONDS", default_value = "5", value_parser = seconds(1, 600))]
    pub read_lag: Duration,
    /// Databases that hold lanes of the log and corpora besides `DATABASE_URL`, as `name=postgres://…`, separated by commas.
    #[arg(long = "FAULTLINE_SHARDS", default_value = "", value_parser = shards)]
    pub shards: ShardUrls,
    /// URLs of NATS servers, separated by commas, over which processes exchange events; needs a program built with the
    /// feature `nats`.
    #[arg(long = "FAULTLINE_NATS_URL")]
    pub nats_url: Option<String>,
    /// Beginning of the subjects at NATS.
    #[arg(long = "FAULTLINE_NATS_SUBJECT", default_value = "faultline")]
    pub nats_subject: String,
    /// True for a process that only serves clients (`serve --edge`).
    #[arg(skip)]
    pub is_edge: bool,
    /// Folder of the private `PostgreSQL`, its data and the embedder's weights.
    #[arg(long = "FAULTLINE_HOME", default_value = DEFAULT_HOME)]
    pub home: PathBuf,
    /// Free disk space of the private `PostgreSQL` below which events are refused; the variable is in MiB.
    #[arg(long = "FAULTLINE_FREE_MIB", default_value = "64", value_parser = mebibytes(0, 1_000_000))]
    pub min_free_bytes: u64,
    /// Bin directory of the `PostgreSQL` installation that runs the private server.
    #[arg(long = "FAULTLINE_PG_BIN")]
    pub pg_bin: Option<PathBuf>,
    /// Folder of the persona files; if unset and absent, those that are built into the program.
    #[arg(long = "FAULTLINE_PERSONAS", default_value = "personas")]
    pub personas: PathBuf,
    /// Folder of the personas' writings; if unset and absent, those that are built into the program.
    #[arg(long = "FAULTLINE_CORPUS", default_value = "corpus")]
    pub corpus: PathBuf,
    /// Embedder: minilm (sentence embeddings in process), hashing (no model weights), or `openai:<model>` (any server
    /// with `OpenAI`'s embeddings API).
    #[arg(long = "FAULTLINE_EMBEDDER", default_value = "minilm", value_parser = embedder)]
    pub embedder: EmbedderConfig,
    /// Base URL for `openai:<model>`; default `OPENAI_BASE_URL`.
    #[arg(long = "FAULTLINE_EMBEDDINGS_URL")]
    embeddings_url: Option<String>,
    /// API key for `openai:<model>`; default `OPENAI_API_KEY`, unless `FAULTLINE_EMBEDDINGS_URL` is set.
    #[arg(long = "FAULTLINE_EMBEDDINGS_KEY")]
    embeddings_key: Option<String>,
    /// Vector width for `openai:<model>`; if unset, one request finds it out.
    #[arg(long = "FAULTLINE_EMBEDDINGS_WIDTH", value_parser = number::<usize>(1, MAX_WIDTH))]
    embeddings_width: Option<usize>,
    /// Lease duration: another process takes over a dead process's debates after it.
    #[arg(long = "FAULTLINE_LEASE_SECONDS", default_value = "10", value_parser = seconds(1, 600))]
    pub lease: Duration,
    /// Maximum number of debates that one process runs at once.
    #[arg(long = "FAULTLINE_RUNNERS", default_value = "64", value_parser = number::<usize>(1, 10_000))]
    pub runners: usize,
    /// Timeout of one provider call.
    #[arg(long = "FAULTLINE_CALL_SECONDS", default_value = "180", value_parser = seconds(1, 3_600))]
    pub call_timeout: Duration,
    /// Size of the database connection pool.
    #[arg(long = "FAULTLINE_POOL", default_value = "16", value_parser = number::<u32>(4, 200))]
    pub pool: u32,
    /// Additional web origins that may use the API, separated by commas; `localhost` stands for all pages of this machine.
    #[arg(long = "FAULTLINE_ORIGINS", default_value = "", value_parser = values)]
    pub origins: Values,
    /// File of bearer tokens, one per line, as `faultline token` prints them; reloaded when it changes.
    #[arg(long = "FAULTLINE_TOKENS")]
    pub tokens: Option<PathBuf>,
    /// 1 encrypts new debates so that they can be erased; 0 stores them as plain text.
    #[arg(long = "FAULTLINE_SEALED", default_value = "1", action = ArgAction::Set, value_parser = flag)]
    pub encrypts_new: bool,
    /// File of 64 hexadecimal digits: the key that wraps the debates' keys; if unset, these are stored unwrapped.
    #[arg(long = "FAULTLINE_MASTER_KEY")]
    pub master_key: Option<PathBuf>,
    /// File of a second master key that may unwrap keys too; used during key rotation.
    #[arg(long = "FAULTLINE_MASTER_KEY_ALSO")]
    pub master_key_also: Option<PathBuf>,
    /// API limits that differ from the defaults: `name=value`, separated by commas.
    #[arg(long = "FAULTLINE_LIMITS", default_value = "", value_parser = ApiLimits::parse)]
    pub limits: ApiLimits,
    /// JSON file of allowed GraphQL operations; only admin tokens may run others.
    #[arg(long = "FAULTLINE_OPERATIONS")]
    pub operations: Option<PathBuf>,
    /// Addresses and networks of proxies whose forwarding headers are trusted, separated by commas.
    #[arg(long = "FAULTLINE_TRUSTED_PROXIES", default_value = "", value_parser = TrustedProxies::parse)]
    pub proxies: TrustedProxies,
    /// Maximum number of `WebSockets` and event streams of one process.
    #[arg(long = "FAULTLINE_CONNECTIONS", default_value = "5000", value_parser = number::<usize>(1, 100_000))]
    pub connections: usize,
    /// Maximum number of concurrent operations on one WebSocket.
    #[arg(long = "FAULTLINE_SUBSCRIPTIONS", default_value = "64", value_parser = number::<usize>(1, 1_000))]
    pub subscriptions: usize,
    /// Time over which sockets are closed when the service stops.
    #[arg(long = "FAULTLINE_DRAIN_SECONDS", default_value = "5", value_parser = seconds(0, 300))]
    pub drain: Duration,
    /// TOML file of model prices, added to the shipped ones.
    #[arg(long = "FAULTLINE_PRICES")]
    pub prices: Option<PathBuf>,
    /// 1 lets `corpus ingest` fetch from this machine and its private network; 0 allows public addresses only.
    #[arg(long = "FAULTLINE_FETCH_PRIVATE", default_value = "0", action = ArgAction::Set, value_parser = flag)]
    pub fetch_private: bool,
    /// Auditor that reads words a second time: provider (the provider of the debate) or nli (the inference model).
    #[arg(long = "FAULTLINE_AUDITOR", default_value = "provider", value_parser = auditor)]
    pub auditor: AuditorConfig,
    /// Folder or ONNX file of a natural-language-inference model; enables the auditor `nli`.
    #[arg(long = "FAULTLINE_NLI_MODEL")]
    nli_model: Option<PathBuf>,
    /// Tokenizer of that model; default `tokenizer.json` beside it.
    #[arg(long = "FAULTLINE_NLI_TOKENIZER")]
    nli_tokenizer: Option<PathBuf>,
    /// Labels of that model in the order of its output, separated by commas; default `id2label` of the `config.json`
    /// beside it.
    #[arg(long = "FAULTLINE_NLI_LABELS", default_value = "", value_parser = values)]
    nli_labels: Values,
    /// Search for the evidence of fact checks: corpora (the writings of all personas), tavily or searxng.
    #[arg(long = "FAULTLINE_SEARCH", default_value = "corpora", value_parser = search)]
    pub search: SearchConfig,
    /// API key of Tavily; needed by the search `tavily`.
    #[arg(long = "TAVILY_API_KEY")]
    pub tavily_key: Option<String>,
    /// Base URL of Tavily's API.
    #[arg(long = "FAULTLINE_TAVILY_URL", default_value = "https://api.tavily.com")]
    pub tavily_url: String,
    /// Base URL of an instance of `SearXNG`; needed by the search `searxng`.
    #[arg(long = "FAULTLINE_SEARXNG_URL")]
    pub searxng_url: Option<String>,
    /// JSON file of replies for the provider `scripted`.
    #[arg(long = "FAULTLINE_SCRIPT")]
    pub script: Option<PathBuf>,
    /// Time that the providers `offline` and `scripted` wait before each answer, so that a debate can be watched; the
    /// variable is in milliseconds.
    #[arg(long = "FAULTLINE_PACE", default_value = "0", value_parser = milliseconds(0, 60_000))]
    pub pace: Duration,
    /// Log filter, in the syntax of tracing filters.
    #[arg(long = "FAULTLINE_LOG", default_value = DEFAULT_LOG)]
    pub log: String,
    /// Format of log lines.
    #[arg(long = "FAULTLINE_LOG_FORMAT", default_value = "text", value_parser = log_format)]
    pub log_format: String,
    /// OpenTelemetry collector for OTLP over HTTP, such as `http://127.0.0.1:4318`; if unset, no spans are exported.
    #[arg(long = "OTEL_EXPORTER_OTLP_ENDPOINT")]
    pub otlp: Option<String>,
    /// Service name in exported spans.
    #[arg(long = "OTEL_SERVICE_NAME", default_value = "faultline")]
    pub service_name: String,
    /// Filter of exported spans, in the syntax of tracing filters.
    #[arg(long = "FAULTLINE_SPANS", default_value = DEFAULT_SPANS)]
    pub spans: String,
    /// Limits of the provider `openai`, as `name=value` separated by commas: context, reply, calls, requests and tokens. A
    /// name behind a model's (`gpt-5-mini:calls=1`) is a limit of that model.
    #[arg(long = "FAULTLINE_OPENAI_LIMITS", default_value = "", value_parser = call_limits)]
    pub openai_limits: CallLimits,
    /// Limits of the provider `anthropic`, in the same form.
    #[arg(long = "FAULTLINE_ANTHROPIC_LIMITS", default_value = "", value_parser = call_limits)]
    pub anthropic_limits: CallLimits,
    /// Budget for the calls of all debates to remote providers and a day (UTC), as `name=value` separated by commas: calls,
    /// tokens and `cost_micros`.
    #[arg(long = "FAULTLINE_BUDGET", default_value = "", value_parser = budget)]
    pub budget: BudgetSetting,
    /// Models of `openai` that can be chosen for participants beside its own two, separated by commas; `*` allows any. By
    /// default those with a known price, or any at a base URL of your own.
    #[arg(long = "FAULTLINE_OPENAI_MODELS", default_value = "", value_parser = values)]
    pub openai_models: Values,
    /// Models of `anthropic` that can be chosen for participants, in the same form.
    #[arg(long = "FAULTLINE_ANTHROPIC_MODELS", default_value = "", value_parser = values)]
    pub anthropic_models: Values,
    /// API key; enables the provider `anthropic`.
    #[arg(long = "ANTHROPIC_API_KEY")]
    anthropic_key: Option<String>,
    /// Base URL of `anthropic`, if not the default.
    #[arg(long = "ANTHROPIC_BASE_URL")]
    anthropic_url: Option<String>,
    /// Model of `anthropic` for speech and distillation.
    #[arg(long = "FAULTLINE_ANTHROPIC_DEEP", default_value = "claude-sonnet-4-5")]
    anthropic_speech_model: String,
    /// Model of `anthropic` for checks.
    #[arg(long = "FAULTLINE_ANTHROPIC_QUICK", default_value = "claude-haiku-4-5")]
    anthropic_check_model: String,
    /// Base URL of any chat-completions server; enables the provider `openai`.
    #[arg(long = "OPENAI_BASE_URL")]
    openai_url: Option<String>,
    /// API key; enables the provider `openai`.
    #[arg(long = "OPENAI_API_KEY")]
    openai_key: Option<String>,
    /// Model of `openai` for speech and distillation.
    #[arg(long = "FAULTLINE_OPENAI_DEEP", default_value = "gpt-4.1")]
    openai_speech_model: String,
    /// Model of `openai` for checks.
    #[arg(long = "FAULTLINE_OPENAI_QUICK", default_value = "gpt-4.1-mini")]
    openai_check_model: String,
}

/// Error of the configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A value is invalid.
    #[error(transparent)]
    Value(#[from] InvalidVariable),
    /// The configuration file cannot be used.
    #[error(transparent)]
    File(#[from] ConfigFileError),
}

/// Invalid value of a setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} is {value:?}; it must be {expected}")]
pub struct InvalidVariable {
    name: String,
    value: String,
    expected: String,
}

impl Config {
    /// Reads the environment of this process, and the configuration file for what the environment leaves unset.
    ///
    /// # Errors
    /// [`ConfigError`] for a file that cannot be used, or for the first invalid value.
    pub fn load() -> Result<Config, ConfigError> {
        let settings = Settings::load(&|name| std::env::var(name).ok(), &Config::known_settings())?;
        Ok(Config::of(&settings)?)
    }

    /// Parses the values of settings.
    ///
    /// # Errors
    /// [`InvalidVariable`] for the first invalid value, with the file if the value is from there.
    pub fn of(settings: &Settings) -> Result<Config, InvalidVariable> {
        let config = Config::read(&|name| settings.value(name).map(str::to_owned));
        config.map_err(|invalid| match (settings.source(&invalid.name), settings.path()) {
            (SettingSource::File, Some(path)) => {
                let known = Config::known_settings().into_iter().find(|known| known.variable == invalid.name);
                let key = known.map_or_else(|| invalid.name.clone(), |known| known.key());
                InvalidVariable { name: format!("{key} in {}", path.display()), ..invalid }
            }
            _ => invalid,
        })
    }

    /// Reads the given name-value pairs instead of the environment; for tests.
    ///
    /// # Errors
    /// [`InvalidVariable`] for the first variable with an invalid value.
    pub fn from_pairs(pairs: &[(&str, &str)]) -> Result<Config, InvalidVariable> {
        let pairs: BTreeMap<&str, &str> = pairs.iter().copied().collect();
        Config::read(&|name| pairs.get(name).map(|value| (*value).to_owned()))
    }

    /// Returns all settings, in the order of the documentation.
    pub fn known_settings() -> Vec<KnownSetting> {
        let known = |setting: &clap::Arg| {
            let default = setting.get_default_values().first().map(|value| value.to_string_lossy().into_owned());
            Some(KnownSetting {
                variable: setting.get_long()?.to_owned(),
                default: default.filter(|value| !value.is_empty()),
                is_path: setting.get_value_parser().type_id() == TypeId::of::<PathBuf>(),
            })
        };
        Config::command().get_arguments().filter_map(known).collect()
    }

    /// Returns the names of all variables.
    pub fn variables() -> Vec<String> {
        Config::command().get_arguments().filter_map(|variable| variable.get_long()).map(str::to_owned).collect()
    }

    /// Returns the settings of the provider `anthropic`, if it is enabled.
    pub fn anthropic(&self) -> Option<ProviderConfig> {
        Some(ProviderConfig {
            key: self.anthropic_key.clone()?,
            base_url: self.anthropic_url.clone(),
            speech_model: self.anthropic_speech_model.clone(),
            check_model: self.anthropic_check_model.clone(),
        })
    }

    /// Returns the settings of the provider `openai`, if it is enabled.
    pub fn openai(&self) -> Option<ProviderConfig> {
        let is_enabled = self.openai_key.is_some() || self.openai_url.is_some();
        is_enabled.then(|| ProviderConfig {
            key: self.openai_key.clone().unwrap_or_default(),
            base_url: self.openai_url.clone(),
            speech_model: self.openai_speech_model.clone(),
            check_model: self.openai_check_model.clone(),
        })
    }

    /// Returns the settings of the natural-language-inference model, if one is configured.
    pub fn nli(&self) -> Option<NliSettings> {
        let (model, tokenizer) = (self.nli_model.clone()?, self.nli_tokenizer.clone());
        Some(NliSettings { model, tokenizer, labels: self.nli_labels.clone() })
    }

    fn read(variable: &dyn Fn(&str) -> Option<String>) -> Result<Config, InvalidVariable> {
        let given = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        // The width is only looked at for an endpoint.
        let is_endpoint = given("FAULTLINE_EMBEDDER").is_some_and(|value| value.trim().starts_with("openai:"));
        let is_used = |name: &String| is_endpoint || name != "FAULTLINE_EMBEDDINGS_WIDTH";
        let names = Config::variables().into_iter().filter(is_used);
        let arguments = names.filter_map(|name| given(&name).map(|value| format!("--{name}={value}")));
        let mut config = Config::try_parse_from(arguments).map_err(|error| invalid(&error))?;
        for (name, folder) in [("FAULTLINE_PERSONAS", &mut config.personas), ("FAULTLINE_CORPUS", &mut config.corpus)] {
            if given(name).is_none() {
                *folder = folder_or_built_in(std::mem::take(folder));
            }
        }
        if let EmbedderConfig::Endpoint { key, base_url, width, .. } = &mut config.embedder {
            // A server is never sent the API key of another server.
            let shared_key = config.openai_key.clone().filter(|_| config.embeddings_url.is_none());
            *key = config.embeddings_key.clone().or(shared_key).unwrap_or_default();
            *base_url = config.embeddings_url.clone().or_else(|| config.openai_url.clone());
            *width = config.embeddings_width;
        }
        Ok(config)
    }
}

/// Maps a parser's error: which variable, its value, and the description of valid values.
fn invalid(error: &clap::Error) -> InvalidVariable {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        _ => String::new(),
    };
    let argument = context(ContextKind::InvalidArg);
    let name = argument.trim_start_matches('-').split(' ').next().unwrap_or_default().to_owned();
    let expected = error.source().map_or_else(|| error.kind().to_string(), ToString::to_string);
    InvalidVariable { name, value: context(ContextKind::InvalidValue), expected }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unset_variables_take_their_defaults() {
        let config = Config::from_pairs(&[("DATABASE_URL", " "), ("OPENAI_BASE_URL", "")]).expect("defaults");
        assert_eq!((config.openai().is_none(), config.runners, config.encrypts_new), (true, 64, true));
        assert_eq!((config.database_url, config.min_free_bytes), (None, 64 << 20));
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
            ("FAULTLINE_SEARCH", "google"),
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

    #[test]
    fn errors_name_the_first_invalid_variable_its_value_and_what_is_valid() {
        for (pairs, expected) in [
            (
                &[("FAULTLINE_LEASE_SECONDS", "-1")][..],
                "FAULTLINE_LEASE_SECONDS is \"-1\"; it must be a number from 1 to 600",
            ),
            (&[("FAULTLINE_SEALED", "yes")], "FAULTLINE_SEALED is \"yes\"; it must be 0 or 1"),
            (&[("FAULTLINE_LOG_FORMAT", "xml")], "FAULTLINE_LOG_FORMAT is \"xml\"; it must be text or json"),
            (
                &[("FAULTLINE_EMBEDDER", "ada")],
                "FAULTLINE_EMBEDDER is \"ada\"; it must be minilm, hashing or openai:<model>",
            ),
            (
                &[("FAULTLINE_SEARCH", "google")],
                "FAULTLINE_SEARCH is \"google\"; it must be corpora, tavily or searxng",
            ),
            (&[("FAULTLINE_LIMITS", "depth=0")], "FAULTLINE_LIMITS is \"depth=0\"; it must be depth from 1 to 64"),
            (
                &[("FAULTLINE_POOL", "3"), ("FAULTLINE_RUNNERS", "many")],
                "FAULTLINE_RUNNERS is \"many\"; it must be a number from 1 to 10000",
            ),
        ] {
            assert_eq!(Config::from_pairs(pairs).err().map(|it| it.to_string()).as_deref(), Some(expected));
        }
        assert!(Config::from_pairs(&[("FAULTLINE_EMBEDDINGS_WIDTH", "0")]).is_ok(), "unused without an endpoint");
    }

    #[test]
    fn settings_of_a_file_are_named_by_their_distinct_keys() {
        let known = Config::known_settings();
        let keys: std::collections::BTreeSet<String> = known.iter().map(KnownSetting::key).collect();
        assert_eq!(keys.len(), known.len());
        let is_path = |variable: &str| known.iter().any(|known| known.variable == variable && known.is_path);
        assert!(is_path("FAULTLINE_HOME") && is_path("FAULTLINE_TOKENS") && !is_path("DATABASE_URL"));
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("faultline.toml");
        std::fs::write(&file, "pool = 3").expect("a file");
        let path = file.display().to_string();
        let settings = Settings::load(&|name| (name == "FAULTLINE_CONFIG").then(|| path.clone()), &known);
        let error = Config::of(&settings.expect("settings")).err().map(|error| error.to_string());
        assert_eq!(error, Some(format!("pool in {path} is \"3\"; it must be a number from 4 to 200")));
    }

    #[test]
    fn the_example_of_a_configuration_file_is_valid() {
        let page = include_str!("../docs/configuration.md");
        let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("faultline.toml");
        std::fs::write(&path, example).expect("a file");
        let path = path.display().to_string();
        let environment = |name: &str| (name == "FAULTLINE_CONFIG").then(|| path.clone());
        let settings = Settings::load(&environment, &Config::known_settings()).expect("settings");
        let config = Config::of(&settings).expect("valid settings");
        assert_eq!((config.runners, config.budget.len(), config.origins.len()), (32, 2, 1));
        assert!(config.openai().is_some());
    }

    #[test]
    fn the_documentation_lists_every_variable_with_its_default() {
        let page = include_str!("../docs/configuration.md");
        let command = Config::command();
        for variable in command.get_arguments() {
            let (name, default) = (variable.get_long().expect("a name"), variable.get_default_values().first());
            let default = default.and_then(|it| it.to_str()).filter(|it| !it.is_empty());
            let row = format!("| `{name}` | {} |", default.map_or(String::new(), |it| format!("`{it}`")));
            assert!(page.contains(&row), "docs/configuration.md lacks {row}");
        }
        assert_eq!(page.lines().filter(|it| it.starts_with("| `")).count(), Config::variables().len());
    }
}
