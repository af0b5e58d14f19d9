//! Events of the engines `crux_rooms` and `forum`, in the format of the old crux rooms: a main channel, and a room with its
//! messages and its card for each disagreement. Threads are told as rooms.

use serde_json::{Map, Value, json};

use crate::events::channel::DetectedDisagreement;
use crate::events::crux::{Card, RoomClosed, RoomOpened, RoomOutcome};
use crate::events::dispute::Side;
use crate::events::event::{Event, Recorded};
use crate::events::ids::{PersonaId, RoomId, TurnId};
use crate::events::turn::TurnTaken;
use crate::export::legacy::legacy_debate::LegacyDebate;
use crate::export::legacy::output::LegacyOutput;
use crate::projections::crux_rooms::Room;
use crate::projections::disputes::dispute_state::Dispute;
use crate::projections::transcript::Turn;
use crate::verdicts::concessions::shifts::{Shift, ShiftKind, shifts};

/// Maximum number of characters of a label of a room.
const MAX_LABEL_CHARS: usize = 40;

/// Translates the next event.
pub fn translate(legacy: &mut LegacyDebate, recorded: &Recorded) -> Vec<Value> {
    match &recorded.event {
        Event::DebateOpened(_) => opened(legacy),
        Event::PhaseEntered(entered) => {
            legacy.phase = match entered.phase.as_str() {
                "opening" => 1,
                "resolution" | "closing" => 4,
                _ => 2,
            };
            entered.round.map(|round| round_started(&entered.phase, round)).into_iter().collect()
        }
        Event::TurnTaken(taken) => vec![said(legacy, taken, recorded)],
        Event::DisagreementsDetected(detected) => detected.found.iter().map(|seen| detection(legacy, seen)).collect(),
        Event::RoomOpened(opened) => room_opened(legacy, opened, recorded),
        Event::ExitChecked(checked) if checked.surfaced => vec![surfaced(checked.room, recorded)],
        Event::RoomClosed(closed) => room_closed(legacy, closed, recorded),
        Event::DebateConcluded(_) => vec![complete(legacy)],
        Event::DebateAborted(aborted) => vec![json!({ "type": "error", "error": aborted.reason })],
        _ => Vec::new(),
    }
}

fn opened(legacy: &LegacyDebate) -> Vec<Value> {
    let (topic, names) = (&legacy.read_model.summary.topic, legacy.names());
    vec![
        json!({ "type": "dialogue_start", "topic": topic, "personas": names }),
        json!({ "type": "debate_start", "topic": topic, "aspects": [], "personas": names }),
    ]
}

/// Returns the beginning of a round on an aspect. Only imported debates have such rounds.
fn round_started(label: &str, round: u32) -> Value {
    let aspect = json!({ "id": format!("aspect-{round}"), "label": label });
    json!({ "type": "round_start", "aspect": aspect, "roundNumber": round })
}

/// Returns a message of the channel or of a room. The first message of a participant in a room states their position.
fn said(legacy: &LegacyDebate, taken: &TurnTaken, recorded: &Recorded) -> Value {
    let (who, at) = (legacy.name(&taken.speaker), recorded.at.timestamp_millis());
    let Some(room) = taken.room else {
        let phase = match legacy.phase {
            0 | 1 => "opening",
            4 => "closing",
            _ => "take",
        };
        let mut message =
            json!({ "id": message_name(taken.turn), "personaId": who, "content": taken.text, "timestamp": at });
        if let Some(answers) = taken.answers {
            message["replyTo"] = message_name(answers).into();
        }
        if let Some(round) = taken.round {
            message["round"] = round.into();
        }
        return json!({ "type": "message_posted", "message": message, "phase": phase });
    };
    let transcript = &legacy.read_model.transcript;
    let turns = legacy.read_model.rooms.rooms.get(&room).map(|room| room.turns.as_slice()).unwrap_or_default();
    let mut earlier = turns.iter().filter(|turn| **turn != taken.turn).filter_map(|turn| transcript.turn(*turn));
    let has_spoken = earlier.any(|turn| turn.speaker.as_ref() == Some(&taken.speaker));
    let phase = if has_spoken { "exchange" } else { "position" };
    let mut message = json!({
        "id": message_name(taken.turn), "type": "persona", "personaId": who, "content": taken.text, "timestamp": at,
        "phase": phase,
    });
    if let Some(answers) = taken.answers {
        message["replyTo"] = message_name(answers).into();
    }
    json!({ "type": "crux_message", "roomId": room_name(room), "message": message })
}

