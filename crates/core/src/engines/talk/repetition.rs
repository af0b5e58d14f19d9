//! Detection of repetitive talk.
//!
//! With an embedder, the repetition is measured whenever turns are distilled: the mean, over the latest turns, of each
//! turn's highest similarity to one of the turns before. (A mean over all pairs would miss a talk that circles over
//! several points.) Without an embedder, it is the share of content words that recur.

use std::collections::BTreeSet;

use crate::engines::talk::state::Talk;
use crate::engines::talk::wording as words;
use crate::events::distillation::Repetition;
use crate::kernel::similarity::TextSimilarity;

/// Degree to which the latest turns repeat earlier ones, from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Circling {
    /// Degree of repetition, from 0 to 1.
    pub share: f64,
    /// The embedder that measured it; `None` if it was measured by content words.
    pub by: Option<String>,
}

/// Returns the texts of the turns that are compared; empty while there are too few.
pub fn texts(talk: &Talk) -> Vec<String> {
    halves(talk).map(|(before, latest)| [before, latest].concat()).unwrap_or_default()
}

/// Measures the semantic repetition of the latest turns; `None` while there are too few.
pub fn repetition(talk: &Talk, likeness: &TextSimilarity) -> Option<Repetition> {
    let (before, latest) = halves(talk)?;
    let share = repeated(&before, &latest, likeness)?.clamp(0.0, 1.0);
    Some(Repetition { share: (share * 10_000.0).round() / 10_000.0, by: likeness.by.clone() })
}

/// Returns the mean, over the latest texts, of each one's highest cosine similarity to an earlier one; `None` if there
/// are none, or one has no vector. Cost: compares every latest text with every earlier one.
pub fn repeated(before: &[String], latest: &[String], likeness: &TextSimilarity) -> Option<f64> {
    let best = |text: &String| {
        let told = before.iter().map(|earlier| likeness.of(earlier, text)).collect::<Option<Vec<f64>>>()?;
        told.into_iter().reduce(f64::max)
    };
    let told = latest.iter().map(best).collect::<Option<Vec<f64>>>()?;
    (!told.is_empty()).then(|| told.iter().sum::<f64>() / told.len() as f64)
}

/// Returns the repetition at the present turn; `None` while there are too few turns, or if an embedder is in use and
/// has not measured since the last turn.
pub fn circling(talk: &Talk) -> Option<Circling> {
    let (before, latest) = halves(talk)?;
    match &talk.repetition {
        Some((turn, it)) => {
            let last = talk.channel_turns().next_back().map(|turn| turn.turn);
            (last == Some(*turn)).then(|| Circling { share: it.share, by: Some(it.by.clone()) })
        }
        None => {
            let said = |texts: &[String]| {
                texts.iter().flat_map(|text| words::content_words(text)).collect::<BTreeSet<String>>()
            };
            Some(Circling { share: words::overlap(&said(&before), &said(&latest)), by: None })
        }
    }
}

/// Returns true if the repetition exceeds the configured threshold.
pub fn is_circling(talk: &Talk) -> bool {
    let options = &talk.options;
    let most = |finding: &Circling| if finding.by.is_some() { options.circling_meaning } else { options.circling };
    circling(talk).is_some_and(|finding| finding.share > most(&finding))
}

/// Returns the texts of the latest turns, preceded by those of as many turns before them.
fn halves(talk: &Talk) -> Option<(Vec<String>, Vec<String>)> {
    let n = talk.options.circling_turns as usize;
    let texts: Vec<&str> = talk.channel_turns().map(|turn| turn.text.as_str()).collect();
    let from = texts.len().checked_sub(2 * n)?;
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Some((owned(&texts[from..from + n]), owned(&texts[from + n..])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::talk::sample::talk;

    const PAIR: &[&str] = &["ada", "ben"];

    fn said(texts: &[&str]) -> Talk {
        let lines: Vec<String> = texts.iter().map(|text| format!("ada: {text}")).collect();
        talk(PAIR, &lines.iter().map(String::as_str).collect::<Vec<_>>())
    }

    #[test]
    fn repeated_words_count_as_circling() {
        let check = |texts: [&str; 8], expected: bool| {
            assert_eq!(is_circling(&said(&texts)), expected, "{texts:?}");
            assert_eq!(circling(&said(&texts[..7])), None);
        };
        let new = ["crew", "night", "boat", "harbour", "winter", "wages", "papers", "mole"];
        check(new, false);
        check(["crew", "night", "boat", "harbour", "the crew", "at night", "the boats", "winter"], true);
        check(["crew", "night", "boat", "harbour", "the crew", "at night", "wages", "winter"], false);
    }

    /// Each of the latest turns has the given similarity to its counterpart and is orthogonal to the others.
    #[test]
    fn repeated_meaning_counts_as_circling() {
        let before = ["a", "b", "c", "d"];
        let likeness = |near: [f32; 4]| {
            let axis = |at: usize, near: f32| {
                let mut vector = vec![0.0; 8];
                (vector[at], vector[at + 4]) = (near, (1.0 - near * near).sqrt());
                vector
            };
            let told = before.iter().enumerate().map(|(at, text)| ((*text).to_owned(), axis(at, 1.0)));
            let again = ["w", "x", "y", "z"].iter().zip(near).enumerate();
            TextSimilarity::new(
                "axes",
                told.chain(again.map(|(at, (text, near))| ((*text).to_owned(), axis(at, near)))),
            )
        };
        let check = |near: [f32; 4], share: f64, expected: bool| {
            let mut talk = said(&["a", "b", "c", "d", "z", "y", "x", "w"]);
            let found = repetition(&talk, &likeness(near)).expect("enough turns");
            assert_eq!(found, Repetition { share, by: "axes".to_owned() });
            let last = talk.channel_turns().next_back().expect("a turn").turn;
            talk.repetition = Some((last, found));
            assert_eq!(is_circling(&talk), expected, "{near:?}");
        };
        check([1.0, 1.0, 1.0, 1.0], 1.0, true);
        check([0.9, 0.8, 0.9, 0.8], 0.85, true);
        check([1.0, 1.0, 0.2, 0.2], 0.6, false);
        check([0.0, 0.0, 0.0, 0.0], 0.0, false);
    }

    #[test]
    fn an_embedder_measurement_applies_only_to_its_turn() {
        let mut talk = said(&["crew"; 8]);
        assert!(is_circling(&talk), "words recur");
        let told = |turn: u32| Some((crate::events::ids::TurnId(turn), Repetition { share: 0.1, by: "it".to_owned() }));
        talk.repetition = told(8);
        assert_eq!(circling(&talk), Some(Circling { share: 0.1, by: Some("it".to_owned()) }));
        talk.repetition = told(7);
        assert_eq!(circling(&talk), None);
    }

    #[test]
    fn repetition_needs_enough_turns_with_vectors() {
        let likeness = TextSimilarity::new("it", [("a".to_owned(), vec![1.0])]);
        assert_eq!(repetition(&said(&["a", "a", "a", "a", "a", "a", "a", "b"]), &likeness), None);
        assert_eq!(repetition(&said(&["a"; 7]), &likeness), None);
    }
}
