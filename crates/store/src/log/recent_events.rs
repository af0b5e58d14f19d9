//! In-memory cache of the events that this process has just written, or just read for one of its followers, so that the
//! others need not query the database for them.
//!
//! Of each lane only the newest events are kept, possibly with gaps, where other processes wrote. A follower reads the log
//! instead if it starts late or is slow.

use std::collections::BTreeMap;
use std::mem::take;
use std::sync::atomic::{AtomicU64, Ordering};
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

/// Newest events of each lane, as far as this process wrote or read them.
#[derive(Debug, Default)]
pub(crate) struct RecentEvents {
    lanes: [Mutex<Lane>; LANES as usize],
    /// Number of debates removed because they were erased.
    n_forgotten: AtomicU64,
    /// Held by the reader that reads for all.
    reading: tokio::sync::Mutex<()>,
}

/// Events of a lane by position.
#[derive(Debug, Default)]
struct Lane {
    events: BTreeMap<i64, (Instant, Arc<StoredEvent>)>,
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
        take(&mut request.events).into_iter().zip(0..).map(kept).for_each(|event| lane.add(now, Arc::new(event)));
    }

    /// Adds events that were read from the log, except those of erased debates. Nothing is added if a debate was erased
    /// since the read began, as told by [`RecentEvents::n_forgotten`].
    pub(crate) fn record_read(&self, now: Instant, began: u64, events: &[Arc<StoredEvent>]) {
        for event in events.iter().filter(|event| !event.erased) {
            let mut lane = self.lane(event.lane);
            if self.n_forgotten() != began {
                return;
            }
            lane.add(now, Arc::clone(event));
        }
    }

    /// Returns the number of debates that were removed because they were erased.
    pub(crate) fn n_forgotten(&self) -> u64 {
        self.n_forgotten.load(Ordering::Acquire)
    }

    /// Returns the lock of the reader that reads for all.
    pub(crate) fn reading(&self) -> &tokio::sync::Mutex<()> {
        &self.reading
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
        for (since, event) in lane.events.values().rev().filter(|(_, event)| event.debate == debate) {
            if event.version <= after || now.duration_since(*since) > FRESH {
                break;
            }
            found.push(Arc::clone(event));
        }
        found.reverse();
        // Up to the first gap, and none if that is before the first of them.
        let n_next = found.iter().zip(after + 1..).take_while(|(event, next)| event.version == *next).count();
        found.truncate(n_next.min(usize::try_from(limit).unwrap_or_default()));
        (!found.is_empty()).then_some(found)
    }

    /// Returns the parts of these ranges that are not cached.
    pub(crate) fn missing(&self, now: Instant, stretches: &[LaneRange]) -> Vec<LaneRange> {
        let mut missing: Vec<LaneRange> = Vec::new();
        for LaneRange { lane, after, upto } in stretches.iter().copied() {
            let kept = self.lane(lane);
            for position in after + 1..=upto {
                if kept.at(now, position).is_some() {
                    continue;
                }
                match missing.last_mut().filter(|last| last.lane == lane && last.upto + 1 == position) {
                    Some(last) => last.upto = position,
                    None => missing.push(LaneRange { lane, after: position - 1, upto: position }),
                }
            }
        }
        missing
    }

    /// Returns the events of these ranges; `None` if any of them is not cached.
    pub(crate) fn of_lanes(&self, now: Instant, stretches: &[LaneRange]) -> Option<Vec<Arc<StoredEvent>>> {
        let mut found = Vec::new();
        for LaneRange { lane, after, upto } in stretches {
            let lane = self.lane(*lane);
            for position in after + 1..=*upto {
                found.push(Arc::clone(lane.at(now, position)?));
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
        let mut lane = self.lane(lane_of(debate));
        self.n_forgotten.fetch_add(1, Ordering::AcqRel);
        *lane = Lane::default();
    }

    fn lane(&self, lane: i16) -> MutexGuard<'_, Lane> {
        // No operation under the lock can leave the lane in an inconsistent state.
        self.lanes[lane as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lane {
    /// Adds an event, unless it is there already. The oldest ones make room for it.
    fn add(&mut self, now: Instant, event: Arc<StoredEvent>) {
        let (position, size) = (event.position, event.stored.body.len());
        if self.events.contains_key(&position) {
            return;
        }
        self.bytes += size;
        self.events.insert(position, (now, event));
        while self.bytes > MAX_LANE_BYTES {
            self.drop_oldest();
        }
        self.expire(now);
    }

    fn expire(&mut self, now: Instant) {
        while self.events.first_key_value().is_some_and(|(_, (since, _))| now.duration_since(*since) > FRESH) {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        if let Some((_, (_, event))) = self.events.pop_first() {
            self.bytes -= event.stored.body.len();
        }
    }

    fn at(&self, now: Instant, position: i64) -> Option<&Arc<StoredEvent>> {
        let (since, event) = self.events.get(&position)?;
        (now.duration_since(*since) <= FRESH).then_some(event)
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
        assert_eq!(bodies(fresh.of_debate(now, debate(1), 0, 10)), some(&["a"]), "only what is before the gap");
        assert_eq!(bodies(fresh.of_debate(now, debate(1), 1, 10)), None);
        assert_eq!(bodies(fresh.of_debate(now, debate(1), 2, 10)), some(&["c"]));
        let (lane, all) = (lane_of(debate(1)), LaneRange { lane: lane_of(debate(1)), after: 9, upto: 12 });
        assert_eq!(fresh.of_lanes(now, &[all]), None);
        assert_eq!(fresh.missing(now, &[all]), [LaneRange { lane, after: 10, upto: 11 }]);
    }

    #[test]
    fn events_that_were_read_are_kept_once_and_never_after_an_erasure() {
        let (fresh, now) = (RecentEvents::default(), Instant::now());
        wrote(&fresh, now, debate(1), 1, 10, &["a", "b"]);
        let read: Vec<Arc<StoredEvent>> =
            fresh.of_debate(now, debate(1), 0, 10).expect("events").iter().map(Arc::clone).collect();
        let later = |event: &Arc<StoredEvent>| {
            let (version, position) = (event.version + 2, event.position + 2);
            Arc::new(StoredEvent { version, position, ..StoredEvent::clone(event) })
        };
        let next: Vec<Arc<StoredEvent>> = read.iter().map(later).collect();
        fresh.record_read(now, 0, &read);
        fresh.record_read(now, 0, &next);
        assert_eq!(bodies(fresh.of_debate(now, debate(1), 0, 10)), some(&["a", "b", "a", "b"]));
        let gone = StoredEvent { position: 14, version: 5, erased: true, ..StoredEvent::clone(&next[0]) };
        fresh.record_read(now, 0, &[Arc::new(gone)]);
        assert_eq!(fresh.of_debate(now, debate(1), 4, 10), None, "erased events are not kept");
        fresh.forget(debate(1));
        fresh.record_read(now, 0, &read);
        assert_eq!(fresh.of_debate(now, debate(1), 0, 10), None, "the read began before the erasure");
        fresh.record_read(now, fresh.n_forgotten(), &read);
        assert_eq!(bodies(fresh.of_debate(now, debate(1), 0, 10)), some(&["a", "b"]));
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
