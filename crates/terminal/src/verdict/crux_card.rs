//! Card of a crux: its question, positions, what would change minds, what would settle it, and the resolution.

use crate::labels;
use crate::live::speech::quoted;
use crate::text::page::TextPage;
use crate::text::span::{Span, SpanLine, blanks, shortened, trusted, untrusted};
use crate::text::style::Tone;
use crate::verdict_context::VerdictContext;
use faultline_core::export::report::report_words::{is_met_by_own_criterion, met_by_criterion, met_by_own_criteria};
use faultline_core::export::report::rooms::crux_places::{is_in_channel, places};
use faultline_core::projections::crux_rooms::CruxRooms;
use faultline_core::verdicts::card::{CruxCard, MindChange, MindChangeCondition};
use faultline_core::verdicts::crux::{Crux, Position};
use faultline_core::verdicts::crux_card::crux_places::CruxMarks;
use faultline_core::verdicts::crux_card::crux_text::no_condition_of;

/// Width of the column of labels such as `Diagnosis`.
const LABEL: usize = 12;
/// Maximum number of characters of the criteria on the verdict card.
const MAX_SHORT: usize = 400;
/// Maximum number of characters of a text on a card.
const MAX_TEXT: usize = 4_000;

/// Renders what a card contains beside the question and the sides: in a full report everything, on the verdict card only
/// what would settle it and what would change minds. `indent` is the width of the column before it.
pub fn details(page: &mut TextPage, telling: &VerdictContext, crux: &Crux, indent: usize) {
    let gutter = [blanks(indent)];
    let rooms = &telling.read_model.rooms;
    if telling.full {
        for position in crux.positions.iter().filter(|position| position.quote.is_some()) {
            page.hang(&gutter, &[], LABEL, &quotation(telling, position));
        }
        let card = &crux.card;
        let kind = card.kind.map_or_else(String::new, |kind| format!("{}. ", labels::capital(kind.name())));
        fact(page, indent, "Kind", &format!("{kind}{}", card.kind_reason));
        let by = card.diagnosed_in.map(|room| format!(" (card of {})", rooms.named(room))).unwrap_or_default();
        fact(page, indent, "Diagnosis", &format!("{}{by}", card.diagnosis));
        let criteria = [card.criteria.join("; "), card.criteria_missing.clone().unwrap_or_default()].concat();
        let horizon = card.horizon.as_ref().map(|horizon| format!(" Time frame: {horizon}.")).unwrap_or_default();
        fact(page, indent, "Criteria", &format!("{criteria}{horizon}"));
        let resolution = card.resolution.as_ref().or(card.resolution_missing.as_ref());
        fact(page, indent, "Resolution", resolution.map_or("", String::as_str));
        if !rooms.rooms.is_empty() {
            fact(
                page,
                indent,
                "Worked out",
                &places(rooms, &CruxMarks::from(crux).rooms(rooms), is_in_channel(telling.read_model, crux)),
            );
        }
    }
    if !telling.full && !crux.card.criteria.is_empty() {
        let mut line = vec![trusted(Tone::Quiet, "Would be settled by: ")];
        line.extend(shortened(Tone::Plain, &crux.card.criteria.join("; "), MAX_SHORT));
        page.hang(&gutter, &[], 0, &line);
    }
    mind_changes(page, telling, &crux.card, indent);
}

/// Renders what would change minds: in one sentence for those whose own criteria are their conditions, and in one for those
/// of whom no condition is recorded.
fn mind_changes(page: &mut TextPage, telling: &VerdictContext, card: &CruxCard, indent: usize) {
    let gutter = [blanks(indent)];
    let name = |change: &MindChange| telling.speakers.get(&change.persona).name;
    let is_own = |change: &&MindChange| is_met_by_own_criterion(card, &change.condition, &name(change));
    let own: Vec<String> = card.mind_changes.iter().filter(is_own).map(name).collect();
    let own = met_by_own_criteria(&own);
    if let Some(sentence) = &own {
        page.hang(&gutter, &[], 0, &[untrusted(Tone::Quiet, sentence)]);
    }
    let rest = card.mind_changes.iter().filter(|change| own.is_none() || !is_own(change));
    let (known, unknown): (Vec<&MindChange>, Vec<&MindChange>) =
        rest.partition(|change| change.condition.text().is_some());
    for change in known {
        page.hang(&gutter, &[], 0, &minds(telling, card, change));
    }
    let names: Vec<String> = unknown.iter().map(|change| name(change)).collect();
    match unknown.as_slice() {
        [] => {}
        [one] => page.hang(&gutter, &[], 0, &minds(telling, card, one)),
        _ => page.hang(&gutter, &[], 0, &[untrusted(Tone::Quiet, &no_condition_of(&names))]),
    }
}

fn fact(page: &mut TextPage, indent: usize, label: &'static str, text: &str) {
    if !text.trim().is_empty() {
        page.hang(&[blanks(indent)], &[trusted(Tone::Quiet, label)], LABEL, &shortened(Tone::Plain, text, MAX_TEXT));
    }
}

/// Formats the words of a position.
fn quotation(telling: &VerdictContext, position: &Position) -> SpanLine {
    let mut line = telling.holder(&position.persona, position.turn);
    line.push(trusted(Tone::Quiet, ": "));
    line.extend(quoted(Tone::Quiet, position.quote.as_deref().unwrap_or_default()));
    line
}

/// Formats what would change the mind of a participant, unless the criteria just rendered contain it.
fn minds(telling: &VerdictContext, card: &CruxCard, change: &MindChange) -> SpanLine {
    let speaker = telling.speakers.get(&change.persona);
    match met_by_criterion(&telling.read_model.rooms, card, &change.condition, &speaker.name) {
        Some(text) => vec![untrusted(Tone::Quiet, &text)],
        None => mind_change(speaker.badge(), &change.condition, &telling.read_model.rooms),
    }
}

/// Formats what would change the mind of a participant, whose name is given. `rooms` are those of the debate, if they are
/// known.
pub fn mind_change(name: Vec<Span>, condition: &MindChangeCondition, rooms: &CruxRooms) -> SpanLine {
    if let MindChangeCondition::Unknown { reason } = condition {
        return vec![untrusted(Tone::Quiet, reason)];
    }
    let source = match condition {
        MindChangeCondition::Spoken { turn, .. } => format!(" ({turn})"),
        MindChangeCondition::Room { room, .. } => format!(" (card of {})", rooms.named(*room)),
        MindChangeCondition::Contract { .. } => " (from the persona file, not said)".to_owned(),
        MindChangeCondition::Unknown { .. } => String::new(),
    };
    let mut line = vec![trusted(Tone::Quiet, "What would change ")];
    line.extend(name);
    line.push(trusted(Tone::Quiet, format!("'s mind{source}: ")));
    line.extend(quoted(Tone::Quiet, condition.text().unwrap_or_default()));
    line
}
