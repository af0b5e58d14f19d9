//! Drafting of a persona from its writings, for a person to edit.
//!
//! ```text
//! corpus -> [material] (passages, [vocabulary], [habits]) -> drafting, by a model or [extract] -> [draft]
//!     -> [verify] against [quotes]: quotations outside the corpus are dropped and reported -> [render]: a file
//! ```
//!
//! [`extract`] drafts without a model: it finds sentences by English cues and quotes them. It understands none of them,
//! so its statements about a person are always their own words, with the source.
//!
//! [`positions_draft`] puts positions on a topic together from [`pointings`]: sentences to which a model gives roles.
//!
//! Pure; imports `events`, `positions`, `questions` and `voices`. Reads no files: passages are passed in, split into sentences.

pub mod cues;
pub mod draft;
pub mod extract;
pub mod habits;
pub mod material;
pub mod pointings;
pub mod positions_draft;
pub mod quotes;
pub mod render;
pub mod verify;
pub mod vocabulary;
