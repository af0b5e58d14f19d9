//! Conditions under which participants would change their minds on a crux, in their own words where they said them.

use std::collections::BTreeSet;

use crate::events::ids::{CruxId, PersonaId, TurnId};
use crate::events::turn::FlipConditionStated;
use crate::projections::disputes::dispute_state::Dispute;
use crate::verdicts::card::{MindChange, MindChangeCondition};
use crate::verdicts::crux::{CruxInputs, CruxOrigin, Position};
use crate::verdicts::crux_card::agreed_dispute::dispute_asking;
use crate::verdicts::crux_card::crux_text::no_condition_of;
use crate::verdicts::crux_card::room::room_of;

/// Number of content words that a condition which was not recorded for the crux shares with it, unless it shares half of
/// them. A single word, such as a number, may be there by chance.
const SHARED_WORDS: usize = 2;
/// Divisor of the crux's content words: such a condition shares at least this part of them. Two words of a long statement
/// may be there by chance, too.
const SHARED_PART: usize = 3;
/// Phases of last words, in which speakers say again where they stand on everything.
const LAST_WORDS: &[&str] = &["resolution", "closing"];
/// Finds what would change the mind of each participant with a position. The first source with a condition counts: words
/// about this very crux, the card of its room, words about the topic, the contract's words in a turn, and the contract. Of
/// several conditions, the one with the most content words of the crux counts, then the latest.
///
/// Words are about the crux if they were recorded so, or if they stand in the turn that shows the position and either
/// share `SHARED_WORDS`, and one in `SHARED_PART`, with the crux, or that turn takes no other side, is not a closing
/// statement, and no other question shares more words with them. Words about the topic share as many: otherwise they
/// concern something else. The contract was not written for the crux: its conditions share half of the crux's words.
/// `agreed` is the proposal that participants agreed on as the crux.
pub fn mind_changes(
    views: CruxInputs<'_>,
    (origin, agreed): (CruxOrigin, Option<CruxId>),
    statement: &str,
    positions: &[Position],
) -> Vec<MindChange> {
    let subject = views.content_words.of(statement);
    let of = |position: &Position| MindChange {
        persona: position.persona.clone(),
        condition: condition(views, (origin, agreed), &subject, position),
    };
    // Who denies both a claim and that it follows has two positions and one mind.
    let mut seen = BTreeSet::new();
    positions.iter().filter(|position| seen.insert(&position.persona)).map(of).collect()
}

fn condition(
    views: CruxInputs<'_>,
    (origin, agreed): (CruxOrigin, Option<CruxId>),
    subject: &BTreeSet<String>,
    position: &Position,
) -> MindChangeCondition {
    let persona = &position.persona;
    let dispute = match origin {
        CruxOrigin::Dispute { dispute } => Some(dispute),
        CruxOrigin::Acknowledged { proposal } => {
            let crux = views.proposals.cruxes.get(&proposal);
            crux.and_then(|crux| dispute_asking(views, crux)).map(|(id, _, _)| id)
        }
        CruxOrigin::Structure { .. } => None,
    };
    let is_recorded = |stated: &FlipConditionStated| {
        stated.dispute.is_some() && stated.dispute == dispute || stated.crux.is_some() && stated.crux == agreed
    };
    let is_near = |stated: &FlipConditionStated| {
        stated.dispute.is_none() && stated.crux.is_none() && is_close(views, subject, &stated.quote)
    };
    let is_here = |stated: &FlipConditionStated| stated.turn == position.turn;
    let phase = views.transcript.turn(position.turn).and_then(|turn| turn.phase.as_deref());
    let is_last = phase.is_some_and(|phase| LAST_WORDS.contains(&phase));
    let is_answer = dispute.is_some() && !is_last && answered_in(views, persona, position.turn) == 1;
    let is_free = |stated: &FlipConditionStated| stated.dispute.is_none() && stated.crux.is_none();
    let is_meant = |stated: &FlipConditionStated| {
        is_answer && is_free(stated) && !is_elsewhere(views, subject, stated) && !is_about_other(views, subject, stated)
    };
    let is_on_crux =
        |stated: &FlipConditionStated| is_recorded(stated) || is_here(stated) && (is_meant(stated) || is_near(stated));
    let closest = |on_crux: bool| {
        let stated = views.flip_conditions.of(persona);
        let stated = stated.filter(|stated| if on_crux { is_on_crux(stated) } else { is_near(stated) });
        let best = stated.max_by_key(|stated| shared(views, subject, &stated.quote))?;
        Some(MindChangeCondition::Spoken { quote: best.quote.clone(), turn: best.turn, on_crux })
    };
    closest(true)
        .or_else(|| in_room(views, origin, persona))
        .or_else(|| closest(false))
        .or_else(|| said_from_contract(views, subject, persona))
        .or_else(|| in_contract(views, subject, persona))
        .unwrap_or_else(|| unknown(views, persona))
}

