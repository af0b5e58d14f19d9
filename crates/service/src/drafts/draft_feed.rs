//! Drafts of a debate together with its events, for one client.

use crate::drafts::draft_board::DraftBoard;
use crate::drafts::draft_reader::{DraftReader, DraftUpdate};
use crate::feeds::event_feeds::{EventFeeds, Feed, Read};

/// Feeds of debates: their events, and the drafts of those that this process drives.
#[derive(Clone)]
pub struct DebateFeeds {
    /// Events of debates.
    pub events: EventFeeds,
    /// Drafts of debates.
    pub drafts: DraftBoard,
}

/// Item of a [`DraftFeed`].
#[derive(Clone, Debug)]
pub enum FeedItem {
    /// The next event, or the fault that ends the feed.
    Event(Read),
    /// News of a draft.
    Draft(DraftUpdate),
}

/// Feed of a debate's events, and of its drafts if they are wanted. Ends with the events; the ends of drafts that are not
/// yet read at that time follow the last event.
pub struct DraftFeed {
    events: Feed,
    drafts: Option<DraftReader>,
    /// True after the last event.
    has_ended: bool,
}

impl DraftFeed {
    /// Joins the two.
    pub fn new(events: Feed, drafts: Option<DraftReader>) -> DraftFeed {
        DraftFeed { events, drafts, has_ended: false }
    }

    /// Returns the next item, waiting for it if necessary; `None` after the last item. Events come first: no draft
    /// holds one up. Cancel-safe.
    pub async fn next(&mut self) -> Option<FeedItem> {
        let Some(drafts) = &mut self.drafts else { return self.events.next().await.map(FeedItem::Event) };
        if !self.has_ended {
            tokio::select! {
                biased;
                event = self.events.next() => match event {
                    Some(event) => return Some(FeedItem::Event(event)),
                    None => self.has_ended = true,
                },
                update = drafts.next() => return Some(FeedItem::Draft(update)),
            }
        }
        drafts.look().map(FeedItem::Draft)
    }
}
