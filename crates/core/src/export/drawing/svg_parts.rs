//! Parts of the SVG picture: colours, lines, signs and shapes.

use crate::export::map::label_name;
use crate::export::marks::SpeakerMark;
use crate::export::text::sans_width;
use faultline_argumentation::labelling::Label;

/// Width of a box.
pub const BOX_WIDTH: f64 = 236.0;
/// Line height of a text.
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

/// Definitions of the arrow heads, and of the lines of relations: attacks have a filled head, support a hollow one. The
/// head at the start of a line is a definition of its own, because not every renderer can turn one around.
pub fn defs() -> String {
    let marker = |id: &str, tip: u32, size: u32, drawing: &str| {
        format!(
            "<marker id=\"{id}\" viewBox=\"0 0 10 10\" refX=\"{tip}\" refY=\"5\" markerWidth=\"{size}\" \
             markerHeight=\"{size}\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path {drawing}/></marker>"
        )
    };
    let head = marker("head", 9, 9, &format!("d=\"M0,0.8L10,5L0,9.2z\" fill=\"{STRIKE}\""));
    let tail = marker("tail", 1, 9, &format!("d=\"M10,0.8L0,5L10,9.2z\" fill=\"{STRIKE}\""));
    let hollow = marker("hollow", 9, 12, &format!("d=\"M0,0.8L9.5,5L0,9.2z\" fill=\"{PAPER}\" stroke=\"{STRIKE}\""));
    format!(
        "<defs>{head}{tail}{hollow}</defs>\n<style>.rebut,.undermine,.undercut,.attack,.oppose,.criticize,.support,\
         .answer,.resolve,.revise{{fill:none;stroke:{STRIKE};stroke-width:1.5}}.undermine,.resolve{{stroke-dasharray:7 4}}\
         .undercut{{stroke-dasharray:2 3.5}}.answer{{stroke:{QUIET};stroke-width:1}}.revise{{stroke-width:2.6}}</style>\n"
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
pub fn shape(mark: SpeakerMark, x: f64, y: f64) -> String {
    let (colour, path) = (mark.colour.on_light, mark.path);
    let paint = if mark.is_hollow {
        format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"")
    } else {
        format!("fill=\"{colour}\"")
    };
    format!("<path d=\"{path}\" {paint} transform=\"translate({},{})\"/>", number(x), number(y))
}
