//! Where debates stand, to be kept elsewhere: a chain alone cannot show that its newest events were cut off.

use std::fmt::{self, Write};
use std::str::FromStr;

use crate::events::ids::DebateId;
use crate::store::fault::Fault;
use crate::store::lanes::lane_of;
use crate::store::log::Log;

/// Bytes of a hash.
const HASH_BYTES: usize = 32;
/// Heads that are compared by one statement at most; the work goes on in further ones.
const AT_ONCE: usize = 5_000;

/// The version at which a debate stood, and the hash there. As text `debate version hash`, the hash in hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The debate.
    pub debate: DebateId,
    /// Its newest version then, from 1.
    pub version: i64,
    /// The hash of the event of that version: it covers all events up to it.
    pub hash: Vec<u8>,
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ", self.debate, self.version)?;
        self.hash.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A line that is no head.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a head is a debate's id, a version from 1 and 64 hexadecimal digits, with one space between them")]
pub struct NoHead;

impl FromStr for Head {
    type Err = NoHead;

    fn from_str(line: &str) -> Result<Self, NoHead> {
        let mut fields = line.split(' ');
        let mut field = || fields.next().ok_or(NoHead);
        let debate = field()?.parse().map_err(|_| NoHead)?;
        let version = field()?.parse().ok().filter(|it| *it > 0).ok_or(NoHead)?;
        let hash = bytes(field()?).filter(|it| it.len() == HASH_BYTES).ok_or(NoHead)?;
        if fields.next().is_some() { Err(NoHead) } else { Ok(Head { debate, version, hash }) }
    }
}

/// The bytes that these hexadecimal digits stand for.
fn bytes(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2).map(|pair| match pair {
        [high, low] => {
            let digit = |it: &u8| char::from(*it).to_digit(16);
            u8::try_from(digit(high)? * 16 + digit(low)?).ok()
        }
        _ => None,
    });
    pairs.collect()
}

/// What has become of a head that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// The debate has this event still, whether or not it has gone on since.
    Same,
    /// The debate stands at an older version by now, at 0 where there is nothing of it: what came after it was cut off.
    CutOff {
        /// The version.
        stands: i64,
    },
    /// Another event has its place.
    Rewritten,
    /// It lies in the middle of what is there, and is missing.
    Missing,
}

impl Log {
    /// What has become of heads, in their order.
    ///
    /// # Errors
    /// The database's.
    pub async fn kept(&self, heads: &[Head]) -> Result<Vec<Kept>, Fault> {
        let mut kept = Vec::with_capacity(heads.len());
        for heads in heads.chunks(AT_ONCE) {
            let rows: Vec<(Option<Vec<u8>>, i64)> = sqlx::query_as(
                "select e.hash, coalesce(newest.version, 0)
                from unnest($1::smallint[], $2::uuid[], $3::bigint[])
                    with ordinality as k (lane, debate_id, version, place)
                left join events e using (lane, debate_id, version)
                left join lateral (
                    select version
                    from events
                    where events.lane = k.lane
                    and events.debate_id = k.debate_id
                    order by version desc
                    limit 1
                ) as newest on true
                order by k.place",
            )
            .bind(heads.iter().map(|it| lane_of(it.debate)).collect::<Vec<_>>())
            .bind(heads.iter().map(|it| it.debate.0).collect::<Vec<_>>())
            .bind(heads.iter().map(|it| it.version).collect::<Vec<_>>())
            .fetch_all(self.pool())
            .await
            .map_err(Fault::database("compare heads that were kept"))?;
            kept.extend(heads.iter().zip(rows).map(|(head, (hash, stands))| match hash {
                Some(hash) if hash == head.hash => Kept::Same,
                Some(_) => Kept::Rewritten,
                None if stands > head.version => Kept::Missing,
                None => Kept::CutOff { stands },
            }));
        }
        Ok(kept)
    }
}

/// A hash for people: its first digits.
pub fn short(hash: &[u8]) -> String {
    hash.iter().take(4).fold(String::new(), |mut text, byte| {
        // Writing to a text cannot fail.
        let _written = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_head_reads_back_as_written_and_nothing_else_is_one() {
        let head = Head { debate: DebateId(Uuid::from_u128(7)), version: 12, hash: (0..32).map(|it| it * 8).collect() };
        let line = head.to_string();
        assert!(line.starts_with("00000000-0000-0000-0000-000000000007 12 000810"), "{line}");
        assert_eq!(line.parse(), Ok(head));
        let broken = [
            String::new(),
            line.replace(' ', "  "),
            line.replace(" 12 ", " 0 "),
            line.replace(" 12 ", " -1 "),
            line.replace("0008", "00"),
            line.replace("0008", "0g08"),
            format!("{line}00"),
            format!("{line} "),
            format!("x{line}"),
        ];
        for line in broken {
            assert_eq!(line.parse::<Head>(), Err(NoHead), "{line}");
        }
    }
}
