//! Calls that were given up, skipped turns, and turns that no clerk read, in words: a reader must know which part of a
//! debate never came about.

use crate::events::crux::CruxProposed;
use crate::events::ids::{PersonaId, TurnId};
use crate::export::report::quotes::short;
use crate::export::report::report_words::title;
use crate::projections::audits::AUDIT_PURPOSE;
use crate::projections::calls::missed_calls::MissedCall;
use crate::projections::crux_proposals::ProposedCrux;
use crate::projections::floor::Skip;
use crate::verdicts::crux_card::crux_text::listed;
use crate::verdicts::read_model::DebateReadModel;

/// Maximum number of calls that a warning names.
const MAX_NAMED: usize = 5;
/// Maximum length of a reason in characters.
const MAX_REASON: usize = 120;

/// Calls that were given up, in order, without those of audits, which the audit tells.
pub fn missed_calls(read_model: &DebateReadModel) -> impl Iterator<Item = &MissedCall> {
    read_model.missed.calls.iter().filter(|call| call.abandoned.key.purpose != AUDIT_PURPOSE)
}

/// Place of a transcript at which nothing was said or recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscriptGap {
    /// Latest turn before it; `None` before the first.
    pub after: Option<TurnId>,
    /// Title of the section that contains it.
    pub section: String,
    /// Sentence about it, without a full stop.
    pub sentence: String,
}

/// Returns the calls that were given up and the skipped turns, in the order of the turns before them.
pub fn gaps(read_model: &DebateReadModel) -> Vec<TranscriptGap> {
    let calls = missed_calls(read_model).map(|call| TranscriptGap {
        after: call.after,
        section: title(call.phase.as_deref(), call.round),
        sentence: missed_call(read_model, call),
    });
    let skips = read_model.floor.skips.iter().map(|skip| {
        let phase = read_model.transcript.phases.iter().rfind(|phase| phase.version < skip.version);
        let room = skip.room.map(|room| format!(", {}", read_model.rooms.named(room))).unwrap_or_default();
        TranscriptGap {
            after: skip.after,
            section: title(phase.map(|phase| phase.phase.as_str()), phase.and_then(|phase| phase.round)) + &room,
            sentence: skipped_turn(read_model, skip),
        }
    });
    let mut gaps: Vec<TranscriptGap> = calls.chain(skips).collect();
    gaps.sort_by_key(|gap| gap.after);
    gaps
}

/// States that a participant skipped a turn, with the reason.
pub fn skipped_turn(read_model: &DebateReadModel, skip: &Skip) -> String {
    let mut participants = read_model.summary.participants.iter();
    let name = participants.find(|participant| participant.persona == skip.speaker);
    let name = name.map_or(skip.speaker.as_str(), |participant| participant.name.as_str());
    format!("{name} skipped a turn: {}", short(skip.reason.trim_end_matches('.'), MAX_REASON))
}

/// Names a call by its participant, or as the clerk's: `Ada Quill's opening`, `the judgement`.
pub fn named(read_model: &DebateReadModel, call: &MissedCall) -> String {
    let key = &call.abandoned.key;
    let purpose = key.purpose_in_words();
    // An outside orchestrator may use the same purposes for something else.
    let room = key.room().filter(|room| read_model.rooms.rooms.contains_key(room));
    let room = room.map(|room| format!(" in {}", read_model.rooms.named(room))).unwrap_or_default();
    let participants = &read_model.summary.participants;
    match participants.iter().find(|participant| participant.persona.as_str() == key.subject) {
        Some(participant) => format!("{}'s {purpose}{room}", participant.name),
        None => format!("the {purpose}{room}"),
    }
}

/// States that a call was given up, with the reason.
pub fn missed_call(read_model: &DebateReadModel, call: &MissedCall) -> String {
    let reason = short(call.abandoned.reason.trim_end_matches('.'), MAX_REASON);
    let name = named(read_model, call);
    let mut letters = name.chars();
    let name = letters.next().map(|first| first.to_uppercase().collect::<String>() + letters.as_str());
    let name = name.unwrap_or_default();
    match call.abandoned.attempts {
        _ if call.has_nothing_new => format!("{name} had nothing new, and was left out: {reason}"),
        1 => format!("{name} was abandoned after 1 attempt: {reason}"),
        attempts => format!("{name} was abandoned after {attempts} attempts: {reason}"),
    }
}

/// Warning that names the calls that were given up; `None` if there are none.
pub fn missed_calls_warning(read_model: &DebateReadModel) -> Option<String> {
    let calls: Vec<String> = missed_calls(read_model)
        .filter(|call| !call.has_nothing_new)
        .map(|call| {
            let round = call.round.filter(|round| *round > 0).map(|round| format!(" in round {round}"));
            let reason = short(call.abandoned.reason.trim_end_matches('.'), MAX_REASON);
            format!("{}{} ({reason})", named(read_model, call), round.unwrap_or_default())
        })
        .collect();
    let (n, were) = (calls.len(), if calls.len() == 1 { "request was" } else { "requests were" });
    let named = calls.iter().take(MAX_NAMED).map(String::as_str).collect::<Vec<_>>().join("; ");
    let more = if n > MAX_NAMED { format!("; and {} more", n - MAX_NAMED) } else { String::new() };
    (n > 0).then(|| format!("{n} {were} given up after failed calls: {named}{more}."))
}

