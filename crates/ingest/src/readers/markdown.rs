//! Prose of a Markdown text: what a reader would read aloud.
//!
//! | markup | result |
//! |---|---|
//! | fenced code, HTML comments and tags, images, definitions of links | left out |
//! | links | their text |
//! | quotations | their text |
//! | headings, lists, emphasis, inline code | kept |
//!
//! Every line of the text stays a line, perhaps an empty one, so that the lines can still be counted.

/// Maximum number of bytes of a piece of markup. Brackets that are further apart are text.
const MAX_MARKUP_BYTES: usize = 2_000;

/// Maximum nesting of brackets in a piece of markup.
const MAX_NESTING: usize = 8;

/// Returns the prose of a Markdown text, line by line. Linear in the text.
pub fn prose(text: &str) -> String {
    let mut reader = MarkdownReader::default();
    let mut prose = String::with_capacity(text.len());
    for line in text.lines() {
        reader.line(line, &mut prose);
        prose.truncate(prose.trim_end_matches([' ', '\t']).len());
        prose.push('\n');
    }
    prose
}

/// State between two lines.
#[derive(Default)]
struct MarkdownReader {
    /// Mark of the open block of code, and the length of its fence.
    code: Option<(char, usize)>,
    /// True within a comment.
    in_comment: bool,
}

impl MarkdownReader {
    fn line(&mut self, line: &str, prose: &mut String) {
        let trimmed = line.trim();
        let fence = fence(trimmed);
        match (self.code, fence) {
            (Some((mark, length)), Some((closing, other))) if closing == mark && other >= length => self.code = None,
            (Some(_), _) => {}
            (None, Some(opened)) if !self.in_comment => self.code = Some(opened),
            _ => self.words(line, prose),
        }
    }

    fn words(&mut self, line: &str, prose: &mut String) {
        let mut rest = line;
        if self.in_comment {
            let Some((_, after)) = line.split_once("-->") else { return };
            self.in_comment = false;
            rest = after;
        }
        let mut quoted = rest.trim_start();
        while let Some(inner) = quoted.strip_prefix('>') {
            quoted = inner.trim_start();
            rest = quoted;
        }
        if is_definition(rest.trim_start()) {
            return;
        }
        self.inline(rest, prose);
    }

    /// Appends the words of a part of a line. Recurses at most [`MAX_NESTING`] times.
    fn inline(&mut self, mut rest: &str, prose: &mut String) {
        while let Some(at) = rest.find(['[', '!', '<', '`']) {
            prose.push_str(&rest[..at]);
            rest = &rest[at..];
            if let Some(comment) = rest.strip_prefix("<!--") {
                let Some((_, after)) = comment.split_once("-->") else {
                    self.in_comment = true;
                    return;
                };
                rest = after;
                continue;
            }
            let used = self.markup(within(rest), prose);
            let plain = rest.chars().next().map_or(0, char::len_utf8);
            if used == 0 {
                prose.push_str(&rest[..plain]);
            }
            rest = &rest[used.max(plain)..];
        }
        prose.push_str(rest);
    }

    /// Appends the words of the markup with which a text begins. Returns its length in bytes; 0 if it is none.
    fn markup(&mut self, text: &str, prose: &mut String) -> usize {
        match text.as_bytes().first() {
            Some(b'`') => code(text, prose),
            Some(b'<') => tag(text),
            Some(b'!') => text.get(1..).and_then(link).map_or(0, |(_, length)| length + 1),
            Some(b'[') => link(text).map_or(0, |(words, length)| {
                self.inline(words, prose);
                length
            }),
            _ => 0,
        }
    }
}

/// Returns the length of the HTML tag with which a text begins; 0 if it is none. An address between angle brackets is
/// text.
fn tag(text: &str) -> usize {
    let name = text[1..].trim_start_matches('/');
    let is_name = name.starts_with(|letter: char| letter.is_ascii_alphabetic());
    let end = text.find('>').filter(|_| is_name);
    let is_address = |end: usize| text[..end].split(' ').next().is_some_and(|name| name.contains([':', '@']));
    end.filter(|end| !is_address(*end)).map_or(0, |end| end + 1)
}

