//! `dot`: argument map for Graphviz.

use crate::events::argument::AttackKind;
use crate::export::map::{ArgumentMap, MapArgument, kind_name, label_name};
use crate::export::text::{clean, replaced, sans_width, shortened, wrapped};
use faultline_argumentation::labelling::Label;

/// Width of a line of a claim, in average letters.
const CLAIM_WIDTH: f64 = 20.0;
/// Maximum number of lines of a claim; the tooltip contains the whole claim.
const MAX_CLAIM_LINES: usize = 8;
/// Maximum number of characters of a tooltip.
const MAX_TOOLTIP_CHARS: usize = 600;

/// Renders the map, with attackers below their targets.
pub fn dot(map: &ArgumentMap) -> String {
    let mut dot = format!("// {}\n", clean(&map.summary()));
    dot += "digraph debate {\n";
    dot += &format!(
        "  graph [label={}, labelloc=t, fontname=\"Helvetica\", fontsize=18, rankdir=BT];\n",
        quoted(&map.topic)
    );
    dot += "  node [shape=box, fontname=\"Helvetica\", fontsize=11, margin=\"0.15,0.1\", style=\"filled,rounded\"];\n";
    dot += "  edge [color=\"#3b434d\", arrowsize=0.8, fontname=\"Helvetica\", fontsize=9];\n";
    for argument in &map.arguments {
        dot += &of_argument(map, argument);
    }
    for line in map.edges() {
        let (source, target) = (map.arguments[line.source].id, map.arguments[line.target].id);
        let pattern = match line.kind {
            AttackKind::Rebut => "solid",
            AttackKind::Undermine => "dashed",
            AttackKind::Undercut => "dotted",
        };
        let mutual = if line.is_mutual { ", dir=both" } else { "" };
        let why: Vec<String> = line
            .attacks
            .iter()
            .map(|index| format!("{}: {}", map.attacks[*index].id, map.attacks[*index].rationale))
            .collect();
        let (kind, why) = (kind_name(line.kind), quoted(&shortened(&clean(&why.join(" / ")), MAX_TOOLTIP_CHARS)));
        dot += &format!("  {source} -> {target} [style={pattern}, label=\"{kind}\", tooltip={why}{mutual}];\n");
    }
    dot + "}\n"
}

fn of_argument(map: &ArgumentMap, argument: &MapArgument) -> String {
    // The label is shown by sign, word, colour and border, so that none of them is needed alone.
    let (sign, colour, fill, border) = match argument.label {
        Label::In => ("✓", "#1a7f37", "#f0fbf2", "filled,rounded"),
        Label::Out => ("✗", "#b42318", "#fdf3f2", "filled,rounded,dashed"),
        Label::Undec => ("?", "#8a6100", "#fffaeb", "filled,rounded,dotted"),
    };
    let speaker = &map.speakers[argument.speaker].name;
    let thesis = if argument.is_thesis { " · thesis" } else { "" };
    let mut label = escaped(&format!("{} {sign} {} · {speaker}{thesis}", argument.id, label_name(argument.label)));
    for line in wrapped(&argument.claim, CLAIM_WIDTH, MAX_CLAIM_LINES, sans_width) {
        label += "\\n";
        label += &escaped(&line);
    }
    let borders = if argument.is_thesis { ", peripheries=2" } else { "" };
    let tooltip = quoted(&shortened(&clean(&argument.claim), MAX_TOOLTIP_CHARS));
    format!(
        "  {} [label=\"{label}\", tooltip={tooltip}, style=\"{border}\", color=\"{colour}\", fillcolor=\"{fill}\", \
         penwidth=1.6{borders}];\n",
        argument.id
    )
}

/// Quotes a text as a DOT string.
fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// Escapes a text for a DOT label, in which a backslash starts an escape and an ampersand an HTML entity.
fn escaped(text: &str) -> String {
    replaced(&clean(text), |sign| match sign {
        '"' => Some("\\\""),
        '\\' => Some("\\\\"),
        '&' => Some("&amp;"),
        _ => None,
    })
}
