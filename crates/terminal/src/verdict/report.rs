//! Full report on one debate.

use crate::citation_numbers::CitationNumbers;
use crate::labels;
use crate::live::event_notices;
use crate::live::places;
use crate::live::room_card;
use crate::live::speech;
use crate::opening;
use crate::passage_list;
use crate::speakers::Speakers;
use crate::text::page::TextPage;
use crate::text::span::{blanks, trusted, untrusted};
use crate::text::style::{TerminalStyle, Tone};
use crate::verdict::audit;
use crate::verdict::common_ground;
use crate::verdict::findings;
use crate::verdict::record_sections;
use crate::verdict::thread::threads;
use crate::verdict::verdict_sections;
use crate::verdict_context::{VerdictContext, fact};
use faultline_core::events::crux::RoomKind;
use faultline_core::events::ids::RoomId;
use faultline_core::export::report::missed_calls::skipped_turn;
use faultline_core::export::report::report_text::ReportBuilder;
use faultline_core::export::report::rooms::agenda::agendas as agendas_of;
use faultline_core::export::report::rooms::fact_checks::checks;
use faultline_core::export::report::rooms::motion::motion;
use faultline_core::export::report::rooms::room_reports::kinds;
use faultline_core::export::report::rooms::tables::tables as tables_of;
use faultline_core::projections::floor::Skip;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_store::library::recall::StoredPassage;

/// Renders a whole debate: its head, its full verdict, proposals, disputes, argument threads, rooms, tables, the sides of a motion,
/// concessions, fact checks, the transcript with whole turns, and the cited passages. `passages` are those passages, as far as the library still has them.
///
/// Cost: that of [`DebateReadModel::verdict`], plus arguments times attacks.
pub fn report(read_model: &DebateReadModel, passages: &[StoredPassage], look: TerminalStyle) -> String {
    let verdict = read_model.verdict();
    let speakers = Speakers::of(&read_model.summary);
    let telling = VerdictContext { read_model, verdict: &verdict, speakers: &speakers, full: true };
    let mut sources = CitationNumbers::of(read_model);
    let mut page = TextPage::new(look);
    opening::head(&mut page, &read_model.summary, &speakers);
    let title = if read_model.summary.status.is_final() { "Verdict" } else { "Verdict so far" };
    part(&mut page, title);
    findings::regime(&mut page, &telling);
    common_ground::outcome(&mut page, &telling);
    findings::topic(&mut page, &telling);
    findings::cruxes(&mut page, &telling);
    findings::resolved(&mut page, &telling);
    findings::contested(&mut page, &telling);
    common_ground::common(&mut page, &telling);
    audit::contested(&mut page, &telling);
    verdict_sections::camps(&mut page, &telling);
    page.blank();
    audit::summary(&mut page, &telling);
    verdict_sections::labels(&mut page, &telling);
    verdict_sections::ending(&mut page, &telling);
    verdict_sections::cost(&mut page, &telling);
    fact(&mut page, "Algorithm", &[trusted(Tone::Quiet, verdict.algorithm.as_str())]);
    if !read_model.proposals.proposals.is_empty() {
        part(&mut page, "Proposals");
        common_ground::proposals(&mut page, &telling);
    }
    if !read_model.disputes.disputes.is_empty() {
        part(&mut page, "Questions");
        common_ground::disputes(&mut page, &telling);
    }
    if !read_model.crux_proposals.cruxes.is_empty() {
        part(&mut page, "Cruxes named by participants");
        common_ground::named_cruxes(&mut page, &telling);
    }
    if !read_model.arguments.arguments.is_empty() {
        part(&mut page, "Arguments");
        threads(&mut page, &telling, &mut sources);
    }
    course(&mut page, &telling);
    let mut text = String::new();
    if !read_model.transcript.turns.is_empty() {
        page.blank();
        page.rule("Transcript");
        text = transcript(&telling, &mut sources, look);
    }
    let mut end = TextPage::new(look);
    passage_list::list(&mut end, &sources, passages);
    page.print() + &text + &end.print()
}

/// Renders the parts on the course of the debate: rooms, agendas, tables, the sides of a motion, concessions and checks.
fn course(page: &mut TextPage, telling: &VerdictContext) {
    let read_model = telling.read_model;
    if !read_model.rooms.rooms.is_empty() {
        part(page, kinds(read_model).title());
        rooms(page, telling);
    }
    if !read_model.agenda.set.is_empty() {
        part(page, "Agenda");
        agendas(page, read_model);
    }
    if !read_model.tables.tables.is_empty() {
        part(page, "Tables");
        tables(page, read_model);
    }
    let builder = ReportBuilder::of(read_model);
    if let Some(motion) = motion(&builder, read_model) {
        part(page, "The motion");
        record_sections::motion(page, &motion);
    }
    let concessions = builder.concessions();
    if !concessions.is_empty() {
        part(page, "Concessions");
        record_sections::concessions(page, telling, &builder, &concessions);
    }
    let checks = checks(&builder, read_model);
    if !checks.is_empty() {
        part(page, "Checks");
        record_sections::checks(page, telling, &builder, &checks);
    }
}

