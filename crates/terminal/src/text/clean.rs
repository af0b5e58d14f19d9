//! Removes control characters from untrusted text before it reaches a terminal.
//!
//! Models and corpora can contain anything, including escape sequences that move the cursor, change the window title or
//! overwrite earlier output. Whole escape sequences are dropped first, then control characters, then invisible
//! characters and text-direction controls. Combining marks are kept, but only a few per letter.

use textwrap::core::display_width;

/// Maximum number of combining marks kept on one letter.
const MAX_MARKS: usize = 3;

/// Returns the text without anything that a terminal would interpret. Line feeds are kept; other white space becomes
/// spaces.
///
/// Cost: linear, except that each unterminated control string is scanned once more.
pub fn clean(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut marks = 0;
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        match letter {
            '\u{1b}' => rest = after_escape(rest),
            '\u{9b}' => rest = after_sequence(rest),
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => rest = after_string(rest),
            '\n' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => kept.push('\n'),
            '\t' | '\r' => kept.push(' '),
            letter if is_unwanted(letter) => {}
            letter if letter.is_whitespace() => kept.push(' '),
            letter if width(letter) == 0 => {
                marks += 1;
                if marks <= MAX_MARKS {
                    kept.push(letter);
                }
                continue;
            }
            letter => kept.push(letter),
        }
        marks = 0;
    }
    kept
}

/// Returns the number of columns that a character takes.
pub fn width(letter: char) -> usize {
    if letter.is_ascii() {
        return usize::from(!letter.is_ascii_control());
    }
    display_width(letter.encode_utf8(&mut [0; 4]))
}

/// Returns whether a terminal would interpret a character or not show it: control characters, text-direction controls,
/// and invisible characters. Joiners, which some scripts need, are not included.
pub fn is_unwanted(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

fn after_escape(rest: &str) -> &str {
    match rest.as_bytes().first() {
        Some(b'[') => after_sequence(&rest[1..]),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => after_string(&rest[1..]),
        Some(b' '..=b'/') => {
            let tail = rest.trim_start_matches(|letter| matches!(letter, ' '..='/'));
            tail.strip_prefix(|letter: char| letter.is_ascii_graphic()).unwrap_or(tail)
        }
        Some(b'0'..=b'~') => &rest[1..],
        _ => rest,
    }
}

/// Skips the parameters and the final byte of a control sequence.
fn after_sequence(rest: &str) -> &str {
    let tail = rest.trim_start_matches(|letter| matches!(letter, '0'..='?'));
    let tail = tail.trim_start_matches(|letter| matches!(letter, ' '..='/'));
    tail.strip_prefix(|letter| matches!(letter, '@'..='~')).unwrap_or(tail)
}

/// Skips a control string with its terminator; only its introducer if it has no terminator.
fn after_string(rest: &str) -> &str {
    let end = rest.find(['\u{7}', '\u{9c}', '\u{1b}']);
    match end {
        Some(at) if rest[at..].starts_with("\u{1b}\\") => &rest[at + 2..],
        Some(at) if rest[at..].starts_with('\u{1b}') => &rest[at..],
        Some(at) => rest[at..].strip_prefix(['\u{7}', '\u{9c}']).unwrap_or(rest),
        None => rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_sequences_are_removed() {
        let check = |text: &str, expected: &str| assert_eq!(clean(text), expected, "{text:?}");
        check("plain, naïve, 日本語, 🙂", "plain, naïve, 日本語, 🙂");
        check("red \u{1b}[1;31mred\u{1b}[0m", "red red");
        check("up\u{1b}[3A\u{1b}[2Kgone", "upgone");
        check("title\u{1b}]0;owned\u{7} set", "title set");
        check("link \u{1b}]8;;http://x\u{1b}\\here\u{1b}]8;;\u{1b}\\", "link here");
        check("unterminated \u{1b}]0;kept", "unterminated 0;kept");
        check("eight bits \u{9b}31mred\u{9d}0;t\u{9c}", "eight bits red");
        check("reset \u{1b}c, charset \u{1b}(0x", "reset , charset x");
        check("over\rwritten\u{8}\u{7f}\u{0}", "over written");
        check("two\nlines\ttab\u{a0}nbsp\u{3000}wide", "two\nlines tab nbsp wide");
        check("turned \u{202e}round\u{202c} \u{2066}x\u{2069}", "turned round x");
        check("\u{feff}in\u{200b}vis\u{ad}ible\u{e0041}", "invisible");
        check("\u{1b}", "");
        check("\u{1b}[", "");
        check("\u{1b}[é", "é");
    }

    #[test]
    fn stacked_combining_marks_are_limited() {
        let tower = format!("a{}b", "\u{301}".repeat(40));
        assert_eq!(clean(&tower), format!("a{}b", "\u{301}".repeat(MAX_MARKS)));
    }
}
