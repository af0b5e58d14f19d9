//! Anchors of a persona file: quotations from the corpus that support its statements.
//!
//! ```toml
//! [anchors]
//! contract.stakes = [{ document = "who-is-bound", quote = "The ground at Tenna Bank was closed" }]
//! contract.flip_conditions.1 = [{ document = "who-is-bound", quote = "I would change my mind about" }]
//! voice.examples.crux.2 = [{ document = "nineteen-desks", quote = "..." }]
//! ```
//!
//! A number counts the entries of a list from 1; without one the whole list is anchored.

use std::path::Path;

use toml::de::{DeTable, DeValue};

use crate::file_error::{FileError, LineNumbers};
use faultline_core::events::edition::fields;
use faultline_core::events::persona::{MAX_ANCHORS, Persona};

/// Minimum number of words of a quotation that prompts show.
const MIN_WORDS: usize = 5;

/// Quotation from the corpus that supports a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchored {
    /// Key of the statement in the file: `contract.flip_conditions.1`.
    pub of: String,
    /// Name of the document.
    pub document: String,
    /// Quoted text.
    pub quote: String,
    /// Line of the persona file.
    pub line: usize,
}

/// Returns the anchors of a persona file, given as text, in the order of their lines. Cost: linear in the file.
///
/// # Errors
/// A [`FileError`] for every invalid anchor: one for a statement that this persona does not have, or without document or
/// quote.
pub fn anchors(file: &Path, text: &str, persona: &Persona) -> Result<Vec<Anchored>, Vec<FileError>> {
    let (lines, known) = (LineNumbers::of(text), statements(persona));
    let mut reader = Reader { file, lines, known, found: Vec::new(), faults: Vec::new() };
    if let Ok(whole) = DeTable::parse(text)
        && let Some(anchors) = whole.get_ref().get("anchors")
    {
        match anchors.get_ref() {
            DeValue::Table(table) => reader.table("", table),
            _ => reader.fault(anchors.span().start, "expected a table: [anchors]"),
        }
    }
    reader.found.sort_by_key(|anchor| anchor.line);
    if reader.faults.is_empty() { Ok(reader.found) } else { Err(reader.faults) }
}

/// Selects the quotations that prompts show, in the order of their lines: at most [`MAX_ANCHORS`] of at least five words,
/// the first of each statement before any other.
pub fn shown(anchors: &[Anchored]) -> Vec<String> {
    let is_long = |anchor: &&Anchored| anchor.quote.split_whitespace().count() >= MIN_WORDS;
    let long: Vec<&Anchored> = anchors.iter().filter(is_long).collect();
    let is_first = |at: &usize| long[..*at].iter().all(|earlier| earlier.of != long[*at].of);
    let (first, others): (Vec<usize>, Vec<usize>) = (0..long.len()).partition(is_first);
    let mut chosen: Vec<usize> = Vec::new();
    for at in first.into_iter().chain(others) {
        let is_new = chosen.iter().all(|other| long[*other].quote != long[at].quote);
        if is_new && chosen.len() < MAX_ANCHORS {
            chosen.push(at);
        }
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|at| long[at].quote.clone()).collect()
}

/// Lists the statements that can be anchored: all of contract and voice, lists entry by entry. Excludes forbidden
/// phrases, which do not occur in the corpus.
pub fn statements(persona: &Persona) -> Vec<String> {
    let mut all = Vec::new();
    for (field, texts) in fields(persona) {
        let is_list = field == "contract.flip_conditions"
            || (field.starts_with("voice.") && !field.starts_with("voice.registers."));
        match field.as_str() {
            "version" | "name" | "voice.forbidden_phrases" | "contract.anchors" => {}
            _ if is_list => all.extend((1..=texts.len()).map(|number| format!("{field}.{number}"))),
            _ => all.push(field),
        }
    }
    all
}

struct Reader<'a> {
    file: &'a Path,
    lines: LineNumbers,
    known: Vec<String>,
    found: Vec<Anchored>,
    faults: Vec<FileError>,
}

