//! Parsed import file: the records of a stream, or one value.

use serde_json::Value;

use crate::imports::import_error::ImportError;
use crate::imports::limits::{MAX_EVENTS, MAX_FILE_BYTES};
use crate::imports::strict;

/// Byte order mark, which some programs write at the start of UTF-8 texts too.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Parsed import file.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportDocument {
    /// JSON values in sequence, each with its place in the file (`line 8`).
    Records(Vec<(String, Value)>),
    /// A single object.
    Whole(Value),
}

impl ImportDocument {
    /// Parses a file: JSON lines, an array, or one object over any number of lines.
    ///
    /// # Errors
    /// [`ImportError::Limit`] if the file is too large, [`ImportError::Binary`] if it is not UTF-8 text,
    /// [`ImportError::Json`] if it is not valid JSON, [`ImportError::Unknown`] if it is empty or contains only a
    /// string.
    pub fn read(bytes: &[u8]) -> Result<ImportDocument, ImportError> {
        ImportError::within("the file", "bytes", MAX_FILE_BYTES, bytes.len())?;
        let text = std::str::from_utf8(bytes).map_err(|error| ImportError::Binary { offset: error.valid_up_to() })?;
        if let Some(offset) = text.bytes().position(|byte| byte == 0) {
            return Err(ImportError::Binary { offset });
        }
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let mut lines = (1..).zip(text.split('\n')).filter(|(_, line)| !line.trim().is_empty());
        let Some((number, first)) = lines.next() else {
            return Err(ImportError::Unknown { found: "the file is empty".to_owned() });
        };
        match strict::value(first, number) {
            Ok(first) => {
                let mut records = vec![(format!("line {number}"), first)];
                for (number, line) in lines {
                    ImportError::within("the file", "lines", MAX_EVENTS, records.len() + 1)?;
                    records.push((format!("line {number}"), strict::value(line, number)?));
                }
                ImportDocument::of(records)
            }
            // The text is an object over several lines, or its first line is faulty and that fault is reported.
            Err(fault) if lines.next().is_none() => Err(fault),
            Err(fault) => match strict::value(text, 1) {
                Ok(value) => ImportDocument::of_value(value),
                Err(_) if first.trim_end().ends_with('}') => Err(fault),
                Err(whole) => Err(whole),
            },
        }
    }

    /// Parses a value that was read before; a string is parsed like a file.
    ///
    /// # Errors
    /// The same as [`ImportDocument::read`].
    pub fn of_value(value: Value) -> Result<ImportDocument, ImportError> {
        match value {
            Value::String(text) => ImportDocument::read(text.as_bytes()),
            Value::Array(items) => {
                ImportError::within("the file", "events", MAX_EVENTS, items.len())?;
                let place = |(n, value): (usize, Value)| (format!("item {}", n + 1), value);
                Ok(ImportDocument::Records(items.into_iter().enumerate().map(place).collect()))
            }
            whole => Ok(ImportDocument::Whole(whole)),
        }
    }

    fn of(mut records: Vec<(String, Value)>) -> Result<ImportDocument, ImportError> {
        let alone = records.len() == 1 && !is_event(&records[0].1);
        match records.pop() {
            Some((_, Value::String(_))) if alone => {
                Err(ImportError::Unknown { found: "the file contains a single string".to_owned() })
            }
            Some((_, value)) if alone => ImportDocument::of_value(value),
            last => {
                records.extend(last);
                Ok(ImportDocument::Records(records))
            }
        }
    }
}

/// True if a value looks like an event of a stream.
fn is_event(value: &Value) -> bool {
    value.get("type").is_some_and(Value::is_string) || value.get("kind").is_some_and(Value::is_string)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn lines(values: &[(usize, Value)]) -> Result<ImportDocument, ImportError> {
        Ok(ImportDocument::Records(
            values.iter().map(|(line, value)| (format!("line {line}"), value.clone())).collect(),
        ))
    }

    #[test]
    fn lines_arrays_and_objects_are_parsed() {
        let check = |text: &str, wanted| assert_eq!(ImportDocument::read(text.as_bytes()), wanted, "{text}");
        let (a, b) = (json!({"type": "a"}), json!({"type": "b"}));
        check("{\"type\":\"a\"}\n\n{\"type\":\"b\"}\n", lines(&[(1, a.clone()), (3, b.clone())]));
        check("\u{feff}{\"type\":\"a\"}\r\n{\"type\":\"b\"}\r\n", lines(&[(1, a.clone()), (2, b.clone())]));
        check("{\"type\":\"a\"}", lines(&[(1, a.clone())]));
        check("{\"topic\":\"x\"}", Ok(ImportDocument::Whole(json!({"topic": "x"}))));
        check("{\n  \"topic\": \"x\"\n}\n", Ok(ImportDocument::Whole(json!({"topic": "x"}))));
        let items = ImportDocument::Records(vec![("item 1".into(), a), ("item 2".into(), b)]);
        check("[{\"type\":\"a\"},{\"type\":\"b\"}]", Ok(items.clone()));
        assert_eq!(ImportDocument::of_value(json!("[{\"type\":\"a\"},{\"type\":\"b\"}]")), Ok(items));
    }

    #[test]
    fn an_invalid_document_is_refused_with_the_place() {
        let check = |bytes: &[u8], wanted: &str| {
            let error = ImportDocument::read(bytes).expect_err("refused").to_string();
            assert!(error.contains(wanted), "{error}");
        };
        check(b"", "the file is empty");
        check(b" \n\n", "the file is empty");
        check(b"\x7fELF\x02\x01\x01\0", "byte 7 is not valid UTF-8");
        check(b"{\"type\":\"a\xff\"}", "byte 10 is not valid UTF-8");
        check(b"{\"type\":\"a\"}\n{\"type\":\"b", "line 2, column 10");
        check(b"{\"type\":\"a\",}\n{\"type\":\"b\"}", "line 1, column 13");
        check(b"{\n\"topic\":\n", "line 3, column 1");
        check(b"hello\nworld\n", "line 1");
        check(b"\"hello\"", "single string");
        check(&vec![b' '; MAX_FILE_BYTES + 1], "67108865 bytes; the limit is 67108864");
        let many = "1\n".repeat(MAX_EVENTS + 1);
        check(many.as_bytes(), "100001 lines; the limit is 100000");
    }
}
