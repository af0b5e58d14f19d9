//! Verdict card: the result of a debate on one screen.

use crate::opening;
use crate::speakers::Speakers;
use crate::text::page::TextPage;
use crate::text::span::trusted;
use crate::text::style::{TerminalStyle, Tone};
use crate::verdict::audit;
use crate::verdict::common_ground;
use crate::verdict::findings;
use crate::verdict::verdict_sections;
use crate::verdict_context::VerdictContext;
use faultline_core::verdicts::read_model::DebateReadModel;

/// Renders the verdict of a debate in a frame, followed by the command that shows the full report.
///
/// Cost: that of [`DebateReadModel::verdict`].
pub fn card(read_model: &DebateReadModel, look: TerminalStyle) -> String {
    let verdict = read_model.verdict();
    let speakers = Speakers::of(&read_model.summary);
    let telling = VerdictContext { read_model, verdict: &verdict, speakers: &speakers, full: false };
    let mut page = TextPage::inside(look);
    page.blank();
    opening::topic(&mut page, &read_model.summary);
    page.blank();
    findings::regime(&mut page, &telling);
    common_ground::outcome(&mut page, &telling);
    findings::topic(&mut page, &telling);
    findings::cruxes(&mut page, &telling);
    common_ground::unacknowledged_cruxes(&mut page, &telling);
    common_ground::common(&mut page, &telling);
    audit::contested(&mut page, &telling);
    verdict_sections::camps(&mut page, &telling);
    page.blank();
    audit::summary(&mut page, &telling);
    verdict_sections::labels(&mut page, &telling);
    verdict_sections::ending(&mut page, &telling);
    verdict_sections::cost(&mut page, &telling);
    page.blank();
    let title = if read_model.summary.status.is_final() { "Verdict" } else { "Verdict so far" };
    let mut foot = TextPage::new(look);
    foot.text(&[trusted(Tone::Quiet, "Full report: "), telling.command()]);
    page.framed(title) + &foot.print()
}