impl Reader<'_> {
    fn fault(&mut self, at: usize, what: impl Into<String>) {
        self.faults.push(FileError::at(self.file, self.lines.line_of(at), what));
    }

    fn table(&mut self, outer: &str, table: &DeTable<'_>) {
        for (key, value) in table {
            let of = if outer.is_empty() { key.get_ref().to_string() } else { format!("{outer}.{}", key.get_ref()) };
            match value.get_ref() {
                DeValue::Table(inner) => self.table(&of, inner),
                DeValue::Array(quotes) => {
                    let list = format!("{of}.");
                    if !self.known.iter().any(|key| *key == of || key.starts_with(&list)) {
                        self.fault(key.span().start, format!("anchors: this persona has no statement {of}"));
                    }
                    for quote in quotes {
                        self.quote(&of, quote.span().start, quote.get_ref());
                    }
                }
                _ => self.fault(
                    key.span().start,
                    format!("anchors.{of}: expected a list of {{ document = \"...\", quote = \"...\" }}"),
                ),
            }
        }
    }

    fn quote(&mut self, of: &str, at: usize, value: &DeValue<'_>) {
        let text = |key: &str| match value {
            DeValue::Table(table) => table.get(key).and_then(|value| value.get_ref().as_str()).map(str::to_owned),
            _ => None,
        };
        match (text("document"), text("quote")) {
            (Some(document), Some(quote)) => {
                let line = self.lines.line_of(at);
                self.found.push(Anchored { of: of.to_owned(), document, quote, line });
            }
            _ => self.fault(at, format!("anchors.{of}: expected {{ document = \"...\", quote = \"...\" }}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faultline_core::events::persona::{Contract, Voice};

    fn read(text: &str) -> Result<Vec<Anchored>, Vec<FileError>> {
        let ada = Persona {
            id: "ada".parse().expect("a name"),
            name: "Ada".into(),
            about: String::new(),
            version: 1,
            contract: Contract { flip_conditions: vec!["One.".into(), "Two.".into()], ..Contract::default() },
            voice: Voice::default(),
        };
        anchors(Path::new("ada.toml"), text, &ada)
    }

    #[test]
    fn anchors_name_statements_and_entries() {
        let found = read(
            "name = \"Ada\"\n[anchors]\ncontract.stakes = [{ document = \"a\", quote = \"b\" }]\n\
             contract.flip_conditions.2 = [\n  { document = \"c\", quote = \"d\" },\n  { document = \"e\", quote = \"f\" },\n]\n\
             contract.flip_conditions_x = []\n",
        );
        let faults: Vec<String> = found.expect_err("a fault").iter().map(FileError::to_string).collect();
        assert_eq!(faults, ["ada.toml:8: anchors: this persona has no statement contract.flip_conditions_x"]);
        let found =
            read("[anchors]\ncontract.flip_conditions = [{ document = \"a\", quote = \"b\" }]\n").expect("anchors");
        assert_eq!((found[0].of.as_str(), found[0].line), ("contract.flip_conditions", 2));
        assert_eq!(read("name = \"Ada\"\n"), Ok(vec![]));
    }

    #[test]
    fn invalid_anchors_are_reported_with_their_line() {
        let check = |text: &str, expected: &str| {
            let faults = read(text).expect_err("a fault");
            assert!(faults[0].to_string().contains(expected), "{} does not say {expected}", faults[0]);
        };
        check("anchors = 3\n", "ada.toml:1: expected a table");
        check("[anchors]\ncontract.bias = \"x\"\n", "ada.toml:2: anchors.contract.bias: expected a list");
        check("[anchors]\ncontract.bias = [\"x\"]\n", "ada.toml:2: anchors.contract.bias: expected {");
        check("[anchors]\ncontract.flip_conditions.3 = [{ document = \"a\", quote = \"b\" }]\n", "no statement");
    }
}
