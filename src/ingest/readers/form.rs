//! What a source can be, and how it is told: a file by its name, a response by its type and first bytes.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// What a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Form {
    /// Markdown with front matter.
    Markdown,
    /// Plain text, with front matter or without.
    Text,
    /// RSS or Atom.
    Feed,
    /// A page with an article in it.
    Html,
    /// PDF with text in it.
    Pdf,
    /// What X gives its users of their own: the archive, or its file of posts.
    Posts,
}

/// The file of a persona's folder that names its sources in the web.
pub const LINKS: &str = "sources.toml";

impl Form {
    /// What a file is, by its name; `None` where it is nothing that is read.
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

    /// What a response is, by the type it says and how it begins; `None` where it is nothing that is read.
    pub fn of_response(content_type: Option<&str>, bytes: &[u8]) -> Option<Form> {
        let said = content_type.unwrap_or_default().to_lowercase();
        let head: String = bytes.iter().take(2_000).filter(|it| **it != 0).map(|it| char::from(*it)).collect();
        let head = head.to_lowercase();
        let begins = |any: &[&str]| any.iter().any(|it| head.contains(it));
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

    /// Its name in `sources.toml` and in reports.
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

    /// By its name in `sources.toml`: what can come from the web.
    pub fn of_link(name: &str) -> Option<Form> {
        [Form::Feed, Form::Html, Form::Text, Form::Pdf].into_iter().find(|it| it.name() == name)
    }

    /// The most bytes of such a source. Of an archive only the file of posts is measured.
    pub fn most_bytes(self) -> u64 {
        match self {
            Form::Markdown | Form::Text => 4 << 20,
            Form::Feed | Form::Html => 8 << 20,
            Form::Pdf => 32 << 20,
            Form::Posts => 128 << 20,
        }
    }

    /// Whether a source of this form is one document, rather than any number of them.
    pub fn is_one(self) -> bool {
        !matches!(self, Form::Feed | Form::Posts)
    }
}

/// `tweets`, `tweet`, `tweets-part2`: how an archive calls its files of posts.
pub fn is_posts(stem: &str) -> bool {
    let part = |it: &str| it.strip_prefix("-part").is_some_and(|it| it.bytes().all(|it| it.is_ascii_digit()));
    let rest = stem.strip_prefix("tweets").or_else(|| stem.strip_prefix("tweet"));
    rest.is_some_and(|it| it.is_empty() || part(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_by_their_names() {
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
    fn responses_are_told_by_what_they_are_rather_than_what_they_say() {
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
