//! Verification of a draft against the corpus: quotations that are not in it are dropped and reported.

use std::collections::BTreeMap;

use crate::drafting::draft::{PersonaDraft, Quotation};
use crate::drafting::material::SourcePassage;
use crate::drafting::quotes::{QuotableText, plain};
use crate::voices::phrase::{plain as small, uses_plain};

/// Location of a quotation in the corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// Name of the document.
    pub document: String,
    /// Line of its file, from 1; `None` if the document has no lines that a reader could count.
    pub line: Option<usize>,
    /// Quoted words.
    pub quote: String,
}

/// A statement with the quotations that were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifiedStatement {
    /// The statement.
    pub text: String,
    /// Quotations that support it; empty if none was found.
    pub anchors: Vec<Anchor>,
}

/// Drafted persona after verification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Portrait {
    /// Line about the persona.
    pub about: String,
    /// Single statements of the contract, by their keys in a persona file, in its order.
    pub statements: Vec<(&'static str, VerifiedStatement)>,
    /// Conditions that would change its mind.
    pub flip_conditions: Vec<VerifiedStatement>,
    /// Habits of speech.
    pub speech_patterns: Vec<VerifiedStatement>,
    /// Words and phrases that it likes to use.
    pub vocabulary: Vec<String>,
    /// Phrases that it would never use.
    pub forbidden_phrases: Vec<String>,
    /// Example lines by situation.
    pub examples: Vec<(&'static str, Vec<VerifiedStatement>)>,
    /// Reports of the parts that were dropped, with the reasons.
    pub dropped: Vec<String>,
}

/// Verifies a draft against the documents of a corpus, given by name. A quotation may be in another document than the
/// draft claims. A quotation that is in no document is dropped, and so is the line if it is an example. Contradictions
/// are dropped too: a line that occurs twice, and a phrase that is forbidden but used. Cost: quotations times the
/// corpus.
pub fn verify(draft: &PersonaDraft, sampled: &[SourcePassage], pages: &BTreeMap<String, QuotableText>) -> Portrait {
    let mut bench = Bench { sampled, pages, dropped: Vec::new(), seen: Vec::new() };
    let statements: Vec<_> = draft
        .statements()
        .into_iter()
        .map(|(key, statement)| (key, bench.stated(key, &statement.text, &statement.anchors)))
        .collect();
    let flip_conditions = draft.flip_conditions.iter().map(|it| bench.stated("flip condition", &it.text, &it.anchors));
    let flip_conditions = distinct(flip_conditions.collect());
    let patterns = draft.speech_patterns.iter().map(|it| bench.stated("speech pattern", &it.text, &it.anchors));
    let speech_patterns = distinct(patterns.collect());
    let examples: Vec<_> =
        draft.examples().into_iter().map(|(situation, lines)| (situation, bench.examples(situation, lines))).collect();
    let vocabulary = bench.vocabulary(&draft.vocabulary);
    let forbidden_phrases = bench.forbidden(&draft.forbidden_phrases, &vocabulary, &examples);
    Portrait {
        about: one_line(&draft.about),
        statements,
        flip_conditions,
        speech_patterns,
        vocabulary,
        forbidden_phrases,
        examples,
        dropped: bench.dropped,
    }
}

struct Bench<'a> {
    sampled: &'a [SourcePassage],
    pages: &'a BTreeMap<String, QuotableText>,
    dropped: Vec<String>,
    seen: Vec<String>,
}

