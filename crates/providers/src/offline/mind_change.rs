//! Conditions under which a speaker would change their mind.

use std::collections::BTreeSet;

use crate::offline::phrases;
use crate::offline::talk::Speaker;
use crate::offline::turn::Turn;
use faultline_core::positions::model::PassageQuote;
use faultline_core::questions::wording::TextFeatures;

/// Minimum number of content words that a condition about a named crux shares with it.
const MIN_SHARED_WORDS: usize = 2;
/// Minimum number of content words that a condition about a question shares with it and with the answer of its speaker.
const MIN_SHARED_WITH_ANSWER: usize = 3;

impl<'a> Speaker<'a> {
    /// Returns the first condition for a change of mind that a turn states, if any.
    pub(super) fn condition_in(&self, turn: &Turn<'a>) -> Option<&'a str> {
        self.conditions_in(turn).into_iter().next()
    }

    /// Returns the conditions for a change of mind that a turn states.
    pub(super) fn conditions_in(&self, turn: &Turn<'a>) -> Vec<&'a str> {
        let topic = &self.speaker.topic;
        let settling = topic.disputes.iter().flat_map(|dispute| &dispute.settled_by).map(|quote| quote.quote.as_str());
        let settling = settling.filter(|words| states_condition(words));
        let falsifiers = topic.falsifiers.iter().map(|quote| quote.quote.as_str());
        falsifiers.chain(settling).filter(|words| turn.text.contains(words)).collect()
    }

    /// Returns a condition for a change of mind that was not stated, one about a named crux if there is any; `None` for a
    /// speaker who has changed sides already.
    pub(super) fn unsaid_falsifier(&self) -> Option<&'a PassageQuote> {
        if self.way_over().is_some() {
            return None;
        }
        let about = self.crux_words();
        let shared = |quote: &&PassageQuote| content_words(&quote.quote).intersection(&about).count();
        let all = self.speaker.topic.falsifiers.iter();
        let unsaid: Vec<&PassageQuote> = all.filter(|quote| self.is_unsaid(quote)).collect();
        let most = unsaid.iter().map(shared).max().filter(|most| *most >= MIN_SHARED_WORDS);
        let near: Vec<&PassageQuote> = unsaid.iter().copied().filter(|quote| most == Some(shared(quote))).collect();
        self.chooser.pick(if near.is_empty() { &unsaid } else { &near }, |quote| &quote.quote).copied()
    }

    /// Returns a condition for a change of mind on a question that was not stated: one that shares words with the question or
    /// with the speaker's answer to it.
    pub(super) fn unsaid_falsifier_about(&self, question: &str, answer: &str) -> Option<&'a PassageQuote> {
        let mut about = content_words(question);
        about.extend(content_words(answer));
        let shared = |quote: &&PassageQuote| content_words(&quote.quote).intersection(&about).count();
        let unsaid = self.speaker.topic.falsifiers.iter().filter(|quote| self.is_unsaid(quote));
        unsaid.filter(|quote| shared(quote) >= MIN_SHARED_WITH_ANSWER).max_by_key(shared)
    }

    /// Content words of the named cruxes and of the words that name them.
    fn crux_words(&self) -> BTreeSet<String> {
        let named = self.talk.cruxes.iter().flat_map(|crux| {
            let author = self.cast.member(&crux.speaker).and_then(|author| author.topic.crux.as_ref());
            let words = author.map_or("", |annotated| annotated.words.quote.as_str());
            content_words(&crux.statement).into_iter().chain(content_words(words))
        });
        named.collect()
    }
}

/// Returns true if words say that they would change their speaker's mind.
pub(super) fn states_condition(words: &str) -> bool {
    phrases::CHANGES_MIND.iter().any(|phrase| words.contains(phrase))
}

fn content_words(text: &str) -> BTreeSet<String> {
    TextFeatures::of(text).words.into_iter().filter(|word| TextFeatures::is_full(word)).collect()
}