/// Returns the beginning of a text in which markup is searched.
fn within(text: &str) -> &str {
    let end = (0..=text.len().min(MAX_MARKUP_BYTES)).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

/// Returns the mark and length of a fence of code.
fn fence(line: &str) -> Option<(char, usize)> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = line.len() - line.trim_start_matches(mark).len();
    // A line such as "```x``` y" is inline code.
    (length >= 3 && !line[length..].contains(mark)).then_some((mark, length))
}

/// Appends inline code as it is.
fn code(text: &str, prose: &mut String) -> usize {
    let marks = text.len() - text.trim_start_matches('`').len();
    let end = text[marks..].find(&text[..marks]).map_or(marks, |at| marks + at + marks);
    prose.push_str(&text[..end]);
    end
}

/// Returns the text of a link, and the length of its markup. Wiki links count too.
fn link(text: &str) -> Option<(&str, usize)> {
    if let Some(wiki) = text.strip_prefix("[[") {
        let end = wiki.find("]]")?;
        let words = wiki[..end].rsplit('|').next().unwrap_or_default();
        return Some((words, end + "[[]]".len()));
    }
    let end = balanced(text, '[', ']')?;
    let words = &text[1..end - 1];
    let target = &text[end..];
    let length = if target.starts_with('(') {
        balanced(target, '(', ')')
    } else {
        target.strip_prefix('[').and_then(|_| balanced(target, '[', ']'))
    };
    length.map(|length| (words, end + length))
}

/// Returns the length of the text up to the bracket that closes the first one.
fn balanced(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        if letter == open {
            depth += 1;
            if depth > MAX_NESTING {
                return None;
            }
        } else if letter == close {
            depth = depth.checked_sub(1)?;
        }
        if depth == 0 {
            return (at > 0).then(|| at + close.len_utf8());
        }
    }
    None
}

/// Returns true for the definition of a link: `[name]: https://…`.
fn is_definition(line: &str) -> bool {
    let target = line.strip_prefix('[').and_then(|rest| rest.split_once("]:")).map(|(_, target)| target.trim());
    target.is_some_and(|target| !target.is_empty() && !target.contains(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(markdown: &str, expected: &str) {
        assert_eq!(prose(markdown), format!("{expected}\n"), "{markdown:?}");
    }

    #[test]
    fn markup_without_words_is_left_out() {
        check("See [the *wall*](https://a.example/b_(c) \"t\") and [it][1].", "See the *wall* and it.");
        check("![badge](a.svg) [![ci](b.svg)](c) Lime", "  Lime");
        check("<p align=\"center\">Of <b>lime</b></p><!-- x --> and time", "Of lime and time");
        check("[1]: https://a.example", "");
        check("> > Quoted.", "Quoted.");
        check("[[walls/north|the north wall]] and [[lime]]", "the north wall and lime");
        check("a\n```sh\nrm -rf x\n```\nb", "a\n\n\n\nb");
        check("a <!-- b\nc --> d", "a\n d");
    }

    #[test]
    fn words_are_kept() {
        for plain in [
            "# Heading",
            "- [ ] an item",
            "1 < 2 and 3 > 2",
            "array[0] (sic)",
            "*so* it is!",
            "`<b>[x](y)`",
            "a [note] only",
            "<https://a.example>",
            "[unclosed",
            "![",
            "Mind [you]: it blows hard",
        ] {
            check(plain, plain);
        }
        check("````", "");
    }

    #[test]
    fn hostile_markup_takes_linear_time() {
        for odd in ["[", "[a", "](", "<a", "<!--", "`", "``a", "![", "[[", "é["] {
            let text = odd.repeat(400_000 / odd.len());
            assert!(prose(&text).len() <= text.len() + 1, "{odd}");
        }
    }
}
