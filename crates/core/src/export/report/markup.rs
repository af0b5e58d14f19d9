//! Writer of HTML that escapes all texts of a debate.
//!
//! Markup is always a literal of this program (`'static`); everything else is escaped text. The only exception is the
//! SVG picture, which this program draws.

use crate::export::text::is_unseen;

/// HTML text being written.
#[derive(Debug, Default)]
pub struct Markup {
    text: String,
}

impl Markup {
    /// Appends markup, which is a literal of this program.
    pub fn raw(&mut self, markup: &'static str) -> &mut Markup {
        self.text.push_str(markup);
        self
    }

    /// Appends text, escaped and without invisible characters.
    pub fn text(&mut self, text: &str) -> &mut Markup {
        for letter in
            text.chars().filter(|letter| letter.is_whitespace() || !letter.is_control() && !is_unseen(*letter))
        {
            match letter {
                blank if blank.is_whitespace() => self.text.push(' '),
                '&' => self.text.push_str("&amp;"),
                '<' => self.text.push_str("&lt;"),
                '>' => self.text.push_str("&gt;"),
                '"' => self.text.push_str("&quot;"),
                '\'' => self.text.push_str("&#39;"),
                other => self.text.push(other),
            }
        }
        self
    }

    /// Appends text in paragraphs: an empty line separates two, a line feed breaks a line.
    pub fn paragraphs(&mut self, text: &str) -> &mut Markup {
        for paragraph in
            text.replace("\r\n", "\n").split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty())
        {
            self.raw("<p dir=auto>");
            for (at, line) in paragraph.lines().enumerate() {
                if at > 0 {
                    self.raw("<br>");
                }
                self.text(line);
            }
            self.raw("</p>");
        }
        self
    }

    /// Appends a number.
    pub fn number(&mut self, number: usize) -> &mut Markup {
        self.text.push_str(&number.to_string());
        self
    }

    /// Appends an SVG picture that this program drew and escaped.
    pub fn picture(&mut self, svg: &str) -> &mut Markup {
        self.text.push_str(svg);
        self
    }

    /// Returns the whole text.
    pub fn finish(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_never_markup() {
        let check = |text: &str, wanted: &str| {
            let mut markup = Markup::default();
            markup.text(text);
            assert_eq!(markup.finish(), wanted);
        };
        check("<script>alert('x')</script>", "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;");
        check("\"onload=\"x&amp;", "&quot;onload=&quot;x&amp;amp;");
        check("a\u{0}b\u{1b}[2Jc\u{202e}d", "ab[2Jcd");
        let mut markup = Markup::default();
        markup.paragraphs("one\ntwo\n\n\n<three>\r\n\r\n ").raw("<hr>").number(3);
        assert_eq!(markup.finish(), "<p dir=auto>one<br>two</p><p dir=auto>&lt;three&gt;</p><hr>3");
    }
}
