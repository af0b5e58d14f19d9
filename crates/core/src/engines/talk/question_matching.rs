//! Identity of questions, by words or by meaning.
//!
//! Treating different questions as one would create false agreement, so the similarity of an embedder alone is not
//! sufficient: the rule measured on labelled pairs ([`crate::questions::sameness`]) decides, here as across debates.

use crate::engines::talk::wording as words;
use crate::events::ids::DisputeId;
use crate::kernel::similarity::TextSimilarity;
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::questions::contrast::{mirrors, without_alternative};
use crate::questions::sameness::{QuestionRelation, relation};
use crate::questions::wording::TextFeatures;

/// Criteria for two questions to count as the same.
#[derive(Clone, Copy, Debug)]
pub struct QuestionMatcher<'a> {
    /// Share of common content words from which two questions are the same.
    pub words: f64,
    /// Similarity of the questions, if an embedder measured it.
    pub likeness: Option<&'a TextSimilarity>,
}

/// Relation of two questions that match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matched {
    /// They ask the same.
    Same,
    /// Yes to one means no to the other, and no to one yes to the other.
    Negated,
    /// Yes to one means no to the other, but no to one says nothing about the other.
    Mirrored,
}

/// Match of two questions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuestionMatch {
    /// Relation of the questions.
    pub matched: Matched,
    /// Cosine similarity; `None` if they matched by words.
    pub likeness: Option<f64>,
}

impl Matched {
    fn negated_if(negated: bool) -> Matched {
        if negated { Matched::Negated } else { Matched::Same }
    }

    /// Returns the relation to the negation of the other question; `None` if nothing follows from it.
    pub fn to_negation(self) -> Option<Matched> {
        match self {
            Matched::Same => Some(Matched::Negated),
            Matched::Negated => Some(Matched::Same),
            Matched::Mirrored => None,
        }
    }
}

/// First words of questions that cannot be answered with yes or no.
const OPEN_QUESTIONS: &[&str] = &["what", "which", "who", "whom", "whose", "when", "where", "why", "how"];

/// Returns true if a text is no question that yes or no can answer.
pub fn is_open_question(text: &str) -> bool {
    let first = text.split(|letter: char| !letter.is_alphanumeric()).find(|word| !word.is_empty());
    let first = first.unwrap_or_default().to_lowercase();
    !text.ends_with('?') || OPEN_QUESTIONS.contains(&first.as_str())
}

/// Words of questions about whether people agree.
const AGREEING: &[&str] = &[
    "agree",
    "agreed",
    "agreeing",
    "agreement",
    "agrees",
    "disagree",
    "disagreed",
    "disagreeing",
    "disagreement",
    "disagrees",
];

/// Verbs of questions about what somebody believes. Words that are nouns as well, such as "claim", are not among them: whether
/// somebody's claim is true is a question about the matter.
const BELIEVING: &[&str] = &["believe", "believes", "believed", "think", "thinks", "argue", "argues", "argued"];

/// Words of questions about the side that somebody takes.
const SIDING: &[&str] = &[
    "against",
    "favor",
    "favour",
    "feel",
    "feels",
    "oppose",
    "opposed",
    "opposes",
    "opposing",
    "prefer",
    "prefers",
    "support",
    "supporting",
    "supports",
    "want",
    "wants",
];

/// Verbs of questions about what somebody says.
const SAYING: &[&str] = &["claim", "mean", "means", "meant", "said", "say", "saying", "says"];

/// Words for a participant that is not named, behind "the first", "the second" or "the other".
const SOMEBODY: &[&str] = &["participant", "person", "speaker"];

/// Maximum number of words between a participant and what a question says of them: "in favour", "really want".
const MAX_BETWEEN: usize = 2;

