//! Reader of PDF text, page by page, in drawing order.
//!
//! A PDF contains positioned letters, not words and paragraphs: lines are joined, and hyphenated words are restored. A
//! scan has no text and is refused. The parser limits nesting and decompressed stream sizes.

use chrono::NaiveDate;
use lopdf::{Document as Pdf, LoadOptions, Object, ObjectId};

use crate::readers::document::{DocumentDraft, ReadDocuments, SourceMetadata};
use crate::readers::plain::of_name;

/// Maximum number of pages.
pub const MAX_PAGES: usize = 2_000;

/// Maximum decompressed size of one stream, in bytes.
const MAX_STREAM_BYTES: usize = 64 << 20;

/// Maximum decompressed size of the drawing instructions of all pages, in bytes; a shared stream counts once per page.
const MAX_CONTENT_BYTES: usize = 64 << 20;

/// Maximum size of the text, in bytes.
const MAX_TEXT_BYTES: usize = 8 << 20;

/// Minimum number of characters per unknown one for the result to count as text.
const MIN_CHARS_AN_UNKNOWN: usize = 20;

/// Reads the text of a PDF.
///
/// # Errors
/// A message if the PDF is damaged, encrypted, without text, or beyond a limit.
pub fn pdf(bytes: &[u8], origin: &SourceMetadata) -> Result<ReadDocuments, String> {
    let pdf = Pdf::load_mem_with_options(bytes, LoadOptions::with_max_decompressed_size(MAX_STREAM_BYTES));
    let pdf = pdf.map_err(|error| format!("is a PDF that cannot be read: {error}"))?;
    if pdf.is_encrypted() {
        return Err("is encrypted; save it without a password".to_owned());
    }
    let pages = pdf.get_pages();
    if pages.len() > MAX_PAGES {
        return Err(format!("has {} pages; at most {MAX_PAGES} are allowed", pages.len()));
    }
    measured(&pdf, pages.values().copied())?;
    let mut text = String::new();
    let mut n_unread = 0_usize;
    for page in pages.keys() {
        for chunk in pdf.extract_text_chunks_with_limit(&[*page], MAX_STREAM_BYTES) {
            match chunk {
                Ok(chunk) => text.push_str(&chunk),
                Err(_) => n_unread += 1,
            }
        }
        text.push('\n');
        if text.len() > MAX_TEXT_BYTES {
            return Err(format!("contains more than {} MiB of text", MAX_TEXT_BYTES >> 20));
        }
    }
    let n_unknown = text.matches('\u{fffd}').count();
    if n_unknown > text.chars().count() / MIN_CHARS_AN_UNKNOWN {
        return Err("has letters that cannot be decoded; save its text as .txt".to_owned());
    }
    let text = joined(&text);
    if text.trim().is_empty() {
        let why = if n_unread > 0 { "its pages cannot be read" } else { "it may be a scan" };
        return Err(format!("has no text ({why}); save its text as .txt"));
    }
    let (named, of_name) = of_name(&origin.name);
    let title = said(&pdf, b"Title").filter(|title| !title.trim().is_empty());
    let date = of_name.or_else(|| said(&pdf, b"CreationDate").and_then(|text| date(&text))).unwrap_or(origin.date);
    let title = title.as_deref().unwrap_or(named);
    let mut reading = DocumentDraft { title, source: &origin.place, date, kind: "article", text: &text }.reading()?;
    if n_unread > 0 {
        reading.remarks.push(format!("{n_unread} pieces of its text cannot be decoded and were left out"));
    }
    Ok(reading)
}

/// Checks the decompressed size of all pages before any is parsed. Shared streams count for each page, because each
/// page decompresses them again.
fn measured(pdf: &Pdf, pages: impl Iterator<Item = ObjectId>) -> Result<(), String> {
    let mut left = MAX_CONTENT_BYTES;
    for page in pages {
        let content = pdf.get_page_content_with_limit(page, left).ok();
        left = content.and_then(|content| left.checked_sub(content.len())).ok_or_else(|| {
            format!("decompresses to more than {} MiB of drawing instructions", MAX_CONTENT_BYTES >> 20)
        })?;
    }
    Ok(())
}

/// Returns an entry of the document's information dictionary.
fn said(pdf: &Pdf, key: &[u8]) -> Option<String> {
    let info = pdf.trailer.get(b"Info").ok()?;
    let info = match info {
        Object::Reference(id) => pdf.get_object(*id).ok()?,
        other => other,
    };
    lopdf::decode_text_string(info.as_dict().ok()?.get(key).ok()?).ok()
}

