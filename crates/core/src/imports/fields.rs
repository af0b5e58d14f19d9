//! Access to fields of imported records. A value that is null or of another type counts as absent.

use chrono::{DateTime, Utc};
use serde_json::Value;

/// Non-empty text at a key, trimmed.
pub fn text<'a>(record: &'a Value, key: &str) -> Option<&'a str> {
    record.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

/// Text at the first of these keys that has one.
pub fn text_of<'a>(record: &'a Value, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| text(record, key))
}

/// Items at a key; empty if the value is no array.
pub fn items<'a>(record: &'a Value, key: &str) -> &'a [Value] {
    record.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Texts at a key; a single text counts as a list of one.
pub fn texts(record: &Value, key: &str) -> Vec<String> {
    match record.get(key) {
        Some(Value::String(one)) if !one.trim().is_empty() => vec![one.trim().to_owned()],
        Some(Value::Array(several)) => {
            let said = several
                .iter()
                .filter_map(|value| value.as_str().or_else(|| text_of(value, &["text", "evidence", "claim"])));
            said.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

/// Non-negative integer at a key.
pub fn count(record: &Value, key: &str) -> Option<u32> {
    record.get(key).and_then(Value::as_u64).and_then(|number| u32::try_from(number).ok())
}

/// Number at a key, clamped to the range from 0 to 1.
pub fn share(record: &Value, key: &str) -> Option<f64> {
    record.get(key).and_then(Value::as_f64).map(|number| number.clamp(0.0, 1.0))
}

/// Boolean at a key.
pub fn flag(record: &Value, key: &str) -> Option<bool> {
    record.get(key).and_then(Value::as_bool)
}

/// Time at a key, in milliseconds since 1970 or as RFC 3339; `None` if it is implausible.
pub fn time(record: &Value, key: &str) -> Option<DateTime<Utc>> {
    /// Plausible range, from 2000-01-01 to 2200-01-01, in milliseconds.
    const SENSIBLE: std::ops::Range<i64> = 946_684_800_000..7_258_118_400_000;
    let value = record.get(key)?;
    let millis = match value {
        Value::String(it) => DateTime::parse_from_rfc3339(it).ok()?.timestamp_millis(),
        other => other.as_i64().or_else(|| other.as_f64().map(|number| number as i64))?,
    };
    SENSIBLE.contains(&millis).then(|| DateTime::from_timestamp_millis(millis)).flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_of_another_type_counts_as_absent() {
        let record = json!({"a": " x ", "b": "", "c": ["p", {"text": "q"}, 1, ""], "d": 3, "e": 1.5, "f": -1, "g": true,
            "at": 1_795_299_985_051_i64, "when": "2026-11-22T04:00:00Z", "never": 1e300});
        assert_eq!((text(&record, "a"), text(&record, "b"), text(&record, "d")), (Some("x"), None, None));
        assert_eq!(text_of(&record, &["b", "z", "a"]), Some("x"));
        assert_eq!(
            (texts(&record, "a"), texts(&record, "c")),
            (vec!["x".to_owned()], vec!["p".to_owned(), "q".to_owned()])
        );
        assert_eq!((items(&record, "c").len(), items(&record, "d").len()), (4, 0));
        assert_eq!((count(&record, "d"), count(&record, "f"), count(&record, "e")), (Some(3), None, None));
        assert_eq!((share(&record, "e"), share(&record, "f"), share(&record, "a")), (Some(1.0), Some(0.0), None));
        assert_eq!((flag(&record, "g"), flag(&record, "d")), (Some(true), None));
        assert_eq!(time(&record, "at").map(|time| time.timestamp_millis()), Some(1_795_299_985_051));
        assert!(time(&record, "when").is_some());
        assert_eq!((time(&record, "never"), time(&record, "d"), time(&record, "z")), (None, None, None));
    }
}
