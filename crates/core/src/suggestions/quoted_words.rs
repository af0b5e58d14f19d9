//! Quoted words in a passage, with the whole sentences that contain them.
//!
//! A suggestion shows whole sentences of the writings, never the words that a model cut out: "the dam should go" may come
//! from "I never said that the dam should go."

use crate::drafting::material::SourcePassage;
use crate::events::citation::QuoteCheck;
use crate::kernel::quotations::quote_matching::{check, n_words};
use crate::kernel::quotations::text_folding::FoldedText;

/// Minimum number of quoted words; fewer can occur anywhere.
pub const MIN_WORDS: usize = 4;
/// Maximum number of sentences that a quotation covers.
pub const MAX_SENTENCES: usize = 2;
/// Maximum number of bytes of a quotation.
pub const MAX_BYTES: usize = 1_000;

/// Returns the sentences of a passage that contain the quoted words, unchanged.
///
/// # Errors
/// A message that describes the problem: the words are too few or too many, or the passage does not contain them verbatim.
pub fn quoted_sentences(passage: &SourcePassage, quote: &str) -> Result<String, String> {
    if quote.len() > MAX_BYTES {
        return Err(format!("has {} bytes; at most {MAX_BYTES} can be quoted", quote.len()));
    }
    let n = n_words(quote);
    if n < MIN_WORDS {
        return Err(format!("has fewer than {MIN_WORDS} words"));
    }
    let text = passage.text();
    let checked = check(&FoldedText::of(quote), &FoldedText::of(&text));
    let range = checked.ranges.first().filter(|_| checked.check == QuoteCheck::Verbatim);
    let range = range.ok_or("is not in the passage, word for word")?;
    let (from, to) = (range.from as usize, range.to as usize);
    let mut start = 0;
    let mut covered = Vec::new();
    for sentence in &passage.sentences {
        let end = start + sentence.len();
        if start < to && from < end {
            covered.push(sentence.as_str());
        }
        // A blank separates the sentences in the text of the passage.
        start = end + 1;
    }
    if covered.len() > MAX_SENTENCES {
        return Err(format!("covers {} sentences; at most {MAX_SENTENCES} can be quoted", covered.len()));
    }
    let sentences = covered.join(" ");
    if sentences.len() > MAX_BYTES {
        return Err(format!("is in a sentence of {} bytes; at most {MAX_BYTES} can be quoted", sentences.len()));
    }
    Ok(sentences)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_with_their_whole_sentences() {
        let sentences = ["I never said that the dam should go.", "It’s old — mind you.", "It leaks.", "It sings too."];
        let passage = SourcePassage { sentences: sentences.map(str::to_owned).to_vec(), ..SourcePassage::default() };
        let check = |quote: &str, expected: Result<&str, &str>| {
            let found = quoted_sentences(&passage, quote);
            assert_eq!(found.as_deref().map_err(String::as_str), expected, "{quote:?}");
        };
        check("the dam should go", Ok(sentences[0]));
        check("“It's old - mind you.”", Ok(sentences[1]));
        check("mind you.\n It leaks.", Ok("It’s old — mind you. It leaks."));
        check("old — mind you. It leaks. It sings", Err("covers 3 sentences; at most 2 can be quoted"));
        check("the dam must go", Err("is not in the passage, word for word"));
        check("I never said ... the dam should go", Err("is not in the passage, word for word"));
        check("It leaks.", Err("has fewer than 4 words"));
        check("", Err("has fewer than 4 words"));
        check(&"dam ".repeat(300), Err("has 1200 bytes; at most 1000 can be quoted"));
    }

    #[test]
    fn a_sentence_without_end_is_not_quoted() {
        let passage = SourcePassage {
            sentences: vec![format!("The dam should go, {}", "and ".repeat(400))],
            ..SourcePassage::default()
        };
        let found = quoted_sentences(&passage, "The dam should go");
        assert!(found.is_err_and(|why| why.starts_with("is in a sentence of 1619 bytes")));
    }
}
