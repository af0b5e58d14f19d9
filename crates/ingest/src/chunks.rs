//! Parser of Markdown documents: front matter, and text cut into passages.
//!
//! ```text
//! ---
//! title: Daybook of a Bad Winter
//! source: Shop daybook, printed in The Counter and Scale
//! date: 2025-02-20
//! kind: notebook
//! ---
//!
//! Second of December, sleet. Sold eleven bags of grit before nine, ...
//! ```
//!
//! A passage is a paragraph: the lines between two blank lines, joined. Long paragraphs are cut at the ends of
//! sentences into parts of similar size; short ones are joined with the next. Headings and rules (`## Part one`, `* *
//! *`) are left out, because they structure the text and state no opinion of the persona. Other markup is kept.

use std::path::Path;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use crate::file_error::FileError;
use crate::sentences::sentences;

/// Maximum number of words of a passage: about as much as the embedder reads of a text.
pub const PASSAGE_WORDS: usize = 180;

/// Number of words below which a paragraph is joined with the next, if both fit into one passage.
pub const TINY_WORDS: usize = 40;

/// Maximum number of bytes of a word. Longer ones are encoded data, not prose.
pub const WORD_BYTES: usize = 1000;

/// Maximum number of passages of a document.
pub const PASSAGES: usize = 4000;

/// Maximum number of characters of a title or source.
pub const HEADING_CHARS: usize = 200;

/// Allowed kinds of document.
pub const KINDS: &[&str] =
    &["article", "book", "essay", "interview", "letter", "notebook", "post", "speech", "talk", "testimony"];

/// Revision of the cutting rules. Increment it by hand when the same file yields other passages or sentences, so that
/// stored documents are read again.
pub const REVISION: u8 = 1;

const KEYS: [&str; 4] = ["title", "source", "date", "kind"];
const FENCE: &str = "---";

/// Parsed document.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct ParsedDocument {
    /// Title of the document.
    pub title: String,
    /// Publication in which it appeared.
    pub source: String,
    /// Date of publication.
    pub date: NaiveDate,
    /// Kind of document: one of [`KINDS`].
    pub kind: String,
    /// Text as passages, in order; never empty.
    pub passages: Vec<String>,
}

/// Parses a document. Cost: linear in the text.
///
/// # Errors
/// The first [`FileError`] with its line: front matter that is missing, unclosed or incomplete, an unknown or repeated key,
/// an empty or overlong value, an invalid date, an unknown kind; a text that is empty, has too many passages, or
/// contains an overlong word.
pub fn document(file: &Path, text: &str) -> Result<ParsedDocument, FileError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines: Vec<&str> = text.lines().collect();
    let close = close_of(file, &lines)?;
    let [title, source, date, kind] = front_matter(file, &lines[..close], close + 1)?;
    let heading = |(line, value): (usize, &str), key: &str| {
        let fits = value.chars().count() <= HEADING_CHARS;
        let what = || format!("the {key} is longer than {HEADING_CHARS} characters; shorten it");
        if fits { Ok(value.to_owned()) } else { Err(FileError::at(file, line, what())) }
    };
    let body = &lines[close + 1..];
    Ok(ParsedDocument {
        title: heading(title, "title")?,
        source: heading(source, "source")?,
        date: date.1.parse().map_err(|_| {
            let what = format!("{:?} is not a date; write it as year-month-day, such as 2025-02-20", date.1);
            FileError::at(file, date.0, what)
        })?,
        kind: match KINDS.contains(&kind.1) {
            true => kind.1.to_owned(),
            false => {
                let what = format!("{:?} is not a kind of document; use one of {}", kind.1, KINDS.join(", "));
                return Err(FileError::at(file, kind.0, what));
            }
        },
        passages: passages(file, body, close + 2)?,
    })
}

/// Cuts a text without front matter into passages.
///
/// # Errors
/// A message if the text is empty, has too many passages, or contains an overlong word.
pub fn cut(text: &str) -> Result<Vec<String>, String> {
    let lines: Vec<&str> = text.lines().collect();
    if lines.iter().all(|line| line.trim().is_empty() || is_signpost(line)) {
        return Err("there is no text in it".to_owned());
    }
    passages(Path::new(""), &lines, 1).map_err(|error| error.within())
}

/// Finds the index of the line that ends the front matter.
fn close_of(file: &Path, lines: &[&str]) -> Result<usize, FileError> {
    if lines.first().map(|line| line.trim_end()) != Some(FENCE) {
        let what = "expected `---`, then title, source, date and kind on one line each, then `---`";
        return Err(FileError::at(file, 1, what));
    }
    let close = lines.iter().skip(1).position(|line| line.trim_end() == FENCE);
    close
        .map(|at| at + 1)
        .ok_or_else(|| FileError::at(file, 1, "the front matter is not closed; end it with a line `---`"))
}

