//! Split of a text into words and punctuation marks.

/// Token of every number: the frequency of numbers is a matter of style, their values are not.
const NUMBER: &str = "#";
/// Punctuation marks that are a matter of style.
const MARKS: &[char] = &[';', ':', '?', '!', ',', '.', '—', '(', ')', '"'];

/// Returns the words of a text in lower case with inner apostrophes (`don't`), every number as `#`, and the punctuation
/// marks that are a matter of style. Everything else is omitted. Linear in the text.
pub fn tokens(text: &str) -> Vec<String> {
    let text = text.replace(['’', '‘'], "'").replace(['“', '”'], "\"").replace("--", "—").to_lowercase();
    let mut tokens = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(first) = chars.next() {
        if first.is_alphabetic() {
            let mut word = String::from(first);
            while let Some(next) = chars.next_if(|letter| letter.is_alphabetic() || *letter == '\'') {
                word.push(next);
            }
            tokens.push(word.trim_end_matches('\'').to_owned());
        } else if first.is_numeric() {
            while chars.next_if(|letter| letter.is_numeric()).is_some() {}
            // 1,140 and 0.5 are one number each; the comma of "in 1998, we" is a mark.
            while chars.peek().is_some_and(|letter| matches!(letter, ',' | '.')) && is_numeric_behind(&chars) {
                chars.next();
                while chars.next_if(|letter| letter.is_numeric()).is_some() {}
            }
            tokens.push(NUMBER.to_owned());
        } else if MARKS.contains(&first) {
            tokens.push(first.to_string());
        }
    }
    tokens
}

fn is_numeric_behind(chars: &std::iter::Peekable<std::str::Chars<'_>>) -> bool {
    chars.clone().nth(1).is_some_and(char::is_numeric)
}

/// Returns true if a token is a word rather than a mark or a number.
pub fn is_word(token: &str) -> bool {
    token.chars().next().is_some_and(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_split_into_words_numbers_and_marks() {
        let check = |text: &str, expected: &str| assert_eq!(tokens(text).join(" "), expected, "{text:?}");
        check("Don’t wait -- it’s 1,140 people, or 0.5.", "don't wait — it's # people , or # .");
        check("In 1998, the dogs' home; \"ours\"", "in # , the dogs home ; \" ours \"");
        check("* # /", "");
        check("", "");
    }
}
