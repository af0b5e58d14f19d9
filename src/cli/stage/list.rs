//! List of debates, one or two lines each.

use chrono::TimeDelta;

use crate::cli::stage::page::Page;
use crate::cli::stage::span::{Line, Span, columns, own, padded, shortened};
use crate::cli::stage::style::{Look, Tone};
use crate::cli::stage::words;
use crate::events::ids::DebateId;
use crate::projections::summary::Status;
use crate::verdicts::regime::RegimeKind;

/// Minimum width for a table; on narrower pages, each debate has a line below its topic.
const TABLE: usize = 96;
/// Spaces between columns.
const GAP: usize = 2;
/// Maximum number of characters of a topic.
const TOPIC: usize = 200;
/// Maximum width of an engine's name.
const ENGINE: usize = 12;

/// Entry of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
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
pub fn list(rows: &[Row], look: Look) -> String {
    let mut page = Page::wide(look);
    if rows.is_empty() {
        page.text(&[
            own(Tone::Quiet, "No debates yet. "),
            own(Tone::Plain, "faultline demo"),
            own(Tone::Quiet, " runs one."),
        ]);
    } else if look.columns() >= TABLE {
        table(&mut page, rows);
    } else {
        stacked(&mut page, rows);
    }
    page.print()
}

fn table(page: &mut Page, rows: &[Row]) {
    let heads = ["debate", "engine", "status", "verdict", "turns", "opened", "topic"];
    let mut lines = vec![heads.map(|it| vec![own(Tone::Quiet, it)]).to_vec()];
    for row in rows {
        let cells = facts(page, row);
        lines.push(
            std::iter::once(own(Tone::Strong, words::short(row.debate))).chain(cells).map(|it| vec![it]).collect(),
        );
    }
    let n_columns = heads.len() - 1;
    let widths: Vec<usize> = (0..n_columns)
        .map(|at| lines.iter().map(|it| it.get(at).map_or(0, |it| columns(it))).max().unwrap_or(0))
        .collect();
    let taken: usize = widths.iter().map(|it| it + GAP).sum();
    for (at, cells) in lines.into_iter().enumerate() {
        let mut first = Line::new();
        for (cell, width) in cells.iter().zip(&widths) {
            first.extend(padded(cell.clone(), width + GAP));
        }
        let room = page.room().saturating_sub(taken);
        let last = match at {
            0 => own(Tone::Quiet, heads[n_columns]),
            _ => own(Tone::Plain, page.fit(&rows[at - 1].topic, room)),
        };
        page.row(&first, &[], &[last]);
    }
}

fn stacked(page: &mut Page, rows: &[Row]) {
    for (at, row) in rows.iter().enumerate() {
        if at > 0 {
            page.blank();
        }
        page.hang(&[], &[own(Tone::Strong, words::short(row.debate))], 10, &shortened(Tone::Plain, &row.topic, TOPIC));
        let mut line = Line::new();
        let mut facts = facts(page, row);
        facts[3].text = words::count(row.turns.into(), "turn");
        for fact in facts.into_iter().filter(|it| it.text != "-") {
            if !line.is_empty() {
                line.push(own(Tone::Faint, " · "));
            }
            line.push(fact);
        }
        page.hang(&[], &[], 10, &line);
    }
}

/// Returns engine, status, verdict, turns and age.
fn facts(page: &Page, row: &Row) -> [Span; 5] {
    let status = match row.status {
        Status::Running => Tone::Good,
        Status::Paused | Status::Aborted => Tone::Open,
        Status::Concluded => Tone::Quiet,
    };
    let regime = match row.regime {
        Some(RegimeKind::Consensus) => Tone::Good,
        Some(RegimeKind::Polarized) => Tone::Bad,
        Some(RegimeKind::Partial) => Tone::Open,
        Some(RegimeKind::Undetermined) | None => Tone::Quiet,
    };
    [
        own(Tone::Quiet, page.fit(&row.engine, ENGINE)),
        own(status, row.status.name()),
        own(regime, row.regime.map_or("-", RegimeKind::name)),
        own(Tone::Quiet, words::grouped(row.turns.into())),
        own(Tone::Quiet, words::ago(row.age).replace(' ', "\u{a0}")),
    ]
}
