//! Lanes: the log in parts, each in strict order; and the cursor that keeps one's place in all of them.

use std::fmt;
use std::str::FromStr;

use crate::events::event::Recorded;
use crate::events::ids::DebateId;

/// How many lanes the log has. Fixed when a store is made: `migrations/0001_log.sql` creates them.
pub const LANES: i16 = 16;

/// Bytes of a cursor's text at most.
pub const CURSOR_BYTES: usize = 2 + LANES as usize * 17;

/// The position of each lane's newest event.
pub type Heads = [i64; LANES as usize];

/// The lane in which a debate lives. The same for ever: it is stored with every event.
pub fn lane_of(debate: DebateId) -> i16 {
    // Multiplicative hashing: every bit of the id moves the top bits of the product, which choose the lane.
    const GOLDEN: u128 = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835;
    let top = debate.0.as_u128().wrapping_mul(GOLDEN) >> 96;
    ((top * LANES as u128) >> 32) as i16
}

/// Where a reader of the whole log stands: a position in each lane. As text it is opaque, fit for a URL, and versioned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    positions: Heads,
}

/// A part of a lane: what lies after one position, up to and with another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The lane.
    pub lane: i16,
    /// The position before the first.
    pub after: i64,
    /// The last position.
    pub upto: i64,
}

impl Cursor {
    /// Behind everything that these heads count.
    pub fn at(heads: Heads) -> Self {
        Cursor { positions: heads }
    }

    /// The position reached in a lane; 0 before its first event.
    pub fn position(&self, lane: i16) -> i64 {
        self.positions[lane as usize]
    }

    /// Moves to a position of a lane.
    pub(crate) fn set(&mut self, lane: i16, position: i64) {
        self.positions[lane as usize] = position;
    }

    /// Steps behind an event.
    pub fn pass(&mut self, recorded: &Recorded) {
        self.set(recorded.lane, recorded.position);
    }

    /// How many events lie between here and the heads.
    pub fn behind(&self, heads: &Heads) -> i64 {
        self.positions.iter().zip(heads).map(|(at, head)| (head - at).max(0)).sum()
    }

    /// What to read next: at most `limit` events, and where that is fewer than there are, each lane its fair share, so
    /// that none waits for another. At least one event a lane, whatever the limit.
    pub fn share(&self, heads: &Heads, limit: i64) -> Vec<Stretch> {
        let waiting = |lane: &i16| heads[*lane as usize] - self.position(*lane);
        let mut lanes: Vec<i16> = (0..LANES).filter(|lane| waiting(lane) > 0).collect();
        lanes.sort_by_key(waiting);
        let mut left = limit.max(lanes.len() as i64);
        let mut stretches = Vec::with_capacity(lanes.len());
        for (ix, lane) in lanes.iter().enumerate() {
            let taken = waiting(lane).min(left / (lanes.len() - ix) as i64);
            left -= taken;
            stretches.push(Stretch { lane: *lane, after: self.position(*lane), upto: self.position(*lane) + taken });
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

/// A text that is no cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is not a cursor of this log; pass back one that it gave, unchanged, or none to begin at the beginning")]
pub struct NoCursor;

impl FromStr for Cursor {
    type Err = NoCursor;

    fn from_str(text: &str) -> Result<Self, NoCursor> {
        if text.len() > CURSOR_BYTES {
            return Err(NoCursor);
        }
        let mut fields = text.strip_prefix("v1.").ok_or(NoCursor)?.split('.');
        let mut positions = Heads::default();
        for position in &mut positions {
            *position = fields.next().and_then(counted).ok_or(NoCursor)?;
        }
        if fields.next().is_some() { Err(NoCursor) } else { Ok(Cursor { positions }) }
    }
}

/// A count in hexadecimal digits, written as `Display` writes it and not otherwise: a place has one text.
fn counted(field: &str) -> Option<i64> {
    let canonical =
        field.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f')) && (field == "0" || !field.starts_with('0'));
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
    fn a_debate_never_changes_its_lane() {
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
    fn debates_spread_over_the_lanes() {
        let check = |ids: &mut dyn Iterator<Item = Uuid>| {
            let mut counts = [0; LANES as usize];
            ids.for_each(|id| counts[lane_of(DebateId(id)) as usize] += 1);
            assert!(counts.iter().all(|it| (400..=850).contains(it)), "{counts:?}");
        };
        check(&mut (0..10_000).map(|_| Uuid::now_v7()));
        check(&mut (0..10_000).map(|_| Uuid::new_v4()));
        check(&mut (0..10_000).map(Uuid::from_u128));
    }

    #[test]
    fn a_cursor_reads_back_as_written() {
        for heads in [heads(&[]), heads(&[(0, 1), (15, 255)]), [i64::MAX; LANES as usize]] {
            let text = Cursor::at(heads).to_string();
            assert!(text.len() <= CURSOR_BYTES, "{} bytes", text.len());
            assert!(text.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'.'), "{text}");
            assert_eq!(text.parse(), Ok(Cursor::at(heads)));
        }
        assert_eq!(Cursor::default().to_string(), "v1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0");
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        let tail = ".0".repeat(15);
        for text in ["", "v1", "v2.0", "v1.0", "0.0"] {
            assert_eq!(text.parse::<Cursor>(), Err(NoCursor), "{text:?}");
        }
        for field in ["", "-1", "+1", "00", "01", "A", "g", " 1", "8000000000000000", "10000000000000000"] {
            assert_eq!(format!("v1.{field}{tail}").parse::<Cursor>(), Err(NoCursor), "{field:?}");
        }
        for end in [".0", ".", " ", &".0".repeat(100_000)] {
            assert_eq!(format!("v1.0{tail}{end}").parse::<Cursor>(), Err(NoCursor));
        }
    }

    #[test]
    fn a_page_is_shared_fairly() {
        let check = |at: &[(i16, i64)], to: &[(i16, i64)], limit, wanted: &[(i16, i64, i64)]| {
            let wanted: Vec<_> = wanted.iter().map(|&(lane, after, upto)| Stretch { lane, after, upto }).collect();
            assert_eq!(Cursor::at(heads(at)).share(&heads(to), limit), wanted);
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
