//! Page layout: arranges lines and renders them as text.

use std::fmt::Write;

use crate::text::ascii::ascii;
use crate::text::clean::is_unwanted;
use crate::text::span::{GLUE, Span, SpanLine, blanks, columns, first, head, in_line, trusted};
use crate::text::style::{TerminalStyle, Tone};
use crate::text::wrap::wrap;

/// Columns left free on either side.
const MARGIN: usize = 2;
/// Maximum number of characters considered for one line.
const MAX_LOOKED_AT: usize = 600;
/// Columns that a frame takes on either side, including its inner padding.
const FRAME: usize = 3;

/// Columns by which a page beside the others is indented on a terminal that is too narrow for two halves.
const INDENT: usize = 6;

/// Part of the terminal's width that a page takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PagePart {
    /// The whole measure.
    Whole,
    /// The main text beside which other pages stand: the left half of a wide terminal, the whole measure of a narrow one.
    Main,
    /// Text beside the main one: the right half of a wide terminal, the measure of a narrow one without an indentation.
    Side,
}

/// Lines laid out for a terminal style.
#[derive(Clone, Debug)]
pub struct TextPage {
    look: TerminalStyle,
    /// Columns left free at the left.
    margin: usize,
    room: usize,
    lines: Vec<SpanLine>,
}

impl TextPage {
    /// Creates an empty page for prose.
    pub fn new(look: TerminalStyle) -> TextPage {
        TextPage { look, margin: MARGIN, room: look.measure() - 2 * MARGIN, lines: Vec::new() }
    }

    /// Creates an empty page for prose in a part of the terminal's width.
    pub fn part(look: TerminalStyle, part: PagePart) -> TextPage {
        let half = look.columns() / 2;
        let (margin, room) = match (part, look.is_wide()) {
            (PagePart::Main, true) => (MARGIN, half - 2 * MARGIN),
            (PagePart::Side, true) => (half + MARGIN, half - 2 * MARGIN),
            (PagePart::Side, false) => (MARGIN + INDENT, look.measure() - 2 * MARGIN - INDENT),
            (PagePart::Whole, _) | (PagePart::Main, false) => (MARGIN, look.measure() - 2 * MARGIN),
        };
        TextPage { look, margin, room, lines: Vec::new() }
    }

    /// Creates an empty page for a table, which may be wider.
    pub fn wide(look: TerminalStyle) -> TextPage {
        TextPage { room: look.columns() - 2 * MARGIN, ..TextPage::new(look) }
    }

    /// Creates an empty page that will be framed.
    pub fn inside(look: TerminalStyle) -> TextPage {
        TextPage { room: look.measure() - 2 * (MARGIN + FRAME), ..TextPage::new(look) }
    }

    /// Returns the number of columns that a line may take.
    pub fn room(&self) -> usize {
        self.room
    }

    /// Returns true if nothing was appended yet.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Appends an empty line.
    pub fn blank(&mut self) {
        self.lines.push(SpanLine::new());
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
        let rest = self.room.saturating_sub(4 + columns(&[trusted(Tone::Strong, title.as_str())]));
        let dashes = |n: usize| "─".repeat(n);
        let line = [
            trusted(Tone::Faint, dashes(2) + " "),
            trusted(Tone::Strong, title),
            trusted(Tone::Faint, format!(" {}", dashes(rest))),
        ];
        let line = self.fold(&line);
        self.lines.push(line);
    }

    /// Fits an untrusted text into one line of at most `room` columns; an ellipsis replaces what does not fit.
    pub fn fit(&self, text: &str, room: usize) -> String {
        let line = self.folded(&in_line(first(text, MAX_LOOKED_AT)));
        if columns(&[trusted(Tone::Plain, line.as_str())]) <= room {
            return line;
        }
        let ellipsis = self.folded("…");
        let kept = head(&line, room.saturating_sub(ellipsis.chars().count()));
        let at_word = kept.rfind(' ').filter(|index| index * 3 > kept.len() * 2);
        let kept = at_word.map_or(kept, |index| &kept[..index]);
        format!("{}{ellipsis}", kept.trim_end())
    }