/// Returns true if a question asks about people in the debate rather than about the matter: whether two of them agree, what one
/// of them believes or says or which side they take, or what "you" or "the first person" do.
pub fn asks_about_people<'a>(question: &str, names: impl Iterator<Item = &'a str>) -> bool {
    let lower = question.to_lowercase();
    let has = |wanted: &[&str]| lower.split(|letter: char| !letter.is_alphabetic()).any(|word| wanted.contains(&word));
    let names: Vec<&str> = names.collect();
    let n_named = names.iter().filter(|name| words::mentions_name(question, name)).count();
    let asked: Vec<&str> =
        lower.split_whitespace().map(|word| word.trim_matches(|it: char| !it.is_alphanumeric())).collect();
    n_named >= 2 && has(AGREEING)
        || n_named >= 1 && has(BELIEVING)
        || asked.get(1) == Some(&"you")
        || is_about_somebody(&asked)
        || names.iter().any(|name| asks_for_side_of(&asked, name))
}

/// Returns true if the subject of a question, in lower case, is a participant that is told apart by order only: people who
/// read the question alone cannot know who is meant.
fn is_about_somebody(asked: &[&str]) -> bool {
    matches!(asked.get(1..), Some(["the", "first" | "second" | "third" | "other", somebody, ..]) if SOMEBODY.contains(somebody))
}

/// Returns true if the subject of a question, in lower case, is a participant whose side or words it asks for. What belongs to a
/// participant, as in "Is Ada's claim against the law?", is the matter.
fn asks_for_side_of(asked: &[&str], name: &str) -> bool {
    let name = name.to_lowercase();
    let subject = asked.get(1..).unwrap_or_default();
    let n_words = name.split_whitespace().zip(subject).take_while(|(part, word)| part == *word).count();
    let said = &subject[n_words..];
    let is_of_sides = |word: &&str| [AGREEING, BELIEVING, SAYING, SIDING].iter().any(|words| words.contains(word));
    n_words > 0 && (said.first() == Some(&"for") || said.iter().take(MAX_BETWEEN + 1).any(is_of_sides))
}

/// Finds the dispute that asks the same question, its negation or its mirror image. Of several matches, returns the
/// first one by words, or else the most similar one. Wordings of a dispute that mirror its question are no negations,
/// so the question itself is compared first.
pub fn asked_before(
    matcher: QuestionMatcher<'_>,
    disputes: &DisputeGraph,
    question: &str,
) -> Option<(DisputeId, QuestionMatch)> {
    let asked = disputes.not_retired().flat_map(|(id, dispute)| dispute.worded().map(move |worded| (id, worded)));
    let same = asked.filter_map(|(id, (wording, negates))| {
        let same = matcher.of(wording, question)?;
        let matched = if negates { same.matched.to_negation()? } else { same.matched };
        Some((id, QuestionMatch { matched, ..same }))
    });
    let likeness = |same: &QuestionMatch| same.likeness.unwrap_or(f64::INFINITY);
    same.reduce(|best, candidate| if likeness(&candidate.1) > likeness(&best.1) { candidate } else { best })
}

