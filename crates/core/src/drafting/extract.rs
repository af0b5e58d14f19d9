//! Draft without a model: sentences of the corpus, selected by cues and quoted.
//!
//! Each statement of the contract is one or two sentences of the corpus with the most cues of its kind; flip conditions
//! are sentences about changing the writer's mind; habits of speech are measured; examples are sentences that can stand
//! alone, selected by their cues and their position (first and last sentences of documents open and close). No sentence
//! is used twice. The same material gives the same draft; the cost is sentences times cues.

use std::collections::BTreeSet;

use crate::drafting::cues::{Cue, stands_alone, weight};
use crate::drafting::draft::{DraftStatement, MAX_ABOUT_CHARS, PLACEHOLDER, PersonaDraft, Quotation};
use crate::drafting::material::Material;

/// Maximum number of sentences in one statement of the contract.
const MAX_STATED: usize = 2;
/// Maximum number of flip conditions.
const MAX_FLIPS: usize = 5;
/// Maximum number of lines per situation.
const MAX_LINES: usize = 3;
/// Number of words of a sentence that can be quoted.
const WORDS: std::ops::RangeInclusive<usize> = 7..=48;
/// Number of words of an example line.
const LINE_WORDS: std::ops::RangeInclusive<usize> = 6..=34;
/// Number of characteristic words in the line about a person.
const ABOUT_WORDS: usize = 3;

/// Drafts the author of this material.
pub fn draft(material: &Material) -> PersonaDraft {
    let mut drawer = Drawer { lines: lines(material), used: BTreeSet::new() };
    // The rarest kinds are selected first, because the others have more to choose from.
    let flip_conditions = drawer.draw(Cue::Flip, MAX_FLIPS, &WORDS, false);
    let concession = drawer.examples(Cue::Concession);
    let crux = drawer.examples(Cue::Crux);
    let time_horizon = drawer.stated(Cue::Horizon);
    let (opening, closing) = (drawer.edges(|line| line.opens), drawer.edges(|line| line.closes));
    let stakes = drawer.stated(Cue::Stakes);
    let evidence_policy = drawer.stated(Cue::Evidence);
    let epistemology = drawer.stated(Cue::Knowing);
    let bias = drawer.stated(Cue::Value);
    let challenge = drawer.examples(Cue::Challenge);
    let habits = |habit: &String| DraftStatement { text: habit.clone(), anchors: Vec::new() };
    PersonaDraft {
        about: about(material, &stakes),
        personality: personality(&material.habits),
        bias,
        stakes,
        epistemology,
        time_horizon,
        evidence_policy,
        flip_conditions: match flip_conditions.is_empty() {
            true => vec![DraftStatement { text: format!("If ... ({PLACEHOLDER})"), anchors: Vec::new() }],
            false => flip_conditions.into_iter().map(said).collect(),
        },
        speech_patterns: match material.habits.is_empty() {
            true => vec![habits(&PLACEHOLDER.to_owned())],
            false => material.habits.iter().map(habits).collect(),
        },
        vocabulary: material.vocabulary.clone(),
        forbidden_phrases: material.foreign.clone(),
        opening,
        challenge,
        concession,
        crux,
        closing,
    }
}

fn personality(habits: &[String]) -> DraftStatement {
    let measured = habits.iter().take(3).map(|habit| habit.split(':').next().unwrap_or(habit).to_lowercase());
    let measured: Vec<String> = measured.collect();
    let text = format!("In their writings: {}.", measured.join("; "));
    DraftStatement { text: if measured.is_empty() { PLACEHOLDER.to_owned() } else { text }, anchors: Vec::new() }
}

/// Returns the line about the person: the beginning of their stakes, or their characteristic words.
fn about(material: &Material, stakes: &DraftStatement) -> String {
    let (name, words) = (&material.name, material.vocabulary.iter().take(ABOUT_WORDS));
    let words = words.map(String::as_str).collect::<Vec<_>>().join(", ");
    let text = match (stakes.anchors.is_empty(), words.is_empty()) {
        (false, _) => format!("{name}, in their own words: {}", stakes.text),
        (true, false) => format!("{name}, who writes about {words}"),
        (true, true) => name.clone(),
    };
    if text.chars().count() <= MAX_ABOUT_CHARS {
        return text;
    }
    let cut: String = text.chars().take(MAX_ABOUT_CHARS - 1).collect();
    format!("{}…", cut.rsplit_once(' ').map_or(cut.as_str(), |(whole, _)| whole))
}

fn said(quoted: Quotation) -> DraftStatement {
    DraftStatement { text: quoted.quote.clone(), anchors: vec![quoted] }
}

/// A sentence and its position.
struct Line<'a> {
    passage: usize,
    document: &'a str,
    sentence: &'a str,
    words: usize,
    opens: bool,
    closes: bool,
}

struct Drawer<'a> {
    lines: Vec<Line<'a>>,
    used: BTreeSet<&'a str>,
}

fn lines(material: &Material) -> Vec<Line<'_>> {
    let numbered = material.passages.iter().enumerate();
    numbered
        .flat_map(|(passage, source)| {
            let last = source.sentences.len().saturating_sub(1);
            source.sentences.iter().enumerate().map(move |(at, sentence)| Line {
                passage,
                document: &source.document,
                sentence,
                words: sentence.split_whitespace().count(),
                opens: source.ordinal == 0 && at == 0,
                closes: source.is_last && at == last,
            })
        })
        .collect()
}

