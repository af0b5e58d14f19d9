//! The texts of a TOML file, each with its key and line, and whether one holds another.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::ingest::fault::line_of;

/// A text in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// Its key with those of the tables around it: `voice.examples.opening`. Entries of a list share its key.
    pub key: String,
    /// The line it begins in, from 1.
    pub line: usize,
    /// The text.
    pub text: String,
}

impl Phrase {
    /// Whether this text holds that one, word by word; case, spacing and the kind of apostrophe make no difference.
    pub fn holds(&self, other: &Phrase) -> bool {
        let (text, sought) = (plain(&self.text), plain(&other.text));
        let bounded = |(at, _): (usize, &str)| {
            let before = text[..at].chars().next_back();
            let after = text[at + sought.len()..].chars().next();
            let runs_on = |inner: Option<char>, outer: Option<char>| {
                inner.is_some_and(char::is_alphanumeric) && outer.is_some_and(char::is_alphanumeric)
            };
            !runs_on(sought.chars().next(), before) && !runs_on(sought.chars().next_back(), after)
        };
        !sought.is_empty() && text.match_indices(sought.as_str()).any(bounded)
    }
}

fn plain(text: &str) -> String {
    let text = text.to_lowercase().replace(['’', '‘'], "'");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a TOML file says where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// All texts, in the order of their lines.
    pub phrases: Vec<Phrase>,
    /// The line of every key, from 1, by the key with those of the tables around it.
    pub keys: BTreeMap<String, usize>,
}

impl Places {
    /// Reads a file, given as text. Linear in it, but for the counting of lines: texts times length.
    ///
    /// # Errors
    /// Where it is not TOML.
    pub fn of(text: &str) -> Result<Self, toml::de::Error> {
        let mut places = Places::default();
        places.gather_table(text, "", DeTable::parse(text)?.get_ref());
        places.phrases.sort_by_key(|it| it.line);
        Ok(places)
    }

    fn gather_table(&mut self, text: &str, outer: &str, table: &DeTable<'_>) {
        for (key, value) in table {
            let line = line_of(text, key.span().start);
            let key = if outer.is_empty() { key.get_ref().to_string() } else { format!("{outer}.{}", key.get_ref()) };
            self.gather(text, &key, value);
            self.keys.insert(key, line);
        }
    }

    fn gather(&mut self, text: &str, key: &str, value: &Spanned<DeValue<'_>>) {
        match value.get_ref() {
            DeValue::String(it) => {
                let line = line_of(text, value.span().start);
                self.phrases.push(Phrase { key: key.to_owned(), line, text: it.to_string() });
            }
            DeValue::Array(values) => values.iter().for_each(|value| self.gather(text, key, value)),
            DeValue::Table(table) => self.gather_table(text, key, table),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_their_keys_and_lines() {
        let found = Places::of("b = 1\n[v]\nlist = [\n  'one',\n  'two',\n]\n[v.w]\nx = \"three\"\n").unwrap();
        assert_eq!((found.keys["b"], found.keys["v.list"], found.keys["v.w"], found.keys["v.w.x"]), (1, 3, 7, 8));
        let found: Vec<_> = found.phrases.iter().map(|it| (it.key.as_str(), it.line, it.text.as_str())).collect();
        assert_eq!(found, [("v.list", 4, "one"), ("v.list", 5, "two"), ("v.w.x", 8, "three")]);
    }

    #[test]
    fn a_phrase_is_found_by_whole_words() {
        let check = |text: &str, sought: &str, expected: bool| {
            let phrase = |text: &str| Phrase { key: String::new(), line: 1, text: text.to_owned() };
            assert_eq!(phrase(text).holds(&phrase(sought)), expected, "{sought:?} in {text:?}");
        };
        check("Mind you, it rains.", "mind you", true);
        check("It rains, mind  YOU", "Mind you", true);
        check("Mind your step.", "mind you", false);
        check("Remind you? Never mind: you win.", "mind you", false);
        check("Remind you? Mind you!", "mind you", true);
        check("It’s a no-brainer.", "it's", true);
        check("a no-brainer", "no-brainer", true);
        check("100% sure", "%", true);
        check("anything", "", false);
    }
}
