//! The servers of a store, and which of them holds a lane of the log, a corpus or the vectors of questions.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use sqlx::PgPool;

use crate::error::StoreError;
use crate::lanes::{LANES, LaneSet, lane_of};
use crate::shard::HOME;
use crate::shard::ShardError;
use crate::shards::corpus_places::{CorpusPlaces, Places};
use crate::shards::question_places::{QuestionPlacement, QuestionPlaces};
use faultline_core::events::ids::DebateId;

/// Interval at which a process looks where the lanes, the corpora and the vectors of questions are.
pub const PLACEMENT_POLL: Duration = Duration::from_secs(1);

/// The servers of a store. Clones are cheap and share the placement of lanes, corpora and vectors of questions.
#[derive(Clone, Debug)]
pub struct Shards {
    home: PgPool,
    others: Arc<OtherShards>,
}

/// Servers other than the home, and the placement of lanes and corpora.
#[derive(Debug, Default)]
struct OtherShards {
    shards: Vec<Shard>,
    /// Number of each lane's server: 0 for the home, n for the nth of the others.
    places: [AtomicU8; LANES as usize],
    /// The same for corpora.
    corpora: CorpusPlaces,
    /// The same for the vectors of questions.
    questions: QuestionPlaces,
}

/// A server other than the home.
#[derive(Clone, Debug)]
pub struct Shard {
    /// Name of the shard.
    pub name: String,
    /// Connections to its database.
    pub pool: PgPool,
}

/// Server that holds a lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedLane {
    /// The lane.
    pub lane: i16,
    /// Name of the shard that holds it.
    pub shard: String,
    /// Number of times that the lane was moved.
    pub epoch: i64,
}

/// Items of a request that one server answers, by their indexes in the request.
pub(crate) struct Group<'a> {
    pub(crate) pool: &'a PgPool,
    pub(crate) indexes: Vec<usize>,
}

impl Group<'_> {
    /// Returns the items of this group.
    pub(crate) fn of<T: Clone>(&self, items: &[T]) -> Vec<T> {
        self.indexes.iter().filter_map(|ix| items.get(*ix).cloned()).collect()
    }

    /// Puts results for the items of this group to their places among the results for all items.
    pub(crate) fn place<T>(&self, results: Vec<T>, all: &mut [T]) {
        for (ix, result) in self.indexes.iter().zip(results) {
            if let Some(slot) = all.get_mut(*ix) {
                *slot = result;
            }
        }
    }
}

impl Shards {
    /// Returns the servers of a log whose lanes are all in one database.
    pub fn single(home: PgPool) -> Shards {
        Shards { home, others: Arc::default() }
    }

    /// Returns the servers of a log with lanes in several databases, as they are placed now.
    ///
    /// # Errors
    /// [`StoreError::Shard`] if a lane is on a shard that is not among `others`; any other [`StoreError`] if the
    /// home cannot be reached or refuses the statement.
    pub(crate) async fn with_others(home: PgPool, others: Vec<Shard>) -> Result<Shards, StoreError> {
        let shards = Shards::unplaced(home, others);
        shards.reload().await?;
        Ok(shards)
    }

    /// Returns the servers of a log whose lanes and corpora are all at home.
    pub(super) fn unplaced(home: PgPool, others: Vec<Shard>) -> Shards {
        Shards { home, others: Arc::new(OtherShards { shards: others, ..OtherShards::default() }) }
    }

    /// Returns the same servers with other connections to the home's database, such as those of a replica.
    pub(crate) fn with_home(&self, home: PgPool) -> Shards {
        Shards { home, others: Arc::clone(&self.others) }
    }

    /// Returns the home's database.
    pub fn home(&self) -> &PgPool {
        &self.home
    }

    /// Returns the shards other than the home.
    pub fn others(&self) -> &[Shard] {
        &self.others.shards
    }

    /// Returns the databases, that of the home first.
    pub fn pools(&self) -> impl Iterator<Item = &PgPool> {
        std::iter::once(&self.home).chain(self.others.shards.iter().map(|shard| &shard.pool))
    }

    /// Returns the database of a shard by its name.
    pub(crate) fn named(&self, name: &str) -> Option<&PgPool> {
        if name == HOME {
            return Some(&self.home);
        }
        self.others.shards.iter().find(|shard| shard.name == name).map(|shard| &shard.pool)
    }

