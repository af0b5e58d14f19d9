//! `svg`: self-contained picture of the argument map.
//!
//! No information is shown by colour alone: a label has a colour, a sign, a word and a border; a speaker has a colour,
//! a shape and a name; a kind of attack has a dash pattern. Attacks in both directions are one line with two heads.
//! Attackers are below their targets, as far as cycles allow. The picture contains no script and no external style
//! sheet or font.

use crate::export::drawing::layout::{Layout, layout};
use crate::export::drawing::svg_parts::{
    BOX_WIDTH, FONT, INK, LINE_HEIGHT, PAPER, QUIET, defs, header, label_style, legend, number, picture_of_label, shape,
};
use crate::export::map::{ArgumentMap, MapArgument, MapEdge, kind_name, label_name};
use crate::export::text::{clean, sans_width, shortened, wrapped, xml};
use faultline_argumentation::labelling::Label;

/// Margin around the drawing.
const MARGIN: f64 = 32.0;
/// Font size of a claim.
const CLAIM_SIZE: f64 = 13.0;
/// Maximum number of lines of a claim in a box; the tooltip contains the whole claim.
const MAX_CLAIM_LINES: usize = 6;
/// Height of the line above the claim, with id, speaker and label.
const HEAD_HEIGHT: f64 = 30.0;
/// Space on both sides of a claim.
const PADDING: f64 = 12.0;
/// Space to the right of a box for a self-attack.
const LOOP_WIDTH: f64 = 26.0;

/// Box of the drawing.
struct Drawn<'m> {
    argument: &'m MapArgument,
    lines: Vec<String>,
    height: f64,
    loops: bool,
}

/// Renders the picture.
pub fn svg(map: &ArgumentMap) -> String {
    let lines = map.edges();
    let boxes: Vec<Drawn<'_>> =
        map.arguments.iter().enumerate().map(|(place, argument)| drawn(place, argument, &lines)).collect();
    let sizes: Vec<(f64, f64)> =
        boxes.iter().map(|drawn| (BOX_WIDTH + if drawn.loops { LOOP_WIDTH } else { 0.0 }, drawn.height)).collect();
    let between: Vec<&MapEdge> = lines.iter().filter(|line| line.source != line.target).collect();
    // Targets are above their attackers; of two arguments that attack each other, the earlier one is above.
    let pairs: Vec<(usize, usize)> = between
        .iter()
        .map(|line| {
            if line.is_mutual {
                (line.source.min(line.target), line.source.max(line.target))
            } else {
                (line.target, line.source)
            }
        })
        .collect();
    let drawing = layout(&sizes, &pairs);
    let width = (drawing.width + 2.0 * MARGIN).max(760.0);
    let (head, head_height) = header(map, width - 2.0 * MARGIN);
    let (foot, foot_height) = legend(map, width - 2.0 * MARGIN);
    let (left, top) = ((width - drawing.width) / 2.0, MARGIN + head_height);
    let height = top + drawing.height + MARGIN + foot_height + MARGIN;

    let mut svg = opening(map, width, height);
    svg += &format!("<g transform=\"translate({},{})\">{head}</g>\n", number(MARGIN), number(MARGIN));
    svg += &format!("<g transform=\"translate({},{})\">\n", number(left), number(top));
    for (line, (way, pair)) in between.iter().zip(drawing.paths.iter().zip(&pairs)) {
        svg += &attack(map, line, way, *pair);
    }
    for (place, it) in boxes.iter().enumerate() {
        svg += &of_box(map, it, drawing.corners[place]);
    }
    svg += &loops(map, &lines, &drawing, &boxes);
    svg += "</g>\n";
    let below = height - MARGIN - foot_height;
    svg += &format!("<g transform=\"translate({},{})\">{foot}</g>\n</svg>\n", number(MARGIN), number(below));
    svg
}

fn opening(map: &ArgumentMap, width: f64, height: f64) -> String {
    let (w, h) = (number(width), number(height));
    let standing = |label| map.arguments.iter().filter(|argument| argument.label == label).count();
    let told = format!(
        "{}. {} accepted, {} rejected, {} undecided.",
        map.summary(),
        standing(Label::In),
        standing(Label::Out),
        standing(Label::Undec)
    );
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" role=\"img\" \
         aria-labelledby=\"title desc\" font-family=\"{FONT}\" fill=\"{INK}\">\n\
         <title id=\"title\">Argument map: {}</title>\n<desc id=\"desc\">{}</desc>\n{}\
         <rect width=\"{w}\" height=\"{h}\" fill=\"{PAPER}\"/>\n",
        xml(&map.topic),
        xml(&told),
        defs(),
    )
}

fn drawn<'m>(place: usize, argument: &'m MapArgument, lines: &[MapEdge]) -> Drawn<'m> {
    let width = |sign| sans_width(sign) * CLAIM_SIZE;
    let claim = wrapped(&argument.claim, BOX_WIDTH - 2.0 * PADDING - 6.0, MAX_CLAIM_LINES, width);
    let height = HEAD_HEIGHT + claim.len().max(1) as f64 * LINE_HEIGHT + 12.0;
    let loops = lines.iter().any(|line| line.source == line.target && line.source == place);
    Drawn { argument, lines: claim, height, loops }
}

