//! From bytes to text, whatever they are said to be.
//!
//! | what | is read as |
//! |------|-----------|
//! | a byte order mark | what it marks |
//! | valid UTF-8 without NUL | UTF-8: hardly anything else is by chance; ISO-2022-JP only where it is declared and its escapes are there |
//! | declared by the header, the XML declaration or `<meta charset>` | that |
//! | else | windows-1252, as browsers do |
//!
//! Whoever declares one thing and sends another is found out where it matters: bytes that are no text in what they are
//! read as are replaced, and too many of them are refused.

use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, WINDOWS_1252};

/// One replaced character in so many is still a text.
const CHARS_A_REPLACEMENT: usize = 100;

/// So many characters beyond ASCII to a broken one: fewer, and it is another encoding that is called UTF-8.
const SOUND_A_BROKEN: usize = 4;

/// How far from the start a declaration is looked for.
const HEAD_BYTES: usize = 1024;

/// A text, and what is odd about how it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The text, without byte order mark.
    pub text: String,
    /// What was declared and is not so.
    pub remark: Option<String>,
}

/// The text of bytes, given the charset that a header declares. Linear.
///
/// # Errors
/// In words, where too little of it is text.
pub fn decode(bytes: &[u8], header: Option<&str>) -> Result<Decoded, String> {
    let declared = header.map(str::to_owned).or_else(|| declared(bytes));
    let known = declared.as_deref().and_then(|it| Encoding::for_label(it.trim().as_bytes()));
    let (encoding, bytes) = match Encoding::for_bom(bytes) {
        Some((encoding, mark)) => (encoding, &bytes[mark..]),
        None if known == Some(ISO_2022_JP) && bytes.contains(&0x1b) => (ISO_2022_JP, bytes),
        None if !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok() => (UTF_8, bytes),
        None => (known.filter(|it| *it != UTF_8 || mostly_utf8(bytes)).unwrap_or(WINDOWS_1252), bytes),
    };
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    let n_replaced = text.matches('\u{fffd}').count();
    if n_replaced > text.chars().count() / CHARS_A_REPLACEMENT {
        return Err(format!("is no text in {}, as which it came; save it as UTF-8", encoding.name()));
    }
    let is_plain = bytes.is_ascii();
    let remark = match (declared, known) {
        (Some(said), None) => Some(format!("declares the unknown encoding {said:?}; read as {}", encoding.name())),
        (Some(_), Some(known)) if known != encoding && !is_plain => {
            Some(format!("declares {}, and is {}", known.name(), encoding.name()))
        }
        _ if n_replaced > 0 => Some(format!("{n_replaced} characters are no {}, and were replaced", encoding.name())),
        _ => None,
    };
    Ok(Decoded { text: text.into_owned(), remark })
}

/// UTF-8 with a few broken places, rather than something else: most of what is beyond ASCII is sound.
fn mostly_utf8(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let n_replaced = text.matches('\u{fffd}').count();
    let n_beyond = text.chars().filter(|it| !it.is_ascii()).count();
    n_beyond >= n_replaced * SOUND_A_BROKEN
}

/// What the bytes say of themselves: the XML declaration, or a meta element.
fn declared(bytes: &[u8]) -> Option<String> {
    let head: String = bytes.iter().take(HEAD_BYTES).map(|it| char::from(it.to_ascii_lowercase())).collect();
    let after = |mark: &str| head.find(mark).map(|at| &head[at + mark.len()..]);
    let xml = head.starts_with("<?xml").then(|| after("encoding")).flatten();
    let value = xml.or_else(|| after("<meta").and_then(|it| it.find("charset").map(|at| &it[at + 7..])))?;
    let value = value.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
    let end = value.find(|it: char| !(it.is_ascii_alphanumeric() || "-_:.".contains(it))).unwrap_or(value.len());
    (end > 0).then(|| value[..end.min(40)].to_owned())
}

/// XML without its declaration, which speaks of the bytes that were and not of the text that is.
pub fn without_declaration(text: &str) -> &str {
    let trimmed = text.trim_start();
    match trimmed.strip_prefix("<?xml").and_then(|it| it.find("?>").map(|at| &it[at + 2..])) {
        Some(rest) => rest,
        None => trimmed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], header: Option<&str>, text: &str, remark: Option<&str>) {
        let wanted = Decoded { text: text.to_owned(), remark: remark.map(str::to_owned) };
        assert_eq!(decode(bytes, header), Ok(wanted));
    }

    #[test]
    fn what_is_declared_is_read_so() {
        check("né".as_bytes(), None, "né", None);
        check(b"n\xe9", Some("ISO-8859-1"), "né", None);
        check(b"\xff\xfea\0\xe9\0", None, "aé", None);
        check(b"\xef\xbb\xbfa", Some("utf-8"), "a", None);
        check(b"n\xe9", None, "né", None);
        check(
            b"<?xml version='1.0' encoding='koi8-r'?>\xc4\xc1",
            None,
            "<?xml version='1.0' encoding='koi8-r'?>да",
            None,
        );
        check(b"<html><meta charset=koi8-r>\xc4\xc1", None, "<html><meta charset=koi8-r>да", None);
        let meta = "<meta http-equiv=x content=\"text/html; charset=windows-1251\">";
        check(&[meta.as_bytes(), b"\xe4\xe0"].concat(), None, &format!("{meta}да"), None);
        check(b"\x1b$B$3\x1b(B", Some("iso-2022-jp"), "こ", None);
    }

    #[test]
    fn a_lie_is_found_out_or_does_no_harm() {
        check("né".as_bytes(), Some("latin1"), "né", Some("declares windows-1252, and is UTF-8"));
        check(b"plain", Some("utf-16"), "plain", None);
        check(b"plain", Some("klingon"), "plain", Some("declares the unknown encoding \"klingon\"; read as UTF-8"));
        check(b"n\xe9n\xe9", Some("utf-8"), "néné", Some("declares UTF-8, and is windows-1252"));
        let long = ["é".repeat(300).as_bytes(), b"\xff"].concat();
        let told = Some("1 characters are no UTF-8, and were replaced");
        check(&long, Some("utf-8"), &format!("{}\u{fffd}", "é".repeat(300)), told);
        assert!(decode(&[0xff, 0xfe, 0x00, 0xd8, 0x00, 0xd8], None).unwrap_err().starts_with("is no text in UTF-16LE"));
    }

    #[test]
    fn a_declaration_is_taken_off() {
        assert_eq!(without_declaration(" <?xml version='1.0' encoding='x'?>\n<a/>"), "\n<a/>");
        assert_eq!(without_declaration("<a/>"), "<a/>");
        assert_eq!(without_declaration("<?xml never closed"), "<?xml never closed");
    }
}
