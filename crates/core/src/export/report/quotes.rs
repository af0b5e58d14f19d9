//! Selection of the words of a turn that are quoted as evidence.

use std::collections::BTreeSet;

/// Maximum length of a quotation, in characters.
const MAX_QUOTED: usize = 280;
/// Length in characters below which the next sentence is added.
const ENOUGH: usize = 60;

/// Quotes the sentence of a text that shares the most words with a statement, and following ones while the quotation is
/// short. Starts with the first sentence if none shares any.
pub fn quote(text: &str, statement: &str) -> String {
    let wanted = words(statement);
    let sentences = sentences(text);
    let mut best = (0, 0);
    for (at, sentence) in sentences.iter().enumerate() {
        let shared = words(sentence).intersection(&wanted).count();
        if shared > best.0 {
            best = (shared, at);
        }
    }
    let mut quoted = String::new();
    for sentence in sentences.iter().skip(best.1) {
        if quoted.chars().count() >= ENOUGH {
            break;
        }
        if !quoted.is_empty() {
            quoted.push(' ');
        }
        quoted.push_str(sentence);
    }
    let before = if best.1 > 0 { "… " } else { "" };
    format!("{before}{}", short(&quoted, MAX_QUOTED))
}

/// First characters of a text on one line, cut after a word.
pub fn short(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let Some((end, _)) = line.char_indices().nth(most) else { return line };
    let kept = &line[..end];
    let at_word = kept.rfind(' ').filter(|index| index * 3 > kept.len() * 2).map_or(kept, |index| &kept[..index]);
    format!("{} …", at_word.trim_end())
}

/// Splits a text into sentences, which end with a stop before white space.
pub fn sentences(text: &str) -> Vec<String> {
    let mut sentences = vec![String::new()];
    for word in text.split_whitespace() {
        let last = sentences.len() - 1;
        if !sentences[last].is_empty() {
            sentences[last].push(' ');
        }
        sentences[last].push_str(word);
        if word.trim_end_matches(['"', '”', '’', ')']).ends_with(['.', '!', '?']) {
            sentences.push(String::new());
        }
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

/// Distinctive words of a text: longer than three letters, in lower case.
fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| word.chars().count() > 3);
    words.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_that_fits_the_statement_is_quoted() {
        let text = "We met in the hall. The tide decides it. Nothing else does. Go home.";
        for (statement, wanted) in [
            ("Does the tide decide it?", "… The tide decides it. Nothing else does. Go home."),
            ("Is the moon green?", text),
            ("", text),
        ] {
            assert_eq!(quote(text, statement), wanted, "{statement}");
        }
        let long = format!("{} The tide decides it. {}", "word ".repeat(80), "more ".repeat(80));
        let quoted = quote(&long, "tide decides");
        assert!(quoted.chars().count() <= MAX_QUOTED + 4 && quoted.ends_with('…'), "{quoted}");
        assert_eq!(quote("", "x"), "");
        assert_eq!(short("one two  three", 9), "one two …");
        assert_eq!(short(&"x".repeat(12), 4), "xxxx …");
    }
}
