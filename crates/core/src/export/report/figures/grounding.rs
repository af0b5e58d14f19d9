//! Table of how well speech is grounded in cited passages.

use crate::export::report::markup::Markup;
use crate::export::report::report_text::ReportBuilder;
use crate::projections::grounding::GroundingCounts;
use crate::verdicts::read_model::DebateReadModel;

/// Column headings of the table.
pub const HEADS: [&str; 7] =
    ["", "turns grounded", "citations", "cited, but not given", "verbatim", "abridged", "not in the passage"];

/// Returns a row for each participant who was given or cited passages and a row of totals; empty if there are none.
pub fn rows(read_model: &DebateReadModel) -> Vec<[String; 7]> {
    if read_model.grounding.is_empty() {
        return Vec::new();
    }
    let speakers = ReportBuilder::of(read_model).speakers;
    let each = speakers.iter().map(|speaker| row(&speaker.name, read_model.grounding.of(&speaker.id)));
    each.chain([row("All", read_model.grounding.total())]).collect()
}

fn row(name: &str, tally: GroundingCounts) -> [String; 7] {
    let counts = [tally.citations, tally.dangling, tally.verbatim, tally.abridged, tally.unverified];
    let [cited, dangling, verbatim, abridged, unverified] = counts.map(|count| count.to_string());
    let grounded = format!("{} of {}", tally.grounded, tally.turns);
    [name.to_owned(), grounded, cited, dangling, verbatim, abridged, unverified]
}

/// Renders the table as HTML.
pub fn table(page: &mut Markup, read_model: &DebateReadModel) {
    let rows = rows(read_model);
    if rows.is_empty() {
        return;
    }
    page.raw("<h2 id=grounding>Grounding</h2>\n<p class=lead>Citations of the speakers’ own writings, and whether the quotations match them.</p>\n<table>\n<tr>");
    for head in HEADS {
        page.raw("<th>").text(head);
    }
    for row in &rows {
        page.raw("\n<tr>");
        for cell in row {
            page.raw("<td>").text(cell);
        }
    }
    page.raw("\n</table>\n");
}
