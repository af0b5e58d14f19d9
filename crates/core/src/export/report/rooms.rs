//! Rooms and fact checks in the report of a debate. Results are shown as stated by the service that closed the room or
//! checked the claim.

use crate::export::report::markup::Markup;
use crate::export::report::report_model::{CheckReport, DebateReport, RoomReport, Statement};
use crate::export::report::report_sections::{colour, listed, side, turn_link, who};
use crate::export::report::report_text::ReportBuilder;
use crate::export::report::report_words::side_word;
use crate::projections::crux_rooms::{Room, RoomStatus};
use crate::verdicts::read_model::DebateReadModel;

/// Builds the report of each room.
pub fn rooms(teller: &ReportBuilder, read_model: &DebateReadModel) -> Vec<RoomReport> {
    let told = read_model.rooms.rooms.iter().map(|(id, room)| {
        let question = &room.opened.question;
        let stances = room.stances.values();
        RoomReport {
            id: *id,
            question: question.clone(),
            status: match (&room.closed, read_model.rooms.status(room)) {
                (Some(closed), _) => closed.closed.outcome.name(),
                (None, RoomStatus::LeftOpen) => "left open",
                (None, _) => "open",
            },
            speakers: room.opened.participants.iter().filter_map(|persona| teller.place(persona)).collect(),
            stances: stances
                .map(|stance| teller.evidence(&stance.speaker, stance.turn, side_word(stance.side), question))
                .collect(),
            notes: notes(teller, room),
            turns: room.turns.clone(),
        }
    });
    told.collect()
}

fn notes(teller: &ReportBuilder, room: &Room) -> Vec<(&'static str, String)> {
    let mut notes: Vec<(&'static str, String)> =
        room.opened.reason.iter().map(|reason| ("opened", reason.clone())).collect();
    let Some(closed) = &room.closed else { return notes };
    notes.push(("closed", closed.closed.reason.clone()));
    let Some(card) = &closed.closed.card else { return notes };
    let kind = card.kind.map(|kind| format!("{}: ", kind.name())).unwrap_or_default();
    notes.push(("diagnosis", format!("{kind}{}", card.diagnosis)));
    notes.extend(card.resolution.iter().map(|resolution| ("resolution", resolution.clone())));
    let falsifiers = card.falsifiers.iter().map(|falsifier| {
        let name =
            teller.place(&falsifier.speaker).map_or(falsifier.speaker.as_str(), |at| teller.speakers[at].name.as_str());
        ("falsifier", format!("{name}: {}", falsifier.text))
    });
    notes.extend(falsifiers);
    notes
}

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

/// Renders the rooms as HTML.
pub fn rooms_section(page: &mut Markup, account: &DebateReport) {
    if account.rooms.is_empty() {
        return;
    }
    page.raw("<h2 id=rooms>Rooms</h2>\n");
    page.raw("<p class=lead>Side discussions of one question between some participants. The outcome is the one stated when the room was closed.</p>\n");
    for room in &account.rooms {
        page.raw("<section class=card>\n<h4 dir=auto>").text(&room.question).raw("</h4>\n<div class=meta><b>");
        page.text(&room.id.to_string()).raw("</b> ");
        side(page, room.status);
        for speaker in &room.speakers {
            page.raw(" <span class=\"who ").raw(colour(Some(*speaker))).raw("\">");
            who(page, account, Some(*speaker));
            page.raw("</span>");
        }
        page.raw("<span class=at>");
        for turn in &room.turns {
            page.raw(" ");
            turn_link(page, *turn);
        }
        page.raw("</span></div>\n");
        listed(page, account, &room.stances);
        page.raw("<dl>");
        for (word, note) in &room.notes {
            page.raw("<dt>").raw(word).raw("</dt><dd dir=auto>").text(note).raw("</dd>");
        }
        page.raw("</dl>\n</section>\n");
    }
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
