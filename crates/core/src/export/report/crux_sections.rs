//! Sections of the HTML report on cruxes, with their cards.

use crate::export::report::markup::Markup;
use crate::export::report::model::report_model::{CruxReport, DebateReport};
use crate::export::report::report_sections::{arguments_listed, colour, listed, position, turn_link, who};
use crate::export::report::rooms::crux_places::crux_places_list;

/// Renders the cruxes with their evidence.
pub fn cruxes(page: &mut Markup, account: &DebateReport) {
    if !account.has_cruxes() {
        return;
    }
    page.raw("<h2 id=cruxes>Cruxes</h2>\n");
    page.raw("<p class=lead>What the disagreement turns on. The most important comes first.</p>\n");
    for crux in &account.cruxes {
        card(page, account, crux);
    }
    if !account.resolved.is_empty() {
        page.raw("<h3>Resolved</h3>\n");
        account.resolved.iter().for_each(|crux| card(page, account, crux));
    }
    crux_places_list(page, account);
    if !account.contested.is_empty() {
        page.raw("<h3>").text(&account.contested_title).raw("</h3>\n");
        account.contested.iter().for_each(|premise| card(page, account, premise));
    }
    if !account.proposed.is_empty() {
        page.raw("<h3>Proposed by participants as the crux</h3>\n<ul class=evidence>\n");
        for said in &account.proposed {
            position(page, account, said);
            page.raw("<p dir=auto>").text(&said.text).raw("</p></li>\n");
        }
        page.raw("</ul>\n");
    }
}

fn card(page: &mut Markup, account: &DebateReport, crux: &CruxReport) {
    page.raw("<section class=card>\n<h4 dir=auto>").text(&crux.question).raw("</h4>\n");
    if let Some(statement) = &crux.statement {
        page.raw("<p dir=auto>").text(statement).raw("</p>\n");
    }
    page.raw("<div class=meta><span class=tag>");
    page.text(&crux.origin).raw("</span>");
    if let Some(weight) = &crux.weight {
        page.raw("<span class=tag>").text(weight).raw("</span>");
    }
    if !crux.dependents.is_empty() {
        page.raw("<span class=at>dependent arguments:  ");
        arguments_listed(page, &crux.dependents);
        page.raw("</span>");
    }
    page.raw("</div>\n");
    for other in &crux.others {
        page.raw("<p dir=auto>With it: ").text(other).raw("</p>\n");
    }
    listed(page, account, &crux.evidence);
    page.raw("<dl>");
    for (word, note) in &crux.notes {
        page.raw("<dt>").raw(word).raw("</dt><dd dir=auto>").text(note).raw("</dd>");
    }
    page.raw("</dl>\n");
    mind_changes(page, account, crux);
    page.raw("</section>\n");
}

/// Renders what would change the minds of the participants.
fn mind_changes(page: &mut Markup, account: &DebateReport, crux: &CruxReport) {
    if crux.mind_changes.is_empty() {
        return;
    }
    page.raw("<ul class=evidence>\n");
    for change in &crux.mind_changes {
        page.raw("<li class=").raw(colour(change.speaker)).raw(">");
        match &change.text {
            Some(text) => {
                page.raw("What would change <span class=who>");
                who(page, account, change.speaker);
                page.raw("</span>’s mind <span class=at>(").text(&change.source).raw(") ");
                if let Some(turn) = change.turn {
                    turn_link(page, turn);
                }
                page.raw("</span><q dir=auto>").text(text).raw("</q></li>\n");
            }
            None => {
                page.raw("<p class=at>").text(&change.source).raw("</p></li>\n");
            }
        }
    }
    page.raw("</ul>\n");
}
