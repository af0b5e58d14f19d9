//! In-memory cache of the events that this process has just written, so that its followers need not query the database
//! for them.
//!
//! Of each lane only the newest events are kept, without a gap. A follower reads the log instead if it starts late, is
//! slow, or if another process wrote in between.

use std::collections::VecDeque;
use std::mem::take;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::lanes::{LANES, LaneRange, lane_of};
use crate::log::append::{AppendOutcome, AppendRow, Request};
use crate::log::stored_event::StoredEvent;
use faultline_core::events::ids::DebateId;

/// Age after which an event is no longer returned. Short, because this cache is not notified of debates that another
/// process erases.
const FRESH: Duration = Duration::from_secs(1);
/// Maximum size of the bodies kept per lane: 256 KiB.
const MAX_LANE_BYTES: usize = 256 << 10;

/// Newest events of each lane, as far as this process wrote them.
#[derive(Debug, Default)]
pub(crate) struct RecentEvents {
    lanes: [Mutex<Lane>; LANES as usize],
}

/// Events with consecutive positions.
#[derive(Debug, Default)]
struct Lane {
    events: VecDeque<(Instant, Arc<StoredEvent>)>,
    bytes: usize,
}

impl RecentEvents {
    /// Adds the events that an append recorded, and takes them out of the request. Call it before any follower is woken
    /// for them.
    pub(crate) fn record(&self, now: Instant, request: &mut Request, outcome: &AppendOutcome) {
        let AppendOutcome::Appended { version, position, at } = *outcome else { return };
        let (debate, lane) = (request.debate, lane_of(request.debate));
        let kept = |(line, ix): (AppendRow, i64)| StoredEvent {
            lane,
            position: position + ix,
            debate,
            version: version + ix,
            id: line.id,
            caused_by: line.caused_by,
            at,
            erased: false,
            stored: line.into_plain(),
        };
        let mut lane = self.lane(lane);
        take(&mut request.events).into_iter().zip(0..).map(kept).for_each(|event| lane.push(now, event));
    }

    /// Returns at most `limit` events of a debate after a version; `None` if the next event is not cached.
    pub(crate) fn of_debate(
        &self,
        now: Instant,
        debate: DebateId,
        after: i64,
        limit: i64,
    ) -> Option<Vec<Arc<StoredEvent>>> {
        let lane = self.lane(lane_of(debate));
        // Backwards from the newest, which is what followers wait for.
        let mut found = Vec::new();
        for (since, event) in lane.events.iter().rev().filter(|(_, event)| event.debate == debate) {
            if event.version <= after || now.duration_since(*since) > FRESH {
                break;
            }
            found.push(Arc::clone(event));
        }
        found.reverse();
        found.truncate(usize::try_from(limit).unwrap_or_default());
        found.first().is_some_and(|event| event.version == after + 1).then_some(found)
    }

    /// Returns the events of these ranges; `None` if any of them is not cached.
    pub(crate) fn of_lanes(&self, now: Instant, stretches: &[LaneRange]) -> Option<Vec<Arc<StoredEvent>>> {
        let mut found = Vec::new();
        for LaneRange { lane, after, upto } in stretches {
            let lane = self.lane(*lane);
            for position in after + 1..=*upto {
                let (since, event) = lane.at(position)?;
                if now.duration_since(*since) > FRESH {
                    return None;
                }
                found.push(Arc::clone(event));
            }
        }
        Some(found)
    }

    /// Removes expired events, also of lanes that are no longer written to.
    pub(crate) fn expire(&self, now: Instant) {
        (0..LANES).for_each(|lane| self.lane(lane).expire(now));
    }

    /// Removes an erased debate by clearing its lane.
    pub(crate) fn forget(&self, debate: DebateId) {
        *self.lane(lane_of(debate)) = Lane::default();
    }

