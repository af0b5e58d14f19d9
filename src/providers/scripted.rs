//! Answers from a script: rehearsals, and tests of everything that a provider may do.
//!
//! A script is a JSON object of lists of entries. A question is looked up under its own key, then under its purpose,
//! then under `*`; the first attempt gets the first entry, the second the second, and the last entry repeats.
//!
//! ```json
//! {
//!   "open/ada/0": [{ "stance": "pro" }],
//!   "judge/*": [{ "$fail": "unavailable", "message": "down" }, { "verdicts": [] }],
//!   "*": [{ "$after_millis": 50, "$reply": { "$text": "not even JSON" } }]
//! }
//! ```
//!
//! | entry | what comes back |
//! |-------|-----------------|
//! | a JSON value | its JSON text |
//! | `{"$text": ...}` | the text as it stands |
//! | `{"$fail": ..., "message": ...}` | a failure of that kind, with that message |
//! | `{"$after_millis": ..., "$reply": ...}` | what that entry gives, later |
//!
//! Kinds of failure are `unreadable`, `truncated`, `declined`, `unavailable`, `timed_out` and `hopeless`. Nothing is
//! kept between questions: the same attempt at the same question always gets the same. Words count as tokens.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::events::receipt::{Answer, EffectKey, Failure, FailureKind, Usage};
use crate::kernel::effect::Ask;
use crate::providers::ports::{Model, Pending};

const NAME: &str = "scripted";

/// The longest that one entry may keep its reader waiting, in milliseconds.
pub const MAX_AFTER_MILLIS: u64 = 600_000;

/// Answers from a script.
#[derive(Clone, Debug)]
pub struct Scripted(BTreeMap<String, Vec<Entry>>);

/// Why a text is no script.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// It is not JSON, or not an object of lists.
    #[error("the script is not a JSON object of lists: {0}")]
    Json(#[from] serde_json::Error),
    /// A key fits no question.
    #[error("the script's key {key:?} fits no question: a key is purpose/subject/ordinal, purpose/* or *")]
    Key {
        /// The key.
        key: String,
    },
    /// A key stands there twice.
    #[error("the script has the key {key:?} twice")]
    Twice {
        /// The key.
        key: String,
    },
    /// A key without entries.
    #[error("the script has no entry under {key:?}")]
    Empty {
        /// The key.
        key: String,
    },
    /// An entry that says nothing that can be done.
    #[error("entry {number} under {key:?} of the script cannot be read: {why}")]
    Entry {
        /// The key.
        key: String,
        /// Which entry, from 1.
        number: usize,
        /// What is wrong with it.
        why: String,
    },
}

/// A JSON object of lists as it is written: a map would keep one of two equal keys and not tell.
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
    after: Duration,
    reply: Result<String, Failure>,
}

impl Scripted {
    /// Reads a script.
    ///
    /// # Errors
    /// [`ScriptError`] where it is not JSON, a key fits no question, stands there twice or has no entry, or an entry is
    /// none; it names the place.
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
                let entry = entry(value, Duration::ZERO);
                entries.push(entry.map_err(|why| ScriptError::Entry { key: key.clone(), number: index + 1, why })?);
            }
            if script.insert(key.clone(), entries).is_some() {
                return Err(ScriptError::Twice { key });
            }
        }
        Ok(Scripted(script))
    }

    fn entry(&self, key: &EffectKey, attempt: u32) -> Option<&Entry> {
        let keys = [key.to_string(), format!("{}/*", key.purpose), "*".to_owned()];
        let entries = keys.iter().find_map(|it| self.0.get(it))?;
        entries.get(attempt.saturating_sub(1) as usize).or(entries.last())
    }

    async fn answer(&self, ask: &Ask) -> Result<Answer, Failure> {
        let started = Instant::now();
        let Some(entry) = self.entry(&ask.key, ask.attempt) else {
            let message = format!("the script has nothing under {}, {}/* or *", ask.key, ask.key.purpose);
            return Err(Failure::new(FailureKind::Hopeless, message));
        };
        if !entry.after.is_zero() {
            tokio::time::sleep(entry.after).await;
        }
        let text = entry.reply.clone()?;
        let usage = Usage {
            input_tokens: words(&ask.prompt.system) + words(&ask.prompt.text),
            output_tokens: words(&text),
            ..Usage::default()
        };
        Ok(Answer {
            by: NAME.into(),
            text,
            usage,
            millis: u32::try_from(started.elapsed().as_millis()).unwrap_or(u32::MAX),
            request_id: None,
            tries: 1,
            grounds: Vec::new(),
        })
    }
}

impl Model for Scripted {
    fn name(&self) -> &str {
        NAME
    }

    fn about(&self) -> String {
        format!("answers from a script of {} keys", self.0.len())
    }

    fn complete<'a>(&'a self, ask: &'a Ask) -> Pending<'a, Answer> {
        Box::pin(self.answer(ask))
    }
}

fn words(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}

/// Whether a question can have this key, or be covered by it. A subject may contain slashes, a purpose may not.
fn is_key(key: &str) -> bool {
    if let Some((purpose, "*")) = key.split_once('/') {
        return !purpose.is_empty() && purpose != "*";
    }
    let ordinal = || key.rsplit_once('/').and_then(|(_, ordinal)| ordinal.parse::<u32>().ok());
    key == "*" || (!key.starts_with('/') && key.matches('/').count() >= 2 && ordinal().is_some())
}

/// Reads an entry; in words what is wrong with it.
fn entry(value: Value, after: Duration) -> Result<Entry, String> {
    let Value::Object(mut fields) = value else {
        return Ok(Entry { after, reply: Ok(value.to_string()) });
    };
    let Some(directive) = fields.keys().find(|it| it.starts_with('$')).cloned() else {
        return Ok(Entry { after, reply: Ok(Value::Object(fields).to_string()) });
    };
    if fields.contains_key("$after_millis") || fields.contains_key("$reply") {
        let millis = take(&mut fields, "$after_millis")?;
        let millis = millis.as_u64().filter(|it| *it <= MAX_AFTER_MILLIS);
        let millis = millis.ok_or_else(|| format!("`$after_millis` is no whole number up to {MAX_AFTER_MILLIS}"))?;
        let reply = take(&mut fields, "$reply")?;
        nothing_else(&fields)?;
        return entry(reply, after.saturating_add(Duration::from_millis(millis)));
    }
    let reply = match directive.as_str() {
        "$text" => Ok(text(take(&mut fields, "$text")?, "$text")?),
        "$fail" => {
            let kind = take(&mut fields, "$fail")?;
            let kind =
                serde_json::from_value(kind).map_err(|error| format!("`$fail` names no kind of failure: {error}"))?;
            let message = fields.remove("message").map(|it| text(it, "message")).transpose()?;
            Err(Failure::new(kind, message.unwrap_or_else(|| "the script says so".into())))
        }
        other => {
            return Err(format!("`{other}` is not known: there are `$text`, `$fail` and `$after_millis`"));
        }
    };
    nothing_else(&fields)?;
    Ok(Entry { after, reply })
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
    fields.keys().next().map_or(Ok(()), |it| Err(format!("`{it}` does not belong there")))
}
