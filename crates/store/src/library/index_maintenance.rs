//! Index maintenance: updates the data that searches rely on, after passages were added or removed.
//!
//! | data | purpose |
//! |------|---------|
//! | `shelves`: number of passages of each persona | a search chooses between a scan and an index |
//! | `word_counts`: number of passages that contain each word | rare words weigh more than common ones |
//! | a vector index for each large persona, and one for all together | scanning all passages would take too long |
//! | statistics | the planner depends on them |
//!
//! Searches do not wait for it: they use the previous data, also while an index is built, which takes no lock
//! (`concurrently`). One process maintains at a time. An interrupted run leaves at worst an invalid index, which no
//! search uses and the next run replaces.
//!
//! An index contains the vectors of one persona (or of all) by one embedder and nothing else, so that a search never
//! has to skip other rows. In an index over all personas, the passages of a small persona come after those of all
//! others, and a search that stops early finds none of them.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};
use sqlx::{Connection, Executor, PgConnection, PgPool};

use crate::database::pool::{close_unlocked, dedicated};
use crate::database::vector_index::{IndexState, MAX_INDEXED_COMPONENTS, VectorIndex, drop_index, indexes};
use crate::error::StoreError;
use crate::library::open::{Library, LibraryError};
use crate::library::recall::{MAX_SCAN_LIMIT, persona_id};
use crate::stored_embedder::StoredEmbedder;
use faultline_core::events::ids::PersonaId;

/// Maximum number of personas with an index of their own: those with the most passages. Each index slows planning a
/// little.
pub const MAX_OWN_INDEXES: usize = 64;

/// Share of the required number of passages below which an existing index is dropped, so that a library near the
/// threshold does not create and drop it in turn.
const WORTH_KEEPING: f64 = 0.5;

/// Prefix of the names of vector indexes.
const NEAR: &str = "chunk_vectors_near_";

/// Key of the advisory lock of maintenance.
const ALONE: i64 = 0x6c69_6272_6172_7931;

/// Maximum number of times that the counts are attempted.
const COUNT_ATTEMPTS: usize = 4;

/// Result of a maintenance run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MaintenanceReport {
    /// Number of personas whose number of passages was updated.
    pub n_shelves: u64,
    /// Number of words whose count was updated.
    pub n_words: u64,
    /// Names of the indexes that were created.
    pub made: Vec<String>,
    /// Names of the indexes that were dropped.
    pub dropped: Vec<String>,
    /// True if another process was already maintaining a server, so that nothing was done there.
    pub already_running: bool,
}

/// Returns the name of the vector index of one persona's passages, or of all, by an embedder.
pub(super) fn vector_index_name(embedder: i16, persona: Option<&PersonaId>) -> String {
    let of = persona.map_or_else(
        || "all".to_owned(),
        |persona| Sha256::digest(persona.as_str()).iter().take(8).map(|byte| format!("{byte:02x}")).collect(),
    );
    format!("{NEAR}{embedder}_{of}")
}

/// Escapes a persona's id for a quoted SQL literal. Ids contain no quotes; doubling them is a precaution.
pub(super) fn quoted(persona: &PersonaId) -> String {
    persona.as_str().replace('\'', "''")
}

impl MaintenanceReport {
    /// Adds the report of another server.
    fn add(&mut self, other: MaintenanceReport) {
        self.n_shelves += other.n_shelves;
        self.n_words += other.n_words;
        self.made.extend(other.made);
        self.dropped.extend(other.dropped);
        self.already_running |= other.already_running;
    }
}

impl Library {
    /// Updates counts, indexes and statistics for the embedder in use. Call it after an ingest. It takes about a second
    /// for 100,000 passages if only counts have changed, plus the time to build missing indexes.
    ///
    /// # Errors
    /// [`LibraryError::Fault`] if a database cannot be reached or refuses a statement. Earlier steps stay in effect.
    pub async fn maintain(&self) -> Result<MaintenanceReport, LibraryError> {
        self.settle_corpora().await?;
        let mut report = MaintenanceReport::default();
        // Also on servers that have no corpus any more: nothing is left of its words.
        for server in self.servers.pools() {
            report.add(self.maintain_server(server).await?);
        }
        Ok(report)
    }

    /// Does so on one server.
    pub(super) async fn maintain_server(&self, server: &PgPool) -> Result<MaintenanceReport, LibraryError> {
        let attempt = StoreError::database("maintain the library");
        let mut connection = dedicated(server, "tending").await?;
        // Building an index takes longer than the statement timeout of clients.
        connection.execute("set statement_timeout = 0").await.map_err(&attempt)?;
        let alone: bool = sqlx::query_scalar("select pg_try_advisory_lock($1)")
            .bind(ALONE)
            .fetch_one(&mut connection)
            .await
            .map_err(&attempt)?;
        if !alone {
            return Ok(MaintenanceReport { already_running: true, ..MaintenanceReport::default() });
        }
        let (n_shelves, n_words) = count_repeatedly(&mut connection).await?;
        let mut tended = MaintenanceReport { n_shelves, n_words, ..MaintenanceReport::default() };
        if n_shelves > 0 {
            connection
                .execute("analyze chunks, chunk_vectors, sentence_vectors, shelves, word_counts")
                .await
                .map_err(&attempt)?;
        }
        if let Some(by) = self.embedder_in_use().await? {
            index(&mut connection, &by, &mut tended).await?;
        }
        close_unlocked(connection).await.map_err(attempt)?;
        Ok(tended)
    }
}

