//! Lanes, the strictly ordered partitions of the log, and the cursor that records a reader's position in each of them.

use std::fmt;
use std::str::FromStr;

use faultline_core::events::event::Recorded;
use faultline_core::events::ids::DebateId;

/// Number of lanes of the log. Fixed when a store is created: `migrations/0001_log.sql` creates them.
pub const LANES: i16 = 16;

/// Maximum length of a cursor's text, in bytes.
pub const MAX_CURSOR_BYTES: usize = 2 + LANES as usize * 17;

/// Position of the newest event of each lane.
pub type Heads = [i64; LANES as usize];

/// Returns the lane of a debate. The mapping must never change, because the lane is stored with every event.
pub fn lane_of(debate: DebateId) -> i16 {
    // Multiplicative hashing: every bit of the id affects the top bits of the product, which choose the lane.
    const GOLDEN: u128 = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835;
    let top = debate.0.as_u128().wrapping_mul(GOLDEN) >> 96;
    ((top * LANES as u128) >> 32) as i16
}

/// Position of a reader of the whole log: one position per lane. Its text form is opaque, URL-safe and versioned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    positions: Heads,
}

/// Set of lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneSet(u16);

impl LaneSet {
    /// The set of all lanes.
    pub const ALL: LaneSet = LaneSet(u16::MAX);

    /// Returns the set of the lanes whose bits are set; that of lane 0 is the lowest.
    pub fn from_bits(bits: u16) -> LaneSet {
        LaneSet(bits)
    }

    /// Returns the set as bits, as in [`LaneSet::from_bits`].
    pub fn bits(self) -> u16 {
        self.0
    }

    /// Returns whether the set contains a lane.
    pub fn contains(self, lane: i16) -> bool {
        (0..LANES).contains(&lane) && self.0 & (1 << lane) != 0
    }

    /// Returns whether the set contains no lane.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the heads of these lanes, and 0 for the others, so that no reader finds anything in them.
    pub fn mask(self, heads: &Heads) -> Heads {
        let mut masked = *heads;
        (0..LANES).filter(|lane| !self.contains(*lane)).for_each(|lane| masked[lane as usize] = 0);
        masked
    }
}

impl FromIterator<i16> for LaneSet {
    /// Collects lanes; numbers that are no lanes are ignored.
    fn from_iter<T: IntoIterator<Item = i16>>(lanes: T) -> LaneSet {
        let valid = lanes.into_iter().filter(|lane| (0..LANES).contains(lane));
        LaneSet(valid.fold(0, |set, lane| set | 1 << lane))
    }
}

/// Range of positions in one lane: `after` is exclusive, `upto` inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneRange {
    /// The lane.
    pub lane: i16,
    /// Position before the first event of the range.
    pub after: i64,
    /// Position of the last event of the range.
    pub upto: i64,
}

impl Cursor {
    /// Returns the cursor behind all events that these heads count.
    pub fn from_heads(heads: Heads) -> Self {
        Cursor { positions: heads }
    }

    /// Returns the position reached in a lane; 0 before its first event.
    pub fn position(&self, lane: i16) -> i64 {
        self.positions[lane as usize]
    }

    /// Sets the position reached in a lane.
    pub fn set(&mut self, lane: i16, position: i64) {
        self.positions[lane as usize] = position;
    }

    /// Advances the cursor past an event.
    pub fn advance(&mut self, recorded: &Recorded) {
        self.set(recorded.lane, recorded.position);
    }

    /// Returns the number of events between this cursor and the heads.
    pub fn lag(&self, heads: &Heads) -> i64 {
        self.positions.iter().zip(heads).map(|(at, head)| (head - at).max(0)).sum()
    }

    /// Plans the next read: at most `limit` events. If more are pending, they are divided fairly among the lanes so
    /// that no lane starves. Each lane with pending events gets at least one, whatever the limit.
    pub fn next_ranges(&self, heads: &Heads, limit: i64) -> Vec<LaneRange> {
        let waiting = |lane: &i16| heads[*lane as usize] - self.position(*lane);
        let mut lanes: Vec<i16> = (0..LANES).filter(|lane| waiting(lane) > 0).collect();
        lanes.sort_by_key(waiting);
        let mut left = limit.max(lanes.len() as i64);
        let mut stretches = Vec::with_capacity(lanes.len());
        for (ix, lane) in lanes.iter().enumerate() {
            let taken = waiting(lane).min(left / (lanes.len() - ix) as i64);
            left -= taken;
            stretches.push(LaneRange { lane: *lane, after: self.position(*lane), upto: self.position(*lane) + taken });
        }
        stretches
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("v1")?;
        self.positions.iter().try_for_each(|position| write!(f, ".{position:x}"))
    }
}

/// The error for a text that is not a cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a cursor of this log; pass one that the log returned, unchanged, or none to start at the beginning")]
pub struct ParseCursorError;

impl FromStr for Cursor {
    type Err = ParseCursorError;

