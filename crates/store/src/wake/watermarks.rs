//! Watermarks: the newest known positions of the log, and the followers to be woken.
//!
//! There are two sources: the writer, after each commit of this process, and the tail, which learns of commits of other
//! processes. A follower of the whole log waits for any lane. A follower of one debate waits for that debate alone, so
//! that a busy debate in the same lane costs it no statement.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::lanes::{Cursor, Heads, LANES, LaneRange, lane_of};
use faultline_core::events::ids::DebateId;

/// Number of positions of a lane that the tail scans at once for debates with waiting followers.
const SCOUT_PAGE: i64 = 20_000;
/// Maximum number of ranges that are remembered beyond a gap. If there are more, they are looked up.
const MAX_KNOWN: usize = 10_000;

/// Known growth of the log. All positions and versions only increase.
#[derive(Debug)]
pub struct Watermarks {
    heads: watch::Sender<Heads>,
    /// Newest positions of single debates that were read here. Kept apart from `heads`, because a poll that finds
    /// positions which no notification announced reveals a broken listener.
    shown: [AtomicI64; LANES as usize],
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    /// Positions up to which it is known which debates have grown, or no follower waited for any.
    looked_up: Heads,
    /// Ranges beyond them of which it is known too, by lane and first position, with the last one.
    known: BTreeMap<(i16, i64), i64>,
    /// Debates with waiting followers, and the newest known version of each.
    debates: HashMap<DebateId, watch::Sender<i64>>,
    /// Number of these debates in each lane.
    n_debates: [usize; LANES as usize],
}

/// Growth of a stream by one append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Growth {
    pub(crate) debate: DebateId,
    /// The stream's latest version after the append.
    pub(crate) version: i64,
    /// First and last position; all positions in between belong to the append.
    pub(crate) positions: (i64, i64),
}

impl Watermarks {
    /// Creates watermarks at these heads.
    pub(crate) fn new(heads: Heads) -> Arc<Self> {
        let waiting = Waiting { looked_up: heads, ..Waiting::default() };
        let shown = std::array::from_fn(|_| AtomicI64::new(0));
        Arc::new(Watermarks { heads: watch::Sender::new(heads), shown, waiting: Mutex::new(waiting) })
    }

    /// Returns the newest positions that clients of this process may have seen: announced or read.
    pub fn visible(&self) -> Heads {
        let mut told = self.heads();
        told.iter_mut().zip(&self.shown).for_each(|(head, shown)| *head = (*head).max(shown.load(Ordering::Acquire)));
        told
    }

    /// Records that a debate was read up to a position of its lane.
    pub(crate) fn mark_visible(&self, lane: i16, position: i64) {
        if let Some(shown) = self.shown.get(lane as usize) {
            shown.fetch_max(position, Ordering::AcqRel);
        }
    }

    /// Returns the newest known positions. The log itself may be further.
    pub fn heads(&self) -> Heads {
        *self.heads.borrow()
    }

    /// Returns a receiver that changes whenever a lane is known to have grown.
    pub fn watch(&self) -> watch::Receiver<Heads> {
        self.heads.subscribe()
    }

    /// Returns a watch that changes whenever the debate is known to have grown, for as long as the watch exists.
    pub fn watch_debate(self: &Arc<Self>, debate: DebateId) -> DebateWatch {
        let mut waiting = self.waiting();
        let Waiting { debates, n_debates, .. } = &mut *waiting;
        let sender = debates.entry(debate).or_insert_with(|| {
            n_debates[lane_of(debate) as usize] += 1;
            watch::Sender::new(0)
        });
        DebateWatch { versions: sender.subscribe(), debate, wakes: Arc::clone(self) }
    }

    /// Records heads of lanes; returns whether any was new.
    pub(crate) fn advance(&self, heads: impl IntoIterator<Item = (i16, i64)>) -> bool {
        let raise = |known: &mut Heads| {
            heads.into_iter().fold(false, |news, (lane, head)| {
                let grown = known.get_mut(lane as usize).filter(|known| head > **known).map(|known| *known = head);
                news | grown.is_some()
            })
        };
        self.heads.send_if_modified(raise)
    }

    /// Records a commit, its appends in order: first the debates, whose growth then need not be looked up, and after them
    /// the lanes.
    pub(crate) fn wrote(&self, growths: &[Growth]) {
        let mut ends: Vec<(i16, i64)> = Vec::new();
        let mut waiting = self.waiting();
        for growth in growths {
            let lane = lane_of(growth.debate);
            let (first, last) = growth.positions;
            waiting.know(lane, first, last);
            waiting.tell(growth.debate, growth.version);
            ends.push((lane, last));
        }
        drop(waiting);
        self.advance(ends);
    }

    /// Returns the ranges in which it must be looked up which debates have grown.
    pub(crate) fn ranges_to_look_up(&self) -> Vec<LaneRange> {
        let heads = self.heads();
        let mut waiting = self.waiting();
        for (lane, head) in heads.iter().enumerate() {
            if waiting.n_debates[lane] == 0 {
                waiting.looked_up[lane] = waiting.looked_up[lane].max(*head);
            }
        }
        (0..LANES).for_each(|lane| waiting.join(lane));
        Cursor::from_heads(waiting.looked_up).next_ranges(&heads, SCOUT_PAGE)
    }

