//! Rules of debates: verdicts, views, rooms, the main channel, grounding, and events from external engines.

pub mod channel;
mod external_events;
mod grounding;
mod manners;
mod motion;
mod motion_courses;
mod offline;
mod offline_motion;
mod offline_rooms;
mod offline_tables;
mod panels;
pub mod rooms;
pub mod tables;
mod talk_views;
pub mod threads;
pub mod verdicts;
