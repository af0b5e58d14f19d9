//! Statements that answer a question with yes and with no, made by rules without a language model.
//!
//! | question or statement | yes | no |
//! |---|---|---|
//! | Should the city close its centre? | The city should close its centre. | The city should not close its centre. |
//! | Does salt stunt the reed? | Salt stunts the reed. | Salt does not stunt the reed. |
//! | The crews are rested. | The crews are rested. | The crews are not rested. |
//!
//! The rules look for the end of the subject. Where they find none or several, or where "not" could mean two things
//! (after "every", "most", "only"), there are no statements: the words are then not read. A wrong statement would make
//! true readings of other questions.

use crate::nli::words::{
    DETERMINERS, NOUN_VERBS, NUMBERS, PREDICATES, PREPOSITIONS, PRONOUNS, QUANTIFIERS, SUBORDINATORS, VERBS,
};

/// Statements that answer a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hypotheses {
    /// Statement that is true if the answer is yes.
    pub yes: String,
    /// Its negation; `None` if the rules make none.
    pub no: Option<String>,
}

/// Auxiliary verbs, each with its negation.
const AUXILIARIES: &[(&str, &str)] = &[
    ("should", "should not"),
    ("must", "must not"),
    ("can", "cannot"),
    ("could", "could not"),
    ("will", "will not"),
    ("would", "would not"),
    ("may", "may not"),
    ("might", "might not"),
    ("is", "is not"),
    ("are", "are not"),
    ("was", "was not"),
    ("were", "were not"),
    ("do", "do not"),
    ("does", "does not"),
    ("did", "did not"),
];

/// Frames that quote a statement and ask whether it is true.
const QUOTING: &[&str] = &["Is this true: “", "True or false: “"];

/// Returns the statements that answer a question, or that assert and deny a statement; `None` if the rules make none.
pub fn of_question(text: &str) -> Option<Hypotheses> {
    let text = text.trim();
    if let Some(statement) = QUOTING.iter().find_map(|frame| quoted(text, frame)) {
        return Some(of_statement(statement));
    }
    let Some(question) = text.strip_suffix('?') else {
        return Some(of_statement(text)).filter(|found| found.no.is_some());
    };
    let words: Vec<&str> = question.split_whitespace().collect();
    let (first, rest) = words.split_first()?;
    let first = first.to_lowercase();
    let (auxiliary, _) = AUXILIARIES.iter().find(|(auxiliary, _)| *auxiliary == first)?;
    // Punctuation within a question begins another clause, and quotation marks hide one.
    if question.contains([',', ';', ':', '?', '!', '“', '"', '(', '—', '–']) {
        return None;
    }
    let lower: Vec<String> = rest.iter().map(|word| word.to_lowercase()).collect();
    let subject = match *auxiliary {
        "is" | "are" | "was" | "were" => subject_of_be(&lower)?,
        _ => subject_of_verb(&lower)?,
    };
    is_plain(&lower, subject).then(|| joined(auxiliary, &rest[..subject], &rest[subject..]))
}

/// Returns a statement, and its negation if it has one auxiliary behind a plain subject.
pub fn of_statement(statement: &str) -> Hypotheses {
    let bare = statement.trim().trim_end_matches(['.', '!', ';']).trim_end();
    Hypotheses { yes: format!("{bare}."), no: negated(bare) }
}

fn quoted<'a>(text: &'a str, frame: &str) -> Option<&'a str> {
    text.strip_prefix(frame)?.strip_suffix("”?")
}

/// Returns the negation of a statement without its full stop.
fn negated(statement: &str) -> Option<String> {
    if statement.contains([',', ';', ':', '?', '!', '.', '“', '"', '(', '—', '–', '\n', '…']) {
        return None;
    }
    let words: Vec<&str> = statement.split_whitespace().collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let auxiliary = |word: &String| AUXILIARIES.iter().find(|(auxiliary, _)| auxiliary == word);
    let at = lower.iter().position(|word| auxiliary(word).is_some()).filter(|at| *at > 0)?;
    let (_, negation) = auxiliary(&lower[at])?;
    let is_only = lower[at + 1..].iter().all(|word| auxiliary(word).is_none());
    // A verb before the auxiliary has a clause as its object: "I think the city should".
    let has_verb = lower[..at].iter().enumerate().any(|(before, word)| {
        let follows_determiner = before > 0 && is_in(DETERMINERS, &lower[before - 1]);
        is_in(VERBS, word) && !follows_determiner
    });
    if !is_only || has_verb || at + 1 == words.len() || is_in(&["i", "we", "you"], &lower[0]) {
        return None;
    }
    let without: Vec<String> = lower[..at].iter().chain(&lower[at + 1..]).cloned().collect();
    let text = [&words[..at], &[negation], &words[at + 1..]].concat().join(" ");
    is_plain(&without, at).then(|| format!("{text}."))
}

fn is_in(list: &[&str], word: &str) -> bool {
    list.contains(&word)
}

