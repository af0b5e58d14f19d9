//! Heads of debates, exported to be kept outside the database: a hash chain alone cannot show that its newest events
//! were cut off.

use std::fmt::{self, Write};
use std::str::FromStr;

use sqlx::PgPool;

use crate::error::StoreError;
use crate::lanes::lane_of;
use crate::log::log::Log;
use faultline_core::events::ids::DebateId;

/// Length of a hash in bytes.
const HASH_BYTES: usize = 32;
/// Maximum number of heads compared by one statement; more heads take further statements.
const MAX_AT_ONCE: usize = 5_000;

/// Version of a debate and the hash of its event at that version. As text: `debate version hash`, the hash in
/// hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Id of the debate.
    pub debate: DebateId,
    /// Newest version at the time of the export, from 1.
    pub version: i64,
    /// Hash of the event at that version; it covers all events up to it.
    pub hash: Vec<u8>,
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ", self.debate, self.version)?;
        self.hash.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Error for a line that is not a head.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a head: expected a debate's id, a version from 1 and 64 hexadecimal digits, separated by single spaces")]
pub struct ParseHeadError;

impl FromStr for Head {
    type Err = ParseHeadError;

    fn from_str(line: &str) -> Result<Self, ParseHeadError> {
        let mut fields = line.split(' ');
        let mut field = || fields.next().ok_or(ParseHeadError);
        let debate = field()?.parse().map_err(|_| ParseHeadError)?;
        let version = field()?.parse().ok().filter(|version| *version > 0).ok_or(ParseHeadError)?;
        let hash = bytes(field()?).filter(|hash| hash.len() == HASH_BYTES).ok_or(ParseHeadError)?;
        if fields.next().is_some() { Err(ParseHeadError) } else { Ok(Head { debate, version, hash }) }
    }
}

/// Decodes hexadecimal digits; `None` if there is an odd number or another character.
fn bytes(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2).map(|pair| match pair {
        [high, low] => {
            let digit = |letter: &u8| char::from(*letter).to_digit(16);
            u8::try_from(digit(high)? * 16 + digit(low)?).ok()
        }
        _ => None,
    });
    pairs.collect()
}

/// Result of comparing an exported head with the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeadCheck {
    /// The debate still contains the event; it may have grown since.
    Same,
    /// The debate is at an older version (0 if it has no events): later events were cut off.
    CutOff {
        /// Current version of the debate.
        stands: i64,
    },
    /// Another event is at this version.
    Rewritten,
    /// The event is missing, although the debate has later ones.
    Missing,
}

impl Log {
    /// Compares heads with the log and returns the results in the same order.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn check_heads(&self, heads: &[Head]) -> Result<Vec<HeadCheck>, StoreError> {
        let mut kept = Vec::with_capacity(heads.len());
        for heads in heads.chunks(MAX_AT_ONCE) {
            let mut checks = vec![HeadCheck::Missing; heads.len()];
            for group in self.shards().grouped(heads, |head| lane_of(head.debate)) {
                let found = check_heads_on(group.pool, &group.of(heads)).await?;
                group.place(found, &mut checks);
            }
            kept.extend(checks);
        }
        Ok(kept)
    }
}

/// Compares heads with the log on the server that holds their lanes.
async fn check_heads_on(pool: &PgPool, heads: &[Head]) -> Result<Vec<HeadCheck>, StoreError> {
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
    .bind(heads.iter().map(|head| lane_of(head.debate)).collect::<Vec<_>>())
    .bind(heads.iter().map(|head| head.debate.0).collect::<Vec<_>>())
    .bind(heads.iter().map(|head| head.version).collect::<Vec<_>>())
    .fetch_all(pool)
    .await
    .map_err(StoreError::database("compare heads with the log"))?;
    let check = |(head, (hash, stands)): (&Head, (Option<Vec<u8>>, i64))| match hash {
        Some(hash) if hash == head.hash => HeadCheck::Same,
        Some(_) => HeadCheck::Rewritten,
        None if stands > head.version => HeadCheck::Missing,
        None => HeadCheck::CutOff { stands },
    };
    Ok(heads.iter().zip(rows).map(check).collect())
}

/// Formats the first digits of a hash for display.
pub fn short(hash: &[u8]) -> String {
    hash.iter().take(4).fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _written = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_head_round_trips_as_text_and_other_lines_are_rejected() {
        let head =
            Head { debate: DebateId(Uuid::from_u128(7)), version: 12, hash: (0..32).map(|index| index * 8).collect() };
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
            assert_eq!(line.parse::<Head>(), Err(ParseHeadError), "{line}");
        }
    }
}