/// Number of questions, the topic included, on which a participant takes a side in a turn.
fn answered_in(views: CruxInputs<'_>, persona: &PersonaId, turn: TurnId) -> usize {
    let takes_side = |dispute: &&Dispute| {
        let mut history = dispute.history.iter();
        history.any(|(holder, stance)| holder == persona && stance.turn == turn)
    };
    views.disputes.disputes.values().filter(takes_side).count()
}

/// True if a condition names what it is about, as in `change my mind about the closure if`, and the crux contains none of it.
fn is_about_other(views: CruxInputs<'_>, subject: &BTreeSet<String>, stated: &FlipConditionStated) -> bool {
    let named = ["mind about ", "wrong about "].iter().find_map(|before| Some(stated.quote.split_once(before)?.1));
    let Some(named) = named else { return false };
    let end = named.find([',', '.', ';']).into_iter().chain(named.find(" if ")).chain(named.find(" and ")).min();
    let named = &named[..end.unwrap_or(named.len())];
    !views.content_words.of(named).is_empty() && shared(views, subject, named) == 0
}

/// True if a condition shares more content words with another question than with the crux.
fn is_elsewhere(views: CruxInputs<'_>, subject: &BTreeSet<String>, stated: &FlipConditionStated) -> bool {
    let here = shared(views, subject, &stated.quote);
    let mut questions = views.disputes.not_retired().filter(|(_, dispute)| !dispute.is_topic);
    questions.any(|(_, dispute)| shared(views, &views.content_words.of(&dispute.question), &stated.quote) > here)
}

/// Condition that the card of the crux's room states for a participant.
fn in_room(views: CruxInputs<'_>, origin: CruxOrigin, persona: &PersonaId) -> Option<MindChangeCondition> {
    let (room, card) = room_of(views, origin)?;
    let falsifier = card.falsifiers.iter().find(|falsifier| falsifier.speaker == *persona)?;
    Some(MindChangeCondition::Room { text: falsifier.text.clone(), room })
}

/// Flip condition of a participant's contract that a turn of theirs contains word for word, even if nobody recorded it as
/// one, and that shares half of its content words with the crux.
fn said_from_contract(
    views: CruxInputs<'_>,
    subject: &BTreeSet<String>,
    persona: &PersonaId,
) -> Option<MindChangeCondition> {
    let conditions = &views.cast.get(persona)?.contract.flip_conditions;
    let own = views.transcript.turns.iter().filter(|turn| turn.speaker.as_ref() == Some(persona));
    let near = conditions.iter().map(|text| text.trim());
    let near: Vec<&str> = near.filter(|text| !text.is_empty() && is_half(views, subject, text)).collect();
    let said = own.flat_map(|turn| {
        let there = near.iter().filter(|text| turn.text.contains(**text));
        there.map(|text| (turn.turn, *text))
    });
    let (turn, text) = said.max_by_key(|(_, text)| shared(views, subject, text))?;
    Some(MindChangeCondition::Spoken { quote: text.to_owned(), turn, on_crux: false })
}

/// Flip condition of a participant's contract that shares the most content words with the crux; `None` if none shares half
/// of them.
fn in_contract(views: CruxInputs<'_>, subject: &BTreeSet<String>, persona: &PersonaId) -> Option<MindChangeCondition> {
    let conditions = views.cast.get(persona)?.contract.flip_conditions.iter();
    // Of equally close conditions, the contract's first one counts.
    let best = conditions.rev().max_by_key(|text| shared(views, subject, text))?;
    is_half(views, subject, best).then(|| MindChangeCondition::Contract { text: best.clone() })
}

fn unknown(views: CruxInputs<'_>, persona: &PersonaId) -> MindChangeCondition {
    let reason = no_condition_of(&[views.name(persona)]);
    MindChangeCondition::Unknown { reason }
}

/// Number of content words that a text shares with the crux. Forms of a word, such as `refuse` and `refused`, are the same.
fn shared(views: CruxInputs<'_>, subject: &BTreeSet<String>, text: &str) -> usize {
    views.content_words.of(text).intersection(subject).count()
}

/// True if a text shares enough content words with the crux to be about the same.
fn is_close(views: CruxInputs<'_>, subject: &BTreeSet<String>, text: &str) -> bool {
    let common = shared(views, subject, text);
    common >= SHARED_WORDS && SHARED_PART * common >= subject.len() || is_half(views, subject, text)
}

/// True if a text has at least half of the content words of the crux.
fn is_half(views: CruxInputs<'_>, subject: &BTreeSet<String>, text: &str) -> bool {
    let common = shared(views, subject, text);
    common > 0 && 2 * common >= subject.len()
}
