//! Reader of RSS and Atom feeds: each entry is a document.
//!
//! The parser resolves only the five predefined XML entities, so entity expansion is impossible, and it is not
//! recursive, so deep nesting is harmless; the markup within an entry is measured before it is parsed. An entry's name
//! depends on its id, which stays the same when title or text are edited.

use chrono::NaiveDate;
use feed_rs::model::{Entry, Feed};
use sha2::{Digest, Sha256};

use crate::chunks::ParsedDocument;
use crate::readers::decode::without_declaration;
use crate::readers::document::{DocumentDraft, ReadDocuments, SourceMetadata, slug};
use crate::readers::html::flat;

/// Maximum number of entries of a feed.
pub const MAX_ENTRIES: usize = 2_000;

/// Maximum length of the readable part of an entry's name, in bytes.
const MAX_SLUG_BYTES: usize = 40;

/// Reads the entries of a feed.
///
/// # Errors
/// A message if the text is not a feed, or has too many entries.
pub fn feed(text: &str, origin: &SourceMetadata) -> Result<ReadDocuments, String> {
    let feed = feed_rs::parser::parse(without_declaration(text).as_bytes());
    let feed = feed.map_err(|error| format!("is not a readable feed: {error}"))?;
    if feed.entries.len() > MAX_ENTRIES {
        return Err(format!("has {} entries; at most {MAX_ENTRIES} are allowed", feed.entries.len()));
    }
    let mut reading = ReadDocuments::default();
    for entry in &feed.entries {
        let part = part(entry);
        if reading.documents.iter().any(|(other, _)| *other == part) {
            reading.passed_over.push(format!("{part} occurs twice; the first one was read"));
            continue;
        }
        reading.part(part, document(&feed, entry, origin));
    }
    Ok(reading)
}

/// Returns the name of an entry: the end of its URL, and a short hash of its id.
fn part(entry: &Entry) -> String {
    let digest = Sha256::digest(entry.id.as_bytes());
    let mark: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let address = entry.links.first().map_or(entry.id.as_str(), |link| link.href.as_str());
    let path = address.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let last = slug(path.rsplit('/').next().unwrap_or_default(), MAX_SLUG_BYTES);
    if last.is_empty() { mark } else { format!("{last}-{mark}") }
}

fn document(feed: &Feed, entry: &Entry, origin: &SourceMetadata) -> Result<(ParsedDocument, Option<String>), String> {
    let content = entry.content.as_ref().and_then(|content| content.body.as_deref());
    let summary = entry.summary.as_ref().map(|summary| summary.content.as_str());
    let body = content.or(summary).ok_or("has neither content nor summary")?;
    let text = flat(body)?;
    let of_feed = feed.title.as_ref().map(|title| flat(&title.content)).transpose()?;
    let title = entry.title.as_ref().map(|title| flat(&title.content)).transpose()?;
    let source = of_feed.filter(|title| !title.trim().is_empty());
    DocumentDraft {
        title: title.as_deref().map(str::trim).filter(|title| !title.is_empty()).unwrap_or("Untitled"),
        source: source.as_deref().unwrap_or(&origin.place),
        date: dated(feed, entry).unwrap_or(origin.date),
        kind: "post",
        text: &text,
    }
    .document()
}

