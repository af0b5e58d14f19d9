//! Resolvers: the fields of objects that are computed on demand.
//!
//! The objects themselves are in [`types`](crate::api::types). A resolver may import any of them, the loaders and the
//! pages; nothing imports a resolver, because methods of a type need no import. Objects can therefore refer to each
//! other in a circle, although their files do not.

pub mod argument;
pub mod crux;
pub mod debate;
pub mod debate_object;
pub mod dispute;
pub mod document;
pub mod edition;
pub mod grounding;
pub mod joined_participants;
pub mod participant;
pub mod passage;
pub mod persona;
pub mod recurring;
pub mod room;
pub mod shared_corpus;
pub mod table;
pub mod turn;
