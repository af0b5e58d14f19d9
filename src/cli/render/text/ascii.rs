//! Transliterates text to ASCII for terminals without Unicode.

use crate::cli::render::text::clean::width;

/// Transliterates a text to ASCII: Faultline's own symbols become ASCII stand-ins, typographic characters their plain
/// forms, accents are dropped, and other characters become question marks.
///
/// Runs in linear time.
pub fn ascii(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut raised = false;
    for letter in text.chars() {
        let digit = raised_digit(letter);
        match (raised, digit) {
            (false, Some(_)) => folded.push('['),
            (true, None) => folded.push(']'),
            _ => {}
        }
        raised = digit.is_some();
        match digit {
            Some(digit) => folded.push(digit),
            None => fold(letter, &mut folded),
        }
    }
    if raised {
        folded.push(']');
    }
    folded
}

fn fold(letter: char, folded: &mut String) {
    match mark(letter).or_else(|| typed(letter)).or_else(|| bare(letter)) {
        Some(likeness) => folded.push_str(likeness),
        None if letter.is_ascii() || letter == '\u{a0}' => folded.push(letter),
        None if width(letter) == 0 => {}
        None => folded.push('?'),
    }
}

/// Returns the digit of a superscript.
fn raised_digit(letter: char) -> Option<char> {
    let digits = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let at = digits.iter().position(|it| *it == letter)?;
    char::from_digit(u32::try_from(at).ok()?, 10)
}

/// ASCII stand-ins for Faultline's own symbols.
fn mark(letter: char) -> Option<&'static str> {
    Some(match letter {
        '─' => "-",
        '━' => "#",
        '┄' => ".",
        '│' => "|",
        '┃' => ":",
        '║' => "!",
        '┆' => "'",
        '╎' => ";",
        '╭' | '╮' | '╰' | '╯' => "+",
        '└' => "`",
        '▶' => ">",
        '→' => "->",
        '✓' => "+",
        '✗' => "x",
        '⚠' => "!",
        '▲' => "*",
        '●' => "o",
        '■' => "#",
        '◆' => "+",
        '▼' => "v",
        '★' => "@",
        '△' => "^",
        '○' => "0",
        '□' => "%",
        '▽' => "&",
        '☆' => "=",
        '◇' => "~",
        '§' => "=",
        _ => return None,
    })
}

/// Plain forms of typographic characters.
fn typed(letter: char) -> Option<&'static str> {
    Some(match letter {
        '‘' | '’' | '‚' | '‛' | '′' => "'",
        '“' | '”' | '„' | '‟' | '″' => "\"",
        '«' | '»' => ">",
        '‐' | '‑' | '‒' | '–' | '−' => "-",
        '—' | '―' => "--",
        '…' => "...",
        '·' | '•' => "-",
        '×' => "x",
        '±' => "+-",
        '°' => " deg",
        '€' => "EUR",
        '£' => "GBP",
        '©' => "(c)",
        '½' => "1/2",
        '≤' => "<=",
        '≥' => ">=",
        '≠' => "/=",
        _ => return None,
    })
}

/// Letters without their accents.
fn bare(letter: char) -> Option<&'static str> {
    Some(match letter {
        'À'..='Å' | 'Ā' | 'Ă' | 'Ą' => "A",
        'à'..='å' | 'ā' | 'ă' | 'ą' => "a",
        'Æ' => "AE",
        'æ' => "ae",
        'Ç' | 'Ć' | 'Č' => "C",
        'ç' | 'ć' | 'č' => "c",
        'Ď' | 'Đ' | 'Ð' => "D",
        'ď' | 'đ' | 'ð' => "d",
        'È'..='Ë' | 'Ē' | 'Ę' | 'Ě' => "E",
        'è'..='ë' | 'ē' | 'ę' | 'ě' => "e",
        'Ğ' => "G",
        'ğ' => "g",
        'Ì'..='Ï' | 'Ī' | 'İ' => "I",
        'ì'..='ï' | 'ī' | 'ı' => "i",
        'Ł' => "L",
        'ł' => "l",
        'Ñ' | 'Ń' | 'Ň' => "N",
        'ñ' | 'ń' | 'ň' => "n",
        'Ò'..='Ö' | 'Ø' | 'Ō' | 'Ő' => "O",
        'ò'..='ö' | 'ø' | 'ō' | 'ő' => "o",
        'Œ' => "OE",
        'œ' => "oe",
        'Ř' => "R",
        'ř' => "r",
        'Ś' | 'Š' | 'Ş' => "S",
        'ś' | 'š' | 'ş' => "s",
        'ß' => "ss",
        'Ť' => "T",
        'ť' => "t",
        'Ù'..='Ü' | 'Ū' | 'Ů' | 'Ű' => "U",
        'ù'..='ü' | 'ū' | 'ů' | 'ű' => "u",
        'Ý' => "Y",
        'ý' | 'ÿ' => "y",
        'Ź' | 'Ż' | 'Ž' => "Z",
        'ź' | 'ż' | 'ž' => "z",
        'Þ' => "Th",
        'þ' => "th",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_has_an_ascii_form() {
        let check = |text: &str, wanted: &str| assert_eq!(ascii(text), wanted, "{text:?}");
        check("plain", "plain");
        check("“naïve” — Łódź…", "\"naive\" -- Lodz...");
        check("so it is said ¹ ¹²", "so it is said [1] [12]");
        check("─▶ ✓ ━━┄", "-> + ##.");
        check("日本 e\u{301}", "?? e");
    }
}