impl QuestionMatcher<'_> {
    /// Matches two questions; `None` if they differ, or no criterion decides.
    pub fn of(&self, one: &str, other: &str) -> Option<QuestionMatch> {
        let by_words = |matched| Some(QuestionMatch { matched, likeness: None });
        if mirrors(&TextFeatures::of(one), &TextFeatures::of(other)) {
            return by_words(Matched::Mirrored);
        }
        if let Some(negated) = words::same_question(one, other, self.words) {
            return by_words(Matched::negated_if(negated));
        }
        // "Is it so?" and "Is it not so, or otherwise instead?" ask about one thing.
        let shorter = [(without_alternative(one), Some(other)), (Some(one), without_alternative(other))];
        let mut shorter = shorter.into_iter().filter_map(|(one, other)| one.zip(other));
        if shorter.any(|(one, other)| words::same_question(one, other, self.words) == Some(true)) {
            return by_words(Matched::Negated);
        }
        let likeness = self.likeness?.of(one, other)?;
        let matched = match relation(&TextFeatures::of(one), &TextFeatures::of(other), likeness as f32) {
            QuestionRelation::Same => Matched::Same,
            QuestionRelation::Opposite => Matched::Negated,
            QuestionRelation::Near | QuestionRelation::Apart => return None,
        };
        Some(QuestionMatch { matched, likeness: Some((likeness * 10_000.0).round() / 10_000.0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_that_yes_and_no_do_not_answer_is_open() {
        for (question, expected) in [
            ("Why?", true),
            ("“What” is it?", true),
            ("Who's there?", true),
            ("Is it so?", false),
            ("Is it so", true),
            ("", true),
        ] {
            assert_eq!(is_open_question(question), expected, "{question}");
        }
    }

    #[test]
    fn what_people_believe_is_no_question_about_the_matter() {
        let check = |question: &str, expected: bool| {
            let names = ["Ada Quill", "Ben Harrow"];
            assert_eq!(asks_about_people(question, names.into_iter()), expected, "{question}");
        };
        check("Do Ada Quill and Ben Harrow disagree about keeping the ferry?", true);
        check("Does Ben agree with Ada about the crews?", true);
        check("Do Ada and Ben run the ferry?", false);
        check("Would the crews agree to a night ferry?", false);
        check("Does Ada agree with the crews?", true);
        check("Is Ada Quill against the night ferry?", true);
        check("Is Ben in favour of the night ferry?", true);
        check("Is Ben for the night ferry?", true);
        check("Does Ben Harrow really want a night ferry?", true);
        check("Is Ada Quill disagreeing with themselves about the ferry?", true);
        check("Do you think that the ferry should run?", true);
        check("Is Ben responsible for the night ferry?", false);
        check("Did Ben count four hands against nine?", false);
        check("Is Ben's count of the crews against the register?", false);
        check("Is it against the law to sail at night?", false);
        check("Does Ada Quill believe that the ferry should run?", true);
        check("Do the crews believe in the ferry?", false);
        check("Is Ada's claim about the crews true?", false);
        check("Does Ben say that the crews are tired?", true);
        check("Is Ada Quill saying that the ferry is late?", true);
        check("Does the second person say that the crews are tired?", true);
        check("Is the other speaker's ferry late?", false);
        check("Is the first ferry late?", false);
    }

    #[test]
    fn questions_match_by_words_or_by_meaning() {
        let near = ["Should rents be capped?", "Ought rents to have a cap?", "Should rents not be capped?"];
        let turned = ["Should cars be banned?", "Should cars be allowed?"];
        let far = ["Is 5 enough?", "Is 6 enough?"];
        let towards = |texts: &[&str], axis: usize| {
            let vector: Vec<f32> = (0..3).map(|index| if index == axis { 1.0 } else { 0.0 }).collect();
            texts.iter().map(|text| ((*text).to_owned(), vector.clone())).collect::<Vec<_>>()
        };
        let likeness = TextSimilarity::new("it", [towards(&near, 0), towards(&turned, 1), towards(&far, 2)].concat());
        let check = |one: &str, other: &str, expected: Option<(Matched, Option<f64>)>| {
            let same = QuestionMatcher { words: 1.0, likeness: Some(&likeness) };
            assert_eq!(same.of(one, other).map(|found| (found.matched, found.likeness)), expected, "{one} {other}");
        };
        check(near[0], near[1], Some((Matched::Same, Some(1.0))));
        check(near[0], near[2], Some((Matched::Negated, None)));
        check(turned[0], turned[1], Some((Matched::Negated, Some(1.0))));
        check("Is it A rather than B?", "Is it B rather than A?", Some((Matched::Mirrored, None)));
        check(
            "Should rents be capped?",
            "Should rents not be capped, or taxed instead?",
            Some((Matched::Negated, None)),
        );
        check("Should rents be capped?", "Should rents be capped, or taxed instead?", None);
        check(near[0], turned[0], None);
        check(far[0], far[1], None);
        let blind = QuestionMatcher { words: 1.0, likeness: None };
        assert_eq!(blind.of(near[0], near[1]), None);
    }
}
