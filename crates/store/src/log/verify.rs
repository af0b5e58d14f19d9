//! Verifies that nothing was altered: recomputes the hash chain of each stream, and checks each lane for gaps.
//!
//! A hash chain reveals changes, swaps and removals in the middle of a stream. It cannot reveal that the newest events
//! were cut off; the lane's head does, and so does a copy of the chain's last hash kept elsewhere ([`Chain::hash`]).

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::cipher::EventIdentity;
use crate::error::StoreError;
use crate::keys::KeyState;
use crate::lanes::lane_of;
use crate::log::log::Log;
use crate::log::row;
use crate::reads_row;
use faultline_core::events::event::Event;
use faultline_core::events::ids::DebateId;
use faultline_core::events::wire::DecodeError;

/// Number of events read at once.
const PAGE: i64 = 1_000;
/// Maximum number of breaks reported per lane.
pub const MAX_LANE_BREAKS: i64 = 1_000;

/// Hash chain of a stream, with the problems found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// Latest version of the stream.
    pub version: i64,
    /// Stored hash of the last event; the hash of the debate's id if there is no event. A copy kept elsewhere proves
    /// later that nothing up to this version was altered or cut off.
    pub hash: Vec<u8>,
    /// True if the debate was erased: its events exist, their content does not.
    pub erased: bool,
    /// Position of its last event in the lane; 0 if there is no event.
    pub position: i64,
    /// Problems found, in order. Empty if the stream is intact.
    pub breaks: Vec<ChainBreak>,
}

/// A problem in a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChainBreak {
    /// These versions are missing.
    Missing {
        /// The first missing version.
        first: i64,
        /// The last missing version.
        last: i64,
    },
    /// The event is not as it was recorded, or does not follow from the one before it.
    Altered {
        /// Version of the event.
        version: i64,
    },
    /// The event has a lower position in its lane than an earlier event of the stream.
    Unordered {
        /// Version of the event.
        version: i64,
    },
    /// The body does not have the shape of its kind, or cannot be decrypted.
    Unreadable {
        /// Version of the event.
        version: i64,
        /// Error of the decoder.
        reason: String,
    },
    /// Events of the debate are stored in a lane that is not its own.
    Stray {
        /// The other lane.
        lane: i16,
        /// Number of events in it.
        n_events: i64,
    },
}

/// A problem in a lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaneBreak {
    /// These positions are missing.
    Missing {
        /// The first missing position.
        first: i64,
        /// The last missing position.
        last: i64,
    },
    /// Events exist beyond the lane's head.
    Beyond {
        /// The head.
        head: i64,
        /// The last position found.
        last: i64,
    },
}

/// A stored link of the chain, with the key of its debate.
struct StoredLink {
    link: ChainLink,
    has_line: bool,
    key: Option<Vec<u8>>,
    master: Option<Vec<u8>>,
}

reads_row!(StoredLink { has_line, key, master } flatten { link });

pub(crate) struct ChainLink {
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

reads_row!(ChainLink { version, position, recorded_at, id, caused_by, schema, kind, actor, body, hash });

impl ChainLink {
    /// Computes the expected hash; `chain_hash` in `migrations/0001_log.sql` computes the same.
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

    /// Starts the chain of a fork from the hash of the last shared event; `chain_fork` in `migrations/0006_forks.sql`
    /// computes the same.
    fn fork(debate: DebateId, at: i64, shared: Option<&[u8]>) -> Chain {
        let hash = Sha256::new().chain_update(debate.0.as_bytes()).chain_update(shared.unwrap_or_default());
        let lost = shared.is_none().then_some(ChainBreak::Missing { first: at, last: at });
        let breaks = lost.into_iter().collect();
        Chain { version: at, hash: hash.finalize().to_vec(), erased: false, position: 0, breaks }
    }

