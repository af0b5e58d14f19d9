//! A persona drawn from what it wrote: a draft for a person to edit.
//!
//! ```text
//! corpus -> [material] (passages, [vocabulary], [habits]) -> somebody drafts: a model, or [extract] -> [draft]
//!        -> [verify] against [quotes]: what is not in the corpus is dropped and told -> [render]: a file
//! ```
//!
//! [`extract`] drafts without any model: it finds sentences by cues of English surface and quotes them. It understands none
//! of them, so what it says of somebody is always their own words, with the place.
//!
//! Pure; imports `events` and `voices`. Reads no file: passages come cut into sentences.

pub mod quotes;
pub mod material;
pub mod vocabulary;
pub mod habits;
pub mod draft;
pub mod cues;
pub mod extract;
pub mod verify;
pub mod render;
