//! Conditions under which participants would change their minds on a crux, in their own words where they said them.

use std::collections::BTreeSet;

use crate::events::ids::PersonaId;
use crate::events::turn::FlipConditionStated;
use crate::questions::wording::TextFeatures;
use crate::verdicts::card::{MindChange, MindChangeCondition};
use crate::verdicts::crux::{CruxInputs, CruxOrigin, Position};
use crate::verdicts::crux_card::room::room_of;

/// Finds what would change the mind of each participant with a position. The first source with a condition counts: words
/// about this very crux, the card of its room, words about the topic, the contract's words in a turn, and the contract. Of several conditions, the one
/// with the most content words of the crux counts, then the latest.
pub fn mind_changes(
    views: CruxInputs<'_>,
    origin: CruxOrigin,
    statement: &str,
    positions: &[Position],
) -> Vec<MindChange> {
    let subject = content_words(statement);
    let of = |position: &Position| MindChange {
        persona: position.persona.clone(),
        condition: condition(views, origin, &subject, &position.persona),
    };
    positions.iter().map(of).collect()
}

fn condition(
    views: CruxInputs<'_>,
    origin: CruxOrigin,
    subject: &BTreeSet<String>,
    persona: &PersonaId,
) -> MindChangeCondition {
    let is_on_crux = |stated: &&FlipConditionStated| match origin {
        CruxOrigin::Dispute { dispute } => stated.dispute == Some(dispute),
        CruxOrigin::Acknowledged { proposal } => stated.crux == Some(proposal),
        CruxOrigin::Structure { .. } => false,
    };
    let is_general = |stated: &&FlipConditionStated| stated.dispute.is_none() && stated.crux.is_none();
    let closest = |on_crux: bool| {
        let stated = views.flip_conditions.of(persona);
        let stated = stated.filter(|stated| if on_crux { is_on_crux(stated) } else { is_general(stated) });
        let best = stated.max_by_key(|stated| shared(subject, &stated.quote))?;
        Some(MindChangeCondition::Spoken { quote: best.quote.clone(), turn: best.turn, on_crux })
    };
    closest(true)
        .or_else(|| in_room(views, origin, persona))
        .or_else(|| closest(false))
        .or_else(|| said_from_contract(views, subject, persona))
        .or_else(|| in_contract(views, subject, persona))
        .unwrap_or_else(|| unknown(views, persona))
}

/// Condition that the card of the crux's room states for a participant.
fn in_room(views: CruxInputs<'_>, origin: CruxOrigin, persona: &PersonaId) -> Option<MindChangeCondition> {
    let (room, card) = room_of(views, origin)?;
    let falsifier = card.falsifiers.iter().find(|falsifier| falsifier.speaker == *persona)?;
    Some(MindChangeCondition::Room { text: falsifier.text.clone(), room })
}

/// Flip condition of a participant's contract that a turn of theirs contains word for word, even if nobody recorded it as
/// one.
fn said_from_contract(
    views: CruxInputs<'_>,
    subject: &BTreeSet<String>,
    persona: &PersonaId,
) -> Option<MindChangeCondition> {
    let conditions = &views.cast.get(persona)?.contract.flip_conditions;
    let own = views.transcript.turns.iter().filter(|turn| turn.speaker.as_ref() == Some(persona));
    let said = own.flat_map(|turn| {
        let there = conditions.iter().filter(|text| !text.trim().is_empty() && turn.text.contains(text.trim()));
        there.map(|text| (turn.turn, text.trim()))
    });
    let (turn, text) = said.max_by_key(|(_, text)| shared(subject, text))?;
    Some(MindChangeCondition::Spoken { quote: text.to_owned(), turn, on_crux: false })
}

/// Flip condition of a participant's contract that shares the most words with the crux; `None` if none shares any.
fn in_contract(views: CruxInputs<'_>, subject: &BTreeSet<String>, persona: &PersonaId) -> Option<MindChangeCondition> {
    let conditions = views.cast.get(persona)?.contract.flip_conditions.iter();
    // Of equally close conditions, the contract's first one counts.
    let best = conditions.rev().max_by_key(|text| shared(subject, text))?;
    (shared(subject, best) > 0).then(|| MindChangeCondition::Contract { text: best.clone() })
}

fn unknown(views: CruxInputs<'_>, persona: &PersonaId) -> MindChangeCondition {
    let name = views.name(persona);
    let in_contract = views.cast.get(persona).map_or(0, |persona| persona.contract.flip_conditions.len());
    let contract = match in_contract {
        0 => "",
        1 => ", and the flip condition of the contract shares no word with the crux",
        _ => ", and no flip condition of the contract shares a word with the crux",
    };
    MindChangeCondition::Unknown { reason: format!("{name} never said what would change their mind{contract}.") }
}

/// Number of content words that a text shares with the crux.
fn shared(subject: &BTreeSet<String>, text: &str) -> usize {
    content_words(text).intersection(subject).count()
}

fn content_words(text: &str) -> BTreeSet<String> {
    TextFeatures::of(text).words.into_iter().filter(|word| TextFeatures::is_full(word)).collect()
}
