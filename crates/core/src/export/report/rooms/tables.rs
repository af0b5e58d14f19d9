//! Tables of a blackboard debate in a report: who sat there, how it ended, and the measures of each round.

use crate::events::ids::PersonaId;
use crate::events::table::{ConvergenceMeasured, MeasuredDispute, TableState};
use crate::export::report::markdown_page::{MarkdownPage, escaped};
use crate::export::report::markup::Markup;
use crate::export::report::model::report_model::DebateReport;
use crate::export::report::model::room_models::{TableReport, TableRound};
use crate::export::report::report_words::sentence;
use crate::projections::tables::Table;
use crate::verdicts::read_model::DebateReadModel;

/// Sentences that explain the measures.
const LEAD: &str = "Who sat where, and how far stances came together. Shares are those of the stances on yes, on no \
                    and on neither; a stance counts as much as the confidence that was stated with it, and 1 if none \
                    was. Entropy is 0 if all stances are on one of the three, and 1 if they are spread evenly; distance \
                    is 0 for equal positions, and 2 for opposite ones of which each counts as 1. A majority is no \
                    agreement: somebody may be on the other side.";

/// Builds the report of each table.
pub fn tables(read_model: &DebateReadModel) -> Vec<TableReport> {
    read_model.tables.tables.iter().map(|table| table_report(read_model, table)).collect()
}

fn table_report(read_model: &DebateReadModel, table: &Table) -> TableReport {
    let name = |id: &PersonaId| {
        let participant = read_model.cast.get(id);
        participant.map_or_else(|| id.to_string(), |participant| participant.name.clone())
    };
    let seated = &table.seated;
    let kind = if seated.is_final { "Final table" } else { "Table" };
    let state = match table.measured.last() {
        Some(latest) => {
            let state = match latest.measured.state {
                TableState::Open => "left open",
                TableState::Converged => "a majority on each question",
                TableState::Diverged | TableState::Silent => latest.measured.state.name(),
            };
            format!("{state}: {}", latest.measured.reason)
        }
        None => "not measured".to_owned(),
    };
    TableReport {
        title: format!("{kind} {}", seated.table),
        participants: seated.participants.iter().map(name).collect(),
        reason: sentence(&seated.reason),
        state: sentence(&state),
        rounds: (0..)
            .zip(&table.measured)
            .map(|(at, it)| table_round(seated.is_final && at == 0, &it.measured))
            .collect(),
    }
}

fn table_round(is_seating: bool, measured: &ConvergenceMeasured) -> TableRound {
    let title = match measured.round {
        _ if is_seating => "at the seating".to_owned(),
        0 => "first stances".to_owned(),
        round => format!("round {round}"),
    };
    TableRound { title, disputes: measured.disputes.iter().map(dispute_measures).collect() }
}

/// Tells the measures of a dispute: `d2: yes 0.67, no 0.33, neither 0.00; entropy 0.58, distance 1.33; 1 without a stance`.
pub fn dispute_measures(it: &MeasuredDispute) -> String {
    let without = match it.without {
        0 => String::new(),
        n => format!("; {n} without a stance"),
    };
    let Some(entropy) = it.entropy else { return format!("{}: no stance that counts{without}", it.dispute) };
    let distance = it.distance.map(|distance| format!(", distance {distance:.2}")).unwrap_or_default();
    format!(
        "{}: yes {:.2}, no {:.2}, neither {:.2}; entropy {entropy:.2}{distance}{without}",
        it.dispute, it.yes, it.no, it.neither
    )
}

/// Renders the tables as HTML.
pub fn tables_section(page: &mut Markup, account: &DebateReport) {
    if account.tables.is_empty() {
        return;
    }
    page.raw("<h2 id=tables>Tables</h2>\n<p class=lead>").raw(LEAD).raw("</p>\n");
    for table in &account.tables {
        page.raw("<section class=card>\n<h4>").text(&table.title).raw("</h4>\n<p dir=auto>");
        page.text(&table.participants.join(", ")).raw("</p>\n<p class=at dir=auto>").text(&table.reason).raw("</p>\n");
        page.raw("<p dir=auto>").text(&table.state).raw("</p>\n<ol class=trail>\n");
        for round in &table.rounds {
            page.raw("<li><span class=at>").text(&round.title).raw("</span>");
            for measures in &round.disputes {
                page.raw("<p>").text(measures).raw("</p>");
            }
            page.raw("</li>\n");
        }
        page.raw("</ol>\n</section>\n");
    }
}

impl MarkdownPage<'_> {
    /// Appends the tables.
    pub fn tables(&mut self) {
        if self.account.tables.is_empty() {
            return;
        }
        self.title("Tables");
        self.line(&format!("{LEAD}\n"));
        for table in &self.account.tables {
            let participants = escaped(&table.participants.join(", "));
            self.line(&format!("### {}\n\n{participants}. {}\n", table.title, escaped(&table.reason)));
            self.line(&format!("{}\n", escaped(&table.state)));
            for round in &table.rounds {
                self.line(&format!("- {}", round.title));
                for measures in &round.disputes {
                    self.line(&format!("  - {}", escaped(measures)));
                }
            }
            self.line("");
        }
    }
}
