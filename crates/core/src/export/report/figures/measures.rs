//! Measures of the debate with their formulas, and the turns behind them.

use std::collections::BTreeSet;

use crate::events::ids::TurnId;
use crate::export::report::markup::Markup;
use crate::export::report::report_sections::turn_link;
use crate::export::text::capital;
use crate::measures::measure::MeasureGroup;
use crate::measures::measure_text::value_text;
use crate::measures::registry::measures;
use crate::verdicts::read_model::DebateReadModel;

/// Maximum number of turns that are listed behind a measure, so that a row stays a row.
const MAX_TURNS: usize = 12;
/// Explanation of the section.
pub const LEAD: &str = "Figures on the debate by stated formulas, computed from the record without a model. Measures without a \
                        value in this debate are left out.";

/// Measures with one subject.
#[derive(Debug)]
pub struct MeasureSection {
    /// Subject, such as `Cruxes`.
    pub subject: String,
    /// Measures that have a value.
    pub rows: Vec<MeasureRow>,
}

/// Measure that has a value.
#[derive(Debug)]
pub struct MeasureRow {
    /// Name.
    pub name: &'static str,
    /// Value with its unit.
    pub value: String,
    /// Formula in words.
    pub formula: &'static str,
    /// First turns behind the value, in order.
    pub turns: Vec<TurnId>,
    /// Number of further turns behind it.
    pub n_more: usize,
}

/// Returns the measures of a debate by subject. Cost: that of [`measures`] and of the verdict.
pub fn sections(read_model: &DebateReadModel) -> Vec<MeasureSection> {
    let found = measures(read_model, &read_model.verdict());
    let section = |group: MeasureGroup| {
        let own = found.iter().filter(|it| it.definition.group == group);
        let rows = own.filter_map(|it| {
            let value = value_text(&it.measurement, it.definition.unit)?;
            let behind = it.measurement.parts.iter().flat_map(|part| part.turns.iter().copied());
            let mut turns: Vec<TurnId> = behind.collect::<BTreeSet<_>>().into_iter().collect();
            let n_more = turns.len().saturating_sub(MAX_TURNS);
            turns.truncate(MAX_TURNS);
            let (name, formula) = (it.definition.name, it.definition.formula);
            Some(MeasureRow { name, value, formula, turns, n_more })
        });
        MeasureSection { subject: capital(group.name()), rows: rows.collect() }
    };
    MeasureGroup::ALL.into_iter().map(section).filter(|it| !it.rows.is_empty()).collect()
}

/// Renders the measures as HTML.
pub fn measures_section(page: &mut Markup, sections: &[MeasureSection]) {
    if sections.is_empty() {
        return;
    }
    page.raw("<h2 id=measures>Measures</h2>\n<p class=lead>").text(LEAD).raw("</p>\n");
    for MeasureSection { subject, rows } in sections {
        page.raw("<h3>").text(subject).raw("</h3>\n<table>\n<tr><th>measure<th>value<th>formula<th>turns");
        for row in rows {
            page.raw("\n<tr><td>")
                .text(row.name)
                .raw("<td>")
                .text(&row.value)
                .raw("<td>")
                .text(row.formula)
                .raw("<td>");
            for (place, turn) in row.turns.iter().enumerate() {
                page.raw(if place == 0 { "" } else { " " });
                turn_link(page, *turn);
            }
            if row.n_more > 0 {
                page.raw(" and ").number(row.n_more).raw(" more");
            }
        }
        page.raw("\n</table>\n");
    }
}
