//! Importer for crux-room files: a main channel, and a room with its messages and its card for each disagreement.

use serde_json::Value;

use crate::events::crux::{Card, Disagreement, Falsifier, RoomClosed, RoomKind, RoomOpened, RoomOutcome};
use crate::events::dispute::{Side, StanceTaken};
use crate::events::event::Event;
use crate::events::ids::{DisputeId, PersonaId, RoomId, TurnId};
use crate::events::lifecycle::Interjected;
use crate::events::turn::Move;
use crate::imports::blackboard::{raise, record_stance, side_of};
use crate::imports::draft::{ImportDraft, KnownRoom, excerpt};
use crate::imports::fields::{count, flag, items, share, text, text_of, texts, time};

/// Imports `round_start`: the start of a round on an aspect.
pub fn round_start(draft: &mut ImportDraft, record: &Value) {
    let aspect = record.get("aspect").unwrap_or(&Value::Null);
    let label = text_of(aspect, &["label", "id"]).unwrap_or("round");
    draft.phase(label, count(record, "roundNumber"));
}

/// Imports `message_posted`: a message in the main channel.
pub fn message_posted(draft: &mut ImportDraft, record: &Value) {
    let raw = record.get("message").unwrap_or(record);
    if let Some(phase @ ("opening" | "closing")) = text(record, "phase") {
        draft.phase(phase, None);
    }
    let moves = if text(raw, "replyTo").is_some() { Move::Challenge } else { Move::Claim };
    said(draft, "message_posted", raw, (count(raw, "round"), None), moves);
}

/// Imports `disagreement_detected`: a detector's report. It is only recorded as stated, and as the reason for the next
/// room.
pub fn detected(draft: &mut ImportDraft, record: &Value) {
    let candidate = record.get("candidate").unwrap_or(record);
    draft.detected = text(candidate, "topic").map(str::to_owned).zip(share(candidate, "confidence"));
    draft.keep("disagreement_detected", record);
}

/// Imports `crux_room_spawning`: a room opens on a question. The same question in several rooms is one dispute.
pub fn room_spawning(draft: &mut ImportDraft, record: &Value) {
    let Some(question) = text(record, "question") else {
        return draft.quarantine("crux_room_spawning", "it has no question", record);
    };
    let name = text(record, "roomId").unwrap_or_default();
    if draft.rooms.get(name).is_some_and(|room| !room.closed) {
        let reason = format!("another room {:?} is still open", excerpt(name));
        return draft.quarantine("crux_room_spawning", reason, record);
    }
    let mut members = Vec::new();
    for persona in items(record, "personas") {
        match draft.speaker(persona.as_str().or_else(|| text_of(persona, &["name", "personaId", "id"]))) {
            Ok(member) if members.contains(&member) => {}
            Ok(member) => members.push(member),
            Err(reason) => draft.quarantine("crux_room_spawning", reason, record),
        }
    }
    let label = text_of(record, &["label", "question"]).unwrap_or(question);
    draft.phase(&format!("crux room: {label}"), None);
    let dispute = Some(dispute_on(draft, question, record));
    let turns = sources(draft, record);
    let seen = draft.detected.take().filter(|(topic, _)| topic == question);
    let reason =
        seen.map(|(_, it)| format!("the imported file's detector reported a disagreement with confidence {it}"));
    let room = draft.next_room();
    draft.counts.rooms += 1;
    draft.rooms.insert(name.to_owned(), KnownRoom { room, members: members.clone(), surfaced: false, closed: false });
    let question = question.to_owned();
    draft.record(Event::RoomOpened(RoomOpened {
        kind: RoomKind::Private,
        parent: None,
        room,
        question,
        dispute,
        participants: members,
        turns,
        candidate: None,
        reason,
    }));
}

/// Known turns among the sources that a record names.
fn sources(draft: &ImportDraft, record: &Value) -> Vec<TurnId> {
    texts(record, "sourceMessages").iter().filter_map(|name| draft.turns.get(name)).copied().collect()
}

fn dispute_on(draft: &mut ImportDraft, question: &str, record: &Value) -> DisputeId {
    let key = question.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ");
    if let Some(known) = draft.disputes.get(&key) {
        return *known;
    }
    let turns = sources(draft, record);
    let dispute = raise(draft, question, turns);
    draft.disputes.insert(key, dispute);
    dispute
}

