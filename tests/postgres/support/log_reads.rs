//! Reads of the log, and waits for events in it.

use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::DebateId;
use faultline_store::follow::follower::Follower;
use faultline_store::follow::log_tail::Tail;
use faultline_store::log::log::Log;

use crate::support::waiting::with_timeout;

/// Reads all events of a debate.
pub async fn read_all_events(log: &Log, debate: DebateId) -> Vec<Recorded> {
    log.read(debate, 0, faultline_store::log::log::MAX_PAGE).await.expect("read")
}

/// Waits for an event of a debate that satisfies `is_such`; returns all events up to it.
pub async fn wait_for_event(
    log: &Log,
    tail: &Tail,
    debate: DebateId,
    is_such: impl Fn(&Event) -> bool,
) -> Vec<Recorded> {
    let mut follower = Follower::of_debate(log, tail, debate, 0);
    let mut events = Vec::new();
    with_timeout(&format!("debate {debate}"), async {
        loop {
            for recorded in follower.next().await.expect("read") {
                let found = is_such(&recorded.event);
                events.push(recorded);
                if found {
                    return;
                }
            }
        }
    })
    .await;
    events
}

/// Waits until a debate has ended; returns all its events.
pub async fn wait_for_end(log: &Log, tail: &Tail, debate: DebateId) -> Vec<Recorded> {
    wait_for_event(log, tail, debate, |event| matches!(event, Event::DebateConcluded(_) | Event::DebateAborted(_)))
        .await
}