/// Updates the counts; again if they were changed at the same time, as they are when an owner is removed.
async fn count_repeatedly(connection: &mut PgConnection) -> Result<(u64, u64), StoreError> {
    for _ in 1..COUNT_ATTEMPTS {
        match count(connection).await {
            Err(fault) if fault.is_transient() => tracing::debug!(%fault, "counting the library again"),
            counted => return counted,
        }
    }
    count(connection).await
}

/// Updates the counts; writes only those that have changed.
async fn count(connection: &mut PgConnection) -> Result<(u64, u64), StoreError> {
    let attempt = StoreError::database("count the library");
    let mut tx = connection.begin().await.map_err(&attempt)?;
    // The isolation level makes both counts refer to the same state.
    tx.execute("set transaction isolation level repeatable read").await.map_err(&attempt)?;
    tx.execute(COUNTED).await.map_err(&attempt)?;
    let mut written = [0, 0];
    for (n, statements) in written.iter_mut().zip([&SHELVES[..], &WORDS[..]]) {
        for sql in statements {
            *n += tx.execute(*sql).await.map_err(&attempt)?.rows_affected();
        }
    }
    tx.commit().await.map_err(attempt)?;
    Ok((written[0], written[1]))
}

const SHELVES: [&str; 2] = [
    "delete from shelves
    where not exists (select from chunks where chunks.persona = shelves.persona)",
    "insert into shelves (persona, n_passages)
    select persona, count(*)
    from chunks
    group by persona
    on conflict (persona) do update
    set n_passages = excluded.n_passages
    where shelves.n_passages <> excluded.n_passages",
];

const COUNTED: &str = "
    create temporary table counted on commit drop as
    select word, ndoc::bigint as n_passages
    from ts_stat('select words from chunks')";

const WORDS: [&str; 2] = [
    "delete from word_counts
    using word_counts as noted
    left join counted using (word)
    where counted.word is null and word_counts.word = noted.word",
    "insert into word_counts (word, n_passages)
    select word, n_passages
    from counted
    on conflict (word) do update
    set n_passages = excluded.n_passages
    where word_counts.n_passages <> excluded.n_passages",
];

/// Indexes by name, each with its persona and its number of passages.
type Wanted = BTreeMap<String, (Option<PersonaId>, i64)>;

/// Creates missing indexes, replaces those that were built with other parameters, and drops invalid ones and those that are no
/// longer needed.
async fn index(
    connection: &mut PgConnection,
    by: &StoredEmbedder,
    tended: &mut MaintenanceReport,
) -> Result<(), LibraryError> {
    let attempt = StoreError::database("maintain the indexes of the library");
    let there = indexes(connection, "chunk_vectors", NEAR).await.map_err(&attempt)?;
    let (width, wanted) = wanted(connection, by, &there).await?;
    for (name, state) in &there {
        if !state.is_usable() || !wanted.contains_key(name) {
            drop_index(connection, name).await.map_err(&attempt)?;
            tended.dropped.push(name.clone());
        }
    }
    for (name, (persona, n)) in wanted {
        let only = persona.map_or_else(String::new, |it| format!(" and persona = '{}'", quoted(&it)));
        let condition = format!("embedder = {}{only}", by.id);
        let index = VectorIndex { name: &name, table: "chunk_vectors", width, n_vectors: n, condition: &condition };
        let usable = there.get(&name).copied().filter(|state| state.is_usable());
        if index.provide(connection, usable).await.map_err(&attempt)? {
            tended.made.push(name);
        }
    }
    Ok(())
}

/// Returns the width of an embedder's vectors and the indexes that it should have.
async fn wanted(
    connection: &mut PgConnection,
    by: &StoredEmbedder,
    there: &BTreeMap<String, IndexState>,
) -> Result<(i32, Wanted), LibraryError> {
    let attempt = StoreError::database("decide which indexes the library needs");
    let width = sqlx::query_scalar("select width from embedders where id = $1").bind(by.id);
    let width: Option<i32> = width.fetch_optional(&mut *connection).await.map_err(&attempt)?;
    let Some(width) = width.filter(|width| *width <= MAX_INDEXED_COMPONENTS) else {
        return Ok((0, BTreeMap::new()));
    };
    let sql = r#"
        select persona, n_passages
        from shelves
        order by n_passages desc, persona collate "C""#;
    let shelves: Vec<(String, i64)> = sqlx::query_as(sql).fetch_all(&mut *connection).await.map_err(&attempt)?;
    let mut candidates = vec![(None, shelves.iter().map(|(_, n)| n).sum())];
    for (persona, n) in shelves.into_iter().take(MAX_OWN_INDEXES) {
        candidates.push((Some(persona_id(&persona).map_err(&attempt)?), n));
    }
    let named = candidates.into_iter().map(|(persona, n)| (vector_index_name(by.id, persona.as_ref()), persona, n));
    let is_wanted = |name: &str, n: i64| {
        let least = if there.contains_key(name) { WORTH_KEEPING } else { 1.0 };
        n as f64 > MAX_SCAN_LIMIT as f64 * least
    };
    let wanted = named.filter(|(name, _, n)| is_wanted(name, *n)).map(|(name, persona, n)| (name, (persona, n)));
    Ok((width, wanted.collect()))
}
