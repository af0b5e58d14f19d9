//! Names, addresses and errors of the servers that hold the lanes of the log, the corpora and the vectors of questions.

use crate::lanes::LANES;

/// Name of the database at `DATABASE_URL`, which holds everything but the lanes and corpora that were moved elsewhere.
pub const HOME: &str = "home";
/// Maximum number of shards besides the home: each lane has one of its own.
pub const MAX_SHARDS: usize = 15;
/// Maximum length of a shard's name, in bytes.
pub const MAX_NAME_BYTES: usize = 32;

/// Shard with the address of its database.
#[derive(Clone, PartialEq, Eq)]
pub struct ShardAddress {
    /// Name under which the placement of lanes is stored; it must not change.
    pub name: String,
    /// Address of the database, with its password.
    pub url: String,
}

// Without the password.
impl std::fmt::Debug for ShardAddress {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "ShardAddress({})", self.name)
    }
}

/// Returns whether a text can name a shard: lower-case letters, digits and hyphens, and not that of the home.
pub fn is_shard_name(name: &str) -> bool {
    let is_plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    (1..=MAX_NAME_BYTES).contains(&name.len()) && name != HOME && name.bytes().all(is_plain)
}

/// Error of the servers that hold the lanes of the log, the corpora and the vectors of questions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShardError {
    /// Something is on a server whose address is not configured.
    #[error("{what} on shard {shard:?}, which FAULTLINE_SHARDS does not name")]
    Unknown {
        /// The subject of the sentence, with its verb: "lane 3 of the log is".
        what: String,
        /// Name of the shard.
        shard: String,
    },
    /// The name of a shard is not allowed.
    #[error(
        "{shard:?} in FAULTLINE_SHARDS is no name of a shard: 1 to {MAX_NAME_BYTES} lower-case letters, digits and hyphens, \
         and not {HOME:?}"
    )]
    Name {
        /// The name.
        shard: String,
    },
    /// There are more shards than lanes.
    #[error("FAULTLINE_SHARDS names {n_shards} shards; there can be {MAX_SHARDS} besides the home, one for each lane")]
    TooMany {
        /// Number of shards.
        n_shards: usize,
    },
    /// An address cannot be parsed.
    #[error(
        "the address of shard {shard:?} in FAULTLINE_SHARDS is not valid ({reason}); expected \
         postgres://user:password@host:5432/database"
    )]
    Address {
        /// Name of the shard.
        shard: String,
        /// Error of the parser.
        reason: String,
    },
    /// The database of a shard cannot be connected to or migrated.
    #[error("shard {shard:?}: {reason}")]
    Unusable {
        /// Name of the shard.
        shard: String,
        /// Error of the connection.
        reason: String,
    },
    /// A database cannot be used as this shard.
    #[error("the database of shard {shard:?} in FAULTLINE_SHARDS {reason}. Give the shard a database of its own")]
    Taken {
        /// Name of the shard.
        shard: String,
        /// What the database is used for.
        reason: String,
    },
    /// `DATABASE_URL` names the database of a shard.
    #[error(
        "the database at DATABASE_URL is shard {shard:?} of a store. Set DATABASE_URL to the home of that store, and name \
         this database in FAULTLINE_SHARDS"
    )]
    NotHome {
        /// Name of the shard.
        shard: String,
    },
    /// There is no lane of this number.
    #[error("there is no lane {lane}; lanes are numbered from 0 to {}", LANES - 1)]
    NoLane {
        /// The number.
        lane: i16,
    },
    /// There is no shard of this name.
    #[error("unknown shard {shard:?}; available: {known}. FAULTLINE_SHARDS names the others besides home")]
    NoShard {
        /// The name.
        shard: String,
        /// Names of the shards that there are.
        known: String,
    },
    /// The lane is being moved by another process.
    #[error("lane {lane} is being moved already; a move that was interrupted ends by itself within 20 s")]
    MoveUnderWay {
        /// The lane.
        lane: i16,
    },
    /// The process that moves a lane was frozen or cut off from the home for too long, and the move was undone.
    #[error("the move of lane {lane} was not renewed in time; the lane stays where it is. Move it again")]
    MoveRanOut {
        /// The lane.
        lane: i16,
    },
    /// The server to which a lane is to be moved accepts events of it.
    #[error("lane {lane} is open on two servers: that of its placement, and the one to which it is to be moved")]
    OpenTwice {
        /// The lane.
        lane: i16,
    },
    /// The vectors of questions are being moved to another server than the wanted one.
    #[error(
        "the vectors of questions are being moved from {former} to {current}. Complete that first: faultline questions move \
         --to {current}"
    )]
    QuestionsMoving {
        /// Shard that has them, as far as they were not moved yet.
        former: String,
        /// Shard to which they are being moved.
        current: String,
    },
    /// The lane is closed on this server, because it was moved to another one.
    #[error("lane {lane} of the log is being moved to another server; try again")]
    LaneMoved {
        /// The lane.
        lane: i16,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_plain_and_not_that_of_the_home() {
        for name in ["b", "eu-2", &"x".repeat(MAX_NAME_BYTES)] {
            assert!(is_shard_name(name), "{name}");
        }
        for name in ["", "home", "B", "a b", "a=b", "ü", &"x".repeat(MAX_NAME_BYTES + 1)] {
            assert!(!is_shard_name(name), "{name}");
        }
    }
}
