//! Boxes of the SVG picture: one for each node of the map.

use crate::export::drawing::svg_parts::{
    BOX_WIDTH, INK, LINE_HEIGHT, PAPER, QUIET, label_style, number, picture_of_label, shape,
};
use crate::export::map::{DebateMap, MapNode, NodeContent, NodeId, ProposalStanding, label_name};
use crate::export::text::{clean, sans_width, shortened, wrapped, xml};
use faultline_argumentation::labelling::Label;

/// Font size of a text.
const TEXT_SIZE: f64 = 13.0;
/// Font size of stances and of the status.
const SMALL_SIZE: f64 = 11.5;
/// Line height of stances.
const SMALL_LINE_HEIGHT: f64 = 15.5;
/// Maximum number of lines of a text; the tooltip contains the whole text.
const MAX_TEXT_LINES: usize = 6;
/// Maximum number of lines of a proposal.
const MAX_PROPOSAL_LINES: usize = 16;
/// Maximum number of lines of a stance; the tooltip contains the whole stance.
const MAX_ROW_LINES: usize = 4;
/// Height of the line above the text, with id, speaker and label.
const HEAD_HEIGHT: f64 = 30.0;
/// Space on both sides of a text.
const PADDING: f64 = 12.0;
/// Space for the sign of a label.
const SIGN_WIDTH: f64 = 18.0;
/// Space to the left of a stance, for the mark of the speaker.
const ROW_INDENT: f64 = 20.0;
/// Amber of open issues and blue-grey of questions and proposals.
const OPEN: (&str, &str) = ("#8a6100", "#fffaeb");
const BLUE_GREY: &str = "#eef2f6";

/// Visual style of a box.
#[derive(Clone, Copy, Debug)]
pub struct BoxStyle {
    /// Colour of the border.
    pub colour: &'static str,
    /// Background colour.
    pub fill: &'static str,
    /// Width of the border.
    pub border: &'static str,
    /// Dash pattern of the border, as an attribute.
    pub dashes: &'static str,
    /// Radius of the corners.
    pub radius: f64,
    /// True if the border is double.
    pub is_double: bool,
}

/// Returns the style of a node's box.
pub fn box_style(node: &MapNode) -> BoxStyle {
    let plain = BoxStyle { colour: QUIET, fill: PAPER, border: "1.4", dashes: "", radius: 7.0, is_double: false };
    let labelled = |label: Label| {
        let look = label_style(label);
        BoxStyle { colour: look.colour, fill: look.fill, border: look.border, dashes: look.dashes, ..plain }
    };
    let dashed = " stroke-dasharray=\"7 4\"";
    match &node.content {
        NodeContent::Argument { label, is_thesis, .. } => BoxStyle { is_double: *is_thesis, ..labelled(*label) },
        NodeContent::Reason { label: Some(label), .. } => labelled(*label),
        NodeContent::Reason { label: None, .. } => BoxStyle { dashes: dashed, ..plain },
        NodeContent::Question { .. } => BoxStyle { colour: INK, fill: BLUE_GREY, border: "2", radius: 0.0, ..plain },
        NodeContent::Position { .. } => BoxStyle { radius: 18.0, ..plain },
        NodeContent::Proposal { standing: ProposalStanding::Rejected, .. } => labelled(Label::Out),
        NodeContent::Proposal { standing, .. } => {
            let is_double = *standing == ProposalStanding::Final;
            BoxStyle { colour: INK, fill: BLUE_GREY, border: "2", is_double, ..plain }
        }
        NodeContent::Issue { resolved_by, .. } if resolved_by.is_empty() => {
            BoxStyle { colour: OPEN.0, fill: OPEN.1, dashes: dashed, radius: 0.0, ..plain }
        }
        NodeContent::Issue { .. } => BoxStyle { radius: 0.0, ..plain },
    }
}

/// Box of the drawing.
#[derive(Clone, Debug)]
pub struct DrawnBox<'m> {
    /// Height of the box; its width is [`BOX_WIDTH`].
    pub height: f64,
    node: &'m MapNode,
    lines: Vec<String>,
    /// Speaker and lines of each stance or recommendation.
    rows: Vec<(Option<usize>, Vec<String>)>,
}