/// Returns the values of [`KEYS`], each with its line.
fn front_matter<'a>(file: &Path, lines: &[&'a str], close: usize) -> Result<[(usize, &'a str); 4], FileError> {
    let mut found: [Option<(usize, &str)>; 4] = [None; 4];
    for (number, line) in lines.iter().enumerate().skip(1).map(|(at, line)| (at + 1, line.trim())) {
        if line.is_empty() {
            continue;
        }
        let fault = |what: String| Err(FileError::at(file, number, what));
        let Some((key, value)) = line.split_once(':') else {
            return fault(format!("expected `key: value` with one of the keys {}", KEYS.join(", ")));
        };
        let (key, value) = (key.trim(), unquoted(value.trim()));
        let Some(at) = KEYS.iter().position(|known| *known == key) else {
            return fault(format!("unknown key {key:?}; the keys are {}", KEYS.join(", ")));
        };
        if let Some((before, _)) = found[at] {
            return fault(format!("{key} is repeated, after line {before}; remove one"));
        }
        if value.is_empty() || value.contains(char::is_control) {
            return fault(format!("{key} needs a value of one line of plain text"));
        }
        found[at] = Some((number, value));
    }
    let missing: Vec<&str> =
        KEYS.iter().zip(&found).filter(|(_, value)| value.is_none()).map(|(key, _)| *key).collect();
    match found {
        [Some(title), Some(source), Some(date), Some(kind)] => Ok([title, source, date, kind]),
        _ => Err(FileError::at(file, close, format!("the front matter lacks {}", missing.join(", ")))),
    }
}

fn unquoted(value: &str) -> &str {
    let inner = |mark: char| value.strip_prefix(mark)?.strip_suffix(mark);
    inner('"').or_else(|| inner('\'')).unwrap_or(value)
}

/// Cuts a body that starts at line `first_line` into passages.
fn passages(file: &Path, body: &[&str], first_line: usize) -> Result<Vec<String>, FileError> {
    let mut paragraphs: Vec<Vec<&str>> = vec![Vec::new()];
    for (at, line) in body.iter().enumerate() {
        if let Some(word) = line.split_whitespace().find(|word| word.len() > WORD_BYTES) {
            let what = format!("a word of {} bytes; at most {WORD_BYTES} are allowed in prose", word.len());
            return Err(FileError::at(file, first_line + at, what));
        }
        if line.trim().is_empty() || is_signpost(line) {
            paragraphs.push(Vec::new());
        } else if let Some(paragraph) = paragraphs.last_mut() {
            paragraph.extend(line.split_whitespace());
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    let passages = merged(paragraphs.iter().flat_map(|words| parted(words)).collect());
    match passages.len() {
        0 => Err(FileError::at(file, first_line, "there is no text after the front matter")),
        n if n > PASSAGES => {
            let what = format!("{n} passages are more than {PASSAGES}; split the document into several files");
            Err(FileError::of(file, what))
        }
        _ => Ok(passages),
    }
}

/// Returns true for a heading, or a rule between sections.
fn is_signpost(line: &str) -> bool {
    let line = line.trim();
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let heading = (1..=6).contains(&level) && line[level..].chars().next().is_none_or(char::is_whitespace);
    let marks: String = line.split_whitespace().collect();
    let rule =
        marks.len() >= 3 && ["-", "*", "_", "="].iter().any(|mark| marks.trim_matches(|c| mark.contains(c)).is_empty());
    heading || rule
}

/// Splits a paragraph at the ends of sentences if it is too long. Splits an overlong sentence between words.
fn parted(words: &[&str]) -> Vec<String> {
    let parts = words.len().div_ceil(PASSAGE_WORDS);
    let whole = words.join(" ");
    if parts == 1 {
        return vec![whole];
    }
    let target = words.len().div_ceil(parts);
    let mut parted: Vec<Vec<&str>> = Vec::new();
    for sentence in sentences(&whole) {
        let sentence: Vec<&str> = sentence.split(' ').collect();
        for stretch in sentence.chunks(PASSAGE_WORDS) {
            match parted.last_mut() {
                Some(part) if part.len() < target && part.len() + stretch.len() <= PASSAGE_WORDS => {
                    part.extend(stretch)
                }
                _ => parted.push(stretch.to_vec()),
            }
        }
    }
    parted.iter().map(|part| part.join(" ")).collect()
}

/// Joins a tiny passage with the next one, and a tiny last one with the one before, if both fit into one passage.
fn merged(passages: Vec<String>) -> Vec<String> {
    let words = |passage: &str| passage.split(' ').count();
    let mut merged: Vec<String> = Vec::with_capacity(passages.len());
    let last = passages.len().saturating_sub(1);
    for (at, passage) in passages.into_iter().enumerate() {
        match merged.last_mut() {
            Some(before)
                if (words(before) < TINY_WORDS || (at == last && words(&passage) < TINY_WORDS))
                    && words(before) + words(&passage) <= PASSAGE_WORDS =>
            {
                before.push_str("\n\n");
                before.push_str(&passage);
            }
            _ => merged.push(passage),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRONT: &str = "---\ntitle: A\nsource: B\ndate: 2025-02-20\nkind: letter\n---\n";

    fn read(text: &str) -> Result<ParsedDocument, FileError> {
        document(Path::new("a/b.md"), text)
    }

    fn prose(words: usize) -> String {
        let sentence = |n: usize| format!("Word {n} is one of ten in this plain sentence.");
        (0..words / 10).map(sentence).collect::<Vec<_>>().join(" ")
    }

    fn passages_of(body: &str) -> Vec<usize> {
        let found = read(&format!("{FRONT}\n{body}")).unwrap().passages;
        found.iter().map(|passage| passage.split_whitespace().count()).collect()
    }

    #[test]
    fn front_matter_is_parsed() {
        let text = "\u{feff}---\r\nkind: \"talk\"\r\n\r\ntitle: A: b\r\ndate: 2025-02-20\r\nsource: 'C'\r\n---\r\n\r\nText.\r\n";
        let document = read(text).unwrap();
        assert_eq!((document.title.as_str(), document.source.as_str(), document.kind.as_str()), ("A: b", "C", "talk"));
        assert_eq!(document.date.to_string(), "2025-02-20");
        assert_eq!(document.passages, ["Text."]);
    }

    #[test]
    fn errors_name_the_line_and_the_remedy() {
        let check = |text: &str, wanted: &str| {
            let fault = read(text).expect_err(text).to_string();
            assert!(fault.starts_with(wanted), "{text:?} gave {fault:?}, not {wanted:?}");
        };
        check("", "a/b.md:1: expected `---`");
        check("text", "a/b.md:1: expected `---`");
        check("---\ntitle: A\n", "a/b.md:1: the front matter is not closed");
        check("---\ntitle: A\n---\ntext", "a/b.md:3: the front matter lacks source, date, kind");
        check("---\nnote\n---\n", "a/b.md:2: expected `key: value`");
        check("---\nTitle: A\n---\n", "a/b.md:2: unknown key \"Title\"");
        check("---\ntitle: A\ntitle: B\n---\n", "a/b.md:3: title is repeated, after line 2");
        check("---\ntitle:\n---\n", "a/b.md:2: title needs a value");
        check("---\ntitle: A\tB\n---\n", "a/b.md:2: title needs a value");
        check(&FRONT.replace("2025-02-20", "2025-02-30"), "a/b.md:4: \"2025-02-30\" is not a date");
        check(&FRONT.replace("letter", "sermon"), "a/b.md:5: \"sermon\" is not a kind of document");
        check(&FRONT.replace(": A", &format!(": {}", "A".repeat(201))), "a/b.md:2: the title is longer than 200");
        check(FRONT, "a/b.md:7: there is no text");
        check(&format!("{FRONT}# Only\n\n---\n"), "a/b.md:7: there is no text");
        check(&format!("{FRONT}\na\n{}", "x".repeat(5_000_000)), "a/b.md:9: a word of 5000000 bytes");
        check(&format!("{FRONT}{}", format!("{}\n\n", prose(100)).repeat(4001)), "a/b.md: 4001 passages are more than");
    }

    #[test]
    fn a_paragraph_is_a_passage() {
        assert_eq!(passages_of(&format!("{}\n\n{}", prose(50), prose(180))), [50, 180]);
        assert_eq!(read(&format!("{FRONT}One\n  two.\n")).unwrap().passages, ["One two."]);
    }

    #[test]
    fn long_paragraphs_are_split_at_sentence_ends() {
        assert_eq!(passages_of(&prose(190)), [100, 90]);
        assert_eq!(passages_of(&prose(500)), [170, 170, 160]);
        assert_eq!(passages_of(&"word ".repeat(400)), [180, 180, 40]);
    }

    #[test]
    fn tiny_paragraphs_are_joined_with_a_neighbour() {
        assert_eq!(passages_of(&format!("{}\n\n{}\n\n{}", prose(10), prose(20), prose(60))), [90]);
        assert_eq!(passages_of(&format!("{}\n\n{}", prose(60), prose(30))), [90]);
        assert_eq!(passages_of(&format!("{}\n\n{}", prose(30), prose(170))), [30, 170]);
        assert_eq!(passages_of("Short."), [1]);
    }

    #[test]
    fn headings_and_rules_are_left_out() {
        let body = format!("# Title\n{}\n***\n## Part #2\n{}\n* * *\n", prose(50), prose(60));
        assert_eq!(passages_of(&body), [50, 60]);
        assert!(is_signpost("---") && is_signpost("===") && is_signpost("#"));
        for line in ["#1 in town", "#######", "- an item", "--", "*Note* that", "-1"] {
            assert!(!is_signpost(line), "{line:?} was left out");
        }
    }
}