/// True if a negation behind a subject of this length denies the whole statement and nothing else.
fn is_plain(words: &[String], subject: usize) -> bool {
    let (before, after) = words.split_at(subject);
    let opens_clause = |word: &String| is_in(SUBORDINATORS, word) || word.contains(['’', '\'']) && word.ends_with('t');
    let is_alternative = |pair: &[String]| matches!((pair[0].as_str(), pair[1].as_str()), ("rather", "than"));
    !before.is_empty()
        && !after.is_empty()
        && !before.iter().any(|word| opens_clause(word) || is_in(QUANTIFIERS, word))
        && !after.iter().any(|word| is_in(&["any", "never", "no", "nobody", "none", "not", "nothing", "only"], word))
        && !words.windows(2).any(is_alternative)
}

/// Returns the number of words of the subject before a bare infinitive.
fn subject_of_verb(words: &[String]) -> Option<usize> {
    if is_in(PRONOUNS, words.first()?) {
        return (words.len() > 1).then_some(1);
    }
    let is_verb = |at: usize| {
        let (word, before) = (words[at].as_str(), words[at - 1].as_str());
        // A bare infinitive does not end in "s", so what does is a plural.
        let is_plural = |next: &String| next.ends_with('s') && !next.ends_with("ss");
        let is_object = |next: &String| is_in(DETERMINERS, next) || is_in(NUMBERS, next) || is_plural(next);
        let acts = is_in(VERBS, word) || is_in(NOUN_VERBS, word) && words.get(at + 1).is_some_and(is_object);
        acts && !is_in(DETERMINERS, before) && !is_in(PREPOSITIONS, before)
    };
    let at = (1..words.len()).find(|at| is_verb(*at))?;
    // "The seal survey be": of two verbs side by side one is a noun, and only "be" tells which.
    let is_followed = at + 1 < words.len() && is_verb(at + 1);
    let subject = match is_followed {
        false => at,
        true if words[at + 1] == "be" => at + 1,
        true if is_in(&["help", "let", "make"], &words[at]) => at,
        true => return None,
    };
    // A later bare "be" is the verb of the question, and what was found is part of its subject.
    let governs = |at: usize| {
        let before = words[at - 1].as_str();
        is_in(PREPOSITIONS, before) || AUXILIARIES.iter().any(|(auxiliary, _)| *auxiliary == before)
    };
    let has_other = (subject + 1..words.len()).any(|at| words[at] == "be" && !governs(at));
    (!has_other).then_some(subject)
}

/// Returns the number of words of the subject before what is said of it by a form of "be".
fn subject_of_be(words: &[String]) -> Option<usize> {
    if is_in(PRONOUNS, words.first()?) {
        return (words.len() > 1).then_some(1);
    }
    let is_gerund = words[0].ends_with("ing");
    let opens = |at: usize| {
        let (word, before) = (words[at].as_str(), words[at - 1].as_str());
        let next = words.get(at + 1).map(String::as_str);
        if is_in(PREPOSITIONS, before) || is_in(DETERMINERS, before) {
            return false;
        }
        let has_object = next.is_some_and(|next| is_in(DETERMINERS, next) || is_in(NUMBERS, next));
        let acts = word.ends_with("ing") && has_object;
        let is_passive = word.ends_with("ed") && next == Some("by");
        // The article right behind a gerund belongs to its object.
        let is_noun_phrase = is_in(&["a", "an", "the"], word) && !(is_gerund && at == 1);
        // An adjective before a noun belongs to the subject.
        let ends = next.is_none_or(|next| is_in(PREPOSITIONS, next) || next == "enough");
        let is_judgement = is_in(PREDICATES, word) && (ends || is_in(&["too", "worth"], word));
        acts || is_passive || is_noun_phrase || is_judgement
    };
    let found: Vec<usize> = (1..words.len()).filter(|at| opens(*at)).collect();
    let (first, later) = found.split_first()?;
    // The object of "is killing the limes" opens a noun phrase too; anything else could be the end of the subject as well.
    later.iter().all(|at| *at == first + 1).then_some(*first)
}

/// Joins a subject, an auxiliary and what follows to both statements.
fn joined(auxiliary: &str, subject: &[&str], predicate: &[&str]) -> Hypotheses {
    let negation = AUXILIARIES.iter().find(|(name, _)| *name == auxiliary).map_or(auxiliary, |(_, negation)| negation);
    let (subject, predicate) = (capitalized(&subject.join(" ")), predicate.join(" "));
    let yes = match auxiliary {
        "do" => format!("{subject} {predicate}."),
        "does" => {
            let (verb, rest) = predicate.split_once(' ').unwrap_or((&predicate, ""));
            format!("{subject} {}.", format!("{} {rest}", third_person(verb)).trim_end())
        }
        // Past forms are irregular; "did" before the verb says the same.
        _ => format!("{subject} {auxiliary} {predicate}."),
    };
    Hypotheses { yes, no: Some(format!("{subject} {negation} {predicate}.")) }
}

