//! Creates the configured providers.

use std::path::Path;
use std::sync::Arc;
use std::thread::available_parallelism;

use crate::app::database::home;
use crate::app::error::AppError;
use crate::app::paced_model::PacedModel;
use crate::config::Config;
use crate::config_values::{AuditorConfig, EmbedderConfig, ProviderConfig, SearchConfig};
use faultline_core::positions::model::AllPositions;
use faultline_providers::anthropic::{Anthropic, AnthropicConfig};
use faultline_providers::embeddings::{Embeddings, EmbeddingsConfig};
use faultline_providers::hashing::Hashing;
use faultline_providers::minilm::{EmbedderConcurrency, MiniLm};
use faultline_providers::nli::files::NliConfig;
use faultline_providers::nli::reader::Nli;
use faultline_providers::offline::model::Offline;
use faultline_providers::openai::{OPENAI_BASE, OpenAi, OpenAiConfig, TokenLimit};
use faultline_providers::pacing::ProviderLimits;
use faultline_providers::ports::{ChoosableModels, Corpora, Embedder, EvidenceSearch, Model};
use faultline_providers::prices::Prices;
use faultline_providers::scripted::Scripted;
use faultline_providers::search::searxng::{Searxng, SearxngConfig};
use faultline_providers::search::tavily::{Tavily, TavilyConfig};
use faultline_providers::settings::{ApiKey, CallTimeouts};
use faultline_store::embedded::cluster::OnProgress;
use faultline_store::provision::minilm::minilm_model;

/// Returns all providers, the preferred one first. The offline one plays `positions`. A configured model comes before the offline one, because a user who
/// sets a key wants it to be used.
///
/// # Errors
/// [`AppError::Configuration`] if a setting cannot be used.
pub fn models(
    config: &Config,
    corpora: Arc<dyn Corpora>,
    positions: Arc<AllPositions>,
) -> Result<Vec<Arc<dyn Model>>, AppError> {
    let own = match &config.prices {
        None => Prices::default(),
        Some(path) => {
            Prices::parse(&text_of("FAULTLINE_PRICES", path)?).map_err(|error| unusable("FAULTLINE_PRICES", error))?
        }
    };
    // Shipped prices are those of the providers' own servers; others may answer to the same names.
    let prices = |remote: &ProviderConfig| match remote.base_url {
        None => Prices::shipped().with(own.clone()),
        Some(_) => own.clone(),
    };
    let mut models: Vec<Arc<dyn Model>> = Vec::new();
    if let Some(remote) = config.anthropic() {
        models.push(Arc::new(anthropic(config, &remote, prices(&remote))?));
    }
    if let Some(remote) = config.openai() {
        models.push(Arc::new(openai(config, &remote, prices(&remote))?));
    }
    models.push(PacedModel::wrap(Arc::new(Offline::new(corpora, positions)), config.pace));
    if let Some(path) = &config.script {
        let script = Scripted::parse(&text_of("FAULTLINE_SCRIPT", path)?);
        let script = script.map_err(|error| unusable("FAULTLINE_SCRIPT", error))?;
        models.push(PacedModel::wrap(Arc::new(script), config.pace));
    }
    Ok(models)
}

/// Returns the auditor in process, if a model is configured. Blocks while it is loaded.
///
/// # Errors
/// [`AppError::Configuration`] if the model cannot be used, or the setting names an auditor without a model.
pub fn nli(config: &Config) -> Result<Option<Nli>, AppError> {
    let Some(settings) = config.nli() else {
        return match config.auditor {
            AuditorConfig::Provider => Ok(None),
            AuditorConfig::Nli => Err(AppError::Configuration(
                "FAULTLINE_AUDITOR is nli, but no model is configured; set FAULTLINE_NLI_MODEL to a folder with \
                 model.onnx, tokenizer.json and config.json"
                    .to_owned(),
            )),
        };
    };
    let opened =
        Nli::open(&NliConfig { model: settings.model, tokenizer: settings.tokenizer, labels: settings.labels });
    opened.map(Some).map_err(|error| AppError::Configuration(error.to_string()))
}

