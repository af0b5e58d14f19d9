//! Full report on one debate.

use crate::cli::stage::findings;
use crate::cli::stage::ground;
use crate::cli::stage::opening;
use crate::cli::stage::page::Page;
use crate::cli::stage::span::{blanks, own};
use crate::cli::stage::speakers::Speakers;
use crate::cli::stage::standing;
use crate::cli::stage::style::{Look, Tone};
use crate::cli::stage::telling::{Telling, fact};
use crate::cli::stage::thread::threads;
use crate::verdicts::board::Board;

/// Renders a whole debate: its head, its full verdict, proposals, disputes, argument threads, and the transcript with
/// one line per turn.
///
/// Cost: that of [`Board::verdict`], plus arguments times attacks.
pub fn report(board: &Board, look: Look) -> String {
    let verdict = board.verdict();
    let speakers = Speakers::of(&board.summary);
    let telling = Telling { board, verdict: &verdict, speakers: &speakers, in_full: true };
    let mut page = Page::new(look);
    opening::head(&mut page, &board.summary, &speakers);
    let title = if board.summary.status.is_final() { "Verdict" } else { "Verdict so far" };
    part(&mut page, title);
    findings::regime(&mut page, &telling);
    ground::outcome(&mut page, &telling);
    findings::cruxes(&mut page, &telling);
    ground::common(&mut page, &telling);
    standing::camps(&mut page, &telling);
    page.blank();
    standing::labels(&mut page, &telling);
    standing::ending(&mut page, &telling);
    standing::cost(&mut page, &telling);
    fact(&mut page, "Algorithm", &[own(Tone::Quiet, verdict.algorithm.as_str())]);
    if !board.proposals.proposals.is_empty() {
        part(&mut page, "Proposals");
        ground::proposals(&mut page, &telling);
    }
    if !board.disputes.disputes.is_empty() {
        part(&mut page, "Questions");
        ground::disputes(&mut page, &telling);
    }
    if !board.crux_proposals.cruxes.is_empty() {
        part(&mut page, "Cruxes named by participants");
        ground::named_cruxes(&mut page, &telling);
    }
    if !board.arguments.arguments.is_empty() {
        part(&mut page, "Arguments");
        threads(&mut page, &telling);
    }
    if !board.transcript.turns.is_empty() {
        part(&mut page, "Transcript");
        transcript(&mut page, &telling);
    }
    page.print()
}

fn part(page: &mut Page, title: &str) {
    page.blank();
    page.rule(title);
    page.blank();
}

/// Renders one line per turn.
fn transcript(page: &mut Page, telling: &Telling) {
    let turns = &telling.board.transcript.turns;
    let widest = turns.iter().map(|it| telling.speakers.maybe(it.speaker.as_ref()).name.chars().count()).max();
    let indent = (widest.unwrap_or(0) + 4).min(page.room() / 3);
    for turn in turns {
        let speaker = telling.speakers.maybe(turn.speaker.as_ref());
        let name = turn.turn.to_string();
        let gutter = [own(Tone::Quiet, name.as_str()), blanks(5_usize.saturating_sub(name.len()).max(1))];
        let badge = page.fit(&format!("{} {}", speaker.mark, speaker.name), indent - 1);
        let text = page.fit(&turn.text, page.room().saturating_sub(indent + 5));
        page.hang(&gutter, &[own(speaker.tone, badge)], indent, &[own(Tone::Plain, text)]);
    }
}
