//! Drafts: words of turns that a model is still writing, for readers who watch a debate live.
//!
//! A draft is not yet said. It is never stored, and no event, view or verdict knows it. It ends when its turn is
//! recorded, or is discarded with the reason. [`draft_board`] keeps the drafts of the debates that this process drives;
//! [`draft_feed`] joins them with the debate's events.

pub mod draft;
pub mod draft_board;
pub mod draft_feed;
pub mod draft_reader;