    /// Returns the names of the shards, the home first.
    pub fn names(&self) -> Vec<&str> {
        std::iter::once(HOME).chain(self.others.shards.iter().map(|shard| shard.name.as_str())).collect()
    }

    /// Returns the name of the shard that holds a lane.
    pub fn name_of(&self, lane: i16) -> &str {
        self.name_at(self.place(lane))
    }

    /// Returns the database that holds a lane.
    pub fn of_lane(&self, lane: i16) -> &PgPool {
        self.at(self.place(lane))
    }

    /// Returns the database that holds the events of a debate.
    pub fn of(&self, debate: DebateId) -> &PgPool {
        self.of_lane(lane_of(debate))
    }

    /// Returns the database of a server by its number.
    pub(crate) fn at(&self, place: usize) -> &PgPool {
        self.numbered(place).map_or(&self.home, |shard| &shard.pool)
    }

    /// Returns the name of a server by its number.
    pub(crate) fn name_at(&self, place: usize) -> &str {
        self.numbered(place).map_or(HOME, |shard| &shard.name)
    }

    fn numbered(&self, place: usize) -> Option<&Shard> {
        place.checked_sub(1).and_then(|ix| self.others.shards.get(ix))
    }

    /// Returns the number of a lane's server: 0 for the home.
    pub(crate) fn place(&self, lane: i16) -> usize {
        self.others.places.get(lane as usize).map_or(0, |place| usize::from(place.load(Ordering::Acquire)))
    }

    /// Returns whether the home holds a lane.
    pub(crate) fn is_at_home(&self, lane: i16) -> bool {
        self.place(lane) == 0
    }

    /// Returns the lanes that the home holds.
    pub(crate) fn lanes_at_home(&self) -> LaneSet {
        (0..LANES).filter(|lane| self.is_at_home(*lane)).collect()
    }

    /// Returns the known placement of corpora.
    pub(super) fn corpus_places(&self) -> Arc<Places> {
        self.others.corpora.now()
    }

    /// Returns the known placement of the vectors of questions.
    pub(crate) fn question_placement(&self) -> QuestionPlacement {
        self.others.questions.now()
    }

    /// Replaces the known placement of the vectors of questions. Returns whether it differs.
    pub(super) fn place_questions(&self, placement: QuestionPlacement) -> bool {
        self.others.questions.replace(placement)
    }

