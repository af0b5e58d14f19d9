//! Event history, one line per event.

use crate::cli::stage::page::Page;
use crate::cli::stage::span::{columns, own, padded};
use crate::cli::stage::style::{Look, Tone};
use crate::events::event::{Event, Recorded};
use crate::events::tell::tell;

/// Width of the column of versions.
const VERSION: usize = 5;
/// Width of the column of kinds.
const KIND: usize = 21;

/// Renders an event as one line: version, time of recording (UTC), kind, summary.
pub fn line(recorded: &Recorded, look: Look) -> String {
    let mut page = Page::wide(look);
    let tone = match &recorded.event {
        Event::EffectRequested(_) | Event::EffectAnswered(_) | Event::PhaseEntered(_) => Tone::Quiet,
        Event::EffectFailed(_) | Event::EffectAbandoned(_) | Event::InjectionSuspected(_) => Tone::Open,
        Event::DebateOpened(_) | Event::DebateForked(_) | Event::DebateConcluded(_) | Event::DebateAborted(_) => {
            Tone::Strong
        }
        _ => Tone::Plain,
    };
    let mut first =
        vec![own(Tone::Quiet, format!("{:>VERSION$}  {}  ", recorded.version, recorded.at.format("%H:%M:%S")))];
    let kind = page.fit(recorded.event.kind(), KIND - 1);
    first.extend(padded(vec![own(tone, kind)], KIND));
    let taken = columns(&first);
    let told = page.fit(&tell(&recorded.event), page.room().saturating_sub(taken));
    page.row(&first, &[], &[own(tone, told)]);
    page.print()
}
