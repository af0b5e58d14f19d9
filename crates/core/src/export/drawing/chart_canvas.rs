//! Canvas of charts: SVG text with escaped words, and a title and a description for screen readers.

use crate::export::drawing::svg_parts::number;
use crate::export::text::xml;

/// Horizontal alignment of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextAnchor {
    /// The text begins at its point.
    Start,
    /// The text ends at its point.
    End,
}

impl TextAnchor {
    /// Value of the attribute `text-anchor`.
    fn name(self) -> &'static str {
        match self {
            TextAnchor::Start => "start",
            TextAnchor::End => "end",
        }
    }
}

/// Chart being drawn. Its elements have classes, which the style sheet of the page colours; it contains no script and no
/// link. Points are pairs of x and y.
#[derive(Debug)]
pub struct ChartCanvas {
    svg: String,
}

impl ChartCanvas {
    /// Opens a chart of this width and height. The ids of title and description begin with `id`, which must be unique on
    /// its page.
    pub fn new(id: &str, (width, height): (f64, f64), title: &str, description: &str) -> ChartCanvas {
        let (id, width, height) = (xml(id), number(width), number(height));
        let svg = format!(
            "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\" \
             xmlns=\"http://www.w3.org/2000/svg\"><title id=\"{id}-title\">{}</title><desc id=\"{id}-desc\">{}</desc>",
            xml(title),
            xml(description),
        );
        ChartCanvas { svg }
    }

    /// Draws a text on one line.
    pub fn text(&mut self, class: &'static str, (x, y): (f64, f64), anchor: TextAnchor, text: &str) {
        self.svg += &format!(
            "<text class=\"{class}\" x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>",
            number(x),
            number(y),
            anchor.name(),
            xml(text),
        );
    }

    /// Draws a straight line.
    pub fn line(&mut self, class: &'static str, from: (f64, f64), to: (f64, f64)) {
        self.svg += &format!(
            "<line class=\"{class}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>",
            number(from.0),
            number(from.1),
            number(to.0),
            number(to.1),
        );
    }

    /// Draws a path that this program computed.
    pub fn path(&mut self, class: &'static str, path: &str) {
        self.svg += &format!("<path class=\"{class}\" d=\"{}\"/>", xml(path));
    }

    /// Draws a dot.
    pub fn dot(&mut self, class: &'static str, (x, y): (f64, f64), radius: f64) {
        self.svg +=
            &format!("<circle class=\"{class}\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>", number(x), number(y), number(radius));
    }

    /// Returns the whole chart.
    pub fn finish(self) -> String {
        self.svg + "</svg>"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_a_chart_are_never_markup() {
        let harm = "</title><script>x()</script>\" onload=\"x()";
        let mut canvas = ChartCanvas::new("one", (10.0, 20.5), harm, harm);
        canvas.text("end", (1.0, 2.25), TextAnchor::End, harm);
        let svg = canvas.finish();
        assert!(svg.starts_with("<svg viewBox=\"0 0 10 20.5\" role=\"img\" aria-labelledby=\"one-title one-desc\""));
        assert!(svg.contains("<title id=\"one-title\">&lt;/title&gt;") && svg.ends_with("</text></svg>"), "{svg}");
        assert!(!svg.contains("<script") && !svg.contains("\" onload"), "{svg}");
    }

    #[test]
    fn numbers_have_at_most_one_decimal() {
        let mut canvas = ChartCanvas::new("one", (10.0, 10.0), "", "");
        canvas.line("axis", (0.0, 1.0 / 3.0), (10.0, 2.0));
        canvas.dot("dot", (0.25, -0.01), 2.5);
        canvas.path("step", "M0,1H2");
        let svg = canvas.finish();
        for element in [
            "<line class=\"axis\" x1=\"0\" y1=\"0.3\" x2=\"10\" y2=\"2\"/>",
            "<circle class=\"dot\" cx=\"0.3\" cy=\"0\" r=\"2.5\"/>",
            "<path class=\"step\" d=\"M0,1H2\"/></svg>",
        ] {
            assert!(svg.contains(element), "{element}\n{svg}");
        }
    }
}
