//! Search for a quotation in a text, word for word, and the line in which it begins.
//!
//! The comparison is of the visible text: any white space counts as one space, and the kinds of quotation marks and
//! dashes make no difference. Letters, case and all other marks must match.

/// Minimum number of characters of a quotation; a shorter one would be found anywhere.
pub const MIN_CHARS: usize = 12;

/// Text that is searched for quotations.
#[derive(Clone, Debug)]
pub struct QuotableText {
    text: String,
    /// Start of each line of the original in `text`, with its number from 1.
    lines: Vec<(usize, usize)>,
}

impl QuotableText {
    /// Prepares a text for searching. Linear in it.
    pub fn of(text: &str) -> QuotableText {
        let mut page = QuotableText { text: String::with_capacity(text.len()), lines: Vec::new() };
        for (number, line) in (1..).zip(text.lines()) {
            let plain = plain(line);
            if plain.is_empty() {
                continue;
            }
            if !page.text.is_empty() {
                page.text.push(' ');
            }
            page.lines.push((page.text.len(), number));
            page.text.push_str(&plain);
        }
        page
    }

    /// Prepares the passages of a document whose lines mean nothing to a reader, such as a page of HTML.
    pub fn unnumbered(passages: &[String]) -> QuotableText {
        QuotableText { text: plain(&passages.join(" ")), lines: Vec::new() }
    }

    /// Returns true if a quotation of at least [`MIN_CHARS`] characters is in the text.
    pub fn contains(&self, quote: &str) -> bool {
        self.position(quote).is_some()
    }

    /// Returns the whole text in its normalized form.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn position(&self, quote: &str) -> Option<usize> {
        let quote = plain(quote);
        if quote.chars().count() < MIN_CHARS { None } else { self.text.find(&quote) }
    }

    /// Returns the line, from 1, in which a quotation begins; `None` if it is not in the text, has fewer than
    /// [`MIN_CHARS`] characters, or the text has no numbered lines.
    pub fn line_of(&self, quote: &str) -> Option<usize> {
        let at = self.position(quote)?;
        let before = self.lines.partition_point(|(from, _)| *from <= at);
        self.lines.get(before.checked_sub(1)?).map(|(_, number)| *number)
    }
}

/// Normalizes a text for comparison.
pub fn plain(text: &str) -> String {
    let mark = |letter: char| match letter {
        '’' | '‘' | '‛' | '′' | '`' => '\'',
        '“' | '”' | '„' | '″' | '«' | '»' => '"',
        '–' | '—' | '‒' | '―' | '‐' | '‑' | '−' => '-',
        other => other,
    };
    let text: String = text.chars().map(mark).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_are_found_across_line_breaks_and_kinds_of_marks() {
        let page = QuotableText::of(
            "---\ntitle: A\n---\n\nThe wall’s foot — I measured it —\nhas sunk.  Twice.\n\nAsk the dogs.\n",
        );
        let check = |quote: &str, expected: Option<usize>| assert_eq!(page.line_of(quote), expected, "{quote:?}");
        check("The wall's foot - I measured it", Some(5));
        check("I measured it – has\n sunk. Twice.", Some(5));
        check("has sunk. Twice.", Some(6));
        check("Twice. Ask the dogs.", Some(6));
        check("Ask the dogs.", Some(8));
        check("ask the dogs.", None);
        check("The wall's foot, I measured it", None);
        check("the dogs.", None);
        check("", None);
    }

    #[test]
    fn passages_without_lines_contain_quotations() {
        let page = QuotableText::unnumbered(&["The wall’s foot".to_owned(), "has sunk.".to_owned()]);
        assert!(page.contains("wall's foot has sunk") && !page.contains("wall's foot rose"));
        assert_eq!(page.line_of("wall's foot has sunk"), None);
    }
}