    fn lane(&self, lane: i16) -> MutexGuard<'_, Lane> {
        // No operation under the lock can leave the lane in an inconsistent state.
        self.lanes[lane as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lane {
    fn push(&mut self, now: Instant, event: StoredEvent) {
        if self.events.back().is_some_and(|(_, last)| last.position + 1 != event.position) {
            *self = Lane::default();
        }
        self.bytes += event.stored.body.len();
        self.events.push_back((now, Arc::new(event)));
        while self.bytes > MAX_LANE_BYTES {
            self.drop_oldest();
        }
        self.expire(now);
    }

    fn expire(&mut self, now: Instant) {
        while self.events.front().is_some_and(|(since, _)| now.duration_since(*since) > FRESH) {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        if let Some((_, event)) = self.events.pop_front() {
            self.bytes -= event.stored.body.len();
        }
    }

    fn at(&self, position: i64) -> Option<&(Instant, Arc<StoredEvent>)> {
        let first = self.events.front()?.1.position;
        self.events.get(usize::try_from(position - first).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use chrono::Utc;
    use tokio::sync::oneshot;
    use uuid::Uuid;

    use super::*;
    use faultline_core::events::wire::EncodedEvent;

    fn debate(n: u128) -> DebateId {
        DebateId(Uuid::from_u128(n))
    }

    /// Records events with these bodies, the first one at the given version and position.
    fn wrote(fresh: &RecentEvents, now: Instant, debate: DebateId, version: i64, position: i64, bodies: &[&str]) {
        let line = |body: &&str| AppendRow {
            id: Uuid::new_v4(),
            caused_by: None,
            stored: EncodedEvent { kind: "turn_taken".into(), schema: 1, body: b"sealed".to_vec() },
            plain: Some(body.as_bytes().to_vec()),
        };
        let (events, reply) = (bodies.iter().map(line).collect(), oneshot::channel().0);
        let mut request =
            Request { debate, expected: 0, fence: None, actor: None, events, bytes: 0, new_key: None, reply };
        fresh.record(now, &mut request, &AppendOutcome::Appended { version, position, at: Utc::now() });
    }

    fn bodies(found: Option<Vec<Arc<StoredEvent>>>) -> Option<Vec<String>> {
        let body = |event: &Arc<StoredEvent>| String::from_utf8(event.stored.body.clone()).expect("a text");
        found.map(|events| events.iter().map(body).collect())
    }

    fn some(bodies: &[&str]) -> Option<Vec<String>> {
        Some(bodies.iter().map(|body| (*body).to_owned()).collect())
    }

    /// Returns two debates of the same lane.
    fn neighbours() -> (DebateId, DebateId) {
        let other =
            (2..).map(debate).find(|candidate| lane_of(*candidate) == lane_of(debate(1))).expect("there are many");
        (debate(1), other)
    }

    #[test]
    fn a_follower_receives_the_next_events_with_plain_bodies() {
        let (fresh, now) = (RecentEvents::default(), Instant::now());
        let (one, other) = neighbours();
        wrote(&fresh, now, one, 4, 20, &["a", "b"]);
        wrote(&fresh, now, other, 1, 22, &["x"]);
        wrote(&fresh, now, one, 6, 23, &["c"]);
        for (after, limit, handed) in [
            (3, 10, some(&["a", "b", "c"])),
            (3, 2, some(&["a", "b"])),
            (4, 10, some(&["b", "c"])),
            (5, 10, some(&["c"])),
            (2, 10, None),
            (6, 10, None),
        ] {
            assert_eq!(bodies(fresh.of_debate(now, one, after, limit)), handed, "{limit} after {after}");
        }
        let lane = lane_of(one);
        for (after, upto, handed) in [
            (19, 23, some(&["a", "b", "x", "c"])),
            (20, 22, some(&["b", "x"])),
            (22, 23, some(&["c"])),
            (18, 23, None),
            (22, 24, None),
            (25, 26, None),
        ] {
            assert_eq!(bodies(fresh.of_lanes(now, &[LaneRange { lane, after, upto }])), handed, "{after} to {upto}");
        }
        let elsewhere = LaneRange { lane: (lane + 1) % LANES, after: 0, upto: 1 };
        assert_eq!(
            fresh.of_lanes(now, &[LaneRange { lane, after: 22, upto: 23 }, elsewhere]),
            None,
            "all ranges are returned, or none"
        );
    }

    #[test]
    fn no_events_are_returned_across_a_gap_written_by_another_process() {
        let (fresh, now) = (RecentEvents::default(), Instant::now());
        wrote(&fresh, now, debate(1), 1, 10, &["a"]);
        wrote(&fresh, now, debate(1), 3, 12, &["c"]);
        assert_eq!(bodies(fresh.of_debate(now, debate(1), 0, 10)), None);
        assert_eq!(bodies(fresh.of_debate(now, debate(1), 2, 10)), some(&["c"]));
        let lane = lane_of(debate(1));
        assert_eq!(fresh.of_lanes(now, &[LaneRange { lane, after: 9, upto: 12 }]), None);
    }

    #[test]
    fn only_recent_events_up_to_a_size_are_kept() {
        let (fresh, now) = (RecentEvents::default(), Instant::now());
        let long = "x".repeat(MAX_LANE_BYTES / 2);
        wrote(&fresh, now, debate(1), 1, 1, &[&long, "b", &long]);
        assert_eq!(fresh.of_debate(now, debate(1), 0, 10), None);
        assert_eq!(bodies(fresh.of_debate(now, debate(1), 1, 1)), some(&["b"]));
        wrote(&fresh, now, debate(1), 4, 4, &[&long.repeat(3)]);
        assert_eq!(
            (fresh.of_debate(now, debate(1), 3, 1), fresh.lane(lane_of(debate(1))).bytes),
            (None, 0),
            "too long to keep"
        );
        wrote(&fresh, now, debate(1), 5, 5, &["e"]);
        let later = now + FRESH * 2;
        assert_eq!(bodies(fresh.of_debate(now, debate(1), 4, 1)), some(&["e"]));
        assert_eq!(fresh.of_debate(later, debate(1), 4, 1), None);
        let lane = lane_of(debate(1));
        assert_eq!(fresh.of_lanes(later, &[LaneRange { lane, after: 4, upto: 5 }]), None);
        fresh.expire(later);
        assert_eq!(fresh.lane(lane).events.len(), 0);
        wrote(&fresh, now, debate(1), 6, 6, &["f"]);
        assert_eq!(bodies(fresh.of_debate(now, debate(1), 5, 1)), some(&["f"]));
        fresh.forget(debate(1));
        assert_eq!(fresh.of_debate(now, debate(1), 5, 1), None);
    }
}