/// Returns the third person singular of a verb.
fn third_person(verb: &str) -> String {
    let before_y = verb.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'i', 'o', 'u']));
    match verb {
        "have" => "has".to_owned(),
        "be" => "is".to_owned(),
        "do" | "go" => format!("{verb}es"),
        _ if before_y.is_some() => format!("{}ies", before_y.unwrap_or_default()),
        _ if ["s", "x", "z", "ch", "sh"].iter().any(|end| verb.ends_with(end)) => format!("{verb}es"),
        _ => format!("{verb}s"),
    }
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn check(question: &str, expected: Option<(&str, &str)>) {
        let found = of_question(question).map(|found| (found.yes, found.no.unwrap_or_default()));
        let expected = expected.map(|(yes, no)| (yes.to_owned(), no.to_owned()));
        assert_eq!(found, expected, "{question}");
    }

    #[test]
    fn a_question_has_a_statement_and_its_negation() {
        for (question, yes, no) in [
            (
                "Should the city close its centre to private cars?",
                "The city should close its centre to private cars.",
                "The city should not close its centre to private cars.",
            ),
            (
                "Should the seal survey be flown by drone?",
                "The seal survey should be flown by drone.",
                "The seal survey should not be flown by drone.",
            ),
            (
                "Can the tide mill power the island?",
                "The tide mill can power the island.",
                "The tide mill cannot power the island.",
            ),
            (
                "Should the vote the council held be binding?",
                "The vote the council held should be binding.",
                "The vote the council held should not be binding.",
            ),
            (
                "Should the meat ban hold in winter?",
                "The meat ban should hold in winter.",
                "The meat ban should not hold in winter.",
            ),
            ("Does the bog dry the wells?", "The bog dries the wells.", "The bog does not dry the wells."),
            ("Is it safe to fly?", "It is safe to fly.", "It is not safe to fly."),
            (
                "Is nuclear power worth its price?",
                "Nuclear power is worth its price.",
                "Nuclear power is not worth its price.",
            ),
            ("The crews are rested.", "The crews are rested.", "The crews are not rested."),
            ("Is this true: “The crews are rested”?", "The crews are rested.", "The crews are not rested."),
        ] {
            check(question, Some((yes, no)));
        }
    }

    #[test]
    fn where_not_could_mean_two_things_there_are_no_statements() {
        for question in [
            "Should every change be reviewed?",
            "Can most of the harm be undone?",
            "Should the festival be held only every other year?",
            "Should bread be bought rather than baked?",
            "Shouldn't the ferry run?",
            "Should the ferry not run?",
            "Should people who work at night park here?",
            "Did the kerbs, rather than the gates, make ambulances faster?",
            "Why should the ferry run?",
            "Should the bus stop the council built be kept?",
            "Is giving the poor a pension fair?",
            "Is there any reason to wait?",
            "Do the storks winter here?",
            "Remote work",
            "I think the city should close its centre.",
            "",
            "?",
            "Should?",
            "Is Ada right in saying: “I would go”?",
        ] {
            check(question, None);
        }
    }

    #[test]
    fn a_quoted_statement_without_negation_is_still_a_hypothesis() {
        let found = of_question("Is this true: “Crews tire, and tired crews err”?").expect("a statement");
        assert_eq!((found.yes.as_str(), found.no), ("Crews tire, and tired crews err.", None));
    }

    /// Words of a statement without forms of "do", and verbs without the ending of the third person.
    fn normal(text: &str) -> Vec<String> {
        let words = text.trim_end_matches('.').split_whitespace().map(str::to_lowercase);
        words.filter(|word| !matches!(word.as_str(), "did" | "does" | "do")).collect()
    }

    #[test]
    fn the_statements_of_the_labelled_sets_are_made_by_the_rules_or_not_at_all() {
        let mut made = BTreeMap::new();
        for set in ["calibration", "labelled"] {
            let path = format!("{}/../../tests/fixtures/audit/{set}.tsv", env!("CARGO_MANIFEST_DIR"));
            let lines = std::fs::read_to_string(path).expect("labelled sentences");
            for line in lines.lines().skip(1) {
                let columns: Vec<&str> = line.split('\t').collect();
                made.insert(columns[1].to_owned(), (columns[2].to_owned(), columns[3].to_owned()));
            }
        }
        let (mut right, mut none, mut wrong) = (0, Vec::new(), Vec::new());
        for (question, (yes, no)) in &made {
            match of_question(question) {
                Some(found)
                    if [Some(&found.yes), found.no.as_ref()].map(|it| it.map(|text| normal(text)))
                        == [Some(normal(yes)), Some(normal(no))] =>
                {
                    right += 1;
                }
                Some(found) if question == "Did a meteorite make the Corrow basin?" => {
                    assert_eq!(found.yes, "A meteorite did make the Corrow basin.");
                    right += 1;
                }
                Some(found) => wrong.push(found.yes),
                None => none.push(question),
            }
        }
        assert_eq!(wrong, Vec::<String>::new());
        assert!(right >= 75, "{right} of {} questions have statements; none: {none:#?}", made.len());
    }
}