fn of_box(map: &ArgumentMap, drawn: &Drawn<'_>, corner: (f64, f64)) -> String {
    let argument = drawn.argument;
    let look = label_style(argument.label);
    let (width, height) = (number(BOX_WIDTH), number(drawn.height));
    let speaker = &map.speakers[argument.speaker];
    let mut told = format!("{} {}: {}", argument.id, label_name(argument.label), speaker.name);
    told += if argument.is_thesis { ", a thesis: " } else { ": " };
    told += &clean(&argument.claim);
    for (what, parts) in [("because", &argument.premises), ("assuming", &argument.assumptions)] {
        parts.iter().for_each(|part| told += &format!(" — {what}: {}", clean(part)));
    }
    let mut svg = format!(
        "<g id=\"{}\" transform=\"translate({},{})\"><title>{}</title>\n",
        argument.id,
        number(corner.0),
        number(corner.1),
        xml(&told)
    );
    svg += &format!(
        "<rect width=\"{width}\" height=\"{height}\" rx=\"7\" fill=\"{}\" stroke=\"{}\" stroke-width=\"{}\"{}/>",
        look.fill, look.colour, look.border, look.dashes
    );
    if argument.is_thesis {
        let (inner_width, inner_height) = (number(BOX_WIDTH - 7.0), number(drawn.height - 7.0));
        svg += &format!(
            "<rect x=\"3.5\" y=\"3.5\" width=\"{inner_width}\" height=\"{inner_height}\" rx=\"4.5\" fill=\"none\" \
             stroke=\"{}\" stroke-width=\"1\"/>",
            look.colour
        );
    }
    svg += &shape(argument.speaker, 19.0, 18.0);
    let name = shortened(&clean(&speaker.name), 17);
    svg += &format!(
        "<text x=\"32\" y=\"22.5\" font-size=\"13\" font-weight=\"700\">{}</text>\
         <text x=\"{}\" y=\"22.5\" font-size=\"11.5\" fill=\"{QUIET}\">{}</text>",
        argument.id,
        number(38.0 + 8.6 * argument.id.to_string().len() as f64),
        xml(&name)
    );
    svg += &picture_of_label(argument.label, BOX_WIDTH - 12.0, 18.0);
    for (row, line) in drawn.lines.iter().enumerate() {
        let y = number(HEAD_HEIGHT + 14.0 + row as f64 * LINE_HEIGHT);
        svg += &format!("\n<text x=\"{}\" y=\"{y}\" font-size=\"{CLAIM_SIZE}\">{}</text>", number(PADDING), xml(line));
    }
    svg + "</g>\n"
}

/// Renders an edge between two boxes, with heads at the targets.
fn attack(map: &ArgumentMap, line: &MapEdge, way: &[(f64, f64)], pair: (usize, usize)) -> String {
    let mut points = way.to_vec();
    if pair.0 == line.target {
        points.reverse();
    }
    // Two equal points at an end would leave the arrow head without a direction.
    points.dedup();
    let mut path = format!("M{},{}", number(points[0].0), number(points[0].1));
    for pair in points.windows(2) {
        let ((x, y), (to_x, to_y)) = (pair[0], pair[1]);
        if (x - to_x).abs() < 0.5 {
            path += &format!("L{},{}", number(to_x), number(to_y));
        } else {
            let half = number((y + to_y) / 2.0);
            path += &format!("C{},{half} {},{half} {},{}", number(x), number(to_x), number(to_x), number(to_y));
        }
    }
    format!("<g>{}<path d=\"{path}\" {}/></g>\n", line_title(map, line), stroke(line))
}

fn stroke(line: &MapEdge) -> String {
    let tail = if line.is_mutual { " marker-start=\"url(#head)\"" } else { "" };
    format!("class=\"{}\" marker-end=\"url(#head)\"{tail}", kind_name(line.kind))
}

fn line_title(map: &ArgumentMap, line: &MapEdge) -> String {
    let told: Vec<String> = line
        .attacks
        .iter()
        .map(|index| &map.attacks[*index])
        .map(|attack| {
            let verb = if attack.is_mutual { "and back" } else { "" };
            let (source, target) = (map.arguments[attack.source].id, map.arguments[attack.target].id);
            format!("{}: {source} {} {target} {verb} — {}", attack.id, kind_name(attack.kind), attack.rationale)
        })
        .collect();
    format!("<title>{}</title>", xml(&told.join(" · ")))
}

/// Renders self-attacks, at the right border of their boxes.
fn loops(map: &ArgumentMap, lines: &[MapEdge], drawing: &Layout, boxes: &[Drawn<'_>]) -> String {
    let mut svg = String::new();
    for line in lines.iter().filter(|line| line.source == line.target) {
        let (x, y) = drawing.corners[line.source];
        let (x, y) = (x + BOX_WIDTH, y + boxes[line.source].height / 2.0);
        let far = number(x + LOOP_WIDTH + 4.0);
        let path = format!(
            "M{x},{}C{far},{} {far},{} {x},{}",
            number(y - 11.0),
            number(y - 20.0),
            number(y + 20.0),
            number(y + 11.0),
            x = number(x),
        );
        svg += &format!("<g>{}<path d=\"{path}\" {}/></g>\n", line_title(map, line), stroke(line));
    }
    svg
}
