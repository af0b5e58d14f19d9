//! List of recurring questions, a few lines each.

use std::collections::BTreeSet;

use crate::labels;
use crate::text::page::TextPage;
use crate::text::span::{SpanLine, shortened, trusted};
use crate::text::style::{TerminalStyle, Tone};
use faultline_core::events::ids::DebateId;
use faultline_service::recurring::{PersonaSides, QuestionCluster, Recurring, SideIn};

/// Width of the column of debate counts.
const NUMBER: usize = 6;
/// Maximum number of characters of a question.
const MAX_QUESTION: usize = 300;
/// Maximum number of neighbours shown.
const MAX_NEIGHBOURS: usize = 3;

/// Renders the questions in the given order.
pub fn clusters(recurring: &Recurring, look: TerminalStyle) -> String {
    let mut page = TextPage::new(look);
    if recurring.clusters.is_empty() {
        page.text(&[trusted(Tone::Quiet, "No question comes up in several debates.")]);
    }
    for (at, cluster) in recurring.clusters.iter().enumerate() {
        if at > 0 {
            page.blank();
        }
        let name = [trusted(Tone::Strong, format!("{} ×", cluster.debates))];
        page.hang(&[], &name, NUMBER, &shortened(Tone::Plain, &cluster.question, MAX_QUESTION));
        page.hang(&[], &[], NUMBER, &what(cluster));
        for held in &cluster.personas {
            page.hang(&[], &[], NUMBER, &sides(held));
        }
        for near in cluster.neighbours.iter().take(MAX_NEIGHBOURS) {
            let is = if near.opposite { "opposite" } else { "near" };
            let mut line: SpanLine = vec![trusted(Tone::Quiet, format!("{is}, {:.2}: ", near.similarity))];
            line.extend(shortened(Tone::Quiet, &near.question, MAX_QUESTION));
            page.hang(&[], &[], NUMBER, &line);
        }
    }
    if !recurring.exact {
        page.blank();
        page.text(&[trusted(
            Tone::Quiet,
            "Not everything was examined or embedded: questions may be missing or listed twice.",
        )]);
    }
    page.print()
}

/// Formats the kinds of the cruxes and the similarity of their wordings.
fn what(cluster: &QuestionCluster) -> SpanLine {
    let kinds: Vec<&str> = cluster.kinds.iter().map(String::as_str).collect();
    let alike = match cluster.wordings {
        1 => "in one wording".to_owned(),
        n => format!("in {n} wordings, similarity at least {:.2}, mean {:.2}", cluster.least, cluster.mean),
    };
    vec![trusted(Tone::Quiet, format!("{} · {} cruxes {alike}", kinds.join(", "), cluster.members.len()))]
}

/// Number of debates in a row from which they are counted instead of listed.
const COUNTED: usize = 3;

/// Formats the sides that a persona took, in order. Debates in a row on the same side are counted.
fn sides(held: &PersonaSides) -> SpanLine {
    let mut line = vec![trusted(Tone::Plain, format!("{}: ", held.persona))];
    let mut before: Option<&SideIn> = None;
    for run in held.sides.chunk_by(|one, other| one.side == other.side) {
        let debates: BTreeSet<DebateId> = run.iter().map(|side| side.debate).collect();
        if let (true, [first, .., last]) = (debates.len() >= COUNTED, run) {
            line.push(trusted(Tone::Plain, if before.is_some() { ", then " } else { "" }));
            line.push(labels::crux_side(first.side));
            let (from, to) = (labels::short(first.debate), labels::short(last.debate));
            line.push(trusted(Tone::Quiet, format!(" ×{}, from {from} to {to}", debates.len())));
            before = Some(last);
            continue;
        }
        for side in run {
            // Several cruxes of one debate have no order in time that would show a change.
            let gap = match before.map(|before| before.debate == side.debate) {
                None => "",
                Some(true) => " and ",
                Some(false) => ", then ",
            };
            line.push(trusted(Tone::Plain, gap));
            line.push(labels::crux_side(side.side));
            line.push(trusted(Tone::Quiet, format!(" in {}", labels::short(side.debate))));
            before = Some(side);
        }
    }
    if held.has_changed() {
        line.push(trusted(Tone::Good, " · changed"));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    use faultline_core::events::ids::TurnId;
    use faultline_core::verdicts::crux::PositionSide;
    use faultline_service::recurring::Neighbour;

    #[test]
    fn debates_in_a_row_are_counted() {
        let side = |id: u128, side| SideIn {
            debate: DebateId(uuid::Uuid::from_u128(id)),
            key: "d1".to_owned(),
            at: Default::default(),
            side,
            turn: TurnId(1),
        };
        let yes = PositionSide::Yes;
        let sides_of = |sides: Vec<SideIn>| PersonaSides { persona: "ada".parse().expect("a name"), sides };
        let told = |sides_held: Vec<SideIn>| -> String {
            sides(&sides_of(sides_held)).iter().map(|span| span.text.as_str()).collect()
        };
        assert_eq!(told(vec![side(1, yes), side(2, yes)]), "ada: YES in 00000001, then YES in 00000002");
        assert_eq!(
            told(vec![side(1, yes), side(2, yes), side(3, yes), side(4, PositionSide::No)]),
            "ada: YES ×3, from 00000001 to 00000003, then NO in 00000004 · changed"
        );
    }

    #[test]
    fn recurring_questions_are_listed() {
        let debate: DebateId = "0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b".parse().expect("a debate");
        let side = |side| SideIn { debate, key: "d1".to_owned(), at: Default::default(), side, turn: TurnId(1) };
        let held = PersonaSides {
            persona: "ada".parse().expect("a name"),
            sides: vec![side(PositionSide::Yes), side(PositionSide::No)],
        };
        let near = Neighbour { question: "Is it dear?".into(), debates: 1, similarity: 0.912, opposite: true };
        let cluster = QuestionCluster {
            question: "Is it\u{1b}[2J cheap?".into(),
            members: vec![],
            debates: 2,
            kinds: ["dispute".to_owned()].into(),
            first_seen: Default::default(),
            last_seen: Default::default(),
            wordings: 2,
            least: 0.8,
            mean: 0.9,
            personas: vec![held],
            neighbours: vec![near],
        };
        let look = TerminalStyle { width: 100, colour: false, unicode: true };
        let text = clusters(&Recurring { clusters: vec![cluster], exact: false }, look);
        for expected in
            ["2 ×", "cheap?", "0.80", "ada: YES in 2f3e4a5b and NO", "changed", "opposite, 0.91", "listed twice"]
        {
            assert!(text.contains(expected), "{expected}: {text}");
        }
        assert!(!text.contains('\u{1b}'));
        assert!(clusters(&Recurring::default(), look).contains("No question"));
    }
}
