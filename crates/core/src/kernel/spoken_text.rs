//! Text that a persona speaks, read from a reply while it is generated.
//!
//! A reply is one JSON object with a field that is spoken aloud. [`SpokenText`] finds it in the unfinished reply. It is
//! as tolerant as the reader of whole replies: text around the object, line breaks inside strings and unknown escapes
//! are accepted. It only shows what is being written; the whole reply decides what was said.

use serde_json::Value;

/// Names of spoken fields, in order of preference.
const SPOKEN: [&str; 3] = ["text", "speech", "proposal"];
/// Maximum number of characters of a field name that are looked at.
const MAX_NAME_CHARS: usize = 64;

/// Returns the field of a reply that is spoken aloud, by the reply's schema; `None` if nothing is.
pub fn spoken_field(schema: &Value) -> Option<&'static str> {
    let fields = schema.get("properties")?;
    SPOKEN.into_iter().find(|name| fields.get(name).is_some_and(|field| field["type"] == "string"))
}

/// Incremental reader of one spoken field of the outermost object.
#[derive(Clone, Debug)]
pub struct SpokenText {
    field: &'static str,
    /// Number of open objects and lists; 0 outside the object.
    depth: usize,
    /// Last string of the outermost object that may be a field name.
    name: String,
    /// True after the colon that follows a field name.
    has_colon: bool,
    string: Option<OpenString>,
    /// True once the field has ended.
    is_complete: bool,
}

/// String that is being read.
#[derive(Clone, Debug)]
struct OpenString {
    purpose: Purpose,
    escape: Escape,
    /// First half of a pair of `\u` escapes.
    half: Option<u16>,
}

/// Use of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Spoken,
    Name,
    Other,
}

#[derive(Clone, Debug)]
enum Escape {
    None,
    /// After a backslash.
    Begun,
    /// Digits of a `\u` escape.
    Digits(String),
}

impl SpokenText {
    /// Creates a reader of a field.
    pub fn new(field: &'static str) -> SpokenText {
        SpokenText { field, depth: 0, name: String::new(), has_colon: false, string: None, is_complete: false }
    }

    /// Takes the next piece of the reply; returns the next piece of the spoken text.
    pub fn push(&mut self, piece: &str) -> String {
        let mut spoken = String::new();
        for letter in piece.chars() {
            if self.is_complete {
                break;
            }
            match self.string.take() {
                Some(string) => self.read_string(string, letter, &mut spoken),
                None => self.read_structure(letter),
            }
        }
        spoken
    }

    fn read_structure(&mut self, letter: char) {
        match letter {
            '{' => self.open(),
            '[' if self.depth > 0 => self.open(),
            '}' | ']' => self.depth = self.depth.saturating_sub(1),
            ':' if self.depth == 1 => self.has_colon = true,
            ',' if self.depth == 1 => self.has_colon = false,
            '"' if self.depth > 0 => {
                let purpose = match (self.depth, self.has_colon) {
                    (1, false) => Purpose::Name,
                    (1, true) if self.name == self.field => Purpose::Spoken,
                    _ => Purpose::Other,
                };
                if purpose == Purpose::Name {
                    self.name.clear();
                }
                self.string = Some(OpenString { purpose, escape: Escape::None, half: None });
            }
            _ => {}
        }
    }

    fn open(&mut self) {
        self.depth += 1;
        if self.depth == 1 {
            self.has_colon = false;
        }
    }

