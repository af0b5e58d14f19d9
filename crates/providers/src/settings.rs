//! Settings of HTTP providers (keys, models, timeouts), and errors of invalid settings.
//!
//! Plain values; this module does not decide where they are read from.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use reqwest::header::HeaderValue;
use serde_json::Value;

use faultline_core::events::receipt::Tier;
use faultline_core::kernel::effect::EffectAttempt;

/// Minimum length of a key that is redacted. Shorter keys are placeholders for servers that need none, and occur as
/// ordinary words in messages.
const MIN_SECRET_BYTES: usize = 8;

/// Secret key that is sent to the provider only; neither `Debug` nor an error prints it.
#[derive(Clone)]
pub struct ApiKey(String);

impl ApiKey {
    /// Creates a secret, trimming the surrounding white space.
    pub fn new(text: impl AsRef<str>) -> Self {
        ApiKey(text.as_ref().trim().to_owned())
    }

    /// Returns true if the secret is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns a text with the secret redacted; servers are known to repeat it in error messages.
    pub fn scrub(&self, text: &str) -> String {
        if self.is_secret() { text.replace(&self.0, "[redacted]") } else { text.to_owned() }
    }

    /// Returns true if the text is long enough to be a key rather than a placeholder.
    pub(super) fn is_secret(&self) -> bool {
        self.0.len() >= MIN_SECRET_BYTES
    }

    /// Returns the length of the longest end of a text that is the beginning of the secret, in bytes. The whole secret
    /// does not count.
    pub(super) fn begins_at_end_of(&self, text: &str) -> usize {
        let lengths = (1..self.0.len()).rev().filter(|length| self.0.is_char_boundary(*length));
        lengths.into_iter().find(|length| text.ends_with(&self.0[..*length])).unwrap_or(0)
    }

    /// Redacts the secret in every string of a value, except field names. Returns true if it occurred.
    pub fn scrub_json(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) if self.is_secret() && text.contains(&self.0) => {
                *text = self.scrub(text);
                true
            }
            // `count` visits every item; `any` would stop at the first match.
            Value::Array(items) => {
                items.iter_mut().filter_map(|value| self.scrub_json(value).then_some(())).count() > 0
            }
            Value::Object(fields) => {
                fields.values_mut().filter_map(|value| self.scrub_json(value).then_some(())).count() > 0
            }
            _ => false,
        }
    }

    /// Returns a header value with a prefix and the secret, marked as sensitive so that it is not printed; `None` if a
    /// header cannot carry it.
    pub fn header(&self, prefix: &str) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&format!("{prefix}{}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret([redacted])")
    }
}

/// Timeouts and backoff of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallTimeouts {
    /// Time for one question, from the first connection to the last byte, with retries and the waits before them.
    pub call: Duration,
    /// Timeout of a connection attempt.
    pub connect: Duration,
    /// Wait before the first retry, less up to a quarter; doubled before each further retry.
    pub backoff: Duration,
}

impl Default for CallTimeouts {
    /// Returns 120 s per question, 5 s per connection and a backoff of half a second.
    fn default() -> Self {
        CallTimeouts {
            call: Duration::from_secs(120),
            connect: Duration::from_secs(5),
            backoff: Duration::from_millis(500),
        }
    }
}

/// Model that answers questions of one tier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TierModel {
    /// Model name at the provider.
    pub name: String,
    /// Reasoning effort, in the provider's words (`low`, `high`); not sent if `None`.
    pub effort: Option<String>,
    /// Tokens allowed in addition to those of the reply, for models that think before they reply.
    pub thinking_tokens: u32,
}

impl TierModel {
    /// Creates a model without a reasoning effort.
    pub fn new(name: impl Into<String>, thinking_tokens: u32) -> Self {
        TierModel { name: name.into(), effort: None, thinking_tokens }
    }

    /// Model name to record after a reply: the server's name, unless it is missing or a file path.
    pub(super) fn called(&self, told: Option<String>) -> String {
        let told = told.filter(|name| !name.is_empty() && !name.starts_with('/'));
        told.unwrap_or_else(|| self.name.clone())
    }
}

/// Models per tier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TierModels {
    /// Model for [`Tier::Deep`].
    pub deep: TierModel,
    /// Model for [`Tier::Quick`].
    pub quick: TierModel,
}

impl TierModels {
    /// Returns the tier and the name of both models.
    pub(super) fn by_tier(&self) -> [(&'static str, &str); 2] {
        [("deep", &self.deep.name), ("quick", &self.quick.name)]
    }

    /// Returns the model that answers a question: the one chosen for its speaker, with the settings of the tier, or the
    /// tier's own.
    pub(super) fn answering(&self, ask: &EffectAttempt) -> Cow<'_, TierModel> {
        let own = self.of(ask.tier);
        match &ask.model {
            Some(name) => Cow::Owned(TierModel { name: name.clone(), ..own.clone() }),
            None => Cow::Borrowed(own),
        }
    }

    /// Returns the model of a tier.
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

/// Error of building a provider from its settings.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The API key is missing.
    #[error("the provider {provider} needs an API key, and none is configured")]
    NoKey {
        /// Name of the provider.
        provider: &'static str,
    },
    /// A setting contains characters that are not allowed in a header.
    #[error("the {what} of the provider {provider} contains characters that are not allowed in an HTTP header")]
    Header {
        /// Name of the provider.
        provider: &'static str,
        /// Name of the setting: `API key`, `version`.
        what: &'static str,
    },
    /// A model has no name.
    #[error("the provider {provider} needs the name of its {tier} model, and none is configured")]
    NoModel {
        /// Name of the provider.
        provider: &'static str,
        /// Purpose of the model: `deep`, `quick` or `embedding`.
        tier: &'static str,
    },
    /// The base URL is invalid. The message omits it, because it may contain a password.
    #[error("the base URL of the provider {provider} is invalid: {why}")]
    Base {
        /// Name of the provider.
        provider: &'static str,
        /// Description of the problem.
        why: String,
    },
    /// The HTTP client could not be created.
    #[error("cannot create the HTTP client of the provider {provider}: {why}")]
    Client {
        /// Name of the provider.
        provider: &'static str,
        /// Cause.
        why: reqwest::Error,
    },
}
