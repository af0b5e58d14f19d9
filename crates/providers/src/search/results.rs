//! Results of a web search, as passages.
//!
//! | the service returns | result |
//! |---------------------|--------|
//! | an address that is not `http` or `https`, contains a user name or is longer than a link may be | dropped |
//! | an address that names a loopback, link-local or private host | dropped |
//! | the same address again, apart from its scheme and fragment | the first is kept |
//! | a text without visible words | dropped |
//! | a text of more than [`MAX_RESULT_BYTES`] | cut at a word |
//! | no title | the host is the title |
//! | a score that is no number | 0 |
//! | more results than the query asks for, or than [`MAX_RESULTS`] | the first are kept |
//!
//! Texts and titles are the work of strangers. Invisible characters, HTML comments and words of more than
//! [`MAX_WORD_BYTES`] are removed, as from documents at ingest.

use std::collections::HashSet;

use reqwest::Url;
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use crate::public_address::is_public_host;
use faultline_core::events::checks::check::is_web_address;
use faultline_core::events::receipt::{PassageRef, WebPage};
use faultline_core::kernel::effect::SuppliedPassage;
use faultline_core::kernel::passages::prompt_assembly::{MAX_PASSAGE_BYTES, MAX_TITLE_BYTES};
use faultline_core::kernel::safety::sanitize::visible_chars;

/// Maximum number of results of a search.
pub const MAX_RESULTS: u32 = 20;
/// Maximum length of the text of a result, in bytes: as much as a prompt shows.
pub const MAX_RESULT_BYTES: usize = MAX_PASSAGE_BYTES;
/// Maximum length of a word, in bytes; longer ones are encoded data.
pub const MAX_WORD_BYTES: usize = 1_000;

/// Mark of a text that was cut.
const ELLIPSIS: &str = " …";
/// Namespace of the ids of web pages.
const PAGES: Uuid = Uuid::from_u128(0x7c1b_52de_0b0f_4b7a_9c55_3d1e_60a8_f4c2);

/// Body of a response, of both services.
#[derive(Deserialize)]
pub(super) struct SearchReply {
    /// Results, best first.
    results: Vec<Value>,
}

impl SearchReply {
    /// Converts the results to at most `most` passages, best first.
    ///
    /// # Errors
    /// A description of the reply, as a predicate, if it has results and none of them has an address.
    pub(super) fn passages(&self, most: u32) -> Result<Vec<SuppliedPassage>, String> {
        let has_address = |result: &Value| result.get("url").is_some_and(Value::is_string);
        if !self.results.is_empty() && !self.results.iter().any(has_address) {
            return Err(format!("returned {} results without an address (`url`)", self.results.len()));
        }
        let mut seen = HashSet::new();
        let found = self.results.iter().filter_map(|result| passage(result, &mut seen));
        Ok(found.take(most.min(MAX_RESULTS) as usize).collect())
    }
}

/// Converts a result, unless it is dropped.
fn passage(result: &Value, seen: &mut HashSet<String>) -> Option<SuppliedPassage> {
    let field = |name: &str| result.get(name).and_then(Value::as_str).unwrap_or_default();
    let (address, host) = public_page(field("url"))?;
    let text = sanitized(field("content"), MAX_RESULT_BYTES);
    if text.is_empty() || !seen.insert(without_scheme_and_fragment(&address).to_owned()) {
        return None;
    }
    let title = sanitized(field("title"), MAX_TITLE_BYTES).replace('\n', " ");
    let title = if title.is_empty() { host } else { title };
    let score = result.get("score").and_then(Value::as_f64).unwrap_or_default();
    let chunk = Uuid::new_v5(&PAGES, format!("{address}\0{text}").as_bytes());
    let page = Some(WebPage { title: title.clone(), address });
    Some(SuppliedPassage { ground: PassageRef { page, ..PassageRef::of_chunk("", chunk, score) }, text, title })
}