    /// Adds the next event found, with the result of decoding it.
    fn add(&mut self, link: ChainLink, read: Result<Event, DecodeError>) {
        if link.version > self.version + 1 {
            // The hash cannot be checked, because the event before this one is missing.
            self.breaks.push(ChainBreak::Missing { first: self.version + 1, last: link.version - 1 });
        } else if link.hash != link.hash_after(&self.hash) {
            self.breaks.push(ChainBreak::Altered { version: link.version });
        }
        if link.position <= self.position {
            self.breaks.push(ChainBreak::Unordered { version: link.version });
        }
        match read {
            Ok(event) => self.erased |= matches!(event, Event::Erased(_)),
            Err(damaged) => {
                self.breaks.push(ChainBreak::Unreadable { version: link.version, reason: damaged.to_string() });
            }
        }
        self.version = link.version;
        self.position = link.position;
        self.hash = link.hash;
    }
}

impl Log {
    /// Recomputes a debate's hash chain from the stored events.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses a statement. Problems in the stream are not errors;
    /// they are returned in [`Chain::breaks`].
    pub async fn verify(&self, debate: DebateId) -> Result<Chain, StoreError> {
        let mut chain = self.chain_of(debate).await?;
        loop {
            let links = self.links(debate, chain.version).await?;
            let full = links.len() as i64 == PAGE;
            let keys = self.keys().decryptors();
            for StoredLink { link, has_line, key, master } in links {
                let place = EventIdentity { id: link.id, kind: &link.kind, schema: link.schema };
                let cover = KeyState::of((has_line, key, master));
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

    /// Returns the chain before the debate's own first event.
    async fn chain_of(&self, debate: DebateId) -> Result<Chain, StoreError> {
        match self.origin(debate).await {
            Ok(Some((origin, at))) => self.chain_before_fork(debate, origin, at).await,
            // Damage is reported when the chain is computed.
            Ok(None) | Err(StoreError::Damaged { .. }) => Ok(Chain::start(debate)),
            Err(fault) => Err(fault),
        }
    }

    /// Returns the chain of a fork before its own first event.
    pub(crate) async fn chain_before_fork(
        &self,
        fork: DebateId,
        origin: DebateId,
        at: i64,
    ) -> Result<Chain, StoreError> {
        let keeper = self.owner_of_version(origin, at).await?;
        Ok(Chain::fork(fork, at, self.hash_at(keeper, at).await?.as_deref()))
    }

    /// Returns the hash of the event that a debate's own stream has at a version; `None` if it has none.
    pub(crate) async fn hash_at(&self, debate: DebateId, version: i64) -> Result<Option<Vec<u8>>, StoreError> {
        sqlx::query_scalar(
            "select hash
            from events
            where lane = $1
            and debate_id = $2
            and version = $3",
        )
        .bind(lane_of(debate))
        .bind(debate.0)
        .bind(version)
        .fetch_optional(self.pool_of(debate))
        .await
        .map_err(StoreError::database("read the hash of an event"))
    }

    async fn links(&self, debate: DebateId, after: i64) -> Result<Vec<StoredLink>, StoreError> {
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
        .fetch_all(self.pool_of(debate))
        .await
        .map_err(StoreError::database("read a debate's chain"))
    }

    async fn strays(&self, debate: DebateId) -> Result<Vec<ChainBreak>, StoreError> {
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
        .fetch_all(self.pool_of(debate))
        .await
        .map_err(StoreError::database("look for a debate's events in other lanes"))?;
        Ok(strays.into_iter().map(|(lane, n_events)| ChainBreak::Stray { lane, n_events }).collect())
    }

    /// Checks a lane: its positions must have no gap and end at its head. Returns at most [`MAX_LANE_BREAKS`] gaps.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses a statement. Problems in the lane are not errors;
    /// they are returned.
    pub async fn verify_lane(&self, lane: i16) -> Result<Vec<LaneBreak>, StoreError> {
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
        .bind(MAX_LANE_BREAKS)
        .fetch_all(self.pool_of_lane(lane))
        .await
        .map_err(StoreError::database("check a lane for gaps"))?;
        let (head, last): (i64, i64) = sqlx::query_as(
            "select head, coalesce((select max(position) from events where lane = $1), 0)
            from lanes
            where lane = $1",
        )
        .bind(lane)
        .fetch_one(self.pool_of_lane(lane))
        .await
        .map_err(StoreError::database("read a lane's head"))?;
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
