//! Header and legend of the SVG picture.

use std::collections::BTreeSet;

use crate::events::argument::AttackKind;
use crate::export::drawing::svg_boxes::box_style;
use crate::export::drawing::svg_parts::{QUIET, label_style, number, shape};
use crate::export::map::{DebateMap, MapNode, NodeContent, ProposalStanding, Relation};
use crate::export::text::{sans_width, shortened, wrapped, xml};
use faultline_argumentation::labelling::Label;

/// Renders the topic and a summary of the map; returns the height too.
pub fn header(map: &DebateMap, width: f64) -> (String, f64) {
    let lines = wrapped(&map.topic, width, 3, |letter| sans_width(letter) * 21.0);
    let mut svg = String::new();
    let mut y = 20.0;
    for line in &lines {
        svg += &format!("<text y=\"{}\" font-size=\"20\" font-weight=\"700\">{}</text>", number(y), xml(line));
        y += 27.0;
    }
    let about = match map.debate {
        Some(debate) => format!("{} · debate {debate}, version {}", map.summary(), map.version),
        None => map.summary(),
    };
    for line in wrapped(&about, width, 3, |letter| sans_width(letter) * 12.5) {
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

/// Renders the legend of what occurs in the map; returns the height too.
pub fn legend(map: &DebateMap, width: f64) -> (String, f64) {
    let mut svg = format!("<path d=\"M0,0L{},0\" stroke=\"#d0d7de\"/>", number(width));
    let (mut x, mut y) = (0.0, 24.0);
    for row in [labels(map), boxes(map), relations(map), speakers(map)] {
        if row.is_empty() {
            continue;
        }
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

fn labels(map: &DebateMap) -> Vec<Entry> {
    let words = [
        (Label::In, "IN: accepted, every attacker is rejected"),
        (Label::Out, "OUT: rejected, an attacker is accepted"),
        (Label::Undec, "UNDEC: neither"),
    ];
    let has_labels = map.nodes.iter().any(|node| node.label().is_some());
    let words = words.into_iter().filter(|_| has_labels);
    let entries = words.map(|(label, words)| {
        let look = label_style(label);
        let picture = format!(
            "<rect y=\"-8\" width=\"34\" height=\"16\" rx=\"4\" fill=\"{}\" stroke=\"{}\" stroke-width=\"{}\"{}/>",
            look.fill, look.colour, look.border, look.dashes
        );
        entry(picture, words)
    });
    let is_thesis = |node: &MapNode| matches!(node.content, NodeContent::Argument { is_thesis: true, .. });
    let is_final =
        |node: &MapNode| matches!(node.content, NodeContent::Proposal { standing: ProposalStanding::Final, .. });
    let double = [
        (map.nodes.iter().any(is_thesis), "double border: a thesis, which answers the topic"),
        (map.nodes.iter().any(is_final), "double border: the final proposal"),
    ];
    let double = double.into_iter().filter(|(occurs, _)| *occurs).map(|(_, words)| {
        let picture = format!(
            "<rect y=\"-8\" width=\"34\" height=\"16\" rx=\"4\" fill=\"none\" stroke=\"{QUIET}\" stroke-width=\"1.6\"/>\
             <rect x=\"3\" y=\"-5\" width=\"28\" height=\"10\" rx=\"2\" fill=\"none\" stroke=\"{QUIET}\"/>"
        );
        entry(picture, words)
    });
    entries.chain(double).collect()
}

/// Entries for the boxes of questions, sides, proposals and issues: one for each style.
fn boxes(map: &DebateMap) -> Vec<Entry> {
    let words = |content: &NodeContent| match content {
        NodeContent::Question { .. } => Some("a question"),
        NodeContent::Position { .. } => Some("a side of it, and the participants who take it"),
        NodeContent::Proposal { standing: ProposalStanding::Rejected, .. } => Some("a rejected proposal"),
        NodeContent::Proposal { .. } => Some("a proposal"),
        NodeContent::Issue { resolved_by, .. } if resolved_by.is_empty() => Some("an open issue"),
        NodeContent::Issue { .. } => Some("a resolved issue"),
        NodeContent::Reason { label: None, .. } => Some("a withdrawn reason"),
        NodeContent::Argument { .. } | NodeContent::Reason { .. } => None,
    };
    let mut shown = BTreeSet::new();
    let mut entries = Vec::new();
    for node in &map.nodes {
        let Some(words) = words(&node.content).filter(|words| shown.insert(*words)) else { continue };
        let look = box_style(node);
        let radius = look.radius.min(8.0);
        let picture = format!(
            "<rect y=\"-8\" width=\"34\" height=\"16\" rx=\"{radius}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"{}\"{}/>",
            look.fill, look.colour, look.border, look.dashes
        );
        entries.push(entry(picture, words));
    }
    entries
}

fn relations(map: &DebateMap) -> Vec<Entry> {
    let words = [
        (Relation::Strike(AttackKind::Rebut), "rebuts the claim"),
        (Relation::Strike(AttackKind::Undermine), "undermines a premise or an assumption"),
        (Relation::Strike(AttackKind::Undercut), "undercuts the inference"),
        (Relation::Support, "supports"),
        (Relation::Oppose, "opposes the side"),
        (Relation::Attack, "attacks the reason"),
        (Relation::Criticism, "criticizes"),
        (Relation::Resolution, "resolves the issue"),
        (Relation::Revision, "revises"),
    ];
    let edges = map.edges();
    let line = |relation: Relation, tail: &str| {
        let head = if matches!(relation, Relation::Support | Relation::Resolution | Relation::Revision) {
            "hollow"
        } else {
            "head"
        };
        format!("<path d=\"M1,0L34,0\" class=\"{}\" marker-end=\"url(#{head})\"{tail}/>", relation.name())
    };
    let mut entries: Vec<Entry> = words
        .into_iter()
        .filter(|(relation, _)| edges.iter().any(|edge| edge.relation == *relation))
        .map(|(relation, words)| entry(line(relation, ""), words))
        .collect();
    if let Some(mutual) = edges.iter().find(|edge| edge.is_mutual) {
        entries.push(entry(line(mutual.relation, " marker-start=\"url(#tail)\""), "attack each other"));
    }
    entries
}

fn speakers(map: &DebateMap) -> Vec<Entry> {
    map.speakers.iter().map(|speaker| entry(shape(speaker.mark, 17.0, 0.0), &shortened(&speaker.name, 40))).collect()
}