fn dated(feed: &Feed, entry: &Entry) -> Option<NaiveDate> {
    let dates = [entry.published, entry.updated, feed.published, feed.updated];
    dates.into_iter().flatten().next().map(|date| date.date_naive())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin() -> SourceMetadata {
        let date = "2020-01-01".parse().unwrap();
        SourceMetadata { name: "blog".into(), place: "https://wall.example/feed".into(), date, url: None }
    }

    const RSS: &str = r#"<?xml version="1.0" encoding="ISO-8859-1"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>The Wall &amp; Post</title>
<item><title>Of lime</title><link>https://wall.example/2024/of-lime/?ref=rss</link><guid>w1</guid>
<pubDate>Sat, 02 Mar 2024 10:00:00 GMT</pubDate><description>Short.</description>
<content:encoded><![CDATA[<p>Lime takes its time.</p><p>So do I &amp; mine.</p>]]></content:encoded></item>
<item><title>&lt;b&gt;Bold&lt;/b&gt; é</title><guid isPermaLink="false">w2</guid><description>A fish &amp;amp; a wall.</description></item>
<item><title>Empty</title><guid>w3</guid></item>
<item><title>Twice</title><guid>w2</guid><description>Again.</description></item>
</channel></rss>"#;

    #[test]
    fn rss_entries_become_documents() {
        let reading = feed(RSS, &origin()).unwrap();
        let told: Vec<_> =
            reading.documents.iter().map(|(part, document)| (part.as_str(), document.title.as_str())).collect();
        let (lime, bold) = (&reading.documents[0].1, &reading.documents[1].1);
        assert_eq!(told.iter().map(|pair| pair.1).collect::<Vec<_>>(), ["Of lime", "Bold é"]);
        assert!(told[0].0.starts_with("of-lime-"), "{told:?}");
        assert_eq!((lime.source.as_str(), lime.date.to_string().as_str()), ("The Wall & Post", "2024-03-02"));
        assert_eq!(lime.passages, ["Lime takes its time.\n\nSo do I & mine."]);
        assert_eq!((bold.passages[0].as_str(), bold.date.to_string().as_str()), ("A fish & a wall.", "2020-01-01"));
        assert_eq!(reading.passed_over.len(), 2, "{:?}", reading.passed_over);
    }

    #[test]
    fn edited_atom_entries_keep_their_names() {
        let atom = |title: &str, body: &str| {
            format!(
                "<feed xmlns='http://www.w3.org/2005/Atom'><title>Post</title><id>f</id><updated>2024-01-02T00:00:00Z</updated>\
                 <entry><id>urn:1</id><title>{title}</title><updated>2024-02-03T00:00:00Z</updated>\
                 <content type='html'>{body}</content></entry></feed>"
            )
        };
        let one = feed(&atom("A", "&lt;p&gt;One.&lt;/p&gt;"), &origin()).unwrap().documents;
        let two = feed(&atom("B", "Two."), &origin()).unwrap().documents;
        assert_eq!(one[0].0, two[0].0);
        assert_eq!((one[0].1.passages[0].as_str(), one[0].1.date.to_string().as_str()), ("One.", "2024-02-03"));
    }

    #[test]
    fn hostile_feeds_are_refused_or_harmless() {
        let lols: String =
            (1..10).map(|n| format!("<!ENTITY l{n} '{}'>", format!("&l{};", n - 1).repeat(10))).collect();
        let bomb = format!(
            "<!DOCTYPE rss [<!ENTITY l0 'lol'>{lols}]><rss version='2.0'><channel><title>x</title>\
             <item><guid>1</guid><description>&l9; and words</description></item></channel></rss>"
        );
        match feed(&bomb, &origin()) {
            Ok(reading) => {
                assert!(reading.documents.iter().all(|(_, document)| document.passages.concat().len() < 1_000))
            }
            Err(why) => assert!(why.contains("not a readable feed"), "{why}"),
        }
        let outside = "<!DOCTYPE rss [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><rss version='2.0'><channel><title>x</title>\
             <item><guid>1</guid><description>&x; words</description></item></channel></rss>";
        if let Ok(reading) = feed(outside, &origin()) {
            assert!(!reading.documents[0].1.passages.concat().contains("root:"));
        }
        assert!(feed(&format!("<rss>{}", "<a>".repeat(100_000)), &origin()).is_err());
        let tower = format!(
            "<rss version='2.0'><channel><title>x</title><item><guid>1</guid><description><![CDATA[{}x]]></description></item></channel></rss>",
            "<a>".repeat(600)
        );
        assert!(feed(&tower, &origin()).unwrap().passed_over[0].contains("500 deep"));
        for odd in ["", "<", "<rss", "<rss version='2.0'><channel><item>", "<feed xmlns='x'/>", "{\"version\":1}"] {
            let _either = feed(odd, &origin());
        }
        let items = "<item><guid>1</guid></item>".repeat(MAX_ENTRIES + 1);
        let many = format!("<rss version='2.0'><channel><title>x</title>{items}</channel></rss>");
        assert_eq!(feed(&many, &origin()).unwrap_err(), "has 2001 entries; at most 2000 are allowed");
    }
}
