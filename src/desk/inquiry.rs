//! What is asked across debates: cruxes and disputes by meaning, and the questions that come up again.

use std::sync::Arc;

use crate::desk::compute::compute;
use crate::desk::recurring::{Found, Recurring, recurring};
use crate::providers::ports::Embedder;
use crate::questions::sameness::SAME;
use crate::store::cruxes::CruxFilter;
use crate::store::fault::Fault;
use crate::store::library::open::{Library, LibraryError, StoredEmbedder};
use crate::store::questions::search::Sought;
use crate::store::views::Views;

/// The most cruxes that are looked at for those that recur: the newest.
pub const CRUXES: usize = 20_000;
/// The most pairs of questions that are looked at: the nearest.
pub const PAIRS: usize = 200_000;

/// Whoever asks across debates. Cheap to clone.
#[derive(Clone)]
pub struct Inquiry {
    views: Views,
    library: Library,
    embedder: Option<Arc<dyn Embedder>>,
}

/// The embedder as the library knows it; put to use where none is in use yet, and never in the place of another.
///
/// # Errors
/// [`LibraryError::OtherEmbedder`] where another is in use; else as [`Library::embedder`].
pub async fn stored(library: &Library, embedder: &dyn Embedder) -> Result<StoredEmbedder, LibraryError> {
    let name = embedder.name();
    match library.embedder_in_use().await? {
        Some(it) if it.name == name => Ok(it),
        Some(it) => Err(LibraryError::OtherEmbedder { stored: it.name, given: name.to_owned() }),
        None => library.embedder(name, embedder.width(), name.starts_with("hashing")).await,
    }
}

impl Inquiry {
    /// Over stored views; without an embedder by words alone.
    pub fn new(views: Views, library: Library, embedder: Option<Arc<dyn Embedder>>) -> Inquiry {
        Inquiry { views, library, embedder }
    }

    /// The same over what another server shows.
    #[must_use]
    pub fn reading(&self, views: Views, library: Library) -> Inquiry {
        Inquiry { views, library, embedder: self.embedder.clone() }
    }

    /// What is stored.
    pub fn views(&self) -> &Views {
        &self.views
    }

    /// What is sought, with where it lies where that can be had: else it is found by words alone.
    ///
    /// # Errors
    /// The database's.
    pub async fn sought(&self, text: &str) -> Result<Sought, Fault> {
        let sought = Sought::new(text);
        let Some(by) = self.in_use().await? else { return Ok(sought) };
        let Some(embedder) = self.embedder.as_ref().filter(|_| !sought.wanted().is_empty()) else { return Ok(sought) };
        match embedder.embed(&[sought.wanted().to_owned()]).await {
            Ok(vectors) => Ok(vectors.first().map(|it| sought.clone().lying_at(by, it)).unwrap_or(sought)),
            Err(failure) => {
                tracing::warn!(%failure, "a search goes by words alone");
                Ok(sought)
            }
        }
    }

    /// The questions that cruxes of several debates ask in a generation of stored views, those of most debates first.
    ///
    /// # Errors
    /// The database's.
    pub async fn recurring(&self, generation: i32, filter: &CruxFilter, first: usize) -> Result<Recurring, Fault> {
        let mut cruxes = self.views.asked(generation, filter, CRUXES + 1).await?;
        let mut exact = cruxes.len() <= CRUXES;
        cruxes.truncate(CRUXES);
        let mut questions: Vec<i64> = cruxes.iter().map(|it| it.question).collect();
        questions.sort_unstable();
        questions.dedup();
        // A stand-in knows spellings only: it cannot tell what is the same in other words.
        let by = self.in_use().await?.filter(|it| !it.stand_in);
        let mut pairs = Vec::new();
        match &by {
            Some(by) => {
                pairs = self.views.near_pairs(by, &questions, PAIRS + 1).await?;
                let are_enough = pairs.len() <= PAIRS || pairs.last().is_some_and(|it| it.cosine < SAME);
                exact &= are_enough && self.views.unpaired(by, &questions).await? == 0;
            }
            None => exact &= questions.len() < 2,
        }
        let found = Found { cruxes, pairs, exact };
        let grouped = compute(move || recurring(&found, first));
        let mut grouped = grouped.await.map_err(|_| Fault::Stopped)?;
        let members = grouped.clusters.iter().flat_map(|it| &it.members);
        let names: Vec<_> = members.map(|it| (it.debate(), it.key.clone())).collect();
        let sides = self.views.sides(generation, &names).await?;
        grouped.clusters.iter_mut().for_each(|it| it.take_sides(&sides));
        Ok(grouped)
    }

    /// The embedder, where it is the one in use.
    async fn in_use(&self) -> Result<Option<StoredEmbedder>, Fault> {
        let Some(embedder) = &self.embedder else { return Ok(None) };
        match self.library.embedder_in_use().await {
            Ok(by) => Ok(by.filter(|it| it.name == embedder.name())),
            Err(LibraryError::Fault(fault)) => Err(fault),
            Err(_) => Ok(None),
        }
    }
}