/// Returns the web search for evidence; `None` if the corpora are searched.
///
/// # Errors
/// [`AppError::Configuration`] if a setting of the search is missing or cannot be used.
pub fn web_search(config: &Config) -> Result<Option<WebSearch>, AppError> {
    let timeouts = CallTimeouts { call: config.call_timeout, ..CallTimeouts::default() };
    match config.search {
        SearchConfig::Corpora => Ok(None),
        SearchConfig::Tavily => {
            let Some(key) = &config.tavily_key else { return Err(lacking("tavily", "API key", "TAVILY_API_KEY")) };
            let settings = TavilyConfig { base: config.tavily_url.clone(), key: ApiKey::new(key), timeouts };
            let search = Tavily::new(settings)
                .map_err(|error| unusable("the search tavily (TAVILY_API_KEY, FAULTLINE_TAVILY_URL)", error))?;
            Ok(Some(WebSearch { origin: search.origin(), is_free: false, search: Arc::new(search) }))
        }
        SearchConfig::Searxng => {
            let Some(base) = config.searxng_url.clone() else {
                return Err(lacking("searxng", "address of an instance", "FAULTLINE_SEARXNG_URL"));
            };
            let search = Searxng::new(SearxngConfig { base, timeouts });
            let search = search.map_err(|error| unusable("the search searxng (FAULTLINE_SEARXNG_URL)", error))?;
            Ok(Some(WebSearch { origin: search.origin(), is_free: true, search: Arc::new(search) }))
        }
    }
}

fn lacking(search: &str, what: &str, variable: &str) -> AppError {
    AppError::Configuration(format!("FAULTLINE_SEARCH is {search}, but no {what} is configured; set {variable}"))
}

/// Configured web search.
pub struct WebSearch {
    /// The search.
    pub search: Arc<dyn EvidenceSearch>,
    /// Origin of its service (scheme, host and port), for people.
    pub origin: String,
    /// True if its calls cost nothing.
    pub is_free: bool,
}

/// Embedder as configured.
pub struct ConfiguredEmbedder {
    /// The embedder.
    pub embedder: Arc<dyn Embedder>,
    /// Warning that the configured embedder's weights are unavailable and a stand-in is used.
    pub warning: Option<String>,
}

impl ConfiguredEmbedder {
    fn new(embedder: impl Embedder + 'static) -> ConfiguredEmbedder {
        ConfiguredEmbedder { embedder: Arc::new(embedder), warning: None }
    }
}

/// Returns the embedder, and reports that it is being prepared.
///
/// # Errors
/// As [`embedder`].
pub async fn prepare_embedder(config: &Config, report: OnProgress<'_>) -> Result<ConfiguredEmbedder, AppError> {
    report("preparing the embedder");
    embedder(config).await
}

/// Returns the embedder. If its weights are unavailable, a stand-in that knows spellings only is used; there is no
/// stand-in for a configured endpoint.
///
/// # Errors
/// [`AppError::Configuration`] if existing weights or a configured endpoint cannot be used.
pub async fn embedder(config: &Config) -> Result<ConfiguredEmbedder, AppError> {
    match &config.embedder {
        EmbedderConfig::MiniLm => minilm(config).await,
        EmbedderConfig::Hashing => Ok(ConfiguredEmbedder::new(Hashing)),
        EmbedderConfig::Endpoint { model, key, base_url, width } => {
            if key.is_empty() && base_url.is_none() {
                let what = "FAULTLINE_EMBEDDER names a model of an endpoint, but neither its address nor a key is set: \
                            set FAULTLINE_EMBEDDINGS_URL or FAULTLINE_EMBEDDINGS_KEY";
                return Err(AppError::Configuration(what.to_owned()));
            }
            let settings = EmbeddingsConfig {
                base: base_url.clone().unwrap_or_else(|| OPENAI_BASE.to_owned()),
                key: Some(ApiKey::new(key)),
                model: model.clone(),
                width: *width,
                timeouts: CallTimeouts { call: config.call_timeout, ..CallTimeouts::default() },
            };
            let opened = Embeddings::open(settings).await;
            let embedder = opened.map_err(|error| {
                AppError::Configuration(format!(
                    "FAULTLINE_EMBEDDER cannot be used: {error} (FAULTLINE_EMBEDDINGS_WIDTH)"
                ))
            })?;
            Ok(ConfiguredEmbedder::new(embedder))
        }
    }
}

