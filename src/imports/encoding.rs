//! UTF-8 that was read as Latin-1 and encoded again: `dâ€™accord` for `d’accord`.
//!
//! Such a text has only characters that Latin-1 (or the Windows code page that takes its place) writes in one byte, and
//! those bytes are themselves UTF-8. By chance that is next to never so: a single accented letter is already against it.

use std::borrow::Cow;

/// How often a text may have been encoded again.
const PASSES: usize = 3;

/// What the Windows code page 1252 has where Latin-1 has controls, from byte 0x80; its gaps are the controls themselves.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The text as it was before it was encoded again; itself, where it was not.
pub fn mended(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    for _ in 0..PASSES {
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

/// The byte that was read as this character.
fn byte(character: char) -> Option<u8> {
    let windows = (0x80..).zip(WINDOWS).find(|(_, it)| *it == character).map(|(byte, _)| byte);
    windows.or_else(|| u8::try_from(u32::from(character)).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_encoded_twice_is_mended() {
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
            assert_eq!(mended(text), wanted, "{text}");
        }
    }
}