fn detection(legacy: &LegacyDebate, seen: &DetectedDisagreement) -> Value {
    json!({ "type": "disagreement_detected", "candidate": {
        "messages": [message_name(seen.yes.turn), message_name(seen.no.turn)],
        "personas": legacy.names_of([&seen.yes.speaker, &seen.no.speaker]),
        "topic": seen.question,
        "confidence": seen.confidence,
    } })
}

fn room_opened(legacy: &LegacyDebate, opened: &RoomOpened, recorded: &Recorded) -> Vec<Value> {
    let sources: Vec<String> = opened.turns.iter().map(|turn| message_name(*turn)).collect();
    let label: String = opened.question.chars().take(MAX_LABEL_CHARS).collect();
    let spawning = json!({
        "type": "crux_room_spawning",
        "roomId": room_name(opened.room),
        "question": opened.question,
        "label": label,
        "personas": legacy.names_of(&opened.participants),
        "sourceMessages": sources,
    });
    vec![spawning, system(opened.room, "entry", (&format!("{:?}", opened.question), None), recorded)]
}

fn surfaced(room: RoomId, recorded: &Recorded) -> Value {
    system(room, "done", ("Crux surfaced. Closing room.", Some("convergence")), recorded)
}

/// Returns a message of a room itself.
fn system(room: RoomId, what: &str, (content, phase): (&str, Option<&str>), recorded: &Recorded) -> Value {
    let mut message = json!({
        "id": format!("{}-sys-{what}", room_name(room)), "type": "system", "content": content,
        "timestamp": recorded.at.timestamp_millis(),
    });
    if let Some(phase) = phase {
        message["phase"] = phase.into();
    }
    json!({ "type": "crux_message", "roomId": room_name(room), "message": message })
}

/// Returns the card of a room, or a message of the room where there is none.
fn room_closed(legacy: &LegacyDebate, closed: &RoomClosed, recorded: &Recorded) -> Vec<Value> {
    let Some(room) = legacy.read_model.rooms.rooms.get(&closed.room) else { return Vec::new() };
    let is_told = room.exit_checks.iter().any(|check| check.surfaced);
    let surfaced = (closed.outcome == RoomOutcome::Surfaced && !is_told).then(|| surfaced(closed.room, recorded));
    let told = match &closed.card {
        Some(card) => json!({ "type": "crux_card_posted", "card": card_of(legacy, (closed, card), room, recorded) }),
        None => {
            let reason = format!("Room closed without a card: {}.", closed.reason);
            system(closed.room, "closed", (&reason, Some("convergence")), recorded)
        }
    };
    surfaced.into_iter().chain([told]).collect()
}

fn card_of(legacy: &LegacyDebate, (closed, card): (&RoomClosed, &Card), room: &Room, recorded: &Recorded) -> Value {
    let positions = room.members().map(|persona| {
        let mut position = Map::new();
        if let Some((side, words)) = side(legacy, room, persona) {
            position.insert("position".to_owned(), side.name().to_uppercase().into());
            position.insert("reasoning".to_owned(), words.into());
        }
        let falsifier = card.falsifiers.iter().find(|falsifier| falsifier.speaker == *persona);
        position.extend(falsifier.map(|falsifier| ("falsifier".to_owned(), falsifier.text.as_str().into())));
        (legacy.name(persona).to_owned(), Value::Object(position))
    });
    let mut told = json!({
        "id": format!("card-{}", room_name(closed.room)),
        "question": room.opened.question,
        "personas": positions.collect::<Map<_, _>>(),
        "disagreementType": card.kind.map(|kind| kind.name()),
        "diagnosis": card.diagnosis,
        "resolved": closed.outcome == RoomOutcome::Resolved,
        "sourceMessages": room.opened.turns.iter().map(|turn| message_name(*turn)).collect::<Vec<_>>(),
        "cruxRoomId": room_name(closed.room),
        "timestamp": recorded.at.timestamp_millis(),
    });
    if let Some(resolution) = &card.resolution {
        told["resolution"] = resolution.as_str().into();
    }
    told
}

