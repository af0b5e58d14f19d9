//! Camps in the HTML report: sets of arguments that can be accepted together.

use crate::events::ids::ArgumentId;
use crate::export::report::markup::Markup;
use crate::export::report::model::report_model::{CampReport, DebateReport};
use crate::export::report::report_sections::{argument_link, arguments_listed, colour, who};

/// Renders the camps, or the only set of arguments, which divides nobody.
pub fn camps(page: &mut Markup, account: &DebateReport) {
    if account.camps.is_empty() {
        return;
    }
    page.raw("<h2 id=camps>").raw(account.camps_title()).raw("</h2>\n");
    page.raw("<p class=lead>").text(&account.camps_lead()).raw("</p>\n");
    let tie = account.tie();
    if let Some(tie) = &tie {
        page.raw("<p>").text(tie).raw("</p>\n");
    }
    for (number, camp) in account.camps.iter().enumerate() {
        page.raw("<section class=card>\n");
        if !account.is_only_set {
            page.raw("<h4>");
            if tie.is_some() {
                page.text(&format!("Camp {}", number + 1));
            } else {
                members(page, account, camp);
            }
            page.raw("</h4>\n");
        }
        claims(page, account, &camp.own);
        page.raw("</section>\n");
    }
    if !account.in_every_camp().is_empty() {
        page.raw("<p>In every camp: ");
        arguments_listed(page, account.in_every_camp());
        page.raw("</p>\n");
    }
}

/// Renders arguments with their claims.
fn claims(page: &mut Markup, account: &DebateReport, ids: &[ArgumentId]) {
    page.raw("<ul class=evidence>\n");
    for id in ids {
        if let Some(argument) = account.arguments.iter().find(|argument| argument.id == *id) {
            page.raw("<li class=").raw(colour(argument.speaker)).raw("><span class=at>");
            argument_link(page, *id);
            page.raw("</span> ").text(&argument.claim).raw("</li>\n");
        }
    }
    page.raw("</ul>\n");
}

/// Renders the members of a camp.
fn members(page: &mut Markup, account: &DebateReport, camp: &CampReport) {
    if camp.speakers.is_empty() && camp.tied.is_empty() {
        page.raw("Nobody");
    }
    for (at, (place, is_tied)) in
        camp.speakers.iter().map(|place| (place, false)).chain(camp.tied.iter().map(|place| (place, true))).enumerate()
    {
        if at > 0 {
            page.raw(", ");
        }
        page.raw("<span class=\"who ").raw(colour(Some(*place))).raw("\">");
        who(page, account, Some(*place));
        page.raw("</span>");
        if is_tied {
            page.raw(" <span class=at>(tied)</span>");
        }
    }
}
