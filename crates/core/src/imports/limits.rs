//! Limits of imported files. A file that exceeds one is refused, and the error names the limit.

/// Maximum size of a file, in bytes: 64 MiB.
pub const MAX_FILE_BYTES: usize = 64 << 20;
/// Maximum nesting of arrays and objects.
pub const MAX_DEPTH: usize = 64;
/// Maximum length of a string, in bytes: 1 MiB.
pub const MAX_STRING_BYTES: usize = 1 << 20;
/// Maximum number of events or lines in a file.
pub const MAX_EVENTS: usize = 100_000;
/// Maximum number of participants.
pub const MAX_PARTICIPANTS: usize = 64;
/// Maximum number of turns.
pub const MAX_TURNS: usize = 20_000;
/// Maximum number of arguments in a file of another system; a verdict compares them in pairs.
pub const MAX_ARGUMENTS: usize = 2_000;
/// Maximum number of attacks in a file of another system.
pub const MAX_ATTACKS: usize = 20_000;
/// Largest number in an id (`t17`) of an export; new ids continue from there.
pub const NUMBER: u32 = 10_000_000;
/// Maximum number of reasons that a report lists; the others are only counted.
pub const MAX_TOLD: usize = 100;
