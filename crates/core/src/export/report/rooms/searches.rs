//! Searches that speakers asked for, in a report.

use crate::export::report::markup::Markup;
use crate::export::report::model::report_model::DebateReport;
use crate::export::report::model::room_models::CheckReport;
use crate::export::report::model::statement::Statement;
use crate::export::report::report_text::ReportBuilder;
use crate::export::report::rooms::fact_checks::trail;
use crate::projections::calls::searches::SpeakerSearch;
use crate::verdicts::read_model::DebateReadModel;

/// Builds the report of each search before a turn that was taken, with the passages found as its sources.
pub fn searches(teller: &ReportBuilder, read_model: &DebateReadModel) -> Vec<CheckReport> {
    let all = read_model.searches.all.iter();
    all.filter_map(|search| {
        let (turn, result) = (search.turn?, search.result.as_ref()?);
        let what = format!("asked for a search ({})", result.by);
        let failed = result.failure.as_ref().map(|failure| format!("the search failed: {}", failure.message));
        let nothing = || search.found.is_empty().then(|| "nothing was found".to_owned());
        Some(CheckReport {
            said: Statement { speaker: teller.place(&search.speaker), turn, what, text: search.query.clone() },
            explanation: failed.or_else(nothing),
            sources: sources(search),
        })
    })
    .collect()
}

fn sources(search: &SpeakerSearch) -> Vec<String> {
    let named = search.found.iter().map(|ground| match &ground.page {
        Some(page) => format!("{}, {}", page.title, page.address),
        None => format!("passage {} of the library", ground.chunk),
    });
    named.collect()
}

/// Renders the searches as HTML. Addresses are plain text, since the page contains no external links.
pub fn searches_section(page: &mut Markup, account: &DebateReport) {
    if account.searches.is_empty() {
        return;
    }
    page.raw("<h2 id=searches>Searches</h2>\n<p class=lead>Searches that participants asked for before a turn, with the passages found. Verdicts do not depend on them.</p>\n");
    trail(page, account, &account.searches);
}