impl Bench<'_> {
    fn anchor(&mut self, of: &str, quoted: &Quotation) -> Option<Anchor> {
        let named = self.document(&quoted.passage);
        let named = named.and_then(|document| self.pages.get_key_value(document));
        let place = named.into_iter().chain(self.pages).find(|(_, page)| page.contains(&quoted.quote));
        if place.is_none() {
            let quote: String = quoted.quote.chars().take(80).collect();
            self.dropped.push(format!("{of}: {quote:?} is not in the corpus"));
        }
        let quote = one_line(&quoted.quote);
        place.map(|(document, page)| Anchor { document: document.clone(), line: page.line_of(&quoted.quote), quote })
    }

    /// Returns the document of a passage, by the passage's name in the prompt.
    fn document(&self, passage: &str) -> Option<&str> {
        let number: usize = passage.trim_matches(['[', ']', ' ']).strip_prefix('g')?.parse().ok()?;
        self.sampled.get(number.checked_sub(1)?).map(|passage| passage.document.as_str())
    }

    fn stated(&mut self, of: &str, text: &str, anchors: &[Quotation]) -> VerifiedStatement {
        VerifiedStatement {
            text: one_line(text),
            anchors: anchors.iter().filter_map(|anchor| self.anchor(of, anchor)).collect(),
        }
    }

    fn examples(&mut self, situation: &str, lines: &[Quotation]) -> Vec<VerifiedStatement> {
        let mut kept = Vec::new();
        for line in lines {
            let Some(anchor) = self.anchor(situation, line) else { continue };
            if self.seen.contains(&plain(&line.quote)) {
                self.dropped.push(format!("{situation}: {:?} is a duplicate", anchor.quote));
                continue;
            }
            self.seen.push(plain(&line.quote));
            kept.push(VerifiedStatement { text: anchor.quote.clone(), anchors: vec![anchor] });
        }
        kept
    }

    fn vocabulary(&mut self, words: &[String]) -> Vec<String> {
        let whole: Vec<String> = self.pages.values().map(|page| small(page.text())).collect();
        let mut kept: Vec<String> = Vec::new();
        for word in words.iter().map(|word| one_line(word)).filter(|word| !word.is_empty()) {
            if !whole.iter().any(|text| uses_plain(text, &small(&word)) > 0) {
                self.dropped.push(format!("vocabulary: {word:?} is not in the corpus"));
            } else if !kept.contains(&word) {
                kept.push(word);
            }
        }
        kept
    }

    fn forbidden(
        &mut self,
        phrases: &[String],
        vocabulary: &[String],
        examples: &[(&'static str, Vec<VerifiedStatement>)],
    ) -> Vec<String> {
        let lines = examples.iter().flat_map(|(_, lines)| lines).map(|line| &line.text);
        let own: Vec<String> = vocabulary.iter().chain(lines).map(|text| small(text)).collect();
        let mut kept: Vec<String> = Vec::new();
        for phrase in phrases.iter().map(|phrase| one_line(phrase)).filter(|phrase| !phrase.is_empty()) {
            if own.iter().any(|text| uses_plain(text, &small(&phrase)) > 0) {
                self.dropped.push(format!("forbidden phrases: {phrase:?} is used in the persona's own lines"));
            } else if !kept.contains(&phrase) {
                kept.push(phrase);
            }
        }
        kept
    }
}

fn distinct(all: Vec<VerifiedStatement>) -> Vec<VerifiedStatement> {
    let mut kept: Vec<VerifiedStatement> = Vec::new();
    for one in all {
        if !kept.iter().any(|statement| statement.text == one.text) {
            kept.push(one);
        }
    }
    kept
}

fn one_line(text: &str) -> String {
    text.split_whitespace().filter(|word| !word.chars().all(char::is_control)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drafting::draft::DraftStatement;

    #[test]
    fn quotations_outside_the_corpus_are_dropped_and_reported() {
        let text = "The wall leans on us all.\n\nI grant the price of it, mind you.\n";
        let pages = BTreeMap::from([("walls".to_owned(), QuotableText::of(text))]);
        let sampled =
            [SourcePassage { document: "walls".into(), sentences: vec![text.to_owned()], ..SourcePassage::default() }];
        let quoted = |quote: &str| Quotation { passage: "g1".into(), quote: quote.into() };
        let draft = PersonaDraft {
            bias: DraftStatement {
                text: "Walls.".into(),
                anchors: vec![quoted("The wall leans"), quoted("The wall is tall")],
            },
            opening: vec![quoted("The wall leans on us all.")],
            concession: vec![quoted("I grant the price of it, mind you."), quoted("I grant nothing at all.")],
            closing: vec![quoted("The wall leans on us all.")],
            vocabulary: vec!["the wall".into(), "harbour".into()],
            forbidden_phrases: vec!["mind you".into(), "win-win".into()],
            ..PersonaDraft::default()
        };
        let portrait = verify(&draft, &sampled, &pages);
        let bias = &portrait.statements.iter().find(|(key, _)| *key == "contract.bias").expect("a bias").1;
        assert_eq!(bias.anchors, [Anchor { document: "walls".into(), line: Some(1), quote: "The wall leans".into() }]);
        assert_eq!(portrait.vocabulary, ["the wall"]);
        assert_eq!(portrait.forbidden_phrases, ["win-win"]);
        let lines: Vec<usize> = portrait.examples.iter().map(|(_, lines)| lines.len()).collect();
        assert_eq!(lines, [1, 0, 1, 0, 0]);
        assert_eq!(
            portrait.dropped,
            [
                "contract.bias: \"The wall is tall\" is not in the corpus",
                "concession: \"I grant nothing at all.\" is not in the corpus",
                "closing: \"The wall leans on us all.\" is a duplicate",
                "vocabulary: \"harbour\" is not in the corpus",
                "forbidden phrases: \"mind you\" is used in the persona's own lines",
            ]
        );
    }
}