    fn read_string(&mut self, mut string: OpenString, letter: char, spoken: &mut String) {
        let decoded = match (std::mem::replace(&mut string.escape, Escape::None), letter) {
            (Escape::None, '"') => {
                self.is_complete = string.purpose == Purpose::Spoken;
                return;
            }
            (Escape::None, '\\') => {
                string.escape = Escape::Begun;
                None
            }
            (Escape::None, letter) => Some(letter),
            (Escape::Begun, 'u') => {
                string.escape = Escape::Digits(String::new());
                None
            }
            (Escape::Begun, letter) => Some(unescaped(letter)),
            (Escape::Digits(mut digits), letter) => {
                digits.push(letter);
                if digits.len() < 4 && letter.is_ascii_hexdigit() {
                    string.escape = Escape::Digits(digits);
                    None
                } else {
                    let unit = u16::from_str_radix(&digits, 16).ok();
                    decode(&mut string.half, unit)
                }
            }
        };
        // Half of a pair that no other half follows.
        let is_broken = !matches!(string.escape, Escape::Begun | Escape::Digits(_)) && decoded.is_some();
        let broken = is_broken.then(|| string.half.take()).flatten().map(|_| char::REPLACEMENT_CHARACTER);
        for letter in broken.into_iter().chain(decoded) {
            match string.purpose {
                Purpose::Spoken => spoken.push(letter),
                Purpose::Name if self.name.len() < MAX_NAME_CHARS => self.name.push(letter),
                Purpose::Name | Purpose::Other => {}
            }
        }
        self.string = Some(string);
    }
}

fn unescaped(letter: char) -> char {
    match letter {
        'n' => '\n',
        't' => '\t',
        'r' | 'b' | 'f' => ' ',
        other => other,
    }
}

/// Decodes a unit of UTF-16; `None` for the first half of a pair.
fn decode(half: &mut Option<u16>, unit: Option<u16>) -> Option<char> {
    let Some(unit) = unit else { return Some(char::REPLACEMENT_CHARACTER) };
    let units = half.take().into_iter().chain([unit]);
    match char::decode_utf16(units).next() {
        Some(Ok(letter)) => Some(letter),
        Some(Err(_)) if (0xD800..0xDC00).contains(&unit) => {
            *half = Some(unit);
            None
        }
        _ => Some(char::REPLACEMENT_CHARACTER),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(reply: &str, expected: &str) {
        let letters: Vec<String> = reply.chars().map(String::from).collect();
        for size in [1, 2, 3, 7, letters.len().max(1)] {
            let mut reader = SpokenText::new("text");
            let spoken: String = letters.chunks(size).map(|piece| reader.push(&piece.concat())).collect();
            assert_eq!(spoken, expected, "{reply} in pieces of {size}");
        }
    }

    #[test]
    fn the_spoken_field_is_found_in_an_unfinished_reply() {
        check(r#"{"text": "The night boat is l"#, "The night boat is l");
        check(r#"{"moves":["text","a } b"],"crux":{"text":"not this"},"text":"This.","x":"not that"}"#, "This.");
        check(r#"{"stance":"yes","stance_words":"text","te"#, "");
        check(r#"{"text": null, "passages": ["g1"]}"#, "");
        check("", "");
    }

    #[test]
    fn escapes_are_decoded_and_pairs_may_be_split() {
        check(r#"{"text":"a \"b\" \\ \/ c\nd\te"}"#, "a \"b\" \\ / c\nd\te");
        check(r#"{"text":"caf\u00e9 \ud83d\ude42!"}"#, "café 🙂!");
        check(r#"{"text":"\ud83d, \ude42 \uzz"}"#, "\u{fffd}, \u{fffd} \u{fffd}z");
        check("{\"te\\u0078t\":\"é🙂\"}", "é🙂");
    }

    #[test]
    fn text_around_the_object_and_faults_in_it_are_accepted() {
        check(
            "Sure {so}:\n```json\n{\"text\": \"Line one\nline two \\q.\"}\n``` {\"text\":\"more\"}",
            "Line one\nline two q.",
        );
        check("no JSON, but a \"text\": \"word\"", "");
        check("]]}{\"text\":\"a\"", "a");
    }

    #[test]
    fn the_schema_names_the_spoken_field() {
        let schema = |names: &[&str]| {
            let fields = names.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" })));
            json!({ "properties": serde_json::Value::Object(fields.collect()) })
        };
        assert_eq!(spoken_field(&schema(&["stance", "text"])), Some("text"));
        assert_eq!(spoken_field(&schema(&["proposal", "reasoning"])), Some("proposal"));
        assert_eq!(spoken_field(&schema(&["recommendation"])), None);
        assert_eq!(spoken_field(&json!({ "properties": { "text": { "type": "array" } } })), None);
        assert_eq!(spoken_field(&json!({})), None);
    }
}
