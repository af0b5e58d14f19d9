//! Decodes messages, which their speakers may skip.

use crate::engines::talk::copied_words::named;
use crate::engines::talk::replies::decode;
use crate::engines::talk::replies::decode::TalkContext;
use crate::engines::talk::rooms::schema::{MessageKind, MessageReply};
use crate::events::channel::TurnSkipped;
use crate::events::event::Event;
use crate::kernel::reply;
use crate::kernel::reply::Unreadable;

/// Decodes a message, or a skip.
///
/// # Errors
/// [`Unreadable`] if the reply has no text and is no skip, or its text is too long or repeats a turn.
pub fn message(at: &TalkContext, text: &str) -> Result<Vec<Event>, Unreadable> {
    let reply = reply::read::<MessageReply>(text)?.value;
    if reply.kind != MessageKind::Skip {
        return decode::spoken(at, reply.turn());
    }
    let reason = named(reply.skip_reason.as_deref()).map_or_else(|| "no reason given".to_owned(), decode::clipped);
    Ok(vec![Event::TurnSkipped(TurnSkipped {
        speaker: at.speaker.clone(),
        room: at.room.map(|room| room.opened.room),
        reason,
    })])
}
