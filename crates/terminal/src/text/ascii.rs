//! Transliterates text to ASCII for terminals without Unicode.
//!
//! Letters and signs of other scripts are transliterated by `any_ascii`; Faultline's own symbols have stand-ins here,
//! which differ from each other where the symbols do.

use any_ascii::any_ascii_char;

use crate::text::clean::width;
use crate::text::span::GLUE;

/// Transliterates a text to ASCII: Faultline's own symbols become ASCII stand-ins, other scripts and typographic
/// characters their usual transliterations, and characters without one question marks.
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
    // Glue is a space that lines are not broken at; it is painted as a space later.
    if letter.is_ascii() || letter == GLUE {
        folded.push(letter);
        return;
    }
    match mark(letter).unwrap_or_else(|| any_ascii_char(letter)) {
        "" if width(letter) == 0 => {}
        "" => folded.push('?'),
        likeness => folded.push_str(likeness),
    }
}

/// Returns the digit of a superscript.
fn raised_digit(letter: char) -> Option<char> {
    let digits = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let at = digits.iter().position(|digit| *digit == letter)?;
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
        '◀' => "<",
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
        // Signs whose usual stand-ins would mislead.
        '—' | '―' => "--",
        '·' | '•' => "-",
        '×' => "x",
        '≠' => "/=",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_has_an_ascii_form() {
        let check = |text: &str, expected: &str| assert_eq!(ascii(text), expected, "{text:?}");
        check("plain", "plain");
        check("“naïve” — Łódź…", "\"naive\" -- Lodz...");
        check("so it is said ¹ ¹²", "so it is said [1] [12]");
        check("─▶ ✓ ━━┄", "-> + ##.");
        check("日本 e\u{301} \u{e000}", "RiBen e ?");
        check("Øresund ß £5 ½ ≤ ≠", "Oresund ss GBP5 1/2 <= /=");
    }
}
