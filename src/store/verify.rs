//! Proof that nothing was altered: the chain of each stream computed again, and each lane counted through.
//!
//! A chain shows what was changed, exchanged or taken out of the middle. That the newest events of a stream were cut off
//! it cannot show; the lane's head does, and so does a chain's end that was kept elsewhere ([`Chain::hash`]).

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use sqlx::FromRow;
use uuid::Uuid;

use crate::events::event::Event;
use crate::events::ids::DebateId;
use crate::events::wire::Damaged;
use crate::store::fault::Fault;
use crate::store::keys::Cover;
use crate::store::lanes::lane_of;
use crate::store::log::Log;
use crate::store::row;
use crate::store::sealing::Place;

/// Events read at once.
const PAGE: i64 = 1_000;
/// Breaks reported of one lane at most.
pub const LANE_BREAKS: i64 = 1_000;

/// A stream as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The version at which it stands.
    pub version: i64,
    /// The hash at its end, as stored; that of the debate's id where there is no event. Kept elsewhere, it proves later
    /// that nothing up to this version was altered or cut off.
    pub hash: Vec<u8>,
    /// Whether the debate was erased: its events are in their places, and what they said is gone.
    pub erased: bool,
    /// Its last event's place in the lane; 0 where there is no event.
    pub position: i64,
    /// What is wrong with it, in order. Empty where it is whole.
    pub breaks: Vec<Break>,
}

/// Something wrong in a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Break {
    /// These versions are not there.
    Missing {
        /// The first.
        first: i64,
        /// The last.
        last: i64,
    },
    /// The event is not as it was recorded, or does not follow from the one before it.
    Altered {
        /// Its version.
        version: i64,
    },
    /// The event lies in its lane before one that came before it.
    Unordered {
        /// Its version.
        version: i64,
    },
    /// The body is not what its kind promises.
    Unreadable {
        /// Its version.
        version: i64,
        /// What the reader said.
        reason: String,
    },
    /// Events of the debate lie in a lane that is not its own.
    Stray {
        /// The lane.
        lane: i16,
        /// How many.
        n_events: i64,
    },
}

/// Something wrong in a lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaneBreak {
    /// These positions are not there.
    Missing {
        /// The first.
        first: i64,
        /// The last.
        last: i64,
    },
    /// Events lie beyond the head that the lane counts to.
    Beyond {
        /// The head.
        head: i64,
        /// The last position found.
        last: i64,
    },
}

/// A link as it is stored, with the key of its debate.
#[derive(FromRow)]
struct Found {
    #[sqlx(flatten)]
    link: Link,
    has_line: bool,
    key: Option<Vec<u8>>,
    master: Option<Vec<u8>>,
}

#[derive(FromRow)]
pub(crate) struct Link {
    pub(crate) version: i64,
    pub(crate) position: i64,
    pub(crate) recorded_at: DateTime<Utc>,
    pub(crate) id: Uuid,
    pub(crate) caused_by: Option<Uuid>,
    pub(crate) schema: i16,
    pub(crate) kind: String,
    pub(crate) actor: Option<String>,
    pub(crate) body: Vec<u8>,
    pub(crate) hash: Vec<u8>,
}

impl Link {
    /// What the hash must be; `chain_hash` in `migrations/0001_log.sql` computes the same.
    pub(crate) fn hash_after(&self, previous: &[u8]) -> Vec<u8> {
        // Postgres counts from the year 2000.
        const EPOCH_MICROS: i64 = 946_684_800_000_000;
        Sha256::new()
            .chain_update(previous)
            .chain_update(self.id.as_bytes())
            .chain_update(self.version.to_be_bytes())
            .chain_update((self.recorded_at.timestamp_micros() - EPOCH_MICROS).to_be_bytes())
            .chain_update(self.schema.to_be_bytes())
            .chain_update(self.kind.as_bytes())
            .chain_update([0])
            .chain_update(self.actor.as_deref().unwrap_or_default().as_bytes())
            .chain_update([0])
            .chain_update(self.caused_by.unwrap_or_default().as_bytes())
            .chain_update(&self.body)
            .finalize()
            .to_vec()
    }
}

impl Chain {
    pub(crate) fn start(debate: DebateId) -> Chain {
        let hash = Sha256::digest(debate.0.as_bytes()).to_vec();
        Chain { version: 0, hash, erased: false, position: 0, breaks: Vec::new() }
    }

    /// The chain of a fork starts from the last event that it shares, as that was; `chain_fork` in
    /// `migrations/0006_forks.sql` computes the same.
    fn fork(debate: DebateId, at: i64, shared: Option<&[u8]>) -> Chain {
        let hash = Sha256::new().chain_update(debate.0.as_bytes()).chain_update(shared.unwrap_or_default());
        let lost = shared.is_none().then_some(Break::Missing { first: at, last: at });
        let breaks = lost.into_iter().collect();
        Chain { version: at, hash: hash.finalize().to_vec(), erased: false, position: 0, breaks }
    }

