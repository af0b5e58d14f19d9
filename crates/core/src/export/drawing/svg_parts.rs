//! Parts of the SVG picture: colours, signs, shapes, and the legend.

use crate::events::argument::AttackKind;
use crate::export::map::{ArgumentMap, kind_name, label_name};
use crate::export::text::{sans_width, shortened, wrapped, xml};
use faultline_argumentation::labelling::Label;

/// Width of a box.
pub const BOX_WIDTH: f64 = 236.0;
/// Line height of a claim.
pub const LINE_HEIGHT: f64 = 17.0;
/// Commonly installed fonts.
pub const FONT: &str = "Helvetica, Arial, 'Liberation Sans', sans-serif";
/// Text colour.
pub const INK: &str = "#1b1f24";
/// Colour of secondary text.
pub const QUIET: &str = "#57606a";
/// Background colour.
pub const PAPER: &str = "#ffffff";
/// Colour of attacks.
const STRIKE: &str = "#3b434d";

/// Colours of speakers that colour-blind people can distinguish (Okabe and Ito 2008). They repeat with other shapes.
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#4b0082"];

/// Visual style of a label.
pub struct LabelStyle {
    /// Colour of border and sign.
    pub colour: &'static str,
    /// Background colour.
    pub fill: &'static str,
    /// Width of the border.
    pub border: &'static str,
    /// Dash pattern of the border, as an attribute.
    pub dashes: &'static str,
}

/// Returns the style of a label: solid, dashed or dotted borders.
pub fn label_style(label: Label) -> LabelStyle {
    match label {
        Label::In => LabelStyle { colour: "#1a7f37", fill: "#f0fbf2", border: "2", dashes: "" },
        Label::Out => {
            LabelStyle { colour: "#b42318", fill: "#fdf3f2", border: "1.6", dashes: " stroke-dasharray=\"7 4\"" }
        }
        Label::Undec => LabelStyle {
            colour: "#8a6100",
            fill: "#fffaeb",
            border: "2",
            dashes: " stroke-dasharray=\"0.1 4.6\" stroke-linecap=\"round\"",
        },
    }
}

/// Formats a number with at most one decimal.
pub fn number(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    // Adding zero turns minus zero into zero.
    format!("{}", rounded + 0.0)
}

/// Definitions of the arrow head and of the dash patterns of attacks.
pub fn defs() -> String {
    format!(
        "<defs><marker id=\"head\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"9\" markerHeight=\"9\" \
         markerUnits=\"userSpaceOnUse\" orient=\"auto-start-reverse\"><path d=\"M0,0.8L10,5L0,9.2z\" fill=\"{STRIKE}\"/>\
         </marker></defs>\n<style>.rebut,.undermine,.undercut{{fill:none;stroke:{STRIKE};stroke-width:1.5}}\
         .undermine{{stroke-dasharray:7 4}}.undercut{{stroke-dasharray:2 3.5}}</style>\n"
    )
}

/// Renders the sign and the word of a label, right-aligned at `right`.
pub fn picture_of_label(label: Label, right: f64, middle: f64) -> String {
    let colour = label_style(label).colour;
    let word = label_name(label);
    let width: f64 = word.chars().map(|letter| sans_width(letter) * 11.5).sum::<f64>() * 1.02;
    let sign = match label {
        Label::In => "M-5,0.5L-1.5,4L5,-4.5",
        Label::Out => "M-4,-4L4,4M4,-4L-4,4",
        Label::Undec => "M-3,-2.2C-3,-6 3,-6 3,-2.4C3,0 0,-0.2 0,2M0,4.8L0,5",
    };
    format!(
        "<g stroke=\"{colour}\" stroke-width=\"2\" fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\" \
         transform=\"translate({},{})\"><path d=\"{sign}\"/></g>\
         <text x=\"{}\" y=\"{}\" font-size=\"11.5\" font-weight=\"700\" text-anchor=\"end\" fill=\"{colour}\">{word}</text>",
        number(right - width - 9.0),
        number(middle),
        number(right),
        number(middle + 4.0),
    )
}

/// Renders the mark of a speaker: a shape in a colour.
pub fn shape(speaker: usize, x: f64, y: f64) -> String {
    let colour = COLOURS[speaker % COLOURS.len()];
    // Shift the shapes each time all pairs were used, so that each pair occurs once in thirty speakers.
    let path = match (speaker + speaker / 30) % 5 {
        0 => "M6,0A6,6 0 1 1 -6,0A6,6 0 1 1 6,0z",
        1 => "M0,-6.6L6.4,5.2L-6.4,5.2z",
        2 => "M-5.4,-5.4L5.4,-5.4L5.4,5.4L-5.4,5.4z",
        3 => "M0,-7.2L7.2,0L0,7.2L-7.2,0z",
        _ => {
            "M-2.2,-6.4L2.2,-6.4L2.2,-2.2L6.4,-2.2L6.4,2.2L2.2,2.2L2.2,6.4L-2.2,6.4L-2.2,2.2L-6.4,2.2L-6.4,-2.2L-2.2,-2.2z"
        }
    };
    format!("<path d=\"{path}\" fill=\"{colour}\" transform=\"translate({},{})\"/>", number(x), number(y))
}

