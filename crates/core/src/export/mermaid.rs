//! `mermaid`: map of a debate for Markdown renderers that support Mermaid.

use crate::events::argument::AttackKind;
use crate::export::map::{DebateMap, MapNode, NodeContent, ProposalStanding, Relation};
use crate::export::text::{clean, shortened, yaml_string};
use faultline_argumentation::labelling::Label;

/// Maximum number of characters of a text.
const MAX_TEXT_CHARS: usize = 240;
/// Maximum number of characters of a stance or a recommendation.
const MAX_ROW_CHARS: usize = 120;

/// Renders the map as a flowchart, with attackers below their targets, and reasons and sides below their question.
pub fn mermaid(map: &DebateMap) -> String {
    let mut mermaid = format!("---\ntitle: {}\n---\n", yaml_string(&map.topic));
    mermaid += "flowchart BT\n";
    mermaid += &format!("  %% {}\n", map.summary());
    for node in &map.nodes {
        mermaid += &of_node(map, node);
    }
    for edge in map.edges() {
        let (source, target) = (map.nodes[edge.source].id, map.nodes[edge.target].id);
        let head = if edge.is_mutual { "<" } else { "" };
        let (start, end) = match edge.relation {
            Relation::Strike(AttackKind::Undermine | AttackKind::Undercut) | Relation::Resolution => ("-.", ".->"),
            Relation::Support | Relation::Revision => ("==", "==>"),
            Relation::Answer => ("--", "---"),
            _ => ("--", "-->"),
        };
        mermaid += &format!("  {source} {head}{start} {} {end} {target}\n", edge.relation.name());
    }
    let classes: [(&str, &str); 7] = [
        ("in", "fill:#f0fbf2,stroke:#1a7f37,stroke-width:2px"),
        ("out", "fill:#fdf3f2,stroke:#b42318,stroke-width:2px,stroke-dasharray:7 4"),
        ("undec", "fill:#fffaeb,stroke:#8a6100,stroke-width:2px,stroke-dasharray:2 3"),
        ("question", "fill:#eef2f6,stroke:#1b1f24,stroke-width:2px"),
        ("side", "fill:#ffffff,stroke:#57606a"),
        ("open", "fill:#fffaeb,stroke:#8a6100,stroke-dasharray:7 4"),
        ("closed", "fill:#ffffff,stroke:#57606a,stroke-dasharray:7 4"),
    ];
    for (class, style) in classes {
        mermaid += &format!("  classDef {class} {style},color:#1b1f24\n");
    }
    mermaid
}

/// Class and shape of a node. A double border is that of the subroutine shape.
fn style(node: &MapNode) -> (&'static str, &'static str, &'static str) {
    let class = match (node.label(), &node.content) {
        (Some(Label::In), _) => "in",
        (Some(Label::Out), _) | (None, NodeContent::Proposal { standing: ProposalStanding::Rejected, .. }) => "out",
        (Some(Label::Undec), _) => "undec",
        (None, NodeContent::Question { .. } | NodeContent::Proposal { .. }) => "question",
        (None, NodeContent::Issue { resolved_by, .. }) if resolved_by.is_empty() => "open",
        (None, NodeContent::Reason { .. }) => "closed",
        (None, _) => "side",
    };
    let (open, close) = match &node.content {
        NodeContent::Argument { is_thesis: true, .. }
        | NodeContent::Proposal { standing: ProposalStanding::Final, .. } => ("[[", "]]"),
        NodeContent::Question { .. } => ("{{", "}}"),
        NodeContent::Position { .. } => ("([", "])"),
        NodeContent::Proposal { .. } | NodeContent::Issue { .. } => ("[", "]"),
        NodeContent::Argument { .. } | NodeContent::Reason { .. } => ("(", ")"),
    };
    (class, open, close)
}

fn of_node(map: &DebateMap, node: &MapNode) -> String {
    let (class, open, close) = style(node);
    let mut label = coded(&node.heading(map));
    let rows = node.rows(map).into_iter().map(|row| {
        let glyph = row.speaker.map(|speaker| format!("{} ", map.speakers[speaker].mark.glyph)).unwrap_or_default();
        (format!("{glyph}{}", row.text), MAX_ROW_CHARS)
    });
    for (text, most) in std::iter::once((node.body().to_owned(), MAX_TEXT_CHARS)).chain(rows) {
        if !text.is_empty() {
            label += "<br/>";
            label += &coded(&shortened(&clean(&text), most));
        }
    }
    format!("  {}{open}\"{label}\"{close}:::{class}\n", node.id)
}

/// Escapes a text between quotes: characters that could end it or start a tag, Markdown or a code are written by
/// number.
fn coded(text: &str) -> String {
    let mut coded = String::with_capacity(text.len());
    for sign in clean(text).chars() {
        if sign.is_alphanumeric()
            || !sign.is_ascii()
            || matches!(sign, ' ' | ',' | '.' | '?' | '!' | '\'' | '-' | '(' | ')')
        {
            coded.push(sign);
        } else {
            coded += &format!("#{};", u32::from(sign));
        }
    }
    coded
}