/// Returns the side of a participant on the dispute of a room, with the words that state it, or what a file reported.
fn side<'a>(legacy: &'a LegacyDebate, room: &Room, persona: &PersonaId) -> Option<(Side, &'a str)> {
    let dispute = legacy.read_model.disputes.disputes.get(&room.opened.dispute?)?;
    let reported = || dispute.reported.iter().rfind(|(of, _)| of == persona).map(|(_, stance)| stance);
    let stance = dispute.stances.get(persona).or_else(reported)?;
    let words = stance.quote.as_deref().or(stance.statement.as_deref());
    Some((stance.side, words.unwrap_or_default()))
}

fn complete(legacy: &LegacyDebate) -> Value {
    let read_model = &legacy.read_model;
    let verdict = read_model.verdict();
    let topic = read_model.disputes.topic().map(|(id, _)| id);
    let moved = shifts(&read_model.disputes).into_iter().filter(|shift| Some(shift.dispute) == topic);
    let result = LegacyOutput::of(legacy, &verdict);
    let opened = read_model.summary.opened_at.map(|at| at.timestamp_millis());
    let channel = read_model.transcript.turns.iter().filter(|turn| turn.room.is_none());
    json!({
        "type": "dialogue_complete",
        "finalState": {
            "topic": read_model.summary.topic,
            "messages": channel.filter_map(message).collect::<Vec<_>>(),
            "activePersonas": legacy.names(),
            "startTime": opened,
        },
        "shifts": moved.map(|shift| shift_of(legacy, &shift)).collect::<Vec<_>>(),
        "summary": {
            "claims": claims(legacy),
            "agreements": result.agreements(),
            "evidenceLedger": result.evidence_ledger(),
            "flipConditions": result.flip_conditions(),
            "resolutionPaths": result.resolution_paths(),
        },
    })
}

/// Returns the questions of the debate, the topic first, each with those who stand for it, against it or between.
fn claims(legacy: &LegacyDebate) -> Vec<Value> {
    let position = |side: Side| match side {
        Side::Yes => Some("for"),
        Side::No => Some("against"),
        Side::Nuanced => Some("mixed"),
        Side::Undecided => None,
    };
    let claim = |dispute: &Dispute| {
        let stances = dispute.stances.iter().filter_map(|(persona, stance)| {
            let reasoning = stance.words().unwrap_or_default();
            Some(json!({
                "personaId": legacy.name(persona), "position": position(stance.side)?, "reasoning": reasoning,
            }))
        });
        json!({ "claim": dispute.question, "stances": stances.collect::<Vec<_>>() })
    };
    legacy.read_model.disputes.not_retired().map(|(_, dispute)| claim(dispute)).collect()
}

fn message(turn: &Turn) -> Option<Value> {
    turn.speaker.as_ref()?;
    let (id, at) = (message_name(turn.turn), turn.at.timestamp_millis());
    Some(json!({ "id": id, "personaId": turn.name, "content": turn.text, "timestamp": at }))
}

fn shift_of(legacy: &LegacyDebate, shift: &Shift) -> Value {
    let (first, last) = (shift.first.name(), shift.last.name());
    let summary = match shift.kind() {
        ShiftKind::Kept => format!("stayed with {last} on the topic"),
        _ => format!("went from {first} to {last} on the topic"),
    };
    let shifted = shift.kind() != ShiftKind::Kept;
    json!({ "personaId": legacy.name(&shift.persona), "shifted": shifted, "summary": summary })
}

/// Old id of a message.
fn message_name(turn: TurnId) -> String {
    format!("msg-{}", turn.0)
}

/// Old id of a room.
fn room_name(room: RoomId) -> String {
    format!("crux-{}", room.0)
}