fn part(page: &mut TextPage, title: &str) {
    page.blank();
    page.rule(title);
    page.blank();
}

/// Renders the rooms with their cards.
fn rooms(page: &mut TextPage, telling: &VerdictContext) {
    for (at, (id, room)) in telling.read_model.rooms.rooms.iter().enumerate() {
        if at > 0 {
            page.blank();
        }
        let rooms = &telling.read_model.rooms;
        let split = match room.opened.kind {
            RoomKind::Private => String::new(),
            RoomKind::Thread => format!(", split from {}", rooms.split_from(room)),
        };
        page.text(&[trusted(Tone::Quiet, format!("{}{split}", rooms.named(*id)))]);
        room_card::card(page, telling.speakers, telling.read_model, room);
    }
}

/// Renders the agendas over time: the disputes in focus, and the reason.
fn agendas(page: &mut TextPage, read_model: &DebateReadModel) {
    for agenda in agendas_of(read_model) {
        let when = agenda.after.map_or("at the beginning".to_owned(), |turn| format!("after {turn}"));
        let reason = labels::sentence(&agenda.reason);
        page.text(&[trusted(Tone::Quiet, format!("{when}: ")), untrusted(Tone::Quiet, &reason)]);
        for question in &agenda.questions {
            page.row(&[blanks(2)], &[blanks(4)], &[untrusted(Tone::Plain, question)]);
        }
    }
}

/// Renders the tables: who sat there, how it ended, and the measures of each round.
fn tables(page: &mut TextPage, read_model: &DebateReadModel) {
    for (at, table) in tables_of(read_model).iter().enumerate() {
        if at > 0 {
            page.blank();
        }
        let title = trusted(Tone::Quiet, format!("{}: ", table.title));
        page.text(&[title, untrusted(Tone::Plain, &table.participants.join(", "))]);
        page.row(&[blanks(2)], &[blanks(2)], &[untrusted(Tone::Plain, &labels::sentence(&table.state))]);
        for round in &table.rounds {
            page.row(&[blanks(2)], &[blanks(2)], &[trusted(Tone::Quiet, labels::capital(&round.title))]);
            for measures in &round.disputes {
                page.row(&[blanks(4)], &[blanks(6)], &[untrusted(Tone::Quiet, measures)]);
            }
        }
    }
}

/// Renders every turn in full, with the numbers of the passages that it cites, and skipped turns. Turns of a room stand beside those of the
/// main channel, or are indented; a heading names the room whenever the place changes.
fn transcript(telling: &VerdictContext, sources: &mut CitationNumbers, look: TerminalStyle) -> String {
    let read_model = telling.read_model;
    let mut text = String::new();
    let mut place = None;
    let mut enter = |text: &mut String, room: Option<RoomId>| {
        if std::mem::replace(&mut place, room) != room {
            *text += &places::heading(look, read_model, room);
        }
        places::page_of(look, read_model, room)
    };
    let mut skips = read_model.floor.skips.iter().peekable();
    for turn in &read_model.transcript.turns {
        while let Some(skip) = skips.next_if(|skip| skip.after.is_none_or(|after| after < turn.turn)) {
            let page = enter(&mut text, skip.room);
            text += &skipped(page, read_model, skip);
        }
        let mut page = enter(&mut text, turn.room);
        let speaker = telling.speakers.maybe(turn.speaker.as_ref());
        speech::heading(&mut page, &speaker, &labels::turn(turn.turn, turn.answers, turn.room, &turn.moves));
        let said = sources.in_text(turn.text.trim(), &turn.citations);
        let words = [untrusted(Tone::Plain, &said), sources.marks(&turn.citations)];
        page.row(&speaker.gutter(), &speaker.gutter(), &words);
        text += &page.print();
    }
    for skip in skips {
        let page = enter(&mut text, skip.room);
        text += &skipped(page, read_model, skip);
    }
    text
}

/// Renders a skipped turn.
fn skipped(mut page: TextPage, read_model: &DebateReadModel, skip: &Skip) -> String {
    page.blank();
    event_notices::aside(&mut page, &skipped_turn(read_model, skip));
    page.print()
}
