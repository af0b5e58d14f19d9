//! Sentence segmentation.
//!
//! Uses the boundaries of Unicode Standard Annex #29 (which handles decimals and a small letter after a full stop),
//! with corrections for its known errors on English prose:
//!
//! | not split | example |
//! |-----------|---------|
//! | a title, an abbreviation, initials | `Dr. Halloran`, `e.g. Friday`, `J. R. Marsh` |
//! | an abbreviation before a number | `No. 9`, `p. 41` |
//! | text that continues in lower case or after a comma | `"Why?" she asked.` |
//! | quotes and brackets that close soon | `"It rained. We waited."` |
//! | lines of one paragraph | a text broken at 80 columns |
//!
//! A sentence that begins with a number is split off (`They left in 1998. 30 came back.`). Ambiguous cases follow the
//! annex: `at 5 p.m. The` is two sentences, and so is `the U.S. Army`.
//!
//! Cost: linear in the text.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// Maximum number of words within which a quotation or bracket must close to keep sentences together.
const MAX_ENCLOSED_WORDS: usize = 60;

/// Abbreviations that never end a sentence.
#[rustfmt::skip]
const NEVER_LAST: &[&str] = &[
    "approx", "capt", "cf", "cmdr", "col", "dr", "e.g", "esp", "gen", "gov", "hon", "i.e", "incl", "lt", "maj",
    "messrs", "mlle", "mme", "mr", "mrs", "ms", "mt", "mx", "prof", "resp", "rev", "sen", "sgt", "st", "viz", "vs",
];

/// Abbreviations that do not end a sentence if a number follows.
#[rustfmt::skip]
const BEFORE_NUMBERS: &[&str] = &[
    "al", "apr", "art", "aug", "c", "ca", "ch", "chap", "dec", "eq", "feb", "fig", "figs", "jan", "jul", "jun", "mar",
    "no", "nos", "nov", "oct", "p", "para", "pp", "sec", "sep", "sept", "vol", "vols",
];

/// Splits a text into sentences, in order, each an unmodified slice without the surrounding white space. A blank line
/// always ends a sentence. A piece without a letter or a digit belongs to the sentence before it.
pub fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    for paragraph in paragraphs(text) {
        let pieces = enclosed(paragraph, joined(paragraph, &pieces(paragraph)));
        sentences
            .extend(pieces.into_iter().map(|piece| paragraph[piece].trim()).filter(|sentence| !sentence.is_empty()));
    }
    sentences
}

/// Splits a text at blank lines.
fn paragraphs(text: &str) -> Vec<&str> {
    let mut paragraphs = Vec::new();
    let (mut from, mut to) = (0, 0);
    for line in text.split_inclusive('\n') {
        let start = to;
        to += line.len();
        if line.trim().is_empty() {
            paragraphs.push(&text[from..start]);
            from = to;
        }
    }
    paragraphs.push(&text[from..]);
    paragraphs
}

/// Splits a paragraph at every possible end: the boundaries of the annex, and before a number that follows an end mark.
fn pieces(paragraph: &str) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    for (at, piece) in paragraph.split_sentence_bound_indices() {
        let mut from = 0;
        for (mark, _) in piece.match_indices(['.', '!', '?']) {
            let rest = &piece[mark + 1..];
            let figure = rest.trim_start();
            if figure.len() < rest.len() && figure.starts_with(|letter: char| letter.is_ascii_digit()) {
                pieces.push(at + from..at + piece.len() - figure.len());
                from = piece.len() - figure.len();
            }
        }
        pieces.push(at + from..at + piece.len());
    }
    pieces
}

/// Joins each piece with the piece before it if no sentence ends there.
fn joined(paragraph: &str, pieces: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match joined.last_mut() {
            Some(before) if goes_on(&paragraph[before.clone()], &paragraph[piece.clone()]) => before.end = piece.end,
            _ => joined.push(piece.clone()),
        }
    }
    joined
}

fn goes_on(before: &str, after: &str) -> bool {
    let (before, after) = (before.trim(), after.trim());
    let Some(first) = after.chars().next() else { return true };
    let closed = before.trim_end_matches(['"', '\'', '”', '’', '»', ')', ']', '*', '_']);
    if !closed.ends_with(['.', '!', '?', '…', '。', '！', '？']) {
        return true;
    }
    if first.is_lowercase() || ",;:)]}”’»–—".contains(first) || !after.contains(char::is_alphanumeric) {
        return true;
    }
    before.strip_suffix('.').is_some_and(|stem| abbreviated(stem, after))
}

/// Returns true if a full stop after `stem` marks an abbreviation, given the following text.
fn abbreviated(stem: &str, after: &str) -> bool {
    let next = after.chars().next().unwrap_or_default();
    let mut words = stem.split(|letter: char| letter.is_whitespace() || "(\"'“‘[".contains(letter)).rev();
    let word = words.next().unwrap_or_default();
    let before = words.find(|word| !word.is_empty());
    let small = word.to_lowercase();
    if NEVER_LAST.contains(&small.as_str()) || (next.is_numeric() && BEFORE_NUMBERS.contains(&small.as_str())) {
        return true;
    }
    let numbers_a_list = before.is_none() && !word.is_empty() && word.chars().all(|letter| letter.is_ascii_digit());
    numbers_a_list || (next.is_uppercase() && is_initial(word, before, after))
}

