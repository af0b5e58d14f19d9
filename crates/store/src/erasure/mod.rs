//! Erasure of debates, rotation of keys, restoring a backup without reviving what was erased, and cleaning the server's
//! files.

pub mod erasure;
pub mod key_rotation;
pub mod restore;
pub mod scrub;
pub mod talk_sources;