    /// Groups the items of a request by the server that holds the lane of each, in the order of the servers.
    pub(crate) fn grouped<T>(&self, items: &[T], lane: impl Fn(&T) -> i16) -> Vec<Group<'_>> {
        self.grouped_by_place(items, |item| self.place(lane(item)))
    }

    /// Groups the items of a request by the number of the server of each, in the order of the servers.
    pub(super) fn grouped_by_place<T>(&self, items: &[T], place: impl Fn(&T) -> usize) -> Vec<Group<'_>> {
        let places: Vec<usize> = items.iter().map(place).collect();
        let group = |(place, pool)| {
            let indexes: Vec<usize> =
                places.iter().enumerate().filter(|(_, of)| **of == place).map(|(ix, _)| ix).collect();
            (!indexes.is_empty()).then_some(Group { pool, indexes })
        };
        self.pools().enumerate().filter_map(group).collect()
    }

    /// Reads where the lanes, the corpora and the vectors of questions are. Returns whether any have moved.
    ///
    /// # Errors
    /// [`StoreError::Shard`] if any are on a shard that is not configured; any other [`StoreError`] if the home
    /// cannot be reached or refuses a statement. Then the former placement stays.
    pub async fn reload(&self) -> Result<bool, StoreError> {
        let mut places = [0_u8; LANES as usize];
        for PlacedLane { lane, shard, .. } in self.placement().await? {
            let place = self.place_of_shard(&shard).and_then(|place| u8::try_from(place).ok());
            let Some(place) = place else {
                return Err(ShardError::Unknown { what: format!("lane {lane} of the log is"), shard }.into());
            };
            if let Some(known) = places.get_mut(lane as usize) {
                *known = place;
            }
        }
        let corpora = self.corpora_elsewhere().await?;
        let questions = self.read_question_placement(&self.home).await?;
        let moved = |(known, place): (&AtomicU8, u8)| known.swap(place, Ordering::AcqRel) != place;
        let lanes_moved = self.others.places.iter().zip(places).map(moved).fold(false, |any, moved| any | moved);
        Ok(self.place_corpora(corpora) | self.place_questions(questions) | lanes_moved)
    }

    /// Replaces the known placement of corpora. Returns whether it differs.
    pub(super) fn place_corpora(&self, places: Places) -> bool {
        self.others.corpora.replace(places)
    }

    /// Returns the number of a shard's server: 0 for the home; `None` if there is no shard of this name.
    pub(crate) fn place_of_shard(&self, name: &str) -> Option<usize> {
        self.names().iter().position(|known| *known == name)
    }

    /// Reads which corpora are on servers other than the home, and on which.
    async fn corpora_elsewhere(&self) -> Result<Places, StoreError> {
        let attempt = StoreError::database("read where the corpora are");
        let sql = "select id, shard from corpus_owners where shard <> $1";
        let rows: Vec<(String, String)> =
            sqlx::query_as(sql).bind(HOME).fetch_all(&self.home).await.map_err(&attempt)?;
        let mut places = HashMap::with_capacity(rows.len());
        for (owner, shard) in rows {
            let Some(place) = self.place_of_shard(&shard) else {
                return Err(ShardError::Unknown { what: format!("the corpus of {owner} is"), shard }.into());
            };
            let owner = owner.parse().map_err(|error| attempt(sqlx::Error::Decode(Box::new(error))))?;
            places.insert(owner, place);
        }
        Ok(places)
    }

    /// Returns where the lanes are that were ever moved, in the order of their numbers. The home holds the others.
    ///
    /// # Errors
    /// [`StoreError`] if the home cannot be reached or refuses the statement.
    pub async fn placement(&self) -> Result<Vec<PlacedLane>, StoreError> {
        let rows: Vec<(i16, String, i64)> = sqlx::query_as("select lane, shard, epoch from lane_shards order by lane")
            .fetch_all(&self.home)
            .await
            .map_err(StoreError::database("read where the lanes of the log are"))?;
        Ok(rows.into_iter().map(|(lane, shard, epoch)| PlacedLane { lane, shard, epoch }).collect())
    }

    /// Closes all connections.
    pub async fn close(&self) {
        for pool in self.pools() {
            pool.close().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(name: &str) -> PgPool {
        PgPool::connect_lazy(&format!("postgres://{name}/faultline")).expect("an address")
    }

    fn names(shards: &Shards, lanes: &[i16]) -> Vec<(String, Vec<i16>)> {
        let host = |pool: &PgPool| pool.connect_options().get_host().to_owned();
        let groups = shards.grouped(lanes, |lane| *lane);
        groups.iter().map(|group| (host(group.pool), group.of(lanes))).collect()
    }

    #[tokio::test]
    async fn items_are_grouped_by_the_server_of_their_lane_and_results_put_back_in_order() {
        let others = ["b", "c"].map(|name| Shard { name: name.to_owned(), pool: pool(name) }).to_vec();
        let shards = Shards::unplaced(pool("a"), others);
        assert_eq!(names(&shards, &[3, 1]), [("a".to_owned(), vec![3, 1])], "at first all lanes are at home");
        for (lane, place) in [(1, 2), (3, 1), (4, 2)] {
            shards.others.places[lane].store(place, Ordering::Release);
        }
        let lanes = [4, 3, 0, 1];
        let wanted = [("a", vec![0]), ("b", vec![3]), ("c", vec![4, 1])].map(|(host, lanes)| (host.to_owned(), lanes));
        assert_eq!(names(&shards, &lanes), wanted);
        assert_eq!((shards.name_of(0), shards.name_of(3), shards.name_of(4)), ("home", "b", "c"));
        assert!(shards.is_at_home(2) && !shards.is_at_home(1) && shards.lanes_at_home().contains(15));
        let mut all = vec![String::new(); lanes.len()];
        for group in shards.grouped(&lanes, |lane| *lane) {
            group.place(group.of(&lanes).iter().map(|lane| format!("lane {lane}")).collect(), &mut all);
        }
        assert_eq!(all, ["lane 4", "lane 3", "lane 0", "lane 1"]);
        assert!(shards.grouped(&[] as &[i16], |lane| *lane).is_empty(), "no statement for nothing");
    }
}
