//! Fact checks in a report.

use crate::events::citation::QuoteCheck;
use crate::export::report::markup::Markup;
use crate::export::report::model::report_model::DebateReport;
use crate::export::report::model::room_models::CheckReport;
use crate::export::report::model::statement::Statement;
use crate::export::report::report_sections::{colour, turn_link, who};
use crate::export::report::report_text::ReportBuilder;
use crate::projections::fact_checks::FactCheck;
use crate::verdicts::read_model::DebateReadModel;

/// Builds the report of each fact check of what was said; those of rejected drafts are told with the drafts.
pub fn checks(teller: &ReportBuilder, read_model: &DebateReadModel) -> Vec<CheckReport> {
    let checks = &read_model.fact_checks;
    let said = checks.checks.values().filter_map(|check| Some((checks.turn_of(check)?, check)));
    said.map(|(turn, check)| {
        let report = check_report(teller, check);
        CheckReport { said: Statement { turn, ..report.said }, ..report }
    })
    .collect()
}

/// Builds the report of a fact check.
pub fn check_report(teller: &ReportBuilder, check: &FactCheck) -> CheckReport {
    let (checked, speaker) = (&check.checked, check.speaker.as_ref().and_then(|persona| teller.place(persona)));
    let same = checked.same_as.map(|same| format!(", as in {same}")).unwrap_or_default();
    let what = format!("{} {}, according to {}{same}", checked.check, checked.verdict.name(), checked.by);
    let sources = checked.sources.iter().map(|source| {
        let unverified = source.check == Some(QuoteCheck::Unverified);
        let found = if unverified { " (not found in the source)" } else { "" };
        let excerpt = source.excerpt.iter().map(|excerpt| format!("\"{excerpt}\"{found}"));
        let parts = std::iter::once(source.title.clone()).chain(source.address.clone()).chain(excerpt);
        parts.collect::<Vec<_>>().join(", ")
    });
    CheckReport {
        said: Statement { speaker, turn: checked.turn, what, text: checked.claim.clone() },
        explanation: checked.explanation.clone(),
        sources: sources.collect(),
    }
}

/// Renders the fact checks as HTML. Source addresses are plain text, since the page contains no external links.
pub fn checks_section(page: &mut Markup, account: &DebateReport) {
    if account.checks.is_empty() {
        return;
    }
    page.raw("<h2 id=checks>Checks</h2>\n<p class=lead>Claims that were checked, with the results. Verdicts do not depend on them.</p>\n");
    trail(page, account, &account.checks);
}

/// Renders statements with their explanations and sources as a list.
pub fn trail(page: &mut Markup, account: &DebateReport, checks: &[CheckReport]) {
    page.raw("<ol class=trail>\n");
    for check in checks {
        let said = &check.said;
        page.raw("<li class=").raw(colour(said.speaker)).raw("><span class=who>");
        who(page, account, said.speaker);
        page.raw("</span> <span class=tag>").text(&said.what).raw("</span> <span class=at>");
        turn_link(page, said.turn);
        page.raw("</span>").paragraphs(&said.text);
        page.raw("<dl>");
        if let Some(explanation) = &check.explanation {
            page.raw("<dt>because</dt><dd dir=auto>").text(explanation).raw("</dd>");
        }
        for source in &check.sources {
            page.raw("<dt>source</dt><dd dir=auto>").text(source).raw("</dd>");
        }
        page.raw("</dl></li>\n");
    }
    page.raw("</ol>\n");
}
