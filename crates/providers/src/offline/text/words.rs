//! Words and terms: the parts of sentences that can be compared.
//!
//! A sentence becomes a set of terms: lower-case words without endings, numbers as they are written, no stop words. A
//! few rules in the manner of Porter's (1980) first step remove the endings; a wrong stem does no harm, since terms are
//! only compared with terms that were stemmed the same way. Cost: one pass over the text.

/// Stop words.
const EMPTY: &str = " a about above admittedly after again ago all almost already also although always am among an and another any \
anybody anyone anything are as ask asked at away back be because been before being below beside between beyond both but by \
came can cannot come comes could did do does doing done down each either else enough even ever every everybody everyone \
everything fair few first for found from gave get gets give gives go goes going gone got grant granted had half has have having \
he her here hers herself him himself his how however i if in instead into is it its itself just keep keeps kept know known \
knows last least less let like made make makes making many may me mean means might mind more most much must my myself near \
neither never new next no nobody none nor not nothing now of off often on once one ones only onto or other others ought our \
ours out over own part per perhaps put quite rather said same saw say saying says second see seen shall she should since so \
some somebody someone something still such take taken takes tell than that the their theirs them themselves then there these \
they thing things this those though three through to together told too took true two under until up upon us use used very \
want wanted wants was way we well went were what when where whether which while who whole whom whose why will with within \
without wrong would yet you your yours yourself ";

/// Returns the terms of a text, sorted and unique.
pub fn terms(text: &str) -> Vec<String> {
    let mut terms: Vec<String> = words(text)
        .filter_map(|word| {
            let word = word.to_lowercase();
            if EMPTY.contains(&format!(" {word} ")) {
                return None;
            }
            (word.len() > 1).then(|| stem(&word))
        })
        .collect();
    terms.sort_unstable();
    terms.dedup();
    terms
}

/// Splits a text into words: letters and digits, with the commas and points inside numbers. The part of a word after an
/// apostrophe is dropped.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '\'' | '’' | ',' | '.'))).filter_map(
        |piece| {
            let word = piece.trim_matches(|letter: char| !letter.is_alphanumeric());
            let word = word.split(['\'', '’']).next().unwrap_or(word);
            (!word.is_empty()).then_some(word)
        },
    )
}

/// Returns true if a text contains a word or a phrase, at word boundaries; both in lower case.
pub fn contains_phrase(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, found)| {
        let before = text[..at].chars().next_back();
        let after = text[at + found.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

/// Returns true if a text contains any of some words or phrases, at word boundaries; all in lower case.
pub fn contains_any_phrase(text: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| contains_phrase(text, phrase))
}

/// Converts a text to lower case with plain apostrophes, the form that the cue rules expect.
pub fn plain(text: &str) -> String {
    text.to_lowercase().replace('’', "'")
}

fn stem(word: &str) -> String {
    if word.starts_with(|letter: char| letter.is_ascii_digit()) {
        return word.to_owned();
    }
    let plural = |word: &str| {
        if let Some(head) = word.strip_suffix("ies").filter(|head| head.len() > 2) {
            return format!("{head}y");
        }
        let kept = word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") || word.len() < 4;
        if kept { word.to_owned() } else { word.strip_suffix('s').unwrap_or(word).to_owned() }
    };
    let word = plural(word);
    let head = ["ing", "ed"]
        .iter()
        .find_map(|end| word.strip_suffix(end))
        .filter(|head| head.chars().count() > 2 && head.contains(['a', 'e', 'i', 'o', 'u', 'y']));
    let head = head.map_or(word.as_str(), undouble);
    head.strip_suffix('e').filter(|head| head.len() > 2).unwrap_or(head).to_owned()
}

fn undouble(head: &str) -> &str {
    let mut last = head.chars().rev();
    match (last.next(), last.next()) {
        (Some(one), Some(two)) if one == two && !matches!(one, 'l' | 's' | 'e') => &head[..head.len() - one.len_utf8()],
        _ => head,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_drop_endings_and_stop_words_and_keep_numbers() {
        let check = |text: &str, wanted: &[&str]| assert_eq!(terms(text), wanted, "{text:?}");
        check("The cars were parked, the parking closed.", &["car", "clos", "park"]);
        check("Merged or merging: to merge", &["merg"]);
        check("14,200 cars a day; 6.5 percent, in cities.", &["14,200", "6.5", "car", "city", "day", "percent"]);
        check("It’s the council's", &["council"]);
        check("stopped planning", &["plan", "stop"]);
    }

    #[test]
    fn phrases_are_found_at_word_boundaries() {
        assert!(contains_phrase("i grant that", "i grant"));
        assert!(!contains_phrase("a granted wish", "grant"));
        assert!(contains_any_phrase("you must go", &["should", "must"]));
    }
}
