//! Printing for people and for programs. A closed output pipe ends the command without an error.

use std::borrow::Cow;
use std::io::Write;

use serde::Serialize;

use crate::cli::output::exit::CliError;
use faultline_terminal::text::clean::is_unwanted;

/// Prints a text; colours are removed if standard output does not support them.
///
/// # Errors
/// [`CliError::OutputClosed`] if the output pipe was closed; [`CliError::Fault`] if writing fails otherwise.
pub fn print(text: &str) -> Result<(), CliError> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Prints a text unchanged, byte by byte.
///
/// # Errors
/// As [`print()`].
pub fn print_plain(text: &str) -> Result<(), CliError> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Prints a value as one line of JSON.
///
/// # Errors
/// As [`print()`].
pub fn json_line(value: &impl Serialize) -> Result<(), CliError> {
    let line =
        serde_json::to_string(value).map_err(|error| CliError::Fault(format!("writing JSON failed: {error}")))?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", escape_for_terminal(&line))?;
    Ok(out.flush()?)
}

/// Escapes characters that a terminal would interpret instead of display, such as text-direction controls. The result
/// is equivalent JSON.
pub fn escape_for_terminal(json: &str) -> Cow<'_, str> {
    // Control characters below the space separate values: inside strings, JSON already escapes them.
    let is_acted_upon = |letter: char| letter >= ' ' && is_unwanted(letter);
    if !json.contains(is_acted_upon) {
        return Cow::Borrowed(json);
    }
    let mut shown = String::with_capacity(json.len() + 16);
    for letter in json.chars() {
        if is_acted_upon(letter) {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                shown += &format!("\\u{unit:04x}");
            }
        } else {
            shown.push(letter);
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn escaped_json_is_equivalent_and_contains_no_control_characters() {
        let value = json!({ "topic": "a\u{202e}b\u{2066}\u{9b}\u{7f}\u{e0041} ä 漢", "n": [1, "\n"] });
        let pretty = serde_json::to_string_pretty(&value).expect("JSON");
        let shown = escape_for_terminal(&pretty);
        assert!(!shown.chars().any(|letter| letter != '\n' && is_unwanted(letter)), "{shown}");
        assert_eq!(serde_json::from_str::<Value>(&shown).expect("JSON"), value);
        assert!(matches!(super::escape_for_terminal("{\n  \"a\": 1\n}"), Cow::Borrowed(_)));
    }
}
