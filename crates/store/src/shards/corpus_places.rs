//! Placement of the corpora of personas, and of shared corpora, as a process knows it.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use faultline_core::events::ids::PersonaId;

/// Key of the advisory locks of corpora, at home, beside the hash of the owner.
pub(crate) const CORPUS_LOCK: i32 = 0x636f_7270;

/// Number of each corpus's server, without those at home.
pub(super) type Places = HashMap<PersonaId, usize>;

/// Placement of corpora, as this process knows it.
#[derive(Debug, Default)]
pub(super) struct CorpusPlaces(RwLock<Arc<Places>>);

impl CorpusPlaces {
    /// Returns the places now.
    pub(super) fn now(&self) -> Arc<Places> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the places. Returns whether they differ.
    pub(super) fn replace(&self, places: Places) -> bool {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let differ = **known != places;
        *known = Arc::new(places);
        differ
    }
}
