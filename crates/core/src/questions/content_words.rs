//! Content words of texts, by which conditions and cruxes are held together.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use crate::questions::wording::TextFeatures;

/// Words of conditions in general, which tell nothing of their subject.
const GENERAL: &[&str] = &[
    "again", "because", "change", "changed", "less", "mind", "minds", "more", "most", "since", "think", "though",
    "while", "wrong",
];

/// Content words of texts. Each text is split once in a verdict, since every crux is held against every condition.
#[derive(Debug, Default)]
pub struct ContentWords(RefCell<HashMap<String, Rc<BTreeSet<String>>>>);

impl ContentWords {
    /// Returns the content words of a text, each without a common ending.
    pub fn of(&self, text: &str) -> Rc<BTreeSet<String>> {
        let known = self.0.borrow().get(text).cloned();
        known.unwrap_or_else(|| {
            let words = Rc::new(content_words(text));
            self.0.borrow_mut().insert(text.to_owned(), Rc::clone(&words));
            words
        })
    }
}

fn content_words(text: &str) -> BTreeSet<String> {
    let is_content = |word: &String| TextFeatures::is_full(word) && !GENERAL.contains(&word.as_str());
    let words = TextFeatures::of(text).words.into_iter().filter(is_content);
    words.map(|word| without_ending(&word).to_owned()).collect()
}

/// Word without a common ending, so that forms of one word are equal; short words are kept.
fn without_ending(word: &str) -> &str {
    let word = word.strip_suffix("'s").unwrap_or(word);
    let stem = ["ing", "ed", "es", "s", "e"].into_iter().find_map(|ending| word.strip_suffix(ending));
    stem.filter(|stem| stem.chars().count() > 2).unwrap_or(word)
}