/// Parses a date such as `D:20240506…`.
fn date(text: &str) -> Option<NaiveDate> {
    let digits = text.strip_prefix("D:").unwrap_or(text).get(..8)?;
    NaiveDate::parse_from_str(digits, "%Y%m%d").ok()
}

/// Joins words that were hyphenated at the end of a line.
fn joined(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    for line in text.lines().map(str::trim) {
        let broken = joined.ends_with("-\n") && joined[..joined.len() - 2].ends_with(char::is_alphabetic);
        if broken && line.starts_with(char::is_lowercase) {
            joined.truncate(joined.len() - 2);
        }
        joined.push_str(line);
        joined.push('\n');
    }
    joined
}

#[cfg(test)]
mod tests {
    use lopdf::content::{Content, Operation};
    use lopdf::{Stream, dictionary};

    use super::*;

    fn origin() -> SourceMetadata {
        let date = "2020-01-01".parse().unwrap();
        SourceMetadata { name: "lime.pdf".into(), place: "lime.pdf".into(), date, url: None }
    }

    /// Builds a PDF of one page with these lines.
    fn page(lines: &[&str]) -> Vec<u8> {
        let mut pdf = Pdf::with_version("1.5");
        let pages = pdf.new_object_id();
        let font = pdf.add_object(dictionary! {
            "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Courier", "Encoding" => "WinAnsiEncoding",
        });
        let mut operations = vec![
            Operation::new("BT", vec![]),
            Operation::new("Tf", vec!["F1".into(), 12.into()]),
            Operation::new("TL", vec![14.into()]),
        ];
        for line in lines {
            operations.push(Operation::new("Tj", vec![Object::string_literal(*line)]));
            operations.push(Operation::new("T*", vec![]));
        }
        operations.push(Operation::new("ET", vec![]));
        let content = Content { operations }.encode().unwrap();
        let content = pdf.add_object(Stream::new(dictionary! {}, content));
        let leaf = pdf.add_object(dictionary! {
            "Type" => "Page", "Parent" => pages, "Contents" => content,
            "Resources" => dictionary! { "Font" => dictionary! { "F1" => font } },
            "MediaBox" => vec![0.into(), 0.into(), 595.into(), 842.into()],
        });
        let tree = dictionary! { "Type" => "Pages", "Kids" => vec![leaf.into()], "Count" => 1 };
        pdf.objects.insert(pages, Object::Dictionary(tree));
        let catalog = pdf.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages });
        pdf.trailer.set("Root", catalog);
        let info = dictionary! {
            "Title" => Object::string_literal("Of Lime"), "CreationDate" => Object::string_literal("D:20240506101112Z"),
        };
        let info = pdf.add_object(info);
        pdf.trailer.set("Info", info);
        pdf.compress();
        let mut bytes = Vec::new();
        pdf.save_to(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn text_title_and_date_are_read() {
        let read =
            pdf(&page(&["Lime takes its time, and a ma-", "son who will not wait for it", "is no mason."]), &origin());
        let read = read.unwrap().documents.remove(0).1;
        assert_eq!((read.title.as_str(), read.date.to_string().as_str()), ("Of Lime", "2024-05-06"));
        assert_eq!(read.passages, ["Lime takes its time, and a mason who will not wait for it is no mason."]);
    }

    #[test]
    fn damaged_and_empty_pdfs_are_refused() {
        assert!(pdf(&page(&[]), &origin()).unwrap_err().contains("may be a scan"));
        let whole = page(&["Lime takes its time."]);
        for end in [0, 9, whole.len() / 3, whole.len() / 2, whole.len() - 20] {
            let _either = pdf(&whole[..end], &origin());
        }
        assert!(pdf(b"%PDF-1.5\n", &origin()).is_err());
        assert!(pdf(&[b"%PDF-1.5\n1 0 obj\n".as_slice(), &b"[".repeat(1_000_000)].concat(), &origin()).is_err());
        for at in (0..whole.len()).step_by(7) {
            let mut spoilt = whole.clone();
            spoilt[at] ^= 0x55;
            let _either = pdf(&spoilt, &origin());
        }
    }

    #[test]
    fn hyphenated_words_are_joined() {
        assert_eq!(joined("a ma-\nson, the Sea-\nWall, 1-\n2 -\nx"), "a mason, the Sea-\nWall, 1-\n2 -\nx\n");
    }
}