    /// Renders the page as text, with a line feed after each line.
    pub fn print(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            self.paint(line, self.margin, self.margin + self.room, &mut text);
        }
        text
    }

    /// Renders the page in a frame with a title.
    pub fn framed(&self, title: &str) -> String {
        let inner = self.room + 2 * (FRAME - 1);
        let title = self.fit(title, inner.saturating_sub(6));
        let dashes = |n: usize| "─".repeat(n);
        let used = columns(&[trusted(Tone::Plain, title.as_str())]);
        let top = [
            trusted(Tone::Faint, format!("╭{} ", dashes(2))),
            trusted(Tone::Strong, title),
            trusted(Tone::Faint, format!(" {}╮", dashes(inner - 4 - used))),
        ];
        let bottom = [trusted(Tone::Faint, format!("╰{}╯", dashes(inner)))];
        let side = self.fold(&[trusted(Tone::Faint, "│")]);
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

    fn fold(&self, line: &[Span]) -> SpanLine {
        line.iter().map(|span| trusted(span.tone, self.folded(&span.text))).collect()
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
            let letters = span.text.chars().filter(|letter| !is_unwanted(*letter));
            let letters: String = letters.map(|letter| if letter == GLUE { ' ' } else { letter }).collect();
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
fn clip(line: &[Span], room: usize) -> SpanLine {
    let mut left = room;
    let mut kept = SpanLine::new();
    for span in line {
        let text = head(&span.text, left);
        left -= columns(&[trusted(span.tone, text)]);
        kept.push(trusted(span.tone, text));
        if text.len() < span.text.len() {
            break;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::clean::clean;
    use crate::text::span::untrusted;

    const LOOK: TerminalStyle = TerminalStyle { width: 60, colour: false, unicode: true };

    #[test]
    fn lines_are_indented_after_their_label() {
        let mut page = TextPage::new(LOOK);
        let body = "word ".repeat(14);
        page.hang(&[trusted(Tone::Faint, "│ ")], &[trusted(Tone::Strong, "a1")], 4, &[untrusted(Tone::Plain, &body)]);
        let text = page.print();
        assert!(text.starts_with("  │ a1  word"), "{text}");
        assert!(text.lines().nth(1).is_some_and(|line| line.starts_with("  │     word")), "{text}");
    }

    #[test]
    fn a_side_page_is_in_the_right_half_of_a_wide_terminal_and_indented_on_a_narrow_one() {
        let lines = |width: usize, part: PagePart| {
            let mut page = TextPage::part(TerminalStyle { width, ..LOOK }, part);
            page.text(&[untrusted(Tone::Plain, &"word ".repeat(40))]);
            page.print()
        };
        let starts = |text: &str| text.lines().map(|line| line.len() - line.trim_start().len()).min();
        let most = |text: &str| text.lines().map(|line| line.chars().count()).max();
        let (main, side) = (lines(120, PagePart::Main), lines(120, PagePart::Side));
        assert_eq!((starts(&main), starts(&side)), (Some(MARGIN), Some(60 + MARGIN)));
        assert!(most(&main) <= Some(60 - MARGIN) && most(&side) <= Some(120 - MARGIN), "{main}{side}");
        let (main, side) = (lines(119, PagePart::Main), lines(119, PagePart::Side));
        assert_eq!((starts(&main), starts(&side)), (Some(MARGIN), Some(MARGIN + INDENT)));
        assert_eq!(main, lines(119, PagePart::Whole));
        assert!(most(&side) <= Some(100 - MARGIN), "{side}");
    }

    #[test]
    fn frame_borders_align() {
        let mut page = TextPage::inside(LOOK);
        page.text(&[untrusted(Tone::Plain, "日本語 and more")]);
        page.blank();
        let text = page.framed("A title");
        let widths: Vec<usize> = text.lines().map(|line| columns(&[trusted(Tone::Plain, line)])).collect();
        assert!(widths.iter().all(|width| *width == 58), "{widths:?}\n{text}");
    }

    #[test]
    fn colours_do_not_change_the_text() {
        let coloured = TerminalStyle { colour: true, ..LOOK };
        let line = [untrusted(Tone::Name(0), "Ada"), trusted(Tone::Quiet, " says")];
        let (mut plain, mut painted) = (TextPage::new(LOOK), TextPage::new(coloured));
        plain.text(&line);
        painted.text(&line);
        assert_ne!(plain.print(), painted.print());
        assert_eq!(plain.print(), clean(&painted.print()));
    }

    #[test]
    fn long_labels_do_not_overflow_the_page() {
        let mut page = TextPage::new(LOOK);
        page.hang(&[], &[untrusted(Tone::Plain, &"x".repeat(200))], 4, &[untrusted(Tone::Plain, "body")]);
        assert!(page.print().lines().all(|line| line.chars().count() <= 60));
    }
}