/// Imports `crux_message`: a message in a room, by a participant or by the room itself.
pub fn crux_message(draft: &mut ImportDraft, record: &Value) {
    let raw = record.get("message").unwrap_or(record);
    let name = text(record, "roomId").unwrap_or_default();
    match (text(raw, "type"), text(raw, "phase")) {
        (Some("system"), Some("convergence")) => {
            let surfaced = text(raw, "content").is_some_and(|content| content.to_lowercase().contains("surfaced"));
            if let Some(room) = draft.rooms.get_mut(name) {
                room.surfaced |= surfaced;
            }
            draft.record_result("crux_message", raw);
        }
        (Some("system"), _) => announced(draft, name, raw),
        _ => {
            let moves = if text(raw, "phase") == Some("exchange") { Move::Challenge } else { Move::Claim };
            let room = entered(draft, name, text(raw, "personaId"));
            if let Some(turn) = said(draft, "crux_message", raw, (None, room), moves)
                && let Some(speaker) = draft.speaker_of(turn)
            {
                let place = place_in(name, speaker);
                draft.turns.insert(place, turn);
            }
        }
    }
}

/// Room of a speaker's message; `None`, for the main channel, if it was never opened, is closed, or the speaker is not
/// in it.
fn entered(draft: &mut ImportDraft, name: &str, who: Option<&str>) -> Option<RoomId> {
    let speaker = who.and_then(|name| draft.cast.find(name)).cloned();
    let fits =
        |room: &&KnownRoom| !room.closed && speaker.as_ref().is_none_or(|speaker| room.members.contains(speaker));
    let room = draft.rooms.get(name).filter(fits).map(|known| known.room);
    if room.is_none() {
        draft.note("messages in rooms that were not open, or that their speakers were not in, are in the main channel");
    }
    room
}

/// Key of a speaker's latest turn in a room.
fn place_in(room: &str, speaker: &PersonaId) -> String {
    format!("{room}\n{speaker}")
}

/// Records a message of the room itself as the moderator's.
fn announced(draft: &mut ImportDraft, name: &str, raw: &Value) {
    let Some(words) = text(raw, "content") else { return draft.keep("crux_message", raw) };
    draft.at(time(raw, "timestamp"));
    let room = entered(draft, name, None);
    let turn = draft.turn_of_moderator();
    draft.record(Event::Interjected(Interjected { turn, text: words.to_owned(), speaker: None, room }));
}

fn said(
    draft: &mut ImportDraft,
    name: &str,
    raw: &Value,
    place: (Option<u32>, Option<RoomId>),
    moves: Move,
) -> Option<TurnId> {
    let speaker = match draft.speaker(text(raw, "personaId")) {
        Ok(speaker) => speaker,
        Err(reason) => {
            draft.quarantine(name, reason, raw);
            return None;
        }
    };
    let Some(words) = text(raw, "content") else {
        draft.quarantine(name, "it has no text", raw);
        return None;
    };
    draft.at(time(raw, "timestamp"));
    let answers = text(raw, "replyTo").and_then(|name| draft.turns.get(name)).copied();
    let turn = draft.answer(&speaker, place, moves, answers, words);
    if let Some(id) = text(raw, "id") {
        draft.turns.insert(id.to_owned(), turn);
    }
    Some(turn)
}

/// Imports `crux_card_posted`: final positions in a room as summarised by a model. A stance is accepted if its holder
/// spoke in the room; the diagnosis is only recorded as stated.
pub fn crux_card(draft: &mut ImportDraft, record: &Value) {
    let card = record.get("card").unwrap_or(record);
    draft.at(time(card, "timestamp"));
    let Some(question) = text(card, "question") else {
        return draft.quarantine("crux_card_posted", "it has no question", card);
    };
    let dispute = dispute_on(draft, question, card);
    let room = text_of(card, &["cruxRoomId", "roomId"]).unwrap_or_default();
    for (name, position) in positions(card) {
        position_of(draft, dispute, room, name, position);
    }
    draft.record_result("crux_card_posted", card);
    close(draft, room, card);
}

