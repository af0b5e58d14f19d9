//! How a debate is announced: what it is about, who takes part, who answers.

use crate::cli::stage::page::Page;
use crate::cli::stage::span::{Line, own, shortened};
use crate::cli::stage::speakers::Speakers;
use crate::cli::stage::style::Tone;
use crate::projections::summary::Summary;

/// The most letters of a topic.
const TOPIC: usize = 400;
/// The most letters of what is said of a persona.
const ABOUT: usize = 300;

/// The head of a debate.
pub fn head(page: &mut Page, summary: &Summary, speakers: &Speakers) {
    page.blank();
    page.text(&shortened(Tone::Strong, &summary.topic, TOPIC));
    page.blank();
    let indent = speakers.longest().min(page.room() / 3) + 4;
    for participant in summary.present() {
        let speaker = speakers.get(&participant.persona);
        page.hang(&[], &speaker.badge(), indent, &shortened(Tone::Quiet, &participant.about, ABOUT));
    }
    page.blank();
    let engine = page.fit(&summary.engine, 24);
    let provider = page.fit(&summary.provider, 24);
    let facts = [format!("{engine} engine"), format!("{provider} provider"), format!("seed {}", summary.seed)];
    page.text(&dotted(&facts));
    if let Some(debate) = summary.debate {
        page.text(&[own(Tone::Quiet, format!("debate {debate}"))]);
    }
    if let Some(origin) = summary.origin {
        page.text(&[own(Tone::Quiet, format!("goes on from version {} of {}", origin.at, origin.debate))]);
    }
    if summary.provider == "offline" {
        let note = "No language model is at work: every sentence is quoted word for word from what the persona wrote, \
                    and a small number says from which passage.";
        page.blank();
        page.text(&[own(Tone::Quiet, note)]);
    }
}

/// A topic as the first line of something.
pub fn topic(page: &mut Page, summary: &Summary) {
    page.text(&shortened(Tone::Strong, &summary.topic, TOPIC));
}

/// Facts of our own in a row, each in one piece.
pub fn dotted(facts: &[String]) -> Line {
    let facts: Vec<String> = facts.iter().map(|it| it.replace(' ', "\u{a0}")).collect();
    vec![own(Tone::Quiet, facts.join(" · "))]
}
