//! Settling questions: yes-or-no questions made from statements, by rules without a language model.
//!
//! A statement with a plain subject and one clause is inverted: "The crews are rested" becomes "Are the crews rested?", and
//! "It pays its way" becomes "Does it pay its way?". Any other statement is quoted whole, since a wrong inversion would ask
//! something else, and so is a negative one, since nobody knows what yes would mean. Statements in the first or second person are quoted with the name of their speaker.

/// Words of the first and second person, in lower case.
const PERSONAL: &[&str] =
    &["i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "ourselves", "you", "your", "yours", "yourself"];
/// Auxiliary verbs that open an inverted question.
const AUXILIARIES: &[&str] =
    &["is", "are", "was", "were", "will", "would", "can", "could", "should", "must", "may", "might", "shall"];
/// Auxiliary verbs that are full verbs as well, and words of which one has to follow them.
const FULL_VERBS: &[(&[&str], &[&str])] = &[
    (&["do", "does", "did"], &["not"]),
    (
        &["has", "have", "had"],
        &[
            "been", "become", "begun", "come", "done", "fallen", "given", "gone", "grown", "made", "never", "not",
            "risen", "seen", "shown", "taken", "to",
        ],
    ),
];
/// Pronouns that a verb in the third person follows.
const SINGULAR: &[&str] = &["it", "he", "she", "nobody", "nothing"];
/// Words in "s" after a pronoun that are no verbs in the third person.
const NO_VERBS: &[&str] = &["always", "sometimes", "perhaps", "thus", "besides", "is", "was", "has", "does"];
/// Pronouns that are a whole subject.
const PRONOUNS: &[&str] = &["it", "this", "there", "they", "these", "those", "he", "she", "nobody", "nothing"];
/// Determiners that open a subject of one to three more words.
const DETERMINERS: &[&str] = &[
    "a", "an", "the", "this", "these", "those", "no", "every", "each", "most", "many", "some", "all", "few", "its",
    "their", "both", "more", "fewer",
];
/// Prepositions that may follow the noun of a subject.
const PREPOSITIONS: &[&str] =
    &["of", "in", "on", "at", "for", "from", "with", "without", "by", "to", "under", "over", "near", "between"];
/// Verbs of saying and knowing. A further clause may follow them without a word that opens it.
const REPORTING: &[&str] = &[
    "says", "say", "said", "knows", "know", "knew", "thinks", "think", "believes", "believe", "shows", "show", "means",
    "mean", "finds", "find", "found", "argues", "argue", "claims", "claim", "hopes", "hope", "fears", "fear", "proves",
    "prove", "implies", "imply", "suggests", "suggest", "assumes", "assume", "admits", "admit", "denies", "deny",
    "agrees", "agree", "feels", "feel", "sees", "see", "wishes", "wish", "doubts", "doubt", "expects", "expect",
    "suspects", "suspect", "ensures", "ensure", "makes", "make", "lets", "let", "tells", "tell",
];
/// Words that may open a clause within a subject.
const SUBORDINATORS: &[&str] =
    &["that", "who", "which", "whose", "where", "when", "if", "because", "and", "or", "but", "as", "than", "not", "i"];
/// Words before a further clause, which the question would have to invert as well.
const CONJUNCTIONS: &[&str] = &["and", "but", "so", "yet", "nor"];

/// Returns a yes-or-no question whose answer settles a statement. `speaker` is the display name of somebody who said it.
/// A question in the third person, and a statement without words, are returned unchanged.
pub fn settling_question(statement: &str, speaker: Option<&str>) -> String {
    let text = statement.trim();
    let bare = without_whether(text.trim_end_matches(['.', ';', ',', ':', '!']).trim_end());
    let is_question = text.ends_with('?');
    match (is_personal(text), speaker) {
        _ if !bare.contains(char::is_alphanumeric) => text.to_owned(),
        (true, Some(name)) if is_question => format!("Is the answer to {name}'s question yes: “{text}”?"),
        (true, Some(name)) => format!("Is {name} right in saying: “{bare}”?"),
        _ if is_question => text.to_owned(),
        (true, None) => format!("Is this true: “{bare}”?"),
        (false, _) => inverted(bare).unwrap_or_else(|| format!("Is this true: “{bare}”?")),
    }
}

/// Returns the question that settles a claim of which the same participants deny that it is true and that it follows.
pub fn claim_and_inference_question(claim: &str) -> String {
    format!("Is this true, and does it follow as its speaker argues: “{}”?", claim.trim().trim_end_matches('.'))
}

/// Returns the question that settles whether a claim follows, if nobody denies the claim itself.
pub fn inference_question(claim: &str) -> String {
    format!("Does this follow as its speaker argues: “{}”?", claim.trim().trim_end_matches('.'))
}

/// True if a text speaks of its speaker or addresses somebody.
fn is_personal(text: &str) -> bool {
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '\'' && letter != '’');
    words.filter_map(|word| word.split(['\'', '’']).next()).any(|word| {
        // "US" is a country.
        word != "US" && PERSONAL.contains(&word.to_lowercase().as_str())
    })
}

