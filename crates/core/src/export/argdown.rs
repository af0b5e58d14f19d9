//! `argdown`: arguments, questions and proposals, with the relations between them, as Argdown (argdown.org).

use crate::events::argument::AttackKind;
use crate::events::dispute::Side;
use crate::export::map::{DebateMap, MapLink, MapNode, NodeContent, NodeId, Relation, label_name};
use crate::export::map_text::side_name;
use crate::export::text::{clean, replaced, yaml_string};

/// Renders the debate.
///
/// ```text
/// argument, reason             <a1>, with its claim, the attacks on it, and its inference
/// side of a question           [d1_yes], with the stances on it, the reasons for it (+) and those against it (-)
/// proposal, issue              [p1], [i1]; an issue attacks the proposal, and a later proposal that resolves it attacks the issue
/// ```
///
/// A mutual attack is written at both arguments. Argdown can mark undercuts but not other attacked components, so a
/// comment on each attack names its kind. The settings keep nodes without relations in maps, which would be omitted by
/// default.
pub fn argdown(map: &DebateMap) -> String {
    let mut argdown = format!("===\ntitle: {}\n", yaml_string(&map.topic));
    argdown += "selection:\n  excludeDisconnected: false\n===\n\n";
    argdown += &format!("// {}\n\n", map.summary());
    let mut in_proposals = false;
    for (place, node) in map.nodes.iter().enumerate() {
        let is_first_proposal = !in_proposals && matches!(node.content, NodeContent::Proposal { .. });
        in_proposals |= is_first_proposal;
        if is_first_proposal {
            argdown += "# Proposals\n\n";
        }
        argdown += &of_node(map, node);
        argdown += &relations(map, place);
        argdown.push('\n');
        argdown += &inference(node);
    }
    argdown
}

fn of_node(map: &DebateMap, node: &MapNode) -> String {
    let (id, text) = (node.id, plain(&node.text));
    let basis = node.turn_note().map(|note| format!(" #({note})")).unwrap_or_default();
    let tags = node.speaker.map(|place| format!(" #({}){basis}", map.speakers[place].persona)).unwrap_or_default();
    match &node.content {
        NodeContent::Argument { label, is_thesis, .. } => {
            let thesis = if *is_thesis { " #thesis" } else { "" };
            format!("<{id}>: {text} #({}){tags}{thesis}\n", label_name(*label))
        }
        NodeContent::Reason { label: Some(label), .. } => format!("<{id}>: {text} #({}){tags}\n", label_name(*label)),
        NodeContent::Reason { label: None, .. } => format!("<{id}>: {text} #(withdrawn){tags}\n"),
        NodeContent::Question { .. } => {
            let remarks = node.remarks().into_iter().map(|(_, remark)| format!("// {}\n", plain(remark)));
            format!("# {id}\\: {text}\n\n// {}\n{}", node.status(), remarks.collect::<String>())
        }
        NodeContent::Position { side, .. } => {
            let rows: Vec<String> = node.rows(map).iter().map(|row| plain(&row.text)).collect();
            format!("[{id}]: {}\\: {text} — {}\n", side_name(*side), rows.join("; "))
        }
        NodeContent::Proposal { .. } => {
            let rows = node.rows(map).into_iter().map(|row| format!("  // {}\n", plain(&row.text)));
            let remarks = node.remarks().into_iter().map(|(word, remark)| format!("  // {word}: {}\n", plain(remark)));
            let comments: String = rows.chain(remarks).collect();
            format!("[{id}]: {text} #({}){tags}\n{comments}", node.status())
        }
        NodeContent::Issue { .. } => format!("[{id}]: {text} #({}){tags}\n", node.status()),
    }
}

/// Relations of other nodes to this one, and the contradiction of the sides of a question.
fn relations(map: &DebateMap, place: usize) -> String {
    let mut argdown = String::new();
    for link in &map.links {
        let (other, is_target) = match (link.target == place, link.is_mutual && link.source == place) {
            (true, _) => (link.source, true),
            (false, true) => (link.target, false),
            (false, false) => continue,
        };
        let sign = match link.relation {
            Relation::Strike(AttackKind::Undercut) => '_',
            Relation::Support => '+',
            Relation::Answer => continue,
            Relation::Revision if is_target => {
                argdown += &format!("  // revised by {}\n", map.nodes[other].id);
                continue;
            }
            _ => '-',
        };
        argdown += &format!("  {sign} {} // {}\n", reference(&map.nodes[other]), why(link));
    }
    if let NodeId::Position(dispute, Side::Yes) = map.nodes[place].id {
        argdown += &format!("  >< [{}]\n", NodeId::Position(dispute, Side::No));
    }
    argdown
}

/// Reference to a node as Argdown writes it: an argument, or a statement.
fn reference(node: &MapNode) -> String {
    match node.content {
        NodeContent::Argument { .. } | NodeContent::Reason { .. } => format!("<{}>", node.id),
        _ => format!("[{}]", node.id),
    }
}

/// Comment on a relation: its name, the id of an attack, and the explanation.
fn why(link: &MapLink) -> String {
    let attack = link.attack.map(|attack| format!("{attack}: ")).unwrap_or_default();
    let note = if link.note.is_empty() { String::new() } else { format!(", {}", plain(&link.note)) };
    format!("{attack}{}{note}", link.relation.name())
}

/// Inference of an argument from its premises and assumptions, or of a reason from its assumptions.
fn inference(node: &MapNode) -> String {
    let none = Vec::new();
    let (premises, assumptions) = match &node.content {
        NodeContent::Argument { premises, assumptions, .. } => (premises, assumptions),
        NodeContent::Reason { assumptions, .. } => (&none, assumptions),
        _ => return String::new(),
    };
    let n_given = premises.len() + assumptions.len();
    if n_given == 0 {
        return String::new();
    }
    let mut argdown = format!("<{}>\n\n", node.id);
    for (number, ground) in (1..).zip(premises.iter().chain(assumptions)) {
        let assumed = if number > premises.len() { " #assumption" } else { "" };
        let unsaid = if ground.is_unsaid { " #(not said)" } else { "" };
        argdown += &format!("({number}) {}{assumed}{unsaid}\n", plain(&ground.text));
    }
    argdown + &format!("----\n({}) {}\n\n\n", n_given + 1, plain(&node.text))
}

/// Escapes all characters that are Argdown syntax. An ellipsis stands for an empty text, which Argdown does not allow.
fn plain(text: &str) -> String {
    let text = clean(text);
    replaced(if text.is_empty() { "…" } else { &text }, |sign| match sign {
        '\\' => Some("\\\\"),
        '#' => Some("\\#"),
        '[' => Some("\\["),
        ']' => Some("\\]"),
        '(' => Some("\\("),
        ')' => Some("\\)"),
        '<' => Some("\\<"),
        '>' => Some("\\>"),
        '*' => Some("\\*"),
        '_' => Some("\\_"),
        '{' => Some("\\{"),
        '}' => Some("\\}"),
        '@' => Some("\\@"),
        '/' => Some("\\/"),
        ':' => Some("\\:"),
        '+' => Some("\\+"),
        '-' => Some("\\-"),
        '=' => Some("\\="),
        _ => None,
    })
}
