//! Page layout: arranges lines and renders them as text.

use std::fmt::Write;

use crate::cli::stage::ascii::ascii;
use crate::cli::stage::clean::is_unwanted;
use crate::cli::stage::span::{GLUE, Line, Span, blanks, columns, first, head, in_line, own};
use crate::cli::stage::style::{Look, Tone};
use crate::cli::stage::wrap::wrap;

/// Columns left free on either side.
const MARGIN: usize = 2;
/// Maximum number of characters considered for one line.
const LOOKED_AT: usize = 600;
/// Columns that a frame takes on either side, including its inner padding.
const FRAME: usize = 3;

/// Lines laid out for a terminal style.
#[derive(Clone, Debug)]
pub struct Page {
    look: Look,
    room: usize,
    lines: Vec<Line>,
}

impl Page {
    /// Creates an empty page for prose.
    pub fn new(look: Look) -> Page {
        Page { look, room: look.measure() - 2 * MARGIN, lines: Vec::new() }
    }

    /// Creates an empty page for a table, which may be wider.
    pub fn wide(look: Look) -> Page {
        Page { room: look.columns() - 2 * MARGIN, ..Page::new(look) }
    }

    /// Creates an empty page that will be framed.
    pub fn inside(look: Look) -> Page {
        Page { room: look.measure() - 2 * (MARGIN + FRAME), ..Page::new(look) }
    }

    /// Returns the number of columns that a line may take.
    pub fn room(&self) -> usize {
        self.room
    }

    /// Appends an empty line.
    pub fn blank(&mut self) {
        self.lines.push(Line::new());
    }

    /// Appends `body`, wrapped, with the prefix `first` on the first line and `rest` on the others.
    pub fn row(&mut self, first: &[Span], rest: &[Span], body: &[Span]) {
        let (first, rest, body) = (self.fold(first), self.fold(rest), self.fold(body));
        let taken = columns(&first).max(columns(&rest));
        let room = self.room.saturating_sub(taken).max(self.room / 3);
        for (at, line) in wrap(&body, room).into_iter().enumerate() {
            let mut whole = if at == 0 { first.clone() } else { rest.clone() };
            whole.extend(line);
            self.lines.push(whole);
        }
    }

    /// Appends `body` after the gutter and a label; all its lines start `indent` columns after the gutter.
    pub fn hang(&mut self, gutter: &[Span], label: &[Span], indent: usize, body: &[Span]) {
        let label = self.fold(label);
        let taken = columns(&label);
        let indent = if taken == 0 { indent } else { indent.max(taken + 1) };
        let mut first = gutter.to_vec();
        first.extend(label);
        first.push(blanks(indent - taken));
        let mut rest = gutter.to_vec();
        rest.push(blanks(indent));
        self.row(&first, &rest, body);
    }

    /// Appends `body` from the left edge.
    pub fn text(&mut self, body: &[Span]) {
        self.row(&[], &[], body);
    }

    /// Appends a title, followed by a rule to the right edge.
    pub fn rule(&mut self, title: &str) {
        let title = self.fit(title, self.room.saturating_sub(8));
        let rest = self.room.saturating_sub(4 + columns(&[own(Tone::Strong, title.as_str())]));
        let dashes = |n: usize| "─".repeat(n);
        let line = [
            own(Tone::Faint, dashes(2) + " "),
            own(Tone::Strong, title),
            own(Tone::Faint, format!(" {}", dashes(rest))),
        ];
        let line = self.fold(&line);
        self.lines.push(line);
    }

    /// Fits an untrusted text into one line of at most `room` columns; an ellipsis replaces what does not fit.
    pub fn fit(&self, text: &str, room: usize) -> String {
        let line = self.folded(&in_line(first(text, LOOKED_AT)));
        if columns(&[own(Tone::Plain, line.as_str())]) <= room {
            return line;
        }
        let ellipsis = self.folded("…");
        let kept = head(&line, room.saturating_sub(ellipsis.chars().count()));
        let at_word = kept.rfind(' ').filter(|it| it * 3 > kept.len() * 2);
        let kept = at_word.map_or(kept, |it| &kept[..it]);
        format!("{}{ellipsis}", kept.trim_end())
    }

