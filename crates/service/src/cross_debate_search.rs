//! Cross-debate search: cruxes and disputes by meaning, and questions that recur in several debates.

use std::sync::Arc;

use crate::compute::compute;
use crate::recurring::{ClusterInput, Recurring, recurring};
use faultline_core::questions::sameness::SAME;
use faultline_providers::ports::Embedder;
use faultline_store::error::StoreError;
use faultline_store::library::open::{Library, LibraryError};
use faultline_store::stored_embedder::StoredEmbedder;
use faultline_store::views::cruxes::CruxQuery;
use faultline_store::views::question_search::SearchQuery;
use faultline_store::views::views::Views;

/// Maximum number of cruxes examined for recurring questions; the newest are taken.
pub const MAX_CRUXES: usize = 20_000;
/// Maximum number of question pairs examined; the most similar are taken.
pub const MAX_PAIRS: usize = 200_000;

/// Search service over all debates. Cheap to clone.
#[derive(Clone)]
pub struct CrossDebateSearch {
    views: Views,
    library: Library,
    embedder: Option<Arc<dyn Embedder>>,
}

/// Returns the stored record of an embedder. Registers it if the library has no embedder yet; never replaces another
/// one.
///
/// # Errors
/// [`LibraryError::OtherEmbedder`] if the library uses another embedder; otherwise as [`Library::embedder`].
pub async fn stored(library: &Library, embedder: &dyn Embedder) -> Result<StoredEmbedder, LibraryError> {
    let name = embedder.name();
    match library.embedder_in_use().await? {
        Some(it) if it.name == name => Ok(it),
        Some(it) => Err(LibraryError::OtherEmbedder { stored: it.name, given: name.to_owned() }),
        None => library.embedder(name, embedder.width(), name.starts_with("hashing")).await,
    }
}

impl CrossDebateSearch {
    /// Creates the service over stored views; without an embedder, searches match by words only.
    pub fn new(views: Views, library: Library, embedder: Option<Arc<dyn Embedder>>) -> CrossDebateSearch {
        CrossDebateSearch { views, library, embedder }
    }

    /// Returns the same service over the views and library of another server, such as a replica.
    #[must_use]
    pub fn reading(&self, views: Views, library: Library) -> CrossDebateSearch {
        CrossDebateSearch { views, library, embedder: self.embedder.clone() }
    }

    /// Stored views that the service searches.
    pub fn views(&self) -> &Views {
        &self.views
    }

    /// Builds a search query, with its embedding if the configured embedder is the one in use; otherwise the search
    /// matches by words only.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn query(&self, text: &str) -> Result<SearchQuery, StoreError> {
        let query = SearchQuery::new(text);
        let Some(by) = self.in_use().await? else { return Ok(query) };
        let Some(embedder) = self.embedder.as_ref().filter(|_| !query.wanted().is_empty()) else { return Ok(query) };
        match embedder.embed(&[query.wanted().to_owned()]).await {
            Ok(vectors) => Ok(vectors.first().map(|vector| query.clone().with_vector(by, vector)).unwrap_or(query)),
            Err(failure) => {
                tracing::warn!(%failure, "the search query could not be embedded; searching by words only");
                Ok(query)
            }
        }
    }

    /// Returns the questions that cruxes of several debates share in a generation of stored views, those of most
    /// debates first.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement, or if the service is stopping.
    pub async fn recurring(&self, generation: i32, filter: &CruxQuery, first: usize) -> Result<Recurring, StoreError> {
        let mut cruxes = self.views.crux_questions(generation, filter, MAX_CRUXES + 1).await?;
        let mut exact = cruxes.len() <= MAX_CRUXES;
        cruxes.truncate(MAX_CRUXES);
        let mut questions: Vec<i64> = cruxes.iter().map(|crux| crux.question).collect();
        questions.sort_unstable();
        questions.dedup();
        // A stand-in embedder only compares spellings, so it cannot recognize paraphrases.
        let by = self.in_use().await?.filter(|embedder| !embedder.stand_in);
        let mut pairs = Vec::new();
        match &by {
            Some(by) => {
                pairs = self.views.near_pairs(by, &questions, MAX_PAIRS + 1).await?;
                let are_enough = pairs.len() <= MAX_PAIRS || pairs.last().is_some_and(|pair| pair.cosine < SAME);
                exact &= are_enough && self.views.is_pairing_exact(by).await?;
                exact &= self.views.unpaired(by, &questions).await? == 0;
            }
            None => exact &= questions.len() < 2,
        }
        let found = ClusterInput { cruxes, pairs, exact };
        let grouped = compute(move || recurring(&found, first));
        let mut grouped = grouped.await.map_err(|_| StoreError::Stopped)?;
        let members = grouped.clusters.iter().flat_map(|cluster| &cluster.members);
        let names: Vec<_> = members.map(|member| (member.debate(), member.key.clone())).collect();
        let sides = self.views.sides(generation, &names).await?;
        grouped.clusters.iter_mut().for_each(|cluster| cluster.take_sides(&sides));
        Ok(grouped)
    }

    /// Returns the configured embedder if it is the one in use.
    async fn in_use(&self) -> Result<Option<StoredEmbedder>, StoreError> {
        let Some(embedder) = &self.embedder else { return Ok(None) };
        match self.library.embedder_in_use().await {
            Ok(by) => Ok(by.filter(|stored| stored.name == embedder.name())),
            Err(LibraryError::Fault(fault)) => Err(fault),
            Err(_) => Ok(None),
        }
    }
}
