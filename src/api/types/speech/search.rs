//! GraphQL types of searches that speakers ask for.

use async_graphql::{ID, SimpleObject};
use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::api::types::debate::debate_ref::ParticipantSource;
use faultline_core::events::checks::check::is_web_address;
use faultline_core::events::receipt;
use faultline_core::projections::calls::searches::SpeakerSearch;

/// A search that a participant asked for before answering. Verdicts do not depend on it.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Search {
    /// Id of the participant who asked for it.
    pub(crate) speaker_id: ID,
    /// Words that were searched for.
    query: String,
    /// Name of the search, such as `corpora`, `tavily` or `searxng`; null until it was made.
    by: Option<String>,
    /// Passages found, best first. Passages that the speaker had been given anyway are left out.
    found: Vec<FoundPassage>,
    /// Reason for which the search failed; null if it did not.
    failure: Option<String>,
    /// Id of the turn before which it was made; null until that is taken, and if none was.
    turn_id: Option<ID>,
    /// Short id of the draft before which it was made, if turns are drafted.
    draft_id: Option<ID>,
    /// Version of the event that asked for it.
    version: i64,
    /// Time at which it was asked for.
    at: DateTime<Utc>,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

/// A passage that a search found: of the library, or of a web page.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct FoundPassage {
    /// Alias of the passage in the prompt.
    alias: String,
    /// Id of the passage. One of a web page is not in the library.
    passage_id: ID,
    /// The web page; null for a passage of the library.
    page: Option<WebPage>,
    #[graphql(skip)]
    pub(crate) chunk: Uuid,
}

/// A web page that a search returned.
#[derive(SimpleObject, Clone)]
pub struct WebPage {
    /// Title.
    title: String,
    /// Web address, `http` or `https`.
    address: String,
}

impl WebPage {
    /// Builds a page; `None` if its address is not one that a page may link to.
    pub fn of(page: &receipt::WebPage) -> Option<WebPage> {
        let receipt::WebPage { title, address } = page;
        is_web_address(address).then(|| WebPage { title: title.clone(), address: address.clone() })
    }
}

impl Search {
    /// Builds a search of a debate with these participants.
    pub fn new(search: &SpeakerSearch, participants: &ParticipantSource) -> Search {
        let found = search.found.iter().map(|ground| FoundPassage {
            alias: ground.alias.clone(),
            passage_id: ID(ground.chunk.to_string()),
            page: ground.page.as_ref().and_then(WebPage::of),
            chunk: ground.chunk,
        });
        let failure = search.result.as_ref().and_then(|result| result.failure.as_ref());
        Search {
            speaker_id: ID(search.speaker.to_string()),
            query: search.query.clone(),
            by: search.result.as_ref().map(|result| result.by.clone()),
            found: found.collect(),
            failure: failure.map(|failure| failure.message.clone()),
            turn_id: search.turn.map(|turn| ID(turn.to_string())),
            draft_id: search.draft.map(|draft| ID(draft.to_string())),
            version: search.version,
            at: search.at,
            participants: participants.clone(),
        }
    }
}
