//! Texts of a TOML file with their keys and lines.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::file_error::LineNumbers;
use faultline_core::voices::phrase::uses;

/// Text in a TOML file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// Key with those of the enclosing tables: `voice.examples.opening`. Entries of a list share its key.
    pub key: String,
    /// Line in which the text begins, from 1.
    pub line: usize,
    /// Text of the value.
    pub text: String,
}

impl Phrase {
    /// Returns true if this text contains the other one, word by word, ignoring case, spacing and the kind of
    /// apostrophe.
    pub fn holds(&self, other: &Phrase) -> bool {
        uses(&self.text, &other.text) > 0
    }
}

/// Positions of texts and keys in a TOML file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextPositions {
    /// All texts, in the order of their lines.
    pub phrases: Vec<Phrase>,
    /// Line of every key, from 1; keys include those of the enclosing tables.
    pub keys: BTreeMap<String, usize>,
}

impl TextPositions {
    /// Locates texts and keys in a file, given as text. Cost: linear in the text; logarithmic in its lines for each key.
    ///
    /// # Errors
    /// [`toml::de::Error`] if the text is not TOML.
    pub fn of(text: &str) -> Result<Self, toml::de::Error> {
        let mut places = TextPositions::default();
        places.gather_table(&LineNumbers::of(text), "", DeTable::parse(text)?.get_ref());
        places.phrases.sort_by_key(|phrase| phrase.line);
        Ok(places)
    }

    fn gather_table(&mut self, lines: &LineNumbers, outer: &str, table: &DeTable<'_>) {
        for (key, value) in table {
            let line = lines.line_of(key.span().start);
            let key = if outer.is_empty() { key.get_ref().to_string() } else { format!("{outer}.{}", key.get_ref()) };
            self.gather(lines, &key, value);
            self.keys.insert(key, line);
        }
    }

    fn gather(&mut self, lines: &LineNumbers, key: &str, value: &Spanned<DeValue<'_>>) {
        match value.get_ref() {
            DeValue::String(it) => {
                let line = lines.line_of(value.span().start);
                self.phrases.push(Phrase { key: key.to_owned(), line, text: it.to_string() });
            }
            DeValue::Array(values) => values.iter().for_each(|value| self.gather(lines, key, value)),
            DeValue::Table(table) => self.gather_table(lines, key, table),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_their_keys_and_lines() {
        let found = TextPositions::of("b = 1\n[v]\nlist = [\n  'one',\n  'two',\n]\n[v.w]\nx = \"three\"\n").unwrap();
        assert_eq!((found.keys["b"], found.keys["v.list"], found.keys["v.w"], found.keys["v.w.x"]), (1, 3, 7, 8));
        let found: Vec<_> =
            found.phrases.iter().map(|phrase| (phrase.key.as_str(), phrase.line, phrase.text.as_str())).collect();
        assert_eq!(found, [("v.list", 4, "one"), ("v.list", 5, "two"), ("v.w.x", 8, "three")]);
    }
}