    /// Records the result of such a lookup: debates and their latest versions.
    pub(crate) fn record_lookup(&self, stretches: &[LaneRange], found: &[(DebateId, i64)]) {
        let mut waiting = self.waiting();
        found.iter().for_each(|(debate, version)| waiting.tell(*debate, *version));
        for stretch in stretches {
            let looked_up = &mut waiting.looked_up[stretch.lane as usize];
            *looked_up = stretch.upto.max(*looked_up);
        }
        (0..LANES).for_each(|lane| waiting.join(lane));
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        // No operation under the lock can leave the data inconsistent, so a poisoned lock is safe to use.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    /// Records that it is known which debates have grown in a range.
    fn know(&mut self, lane: i16, first: i64, last: i64) {
        if self.known.len() < MAX_KNOWN {
            self.known.insert((lane, first), last);
        }
        self.join(lane);
    }

    /// Joins ranges of a lane to what was looked up, as far as there is no gap.
    fn join(&mut self, lane: i16) {
        let looked_up = &mut self.looked_up[lane as usize];
        while let Some((&place, &last)) = self.known.range((lane, i64::MIN)..=(lane, *looked_up + 1)).next() {
            self.known.remove(&place);
            *looked_up = last.max(*looked_up);
        }
    }

    fn tell(&mut self, debate: DebateId, version: i64) {
        if let Some(sender) = self.debates.get(&debate) {
            sender.send_if_modified(|known| std::mem::replace(known, version.max(*known)) < version);
        }
    }
}

/// A watch on the growth of one debate.
#[derive(Debug)]
pub struct DebateWatch {
    versions: watch::Receiver<i64>,
    debate: DebateId,
    wakes: Arc<Watermarks>,
}

impl DebateWatch {
    /// Returns the newest version known since the watch began; 0 if there was none.
    pub fn version(&self) -> i64 {
        *self.versions.borrow()
    }

    /// Waits until a version greater than this one is known. Cancel-safe.
    pub async fn beyond(&mut self, version: i64) {
        let heard = self.versions.wait_for(|heard| *heard > version).await;
        heard.expect("the sender exists for as long as there are watches");
    }
}

impl Drop for DebateWatch {
    fn drop(&mut self) {
        let mut waiting = self.wakes.waiting();
        let last = waiting.debates.get(&self.debate).is_some_and(|sender| sender.receiver_count() == 1);
        if last {
            waiting.debates.remove(&self.debate);
            waiting.n_debates[lane_of(self.debate) as usize] -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn debate(n: u128) -> DebateId {
        DebateId(Uuid::from_u128(n))
    }

    #[test]
    fn heads_only_grow() {
        let wakes = Watermarks::new(Heads::default());
        assert!(wakes.advance([(3, 7)]));
        assert!(!wakes.advance([(3, 5), (99, 5), (-1, 5)]), "older positions and unknown lanes must change nothing");
        assert_eq!(wakes.heads()[3], 7);
    }

    #[test]
    fn a_position_that_was_read_still_counts_as_news_when_announced() {
        let wakes = Watermarks::new(Heads::default());
        wakes.mark_visible(3, 7);
        wakes.mark_visible(3, 5);
        wakes.mark_visible(99, 1);
        assert_eq!((wakes.visible()[3], wakes.heads()[3]), (7, 0));
        assert!(wakes.advance([(3, 7)]));
        wakes.advance([(3, 9)]);
        assert_eq!(wakes.visible()[3], 9);
    }

    #[test]
    fn nothing_is_looked_up_while_no_follower_waits() {
        let wakes = Watermarks::new(Heads::default());
        let lane = lane_of(debate(1));
        wakes.advance([(lane, 5)]);
        assert_eq!(wakes.ranges_to_look_up(), []);
        let watch = wakes.watch_debate(debate(1));
        wakes.advance([(lane, 9)]);
        assert_eq!(wakes.ranges_to_look_up(), [LaneRange { lane, after: 5, upto: 9 }]);
        drop(watch);
        assert_eq!(wakes.ranges_to_look_up(), []);
    }

    #[test]
    fn gaps_between_own_commits_are_looked_up_but_the_commits_are_not() {
        let wakes = Watermarks::new(Heads::default());
        let lane = lane_of(debate(1));
        let watch = wakes.watch_debate(debate(1));
        wakes.wrote(&[Growth { debate: debate(1), version: 2, positions: (1, 2) }]);
        assert_eq!((watch.version(), wakes.ranges_to_look_up()), (2, vec![]));
        wakes.wrote(&[Growth { debate: debate(1), version: 3, positions: (4, 4) }]);
        assert_eq!((watch.version(), wakes.ranges_to_look_up()), (3, vec![LaneRange { lane, after: 2, upto: 4 }]));
        wakes.record_lookup(&wakes.ranges_to_look_up(), &[(debate(1), 2)]);
        assert_eq!((watch.version(), wakes.ranges_to_look_up()), (3, vec![]), "an older version must change nothing");
    }

    #[test]
    fn commits_that_are_announced_out_of_order_are_not_looked_up() {
        let wakes = Watermarks::new(Heads::default());
        let watch = wakes.watch_debate(debate(1));
        for (version, positions) in [(5, (4, 5)), (6, (6, 6)), (3, (1, 3))] {
            wakes.wrote(&[Growth { debate: debate(1), version, positions }]);
        }
        assert_eq!((watch.version(), wakes.ranges_to_look_up()), (6, vec![]));
        assert!(wakes.waiting().known.is_empty());
    }

    #[test]
    fn a_debate_is_removed_with_its_last_watch() {
        let wakes = Watermarks::new(Heads::default());
        let (one, two) = (wakes.watch_debate(debate(1)), wakes.watch_debate(debate(1)));
        drop(one);
        assert_eq!(wakes.waiting().debates.len(), 1);
        drop(two);
        let waiting = wakes.waiting();
        assert_eq!((waiting.debates.len(), waiting.n_debates), (0, [0; LANES as usize]));
    }
}