    /// Adds the next event found, and what came of reading it.
    fn add(&mut self, link: Link, read: Result<Event, Damaged>) {
        if link.version > self.version + 1 {
            // What this one should follow from is not there to tell.
            self.breaks.push(Break::Missing { first: self.version + 1, last: link.version - 1 });
        } else if link.hash != link.hash_after(&self.hash) {
            self.breaks.push(Break::Altered { version: link.version });
        }
        if link.position <= self.position {
            self.breaks.push(Break::Unordered { version: link.version });
        }
        match read {
            Ok(event) => self.erased |= matches!(event, Event::Erased(_)),
            Err(damaged) => {
                self.breaks.push(Break::Unreadable { version: link.version, reason: damaged.to_string() });
            }
        }
        self.version = link.version;
        self.position = link.position;
        self.hash = link.hash;
    }
}

impl Log {
    /// Computes a debate's chain again from what is stored.
    ///
    /// # Errors
    /// The database's. What is wrong with the stream is no error but the answer.
    pub async fn verify(&self, debate: DebateId) -> Result<Chain, Fault> {
        let mut chain = self.chain_of(debate).await?;
        loop {
            let links = self.links(debate, chain.version).await?;
            let full = links.len() as i64 == PAGE;
            let keys = self.keys().openers();
            for Found { link, has_line, key, master } in links {
                let place = Place { id: link.id, kind: &link.kind, schema: link.schema };
                let cover = Cover::of((has_line, key, master));
                let read = row::event(&keys, debate, &cover, place, &link.body);
                chain.add(link, read);
            }
            if !full {
                break;
            }
        }
        chain.breaks.extend(self.strays(debate).await?);
        Ok(chain)
    }

    /// The chain before the debate's first event of its own.
    async fn chain_of(&self, debate: DebateId) -> Result<Chain, Fault> {
        match self.origin(debate).await {
            Ok(Some((origin, at))) => self.chain_before_fork(debate, origin, at).await,
            // What cannot be read is found by whoever computes the chain.
            Ok(None) | Err(Fault::Damaged { .. }) => Ok(Chain::start(debate)),
            Err(fault) => Err(fault),
        }
    }

    /// The chain of a fork before the first event of its own.
    pub(crate) async fn chain_before_fork(&self, fork: DebateId, origin: DebateId, at: i64) -> Result<Chain, Fault> {
        let keeper = self.keeper(origin, at).await?;
        let shared: Option<Vec<u8>> = sqlx::query_scalar(
            "select hash
            from events
            where lane = $1
            and debate_id = $2
            and version = $3",
        )
        .bind(lane_of(keeper))
        .bind(keeper.0)
        .bind(at)
        .fetch_optional(self.pool())
        .await
        .map_err(Fault::database("read the hash of a shared event"))?;
        Ok(Chain::fork(fork, at, shared.as_deref()))
    }

    async fn links(&self, debate: DebateId, after: i64) -> Result<Vec<Found>, Fault> {
        sqlx::query_as(
            "select version, position, recorded_at, id, caused_by, schema, kind, actor, body, hash,
                k.debate_id is not null as has_line, k.key, k.master
            from events
            left join debate_keys k on k.debate_id = events.debate_id
            where lane = $1
            and events.debate_id = $2
            and version > $3
            order by version
            limit $4",
        )
        .bind(lane_of(debate))
        .bind(debate.0)
        .bind(after)
        .bind(PAGE)
        .fetch_all(self.pool())
        .await
        .map_err(Fault::database("read a debate's chain"))
    }

    async fn strays(&self, debate: DebateId) -> Result<Vec<Break>, Fault> {
        let strays: Vec<(i16, i64)> = sqlx::query_as(
            "select lane, count(*)
            from events
            where debate_id = $1
            and lane <> $2
            group by lane
            order by lane",
        )
        .bind(debate.0)
        .bind(lane_of(debate))
        .fetch_all(self.pool())
        .await
        .map_err(Fault::database("look for a debate's events in other lanes"))?;
        Ok(strays.into_iter().map(|(lane, n_events)| Break::Stray { lane, n_events }).collect())
    }

    /// Counts a lane through: its positions must have no gap and end at its head. The first [`LANE_BREAKS`] that do not.
    ///
    /// # Errors
    /// The database's. What is wrong with the lane is no error but the answer.
    pub async fn verify_lane(&self, lane: i16) -> Result<Vec<LaneBreak>, Fault> {
        let gaps: Vec<(i64, i64)> = sqlx::query_as(
            "select previous + 1, position - 1
            from (
                select position, lag(position, 1, 0::bigint) over (order by position) as previous
                from events
                where lane = $1
            ) as steps
            where position > previous + 1
            order by position
            limit $2",
        )
        .bind(lane)
        .bind(LANE_BREAKS)
        .fetch_all(self.pool())
        .await
        .map_err(Fault::database("count a lane through"))?;
        let (head, last): (i64, i64) = sqlx::query_as(
            "select head, coalesce((select max(position) from events where lane = $1), 0)
            from lanes
            where lane = $1",
        )
        .bind(lane)
        .fetch_one(self.pool())
        .await
        .map_err(Fault::database("read a lane's head"))?;
        let mut breaks: Vec<LaneBreak> =
            gaps.into_iter().map(|(first, last)| LaneBreak::Missing { first, last }).collect();
        if last < head {
            breaks.push(LaneBreak::Missing { first: last + 1, last: head });
        }
        if last > head {
            breaks.push(LaneBreak::Beyond { head, last });
        }
        Ok(breaks)
    }
}
