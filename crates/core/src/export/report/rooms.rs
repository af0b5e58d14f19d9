//! Rooms and fact checks in the report of a debate. Results are shown as stated by the service that closed the room or
//! checked the claim.

use crate::events::channel::{ExitChecked, StatedWords, SteelmanJudged};
use crate::export::report::markdown_page::{MarkdownPage, escaped};
use crate::export::report::markup::Markup;
use crate::export::report::report_model::{
    CandidateReport, CheckReport, DebateReport, ExitCheckReport, RoomReport, Statement,
};
use crate::export::report::report_sections::{colour, listed, side, turn_link, who};
use crate::export::report::report_text::ReportBuilder;
use crate::export::report::report_words::side_word;
use crate::projections::crux_rooms::{Room, RoomStatus};
use crate::projections::room_candidates::RoomCandidate;
use crate::verdicts::crux_card::crux_text::{listed as joined, quoted};
use crate::verdicts::read_model::DebateReadModel;

/// Title of the list of disagreements without a room.
const WITHOUT_ROOM: &str =
    "Disagreements that got no room: they were seen too seldom, or while one of the two was not free for one";

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
            candidate: room
                .opened
                .candidate
                .and_then(|id| candidate(teller, read_model.candidates.candidates.get(&id)?, Some(room.version))),
            steelmen: room.steelmen.iter().map(|judged| steelman(teller, judged)).collect(),
            exit_checks: room.exit_checks.iter().map(|checked| exit_check(teller, checked)).collect(),
        }
    });
    told.collect()
}

/// Builds the report of each disagreement that was seen and got no room.
pub fn without_room(teller: &ReportBuilder, read_model: &DebateReadModel) -> Vec<CandidateReport> {
    let candidates = read_model.candidates.candidates.values().filter(|candidate| candidate.room.is_none());
    candidates.filter_map(|found| candidate(teller, found, None)).collect()
}

/// Builds the report of a candidate: all its sightings, or those before a version. `None` if there are none.
fn candidate(teller: &ReportBuilder, candidate: &RoomCandidate, before: Option<i64>) -> Option<CandidateReport> {
    let mut sightings: Vec<_> = candidate.sightings.iter().collect();
    sightings.retain(|sighting| before.is_none_or(|version| sighting.version < version));
    let latest = &sightings.last()?.seen;
    let windows: Vec<String> = sightings.iter().map(|sighting| sighting.window.to_string()).collect();
    let confidences: Vec<String> =
        sightings.iter().map(|sighting| format!("{:.2}", sighting.seen.confidence)).collect();
    let windows = format!("{} {}", if windows.len() == 1 { "window" } else { "windows" }, joined(&windows));
    let unseen = match (candidate.unseen, before) {
        (0, _) | (_, Some(_)) => String::new(),
        (1, None) => ", and not in the window after".to_owned(),
        (unseen, None) => format!(", and not in the {unseen} windows after"),
    };
    Some(CandidateReport {
        question: candidate.question.clone(),
        seen: format!("seen in {windows}, with a confidence of {}{unseen}", joined(&confidences)),
        words: vec![words(teller, &latest.yes, "yes"), words(teller, &latest.no, "no")],
    })
}

fn exit_check(teller: &ReportBuilder, checked: &ExitChecked) -> ExitCheckReport {
    let found = if checked.surfaced { "passed" } else { "the room goes on" };
    ExitCheckReport {
        turn: checked.turn,
        finding: format!("{found}: {}", checked.reason),
        words: checked.words.iter().map(|stated| words(teller, stated, "states it")).collect(),
    }
}

/// Builds the report of a judgement on a statement of the other's position.
fn steelman(teller: &ReportBuilder, judged: &SteelmanJudged) -> Statement {
    let found = if judged.accepted { "accepts" } else { "rejects" };
    let what = format!("{found} {} as a statement of their position", judged.steelman);
    let (speaker, turn) = (teller.place(&judged.speaker), judged.turn);
    Statement { speaker, turn, what, text: quoted(&judged.quote) }
}

fn words(teller: &ReportBuilder, stated: &StatedWords, what: &str) -> Statement {
    let (speaker, turn) = (teller.place(&stated.speaker), stated.turn);
    Statement { speaker, turn, what: what.to_owned(), text: quoted(&stated.quote) }
}

fn notes(teller: &ReportBuilder, room: &Room) -> Vec<(&'static str, String)> {
    let mut notes: Vec<(&'static str, String)> =
        room.opened.reason.iter().map(|reason| ("opened", reason.clone())).collect();
    let stages: Vec<&str> = room.stages.iter().map(|stage| stage.name()).collect();
    notes.extend((!stages.is_empty()).then(|| ("stages", stages.join(", "))));
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
    if !account.has_rooms() {
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
        page.raw("</dl>\n");
        if let Some(candidate) = &room.candidate {
            page.raw("<p class=at dir=auto>Before the room: ").text(&candidate.seen).raw("</p>\n");
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
    page.raw("<h3>").raw(WITHOUT_ROOM).raw("</h3>\n");
    for candidate in &account.without_room {
        page.raw("<section class=card>\n<h4 dir=auto>").text(&candidate.question).raw("</h4>\n<p class=at>");
        page.text(&candidate.seen).raw("</p>\n");
        listed(page, account, &candidate.words);
        page.raw("</section>\n");
    }
}

impl MarkdownPage<'_> {
    /// Appends the rooms, and the disagreements without a room.
    pub fn rooms(&mut self) {
        if self.account.has_rooms() {
            self.title("Rooms");
        }
        for room in &self.account.rooms {
            let names = room.speakers.iter().map(|place| escaped(self.account.name(Some(*place)))).collect::<Vec<_>>();
            let (id, question, names) = (room.id, escaped(&room.question), names.join(", "));
            self.line(&format!("- **{id}** {question} ({names}): {}", room.status));
            self.evidence(&room.stances, "  ");
            for (word, note) in &room.notes {
                self.line(&format!("  - {word}: {}", escaped(note)));
            }
            if !room.turns.is_empty() {
                let turns: Vec<String> = room.turns.iter().map(|turn| format!("[{turn}](#{turn})")).collect();
                self.line(&format!("  - turns: {}", turns.join(" ")));
            }
            if let Some(candidate) = &room.candidate {
                self.line(&format!("  - before the room: {}", escaped(&candidate.seen)));
                self.evidence(&candidate.words, "    ");
            }
            self.evidence(&room.steelmen, "  ");
            for check in &room.exit_checks {
                self.line(&format!("  - exit check after [{0}](#{0}): {1}", check.turn, escaped(&check.finding)));
                self.evidence(&check.words, "    ");
            }
        }
        if !self.account.without_room.is_empty() {
            self.line(&format!("\n{WITHOUT_ROOM}:\n"));
        }
        for candidate in &self.account.without_room {
            self.line(&format!("- {}: {}", escaped(&candidate.question), escaped(&candidate.seen)));
            self.evidence(&candidate.words, "  ");
        }
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