    fn from_str(text: &str) -> Result<Self, ParseCursorError> {
        if text.len() > MAX_CURSOR_BYTES {
            return Err(ParseCursorError);
        }
        let mut fields = text.strip_prefix("v1.").ok_or(ParseCursorError)?.split('.');
        let mut positions = Heads::default();
        for position in &mut positions {
            *position = fields.next().and_then(counted).ok_or(ParseCursorError)?;
        }
        if fields.next().is_some() { Err(ParseCursorError) } else { Ok(Cursor { positions }) }
    }
}

/// Parses a count in hexadecimal digits, only in the form that `Display` writes, so that a position has exactly one
/// text.
fn counted(field: &str) -> Option<i64> {
    let canonical = field.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        && (field == "0" || !field.starts_with('0'));
    if canonical { i64::from_str_radix(field, 16).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn heads(some: &[(i16, i64)]) -> Heads {
        let mut heads = Heads::default();
        some.iter().for_each(|(lane, head)| heads[*lane as usize] = *head);
        heads
    }

    #[test]
    fn the_lane_of_a_debate_never_changes() {
        for (id, lane) in [
            ("00000000-0000-0000-0000-000000000000", 0),
            ("00000000-0000-0000-0000-000000000001", 9),
            ("0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b", 3),
            ("ffffffff-ffff-ffff-ffff-ffffffffffff", 6),
        ] {
            assert_eq!(lane_of(id.parse().expect("an id")), lane, "{id}");
        }
    }

    #[test]
    fn debates_are_spread_evenly_over_the_lanes() {
        let check = |ids: &mut dyn Iterator<Item = Uuid>| {
            let mut counts = [0; LANES as usize];
            ids.for_each(|id| counts[lane_of(DebateId(id)) as usize] += 1);
            assert!(counts.iter().all(|count| (400..=850).contains(count)), "{counts:?}");
        };
        check(&mut (0..10_000).map(|_| Uuid::now_v7()));
        check(&mut (0..10_000).map(|_| Uuid::new_v4()));
        check(&mut (0..10_000).map(Uuid::from_u128));
    }

    #[test]
    fn a_cursor_parses_back_to_the_same_value() {
        for heads in [heads(&[]), heads(&[(0, 1), (15, 255)]), [i64::MAX; LANES as usize]] {
            let text = Cursor::from_heads(heads).to_string();
            assert!(text.len() <= MAX_CURSOR_BYTES, "{} bytes", text.len());
            assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.'), "{text}");
            assert_eq!(text.parse(), Ok(Cursor::from_heads(heads)));
        }
        assert_eq!(Cursor::default().to_string(), "v1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0");
    }

    #[test]
    fn an_invalid_cursor_is_rejected() {
        let tail = ".0".repeat(15);
        for text in ["", "v1", "v2.0", "v1.0", "0.0"] {
            assert_eq!(text.parse::<Cursor>(), Err(ParseCursorError), "{text:?}");
        }
        for field in ["", "-1", "+1", "00", "01", "A", "g", " 1", "8000000000000000", "10000000000000000"] {
            assert_eq!(format!("v1.{field}{tail}").parse::<Cursor>(), Err(ParseCursorError), "{field:?}");
        }
        for end in [".0", ".", " ", &".0".repeat(100_000)] {
            assert_eq!(format!("v1.0{tail}{end}").parse::<Cursor>(), Err(ParseCursorError));
        }
    }

    #[test]
    fn heads_of_other_lanes_are_masked() {
        let some: LaneSet = [0, 2, 15, 16, -1].into_iter().collect();
        assert_eq!((0..LANES).filter(|lane| some.contains(*lane)).collect::<Vec<_>>(), [0, 2, 15]);
        assert_eq!(some.mask(&heads(&[(0, 3), (1, 4), (15, 5)])), heads(&[(0, 3), (15, 5)]));
        assert_eq!((0..LANES).collect::<LaneSet>(), LaneSet::ALL);
        assert!(LaneSet::default().is_empty() && !some.is_empty() && !some.contains(16));
    }

    #[test]
    fn a_page_is_divided_fairly_among_the_lanes() {
        let check = |at: &[(i16, i64)], to: &[(i16, i64)], limit, wanted: &[(i16, i64, i64)]| {
            let wanted: Vec<_> = wanted.iter().map(|&(lane, after, upto)| LaneRange { lane, after, upto }).collect();
            assert_eq!(Cursor::from_heads(heads(at)).next_ranges(&heads(to), limit), wanted);
        };
        check(&[], &[], 10, &[]);
        check(&[(2, 7)], &[(2, 7)], 10, &[]);
        check(&[(2, 9)], &[(2, 7)], 10, &[]);
        check(&[(2, 5)], &[(2, 7)], 10, &[(2, 5, 7)]);
        check(&[], &[(0, 100), (1, 2), (2, 100)], 12, &[(1, 0, 2), (0, 0, 5), (2, 0, 5)]);
        check(&[], &[(0, 100), (1, 2)], 101, &[(1, 0, 2), (0, 0, 99)]);
        check(&[], &[(0, 5), (1, 5), (2, 5)], 1, &[(0, 0, 1), (1, 0, 1), (2, 0, 1)]);
    }
}