async fn minilm(config: &Config) -> Result<ConfiguredEmbedder, AppError> {
    let cache = home(config).join("cache");
    match minilm_model(&cache).await {
        Ok(weights) => {
            let calls = available_parallelism().map_or(1, usize::from).min(4);
            let opened = MiniLm::open(&weights, EmbedderConcurrency { threads: 1, calls });
            let embedder = opened.map_err(|error| AppError::Configuration(error.to_string()))?;
            Ok(ConfiguredEmbedder::new(embedder))
        }
        Err(error) => {
            let warning =
                format!("sentence embeddings are unavailable, so a stand-in that compares spellings is used: {error}");
            Ok(ConfiguredEmbedder { warning: Some(warning), ..ConfiguredEmbedder::new(Hashing) })
        }
    }
}

fn anthropic(config: &Config, remote: &ProviderConfig, prices: Prices) -> Result<Anthropic, AppError> {
    let mut settings = AnthropicConfig::new(ApiKey::new(&remote.key), &remote.speech_model, &remote.check_model);
    if let Some(base) = &remote.base_url {
        settings.base.clone_from(base);
    }
    settings.timeouts = CallTimeouts { call: config.call_timeout, ..CallTimeouts::default() };
    settings.limits = limits_of(&config.anthropic_limits);
    settings.choosable = choosable(&config.anthropic_models, remote, &prices);
    settings.prices = prices;
    Anthropic::new(settings).map_err(|error| unusable("the provider anthropic", error))
}

fn openai(config: &Config, remote: &ProviderConfig, prices: Prices) -> Result<OpenAi, AppError> {
    let base = remote.base_url.as_deref().unwrap_or(OPENAI_BASE);
    let mut settings = OpenAiConfig::new(base, &remote.speech_model, &remote.check_model);
    settings.key = Some(ApiKey::new(&remote.key)).filter(|key| !key.is_empty());
    if remote.base_url.is_some() {
        // Other servers know the older name of the limit, and some ignore the newer one.
        settings.limit = TokenLimit::MaxTokens;
        settings.schema_in_prompt = true;
    }
    settings.timeouts = CallTimeouts { call: config.call_timeout, ..CallTimeouts::default() };
    settings.limits = limits_of(&config.openai_limits);
    settings.choosable = choosable(&config.openai_models, remote, &prices);
    settings.prices = prices;
    OpenAi::new(settings).map_err(|error| unusable("the provider openai", error))
}

/// Returns the models that can be chosen for participants. By default these are, at the provider's own server, those with a
/// known price, since a limit on cost stops no other; at a server of the user's own, any.
fn choosable(listed: &[String], remote: &ProviderConfig, prices: &Prices) -> ChoosableModels {
    let own = [&remote.speech_model, &remote.check_model];
    match listed {
        [any] if any == "*" => ChoosableModels::Any,
        [] if remote.base_url.is_some() => ChoosableModels::Any,
        [] => ChoosableModels::Listed(prices.models().chain(own).cloned().collect()),
        names => ChoosableModels::Listed(names.iter().chain(own).cloned().collect()),
    }
}

fn limits_of(limits: &[(String, u32)]) -> ProviderLimits {
    ProviderLimits::named(limits.iter().map(|(name, value)| (name.as_str(), *value)))
}

fn text_of(variable: &str, path: &Path) -> Result<String, AppError> {
    std::fs::read_to_string(path).map_err(|error| {
        AppError::Configuration(format!("{variable} names {}, which cannot be read: {error}", path.display()))
    })
}

fn unusable(what: &str, why: impl std::fmt::Display) -> AppError {
    AppError::Configuration(format!("{what} cannot be used: {why}"))
}
