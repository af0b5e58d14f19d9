//! Values of settings, and their parsers. An error of a parser tells what the value must be.

use std::convert::Infallible;
use std::path::PathBuf;
use std::time::Duration;

/// Largest vector width that can be stored.
pub(crate) const MAX_WIDTH: u64 = 4_000;

/// Values separated by commas.
pub(crate) type Values = Vec<String>;
/// Limits of a provider's calls, by name.
pub(crate) type CallLimits = Vec<(String, u32)>;

/// Addresses of databases that hold lanes of the log, by name.
pub(crate) type ShardUrls = Vec<(String, String)>;

/// Limits of the budget over all debates, by name.
pub(crate) type BudgetSetting = Vec<(String, u64)>;

/// Names of the limits of the budget.
const BUDGET_LIMITS: [&str; 3] = ["calls", "tokens", "cost_micros"];
/// Names of the limits of a provider's calls.
const CALL_LIMITS: [&str; 5] = ["context", "reply", "calls", "requests", "tokens"];

/// Settings of a remote model provider.
#[derive(Clone)]
pub struct ProviderConfig {
    /// API key; empty if the server requires none.
    pub key: String,
    /// Base URL; `None` for the provider's default.
    pub base_url: Option<String>,
    /// Model for speech and distillation.
    pub speech_model: String,
    /// Model for checks.
    pub check_model: String,
}

/// Auditor that reads the words of debates a second time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditorConfig {
    /// The provider of each debate.
    Provider,
    /// The natural-language-inference model in this process.
    Nli,
}

/// Search for texts that bear on the claims of fact checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchConfig {
    /// The writings of all personas.
    Corpora,
    /// The web, by Tavily.
    Tavily,
    /// The web, by an instance of `SearXNG`.
    Searxng,
}

/// Settings of a natural-language-inference model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NliSettings {
    /// Folder or ONNX file.
    pub model: PathBuf,
    /// Tokenizer, if it is not beside the model.
    pub tokenizer: Option<PathBuf>,
    /// Labels in the order of the output; empty for those of the model's configuration.
    pub labels: Vec<String>,
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

/// Parses the name of an auditor.
pub(crate) fn auditor(value: &str) -> Result<AuditorConfig, String> {
    match value.trim() {
        "provider" => Ok(AuditorConfig::Provider),
        "nli" => Ok(AuditorConfig::Nli),
        _ => Err("provider or nli".to_owned()),
    }
}

/// Parses the name of a search.
pub(crate) fn search(value: &str) -> Result<SearchConfig, String> {
    match value.trim() {
        "corpora" => Ok(SearchConfig::Corpora),
        "tavily" => Ok(SearchConfig::Tavily),
        "searxng" => Ok(SearchConfig::Searxng),
        _ => Err("corpora, tavily or searxng".to_owned()),
    }
}

/// Parses the name of an embedder.
pub(crate) fn embedder(value: &str) -> Result<EmbedderConfig, String> {
    match value.trim() {
        "minilm" => Ok(EmbedderConfig::MiniLm),
        "hashing" => Ok(EmbedderConfig::Hashing),
        other => match other.strip_prefix("openai:").map(str::trim) {
            None | Some("") => Err("minilm, hashing or openai:<model>".to_owned()),
            Some(model) => {
                let (model, key) = (model.to_owned(), String::new());
                Ok(EmbedderConfig::Endpoint { model, key, base_url: None, width: None })
            }
        },
    }
}

/// Returns a parser of numbers between two others.
pub(crate) fn number<T: TryFrom<u64>>(lowest: u64, highest: u64) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |value| {
        let number = value.trim().parse().ok().filter(|number| (lowest..=highest).contains(number));
        number.and_then(|it| T::try_from(it).ok()).ok_or_else(|| format!("a number from {lowest} to {highest}"))
    }
}

/// Returns a parser of durations in seconds.
pub(crate) fn seconds(lowest: u64, highest: u64) -> impl Fn(&str) -> Result<Duration, String> + Clone {
    move |value| number(lowest, highest)(value).map(Duration::from_secs)
}

/// Returns a parser of durations in milliseconds.
pub(crate) fn milliseconds(lowest: u64, highest: u64) -> impl Fn(&str) -> Result<Duration, String> + Clone {
    move |value| number(lowest, highest)(value).map(Duration::from_millis)
}