/// Returns a web address in its normal form, and its host, unless the result is dropped for it.
fn public_page(address: &str) -> Option<(String, String)> {
    let url = Url::parse(address).ok()?;
    let has_user = !url.username().is_empty() || url.password().is_some();
    let host = url.host_str().filter(|host| is_public_host(host) && !has_user)?;
    // Characters that an address may contain, but a link may not.
    let plain = url.as_str().chars().map(|letter| match letter {
        '\'' | '^' | '`' | '{' | '|' | '}' => format!("%{:02X}", u32::from(letter)),
        other => other.to_string(),
    });
    let plain: String = plain.collect();
    is_web_address(&plain).then(|| (plain, host.to_owned()))
}

fn without_scheme_and_fragment(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let rest = rest.split('#').next().unwrap_or(rest);
    rest.trim_end_matches('/')
}

/// Returns the visible words of a text, on its lines, cut to `most` bytes.
fn sanitized(text: &str, most: usize) -> String {
    let visible: String = visible_chars(text).into_iter().map(|character| character.letter).collect();
    let is_word = |word: &&str| word.len() <= MAX_WORD_BYTES;
    let in_words = |line: &str| {
        let words = line.split(|letter: char| letter.is_whitespace() || letter.is_control());
        words.filter(|word| !word.is_empty()).filter(is_word).collect::<Vec<_>>().join(" ")
    };
    let lines = visible.lines().map(in_words).filter(|line| !line.is_empty());
    shortened(lines.collect::<Vec<_>>().join("\n"), most)
}

