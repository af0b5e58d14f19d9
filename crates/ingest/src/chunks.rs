//! Cutting of texts into passages.
//!
//! A passage is a paragraph: the lines between two blank lines, joined. An item of a list is a paragraph too, and a
//! paragraph that breaks off within a sentence continues with the next. Long paragraphs are cut at the ends of sentences
//! into parts of similar size; short ones are joined with a neighbour. Passages therefore have 40 to 400 words, however
//! the lines of the text are broken, unless the whole text is shorter. Headings and rules are left out, because they
//! structure the text and state no opinion of the persona.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use crate::headings::{Structure, structure};
use crate::sentences::sentences;

/// Number of words at which a paragraph is cut: about as much as the embedder reads of a text.
pub const PASSAGE_WORDS: usize = 180;

/// Minimum number of words of a passage, unless its document is shorter.
pub const MIN_PASSAGE_WORDS: usize = 40;

/// Maximum number of bytes of a word. Longer ones are encoded data, not prose.
pub const MAX_WORD_BYTES: usize = 1000;

/// Maximum number of passages of a document.
pub const MAX_PASSAGES: usize = 4000;

/// Allowed kinds of document.
pub const KINDS: &[&str] =
    &["article", "book", "essay", "interview", "letter", "notebook", "post", "speech", "talk", "testimony"];

/// Revision of the readers and cutting rules. Increment it by hand when the same file yields other passages or
/// sentences, so that stored documents are read again.
pub const REVISION: u8 = 2;

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

/// Cuts a text into passages. Cost: linear in the text.
///
/// # Errors
/// A message if the text is empty or has too many passages.
pub fn cut(text: &str) -> Result<Vec<String>, String> {
    let paragraphs = paragraphs(text);
    let passages = joined(paragraphs.iter().flat_map(|words| parted(words)).collect());
    match passages.len() {
        0 => Err("there is no text in it".to_owned()),
        n if n > MAX_PASSAGES => {
            Err(format!("{n} passages are more than {MAX_PASSAGES}; split the document into several files"))
        }
        _ => Ok(passages),
    }
}

/// Returns the words of each paragraph.
fn paragraphs(text: &str) -> Vec<Vec<&str>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut paragraphs: Vec<Vec<&str>> = Vec::new();
    let (mut begins, mut may_continue, mut in_list) = (true, false, false);
    for (at, line) in lines.iter().enumerate() {
        match structure(&lines, at) {
            Structure::Blank => begins = true,
            Structure::Heading(..) | Structure::Rule => (begins, may_continue, in_list) = (true, false, false),
            Structure::Words => {
                let item = is_item(line, begins || in_list);
                let continues = match paragraphs.last() {
                    _ if item => false,
                    Some(before) if begins => may_continue && breaks_off(before, line),
                    before => before.is_some(),
                };
                match paragraphs.last_mut() {
                    Some(paragraph) if continues => paragraph.extend(line.split_whitespace()),
                    _ => paragraphs.push(line.split_whitespace().collect()),
                }
                in_list = item || (in_list && !begins);
                (begins, may_continue) = (false, true);
            }
        }
    }
    paragraphs
}

/// Returns true if a line is an item of a list. A number within a paragraph begins a list only if it is 1; otherwise it
/// is part of a sentence.
fn is_item(line: &str, may_begin: bool) -> bool {
    let Some((mark, _)) = line.trim_start().split_once(' ') else { return false };
    let number = mark.strip_suffix(['.', ')']).unwrap_or_default();
    let is_number = (1..=3).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
    matches!(mark, "-" | "*" | "+" | "•" | "‣") || (is_number && (may_begin || number == "1"))
}

