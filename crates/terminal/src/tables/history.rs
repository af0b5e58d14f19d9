//! Event history, one line per event.

use crate::text::page::TextPage;
use crate::text::span::{columns, padded, trusted};
use crate::text::style::{TerminalStyle, Tone};
use faultline_core::events::event::{Event, Recorded};

/// Width of the column of versions.
const VERSION: usize = 5;
/// Width of the column of kinds.
const KIND: usize = 21;

/// Renders an event as one line: version, time of recording (UTC), kind, summary.
pub fn line(recorded: &Recorded, look: TerminalStyle) -> String {
    let mut page = TextPage::wide(look);
    let tone = match &recorded.event {
        Event::EffectRequested(_) | Event::EffectAnswered(_) | Event::SearchRequested(_) | Event::PhaseEntered(_) => {
            Tone::Quiet
        }
        Event::EffectFailed(_) | Event::EffectAbandoned(_) | Event::InjectionSuspected(_) => Tone::Open,
        Event::DebateOpened(_) | Event::DebateForked(_) | Event::DebateConcluded(_) | Event::DebateAborted(_) => {
            Tone::Strong
        }
        _ => Tone::Plain,
    };
    let mut first =
        vec![trusted(Tone::Quiet, format!("{:>VERSION$}  {}  ", recorded.version, recorded.at.format("%H:%M:%S")))];
    let kind = page.fit(recorded.event.kind(), KIND - 1);
    first.extend(padded(vec![trusted(tone, kind)], KIND));
    let taken = columns(&first);
    let summary = page.fit(&recorded.event.summary(), page.room().saturating_sub(taken));
    page.row(&first, &[], &[trusted(tone, summary)]);
    page.print()
}
