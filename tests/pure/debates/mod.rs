//! Rules of debates: verdicts, views, rooms, grounding, and events from external engines.

mod external_events;
mod grounding;
mod manners;
mod offline;
pub mod rooms;
mod talk_views;
mod verdicts;
