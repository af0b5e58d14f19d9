//! Head of a debate: topic, participants, engine and provider.

use crate::speakers::Speakers;
use crate::text::page::TextPage;
use crate::text::span::{SpanLine, shortened, trusted};
use crate::text::style::Tone;
use faultline_core::positions::playable::{OFFLINE, OFFLINE_NOTICE};
use faultline_core::projections::summary::Summary;

/// Maximum number of characters of a topic.
const MAX_TOPIC: usize = 400;
/// Maximum number of characters of a persona's description.
const MAX_ABOUT: usize = 300;

/// Renders the head of a debate.
pub fn head(page: &mut TextPage, summary: &Summary, speakers: &Speakers) {
    page.blank();
    page.text(&shortened(Tone::Strong, &summary.topic, MAX_TOPIC));
    page.blank();
    let indent = speakers.longest().min(page.room() / 3) + 4;
    for participant in summary.present() {
        let speaker = speakers.get(&participant.persona);
        page.hang(&[], &speaker.badge(), indent, &shortened(Tone::Quiet, &participant.about, MAX_ABOUT));
    }
    page.blank();
    let engine = page.fit(&summary.engine, 24);
    let provider = page.fit(&summary.provider, 24);
    let facts = [format!("{engine} engine"), format!("{provider} provider"), format!("seed {}", summary.seed)];
    page.text(&dotted(&facts));
    if let Some(debate) = summary.debate {
        page.text(&[trusted(Tone::Quiet, format!("debate {debate}"))]);
    }
    if let Some(origin) = summary.origin {
        page.text(&[trusted(Tone::Quiet, format!("forked from version {} of {}", origin.at, origin.debate))]);
    }
    if summary.provider == OFFLINE {
        let note = format!(
            "{OFFLINE_NOTICE}. Every sentence spoken is verbatim from the persona's own writings, except for a few \
             fixed phrases; the superscript numbers at a turn identify its passages. Assumptions, \
             attacks, their reasons and what they meet were annotated beforehand: nobody judges them."
        );
        page.blank();
        page.text(&[trusted(Tone::Quiet, note)]);
    }
}

/// Renders a topic as a first line.
pub fn topic(page: &mut TextPage, summary: &Summary) {
    page.text(&shortened(Tone::Strong, &summary.topic, MAX_TOPIC));
}

/// Joins facts with dots; each fact stays on one line.
pub fn dotted(facts: &[String]) -> SpanLine {
    let facts: Vec<String> = facts.iter().map(|fact| fact.replace(' ', "\u{a0}")).collect();
    vec![trusted(Tone::Quiet, facts.join(" · "))]
}
