//! What an HTTP provider is made from: keys, models, patience; and why it cannot be made.
//!
//! Plain values. Who reads them from where is not decided here.

use std::fmt;
use std::time::Duration;

use reqwest::header::HeaderValue;
use serde_json::Value;

use crate::events::receipt::Tier;

/// Keys shorter than this are placeholders for servers that want none, and ordinary words in many a message.
const MIN_SECRET_BYTES: usize = 8;

/// A key that is shown to nobody but the provider: neither `Debug` nor an error prints it.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// A secret, without the white space around it.
    pub fn new(text: impl AsRef<str>) -> Self {
        Secret(text.as_ref().trim().to_owned())
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A text without the secret, which servers are known to repeat in their complaints.
    pub fn scrub(&self, text: &str) -> String {
        if self.0.len() < MIN_SECRET_BYTES { text.to_owned() } else { text.replace(&self.0, "[redacted]") }
    }

    /// Takes the secret out of every text of a value, names of fields apart; whether it was in one.
    pub fn scrub_json(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) if self.0.len() >= MIN_SECRET_BYTES && text.contains(&self.0) => {
                *text = self.scrub(text);
                true
            }
            // All of them, not up to the first.
            Value::Array(items) => items.iter_mut().filter_map(|it| self.scrub_json(it).then_some(())).count() > 0,
            Value::Object(fields) => fields.values_mut().filter_map(|it| self.scrub_json(it).then_some(())).count() > 0,
            _ => false,
        }
    }

    /// A header that holds it behind a prefix, marked so that nothing prints it; `None` where a header cannot hold it.
    pub fn header(&self, prefix: &str) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&format!("{prefix}{}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret([redacted])")
    }
}

/// How long a provider is waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For one call, from connecting to the last byte. A question may take several calls.
    pub call: Duration,
    /// For a connection.
    pub connect: Duration,
    /// Before the first retry, less up to a quarter; twice as long before the next.
    pub backoff: Duration,
}

impl Default for Patience {
    /// 120 s, 5 s and half a second.
    fn default() -> Self {
        Patience {
            call: Duration::from_secs(120),
            connect: Duration::from_secs(5),
            backoff: Duration::from_millis(500),
        }
    }
}

/// The model that answers questions of one tier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TierModel {
    /// The provider's name for it.
    pub name: String,
    /// How hard it is told to think, in the provider's words (`low`, `high`); not told where `None`.
    pub effort: Option<String>,
    /// Tokens granted on top of those that the reply may have, for models that think before they reply.
    pub thinking_tokens: u32,
}

impl TierModel {
    /// A model that is told no effort.
    pub fn new(name: impl Into<String>, thinking_tokens: u32) -> Self {
        TierModel { name: name.into(), effort: None, thinking_tokens }
    }

    /// What to call the model after a reply: as the server does, unless it says nothing or tells a path of its own.
    pub(super) fn called(&self, told: Option<String>) -> String {
        let told = told.filter(|it| !it.is_empty() && !it.starts_with('/'));
        told.unwrap_or_else(|| self.name.clone())
    }
}

/// Which model answers which tier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TierModels {
    /// For [`Tier::Deep`].
    pub deep: TierModel,
    /// For [`Tier::Quick`].
    pub quick: TierModel,
}

impl TierModels {
    /// Both names, each with what the model is for.
    pub(super) fn by_tier(&self) -> [(&'static str, &str); 2] {
        [("deep", &self.deep.name), ("quick", &self.quick.name)]
    }

    /// The model of a tier.
    pub fn of(&self, tier: Tier) -> &TierModel {
        match tier {
            Tier::Deep => &self.deep,
            Tier::Quick => &self.quick,
        }
    }
}

impl fmt::Display for TierModels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.deep.name == self.quick.name {
            return f.write_str(&self.deep.name);
        }
        write!(f, "{} (deep) and {} (quick)", self.deep.name, self.quick.name)
    }
}

/// Why no provider can be made from its settings.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// There is no key.
    #[error("the provider {provider} needs an API key, and none is given")]
    NoKey {
        /// Which provider.
        provider: &'static str,
    },
    /// A setting that goes into a header holds what no header may.
    #[error("the {what} of the provider {provider} holds characters that no HTTP header can carry")]
    Header {
        /// Which provider.
        provider: &'static str,
        /// Which setting: `API key`, `version`.
        what: &'static str,
    },
    /// A model has no name.
    #[error("the provider {provider} needs the name of its {tier} model, and none is given")]
    NoModel {
        /// Which provider.
        provider: &'static str,
        /// What for: `deep`, `quick` or `embedding`.
        tier: &'static str,
    },
    /// The base URL is not one to call. It is not shown: it may hold a password.
    #[error("the base URL of the provider {provider} cannot be used: {why}")]
    Base {
        /// Which provider.
        provider: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// The HTTP client could not be set up.
    #[error("could not set up the HTTP client of the provider {provider}: {why}")]
    Client {
        /// Which provider.
        provider: &'static str,
        /// What the client says.
        why: reqwest::Error,
    },
}
