//! Provider that answers from a script, for rehearsals and for tests of every possible provider behaviour.
//!
//! A script is a JSON object that maps keys to lists of entries. A question is looked up under its own key, then under
//! its purpose, then under `*`. The first attempt gets the first entry, the second attempt the second; the last entry
//! repeats.
//!
//! ```json
//! {
//!   "open/ada/0": [{ "stance": "pro" }],
//!   "judge/*": [{ "$fail": "unavailable", "message": "down" }, { "verdicts": [] }],
//!   "*": [{ "$after_millis": 50, "$reply": { "$text": "not even JSON" } }]
//! }
//! ```
//!
//! | entry | answer |
//! |-------|--------|
//! | a JSON value | its JSON text |
//! | `{"$text": ...}` | the text, unchanged |
//! | `{"$fail": ..., "message": ...}` | a failure of that kind with that message |
//! | `{"$after_millis": ..., "$reply": ...}` | the answer of the inner entry, after a delay |
//! | `{"$pace_millis": ..., "$reply": ...}` | the answer of the inner entry, handed on word by word with this pause before each |
//!
//! An audit without an answer of its own gets no readings, whatever `*` says, and a probe no answers.
//!
//! Kinds of failure are `unreadable`, `truncated`, `declined`, `unavailable`, `timed_out` and `hopeless`. The provider
//! keeps no state between questions: the same attempt at the same question always gets the same answer. Each word
//! counts as one token, and the recorded duration of a call is its delay in the script.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::ports::{DraftSink, Model, Pending};
use faultline_core::events::receipt::{
    CONTRACT_PROBE, CONTRADICTION_PROBE, ENDORSEMENT_PROBE, EffectKey, Failure, FailureKind, ProviderAnswer, Usage,
};
use faultline_core::kernel::effect::EffectAttempt;
use faultline_core::projections::audits::AUDIT_PURPOSE;

