//! Pages of one debate's turns and events. A cursor is a version, so it stays valid when events are appended.

use async_graphql::{Context, Result};

use crate::api::batching::debate_batch::{DebateBatch, EventRange};
use crate::api::error::invalid;
use crate::api::paging::{PageRequest, invalid_cursor, page_info};
use crate::api::types::debate::debate_ref::ParticipantSource;
use crate::api::types::event::{Event, EventConnection};
use crate::api::types::speech::argument::Turn;
use crate::api::types::speech::turns::TurnConnection;
use faultline_core::events::event::Event as Inner;
use faultline_core::events::ids::DebateId;
use faultline_core::projections::transcript;
use faultline_store::log::stored_event::StoredEvent;
use faultline_store::views::debates::PageDirection;

/// Returns a page of a debate's turns.
///
/// # Errors
/// `INVALID` if the cursor is malformed.
pub fn turns(
    turns: &[transcript::Turn],
    page: &PageRequest,
    participants: &ParticipantSource,
) -> Result<TurnConnection> {
    let from = page.from.as_deref().map(|cursor| version(TURN, cursor)).transpose()?;
    let cut = page.slice(turns, from, |turn| turn.version);
    let edges = turns[cut.items.clone()].iter().map(|turn| (cursor(TURN, turn.version), Turn::new(turn, participants)));
    let edges: Vec<(String, Turn)> = edges.collect();
    let info = page_info(edges.iter().map(|entry| &entry.0), cut.before, cut.has_next);
    Ok(TurnConnection::new(edges, info, turns.len() as i64))
}

/// Returns a page of a debate's events up to a version, optionally only those of some kinds.
///
/// # Errors
/// `INVALID` if the cursor is malformed; `ERASED`, `DAMAGED` or `UNAVAILABLE` if the events cannot be read.
pub async fn events(
    context: &Context<'_>,
    batch: &DebateBatch,
    (debate, at): (DebateId, i64),
    page: &PageRequest,
    kinds: Option<&[String]>,
) -> Result<EventConnection> {
    let from = page.from.as_deref().map(|cursor| version(EVENT, cursor)).transpose()?;
    if let Some(kinds) = kinds {
        let mut all = batch.events(context, debate, EventRange::All).await?;
        all.retain(|event| kinds.contains(&event.stored.kind));
        let (cut, n) = (page.slice(&all, from, |event| event.version), all.len());
        let events = all.drain(cut.items).collect();
        return Ok(connection(events, cut.before, cut.has_next, n as i64));
    }
    let size = i64::from(page.size);
    let range = match page.toward {
        PageDirection::Older => EventRange::Behind(from.unwrap_or(0), size),
        PageDirection::Newer => EventRange::Before(from, size),
    };
    let events = batch.events(context, debate, range).await?;
    // A debate's versions have no gaps, so they show whether there are events before and after the page.
    let (before, behind) = match (events.first(), events.last()) {
        (Some(first), Some(last)) => (first.version > 1, last.version < at),
        _ => page.has_previous_and_next(false),
    };
    Ok(connection(events, before, behind, at))
}

fn connection(events: Vec<StoredEvent>, before: bool, behind: bool, total: i64) -> EventConnection {
    let edges: Vec<(String, Event)> =
        events.into_iter().map(|event| (cursor(EVENT, event.version), Event::from(event))).collect();
    let info = page_info(edges.iter().map(|entry| &entry.0), before, behind);
    EventConnection::new(edges, info, Some(total))
}

/// Checks that all requested event kinds exist.
///
/// # Errors
/// `INVALID` if a kind is unknown.
pub fn known_kinds(kinds: Option<Vec<String>>) -> Result<Option<Vec<String>>> {
    match kinds.iter().flatten().find_map(|kind| Inner::find_kind(kind).err()) {
        Some(unknown) => Err(invalid(&unknown.to_string())),
        None => Ok(kinds),
    }
}

const TURN: char = 't';
const EVENT: char = 'v';

fn cursor(of: char, version: i64) -> String {
    format!("{of}.{version}")
}

/// Decodes a cursor.
fn version(of: char, cursor: &str) -> Result<i64> {
    let digits = cursor.strip_prefix(of).and_then(|rest| rest.strip_prefix('.'));
    let canonical = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    canonical.and_then(|digits| digits.parse().ok()).ok_or_else(invalid_cursor)
}
