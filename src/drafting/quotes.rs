//! Whether a text holds a quotation word for word, and in which line.
//!
//! Compared is what a reader sees: white space counts as one space, and the kinds of quotation marks and dashes make no
//! difference. Letters, case and all other marks do.

/// A quotation of fewer characters shows nothing: it would be found anywhere.
pub const LEAST_CHARS: usize = 12;

/// A text that quotations are looked up in.
#[derive(Clone, Debug)]
pub struct Page {
    text: String,
    /// Where the lines of the original begin in `text`, with their numbers from 1.
    lines: Vec<(usize, usize)>,
}

impl Page {
    /// The page of a text. Linear in it.
    pub fn of(text: &str) -> Page {
        let mut page = Page { text: String::with_capacity(text.len()), lines: Vec::new() };
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

    /// The whole text, as it is compared.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The line, from 1, in which a quotation begins; `None` where it does not stand here, or has fewer than
    /// [`LEAST_CHARS`] characters.
    pub fn line_of(&self, quote: &str) -> Option<usize> {
        let quote = plain(quote);
        if quote.chars().count() < LEAST_CHARS {
            return None;
        }
        let at = self.text.find(&quote)?;
        let before = self.lines.partition_point(|(from, _)| *from <= at);
        self.lines.get(before.checked_sub(1)?).map(|(_, number)| *number)
    }
}

/// A text as it is compared.
pub fn plain(text: &str) -> String {
    let mark = |it: char| match it {
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
    fn a_quotation_is_found_whatever_its_breaks_and_marks() {
        let page =
            Page::of("---\ntitle: A\n---\n\nThe wall’s foot — I measured it —\nhas sunk.  Twice.\n\nAsk the dogs.\n");
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
}