/// Text without a leading `Whether` or `Whether or not`.
fn without_whether(text: &str) -> &str {
    let first = text.split_whitespace().next().unwrap_or_default();
    if !first.eq_ignore_ascii_case("whether") {
        return text;
    }
    let asked = text[first.len()..].trim_start();
    asked.strip_prefix("or not ").unwrap_or(asked)
}

/// Inverts a statement; `None` unless its subject is plain and it has one clause.
fn inverted(statement: &str) -> Option<String> {
    if statement.contains([',', ';', ':', '(', '“', '"', '–', '—', '\n', '.', '!', '?']) {
        return None;
    }
    let words: Vec<&str> = statement.split(' ').filter(|word| !word.is_empty()).collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    if !words.first().is_some_and(|first| is_capitalized(first)) {
        return None;
    }
    let verb = (0..lower.len()).find(|at| is_auxiliary(&lower, *at));
    let Some(verb) = verb else { return with_do(&words, &lower) };
    let (subject, predicate) = (&lower[..verb], &lower[verb + 1..]);
    // Nobody knows what yes means to a negative question.
    let is_negative = predicate.iter().any(|word| word == "not" || word == "never");
    if !is_plain_subject(subject) || predicate.is_empty() || is_negative || has_other_clause(predicate) {
        return None;
    }
    let mut verb_word = lower[verb].clone();
    verb_word[..1].make_ascii_uppercase();
    let rest = words[1..verb].iter().chain(&words[verb + 1..]).copied();
    let asked: Vec<&str> = [verb_word.as_str(), lower[0].as_str()].into_iter().chain(rest).collect();
    Some(format!("{}?", asked.join(" ")))
}

/// True if the word at this index is an auxiliary verb, and no full verb.
fn is_auxiliary(words: &[String], at: usize) -> bool {
    let word = words[at].as_str();
    let is_followed = |by: &[&str]| words.get(at + 1).is_some_and(|next| by.contains(&next.as_str()));
    let full = FULL_VERBS.iter().find(|(verbs, _)| verbs.contains(&word));
    AUXILIARIES.contains(&word) || full.is_some_and(|(_, by)| is_followed(by))
}

/// Asks with "does" whether a statement about one thing is so; `None` unless its subject is a pronoun that a verb in the
/// third person follows.
fn with_do(words: &[&str], lower: &[String]) -> Option<String> {
    let [subject, verb, rest @ ..] = lower else { return None };
    let is_verb = verb.ends_with('s') && !verb.ends_with("ss") && !NO_VERBS.contains(&verb.as_str());
    if !SINGULAR.contains(&subject.as_str()) || !is_verb || has_other_clause(rest) || words[1] != verb {
        return None;
    }
    let stem = match verb.strip_suffix("es") {
        Some(stem) if stem.ends_with('i') => format!("{}y", &stem[..stem.len() - 1]),
        Some(stem) if stem.ends_with(['x', 'z', 'o']) || ["ss", "sh", "ch"].iter().any(|end| stem.ends_with(end)) => {
            stem.to_owned()
        }
        _ => verb[..verb.len() - 1].to_owned(),
    };
    let asked: Vec<&str> = ["Does", subject.as_str(), &stem].into_iter().chain(words[2..].iter().copied()).collect();
    Some(format!("{}?", asked.join(" ")))
}

/// True if a further clause follows, which the question would have to invert as well: behind a conjunction, or with a verb
/// of its own that no subordinating word precedes.
fn has_other_clause(predicate: &[String]) -> bool {
    let is_listed = |list: &[&str], word: &String| list.contains(&word.as_str());
    let subordinate =
        predicate.iter().position(|word| is_listed(SUBORDINATORS, word) && word != "not" && word != "and");
    let second = (0..predicate.len()).find(|at| is_auxiliary(predicate, *at));
    let has_verb = second.is_some_and(|verb| subordinate.is_none_or(|opens| opens > verb));
    has_verb || predicate.iter().any(|word| is_listed(CONJUNCTIONS, word))
}

