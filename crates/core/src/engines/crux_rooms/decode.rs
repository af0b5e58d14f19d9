//! Decodes turns of rooms and exit checks into events.

use crate::engines::crux_rooms::discussion::{Discussion, stage_of};
use crate::engines::crux_rooms::room_requests::RoomRequests;
use crate::engines::crux_rooms::schema::{ConfirmationReply, ExitReply};
use crate::engines::talk::copied_words::own_words;
use crate::engines::talk::replies::decode;
use crate::engines::talk::replies::decode::{MAX_REFUSED, TalkContext};
use crate::engines::talk::replies::schema::{MoveMade, MoveReply, TurnReply};
use crate::engines::talk::rooms::room_slots::ENTER;
use crate::events::channel::{ExitChecked, RoomStage, StatedWords, SteelmanJudged};
use crate::events::event::Event;
use crate::events::ids::TurnId;
use crate::kernel::reply;
use crate::kernel::reply::Unreadable;

/// Maximum number of sentences of an exit check; an excess is ignored.
const MAX_SENTENCES: usize = 8;

/// Decodes a participant's turn in a room: an entry statement, a turn of a free exchange, or a step of a stage. Whoever states
/// the position of the other takes no side by it.
///
/// # Errors
/// [`Unreadable`] if the reply has no text, its text is too long or repeats a turn, or a judgement has no words.
pub fn room_turn(
    at: &TalkContext,
    purpose: &str,
    discussion: &Discussion,
    text: &str,
) -> Result<Vec<Event>, Unreadable> {
    match stage_of(purpose) {
        Some(RoomStage::Confirmation) => confirmation(at, discussion, text),
        Some(RoomStage::Steelman) => decode::spoken(at, position_of_other(reply::read::<TurnReply>(text)?.value)),
        // A take on an aspect enters it, and last words may say again what their speaker said.
        Some(RoomStage::Takes | RoomStage::Closing) => decode::entered(at, reply::read::<TurnReply>(text)?.value),
        _ if purpose == ENTER => decode::entered(at, reply::read::<TurnReply>(text)?.value),
        _ => decode::spoken(at, reply::read::<TurnReply>(text)?.value),
    }
}

/// Leaves of a reply that states the position of the other what is no act of its speaker: no side, no condition, no crux, no
/// agreement and no concession.
fn position_of_other(reply: TurnReply) -> TurnReply {
    let TurnReply { text, answers, mut moves, passages, .. } = reply;
    moves.retain(|made| matches!(made.kind, MoveMade::Clarify));
    TurnReply {
        text,
        answers,
        moves,
        stances: Vec::new(),
        agreement_words: None,
        agrees_with: None,
        crux: None,
        would_change: None,
        passages,
    }
}

fn confirmation(at: &TalkContext, discussion: &Discussion, text: &str) -> Result<Vec<Event>, Unreadable> {
    let ConfirmationReply { text, words, accepted, passages } = reply::read::<ConfirmationReply>(text)?.value;
    let (Some(room), Some(steelman)) = (at.room, discussion.steelman_of(at.speaker)) else {
        return Err(Unreadable::because("there is no statement to judge"));
    };
    let quote = own_words(&text, &words, "judges the statement").map_err(|reason| {
        Unreadable::because(reason).advise("copy the words of your text that say whether it was stated fairly")
    })?;
    let made = MoveReply { words: Some(quote.clone()), kind: MoveMade::Clarify };
    let turn = TurnReply { passages, answers: Some(steelman.to_string()), ..TurnReply::only(text, made) };
    let (room, speaker, turn_id) = (room.opened.room, at.speaker.clone(), at.turn);
    let judged = SteelmanJudged { room, steelman, speaker, turn: turn_id, accepted, quote };
    Ok(decode::spoken(at, turn)?.into_iter().chain([Event::SteelmanJudged(judged)]).collect())
}

/// Decodes an exit check. What divides the participants was stated if a sentence of each of them is named.
///
/// # Errors
/// [`Unreadable`] if the reply does not have the requested form.
pub fn exit_check(room: &RoomRequests, text: &str) -> Result<Vec<Event>, Unreadable> {
    let ExitReply { sentences, reason, surfaced } = reply::read::<ExitReply>(text)?.value;
    let window = room.window();
    let mut refused = Vec::new();
    let mut words: Vec<StatedWords> = Vec::new();
    for name in sentences.iter().take(MAX_SENTENCES).filter(|_| surfaced) {
        match window.new_sentence(name) {
            Ok((turn, speaker, quote)) if !words.iter().any(|other| other.turn == turn && other.quote == quote) => {
                words.push(StatedWords { speaker, turn, quote });
            }
            Ok(_) => {}
            Err(reason) => refused.push(reason),
        }
    }
    let opened = &room.view.room.opened;
    let is_silent = |persona: &&_| !words.iter().any(|stated| stated.speaker == **persona);
    let silent = opened.participants.iter().find(is_silent).filter(|_| surfaced);
    if let Some(persona) = silent {
        refused.push(format!("says that both stated what divides them, and names no sentence of {persona}"));
        words.clear();
    }
    refused.truncate(MAX_REFUSED);
    let turn = window.fresh.iter().chain(&window.older).map(|turn| turn.turn).max().unwrap_or(TurnId(0));
    let (surfaced, reason) = (surfaced && silent.is_none(), decode::clipped(&reason));
    Ok(vec![Event::ExitChecked(ExitChecked { room: opened.room, turn, surfaced, words, reason, refused })])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_states_the_position_of_the_other_says_nothing_for_themselves() {
        let reply = r#"{"text": "A letter is no ticket.", "answers": "t8", "moves": [
            {"words": "A letter is no ticket.", "move": "concede"}, {"words": "A letter is no ticket.", "move": "clarify"}],
            "stances": [{"words": "A letter is no ticket.", "dispute": "d2", "side": "no"}], "agrees_with": "c1",
            "agreement_words": "A letter is no ticket.", "crux": "Is it?", "would_change": "A letter is no ticket."}"#;
        let read = reply::read::<TurnReply>(reply).expect("a reply").value;
        let left = position_of_other(read);
        assert_eq!(left.moves.len(), 1);
        assert!(left.stances.is_empty());
        assert_eq!([left.agrees_with, left.agreement_words, left.crux, left.would_change], [None, None, None, None]);
        assert_eq!(left.answers.as_deref(), Some("t8"));
    }
}
