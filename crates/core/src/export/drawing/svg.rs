//! `svg`: self-contained picture of the map of a debate.
//!
//! No information is shown by colour alone: a label has a colour, a sign, a word and a border; a speaker has a colour,
//! a shape and a name; a relation has a dash pattern and a head. Attacks in both directions are one line with two heads.
//! The picture contains no script and no external style sheet or font.

use crate::export::drawing::map_layout::{LOOP_WIDTH, MapLayout, MapLine, map_layout};
use crate::export::drawing::svg_boxes::DrawnBox;
use crate::export::drawing::svg_legend::{header, legend};
use crate::export::drawing::svg_parts::{BOX_WIDTH, FONT, INK, PAPER, defs, number};
use crate::export::map::{DebateMap, MapEdge, Relation};
use crate::export::text::xml;
use faultline_argumentation::labelling::Label;

/// Margin around the drawing.
const MARGIN: f64 = 32.0;

/// Renders the picture.
pub fn svg(map: &DebateMap) -> String {
    let boxes: Vec<DrawnBox<'_>> = map.nodes.iter().map(|node| DrawnBox::of(map, node)).collect();
    let drawing = map_layout(map, &boxes);
    let width = (drawing.width + 2.0 * MARGIN).max(760.0);
    let (head, head_height) = header(map, width - 2.0 * MARGIN);
    let (foot, foot_height) = legend(map, width - 2.0 * MARGIN);
    let (left, top) = ((width - drawing.width) / 2.0, MARGIN + head_height);
    let height = top + drawing.height + MARGIN + foot_height + MARGIN;

    let mut svg = opening(map, width, height);
    svg += &format!("<g transform=\"translate({},{})\">{head}</g>\n", number(MARGIN), number(MARGIN));
    svg += &format!("<g transform=\"translate({},{})\">\n", number(left), number(top));
    for line in &drawing.lines {
        svg += &arrow(map, line);
    }
    for (drawn, corner) in boxes.iter().zip(&drawing.corners) {
        svg += &drawn.render(map, *corner);
    }
    svg += &loops(map, &drawing);
    svg += "</g>\n";
    let below = height - MARGIN - foot_height;
    svg += &format!("<g transform=\"translate({},{})\">{foot}</g>\n</svg>\n", number(MARGIN), number(below));
    svg
}

fn opening(map: &DebateMap, width: f64, height: f64) -> String {
    let (w, h) = (number(width), number(height));
    let standing = |label| map.nodes.iter().filter(|node| node.label() == Some(label)).count();
    let mut about = format!("{}.", map.summary());
    if map.nodes.iter().any(|node| node.label().is_some()) || map.nodes.is_empty() {
        let counts = (standing(Label::In), standing(Label::Out), standing(Label::Undec));
        about += &format!(" {} accepted, {} rejected, {} undecided.", counts.0, counts.1, counts.2);
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" role=\"img\" \
         aria-labelledby=\"title desc\" font-family=\"{FONT}\" fill=\"{INK}\">\n\
         <title id=\"title\">Map of the debate: {}</title>\n<desc id=\"desc\">{}</desc>\n{}\
         <rect width=\"{w}\" height=\"{h}\" fill=\"{PAPER}\"/>\n",
        xml(&map.topic),
        xml(&about),
        defs(),
    )
}

/// Renders an edge between two boxes, with heads at the targets.
fn arrow(map: &DebateMap, line: &MapLine) -> String {
    let points = &line.path;
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
    format!("<g>{}<path d=\"{path}\" {}/></g>\n", line_title(map, &line.edge), stroke(&line.edge))
}

fn stroke(edge: &MapEdge) -> String {
    let head = match edge.relation {
        Relation::Answer => "",
        Relation::Support | Relation::Resolution | Relation::Revision => " marker-end=\"url(#hollow)\"",
        _ => " marker-end=\"url(#head)\"",
    };
    let tail = if edge.is_mutual { " marker-start=\"url(#tail)\"" } else { "" };
    format!("class=\"{}\"{head}{tail}", edge.relation.name())
}

fn line_title(map: &DebateMap, edge: &MapEdge) -> String {
    let links = edge.links.iter().map(|index| &map.links[*index]);
    let titles = links.map(|link| {
        let back = if link.is_mutual { " and back" } else { "" };
        let attack = link.attack.map(|attack| format!("{attack}: ")).unwrap_or_default();
        let note = if link.note.is_empty() { String::new() } else { format!(" — {}", link.note) };
        let (source, target) = (map.nodes[link.source].id, map.nodes[link.target].id);
        format!("{attack}{source} {} {target}{back}{note}", link.relation.name())
    });
    let titles: Vec<String> = titles.collect();
    format!("<title>{}</title>", xml(&titles.join(" · ")))
}

/// Renders self-attacks, at the right border of their boxes.
fn loops(map: &DebateMap, drawing: &MapLayout) -> String {
    let mut svg = String::new();
    for line in &drawing.loops {
        let (x, y) = drawing.corners[line.source];
        let (x, y) = (x + BOX_WIDTH, y + drawing.heights[line.source] / 2.0);
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
