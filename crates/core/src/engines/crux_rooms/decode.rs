//! Decodes messages of the channel, turns of rooms and exit checks into events.

use crate::engines::crux_rooms::room_requests::RoomRequests;
use crate::engines::crux_rooms::schema::{ChannelReply, ExitReply, MessageKind};
use crate::engines::talk::copied_words::named;
use crate::engines::talk::replies::decode;
use crate::engines::talk::replies::decode::{MAX_REFUSED, TalkContext};
use crate::events::channel::{ExitChecked, StatedWords, TurnSkipped};
use crate::events::event::Event;
use crate::events::ids::TurnId;
use crate::kernel::reply;
use crate::kernel::reply::Unreadable;

/// Maximum number of sentences of an exit check; an excess is ignored.
const MAX_SENTENCES: usize = 8;

/// Decodes a message of the channel, or a skip.
///
/// # Errors
/// [`Unreadable`] if the reply has no text and is no skip, or its text is too long or repeats a turn.
pub fn message(at: &TalkContext, text: &str) -> Result<Vec<Event>, Unreadable> {
    let reply = reply::read::<ChannelReply>(text)?.value;
    if reply.kind != MessageKind::Skip {
        return decode::spoken(at, reply.turn());
    }
    let reason = named(reply.skip_reason.as_deref()).map_or_else(|| "no reason given".to_owned(), decode::clipped);
    Ok(vec![Event::TurnSkipped(TurnSkipped { speaker: at.speaker.clone(), room: None, reason })])
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
    let opened = &room.room.opened;
    let is_silent = |persona: &&_| !words.iter().any(|stated| stated.speaker == **persona);
    let silent = opened.participants.iter().find(is_silent).filter(|_| surfaced);
    if let Some(persona) = silent {
        refused.push(format!("says that both stated what divides them, and names no sentence of {persona}"));
        words.clear();
    }
    refused.truncate(MAX_REFUSED);
    let turn = window.fresh.last().map_or(TurnId(0), |turn| turn.turn);
    let (surfaced, reason) = (surfaced && silent.is_none(), decode::clipped(&reason));
    Ok(vec![Event::ExitChecked(ExitChecked { room: opened.room, turn, surfaced, words, reason, refused })])
}