/// Name under which debates select the provider.
pub const SCRIPTED: &str = "scripted";
const AFTER: &str = "$after_millis";
const PACE: &str = "$pace_millis";
/// Replies that read nothing, by purpose: for audits and probes without an answer of their own.
const NOTHING_READ: &[(&str, &str)] = &[
    (AUDIT_PURPOSE, r#"{"readings": []}"#),
    (CONTRACT_PROBE, r#"{"contradictions": [], "read": []}"#),
    (CONTRADICTION_PROBE, r#"{"pairs": []}"#),
    (ENDORSEMENT_PROBE, r#"{"ratings": []}"#),
];

/// Longest delay of one entry, and longest pause before a word, in milliseconds.
pub const MAX_AFTER_MILLIS: u64 = 600_000;

/// Provider that answers from a script.
#[derive(Clone, Debug)]
pub struct Scripted(BTreeMap<String, Vec<Entry>>);

/// Error of parsing a script.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The text is not JSON, or not an object of lists.
    #[error("the script is not a JSON object of lists: {0}")]
    Json(#[from] serde_json::Error),
    /// A key has none of the allowed forms.
    #[error("the script's key {key:?} matches no question: a key has the form purpose/subject/ordinal, purpose/* or *")]
    Key {
        /// Key in question.
        key: String,
    },
    /// A key occurs twice.
    #[error("the script contains the key {key:?} twice")]
    Twice {
        /// Repeated key.
        key: String,
    },
    /// A key has an empty list of entries.
    #[error("the script has no entry under {key:?}; give at least one")]
    Empty {
        /// Key without entries.
        key: String,
    },
    /// An entry is malformed.
    #[error("entry {number} under {key:?} of the script is invalid: {why}")]
    Entry {
        /// Key that contains the entry.
        key: String,
        /// Number of the entry, from 1.
        number: usize,
        /// Description of the problem.
        why: String,
    },
}

/// JSON object of lists as written. A map would silently drop one of two equal keys.
struct Lists(Vec<(String, Vec<Value>)>);

impl<'de> Deserialize<'de> for Lists {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Lists(Vec::new()))
    }
}

impl<'de> Visitor<'de> for Lists {
    type Value = Lists;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of lists")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Lists, A::Error> {
        while let Some(pair) = map.next_entry()? {
            self.0.push(pair);
        }
        Ok(self)
    }
}

#[derive(Clone, Debug)]
struct Entry {
    timing: Timing,
    reply: Result<String, Failure>,
}

/// Delay before the first word of an answer, and pause before each word.
#[derive(Clone, Copy, Debug, Default)]
struct Timing {
    after: Duration,
    pace: Duration,
}

impl Timing {
    /// Returns the time that an answer takes.
    fn of(self, answer: &str) -> Duration {
        let n_pieces = u32::try_from(pieces(answer).count()).unwrap_or(u32::MAX);
        self.after.saturating_add(self.pace.saturating_mul(n_pieces))
    }
}

impl Scripted {
    /// Parses a script.
    ///
    /// # Errors
    /// [`ScriptError`] if the text is not JSON, a key has no valid form, occurs twice or has no entry, or an entry is
    /// malformed. The error names the location.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let Lists(lists) = serde_json::from_str(text)?;
        let mut script = BTreeMap::new();
        for (key, values) in lists {
            if !is_key(&key) {
                return Err(ScriptError::Key { key });
            }
            if values.is_empty() {
                return Err(ScriptError::Empty { key });
            }
            let mut entries = Vec::with_capacity(values.len());
            for (index, value) in values.into_iter().enumerate() {
                let entry = entry(value, Timing::default());
                entries.push(entry.map_err(|why| ScriptError::Entry { key: key.clone(), number: index + 1, why })?);
            }
            if script.insert(key.clone(), entries).is_some() {
                return Err(ScriptError::Twice { key });
            }
        }
        Ok(Scripted(script))
    }

    fn entry(&self, key: &EffectKey, attempt: u32) -> Option<&Entry> {
        let own = [key.to_string(), format!("{}/*", key.purpose)];
        let any = nothing_read(key).is_none().then(|| "*".to_owned());
        let entries = own.iter().chain(&any).find_map(|key| self.0.get(key))?;
        entries.get(attempt.saturating_sub(1) as usize).or(entries.last())
    }

    async fn answer(&self, ask: &EffectAttempt, drafts: Option<&dyn DraftSink>) -> Result<ProviderAnswer, Failure> {
        let nothing = nothing_read(&ask.key);
        let nothing = nothing.map(|reply| Entry { timing: Timing::default(), reply: Ok(reply.to_owned()) });
        let Some(entry) = self.entry(&ask.key, ask.attempt).or(nothing.as_ref()) else {
            let message = format!("the script has no entry under {}, {}/* or *", ask.key, ask.key.purpose);
            return Err(Failure::new(FailureKind::Hopeless, message));
        };
        let Timing { after, pace } = entry.timing;
        if !after.is_zero() {
            tokio::time::sleep(after).await;
        }
        let text = entry.reply.clone()?;
        for word in pieces(&text).filter(|_| !pace.is_zero()) {
            tokio::time::sleep(pace).await;
            if let Some(drafts) = drafts {
                drafts.write(word);
            }
        }
        let usage = Usage {
            input_tokens: words(&ask.prompt.system) + words(&ask.prompt.joined()),
            output_tokens: words(&text),
            ..Usage::default()
        };
        let millis = u32::try_from(entry.timing.of(&text).as_millis()).unwrap_or(u32::MAX);
        Ok(ProviderAnswer { by: SCRIPTED.into(), text, usage, millis, request_id: None, tries: 1, grounds: Vec::new() })
    }
}

impl Model for Scripted {
    fn name(&self) -> &str {
        SCRIPTED
    }

    fn about(&self) -> String {
        format!("answers from a script of {} keys", self.0.len())
    }

    fn is_reproducible(&self) -> bool {
        true
    }