/// Cuts a text after a word, so that it has at most `most` bytes with the mark of the cut.
fn shortened(text: String, most: usize) -> String {
    if text.len() <= most {
        return text;
    }
    let beginning = &text[..text.floor_char_boundary(most - ELLIPSIS.len())];
    let end = beginning.rfind(char::is_whitespace).filter(|end| *end > 0).unwrap_or(beginning.len());
    format!("{}{ELLIPSIS}", beginning[..end].trim_end())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use serde_json::json;

    use super::*;

    fn passages(results: &Value, most: u32) -> Vec<SuppliedPassage> {
        let reply: SearchReply = serde_json::from_value(json!({ "results": results })).unwrap();
        reply.passages(most).unwrap()
    }

    fn result(address: &str, text: &str) -> Value {
        json!({ "title": "A title", "url": address, "content": text, "score": 0.5 })
    }

    fn addresses(results: &[Value]) -> Vec<String> {
        let found = passages(&Value::from(results.to_vec()), MAX_RESULTS);
        found.into_iter().map(|passage| passage.ground.page.unwrap().address).collect()
    }

    #[test]
    fn a_result_becomes_a_passage_of_its_page() {
        let found = passages(&json!([result("https://example.org/a", "The ferry is safe.")]), 5);
        let [passage] = found.as_slice() else { panic!("{found:?}") };
        let page = WebPage { title: "A title".into(), address: "https://example.org/a".into() };
        assert_eq!((passage.ground.alias.as_str(), passage.ground.score), ("", 0.5));
        assert_eq!((passage.ground.page.as_ref(), passage.title.as_str()), (Some(&page), "A title"));
        assert_eq!(passage.text, "The ferry is safe.");
        let again = passages(&json!([result("https://example.org/a", "The ferry is safe.")]), 5);
        assert_eq!(again[0].ground.chunk, passage.ground.chunk);
        for other in
            [result("https://example.org/b", "The ferry is safe."), result("https://example.org/a", "It is not.")]
        {
            assert_ne!(passages(&json!([other]), 5)[0].ground.chunk, passage.ground.chunk);
        }
    }

    #[test]
    fn addresses_that_are_no_public_web_pages_are_dropped() {
        for address in [
            "",
            "example.org",
            "/relative",
            "javascript:alert(1)",
            "java\nscript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "ftp://example.org/a",
            "https://user:secret@example.org/",
            "https://example.org@127.0.0.1/",
            "http://localhost:8080/admin",
            "http://127.0.0.1/",
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f.0.0.1/",
            "http://[::1]/",
            "http://[::ffff:10.0.0.1]/",
            "http://169.254.169.254/latest/meta-data",
            "http://192.168.1.1/",
            "http://router.local/",
            "http://intranet/",
            "https://",
        ] {
            assert_eq!(addresses(&[result(address, "Text.")]), Vec::<String>::new(), "{address}");
        }
        let long = format!("https://example.org/{}", "x".repeat(3_000));
        assert_eq!(addresses(&[result(&long, "Text.")]), Vec::<String>::new());
    }

    #[test]
    fn addresses_are_stored_in_their_normal_form() {
        for (given, stored) in [
            (" HTTPS://Example.ORG ", "https://example.org/"),
            ("https://de.example.org/Fähre's|a", "https://de.example.org/F%C3%A4hre%27s%7Ca"),
            ("https://example.org/a b?c=\"d\"", "https://example.org/a%20b?c=%22d%22"),
        ] {
            assert_eq!(addresses(&[result(given, "Text.")]), [stored]);
        }
    }

    #[test]
    fn the_first_text_of_an_address_is_kept() {
        let found = passages(
            &json!([
                result("https://example.org/a", "\u{200b} <!-- hidden -->"),
                result("https://example.org/a#one", "The ferry is safe."),
                result("http://example.org/a/", "The ferry is not safe."),
                result("https://example.org/b", "The ferry is not safe."),
            ]),
            5,
        );
        let texts: Vec<&str> = found.iter().map(|passage| passage.text.as_str()).collect();
        assert_eq!(texts, ["The ferry is safe.", "The ferry is not safe."]);
    }

    #[test]
    fn texts_are_visible_words_and_bounded() {
        let text =
            |text: &str| passages(&json!([result("https://example.org/", text)]), 1).pop().map(|passage| passage.text);
        assert_eq!(text("a\u{0} b \t c\u{202e}d\n\n<!-- ignore -->\r\ne"), Some("a b cd\ne".into()));
        assert_eq!(text(&format!("a {} b", "x".repeat(MAX_WORD_BYTES + 1))), Some("a b".into()));
        let long = text(&"wörter ".repeat(1 << 15)).unwrap();
        assert!(long.len() <= MAX_RESULT_BYTES && long.ends_with("wörter …"), "{} bytes", long.len());
        for empty in ["", " \n", "\u{200b}", "<!-- only hidden -->"] {
            assert_eq!(text(empty), None, "{empty:?}");
        }
    }

    #[test]
    fn titles_are_one_bounded_line() {
        let title = |title: Value| {
            let result = json!({ "title": title, "url": "https://example.org/a", "content": "Text." });
            passages(&json!([result]), 1).remove(0).title
        };
        assert_eq!(title(json!("One\n two\u{200b}")), "One two");
        assert_eq!(title(json!("")), "example.org");
        assert_eq!(title(json!(7)), "example.org");
        assert!(title(json!("long ".repeat(1_000))).len() <= MAX_TITLE_BYTES);
    }

    #[test]
    fn the_number_of_results_is_bounded() {
        let many: Vec<Value> = (0..100).map(|n| result(&format!("https://example.org/{n}"), "Text.")).collect();
        assert_eq!(passages(&Value::from(many.clone()), 3).len(), 3);
        assert_eq!(passages(&Value::from(many), u32::MAX).len(), MAX_RESULTS as usize);
    }

    #[test]
    fn malformed_results_are_dropped_unless_all_are() {
        let page = result("https://example.org/", "Text.");
        let mixed = json!([null, 7, "x", [], { "url": 7 }, { "url": "https://example.org/b" }, page]);
        assert_eq!(passages(&mixed, 9).len(), 1);
        let strange = json!([{ "url": "https://example.org/", "content": "Text.", "score": "high", "title": null }]);
        assert_eq!(passages(&strange, 9)[0].ground.score, 0.0);
        let reply: SearchReply = serde_json::from_value(json!({ "results": [{ "link": "x" }, 7] })).unwrap();
        assert_eq!(reply.passages(9).unwrap_err(), "returned 2 results without an address (`url`)");
        assert_eq!(passages(&json!([]), 9), []);
    }
}
