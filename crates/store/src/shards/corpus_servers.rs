//! Servers that hold the corpora of personas, and shared corpora.

use std::sync::Arc;

use sqlx::PgPool;

use crate::shards::corpus_places::Places;
use crate::shards::shards::{Group, Shards};
use faultline_core::events::ids::PersonaId;

impl Shards {
    /// Returns the servers of the corpora, as they are placed now.
    pub(crate) fn corpora(&self) -> CorpusServers<'_> {
        CorpusServers { shards: self, places: self.corpus_places() }
    }
}

/// Servers of the corpora at one moment: a request that uses several servers asks all of them by the same placement.
#[derive(Clone, Debug)]
pub(crate) struct CorpusServers<'a> {
    shards: &'a Shards,
    places: Arc<Places>,
}

impl<'a> CorpusServers<'a> {
    fn place(&self, owner: &PersonaId) -> usize {
        self.places.get(owner).copied().unwrap_or_default()
    }

    /// Returns the database that holds the documents of a persona or a shared corpus.
    pub(crate) fn of(&self, owner: &PersonaId) -> &'a PgPool {
        self.shards.at(self.place(owner))
    }

    /// Returns the name of the shard that holds the documents of a persona or a shared corpus.
    pub(crate) fn name_of(&self, owner: &PersonaId) -> &'a str {
        self.shards.name_at(self.place(owner))
    }

    /// Returns whether a server, by its number, holds the documents of a persona or a shared corpus.
    pub(crate) fn holds(&self, place: usize, owner: &PersonaId) -> bool {
        self.place(owner) == place
    }

    /// Returns the databases that hold corpora, each with its number; that of the home first, whether it holds any or not.
    pub(crate) fn all(&self) -> Vec<(usize, &'a PgPool)> {
        let is_used = |place: usize| place == 0 || self.places.values().any(|used| *used == place);
        self.shards.pools().enumerate().filter(|(place, _)| is_used(*place)).collect()
    }

    /// Groups the items of a request by the server that holds the corpus of each, in the order of the servers.
    pub(crate) fn grouped<T>(&self, items: &[T], owner: impl Fn(&T) -> &PersonaId) -> Vec<Group<'a>> {
        self.shards.grouped_by_place(items, |item| self.place(owner(item)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::shard::HOME;
    use crate::shards::shards::Shard;

    #[tokio::test]
    async fn a_request_keeps_the_placement_with_which_it_began() {
        let pool = |name: &str| PgPool::connect_lazy(&format!("postgres://{name}/faultline")).expect("an address");
        let others = ["b", "c"].map(|name| Shard { name: name.to_owned(), pool: pool(name) }).to_vec();
        let shards = Shards::unplaced(pool("a"), others);
        let owners: Vec<PersonaId> = ["ada", "bo"].map(|id| id.parse().expect("an id")).to_vec();
        let before = shards.corpora();
        assert!(before.holds(0, &owners[0]), "at first all corpora are at home");
        assert!(shards.place_corpora(HashMap::from([(owners[0].clone(), 2)])));
        let places = |servers: &CorpusServers<'_>| servers.all().iter().map(|(place, _)| *place).collect::<Vec<_>>();
        assert_eq!((before.name_of(&owners[0]), places(&before)), (HOME, vec![0]));
        let after = shards.corpora();
        assert_eq!((after.name_of(&owners[0]), after.name_of(&owners[1]), places(&after)), ("c", HOME, vec![0, 2]));
        let groups = after.grouped(&owners, |owner| owner);
        assert_eq!(groups.iter().map(|group| group.of(&owners).len()).collect::<Vec<_>>(), [1, 1]);
        assert!(after.holds(2, &owners[0]) && !after.holds(0, &owners[0]));
        assert!(!shards.place_corpora(HashMap::from([(owners[0].clone(), 2)])), "nothing has moved");
    }
}