    fn complete<'a>(&'a self, ask: &'a EffectAttempt) -> Pending<'a, ProviderAnswer> {
        Box::pin(self.answer(ask, None))
    }

    fn stream<'a>(&'a self, ask: &'a EffectAttempt, drafts: &'a dyn DraftSink) -> Pending<'a, ProviderAnswer> {
        Box::pin(self.answer(ask, Some(drafts)))
    }
}

/// Returns the reply that reads nothing; `None` unless the question is an audit or a probe.
fn nothing_read(key: &EffectKey) -> Option<&'static str> {
    NOTHING_READ.iter().find(|(purpose, _)| *purpose == key.purpose).map(|(_, reply)| *reply)
}

/// Splits an answer into the pieces in which it is handed on: words, each with the space after it.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(char::is_whitespace)
}

fn words(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}

/// Returns true if a question can have this key or match it. A subject may contain slashes, a purpose may not.
fn is_key(key: &str) -> bool {
    if let Some((purpose, "*")) = key.split_once('/') {
        return !purpose.is_empty() && purpose != "*";
    }
    let ordinal = || key.rsplit_once('/').and_then(|(_, ordinal)| ordinal.parse::<u32>().ok());
    key == "*" || (!key.starts_with('/') && key.matches('/').count() >= 2 && ordinal().is_some())
}

/// Parses an entry; the error describes the problem.
fn entry(value: Value, timing: Timing) -> Result<Entry, String> {
    let Value::Object(mut fields) = value else {
        return Ok(Entry { timing, reply: Ok(value.to_string()) });
    };
    let Some(directive) = fields.keys().find(|key| key.starts_with('$')).cloned() else {
        return Ok(Entry { timing, reply: Ok(Value::Object(fields).to_string()) });
    };
    if let Some(name) = [AFTER, PACE].into_iter().find(|name| fields.contains_key(*name)) {
        let millis = millis(take(&mut fields, name)?, name)?;
        let reply = take(&mut fields, "$reply")?;
        nothing_else(&fields)?;
        let timing = match name {
            AFTER => Timing { after: timing.after.saturating_add(millis), ..timing },
            _ => Timing { pace: millis, ..timing },
        };
        return entry(reply, timing);
    }
    if fields.contains_key("$reply") {
        return Err(format!("`{AFTER}` or `{PACE}` is missing beside `$reply`"));
    }
    let reply = match directive.as_str() {
        "$text" => Ok(text(take(&mut fields, "$text")?, "$text")?),
        "$fail" => {
            let kind = take(&mut fields, "$fail")?;
            let kind =
                serde_json::from_value(kind).map_err(|error| format!("`$fail` is not a kind of failure: {error}"))?;
            let message = fields.remove("message").map(|value| text(value, "message")).transpose()?;
            Err(Failure::new(kind, message.unwrap_or_else(|| "failure requested by the script".into())))
        }
        other => {
            return Err(format!("unknown directive `{other}`; available: `$text`, `$fail`, `{AFTER}`, `{PACE}`"));
        }
    };
    nothing_else(&fields)?;
    Ok(Entry { timing, reply })
}

fn millis(value: Value, name: &str) -> Result<Duration, String> {
    let millis = value.as_u64().filter(|millis| *millis <= MAX_AFTER_MILLIS);
    let millis = millis.ok_or_else(|| format!("`{name}` must be a whole number up to {MAX_AFTER_MILLIS}"))?;
    Ok(Duration::from_millis(millis))
}

fn take(fields: &mut Map<String, Value>, name: &str) -> Result<Value, String> {
    fields.remove(name).ok_or_else(|| format!("`{name}` is missing"))
}

fn text(value: Value, name: &str) -> Result<String, String> {
    let Value::String(text) = value else {
        return Err(format!("`{name}` is not a string"));
    };
    Ok(text)
}

fn nothing_else(fields: &Map<String, Value>) -> Result<(), String> {
    fields.keys().next().map_or(Ok(()), |key| Err(format!("unexpected field `{key}`")))
}
