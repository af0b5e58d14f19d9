//! Sections of a full report on the sides of a motion, concessions, and fact checks, with the facts of the other reports.

use crate::text::page::TextPage;
use crate::text::span::{SpanLine, blanks, glued, shortened, trusted, untrusted};
use crate::text::style::Tone;
use crate::verdict_context::{VerdictContext, title};
use faultline_core::export::report::model::room_models::{CheckReport, MotionReport};
use faultline_core::export::report::model::statement::Statement;
use faultline_core::export::report::report_text::ReportBuilder;
use faultline_core::export::report::rooms::motion::{UNCHECKED, UNHEARD, UNTAKEN, VIOLATIONS};

/// Maximum number of characters of a statement, an explanation or a source.
const MAX_STATEMENT: usize = 600;
/// Maximum number of characters of a draft.
const MAX_DRAFT: usize = 2_000;

/// Renders the sides of a motion with their figures, the turns with a false claim, the claims that were not checked, and the
/// drafts that were not taken.
pub fn motion(page: &mut TextPage, motion: &MotionReport) {
    page.text(&[untrusted(Tone::Quiet, &motion.assigned)]);
    for team in &motion.teams {
        let members = untrusted(Tone::Plain, &team.participants.join(", "));
        page.text(&[trusted(Tone::Quiet, format!("{}: ", team.title)), members]);
        let figures: Vec<String> = team.figures.iter().map(|(name, figure)| format!("{name}: {figure}")).collect();
        page.row(&[blanks(2)], &[blanks(2)], &[untrusted(Tone::Quiet, &figures.join(" · "))]);
    }
    sentences(page, VIOLATIONS, motion.violations.iter().map(|(_, sentence)| sentence));
    sentences(page, UNCHECKED, motion.unchecked.iter());
    if !motion.untaken.is_empty() {
        title(page, UNTAKEN, UNHEARD);
    }
    for draft in &motion.untaken {
        page.row(&[], &[blanks(2)], &[untrusted(Tone::Plain, &draft.title)]);
        page.row(&[blanks(2)], &[blanks(2)], &shortened(Tone::Quiet, &draft.text, MAX_DRAFT));
        for check in &draft.checks {
            let mut line = vec![untrusted(Tone::Quiet, &format!("{}: ", check.said.what))];
            line.extend(shortened(Tone::Plain, &check.said.text, MAX_STATEMENT));
            page.row(&[blanks(2)], &[blanks(4)], &line);
            grounds(page, check);
        }
    }
}

/// Renders sentences under a heading; nothing without sentences.
fn sentences<'a>(page: &mut TextPage, heading: &'static str, sentences: impl Iterator<Item = &'a String>) {
    for (at, sentence) in sentences.enumerate() {
        if at == 0 {
            page.blank();
            page.text(&[trusted(Tone::Strong, heading)]);
        }
        page.row(&[trusted(Tone::Quiet, "· ")], &[blanks(2)], &shortened(Tone::Plain, sentence, MAX_STATEMENT));
    }
}

/// Renders concessions, in order.
pub fn concessions(page: &mut TextPage, telling: &VerdictContext, builder: &ReportBuilder, made: &[Statement]) {
    for said in made {
        page.row(&[], &[blanks(2)], &statement(telling, builder, said));
    }
}

/// Renders fact checks of what was said, with explanations and sources.
pub fn checks(page: &mut TextPage, telling: &VerdictContext, builder: &ReportBuilder, checks: &[CheckReport]) {
    for check in checks {
        page.row(&[], &[blanks(2)], &statement(telling, builder, &check.said));
        grounds(page, check);
    }
}

/// Formats a statement with its speaker, its turn and its label.
fn statement(telling: &VerdictContext, builder: &ReportBuilder, said: &Statement) -> SpanLine {
    let speaker = said.speaker.and_then(|place| builder.speakers.get(place));
    let mut line = telling.speakers.maybe(speaker.map(|speaker| &speaker.id)).badge();
    line.push(glued(Tone::Quiet, &format!(" {}", said.turn)));
    line.push(untrusted(Tone::Quiet, &format!(" {}: ", said.what)));
    line.extend(shortened(Tone::Plain, &said.text, MAX_STATEMENT));
    line
}

/// Renders the explanation and the sources of a check.
fn grounds(page: &mut TextPage, check: &CheckReport) {
    let because = check.explanation.iter().map(|text| ("because: ", text));
    let sources = check.sources.iter().map(|text| ("source: ", text));
    for (word, text) in because.chain(sources) {
        let mut line = vec![trusted(Tone::Quiet, word)];
        line.extend(shortened(Tone::Quiet, text, MAX_STATEMENT));
        page.row(&[blanks(4)], &[blanks(6)], &line);
    }
}