/// Returns a parser of sizes in MiB; its values are bytes.
pub(crate) fn mebibytes(lowest: u64, highest: u64) -> impl Fn(&str) -> Result<u64, String> + Clone {
    move |value| number::<u64>(lowest, highest)(value).map(|mebibytes| mebibytes << 20)
}

/// Parses limits of a provider's calls.
pub(crate) fn call_limits(list: &str) -> Result<CallLimits, String> {
    let expected = || {
        format!(
            "`name=value` separated by commas, with numbers from 1 and the names {}, or `model:name=value`",
            CALL_LIMITS.join(", ")
        )
    };
    let limit = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        let (name, limit) = (name.trim(), name.rsplit_once(':').map_or(name, |(_, limit)| limit).trim());
        CALL_LIMITS.into_iter().find(|known| *known == limit)?;
        let value = value.trim().parse().ok().filter(|value| *value > 0)?;
        Some((name.to_owned(), value))
    };
    let pairs = list.split(',').map(str::trim).filter(|pair| !pair.is_empty());
    pairs.map(|pair| limit(pair).ok_or_else(expected)).collect()
}

/// Parses limits of the budget.
pub(crate) fn budget(list: &str) -> Result<BudgetSetting, String> {
    let limit = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        let name = BUDGET_LIMITS.into_iter().find(|known| *known == name.trim())?;
        Some((name.to_owned(), value.trim().parse().ok()?))
    };
    let pairs = list.split(',').map(str::trim).filter(|pair| !pair.is_empty());
    let expected = || format!("`name=value` separated by commas, with the names {}", BUDGET_LIMITS.join(", "));
    pairs.map(|pair| limit(pair).ok_or_else(expected)).collect()
}

/// Parses addresses of databases by name. A part without `://` continues the address before it, which may name several hosts.
pub(crate) fn shards(list: &str) -> Result<ShardUrls, String> {
    let expected = || "`name=postgres://…` separated by commas, each name once".to_owned();
    let mut shards: ShardUrls = Vec::new();
    for part in list.split(',').filter(|part| !part.trim().is_empty()) {
        if !part.contains("://") {
            let (_, url) = shards.last_mut().ok_or_else(expected)?;
            *url = format!("{url},{part}");
            continue;
        }
        let (name, url) = part.trim().split_once('=').filter(|(name, _)| !name.contains("://")).ok_or_else(expected)?;
        if name.is_empty() || shards.iter().any(|(known, _)| known == name) {
            return Err(expected());
        }
        shards.push((name.to_owned(), url.to_owned()));
    }
    Ok(shards)
}

/// Parses values separated by commas.
pub(crate) fn values(list: &str) -> Result<Values, Infallible> {
    Ok(list.split(',').map(str::trim).filter(|value| !value.is_empty()).map(str::to_owned).collect())
}

/// Parses 0 or 1.
pub(crate) fn flag(value: &str) -> Result<bool, String> {
    one_of(value, ["0", "1"]).map(|value| value == "1")
}

/// Parses the format of log lines.
pub(crate) fn log_format(value: &str) -> Result<String, String> {
    one_of(value, ["text", "json"])
}

fn one_of(value: &str, allowed: [&str; 2]) -> Result<String, String> {
    if allowed.contains(&value) { Ok(value.to_owned()) } else { Err(allowed.join(" or ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_addresses_by_name() {
        let named = |pairs: &[(&str, &str)]| -> Result<ShardUrls, String> {
            Ok(pairs.iter().map(|(name, url)| ((*name).to_owned(), (*url).to_owned())).collect())
        };
        let (one, two) = ("postgres://u:p=1@b/f?sslmode=require", "postgres://c1,c2/f");
        assert_eq!(shards(&format!("b={one}, eu-2={two}")), named(&[("b", one), ("eu-2", two)]));
        assert_eq!(shards(""), Ok(Vec::new()));
        for wrong in
            ["b", "postgres://b/f", "=postgres://b/f", "postgres://u:p=1@b/f", "b=postgres://b/f,b=postgres://c/f"]
        {
            assert!(shards(wrong).is_err(), "{wrong}");
        }
    }
}
