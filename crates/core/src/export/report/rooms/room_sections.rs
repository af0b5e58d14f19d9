//! Sections of rooms, threads, and disagreements without one.

use crate::export::report::markdown_page::{MarkdownPage, escaped};
use crate::export::report::markup::Markup;
use crate::export::report::model::report_model::DebateReport;
use crate::export::report::model::room_models::AspectReport;
use crate::export::report::report_sections::{colour, listed, side, turn_link, who};

/// Renders the rooms as HTML.
pub fn rooms_section(page: &mut Markup, account: &DebateReport) {
    if !account.has_rooms() {
        return;
    }
    let kinds = account.room_kinds;
    page.raw("<h2 id=rooms>").raw(kinds.title()).raw("</h2>\n<p class=lead>").raw(kinds.lead()).raw("</p>\n");
    for room in &account.rooms {
        page.raw("<section class=card>\n<h4 dir=auto>").text(&room.question).raw("</h4>\n<div class=meta><b>");
        page.text(&room.name()).raw("</b> ");
        side(page, room.status);
        for speaker in &room.speakers {
            page.raw(" <span class=\"who ").raw(colour(Some(*speaker))).raw("\">");
            who(page, account, Some(*speaker));
            page.raw("</span>");
        }
        for speaker in &room.joined {
            page.raw(" <span class=\"who ").raw(colour(Some(*speaker))).raw("\">");
            who(page, account, Some(*speaker));
            page.raw("</span> <span class=tag>joined</span>");
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
        page.raw("</dl>\n");
        aspects(page, account, &room.aspects);
        if let Some(candidate) = &room.candidate {
            page.raw("<p class=at dir=auto>Before the ")
                .raw(room.kind.noun())
                .raw(": ")
                .text(&candidate.seen)
                .raw("</p>\n");
            listed(page, account, &candidate.words);
        }
        listed(page, account, &room.steelmen);
        for check in &room.exit_checks {
            page.raw("<p class=at dir=auto>Exit check after ");
            turn_link(page, check.turn);
            page.raw(": ").text(&check.finding).raw("</p>\n");
            listed(page, account, &check.words);
        }
        page.raw("</section>\n");
    }
    if account.without_room.is_empty() {
        return;
    }
    page.raw("<h3>").raw(kinds.without()).raw("</h3>\n");
    for candidate in &account.without_room {
        page.raw("<section class=card>\n<h4 dir=auto>").text(&candidate.question).raw("</h4>\n<p class=at>");
        page.text(&candidate.seen).raw("</p>\n");
        listed(page, account, &candidate.words);
        page.raw("</section>\n");
    }
}

/// Renders the aspects of a room.
fn aspects(page: &mut Markup, account: &DebateReport, aspects: &[AspectReport]) {
    for aspect in aspects {
        page.raw("<p dir=auto><b>Aspect</b> ").text(&aspect.title).raw(" <span class=at>");
        page.raw(aspect.remark).raw("</span></p>\n");
        listed(page, account, &aspect.positions);
        listed(page, account, &aspect.reasons);
        for criterion in &aspect.criteria {
            page.raw("<p class=at dir=auto>Would settle it: ").text(criterion).raw("</p>\n");
        }
    }
}

impl MarkdownPage<'_> {
    /// Appends the rooms, and the disagreements without a room.
    pub fn rooms(&mut self) {
        if self.account.has_rooms() {
            self.title(self.account.room_kinds.title());
        }
        for room in &self.account.rooms {
            let names = |places: &[usize]| {
                let names = places.iter().map(|place| escaped(self.account.name(Some(*place))));
                names.collect::<Vec<_>>().join(", ")
            };
            let joined = match room.joined.as_slice() {
                [] => String::new(),
                joined => format!("; joined: {}", names(joined)),
            };
            let (name, question, names) = (room.name(), escaped(&room.question), names(&room.speakers));
            self.line(&format!("- **{name}** {question} ({names}{joined}): {}", room.status));
            self.evidence(&room.stances, "  ");
            for (word, note) in &room.notes {
                self.line(&format!("  - {word}: {}", escaped(note)));
            }
            for aspect in &room.aspects {
                self.line(&format!("  - aspect {}: {}", escaped(&aspect.title), aspect.remark));
                self.evidence(&aspect.positions, "    ");
                self.evidence(&aspect.reasons, "    ");
                for criterion in &aspect.criteria {
                    self.line(&format!("    - would settle it: {}", escaped(criterion)));
                }
            }
            if !room.turns.is_empty() {
                let turns: Vec<String> = room.turns.iter().map(|turn| format!("[{turn}](#{turn})")).collect();
                self.line(&format!("  - turns: {}", turns.join(" ")));
            }
            if let Some(candidate) = &room.candidate {
                self.line(&format!("  - before the {}: {}", room.kind.noun(), escaped(&candidate.seen)));
                self.evidence(&candidate.words, "    ");
            }
            self.evidence(&room.steelmen, "  ");
            for check in &room.exit_checks {
                self.line(&format!("  - exit check after [{0}](#{0}): {1}", check.turn, escaped(&check.finding)));
                self.evidence(&check.words, "    ");
            }
        }
        if !self.account.without_room.is_empty() {
            self.line(&format!("\n{}:\n", self.account.room_kinds.without()));
        }
        for candidate in &self.account.without_room {
            self.line(&format!("- {}: {}", escaped(&candidate.question), escaped(&candidate.seen)));
            self.evidence(&candidate.words, "  ");
        }
    }
}
