//! What the crux rooms told: a main channel, and for each disagreement a room, its talk, and a card at the end.

use serde_json::Value;

use crate::events::dispute::StanceTaken;
use crate::events::event::Event;
use crate::events::ids::{DisputeId, PersonaId, TurnId};
use crate::events::lifecycle::Interjected;
use crate::events::turn::Move;
use crate::imports::blackboard::{raise, side_of, stand};
use crate::imports::draft::{Draft, excerpt};
use crate::imports::fields::{count, text, text_of, texts, time};

/// `round_start`: an aspect is taken up.
pub fn round_start(draft: &mut Draft, record: &Value) {
    let aspect = record.get("aspect").unwrap_or(&Value::Null);
    let label = text_of(aspect, &["label", "id"]).unwrap_or("round");
    draft.phase(label, count(record, "roundNumber"));
}

/// `message_posted`: somebody speaks in the main channel.
pub fn message_posted(draft: &mut Draft, record: &Value) {
    let raw = record.get("message").unwrap_or(record);
    if let Some(phase @ ("opening" | "closing")) = text(record, "phase") {
        draft.phase(phase, None);
    }
    let moves = if text(raw, "replyTo").is_some() { Move::Challenge } else { Move::Claim };
    said(draft, "message_posted", raw, count(raw, "round"), moves);
}

/// `crux_room_spawning`: a room opens on a question. The same question is the same dispute, in whichever room it is asked.
pub fn room_spawning(draft: &mut Draft, record: &Value) {
    let Some(question) = text(record, "question") else {
        return draft.quarantine("crux_room_spawning", "it asks nothing", record);
    };
    let label = text_of(record, &["label", "question"]).unwrap_or(question);
    draft.phase(&format!("crux room: {label}"), None);
    dispute_on(draft, question, record);
    draft.keep("crux_room_spawning", record);
}

fn dispute_on(draft: &mut Draft, question: &str, record: &Value) -> DisputeId {
    let key = question.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ");
    if let Some(known) = draft.disputes.get(&key) {
        return *known;
    }
    let sources = texts(record, "sourceMessages");
    let turns = sources.iter().filter_map(|it| draft.turns.get(it)).copied().collect();
    let dispute = raise(draft, question, turns);
    draft.disputes.insert(key, dispute);
    dispute
}

/// `crux_message`: somebody speaks in a room, or the room itself does.
pub fn crux_message(draft: &mut Draft, record: &Value) {
    let raw = record.get("message").unwrap_or(record);
    match (text(raw, "type"), text(raw, "phase")) {
        (Some("system"), Some("convergence")) => draft.said("crux_message", raw),
        (Some("system"), _) => announced(draft, raw),
        _ => {
            let moves = if text(raw, "phase") == Some("exchange") { Move::Challenge } else { Move::Claim };
            if let (Some(turn), Some(room)) = (said(draft, "crux_message", raw, None, moves), text(record, "roomId"))
                && let Some(speaker) = draft.speaker_of(turn)
            {
                let place = place_in(room, speaker);
                draft.turns.insert(place, turn);
            }
        }
    }
}

/// Where the latest turn of somebody in a room is kept.
fn place_in(room: &str, speaker: &PersonaId) -> String {
    format!("{room}\n{speaker}")
}

/// What a room itself says is the moderator's.
fn announced(draft: &mut Draft, raw: &Value) {
    let Some(words) = text(raw, "content") else { return draft.keep("crux_message", raw) };
    draft.at(time(raw, "timestamp"));
    let turn = draft.turn_of_moderator();
    draft.record(Event::Interjected(Interjected { turn, text: words.to_owned(), speaker: None }));
}

fn said(draft: &mut Draft, name: &str, raw: &Value, round: Option<u32>, moves: Move) -> Option<TurnId> {
    let speaker = match draft.speaker(text(raw, "personaId")) {
        Ok(speaker) => speaker,
        Err(reason) => {
            draft.quarantine(name, reason, raw);
            return None;
        }
    };
    let Some(words) = text(raw, "content") else {
        draft.quarantine(name, "nothing was said in it", raw);
        return None;
    };
    draft.at(time(raw, "timestamp"));
    let answers = text(raw, "replyTo").and_then(|it| draft.turns.get(it)).copied();
    let turn = draft.answer(&speaker, round, moves, answers, words);
    if let Some(id) = text(raw, "id") {
        draft.turns.insert(id.to_owned(), turn);
    }
    Some(turn)
}

/// `crux_card_posted`: where each stood at the end of a room, by a model's word. A stance counts where somebody spoke in
/// the room; the diagnosis is only the model's.
pub fn crux_card(draft: &mut Draft, record: &Value) {
    let card = record.get("card").unwrap_or(record);
    draft.at(time(card, "timestamp"));
    let Some(question) = text(card, "question") else {
        return draft.quarantine("crux_card_posted", "it asks nothing", card);
    };
    let dispute = dispute_on(draft, question, card);
    let room = text_of(card, &["cruxRoomId", "roomId"]).unwrap_or_default();
    for (name, position) in card.get("personas").and_then(Value::as_object).into_iter().flatten() {
        position_of(draft, dispute, room, name, position);
    }
    draft.said("crux_card_posted", card);
}

fn position_of(draft: &mut Draft, dispute: DisputeId, room: &str, name: &str, position: &Value) {
    let speaker = match draft.speaker(Some(name)) {
        Ok(speaker) => speaker,
        Err(reason) => return draft.quarantine("position", reason, position),
    };
    let Some(side) = text(position, "position").and_then(side_of) else {
        return draft.quarantine("position", "it is neither YES nor NO nor NUANCED", position);
    };
    let Some(turn) = draft.turns.get(&place_in(room, &speaker)).copied() else {
        let reason = format!("{} said nothing in the room {:?}", draft.cast.name(&speaker), excerpt(room));
        return draft.quarantine("position", reason, position);
    };
    let statement = text(position, "reasoning").map(str::to_owned);
    stand(draft, StanceTaken { dispute, speaker, side, turn, statement }, Some(turn.0));
}

/// `dialogue_complete`: every aspect had its round. That is a protocol at its end, and no convergence.
pub fn complete(draft: &mut Draft, record: &Value) {
    draft.ending.complete = true;
    draft.ending.limit = Some(("rounds".to_owned(), "every aspect had its round".to_owned()));
    let fields =
        record.as_object().into_iter().flatten().filter(|(key, _)| !matches!(key.as_str(), "finalState" | "type"));
    draft.said("dialogue_complete", &Value::Object(fields.map(|(key, value)| (key.clone(), value.clone())).collect()));
}
