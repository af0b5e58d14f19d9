//! What GraphQL shows of events and views: one file a family, each made from its counterpart.

pub mod scalars;
pub mod event;
pub mod folded;
pub mod grounding;
pub mod persona;
pub mod participant;
pub mod edition;
pub mod passage;
pub mod talk;
pub mod argument;
pub mod dispute;
pub mod proposal;
pub mod verdict;
pub mod crux;
pub mod why;
pub mod extensions;
pub mod concession;
pub mod what_if;
pub mod compare;
pub mod debate;
pub mod list;
pub mod dispute_list;
pub mod recurring;
pub mod projection;
pub mod erasure;
pub mod input;
