//! Feeds of events: history and live events as one stream, and the views that follow it.

pub mod crux_feed;
pub mod debate_watch;
pub mod event_feeds;
