//! `dot`: map of a debate for Graphviz.

use crate::events::argument::AttackKind;
use crate::export::map::{DebateMap, MapEdge, MapNode, NodeContent, ProposalStanding, Relation};
use crate::export::text::{clean, replaced, sans_width, shortened, wrapped};
use faultline_argumentation::labelling::Label;

/// Width of a line of a text, in average letters.
const TEXT_WIDTH: f64 = 20.0;
/// Maximum number of lines of a text; the tooltip contains the whole text.
const MAX_TEXT_LINES: usize = 8;
/// Maximum number of lines of a stance or a recommendation.
const MAX_ROW_LINES: usize = 4;
/// Maximum number of characters of a tooltip.
const MAX_TOOLTIP_CHARS: usize = 600;

/// Renders the map, with attackers below their targets, and reasons and sides below their question.
pub fn dot(map: &DebateMap) -> String {
    let mut dot = format!("// {}\n", clean(&map.summary()));
    dot += "digraph debate {\n";
    dot += &format!(
        "  graph [label={}, labelloc=t, fontname=\"Helvetica\", fontsize=18, rankdir=BT];\n",
        quoted(&map.topic)
    );
    dot += "  node [shape=box, fontname=\"Helvetica\", fontsize=11, margin=\"0.15,0.1\", style=\"filled,rounded\"];\n";
    dot += "  edge [color=\"#3b434d\", arrowsize=0.8, fontname=\"Helvetica\", fontsize=9];\n";
    for node in &map.nodes {
        dot += &of_node(map, node);
    }
    for edge in map.edges() {
        let (source, target) = (map.nodes[edge.source].id, map.nodes[edge.target].id);
        let why = quoted(&shortened(&clean(&map.notes(&edge).join(" / ")), MAX_TOOLTIP_CHARS));
        dot += &format!(
            "  {source} -> {target} [style={}, label=\"{}\", tooltip={why}{}];\n",
            pattern(edge.relation),
            edge.relation.name(),
            head(&edge)
        );
    }
    dot + "}\n"
}

fn pattern(relation: Relation) -> &'static str {
    match relation {
        Relation::Strike(AttackKind::Undermine) | Relation::Resolution => "dashed",
        Relation::Strike(AttackKind::Undercut) => "dotted",
        Relation::Revision => "bold",
        _ => "solid",
    }
}

/// Attributes of the arrow head: filled for attacks and criticism, hollow for support.
fn head(edge: &MapEdge) -> &'static str {
    match edge.relation {
        Relation::Support | Relation::Resolution | Relation::Revision => ", arrowhead=empty",
        Relation::Answer => ", arrowhead=none",
        _ if edge.is_mutual => ", dir=both",
        _ => "",
    }
}

/// Colour of the border, fill colour and style of a node. Every difference is also shown by a word.
fn style(node: &MapNode) -> (&'static str, &'static str, &'static str) {
    match (node.label(), &node.content) {
        (Some(Label::In), _) => ("#1a7f37", "#f0fbf2", "filled,rounded"),
        (Some(Label::Out), _) => ("#b42318", "#fdf3f2", "filled,rounded,dashed"),
        (Some(Label::Undec), _) => ("#8a6100", "#fffaeb", "filled,rounded,dotted"),
        (None, NodeContent::Question { .. }) => ("#1b1f24", "#eef2f6", "filled"),
        (None, NodeContent::Proposal { standing: ProposalStanding::Rejected, .. }) => {
            ("#b42318", "#fdf3f2", "filled,rounded,dashed")
        }
        (None, NodeContent::Proposal { .. }) => ("#1b1f24", "#eef2f6", "filled,rounded"),
        (None, NodeContent::Issue { resolved_by, .. }) if resolved_by.is_empty() => {
            ("#8a6100", "#fffaeb", "filled,dashed")
        }
        (None, NodeContent::Issue { .. } | NodeContent::Position { .. }) => ("#57606a", "#ffffff", "filled"),
        (None, _) => ("#57606a", "#ffffff", "filled,rounded,dashed"),
    }
}

fn of_node(map: &DebateMap, node: &MapNode) -> String {
    let (colour, fill, style) = style(node);
    let mut label = escaped(&node.heading(map));
    let rows: Vec<(String, usize)> = node
        .rows(map)
        .into_iter()
        .map(|row| match row.speaker {
            Some(speaker) => (format!("{} {}", map.speakers[speaker].mark.glyph, row.text), MAX_ROW_LINES),
            None => (row.text, MAX_ROW_LINES),
        })
        .collect();
    let texts = std::iter::once((node.body().to_owned(), MAX_TEXT_LINES)).chain(rows);
    for (text, most) in texts {
        for line in wrapped(&text, TEXT_WIDTH, most, sans_width) {
            label += "\\n";
            label += &escaped(&line);
        }
    }
    let mut tooltip = clean(&node.text);
    for (word, text) in node.remarks() {
        tooltip += &format!(" — {word}: {}", clean(text));
    }
    let tooltip = quoted(&shortened(&tooltip, MAX_TOOLTIP_CHARS));
    let shape = match &node.content {
        NodeContent::Position { .. } => ", shape=ellipse",
        NodeContent::Issue { .. } => ", shape=note",
        NodeContent::Argument { is_thesis: true, .. }
        | NodeContent::Proposal { standing: ProposalStanding::Final, .. } => ", peripheries=2",
        _ => "",
    };
    format!(
        "  {} [label=\"{label}\", tooltip={tooltip}, style=\"{style}\", color=\"{colour}\", fillcolor=\"{fill}\", \
         penwidth=1.6{shape}];\n",
        node.id
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