impl<'a> Drawer<'a> {
    /// Returns the sentences with the most cues of a kind, one per document before a second of any; ties are in
    /// document order.
    fn draw(&mut self, cue: Cue, most: usize, words: &std::ops::RangeInclusive<usize>, alone: bool) -> Vec<Quotation> {
        let mut found: Vec<(usize, usize)> = self
            .lines
            .iter()
            .enumerate()
            .filter(|(_, line)| words.contains(&line.words) && !self.used.contains(line.sentence))
            .filter(|(_, line)| !alone || stands_alone(line.sentence))
            // A sentence that concedes or doubts is used for nothing else, and a question asserts nothing.
            .filter(|(_, line)| matches!(cue, Cue::Flip | Cue::Concession) || weight(line.sentence, Cue::Flip) == 0)
            .filter(|(_, line)| cue == Cue::Challenge || !line.sentence.ends_with('?'))
            .map(|(at, line)| (weight(line.sentence, cue), at))
            .filter(|(weight, _)| *weight > 0)
            .collect();
        found.sort_by_key(|(weight, at)| (std::cmp::Reverse(*weight), *at));
        let order: Vec<usize> = found.into_iter().map(|(_, at)| at).collect();
        self.take(&order, most)
    }

    fn take(&mut self, order: &[usize], most: usize) -> Vec<Quotation> {
        let mut documents: BTreeSet<&str> = BTreeSet::new();
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for at in order {
            let fresh = documents.insert(self.lines[*at].document);
            if fresh { first.push(*at) } else { second.push(*at) }
        }
        let taken: Vec<usize> = first.into_iter().chain(second).take(most).collect();
        taken
            .into_iter()
            .map(|at| {
                let line = &self.lines[at];
                self.used.insert(line.sentence);
                Quotation { passage: format!("g{}", line.passage + 1), quote: line.sentence.to_owned() }
            })
            .collect()
    }

    fn examples(&mut self, cue: Cue) -> Vec<Quotation> {
        let found = self.draw(cue, MAX_LINES, &LINE_WORDS, true);
        let may_contrast = matches!(cue, Cue::Challenge | Cue::Crux);
        if found.is_empty() && may_contrast { self.draw(Cue::Contrast, MAX_LINES, &LINE_WORDS, true) } else { found }
    }

    /// Returns first or last sentences of documents.
    fn edges(&mut self, is_edge: impl Fn(&Line) -> bool) -> Vec<Quotation> {
        let is_fit =
            |line: &Line| is_edge(line) && LINE_WORDS.contains(&line.words) && !self.used.contains(line.sentence);
        let order: Vec<usize> =
            self.lines.iter().enumerate().filter(|(_, line)| is_fit(line)).map(|(at, _)| at).collect();
        self.take(&order, MAX_LINES)
    }

    fn stated(&mut self, cue: Cue) -> DraftStatement {
        let anchors = self.draw(cue, MAX_STATED, &WORDS, true);
        if anchors.is_empty() {
            return DraftStatement { text: PLACEHOLDER.to_owned(), anchors };
        }
        let text = anchors.iter().map(|anchor| anchor.quote.as_str()).collect::<Vec<_>>().join(" ");
        DraftStatement { text, anchors }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drafting::material::SourcePassage;

    fn material(passages: &[&[&str]]) -> Material {
        let passage = |(at, sentences): (usize, &&[&str])| SourcePassage {
            document: format!("d{at}"),
            title: String::new(),
            ordinal: 0,
            is_last: true,
            sentences: sentences.iter().map(|sentence| (*sentence).to_owned()).collect(),
        };
        Material {
            name: "Ada".into(),
            passages: passages.iter().enumerate().map(passage).collect(),
            ..Material::default()
        }
    }

    #[test]
    fn sentences_are_selected_by_their_cues() {
        let drafted = draft(&material(&[
            &[
                "The wall was the first thing that I saw this morning.",
                "I would change my mind if the wall stood a whole year without a crack.",
                "I grant that the new bricks are cheaper by the hundred.",
                "The question is whether anybody mends it when it falls.",
                "I measured the crack and wrote down the figures in the ledger.",
                "My house stands under it, and I would lose the roof.",
                "Nobody should build what nobody will look after for forty years.",
            ],
            &[
                "Who pays for the mortar when the council has gone home?",
                "Keep the wall, and keep a bucket by the door.",
            ],
        ]));
        assert_eq!(
            drafted.fault(),
            Some("vocabulary is empty; give words and phrases that the person likes to use".to_owned())
        );
        assert!(drafted.flip_conditions[0].text.starts_with("I would change my mind if"));
        assert_eq!(drafted.flip_conditions[0].anchors[0].passage, "g1");
        assert!(drafted.concession[0].quote.starts_with("I grant"));
        assert!(drafted.crux[0].quote.starts_with("The question is"));
        assert!(drafted.opening[0].quote.starts_with("The wall was"));
        assert!(drafted.closing.iter().any(|quotation| quotation.quote.starts_with("Keep the wall")));
        // It also opens a document, and no sentence is used twice.
        assert!(drafted.opening[1].quote.starts_with("Who pays") && drafted.challenge.is_empty());
        assert!(drafted.stakes.text.starts_with("My house"));
        assert!(drafted.evidence_policy.text.starts_with("I measured"));
    }

    #[test]
    fn a_corpus_without_evidence_gives_placeholders() {
        let drafted = draft(&material(&[&["Rain."]]));
        assert_eq!(drafted.stakes.text, PLACEHOLDER);
        assert!(drafted.flip_conditions[0].text.contains(PLACEHOLDER));
        assert!(drafted.about.starts_with("Ada"));
    }
}