/// Renders the topic and a summary of the map; returns the height too.
pub fn header(map: &ArgumentMap, width: f64) -> (String, f64) {
    let lines = wrapped(&map.topic, width, 3, |letter| sans_width(letter) * 21.0);
    let mut svg = String::new();
    let mut y = 20.0;
    for line in &lines {
        svg += &format!("<text y=\"{}\" font-size=\"20\" font-weight=\"700\">{}</text>", number(y), xml(line));
        y += 27.0;
    }
    let told = match map.debate {
        Some(debate) => format!("{} · debate {debate}, version {}", map.summary(), map.version),
        None => map.summary(),
    };
    for line in wrapped(&told, width, 3, |letter| sans_width(letter) * 12.5) {
        svg += &format!("<text y=\"{}\" font-size=\"12.5\" fill=\"{QUIET}\">{}</text>", number(y), xml(&line));
        y += 18.0;
    }
    (svg, y + 14.0)
}

/// Legend entry: picture, words, and the width of both.
struct Entry {
    picture: String,
    words: String,
    width: f64,
}

/// Renders the legend; returns the height too.
pub fn legend(map: &ArgumentMap, width: f64) -> (String, f64) {
    let mut svg = format!("<path d=\"M0,0L{},0\" stroke=\"#d0d7de\"/>", number(width));
    let (mut x, mut y) = (0.0, 24.0);
    for row in [labels(), attacks(), speakers(map)] {
        for Entry { picture, words, width: own } in row {
            if x > 0.0 && x + own > width {
                (x, y) = (0.0, y + 24.0);
            }
            svg += &format!(
                "\n<g transform=\"translate({},{})\">{picture}<text x=\"44\" y=\"4\" font-size=\"12\">{}</text></g>",
                number(x),
                number(y),
                xml(&words)
            );
            x += own;
        }
        (x, y) = (0.0, y + 24.0);
    }
    (svg, y - 8.0)
}

fn entry(picture: String, words: &str) -> Entry {
    let width = 44.0 + words.chars().map(|letter| sans_width(letter) * 12.0).sum::<f64>() + 26.0;
    Entry { picture, words: words.to_owned(), width }
}

fn labels() -> Vec<Entry> {
    let words = [
        (Label::In, "IN: accepted, every attacker is rejected"),
        (Label::Out, "OUT: rejected, an attacker is accepted"),
        (Label::Undec, "UNDEC: neither"),
    ];
    let mut entries: Vec<Entry> = Vec::new();
    for (label, words) in words {
        let look = label_style(label);
        let picture = format!(
            "<rect y=\"-8\" width=\"34\" height=\"16\" rx=\"4\" fill=\"{}\" stroke=\"{}\" stroke-width=\"{}\"{}/>",
            look.fill, look.colour, look.border, look.dashes
        );
        entries.push(entry(picture, words));
    }
    let thesis = format!(
        "<rect y=\"-8\" width=\"34\" height=\"16\" rx=\"4\" fill=\"none\" stroke=\"{QUIET}\" stroke-width=\"1.6\"/>\
         <rect x=\"3\" y=\"-5\" width=\"28\" height=\"10\" rx=\"2\" fill=\"none\" stroke=\"{QUIET}\"/>"
    );
    entries.push(entry(thesis, "double border: a thesis, which answers the topic"));
    entries
}

fn attacks() -> Vec<Entry> {
    let line = |kind, tail: &str| {
        format!("<path d=\"M1,0L34,0\" class=\"{}\" marker-end=\"url(#head)\"{tail}/>", kind_name(kind))
    };
    vec![
        entry(line(AttackKind::Rebut, ""), "rebuts the claim"),
        entry(line(AttackKind::Undermine, ""), "undermines a premise or an assumption"),
        entry(line(AttackKind::Undercut, ""), "undercuts the inference"),
        entry(line(AttackKind::Rebut, " marker-start=\"url(#head)\""), "attack each other"),
    ]
}

fn speakers(map: &ArgumentMap) -> Vec<Entry> {
    let words = |place: usize| shortened(&map.speakers[place].name, 40);
    (0..map.speakers.len()).map(|place| entry(shape(place, 17.0, 0.0), &words(place))).collect()
}
