//! Formats of sources, detected from a file's name, or from a response's type and first bytes.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// Format of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Form {
    /// Markdown with front matter.
    Markdown,
    /// Plain text, with or without front matter.
    Text,
    /// RSS or Atom.
    Feed,
    /// HTML page with an article.
    Html,
    /// PDF with text.
    Pdf,
    /// Archive that X exports for its users, or its file of posts.
    Posts,
}

/// Name of the file in a persona's folder that lists its web sources.
pub const LINKS: &str = "sources.toml";

/// Name of the file in a persona's folder that contains its positions.
pub const POSITIONS: &str = "positions.toml";

/// Name of the file that makes a folder of the corpus a shared corpus.
pub const SHARED: &str = "shared.toml";

impl Form {
    /// Detects the format of a file by its name; `None` if it is not supported.
    pub fn of_file(file: &Path) -> Option<Form> {
        let name = file.file_name()?.to_str()?.to_lowercase();
        let (stem, ending) = name.rsplit_once('.')?;
        match ending {
            "md" => Some(Form::Markdown),
            "txt" | "text" => Some(Form::Text),
            "xml" | "rss" | "atom" => Some(Form::Feed),
            "html" | "htm" | "xhtml" => Some(Form::Html),
            "pdf" => Some(Form::Pdf),
            "zip" => Some(Form::Posts),
            "js" if is_posts(stem) => Some(Form::Posts),
            _ => None,
        }
    }

    /// Detects the format of a response by its content type and first bytes; `None` if it is not supported.
    pub fn of_response(content_type: Option<&str>, bytes: &[u8]) -> Option<Form> {
        let said = content_type.unwrap_or_default().to_lowercase();
        let head: String = bytes.iter().take(2_000).filter(|byte| **byte != 0).map(|byte| char::from(*byte)).collect();
        let head = head.to_lowercase();
        let begins = |any: &[&str]| any.iter().any(|mark| head.contains(mark));
        if bytes.starts_with(b"%PDF-") {
            return Some(Form::Pdf);
        }
        if begins(&["<!doctype html", "<html"]) {
            return Some(Form::Html);
        }
        if begins(&["<rss", "<feed", "<rdf:rdf"]) {
            return Some(Form::Feed);
        }
        match said.split(';').next().unwrap_or_default().trim() {
            "text/html" | "application/xhtml+xml" => Some(Form::Html),
            "application/rss+xml" | "application/atom+xml" | "application/xml" | "text/xml" => Some(Form::Feed),
            "text/plain" | "text/markdown" => Some(Form::Text),
            _ => None,
        }
    }

    /// Name in `sources.toml` and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Form::Markdown => "markdown",
            Form::Text => "text",
            Form::Feed => "feed",
            Form::Html => "article",
            Form::Pdf => "pdf",
            Form::Posts => "posts",
        }
    }

    /// Parses a name in `sources.toml`; accepts the formats that can be fetched.
    pub fn of_link(name: &str) -> Option<Form> {
        [Form::Feed, Form::Html, Form::Text, Form::Pdf].into_iter().find(|form| form.name() == name)
    }

    /// Maximum size of a source, in bytes. For an archive, only the file of posts counts.
    pub fn most_bytes(self) -> u64 {
        match self {
            Form::Markdown | Form::Text => 4 << 20,
            Form::Feed | Form::Html => 8 << 20,
            Form::Pdf => 32 << 20,
            Form::Posts => 128 << 20,
        }
    }

    /// Returns true if a source of this format is one document, rather than any number of them.
    pub fn is_one(self) -> bool {
        !matches!(self, Form::Feed | Form::Posts)
    }
}

/// Returns true for the stem of a post file in an archive: `tweets`, `tweet`, `tweets-part2`.
pub fn is_posts(stem: &str) -> bool {
    let part = |suffix: &str| {
        suffix.strip_prefix("-part").is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let rest = stem.strip_prefix("tweets").or_else(|| stem.strip_prefix("tweet"));
    rest.is_some_and(|rest| rest.is_empty() || part(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_detected_by_name() {
        let check = |name: &str, form: Option<Form>| assert_eq!(Form::of_file(Path::new(name)), form, "{name}");
        check("a/b.md", Some(Form::Markdown));
        check("Notes.TXT", Some(Form::Text));
        check("feed.atom", Some(Form::Feed));
        check("page.htm", Some(Form::Html));
        check("paper.pdf", Some(Form::Pdf));
        check("twitter-2024.zip", Some(Form::Posts));
        check("tweets.js", Some(Form::Posts));
        check("tweet-part12.js", Some(Form::Posts));
        check("jquery.js", None);
        check("letter.docx", None);
        check("md", None);
    }

    #[test]
    fn response_contents_take_precedence_over_the_content_type() {
        let check = |said: &str, bytes: &str, form: Option<Form>| {
            assert_eq!(Form::of_response(Some(said), bytes.as_bytes()), form, "{said} {bytes}");
        };
        check("text/html", "<?xml version='1.0'?><rss version='2.0'>", Some(Form::Feed));
        check("application/xml", "<!DOCTYPE html><html>", Some(Form::Html));
        check("text/plain", "%PDF-1.4", Some(Form::Pdf));
        check("text/html; charset=x", "<p>a", Some(Form::Html));
        check("text/plain", "a", Some(Form::Text));
        check("image/png", "\u{89}PNG", None);
        check("", "a", None);
    }
}
