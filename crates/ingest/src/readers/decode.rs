//! Detection of character encodings, and decoding to text.
//!
//! | bytes | encoding |
//! |-------|----------|
//! | start with a byte order mark | the marked encoding |
//! | valid UTF-8 without NUL | UTF-8, rarely valid by chance; ISO-2022-JP if declared and its escapes occur |
//! | declared by the header, the XML declaration or `<meta charset>` | the declared encoding |
//! | other | windows-1252, as in browsers |
//!
//! A wrong declaration is detected if it matters: invalid bytes are replaced, and a text with too many replacements is
//! refused.

use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, WINDOWS_1252};

/// Minimum number of characters per replaced one for the result to count as text.
const MIN_CHARS_A_REPLACEMENT: usize = 100;

/// Minimum number of valid non-ASCII characters per broken one; with fewer, the encoding is not UTF-8 despite its
/// declaration.
const MIN_SOUND_A_BROKEN: usize = 4;

/// Number of leading bytes that are searched for a declaration.
const HEAD_BYTES: usize = 1024;

/// Decoded text, with a remark on its encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// Text without byte order mark.
    pub text: String,
    /// Difference between the declared and the actual encoding.
    pub remark: Option<String>,
}

/// Decodes bytes to text, given the charset that a header declares. Cost: linear.
///
/// # Errors
/// A message if too much of it is not text.
pub fn decode(bytes: &[u8], header: Option<&str>) -> Result<Decoded, String> {
    let declared = header.map(str::to_owned).or_else(|| declared(bytes));
    let known = declared.as_deref().and_then(|label| Encoding::for_label(label.trim().as_bytes()));
    let (encoding, bytes) = match Encoding::for_bom(bytes) {
        Some((encoding, mark)) => (encoding, &bytes[mark..]),
        None if known == Some(ISO_2022_JP) && bytes.contains(&0x1b) => (ISO_2022_JP, bytes),
        None if !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok() => (UTF_8, bytes),
        None => (known.filter(|encoding| *encoding != UTF_8 || mostly_utf8(bytes)).unwrap_or(WINDOWS_1252), bytes),
    };
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    let n_replaced = text.matches('\u{fffd}').count();
    if n_replaced > text.chars().count() / MIN_CHARS_A_REPLACEMENT {
        return Err(format!("is not valid {}; save it as UTF-8", encoding.name()));
    }
    let is_plain = bytes.is_ascii();
    let remark = match (declared, known) {
        (Some(said), None) => Some(format!("declares the unknown encoding {said:?}; read as {}", encoding.name())),
        (Some(_), Some(known)) if known != encoding && !is_plain => {
            Some(format!("declares {}, but is {}", known.name(), encoding.name()))
        }
        _ if n_replaced > 0 => Some(format!("{n_replaced} invalid {} characters were replaced", encoding.name())),
        _ => None,
    };
    Ok(Decoded { text: text.into_owned(), remark })
}

/// Returns true for UTF-8 with a few broken places, rather than another encoding: most non-ASCII characters are valid.
fn mostly_utf8(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let n_replaced = text.matches('\u{fffd}').count();
    let n_beyond = text.chars().filter(|letter| !letter.is_ascii()).count();
    n_beyond >= n_replaced * MIN_SOUND_A_BROKEN
}

/// Finds the declared encoding in the XML declaration or a meta element.
fn declared(bytes: &[u8]) -> Option<String> {
    let head: String = bytes.iter().take(HEAD_BYTES).map(|byte| char::from(byte.to_ascii_lowercase())).collect();
    let after = |mark: &str| head.find(mark).map(|at| &head[at + mark.len()..]);
    let xml = head.starts_with("<?xml").then(|| after("encoding")).flatten();
    let value = xml.or_else(|| after("<meta").and_then(|rest| rest.find("charset").map(|at| &rest[at + 7..])))?;
    let value = value.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
    let end =
        value.find(|letter: char| !(letter.is_ascii_alphanumeric() || "-_:.".contains(letter))).unwrap_or(value.len());
    (end > 0).then(|| value[..end.min(40)].to_owned())
}

/// Removes the XML declaration, which describes the original bytes and not the decoded text.
pub fn without_declaration(text: &str) -> &str {
    let trimmed = text.trim_start();
    match trimmed.strip_prefix("<?xml").and_then(|rest| rest.find("?>").map(|at| &rest[at + 2..])) {
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
    fn declared_encodings_are_used() {
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
    fn wrong_declarations_are_detected_or_harmless() {
        check("né".as_bytes(), Some("latin1"), "né", Some("declares windows-1252, but is UTF-8"));
        check(b"plain", Some("utf-16"), "plain", None);
        check(b"plain", Some("klingon"), "plain", Some("declares the unknown encoding \"klingon\"; read as UTF-8"));
        check(b"n\xe9n\xe9", Some("utf-8"), "néné", Some("declares UTF-8, but is windows-1252"));
        let long = ["é".repeat(300).as_bytes(), b"\xff"].concat();
        let told = Some("1 invalid UTF-8 characters were replaced");
        check(&long, Some("utf-8"), &format!("{}\u{fffd}", "é".repeat(300)), told);
        assert!(decode(&[0xff, 0xfe, 0x00, 0xd8, 0x00, 0xd8], None).unwrap_err().starts_with("is not valid UTF-16LE"));
    }

    #[test]
    fn the_xml_declaration_is_removed() {
        assert_eq!(without_declaration(" <?xml version='1.0' encoding='x'?>\n<a/>"), "\n<a/>");
        assert_eq!(without_declaration("<a/>"), "<a/>");
        assert_eq!(without_declaration("<?xml never closed"), "<?xml never closed");
    }
}