    /// Renders the page as text, with a line feed after each line.
    pub fn print(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            self.paint(line, MARGIN, MARGIN + self.room, &mut text);
        }
        text
    }

    /// Renders the page in a frame with a title.
    pub fn framed(&self, title: &str) -> String {
        let inner = self.room + 2 * (FRAME - 1);
        let title = self.fit(title, inner.saturating_sub(6));
        let dashes = |n: usize| "─".repeat(n);
        let used = columns(&[own(Tone::Plain, title.as_str())]);
        let top = [
            own(Tone::Faint, format!("╭{} ", dashes(2))),
            own(Tone::Strong, title),
            own(Tone::Faint, format!(" {}╮", dashes(inner - 4 - used))),
        ];
        let bottom = [own(Tone::Faint, format!("╰{}╯", dashes(inner)))];
        let side = self.fold(&[own(Tone::Faint, "│")]);
        let mut text = String::new();
        self.paint(&self.fold(&top), MARGIN, MARGIN + inner + 2, &mut text);
        for line in &self.lines {
            let mut whole = side.clone();
            whole.push(blanks(FRAME - 1));
            let line = clip(line, self.room);
            let left = self.room - columns(&line);
            whole.extend(line);
            whole.push(blanks(left + FRAME - 1));
            whole.extend(side.clone());
            self.paint(&whole, MARGIN, MARGIN + inner + 2, &mut text);
        }
        self.paint(&self.fold(&bottom), MARGIN, MARGIN + inner + 2, &mut text);
        text
    }

    fn folded(&self, text: &str) -> String {
        if self.look.unicode { text.to_owned() } else { ascii(text) }
    }

    fn fold(&self, line: &[Span]) -> Line {
        line.iter().map(|it| own(it.tone, self.folded(&it.text))).collect()
    }

    /// Renders one line. Control characters were removed on input; this filters them once more.
    fn paint(&self, line: &[Span], margin: usize, most: usize, text: &mut String) {
        let mut line = clip(line, most - margin);
        while let Some(last) = line.last_mut() {
            last.text.truncate(last.text.trim_end().len());
            if !last.text.is_empty() {
                break;
            }
            line.pop();
        }
        let mut shown = String::new();
        for span in &line {
            let letters = span.text.chars().filter(|it| !is_unwanted(*it));
            let letters: String = letters.map(|it| if it == GLUE { ' ' } else { it }).collect();
            let style = span.tone.style();
            // Writing to a `String` cannot fail.
            let _ = match self.look.colour && !letters.trim().is_empty() {
                true => write!(shown, "{style}{letters}{style:#}"),
                false => write!(shown, "{letters}"),
            };
        }
        if !shown.is_empty() {
            text.push_str(&" ".repeat(margin));
            text.push_str(&shown);
        }
        text.push('\n');
    }
}

/// Cuts a line to the given width.
fn clip(line: &[Span], room: usize) -> Line {
    let mut left = room;
    let mut kept = Line::new();
    for span in line {
        let text = head(&span.text, left);
        left -= columns(&[own(span.tone, text)]);
        kept.push(own(span.tone, text));
        if text.len() < span.text.len() {
            break;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::stage::clean::clean;
    use crate::cli::stage::span::told;

    const LOOK: Look = Look { width: 60, colour: false, unicode: true };

    #[test]
    fn lines_are_indented_after_their_label() {
        let mut page = Page::new(LOOK);
        let body = "word ".repeat(14);
        page.hang(&[own(Tone::Faint, "│ ")], &[own(Tone::Strong, "a1")], 4, &[told(Tone::Plain, &body)]);
        let text = page.print();
        assert!(text.starts_with("  │ a1  word"), "{text}");
        assert!(text.lines().nth(1).is_some_and(|it| it.starts_with("  │     word")), "{text}");
    }

    #[test]
    fn frame_borders_align() {
        let mut page = Page::inside(LOOK);
        page.text(&[told(Tone::Plain, "日本語 and more")]);
        page.blank();
        let text = page.framed("A title");
        let widths: Vec<usize> = text.lines().map(|it| columns(&[own(Tone::Plain, it)])).collect();
        assert!(widths.iter().all(|it| *it == 58), "{widths:?}\n{text}");
    }

    #[test]
    fn colours_do_not_change_the_text() {
        let coloured = Look { colour: true, ..LOOK };
        let line = [told(Tone::Name(0), "Ada"), own(Tone::Quiet, " says")];
        let (mut plain, mut painted) = (Page::new(LOOK), Page::new(coloured));
        plain.text(&line);
        painted.text(&line);
        assert_ne!(plain.print(), painted.print());
        assert_eq!(plain.print(), clean(&painted.print()));
    }

    #[test]
    fn long_labels_do_not_overflow_the_page() {
        let mut page = Page::new(LOOK);
        page.hang(&[], &[told(Tone::Plain, &"x".repeat(200))], 4, &[told(Tone::Plain, "body")]);
        assert!(page.print().lines().all(|it| it.chars().count() <= 60));
    }
}
