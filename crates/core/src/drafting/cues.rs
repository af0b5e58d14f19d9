//! Cues in the surface of a sentence: phrases of English, without any understanding.

/// Subject that a sentence gives evidence of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cue {
    /// Conditions that would change the writer's mind.
    Flip,
    /// Potential losses and gains of the writer.
    Stakes,
    /// The writer's standard of knowledge.
    Knowing,
    /// Evidence that the writer accepts.
    Evidence,
    /// Time span that the writer considers, ahead and back.
    Horizon,
    /// Values: obligations and priorities.
    Value,
    /// Concession of a point.
    Concession,
    /// Point on which the disagreement depends.
    Crux,
    /// Challenge of somebody.
    Challenge,
    /// Contrast of one thing with another; used if nothing better is found.
    Contrast,
}

#[rustfmt::skip]
const FLIP: &[&str] = &[
    "change my mind", "change my view", "i would be wrong", "i'd be wrong", "i should be wrong", "think again",
    "i would give up", "i'd give up", "i would vote the other way", "i would withdraw", "i'd take it back", "would persuade me",
    "would convince me", "i would come round", "i'd come round", "i would support it if", "i would accept it if",
];
#[rustfmt::skip]
const STAKES: &[&str] = &[
    "my shop", "my trade", "my living", "my job", "my work", "my house", "my home", "my street", "my boat", "my farm",
    "my school", "my island", "my town", "my desk", "my daughter", "my son", "my children", "my wife", "my husband",
    "my mother", "my father", "my savings", "my name is on", "my name on", "my own", "i lost", "i lose", "i would lose",
    "stand to lose", "i stand to", "we lost", "cost me", "costs me", "cost us", "i pay", "i paid", "i owe", "i signed",
    "i live", "i buried", "answer for", "i answer",
];
#[rustfmt::skip]
const KNOWING: &[&str] = &[
    "i know", "to know", "knows", "i believe what", "i trust", "written down", "wrote down", "i have seen", "i've seen", "i saw",
    "i counted", "i measured", "i watched", "certain", "prove", "proof", "true until", "learn", "experience", "memory",
    "to understand", "guess", "forecast", "predict",
];
#[rustfmt::skip]
const EVIDENCE: &[&str] = &[
    "evidence", "figures", "the record", "records", "the log", "logs", "ledger", "measured", "a measure", "counted", "count of",
    "the count", "survey", "sample", "tested", "a test", "trial", "report", "statistic", "witness", "margin", "show me",
    "source", "audit", "data", "numbers", "inspect", "certificate",
];
#[rustfmt::skip]
const HORIZON: &[&str] = &[
    "my horizon", "horizon", "generation", "years from now", "in ten years", "twenty years", "thirty years", "fifty years", "a hundred years",
    "hundred years", "decade", "century", "grandchildren", "next winter", "this winter", "next year", "every year",
    "by tomorrow", "tomorrow", "next week", "this week", "tonight", "every morning", "for ever", "forever", "long after",
    "years ago", "since 18", "since 19", "until 20", "by 20", "in 20", "a lifetime", "quarter", "season",
];
#[rustfmt::skip]
const VALUE: &[&str] = &[
    "should", "ought", "must", "matters more", "matter more", "counts for more", "rather than", "is worth", "never be",
    "deserve", "has a right", "have a right", "fair", "owe", "duty", "better to",
];
#[rustfmt::skip]
const CONCESSION: &[&str] = &[
    "i grant", "granted", "i concede", "i admit", "i accept that", "i must admit", "admittedly", "to be fair", "in fairness",
    "it is true that", "it's true", "true enough", "are right about", "is right about", "you're right", "he is right",
    "she is right", "they are right", "i'll not hide", "i will not hide", "i do not deny", "i don't deny", "no quarrel with",
    "is no comfort", "i was wrong", "nothing to boast of",
];
#[rustfmt::skip]
const CRUX: &[&str] = &[
    "the question is", "the question was", "the real question", "turns on", "comes down to", "come down to", "the quarrel",
    "what divides", "we disagree", "they disagree", "disagreement", "the argument is about", "the choice is", "the difference is",
    "the difference between", "it all depends", "everything depends", "depends on whether", "is a different", "the whole matter",
    "is whether", "what matters is", "matters more", "counts for more", "is not about", "isn't about", "the trouble is",
    "the point is", "boils down", "the whole of the", "what this is about",
];
#[rustfmt::skip]
const CHALLENGE: &[&str] = &[
    "they say", "i am told", "i'm told", "you say", "he says", "she says", "we are told", "who told", "nobody asked", "nobody has",
    "where is", "where are", "who pays", "how many", "show me", "tell me", "which of", "is not the same", "isn't the same",
    "forget", "supposed to", "so-called",
];

