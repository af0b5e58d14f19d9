//! Printing, for people and for programs. A reader that goes away ends the command quietly.

use std::borrow::Cow;
use std::io::Write;

use serde::Serialize;

use crate::cli::exit::CliError;
use crate::cli::stage::clean::is_unwanted;

/// Prints a text as it is, with colours only where standard output shows them.
///
/// # Errors
/// [`CliError::Unread`] where nobody reads any more.
pub fn print(text: &str) -> Result<(), CliError> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Prints a text byte by byte as it is.
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
    let line = serde_json::to_string(value).map_err(|it| CliError::Fault(format!("writing JSON failed: {it}")))?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", shown(&line))?;
    Ok(out.flush()?)
}

/// JSON that says the same and may be looked at in a terminal: characters that are acted upon rather than shown, such as those
/// that turn the direction of what follows, are escaped.
pub fn shown(json: &str) -> Cow<'_, str> {
    // Whatever is below a blank stands between values: in a text JSON has it escaped already.
    let is_acted_upon = |it: char| it >= ' ' && is_unwanted(it);
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
    fn json_says_the_same_and_turns_nothing() {
        let value = json!({ "topic": "a\u{202e}b\u{2066}\u{9b}\u{7f}\u{e0041} ä 漢", "n": [1, "\n"] });
        let pretty = serde_json::to_string_pretty(&value).expect("JSON");
        let shown = shown(&pretty);
        assert!(!shown.chars().any(|it| it != '\n' && is_unwanted(it)), "{shown}");
        assert_eq!(serde_json::from_str::<Value>(&shown).expect("JSON"), value);
        assert!(matches!(super::shown("{\n  \"a\": 1\n}"), Cow::Borrowed(_)));
    }
}
