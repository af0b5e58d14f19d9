//! Contrasts: questions that prefer one thing to another, and their mirror images.
//!
//! "Did the kerbs, rather than the gates, help?" and "Did the gates, rather than the kerbs, help?" have the same words, so
//! neither their overlap nor a cosine tells them apart. Yes to one is no to the other. No to one is not yes to the other,
//! since both or neither may have helped.

use crate::questions::wording::TextFeatures;

/// Words between what a question prefers and what it prefers it to.
const CONTRASTS: &[&[&str]] = &[&["rather", "than"], &["instead", "of"], &["and", "not"], &["not"]];

/// Returns true if the texts are the same except that the two sides of a contrast are exchanged.
pub fn mirrors(one: &TextFeatures, other: &TextFeatures) -> bool {
    let (one, other) = (one.words.as_slice(), other.words.as_slice());
    one.len() == other.len()
        && CONTRASTS.iter().any(|contrast| {
            let in_one = positions(one, contrast);
            in_one.iter().any(|at| {
                positions(other, contrast).iter().any(|there| exchanged(one, *at, other, *there, contrast.len()))
            })
        })
}

fn positions(words: &[String], contrast: &[&str]) -> Vec<usize> {
    let starts = words.windows(contrast.len()).enumerate();
    starts
        .filter(|(_, window)| window.iter().zip(contrast).all(|(word, wanted)| word == wanted))
        .map(|(at, _)| at)
        .collect()
}

/// Returns true if the words around the contrast at `at` and `there` are `start X contrast Y end` and
/// `start Y contrast X end`.
fn exchanged(one: &[String], at: usize, other: &[String], there: usize, length: usize) -> bool {
    let (before, after) = (&one[..at], &one[at + length..]);
    let (other_before, other_after) = (&other[..there], &other[there + length..]);
    let common = before.iter().zip(other_before).take_while(|(one, other)| one == other).count();
    (0..=common).any(|start| {
        let (preferred, rejected) = (&before[start..], &other_before[start..]);
        let is_pair = !preferred.is_empty() && !rejected.is_empty() && preferred != rejected;
        let ends = after.strip_prefix(rejected).zip(other_after.strip_prefix(preferred));
        is_pair && ends.is_some_and(|(end, other_end)| end == other_end)
    })
}

/// Returns a question without the alternative at its end: "Should it not run, or by day instead?" asks whether it should
/// not run. `None` if it has none.
pub fn without_alternative(text: &str) -> Option<&str> {
    let question = text.trim_end().trim_end_matches('?').trim_end();
    let alternative = question.strip_suffix("instead")?;
    let (asked, _) = alternative.rsplit_once(" or ")?;
    let asked = asked.trim_end().trim_end_matches(',');
    (!asked.is_empty()).then_some(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_mirror_each_other_if_the_sides_of_a_contrast_are_exchanged() {
        let check = |one: &str, other: &str, expected: bool| {
            let (one, other) = (TextFeatures::of(one), TextFeatures::of(other));
            assert_eq!(mirrors(&one, &other), expected, "{one:?} {other:?}");
            assert_eq!(mirrors(&other, &one), expected, "{other:?} {one:?}");
        };
        let kerbs = "Did the cleared kerbs, rather than the gates, make ambulances faster?";
        check(kerbs, "Did the gates, rather than the cleared kerbs, make ambulances faster?", true);
        check(kerbs, "Did the gates rather than the cleared kerbs make buses faster?", false);
        check(kerbs, kerbs, false);
        check("Was it the pager, not the gate, that helped?", "Was it the gate, not the pager, that helped?", true);
        check("Should we build wind instead of coal?", "Should we build coal instead of wind?", true);
        check("Should we build wind instead of coal?", "Should we build coal instead of gas?", false);
        check("Is it rough?", "Is it not rough?", false);
        check("", "", false);
    }

    #[test]
    fn an_alternative_at_the_end_is_left_out() {
        let check = |text: &str, expected: Option<&str>| assert_eq!(without_alternative(text), expected, "{text}");
        check("Should the ferry not run at night, or by day instead?", Some("Should the ferry not run at night"));
        check("Should the ferry run at night?", None);
        check("Should the ferry run instead?", None);
        check(" or x instead", None);
    }
}
