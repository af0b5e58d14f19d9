//! Repair of UTF-8 that was read as Latin-1 and encoded again: `dâ€™accord` for `d’accord`.
//!
//! Such a text has only characters with one byte in Latin-1 (or in Windows code page 1252), and these bytes are valid
//! UTF-8. Correct text almost never meets both conditions: a single accented letter is enough to fail the second.

use std::borrow::Cow;

/// Maximum number of repeated encodings that are undone.
const MAX_PASSES: usize = 3;

/// Characters of Windows code page 1252 in place of Latin-1 controls, from byte 0x80; gaps contain the control itself.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Undoes repeated encoding; returns the text unchanged if there is none.
pub fn repaired(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    for _ in 0..MAX_PASSES {
        match once(&text) {
            Some(before) => text = Cow::Owned(before),
            None => break,
        }
    }
    text
}

fn once(text: &str) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let bytes: Option<Vec<u8>> = text.chars().map(byte).collect();
    String::from_utf8(bytes?).ok()
}

/// Byte that was decoded to this character.
fn byte(character: char) -> Option<u8> {
    let windows = (0x80..).zip(WINDOWS).find(|(_, letter)| *letter == character).map(|(byte, _)| byte);
    windows.or_else(|| u8::try_from(u32::from(character)).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_doubly_encoded_texts_are_repaired() {
        for (text, wanted) in [
            ("plain", "plain"),
            ("dâ€™accord â€” oui", "d’accord — oui"),
            ("d\u{e2}\u{80}\u{99}accord", "d’accord"),
            ("cafÃ©", "café"),
            ("cafÃƒÂ©", "café"),
            ("Ã¼ber über", "Ã¼ber über"),
            ("café", "café"),
            ("«CAFÉ»", "«CAFÉ»"),
            ("日本", "日本"),
            ("d’accord — oui", "d’accord — oui"),
            ("naïve — “quoted”", "naïve — “quoted”"),
        ] {
            assert_eq!(repaired(text), wanted, "{text}");
        }
    }
}
