//! Extraction of JSON from model replies.
//!
//! A reply is read as the outermost JSON value of the requested shape; surrounding text such as a fence or a greeting
//! is ignored. A truncated reply is closed once. Anything else is [`Unreadable`], with a reason that helps the model to
//! correct it.

use serde::de::DeserializeOwned;

use crate::events::receipt::{Failure, FailureKind};

/// Maximum length of a reply, in bytes.
pub const MAX_REPLY_BYTES: usize = 1 << 20;
/// Maximum number of positions tried as the start of the value.
const MAX_STARTS: usize = 64;
/// Maximum number of trailing elements dropped to close a truncated reply.
const MAX_CUTS: usize = 8;

/// Error for a reply that cannot be used: the fault, and advice to the model for its next attempt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Unreadable {
    reason: String,
    advice: Option<String>,
    kind: FailureKind,
}

impl Unreadable {
    /// Creates the error for a reply that does not have the requested form.
    pub fn because(reason: impl Into<String>) -> Self {
        Unreadable { reason: reason.into(), advice: None, kind: FailureKind::Unreadable }
    }

    /// Creates the error for a reply that only repeats what was said before.
    pub fn repeated(reason: impl Into<String>) -> Self {
        Unreadable { reason: reason.into(), advice: None, kind: FailureKind::Repeated }
    }

    /// Creates the error for a reply whose spoken text is longer than the debate allows.
    pub fn overlong(reason: impl Into<String>) -> Self {
        Unreadable { reason: reason.into(), advice: None, kind: FailureKind::Overlong }
    }

    /// Adds advice to the model for its next attempt.
    #[must_use]
    pub fn advise(self, advice: impl Into<String>) -> Self {
        Unreadable { advice: Some(advice.into()), ..self }
    }

    /// Returns the failure to record.
    pub fn failure(&self) -> Failure {
        Failure { advice: self.advice.clone(), ..Failure::new(self.kind, self.reason.clone()) }
    }
}

/// Value read from a reply.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedReply<T> {
    /// The value.
    pub value: T,
    /// True if the reply was truncated and had to be closed.
    pub repaired: bool,
}

/// Reads the outermost JSON object of the requested shape.
///
/// # Errors
/// [`Unreadable`] if the reply is too long, or contains no such object even after closing a truncated one.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<ParsedReply<T>, Unreadable> {
    if text.len() > MAX_REPLY_BYTES {
        return Err(Unreadable::because(format!(
            "the reply has {} bytes; at most {MAX_REPLY_BYTES} are read",
            text.len()
        )));
    }
    let starts = || text.match_indices('{').map(|(at, _)| at).take(MAX_STARTS);
    let mut reason = None;
    for start in starts() {
        match prefix::<T>(&text[start..]) {
            Ok(value) => return Ok(ParsedReply { value, repaired: false }),
            Err(error) => {
                reason.get_or_insert(error);
            }
        }
    }
    let Some(reason) = reason else {
        return Err(Unreadable::because("the reply contains no JSON object"));
    };
    if reason.is_eof() {
        let closed = starts().next().into_iter().flat_map(|start| closings(&text[start..]));
        for candidate in closed {
            if let Ok(value) = prefix::<T>(&candidate) {
                return Ok(ParsedReply { value, repaired: true });
            }
        }
    }
    Err(Unreadable::because(format!("the JSON of the reply does not have the requested shape: {reason}")))
}

/// Returns true if a reply ends before its first JSON object does.
pub fn is_cut_off(text: &str) -> bool {
    let from = text.find('{').map(|start| &text[start..]).unwrap_or_default();
    prefix::<serde::de::IgnoredAny>(from).is_err_and(|error| error.is_eof())
}

/// Reads a value at the very start of a text, ignoring what follows.
fn prefix<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    T::deserialize(&mut serde_json::Deserializer::from_str(text))
}

/// Returns candidates for a truncated text: first with its strings and brackets closed, then with one, two, ...
/// trailing elements dropped.
fn closings(text: &str) -> Vec<String> {
    let close = |kept: &str, open: &[char]| kept.chars().chain(open.iter().rev().copied()).collect::<String>();
    let end = end_of(text);
    let mut whole = text.to_owned();
    if end.in_string {
        if end.escaped {
            whole.pop();
        }
        whole.push('"');
    }
    let mut closings = vec![close(whole.trim_end().trim_end_matches([',', ':']), &end.open)];
    for at in end.commas.iter().rev().take(MAX_CUTS) {
        let kept = &text[..*at];
        closings.push(close(kept, &end_of(kept).open));
    }
    closings
}

/// State at the end of a truncated text.
#[derive(Default)]
struct End {
    /// Closing brackets of the open ones, the innermost last.
    open: Vec<char>,
    in_string: bool,
    escaped: bool,
    /// Positions of commas outside strings.
    commas: Vec<usize>,
}

fn end_of(text: &str) -> End {
    let mut end = End::default();
    for (at, byte) in text.bytes().enumerate() {
        if end.in_string {
            match byte {
                _ if end.escaped => end.escaped = false,
                b'\\' => end.escaped = true,
                b'"' => end.in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => end.in_string = true,
            b'{' => end.open.push('}'),
            b'[' => end.open.push(']'),
            b'}' | b']' => drop(end.open.pop()),
            b',' => end.commas.push(at),
            _ => {}
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Shape {
        verdict: bool,
        #[serde(default)]
        list: Vec<String>,
    }

    fn check(text: &str, expected: Option<(bool, &[&str], bool)>) {
        let read = read::<Shape>(text).ok().map(|reply| (reply.value.verdict, reply.value.list, reply.repaired));
        let expected = expected.map(|(verdict, list, repaired)| {
            (verdict, list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>(), repaired)
        });
        assert_eq!(read, expected, "{text}");
    }

    #[test]
    fn text_around_the_value_is_ignored() {
        check(r#"{"verdict":true}"#, Some((true, &[], false)));
        check("```json\n{\"verdict\": true, \"list\": [\"a\"]}\n```", Some((true, &["a"], false)));
        check(r#"Sure! {"verdict":false} Hope {that} helps."#, Some((false, &[], false)));
        check(r#"Let me think {about} it: {"verdict":false}"#, Some((false, &[], false)));
        check(r#"{"result":{"verdict":true}}"#, Some((true, &[], false)));
        check(r#"{"verdict":true,"list":["a } ] \" {"]}"#, Some((true, &["a } ] \" {"], false)));
    }

    #[test]
    fn truncated_replies_are_closed() {
        check(r#"{"verdict":true,"list":["a","b"#, Some((true, &["a", "b"], true)));
        check(r#"{"verdict":true,"list":["a","#, Some((true, &["a"], true)));
        check(r#"{"verdict":true,"list":["a\"#, Some((true, &["a"], true)));
        check(r#"{"verdict":true,"li"#, Some((true, &[], true)));
        check(r#"{"verdict":tr"#, None);
    }

    #[test]
    fn other_values_are_refused() {
        for text in
            ["", "no", "{", "[]", "null", r#"{"verdict":"yes"}"#, r#"{"list":[]}"#, "{'verdict':true}", "\u{0}{"]
        {
            check(text, None);
        }
        check(&"{".repeat(100_000), None);
        check(&"[".repeat(MAX_REPLY_BYTES + 1), None);
        check(&format!("{{\"verdict\":{}", "[".repeat(50_000)), None);
        let deep_and_long = format!("{{\"list\":{}{}", "[".repeat(300_000), "0,".repeat(300_000));
        check(&deep_and_long, None);
    }
}
