//! States of a debate on a motion, in the format of the old debate orchestrator: one state after each of its steps.

use serde_json::{Value, json};

use crate::events::checks::sides::{MotionSide, SidesAssigned};
use crate::events::event::{Event, Recorded};
use crate::events::ids::{PersonaId, TurnId};
use crate::events::lifecycle::DebateOpened;
use crate::events::turn::Preparation;
use crate::events::turn::TurnTaken;
use crate::export::legacy::legacy_debate::LegacyDebate;
use crate::projections::calls::speaker_use::SpeakerUse;
use crate::projections::fact_checks::FactCheck;
use crate::projections::motion::{Draft, Motion};
use crate::projections::transcript::Turn;
use crate::verdicts::read_model::DebateReadModel;

/// Translates the next event: the state after it, if it belongs to a step of the old orchestrator.
pub fn translate(legacy: &LegacyDebate, opened: &DebateOpened, recorded: &Recorded) -> Vec<Value> {
    let read_model = &legacy.read_model;
    let Some(sides) = &read_model.motion.sides else { return Vec::new() };
    let next_speaker = match &recorded.event {
        Event::PhaseEntered(entered) if entered.announcement.is_some() => sides.pro.first(),
        Event::TurnDrafted(drafted) => Some(&drafted.turn.speaker),
        Event::TurnRejected(rejected) => {
            read_model.motion.drafts.get(&rejected.draft).map(|it| &it.drafted.turn.speaker)
        }
        Event::TurnTaken(taken) if taken.preparation.is_some() => Some(&taken.speaker),
        Event::ClaimChecked(checked) => {
            let check = read_model.fact_checks.checks.get(&checked.check);
            check.and_then(|check| check.speaker.as_ref())
        }
        Event::DebateConcluded(_) => read_model.transcript.turns.iter().rev().find_map(|turn| turn.speaker.as_ref()),
        _ => return Vec::new(),
    };
    let side = next_speaker.and_then(|speaker| sides.side_of(speaker)).unwrap_or(MotionSide::Pro);
    vec![state(read_model, sides, opened, side)]
}

fn state(read_model: &DebateReadModel, sides: &SidesAssigned, opened: &DebateOpened, speaker: MotionSide) -> Value {
    let (summary, motion, checks) = (&read_model.summary, &read_model.motion, &read_model.fact_checks);
    let options = &opened.options;
    let round = motion.announcements.iter().rev().find_map(|announced| announced.round);
    let open = motion.drafts.values().next_back().filter(|draft| draft.said_in.is_none());
    let results: Vec<&FactCheck> = match open {
        Some(draft) => checks.of_draft(draft.drafted.draft).collect(),
        None => speeches(read_model).last().map_or_else(Vec::new, |turn| checks.of_turn(turn.turn).collect()),
    };
    json!({
        "debateId": summary.debate.map(|id| id.to_string()),
        "topicMotion": summary.topic,
        "proModelId": model(opened, &sides.pro),
        "conModelId": model(opened, &sides.con),
        "proPersonaId": sides.pro.first(),
        "conPersonaId": sides.con.first(),
        "currentRound": round,
        "totalRounds": options.get("rounds"),
        "currentSpeaker": speaker.name(),
        "wordLimitPerTurn": options.get("words"),
        "factCheckMode": options.get("fact_check"),
        "transcript": speeches(read_model).map(|turn| speech(turn, sides)).collect::<Vec<_>>(),
        "factCheckLogs": checks.checks.values().map(|check| fact_check(check, checks.turn_of(check), sides)).collect::<Vec<_>>(),
        "currentTurnDraft": open.map(|draft| draft_parts(&draft.drafted.turn)),
        "currentFactCheckResults": results.iter().map(|check| fact_check(check, checks.turn_of(check), sides)).collect::<Vec<_>>(),
        "shouldRejectTurn": open.is_some_and(|draft| draft.rejected.is_some()),
        "retryCount": open.map_or(0, |draft| retries(motion, draft)),
        "isDebateComplete": summary.outcome.is_some(),
        "metadata": metadata(read_model),
    })
}

