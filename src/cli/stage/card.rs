//! Verdict card: the result of a debate on one screen.

use crate::cli::stage::findings;
use crate::cli::stage::ground;
use crate::cli::stage::opening;
use crate::cli::stage::page::Page;
use crate::cli::stage::span::own;
use crate::cli::stage::speakers::Speakers;
use crate::cli::stage::standing;
use crate::cli::stage::style::{Look, Tone};
use crate::cli::stage::telling::Telling;
use crate::verdicts::board::Board;

/// Renders the verdict of a debate in a frame, followed by the command that shows the full report.
///
/// Cost: that of [`Board::verdict`].
pub fn card(board: &Board, look: Look) -> String {
    let verdict = board.verdict();
    let speakers = Speakers::of(&board.summary);
    let telling = Telling { board, verdict: &verdict, speakers: &speakers, in_full: false };
    let mut page = Page::inside(look);
    page.blank();
    opening::topic(&mut page, &board.summary);
    page.blank();
    findings::regime(&mut page, &telling);
    ground::outcome(&mut page, &telling);
    findings::cruxes(&mut page, &telling);
    ground::common(&mut page, &telling);
    standing::camps(&mut page, &telling);
    page.blank();
    standing::labels(&mut page, &telling);
    standing::ending(&mut page, &telling);
    standing::cost(&mut page, &telling);
    page.blank();
    let title = if board.summary.status.is_final() { "Verdict" } else { "Verdict so far" };
    let mut foot = Page::new(look);
    foot.text(&[own(Tone::Quiet, "Full report: "), telling.command()]);
    page.framed(title) + &foot.print()
}