/// True if the words before a verb are a pronoun; or a determiner and one or two words; or these, a preposition and up to
/// four words, all without a clause.
fn is_plain_subject(subject: &[String]) -> bool {
    let is_listed = |list: &[&str], word: &String| list.contains(&word.as_str());
    match subject {
        [one] => is_listed(PRONOUNS, one),
        [first, rest @ ..] => {
            let opens = rest.iter().position(|word| is_listed(PREPOSITIONS, word));
            let is_short = match opens {
                None => rest.len() <= 2,
                Some(at) => (1..=2).contains(&at) && (2..=5).contains(&(rest.len() - at)),
            };
            let has_clause = rest
                .iter()
                .any(|word| is_listed(SUBORDINATORS, word) || is_listed(REPORTING, word) || is_listed(PRONOUNS, word));
            is_listed(DETERMINERS, first) && is_short && !has_clause
        }
        [] => false,
    }
}

/// True if a word is written in lower case but for its first letter: "The", "the", "A", but not "NO".
fn is_capitalized(word: &str) -> bool {
    word.chars().skip(1).all(char::is_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_becomes_a_question() {
        let check = |statement: &str, expected: &str| {
            assert_eq!(settling_question(statement, Some("Ada Quill")), expected);
        };
        for (statement, expected) in [
            ("The crews are rested.", "Are the crews rested?"),
            ("No ferry should run at night", "Should no ferry run at night?"),
            ("Whether they can refuse", "Can they refuse?"),
            ("whether or not the night boat will sail", "Will the night boat sail?"),
            ("The price of fuel is high", "Is the price of fuel high?"),
            ("There are 40 nurses on the Kettle", "Are there 40 nurses on the Kettle?"),
            (
                "A captain with passengers waiting can refuse to sail",
                "Can a captain with passengers waiting refuse to sail?",
            ),
            ("The pass does not help", "Is this true: “The pass does not help”?"),
            ("The fare has risen by a third", "Has the fare risen by a third?"),
            ("It pays its way", "Does it pay its way?"),
            ("It carries more than it costs", "Does it carry more than it costs?"),
            ("Nobody watches the gauge at night", "Does nobody watch the gauge at night?"),
            (
                "Ferries should stop when the wind is above ten",
                "Is this true: “Ferries should stop when the wind is above ten”?",
            ),
            ("The ferry should stop when the wind is high", "Should the ferry stop when the wind is high?"),
            ("The houses people can afford are far away", "Is this true: “The houses people can afford are far away”?"),
            (
                "The council knows of a night crews are away",
                "Is this true: “The council knows of a night crews are away”?",
            ),
            ("The boat has engines", "Is this true: “The boat has engines”?"),
            ("It always pays", "Is this true: “It always pays”?"),
            ("Crews are scarce ", "Is this true: “Crews are scarce”?"),
            ("The council knows gates are shut", "Is this true: “The council knows gates are shut”?"),
            ("The boat that is late is full", "Is this true: “The boat that is late is full”?"),
            ("The crews are rested and fuel is cheap", "Is this true: “The crews are rested and fuel is cheap”?"),
            ("NO ferry is safe", "Is this true: “NO ferry is safe”?"),
            ("It rains. It is wet.", "Is this true: “It rains. It is wet”?"),
            ("Whether takings fell by a tenth.", "Is this true: “takings fell by a tenth”?"),
            ("The US is a buyer.", "Is the US a buyer?"),
            ("Are crews scarce?", "Are crews scarce?"),
            ("I was born here.", "Is Ada Quill right in saying: “I was born here”?"),
            ("Nobody pays us. We're poor.", "Is Ada Quill right in saying: “Nobody pays us. We're poor”?"),
            ("Am I late?", "Is the answer to Ada Quill's question yes: “Am I late?”?"),
            (" . ", "."),
            ("", ""),
        ] {
            check(statement, expected);
        }
        assert_eq!(settling_question("I was born here.", None), "Is this true: “I was born here”?");
    }

    #[test]
    fn a_settling_question_ends_with_a_question_mark() {
        for statement in ["The gates are shut", "Gates shut.", "Why not?", "“Never”, she says!", "the", "Ünïcode is ok"]
        {
            for speaker in [None, Some("Ada")] {
                assert!(settling_question(statement, speaker).ends_with('?'), "{statement}");
            }
        }
    }
}
