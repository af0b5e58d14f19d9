//! Full report on one debate.

use crate::cli::render::opening;
use crate::cli::render::speakers::Speakers;
use crate::cli::render::text::page::TextPage;
use crate::cli::render::text::span::{blanks, trusted};
use crate::cli::render::text::style::{TerminalStyle, Tone};
use crate::cli::render::verdict::common_ground;
use crate::cli::render::verdict::findings;
use crate::cli::render::verdict::thread::threads;
use crate::cli::render::verdict::verdict_sections;
use crate::cli::render::verdict_context::{VerdictContext, fact};
use faultline_core::verdicts::read_model::DebateReadModel;

/// Renders a whole debate: its head, its full verdict, proposals, disputes, argument threads, and the transcript with
/// one line per turn.
///
/// Cost: that of [`DebateReadModel::verdict`], plus arguments times attacks.
pub fn report(read_model: &DebateReadModel, look: TerminalStyle) -> String {
    let verdict = read_model.verdict();
    let speakers = Speakers::of(&read_model.summary);
    let telling = VerdictContext { read_model, verdict: &verdict, speakers: &speakers, full: true };
    let mut page = TextPage::new(look);
    opening::head(&mut page, &read_model.summary, &speakers);
    let title = if read_model.summary.status.is_final() { "Verdict" } else { "Verdict so far" };
    part(&mut page, title);
    findings::regime(&mut page, &telling);
    common_ground::outcome(&mut page, &telling);
    findings::topic(&mut page, &telling);
    findings::cruxes(&mut page, &telling);
    findings::contested(&mut page, &telling);
    common_ground::common(&mut page, &telling);
    verdict_sections::camps(&mut page, &telling);
    page.blank();
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
        threads(&mut page, &telling);
    }
    if !read_model.transcript.turns.is_empty() {
        part(&mut page, "Transcript");
        transcript(&mut page, &telling);
    }
    page.print()
}

fn part(page: &mut TextPage, title: &str) {
    page.blank();
    page.rule(title);
    page.blank();
}

/// Renders one line per turn.
fn transcript(page: &mut TextPage, telling: &VerdictContext) {
    let turns = &telling.read_model.transcript.turns;
    let widest = turns.iter().map(|turn| telling.speakers.maybe(turn.speaker.as_ref()).name.chars().count()).max();
    let indent = (widest.unwrap_or(0) + 4).min(page.room() / 3);
    for turn in turns {
        let speaker = telling.speakers.maybe(turn.speaker.as_ref());
        let name = turn.turn.to_string();
        let gutter = [trusted(Tone::Quiet, name.as_str()), blanks(5_usize.saturating_sub(name.len()).max(1))];
        let badge = page.fit(&format!("{} {}", speaker.mark, speaker.name), indent - 1);
        let text = page.fit(&turn.text, page.room().saturating_sub(indent + 5));
        page.hang(&gutter, &[trusted(speaker.tone, badge)], indent, &[trusted(Tone::Plain, text)]);
    }
}