/// Closes a room with its card. The card is a model's summary; agreement is only accepted if the recorded stances show
/// it.
fn close(draft: &mut ImportDraft, name: &str, card: &Value) {
    let Some(talked) = draft.rooms.get_mut(name).filter(|room| !room.closed) else { return };
    talked.closed = true;
    let (room, surfaced) = (talked.room, talked.surfaced);
    let outcome = match (is_placeholder(card), flag(card, "resolved") == Some(true) && !is_split(card), surfaced) {
        (true, ..) => RoomOutcome::Failed,
        (false, true, _) => RoomOutcome::Resolved,
        (false, false, true) => RoomOutcome::Surfaced,
        (false, false, false) => RoomOutcome::Exhausted,
    };
    let reason = match outcome {
        RoomOutcome::Failed => "the imported file contains a placeholder instead of a card",
        RoomOutcome::Resolved => "the imported file's card calls it resolved",
        RoomOutcome::Surfaced => "the imported file states that the crux surfaced",
        RoomOutcome::Exhausted | RoomOutcome::Abandoned => "the imported file states no result",
    };
    let card = if outcome == RoomOutcome::Failed { None } else { dealt(draft, card) };
    draft.record(Event::RoomClosed(RoomClosed { room, outcome, reason: reason.to_owned(), card }));
}

/// True if the card is a placeholder, which the old engine wrote if it could not extract anything from the messages.
fn is_placeholder(card: &Value) -> bool {
    let words = positions(card).filter_map(|(_, position)| text(position, "reasoning")).chain(text(card, "diagnosis"));
    let words: Vec<String> = words.map(str::to_lowercase).collect();
    !words.is_empty() && words.iter().all(|text| text.trim_end_matches('.') == "see transcript")
}

/// True if a card contains both a yes and a no.
fn is_split(card: &Value) -> bool {
    let sides: Vec<_> = positions(card).filter_map(|(_, position)| side_of(text(position, "position")?)).collect();
    sides.contains(&Side::Yes) && sides.contains(&Side::No)
}

fn positions(card: &Value) -> impl Iterator<Item = (&String, &Value)> {
    card.get("personas").and_then(Value::as_object).into_iter().flatten()
}

/// Card with the results of the room; `None` if there is no diagnosis.
fn dealt(draft: &ImportDraft, card: &Value) -> Option<Card> {
    let falsifier = |(name, position): (&String, &Value)| {
        let speaker = draft.cast.find(name)?.clone();
        Some(Falsifier { speaker, text: text(position, "falsifier")?.to_owned() })
    };
    Some(Card {
        kind: text(card, "disagreementType").and_then(disagreement),
        diagnosis: text(card, "diagnosis")?.to_owned(),
        resolution: text(card, "resolution").map(str::to_owned),
        falsifiers: positions(card).filter_map(falsifier).collect(),
    })
}

/// Kind of disagreement by its old name. The old engine used different words in its prompt and in its parser.
fn disagreement(word: &str) -> Option<Disagreement> {
    Some(match word.to_lowercase().as_str() {
        "horizon" => Disagreement::Horizon,
        "evidence" | "empirical" => Disagreement::Evidence,
        "values" => Disagreement::Values,
        "definition" => Disagreement::Definition,
        "claim" => Disagreement::Claim,
        "premise" => Disagreement::Premise,
        "inference" => Disagreement::Inference,
        _ => return None,
    })
}

fn position_of(draft: &mut ImportDraft, dispute: DisputeId, room: &str, name: &str, position: &Value) {
    let speaker = match draft.speaker(Some(name)) {
        Ok(speaker) => speaker,
        Err(reason) => return draft.quarantine("position", reason, position),
    };
    let Some(side) = text(position, "position").and_then(side_of) else {
        return draft.quarantine("position", "it is not YES, NO or NUANCED", position);
    };
    let Some(turn) = draft.turns.get(&place_in(room, &speaker)).copied() else {
        let reason = format!("{} has no turn in the room {:?}", draft.cast.name(&speaker), excerpt(room));
        return draft.quarantine("position", reason, position);
    };
    let statement = text(position, "reasoning").map(str::to_owned);
    let (confidence, quote) = (share(position, "confidence"), draft.quote(turn, statement.as_deref()));
    let taken = StanceTaken { dispute, speaker, side, turn, statement, confidence, quote };
    record_stance(draft, taken, Some(turn.0));
}

/// Imports `dialogue_complete`. All aspects had their rounds, so the protocol ended without convergence.
pub fn complete(draft: &mut ImportDraft, record: &Value) {
    draft.ending.complete = true;
    draft.ending.limit = Some(("rounds".to_owned(), "all aspects had their rounds".to_owned()));
    let fields =
        record.as_object().into_iter().flatten().filter(|(key, _)| !matches!(key.as_str(), "finalState" | "type"));
    draft.record_result(
        "dialogue_complete",
        &Value::Object(fields.map(|(key, value)| (key.clone(), value.clone())).collect()),
    );
}