#[rustfmt::skip]
const CONTRAST: &[&str] = &[
    "is not", "are not", "was not", "does not", "do not", "did not", "cannot", "rather than", "instead of", "isn't", "aren't",
    "doesn't", "don't", "didn't", "can't", "nobody", "never", "no longer", "not the", "not a",
];

const TABLE: &[(Cue, &[&str])] = &[
    (Cue::Flip, FLIP),
    (Cue::Stakes, STAKES),
    (Cue::Knowing, KNOWING),
    (Cue::Evidence, EVIDENCE),
    (Cue::Horizon, HORIZON),
    (Cue::Value, VALUE),
    (Cue::Concession, CONCESSION),
    (Cue::Crux, CRUX),
    (Cue::Challenge, CHALLENGE),
    (Cue::Contrast, CONTRAST),
];

/// Counts the cues of this kind in a sentence. Linear in the sentence.
pub fn weight(sentence: &str, cue: Cue) -> usize {
    let text = padded(sentence);
    let cues = TABLE.iter().find(|(kind, _)| *kind == cue).map_or(&[][..], |(_, cues)| *cues);
    let found = cues.iter().filter(|phrase| text.contains(&format!(" {phrase}"))).count();
    // A question is a challenge, whatever its words.
    found + usize::from(cue == Cue::Challenge && sentence.trim_end().ends_with('?'))
}

/// Returns true if a sentence concedes, doubts itself or names a crux: the rarest and most valuable material for a
/// draft.
pub fn is_telling(sentence: &str) -> bool {
    [Cue::Flip, Cue::Concession, Cue::Crux].into_iter().any(|cue| weight(sentence, cue) > 0)
}

/// Returns true if a sentence can be understood without the one before it.
pub fn stands_alone(sentence: &str) -> bool {
    const LEANING: &[&str] = &[
        "he", "she", "they", "it", "this", "that", "these", "those", "his", "her", "their", "its", "so", "then",
        "both", "neither", "such", "there", "and", "but", "or", "nor", "yet", "which", "the same", "even so",
        "in that", "by that", "of these",
    ];
    let text = padded(sentence);
    !LEANING.iter().any(|opener| text.starts_with(&format!(" {opener} ")))
}

/// Returns a sentence in lower case with straight apostrophes, other marks as spaces, and a space at both ends.
fn padded(sentence: &str) -> String {
    let plain = sentence.to_lowercase().replace(['’', '‘'], "'");
    let words: Vec<&str> = plain
        .split(|letter: char| !letter.is_alphanumeric() && !"'-".contains(letter))
        .filter(|word| !word.is_empty())
        .collect();
    format!(" {} ", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cues_match_at_the_beginning_of_words() {
        let check =
            |sentence: &str, cue: Cue, expected: usize| assert_eq!(weight(sentence, cue), expected, "{sentence}");
        check("I would change my mind if it stood.", Cue::Flip, 1);
        check("I’d be wrong, and think again.", Cue::Flip, 2);
        check("An unfair dismissal.", Cue::Value, 0);
        check("The evidence is a ledger.", Cue::Evidence, 2);
        check("Who told the wind?", Cue::Challenge, 2);
        check("To be fair, he is right.", Cue::Concession, 2);
        assert!(is_telling("I grant the point.") && !is_telling("It rained."));
    }

    #[test]
    fn sentences_that_refer_back_do_not_stand_alone() {
        assert!(stands_alone("The wall leans."));
        assert!(!stands_alone("She leans on it."));
        assert!(!stands_alone("But the wall stands."));
    }
}