/// Returns true for an initial: a single capital at the start, beside another marked capital, or after a capitalized
/// word. `I` after a word is not an initial.
fn is_initial(word: &str, before: Option<&str>, after: &str) -> bool {
    let is_capital = |text: &str| text.starts_with(char::is_uppercase) && text.chars().count() == 1;
    let is_marked = |text: &str| text.strip_suffix('.').is_some_and(is_capital);
    let named = |neighbour: &str| is_marked(neighbour) || (word != "I" && neighbour.starts_with(char::is_uppercase));
    is_capital(word) && (before.is_none_or(named) || after.split_whitespace().next().is_some_and(is_marked))
}

/// Joins pieces from an opening quote or bracket to its end, if that is close enough.
fn enclosed(paragraph: &str, pieces: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut enclosed = Vec::with_capacity(pieces.len());
    let mut at = 0;
    while at < pieces.len() {
        let mut end = at;
        if !is_closed(&paragraph[pieces[at].clone()]) {
            let stretches = (at + 1..pieces.len()).map(|to| (to, &paragraph[pieces[at].start..pieces[to].end]));
            let mut near =
                stretches.take_while(|(_, stretch)| stretch.split_whitespace().nth(MAX_ENCLOSED_WORDS).is_none());
            end = near.find(|(_, stretch)| is_closed(stretch)).map_or(at, |(to, _)| to);
        }
        enclosed.push(pieces[at].start..pieces[end].end);
        at = end + 1;
    }
    enclosed
}

/// Returns true if all quotes and brackets are closed. Ignores single quotes: most are apostrophes.
fn is_closed(text: &str) -> bool {
    let count = |mark: char| text.matches(mark).count();
    count('"') % 2 == 0 && count('“') <= count('”') && count('(') <= count(')')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expected: &[&str]) {
        assert_eq!(sentences(&expected.join(" ")), expected);
    }

    #[test]
    fn plain_prose_is_split_at_end_marks() {
        check(&["The till was full.", "Was it?", "It was!", "Nobody asked… why?", "Then it rained."]);
    }

    #[test]
    fn abbreviations_do_not_end_a_sentence() {
        check(&["Dr. Halloran met Mrs. Dillow at St. Anne's.", "They talked."]);
        check(&["Some pay more, e.g. Friday's bakers, i.e. Ileana vs. Gus.", "Others less."]);
        check(&["It is told in vol. 3, p. 41, and fig. 2 of No. 9.", "The rest is lost."]);
        check(&["He said no.", "No.", "Nobody believed him, cf. 41."]);
        check(&["Built ca. 1900 and closed on Jan. 5.", "Not since."]);
    }

    #[test]
    fn initials_do_not_end_a_sentence() {
        check(&["J. R. Marsh and George W. Pell signed.", "So did I.", "We left."]);
        check(&["It was written by A. I. Crane.", "She knew."]);
        check(&["Take vitamin C.", "It helps."]);
    }

    #[test]
    fn numbers_begin_and_end_sentences_but_decimals_do_neither() {
        check(&["Takings fell 11.5 percent, or £4,300.50 in all.", "That hurt."]);
        check(&["They left in 1998.", "30 came back."]);
        check(&["1. Mend the steps.", "2. Paint the gate."]);
        check(&["Version 2.0.1 was out at 5 p.m.", "The wall fell at 6."]);
    }

    #[test]
    fn quotes_and_brackets_that_close_soon_are_not_split() {
        check(&["\"Why was it never built?\" she asked.", "Nobody knew."]);
        check(&["She said, \"It rained. We waited.\"", "Then she left."]);
        check(&["“It rained. We waited.”", "Then she left."]);
        check(&["He stayed (it was late. It was cold).", "She left."]);
        check(&["He said 'No.'", "Then he left."]);
        check(&["A board of 5\" was cut.", "It was short.", "It broke."]);
        let long = format!("She said, \"{}.\"", vec!["It rained for days"; 20].join(". "));
        assert_eq!(sentences(&long).len(), 20, "a quotation that runs on is cut");
    }

    #[test]
    fn lower_case_continues_a_sentence() {
        check(&["Well... perhaps.", "Or not."]);
        check(&["Go! cried the man.", "They went."]);
    }

    #[test]
    fn blank_lines_end_a_sentence_and_line_breaks_do_not() {
        assert_eq!(sentences("The till\nwas full.\nIt rained."), ["The till\nwas full.", "It rained."]);
        assert_eq!(sentences("A heading\n\nThe till.\r\n \r\nIt rained"), ["A heading", "The till.", "It rained"]);
    }

    #[test]
    fn texts_without_sentences_are_handled() {
        assert!(sentences("").is_empty());
        assert!(sentences(" \n\t\n ").is_empty());
        assert_eq!(sentences("..."), ["..."]);
        assert_eq!(sentences("Yes. * * *"), ["Yes. * * *"]);
        assert_eq!(sentences("no end"), ["no end"]);
        assert_eq!(sentences("最初の文。次の文。"), ["最初の文。", "次の文。"]);
    }

    #[test]
    fn sentences_are_slices_and_cover_the_text() {
        let text = "One (two. Three \"four. Five) six.\u{a0}Seven… 8. 9 ten. X. Y. Zed!?\n\nI. Am? \"";
        let found = sentences(text);
        let mut rest = text;
        for sentence in &found {
            let at = rest.find(sentence).expect("the sentence is in the text");
            assert!(rest[..at].trim().is_empty(), "{:?} was lost", &rest[..at]);
            rest = &rest[at + sentence.len()..];
        }
        assert!(rest.trim().is_empty(), "{rest:?} was lost");
    }
}
