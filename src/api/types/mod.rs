//! What GraphQL shows of events and views: one file a family, each made from its counterpart.

pub mod argument;
pub mod debate;
pub mod dispute;
pub mod event;
pub mod input;
pub mod list;
pub mod persona;
pub mod proposal;
pub mod scalars;
pub mod verdict;