impl<'m> DrawnBox<'m> {
    /// Wraps the texts of a node, and measures its box.
    pub fn of(map: &DebateMap, node: &'m MapNode) -> DrawnBox<'m> {
        let room = BOX_WIDTH - 2.0 * PADDING - 6.0;
        let most =
            if matches!(node.content, NodeContent::Proposal { .. }) { MAX_PROPOSAL_LINES } else { MAX_TEXT_LINES };
        let lines = wrapped(node.body(), room, most, |sign| sans_width(sign) * TEXT_SIZE);
        let small = |text: &str| wrapped(text, room - ROW_INDENT, MAX_ROW_LINES, |sign| sans_width(sign) * SMALL_SIZE);
        let rows: Vec<(Option<usize>, Vec<String>)> =
            node.rows(map).into_iter().map(|row| (row.speaker, small(&row.text))).collect();
        let n_small: usize = rows.iter().map(|(_, lines)| lines.len()).sum();
        let has_text = !lines.is_empty() || rows.is_empty();
        let text = if has_text { lines.len().max(1) as f64 * LINE_HEIGHT } else { 0.0 };
        let gaps = if has_text && !rows.is_empty() { 8.0 } else { 0.0 };
        let height = HEAD_HEIGHT + text + gaps + n_small as f64 * SMALL_LINE_HEIGHT + 12.0;
        DrawnBox { height, node, lines, rows }
    }

    /// Renders the box with its upper left corner at a point.
    pub fn render(&self, map: &DebateMap, corner: (f64, f64)) -> String {
        let look = box_style(self.node);
        let (width, height, radius) = (number(BOX_WIDTH), number(self.height), number(look.radius));
        let mut svg = format!(
            "<g id=\"{}\" transform=\"translate({},{})\"><title>{}</title>\n",
            self.node.id,
            number(corner.0),
            number(corner.1),
            xml(&self.title(map))
        );
        svg += &format!(
            "<rect width=\"{width}\" height=\"{height}\" rx=\"{radius}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"{}\"{}/>",
            look.fill, look.colour, look.border, look.dashes
        );
        if look.is_double {
            let (inner_width, inner_height) = (number(BOX_WIDTH - 7.0), number(self.height - 7.0));
            svg += &format!(
                "<rect x=\"3.5\" y=\"3.5\" width=\"{inner_width}\" height=\"{inner_height}\" rx=\"4.5\" fill=\"none\" \
                 stroke=\"{}\" stroke-width=\"1\"/>",
                look.colour
            );
        }
        svg += &self.head(map);
        let mut y = HEAD_HEIGHT;
        for line in &self.lines {
            y += LINE_HEIGHT;
            svg += &text_at(PADDING, y - 3.0, TEXT_SIZE, INK, line);
        }
        y += if self.lines.is_empty() { 0.0 } else { 8.0 };
        for (speaker, lines) in &self.rows {
            if let Some(speaker) = speaker {
                svg += &shape(map.speakers[*speaker].mark, PADDING + 7.0, y + 7.5);
            }
            for line in lines {
                y += SMALL_LINE_HEIGHT;
                svg += &text_at(PADDING + ROW_INDENT, y - 4.0, SMALL_SIZE, INK, line);
            }
        }
        svg + "</g>\n"
    }

    /// Renders id, speaker, and label or status.
    fn head(&self, map: &DebateMap) -> String {
        let speaker = self.node.speaker.map(|place| &map.speakers[place]);
        let left = if speaker.is_some() { 32.0 } else { PADDING };
        let id = match self.node.id {
            NodeId::Position(..) => self.node.status(),
            id => id.to_string(),
        };
        let mut svg = speaker.map(|speaker| shape(speaker.mark, 19.0, 18.0)).unwrap_or_default();
        svg += &format!("<text x=\"{}\" y=\"22.5\" font-size=\"13\" font-weight=\"700\">{id}</text>", number(left));
        let right = match (self.node.label(), &self.node.content) {
            (Some(_), _) => String::new(),
            (None, NodeContent::Position { .. }) => format!("on {}", self.question_id()),
            (None, _) => self.node.status(),
        };
        let width = |text: &str| text.chars().map(|letter| sans_width(letter) * SMALL_SIZE).sum::<f64>();
        let right_width =
            self.node.label().map_or_else(|| width(&right), |label| width(label_name(label)) + SIGN_WIDTH);
        if let Some(speaker) = speaker {
            let start = left + 6.0 + 8.6 * id.len() as f64;
            let room = BOX_WIDTH - PADDING - right_width - 8.0 - start;
            let name =
                wrapped(&shortened(&clean(&speaker.name), 40), room.max(0.0), 1, |sign| sans_width(sign) * SMALL_SIZE);
            let name = name.first().map_or("", String::as_str);
            svg += &text_at(start, 22.5, SMALL_SIZE, QUIET, name);
        }
        match self.node.label() {
            Some(label) => svg + &picture_of_label(label, BOX_WIDTH - PADDING, 18.0),
            None => {
                let x = number(BOX_WIDTH - PADDING);
                svg + &format!(
                    "<text x=\"{x}\" y=\"22.5\" font-size=\"{SMALL_SIZE}\" text-anchor=\"end\" fill=\"{QUIET}\">{}</text>",
                    xml(&right)
                )
            }
        }
    }

    fn question_id(&self) -> String {
        match self.node.id {
            NodeId::Position(dispute, _) => dispute.to_string(),
            id => id.to_string(),
        }
    }

    /// Whole text of the box, for its tooltip.
    fn title(&self, map: &DebateMap) -> String {
        let node = self.node;
        let mut title = node.id.to_string();
        if let Some(label) = node.label() {
            title += &format!(" {}", label_name(label));
        }
        if let Some(speaker) = node.speaker {
            title += &format!(": {}", map.speakers[speaker].name);
        }
        let status = node.status();
        if !status.is_empty() {
            title += &format!(", {status}");
        }
        title += &format!(": {}", clean(&node.text));
        for (word, text) in node.remarks() {
            title += &format!(" — {word}: {}", clean(text));
        }
        for row in node.rows(map) {
            title += &format!(" — {}", clean(&row.text));
        }
        title
    }
}

fn text_at(x: f64, y: f64, size: f64, colour: &str, text: &str) -> String {
    let (x, y) = (number(x), number(y));
    format!("\n<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{colour}\">{}</text>", xml(text))
}
