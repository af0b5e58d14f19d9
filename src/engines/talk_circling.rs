//! Whether talk goes in circles.
//!
//! Where an embedder tells how alike texts are, each of the latest turns is held against the one before them that it is most
//! like, and the mean of that is taken when turns are distilled. A mean over all pairs would miss talk that goes in circles
//! over several points. Where there is no embedder, it is the share of content words that come again.

use std::collections::BTreeSet;

use crate::engines::talk_state::Talk;
use crate::engines::talk_words as words;
use crate::events::distil::Repetition;
use crate::kernel::likeness::Likeness;

/// How far the latest turns repeat those before them, from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Circling {
    /// How far.
    pub share: f64,
    /// The embedder that told it; `None` where words did.
    pub by: Option<String>,
}

/// The texts of the turns that are held against each other; none while there are too few.
pub fn texts(talk: &Talk) -> Vec<String> {
    halves(talk).map(|(before, latest)| [before, latest].concat()).unwrap_or_default()
}

/// How far the latest turns repeat those before them in what they mean; `None` while there are too few.
pub fn repetition(talk: &Talk, likeness: &Likeness) -> Option<Repetition> {
    let (before, latest) = halves(talk)?;
    let share = repeated(&before, &latest, likeness)?.clamp(0.0, 1.0);
    Some(Repetition { share: (share * 10_000.0).round() / 10_000.0, by: likeness.by.clone() })
}

/// The mean, over the latest texts, of the cosine with the one before them that each is most like; `None` where there is
/// none, or one has no vector. Cost: every text of the one kind with every of the other.
pub fn repeated(before: &[String], latest: &[String], likeness: &Likeness) -> Option<f64> {
    let best = |text: &String| {
        let told = before.iter().map(|it| likeness.of(it, text)).collect::<Option<Vec<f64>>>()?;
        told.into_iter().reduce(f64::max)
    };
    let told = latest.iter().map(best).collect::<Option<Vec<f64>>>()?;
    (!told.is_empty()).then(|| told.iter().sum::<f64>() / told.len() as f64)
}

/// How far the talk circles at this turn; `None` while there are too few turns, or where an embedder tells it and was not
/// asked since the last one was taken.
pub fn circling(talk: &Talk) -> Option<Circling> {
    let (before, latest) = halves(talk)?;
    match &talk.repetition {
        Some((turn, it)) => {
            let last = talk.taken().next_back().map(|it| it.turn);
            (last == Some(*turn)).then(|| Circling { share: it.share, by: Some(it.by.clone()) })
        }
        None => {
            let said = |texts: &[String]| texts.iter().flat_map(|it| words::content(it)).collect::<BTreeSet<String>>();
            Some(Circling { share: words::overlap(&said(&before), &said(&latest)), by: None })
        }
    }
}

/// Whether the talk goes in circles.
pub fn is_circling(talk: &Talk) -> bool {
    let options = &talk.options;
    let most = |it: &Circling| if it.by.is_some() { options.circling_meaning } else { options.circling };
    circling(talk).is_some_and(|it| it.share > most(&it))
}

/// What was said in the turns before the latest, and in as many latest ones.
fn halves(talk: &Talk) -> Option<(Vec<String>, Vec<String>)> {
    let n = talk.options.circling_turns as usize;
    let texts: Vec<&str> = talk.taken().map(|it| it.text.as_str()).collect();
    let from = texts.len().checked_sub(2 * n)?;
    let owned = |texts: &[&str]| texts.iter().map(|it| (*it).to_owned()).collect();
    Some((owned(&texts[from..from + n]), owned(&texts[from + n..])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::talk_sample::talk;

    const PAIR: &[&str] = &["ada", "ben"];

    fn said(texts: &[&str]) -> Talk {
        let lines: Vec<String> = texts.iter().map(|it| format!("ada: {it}")).collect();
        talk(PAIR, &lines.iter().map(String::as_str).collect::<Vec<_>>())
    }

    #[test]
    fn talk_that_repeats_its_words_goes_in_circles() {
        let check = |texts: [&str; 8], expected: bool| {
            assert_eq!(is_circling(&said(&texts)), expected, "{texts:?}");
            assert_eq!(circling(&said(&texts[..7])), None);
        };
        let new = ["crew", "night", "boat", "harbour", "winter", "wages", "papers", "mole"];
        check(new, false);
        check(["crew", "night", "boat", "harbour", "the crew", "at night", "the boats", "winter"], true);
        check(["crew", "night", "boat", "harbour", "the crew", "at night", "wages", "winter"], false);
    }

    /// Each of the latest turns is as near to its like as its angle tells; the others are a quarter turn away.
    #[test]
    fn talk_that_repeats_what_it_means_goes_in_circles() {
        let before = ["a", "b", "c", "d"];
        let likeness = |near: [f32; 4]| {
            let axis = |at: usize, near: f32| {
                let mut vector = vec![0.0; 8];
                (vector[at], vector[at + 4]) = (near, (1.0 - near * near).sqrt());
                vector
            };
            let told = before.iter().enumerate().map(|(at, it)| ((*it).to_owned(), axis(at, 1.0)));
            let again = ["w", "x", "y", "z"].iter().zip(near).enumerate();
            Likeness::new("axes", told.chain(again.map(|(at, (it, near))| ((*it).to_owned(), axis(at, near)))))
        };
        let check = |near: [f32; 4], share: f64, expected: bool| {
            let mut talk = said(&["a", "b", "c", "d", "z", "y", "x", "w"]);
            let found = repetition(&talk, &likeness(near)).expect("enough turns");
            assert_eq!(found, Repetition { share, by: "axes".to_owned() });
            let last = talk.taken().next_back().expect("a turn").turn;
            talk.repetition = Some((last, found));
            assert_eq!(is_circling(&talk), expected, "{near:?}");
        };
        check([1.0, 1.0, 1.0, 1.0], 1.0, true);
        check([0.9, 0.8, 0.9, 0.8], 0.85, true);
        check([1.0, 1.0, 0.2, 0.2], 0.6, false);
        check([0.0, 0.0, 0.0, 0.0], 0.0, false);
    }

    #[test]
    fn what_an_embedder_told_holds_for_the_turn_it_told_it_of() {
        let mut talk = said(&["crew"; 8]);
        assert!(is_circling(&talk), "words come again");
        let told = |turn: u32| Some((crate::events::ids::TurnId(turn), Repetition { share: 0.1, by: "it".to_owned() }));
        talk.repetition = told(8);
        assert_eq!(circling(&talk), Some(Circling { share: 0.1, by: Some("it".to_owned()) }));
        talk.repetition = told(7);
        assert_eq!(circling(&talk), None);
    }

    #[test]
    fn nothing_is_made_of_texts_that_have_no_vector() {
        let likeness = Likeness::new("it", [("a".to_owned(), vec![1.0])]);
        assert_eq!(repetition(&said(&["a", "a", "a", "a", "a", "a", "a", "b"]), &likeness), None);
        assert_eq!(repetition(&said(&["a"; 7]), &likeness), None);
    }
}
