//! How much a file may hold. Reaching one refuses the whole file, and the error names it.

/// Bytes of a file: 64 MiB.
pub const FILE_BYTES: usize = 64 << 20;
/// Levels of arrays and objects inside one another.
pub const DEPTH: usize = 64;
/// Bytes of one string: 1 MiB.
pub const STRING_BYTES: usize = 1 << 20;
/// Events in one file, or lines of it.
pub const EVENTS: usize = 100_000;
/// Participants of a debate.
pub const PARTICIPANTS: usize = 64;
/// Turns of a debate.
pub const TURNS: usize = 20_000;
/// Arguments of a debate that was not ours: a verdict compares them in pairs.
pub const ARGUMENTS: usize = 2_000;
/// Attacks of a debate that was not ours.
pub const ATTACKS: usize = 20_000;
/// The greatest number in a name (`t17`) of an export of ours: names are counted on from there.
pub const NUMBER: u32 = 10_000_000;
/// Reasons that a report tells one by one; the others are counted.
pub const TOLD: usize = 100;