/// Returns true if a paragraph ends within a sentence that the next one continues, as in a text with a blank line after
/// every line, or with a page break.
fn breaks_off(before: &[&str], after: &str) -> bool {
    let last = before.last().map_or("", |word| word.trim_end_matches(['"', '\'', '”', '’', ')', '*', '_']));
    !last.ends_with(['.', '!', '?', ':', ';', '…']) && after.trim_start().starts_with(char::is_lowercase)
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

/// Joins tiny passages with the passages after them while they fit, and those that remain with their shorter neighbour.
fn joined(passages: Vec<String>) -> Vec<String> {
    let mut fitting: Vec<String> = Vec::with_capacity(passages.len());
    let last = passages.len().saturating_sub(1);
    for (at, passage) in passages.into_iter().enumerate() {
        match fitting.last_mut() {
            Some(before)
                if (words(before) < MIN_PASSAGE_WORDS || (at == last && words(&passage) < MIN_PASSAGE_WORDS))
                    && words(before) + words(&passage) <= PASSAGE_WORDS =>
            {
                append(before, &passage);
            }
            _ => fitting.push(passage),
        }
    }
    without_tiny(fitting)
}

fn without_tiny(passages: Vec<String>) -> Vec<String> {
    let counts: Vec<usize> = passages.iter().map(|passage| words(passage)).collect();
    let mut joined: Vec<String> = Vec::with_capacity(passages.len());
    let mut tiny: Option<String> = None;
    for (at, passage) in passages.into_iter().enumerate() {
        let passage = match tiny.take() {
            Some(mut before) => {
                append(&mut before, &passage);
                before
            }
            None => passage,
        };
        let after = counts.get(at + 1);
        match joined.last_mut() {
            _ if words(&passage) >= MIN_PASSAGE_WORDS => joined.push(passage),
            Some(before) if after.is_none_or(|after| words(before) <= *after) => append(before, &passage),
            _ if after.is_some() => tiny = Some(passage),
            _ => joined.push(passage),
        }
    }
    joined
}

fn append(before: &mut String, passage: &str) {
    before.push_str("\n\n");
    before.push_str(passage);
}

fn words(passage: &str) -> usize {
    passage.split_whitespace().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prose(words: usize) -> String {
        let sentence = |n: usize| format!("Word {n} is one of ten in this plain sentence.");
        (0..words / 10).map(sentence).collect::<Vec<_>>().join(" ")
    }

    fn passages_of(body: &str) -> Vec<usize> {
        cut(body).unwrap().iter().map(|passage| words(passage)).collect()
    }

    #[test]
    fn a_passage_is_a_paragraph() {
        assert_eq!(passages_of(&format!("{}\n\n \n{}\n", prose(100), prose(50))), [100, 50]);
        assert_eq!(cut("One line\n  broken\tinto three\nlines.").unwrap(), ["One line broken into three lines."]);
    }

    #[test]
    fn long_paragraphs_are_cut_at_the_ends_of_sentences_into_similar_parts() {
        assert_eq!(passages_of(&prose(180)), [180]);
        assert_eq!(passages_of(&prose(400)), [140, 140, 120]);
        let endless = vec!["word"; 400].join(" ");
        assert_eq!(passages_of(&endless), [180, 180, 40]);
    }

    #[test]
    fn short_paragraphs_are_joined_with_a_neighbour() {
        assert_eq!(passages_of(&format!("{}\n\n{}\n\n{}", prose(10), prose(20), prose(60))), [90]);
        assert_eq!(passages_of(&format!("{}\n\n{}", prose(60), prose(30))), [90]);
        assert_eq!(passages_of(&format!("{}\n\n{}", prose(30), prose(170))), [200]);
        assert_eq!(passages_of(&format!("{}\n\n{}\n\n{}", prose(170), prose(30), prose(160))), [170, 190]);
        assert_eq!(passages_of("Short."), [1]);
    }

    #[test]
    fn passages_have_40_to_400_words_however_lines_are_broken() {
        let text = [prose(30), prose(500), prose(10), prose(170), prose(20)].join(" ");
        let tokens: Vec<&str> = text.split(' ').collect();
        for line in [1, 2, 3, 5, 8, 13, 60, 179, 1000] {
            for ends in ["\n", "\n\n", "\r\n", "\r\n\r\n", "\n \n\n"] {
                let broken = tokens.chunks(line).map(|line| line.join(" ")).collect::<Vec<_>>().join(ends);
                let counts = passages_of(&broken);
                assert_eq!(counts.iter().sum::<usize>(), tokens.len());
                assert!(
                    counts.iter().all(|count| (MIN_PASSAGE_WORDS..=400).contains(count)),
                    "{line} {ends:?}: {counts:?}"
                );
            }
        }
    }

    #[test]
    fn a_paragraph_continues_after_a_break_within_a_sentence() {
        assert_eq!(
            cut("The wall\n\nleans on\n\nus.\n\nAsk the dogs.").unwrap(),
            ["The wall leans on us.\n\nAsk the dogs."]
        );
        assert_eq!(cut("Of walls\n\n# Part\n\nleaning.").unwrap(), ["Of walls\n\nleaning."]);
    }

    #[test]
    fn items_of_lists_are_paragraphs() {
        assert_eq!(cut("Buy:\n- lime\n  and sand\n- time").unwrap(), ["Buy:\n\n- lime and sand\n\n- time"]);
        assert_eq!(cut("1. One\n2. Two").unwrap(), ["1. One\n\n2. Two"]);
        assert_eq!(cut("They left in\n30. Then\n1998 came.").unwrap(), ["They left in 30. Then 1998 came."]);
    }

    #[test]
    fn headings_and_rules_are_left_out() {
        let body = format!("# Title\n{}\n***\n## Part #2\n{}\n* * *\n", prose(50), prose(60));
        assert_eq!(passages_of(&body), [50, 60]);
        assert_eq!(cut("Title\n=====\nText.").unwrap(), ["Text."]);
        assert_eq!(cut("# Only\n\n---\n"), Err("there is no text in it".to_owned()));
    }

    #[test]
    fn too_many_passages_are_refused() {
        let error = cut(&vec![prose(40); MAX_PASSAGES + 1].join("\n\n")).unwrap_err();
        assert!(error.starts_with("4001 passages are more than 4000"), "{error}");
    }
}
