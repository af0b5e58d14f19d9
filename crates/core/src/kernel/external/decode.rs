//! Decodes events sent by clients, strictly: unknown fields are refused, so no input is lost silently.

use serde_json::Value;

use crate::events::event::Event;
use crate::events::registry::Recorder;
use crate::events::wire;
use crate::kernel::engine::Refusal;

/// Maximum length of a text in an external event, in bytes: 64 KiB.
pub const MAX_TEXT_BYTES: usize = 64 << 10;

/// Decodes an event of a kind in its current schema. Also returns the size of its stored body, in bytes.
///
/// Cost: linear in the body.
///
/// # Errors
/// [`Refusal`] if the kind is unknown or reserved for the service, the body does not have its shape or has an unknown
/// field, or a text is too long or contains control characters.
pub fn decode_event(kind: &str, body: &Value) -> Result<(Event, usize), Refusal> {
    let Ok(known) = Event::find_kind(kind) else {
        let kind: String = kind.chars().take(64).collect();
        return Err(Refusal::invalid(format!("unknown event kind {kind:?}; see docs/events.md")));
    };
    if !known.is_recorded_by(Recorder::External) {
        return Err(Refusal::invalid(format!("events of the kind {kind} can only be recorded by the service")));
    }
    texts(body)?;
    let misshapen = |what: String| Refusal::invalid(format!("the body is not a valid {kind}: {what}"));
    let event = wire::decode(kind, known.schema, body.to_string().as_bytes());
    let event = event.map_err(|error| misshapen(error.source.to_string()))?;
    let stored = wire::encode(&event).body;
    let kept: Value = serde_json::from_slice(&stored).map_err(|error| misshapen(error.to_string()))?;
    match lost(body, &kept) {
        Some(field) => Err(misshapen(format!("unknown field {field}"))),
        None => Ok((event, stored.len())),
    }
}

/// Returns the path of the first given field that decoding would drop and whose value is not a default.
fn lost(given: &Value, kept: &Value) -> Option<String> {
    match (given, kept) {
        (Value::Object(given), Value::Object(kept)) => given.iter().find_map(|(name, value)| match kept.get(name) {
            Some(kept) => lost(value, kept).map(|path| format!("{name}.{path}")),
            None => says_something(value).then(|| name.chars().take(64).collect()),
        }),
        (Value::Array(given), Value::Array(kept)) => given.iter().zip(kept).find_map(|(one, other)| lost(one, other)),
        _ => None,
    }
}

/// Returns true unless the value equals an absent field: null, false, 0 or empty.
fn says_something(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::String(_) | Value::Bool(true) => true,
    }
}

/// Checks every text: printable, and within the limit.
fn texts(value: &Value) -> Result<(), Refusal> {
    match value {
        Value::String(text) => shown(text),
        Value::Array(items) => items.iter().try_for_each(texts),
        Value::Object(fields) => fields.iter().try_for_each(|(name, value)| shown(name).and_then(|()| texts(value))),
        _ => Ok(()),
    }
}

fn shown(text: &str) -> Result<(), Refusal> {
    if text.len() > MAX_TEXT_BYTES {
        let reason = format!("a text has {} bytes; at most {MAX_TEXT_BYTES} are allowed", text.len());
        return Err(Refusal::limit("text_bytes", MAX_TEXT_BYTES as u64, text.len() as u64, reason));
    }
    match text.chars().find(|it| it.is_control() && !matches!(it, '\n' | '\t')) {
        None => Ok(()),
        Some(control) => Err(Refusal::invalid(format!(
            "a text contains the control character U+{:04X}; only line feeds and tabs are allowed",
            u32::from(control)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(kind: &str, body: Value) -> String {
        decode_event(kind, &body).map_or_else(|refusal| refusal.reason, |(event, _)| event.kind().to_owned())
    }

    #[test]
    fn only_events_of_the_vocabulary_are_decoded() {
        let turn = json!({ "turn": "t1", "speaker": "ada", "moves": ["claim"], "text": "Yes.\n\tNo." });
        let with = |name: &str, value: Value| {
            let mut turn = turn.clone();
            turn[name] = value;
            turn
        };
        for (kind, body, wanted) in [
            ("turn_taken", turn.clone(), "turn_taken"),
            ("turn_taken", with("round", Value::Null), "turn_taken"),
            ("turn_taken", with("refused", json!([])), "turn_taken"),
            ("turn_taken", with("answer", json!("t0")), "the body is not a valid turn_taken: unknown field answer"),
            ("turn_taken", with("turn", json!(1)), "the body is not a valid turn_taken: "),
            ("turn_taken", with("text", json!("a\u{0}b")), "a text contains the control character U+0000"),
            (
                "turn_taken",
                with("citations", json!([{ "alias": "g1", "chunk": uuid::Uuid::nil(), "sheet": 3 }])),
                "the body is not a valid turn_taken: unknown field citations.sheet",
            ),
            ("turn_taken", json!([]), "the body is not a valid turn_taken: "),
            ("moon_landed", json!({}), "unknown event kind \"moon_landed\""),
            ("record_kept", json!({ "name": "x", "record": 1 }), "events of the kind record_kept can only be recorded"),
        ] {
            let got = told(kind, body);
            assert!(got.starts_with(wanted), "{kind}: {got}");
        }
    }

    #[test]
    fn texts_that_are_too_long_are_refused() {
        let body = |n: usize| json!({ "reason": "x".repeat(n) });
        assert_eq!(told("debate_aborted", body(MAX_TEXT_BYTES)), "debate_aborted");
        assert_eq!(
            told("debate_aborted", body(MAX_TEXT_BYTES + 1)),
            "a text has 65537 bytes; at most 65536 are allowed"
        );
    }
}
