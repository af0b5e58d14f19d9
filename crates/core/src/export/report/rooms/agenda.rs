//! Agenda over time in a report: when it was set, the questions in focus, and the reason.

use crate::export::report::markdown_page::{MarkdownPage, escaped};
use crate::export::report::markup::Markup;
use crate::export::report::model::report_model::DebateReport;
use crate::export::report::model::room_models::AgendaReport;
use crate::export::report::report_sections::turn_link;
use crate::verdicts::read_model::DebateReadModel;

/// Sentence that explains the agenda.
const LEAD: &str = "Questions in focus over time. Those with the most participants on the smaller of their two sides \
                    come first. The last agenda was in force at the end.";
/// Words for an agenda without questions.
const NOTHING: &str = "nothing in focus";

/// Builds the report of each agenda.
pub fn agendas(read_model: &DebateReadModel) -> Vec<AgendaReport> {
    let disputes = &read_model.disputes.disputes;
    let told = read_model.agenda.set.iter().map(|entry| {
        let question = |id| disputes.get(id).map_or_else(String::new, |dispute| format!(" {}", dispute.question));
        let before = read_model.transcript.turns.iter().rfind(|turn| turn.version < entry.version);
        AgendaReport {
            after: before.map(|turn| turn.turn),
            at: entry.at.format("%H:%M:%S UTC").to_string(),
            questions: entry.agenda.disputes.iter().map(|id| format!("{id}{}", question(id))).collect(),
            reason: entry.agenda.reason.clone(),
        }
    });
    told.collect()
}

/// Renders the agendas as HTML.
pub fn agenda_section(page: &mut Markup, account: &DebateReport) {
    if account.agendas.is_empty() {
        return;
    }
    page.raw("<h2 id=agenda>Agenda</h2>\n<p class=lead>").raw(LEAD).raw("</p>\n<ol class=trail>\n");
    for agenda in &account.agendas {
        page.raw("<li><span class=at>");
        match agenda.after {
            Some(turn) => {
                page.raw("after ");
                turn_link(page, turn);
            }
            None => {
                page.raw("at the beginning");
            }
        }
        page.raw(", ").text(&agenda.at).raw("</span>");
        for question in &agenda.questions {
            page.raw("<p dir=auto>").text(question).raw("</p>");
        }
        if agenda.questions.is_empty() {
            page.raw("<p>").raw(NOTHING).raw("</p>");
        }
        page.raw("<p class=at dir=auto>").text(&agenda.reason).raw("</p></li>\n");
    }
    page.raw("</ol>\n");
}

impl MarkdownPage<'_> {
    /// Appends the agendas.
    pub fn agenda(&mut self) {
        if self.account.agendas.is_empty() {
            return;
        }
        self.title("Agenda");
        self.line(&format!("{LEAD}\n"));
        for agenda in &self.account.agendas {
            let when = agenda.after.map_or("at the beginning".to_owned(), |turn| format!("after [{turn}](#{turn})"));
            self.line(&format!("- {when}, {}: {}", agenda.at, escaped(&agenda.reason)));
            for question in &agenda.questions {
                self.line(&format!("  - {}", escaped(question)));
            }
            if agenda.questions.is_empty() {
                self.line(&format!("  - {NOTHING}"));
            }
        }
    }
}