/// Returns the speeches of the rounds.
fn speeches(read_model: &DebateReadModel) -> impl DoubleEndedIterator<Item = &Turn> {
    read_model.transcript.turns.iter().filter(|turn| turn.preparation.is_some())
}

fn model(opened: &DebateOpened, side: &[PersonaId]) -> Value {
    let chosen = side.first().and_then(|id| opened.models.get(id));
    json!(chosen.map_or(opened.provider.as_str(), String::as_str))
}

fn speech(turn: &Turn, sides: &SidesAssigned) -> Value {
    let side = turn.speaker.as_ref().and_then(|speaker| sides.side_of(speaker));
    let preparation = turn.preparation.as_ref();
    json!({
        "id": turn.turn,
        "speaker": side.map(MotionSide::name),
        "personaId": turn.speaker,
        "roundNumber": turn.round,
        "reflection": preparation.map(|it| &it.reflection),
        "critique": preparation.map(|it| &it.critique),
        "speech": turn.text,
        "wordCount": turn.text.split_whitespace().count(),
        "acceptedWithViolation": preparation.is_some_and(|it| !it.violations.is_empty()),
        "timestamp": turn.at,
    })
}

fn draft_parts(turn: &TurnTaken) -> Value {
    let part = |part: fn(&Preparation) -> &String| turn.preparation.as_ref().map(part);
    json!({
        "reflection": part(|it| &it.reflection),
        "critique": part(|it| &it.critique),
        "speech": turn.text,
        "wordCount": turn.text.split_whitespace().count(),
    })
}

fn fact_check(check: &FactCheck, turn: Option<TurnId>, sides: &SidesAssigned) -> Value {
    let checked = &check.checked;
    let sources = checked.sources.iter();
    let sources = sources.map(|it| json!({ "title": it.title, "url": it.address, "snippet": it.excerpt }));
    json!({
        "id": checked.check,
        "turnId": turn,
        "draftId": checked.draft,
        "speaker": check.speaker.as_ref().and_then(|speaker| sides.side_of(speaker)).map(MotionSide::name),
        "claim": checked.claim,
        "verdict": checked.verdict.name(),
        "confidence": checked.confidence,
        "sources": sources.collect::<Vec<_>>(),
        "reasoning": checked.explanation,
    })
}

/// Counts the rejected drafts of the same speech.
fn retries(motion: &Motion, draft: &Draft) -> usize {
    let turn = &draft.drafted.turn;
    let same = motion.drafts.values().map(|it| (it, &it.drafted.turn));
    same.filter(|(it, other)| it.rejected.is_some() && (&other.speaker, other.round) == (&turn.speaker, turn.round))
        .count()
}

/// Figures of both sides. The old orchestrator's `winner` is left out: no side wins.
fn metadata(read_model: &DebateReadModel) -> Value {
    let side = |side: MotionSide| {
        let members = read_model.motion.sides.as_ref().map_or(&[][..], |sides| sides.of(side));
        let facts = read_model.fact_checks.factuality(|speaker| members.contains(speaker));
        let used: SpeakerUse = read_model.speaker_use.of_all(members);
        json!({
            "turns": used.turns, "words": used.words, "claims": facts.n_true + facts.n_false + facts.n_unverifiable,
            "factuality": facts.share, "rejections": used.rejections, "tokens": used.tokens, "latencyMs": used.millis,
        })
    };
    let outcome = read_model.summary.outcome.as_ref();
    json!({
        "outcome": outcome.map(|outcome| outcome.kind()),
        "reason": outcome.map(|outcome| outcome.reason()),
        "unchecked": read_model.fact_checks.unchecked.len(),
        "stats": { "pro": side(MotionSide::Pro), "con": side(MotionSide::Con) },
    })
}