/// Remark on turns whose speakers had nothing new to say, each with their number if there are several; `None` if there are
/// none.
pub fn nothing_new(read_model: &DebateReadModel) -> Option<String> {
    let mut turns: Vec<(String, usize)> = Vec::new();
    for call in missed_calls(read_model).filter(|call| call.has_nothing_new) {
        let name = named(read_model, call);
        match turns.iter_mut().find(|(known, _)| *known == name) {
            Some((_, n)) => *n += 1,
            None => turns.push((name, 1)),
        }
    }
    let told = turns.iter().map(|(name, n)| if *n == 1 { name.clone() } else { format!("{name} ({n} times)") });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| told.join(", "))
}

/// Warning that names the turns that no clerk read in a debate that is over; `None` if there are none.
pub fn unread_warning(read_model: &DebateReadModel) -> Option<String> {
    let unread = read_model.missed.unread_turns();
    (!unread.is_empty() && read_model.summary.status.is_final()).then(|| {
        format!(
            "The clerk did not read {}: claims, reasons and concessions in {} are not in this verdict.",
            ranges(unread),
            if unread.len() == 1 { "it" } else { "them" }
        )
    })
}

/// Remark on a proposed crux with which nobody agreed: nobody could if no other participant spoke after it. Others who named
/// the same crux are told: naming it is no agreement with somebody else.
pub fn nobody_agreed(read_model: &DebateReadModel, crux: &ProposedCrux) -> String {
    let CruxProposed { speaker, turn, .. } = &crux.proposed;
    let mut later = read_model.transcript.turns.iter().filter(|it| it.turn > *turn);
    let is_heard = later.any(|it| it.speaker.as_ref().is_some_and(|other| other != speaker));
    let remark = if is_heard { "nobody agreed" } else { "nobody else spoke after it" };
    let name = |persona: &PersonaId| {
        let mut participants = read_model.summary.participants.iter();
        participants.find(|it| it.persona == *persona).map_or(persona.as_str(), |it| it.name.as_str()).to_owned()
    };
    let also = read_model.crux_proposals.also_named(crux);
    let also: Vec<String> =
        also.map(|other| format!("{} in {}", name(&other.proposed.speaker), other.proposed.turn)).collect();
    if also.is_empty() { remark.to_owned() } else { format!("{remark}; also named by {}", listed(&also)) }
}

/// Remark on a participant without a side on the topic: `never spoke`, or `took no side`.
pub fn no_side(read_model: &DebateReadModel, persona: &PersonaId) -> &'static str {
    let mut speakers = read_model.transcript.turns.iter().filter_map(|turn| turn.speaker.as_ref());
    if speakers.any(|speaker| speaker == persona) { "took no side" } else { "never spoke" }
}

/// Lists turns, those that follow one another as a range: `t2, t4 to t7 and t9`.
pub fn ranges(turns: &[TurnId]) -> String {
    let followed = turns.chunk_by(|one, next| one.0 + 1 == next.0);
    let parts = followed.flat_map(|run| match run {
        [] => Vec::new(),
        [one] => vec![one.to_string()],
        [one, other] => vec![one.to_string(), other.to_string()],
        [first, .., last] => vec![format!("{first} to {last}")],
    });
    listed(&parts.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::receipt::{EffectAbandoned, EffectKey};

    fn abandoned(subject: &str, round: u32) -> MissedCall {
        let key = EffectKey { purpose: "criticize".to_owned(), subject: subject.to_owned(), ordinal: 1 };
        let reason = "the reply contains no JSON object".to_owned();
        MissedCall {
            abandoned: EffectAbandoned { key, attempts: 3, reason },
            has_nothing_new: false,
            phase: None,
            round: Some(round),
            after: None,
        }
    }

    #[test]
    fn calls_that_were_given_up_are_named() {
        let mut read_model = DebateReadModel::default();
        assert_eq!(missed_calls_warning(&read_model), None);
        read_model.missed.calls = vec![abandoned("clerk", 2)];
        let expected = "1 request was given up after failed calls: the criticism in round 2 (the reply contains no JSON \
                        object).";
        assert_eq!(missed_calls_warning(&read_model).as_deref(), Some(expected));
        let expected = "The criticism was abandoned after 3 attempts: the reply contains no JSON object";
        assert_eq!(missed_call(&read_model, &read_model.missed.calls[0]), expected);
        read_model.missed.calls = vec![abandoned("clerk", 0); 7];
        let warning = missed_calls_warning(&read_model).unwrap_or_default();
        assert!(warning.starts_with("7 requests were given up") && warning.ends_with("; and 2 more."), "{warning}");
    }

    #[test]
    fn turns_that_follow_one_another_are_a_range() {
        let turns = |ids: &[u32]| ranges(&ids.iter().map(|id| TurnId(*id)).collect::<Vec<_>>());
        assert_eq!(turns(&[2, 4, 5, 6, 9, 10]), "t2, t4 to t6, t9 and t10");
        assert_eq!(turns(&[3]), "t3");
    }
}
