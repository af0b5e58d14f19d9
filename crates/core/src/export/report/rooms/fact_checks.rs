//! Fact checks in a report.

use crate::export::report::markup::Markup;
use crate::export::report::report_model::{CheckReport, DebateReport, Statement};
use crate::export::report::report_sections::{colour, turn_link, who};
use crate::export::report::report_text::ReportBuilder;
use crate::verdicts::read_model::DebateReadModel;

/// Builds the report of each fact check.
pub fn checks(teller: &ReportBuilder, read_model: &DebateReadModel) -> Vec<CheckReport> {
    let told = read_model.fact_checks.checks.values().map(|check| {
        let (checked, speaker) = (&check.checked, check.speaker.as_ref().and_then(|persona| teller.place(persona)));
        let what = format!("{}, according to {}", checked.verdict.name(), checked.by);
        let sources = checked.sources.iter().map(|source| {
            let excerpt = source.excerpt.iter().map(|excerpt| format!("\"{excerpt}\""));
            let parts = std::iter::once(source.title.clone()).chain(source.address.clone()).chain(excerpt);
            parts.collect::<Vec<_>>().join(", ")
        });
        CheckReport {
            said: Statement { speaker, turn: checked.turn, what, text: checked.claim.clone() },
            explanation: checked.explanation.clone(),
            sources: sources.collect(),
        }
    });
    told.collect()
}

/// Renders the fact checks as HTML. Source addresses are plain text, since the page contains no external links.
pub fn checks_section(page: &mut Markup, account: &DebateReport) {
    if account.checks.is_empty() {
        return;
    }
    page.raw("<h2 id=checks>Checks</h2>\n<p class=lead>Claims that were checked, with the results. Verdicts do not depend on them.</p>\n<ol class=trail>\n");
    for check in &account.checks {
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
