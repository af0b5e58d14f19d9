//! List of debates, one or two lines each.

use chrono::TimeDelta;

use crate::labels;
use crate::text::page::TextPage;
use crate::text::span::{Span, SpanLine, columns, padded, shortened, trusted};
use crate::text::style::{TerminalStyle, Tone};
use faultline_core::events::ids::DebateId;
use faultline_core::projections::summary::Status;
use faultline_core::verdicts::regime::RegimeKind;

/// Minimum width for a table; on narrower pages, each debate has a line below its topic.
const MIN_TABLE: usize = 96;
/// Spaces between columns.
const GAP: usize = 2;
/// Maximum number of characters of a topic.
const MAX_TOPIC: usize = 200;
/// Maximum width of an engine's name.
const MAX_ENGINE: usize = 12;

/// Entry of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct DebateListRow {
    /// Id of the debate.
    pub debate: DebateId,
    /// Topic of the debate.
    pub topic: String,
    /// Engine that runs it.
    pub engine: String,
    /// Lifecycle status.
    pub status: Status,
    /// Kind of the verdict, if there is one.
    pub regime: Option<RegimeKind>,
    /// Number of turns so far.
    pub turns: u32,
    /// Time since the debate was opened.
    pub age: TimeDelta,
}

/// Renders the debates in the given order.
pub fn list(rows: &[DebateListRow], look: TerminalStyle) -> String {
    let mut page = TextPage::wide(look);
    if rows.is_empty() {
        page.text(&[
            trusted(Tone::Quiet, "No debates yet. "),
            trusted(Tone::Plain, "faultline demo"),
            trusted(Tone::Quiet, " runs one."),
        ]);
    } else if look.columns() >= MIN_TABLE {
        table(&mut page, rows);
    } else {
        stacked(&mut page, rows);
    }
    page.print()
}

fn table(page: &mut TextPage, rows: &[DebateListRow]) {
    let heads = ["debate", "engine", "status", "verdict", "turns", "opened", "topic"];
    let mut lines = vec![heads.map(|head| vec![trusted(Tone::Quiet, head)]).to_vec()];
    for row in rows {
        let cells = facts(page, row);
        lines.push(
            std::iter::once(trusted(Tone::Strong, labels::short(row.debate)))
                .chain(cells)
                .map(|cell| vec![cell])
                .collect(),
        );
    }
    let n_columns = heads.len() - 1;
    let widths: Vec<usize> = (0..n_columns)
        .map(|at| lines.iter().map(|line| line.get(at).map_or(0, |cell| columns(cell))).max().unwrap_or(0))
        .collect();
    let taken: usize = widths.iter().map(|width| width + GAP).sum();
    for (at, cells) in lines.into_iter().enumerate() {
        let mut first = SpanLine::new();
        for (cell, width) in cells.iter().zip(&widths) {
            first.extend(padded(cell.clone(), width + GAP));
        }
        let room = page.room().saturating_sub(taken);
        let last = match at {
            0 => trusted(Tone::Quiet, heads[n_columns]),
            _ => trusted(Tone::Plain, page.fit(&rows[at - 1].topic, room)),
        };
        page.row(&first, &[], &[last]);
    }
}

fn stacked(page: &mut TextPage, rows: &[DebateListRow]) {
    for (at, row) in rows.iter().enumerate() {
        if at > 0 {
            page.blank();
        }
        page.hang(
            &[],
            &[trusted(Tone::Strong, labels::short(row.debate))],
            10,
            &shortened(Tone::Plain, &row.topic, MAX_TOPIC),
        );
        let mut line = SpanLine::new();
        let mut facts = facts(page, row);
        facts[3].text = labels::count(row.turns.into(), "turn");
        for fact in facts.into_iter().filter(|fact| fact.text != "-") {
            if !line.is_empty() {
                line.push(trusted(Tone::Faint, " · "));
            }
            line.push(fact);
        }
        page.hang(&[], &[], 10, &line);
    }
}

/// Returns engine, status, verdict, turns and age.
fn facts(page: &TextPage, row: &DebateListRow) -> [Span; 5] {
    let status = match row.status {
        Status::Running => Tone::Good,
        Status::Paused | Status::Cancelled => Tone::Open,
        Status::Concluded => Tone::Quiet,
    };
    let regime = match row.regime {
        Some(RegimeKind::Consensus) => Tone::Good,
        Some(RegimeKind::Polarized) => Tone::Bad,
        Some(RegimeKind::Partial) => Tone::Open,
        Some(RegimeKind::Undetermined) | None => Tone::Quiet,
    };
    [
        trusted(Tone::Quiet, page.fit(&row.engine, MAX_ENGINE)),
        trusted(status, row.status.name()),
        trusted(regime, row.regime.map_or("-", RegimeKind::name)),
        trusted(Tone::Quiet, labels::grouped(row.turns.into())),
        trusted(Tone::Quiet, labels::ago(row.age).replace(' ', "\u{a0}")),
    ]
}
