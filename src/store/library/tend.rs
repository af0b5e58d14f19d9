//! Tending the library: what makes searches quick and good, brought up to date after passages came or went.
//!
//! | what | why |
//! |------|-----|
//! | `shelves`: how much each persona wrote | a search of few passages goes about it otherwise than one of many |
//! | `word_counts`: in how many passages each word stands | a rare word tells more than a common one |
//! | an index over nearness for each persona with much, one for all together | looking at each would take too long |
//! | statistics | the planner chooses by them |
//!
//! Nobody waits for it: searches go on with what was there before, also while an index is built, which is done without a
//! lock (`concurrently`). One tends at a time. Whoever is cut off leaves at worst an index that is not valid, which no
//! search uses and the next tending makes anew.
//!
//! An index holds one persona's vectors (or everybody's) by one embedder and nothing else, so that a search never has to
//! pass over what it did not ask for: in an index over everybody, the passages of a small persona lie behind those of
//! all others, and a search that stops early finds none of them.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

use crate::events::ids::PersonaId;
use crate::store::fault::Fault;
use crate::store::library::open::{Library, LibraryError, StoredEmbedder};
use crate::store::library::recall::{ONE_BY_ONE, persona_id};
use crate::store::pool::dedicated;

/// The most personas that have an index of their own: those with most passages. Each makes planning a little slower.
pub const OWN_INDEXES: usize = 64;

/// An index is dropped where fewer passages are left than this share of what it is made for, so that a library at the
/// limit is not made and dropped by turns.
const WORTH_KEEPING: f64 = 0.5;

/// The most components of a vector that an index takes; wider ones are looked at one by one.
const INDEXED_COMPONENTS: i32 = 4_000;

/// Neighbours that an index notes for each vector, and how many candidates it weighs for them.
const NEIGHBOURS: i32 = 16;
const CANDIDATES: i32 = 64;

/// The memory, in bytes, in which an index is built: as much as its graph takes, between these. A graph that outgrows its
/// memory is finished on disk, which takes many times as long. With vectors of 384 components the most is enough for
/// 1,300,000 passages.
const BUILT_IN_LEAST: i64 = 64 << 20;
const BUILT_IN_MOST: i64 = 2 << 30;

/// What a passage takes in a graph beside its vector, in bytes: its neighbours on every floor, and what points to them. Of
/// vectors of 384 components 43,382 went into 61 MiB, which is 707 beside each.
const BESIDE_VECTOR: i64 = 800;

/// How indexes over nearness begin.
const NEAR: &str = "chunk_vectors_near_";

/// Under which one who tends is alone.
const ALONE: i64 = 0x6c69_6272_6172_7931;

/// What a tending did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tended {
    /// Personas whose number of passages was another than noted.
    pub n_shelves: u64,
    /// Words whose count was another than noted.
    pub n_words: u64,
    /// Indexes that were made.
    pub made: Vec<String>,
    /// Indexes that were dropped.
    pub dropped: Vec<String>,
    /// Whether somebody else was at it, and nothing was done.
    pub elsewhere: bool,
}

/// The name of the index over nearness of one persona's passages, or everybody's, by an embedder.
pub(super) fn near_index(embedder: i16, persona: Option<&PersonaId>) -> String {
    let of = persona.map_or_else(
        || "all".to_owned(),
        |it| Sha256::digest(it.as_str()).iter().take(8).map(|byte| format!("{byte:02x}")).collect(),
    );
    format!("{NEAR}{embedder}_{of}")
}

/// A persona's id as it stands between the quotes of a statement. It has no quotes itself; doubling them costs nothing.
pub(super) fn quoted(persona: &PersonaId) -> String {
    persona.as_str().replace('\'', "''")
}

impl Library {
    /// Brings counts, indexes and statistics up to date, for the embedder in use. To be called after an ingest; takes
    /// about a second for 100,000 passages where only counts have changed, and as long as the index takes where one is
    /// to be built.
    ///
    /// # Errors
    /// The database's fault. What was done until then stays.
    pub async fn tend(&self) -> Result<Tended, LibraryError> {
        let attempt = Fault::database("tend the library");
        let mut connection = dedicated(&self.pool, "tending").await?;
        // Building takes longer than a statement of a client may.
        connection.execute("set statement_timeout = 0").await.map_err(&attempt)?;
        let alone: bool = sqlx::query_scalar("select pg_try_advisory_lock($1)")
            .bind(ALONE)
            .fetch_one(&mut connection)
            .await
            .map_err(&attempt)?;
        if !alone {
            return Ok(Tended { elsewhere: true, ..Tended::default() });
        }
        let (n_shelves, n_words) = count(&mut connection).await?;
        let mut tended = Tended { n_shelves, n_words, ..Tended::default() };
        if n_shelves > 0 {
            connection
                .execute("analyze chunks, chunk_vectors, sentence_vectors, shelves, word_counts")
                .await
                .map_err(&attempt)?;
        }
        if let Some(by) = self.embedder_in_use().await? {
            index(&mut connection, &by, &mut tended).await?;
        }
        // The lock goes with the connection.
        connection.close().await.map_err(attempt)?;
        Ok(tended)
    }
}

/// Notes how much there is of everything; what is noted already is not written again.
async fn count(connection: &mut PgConnection) -> Result<(u64, u64), Fault> {
    let attempt = Fault::database("count the library");
    let mut tx = connection.begin().await.map_err(&attempt)?;
    // Both counts are of one moment.
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

/// Indexes by their names: whose each is, and of how many passages.
type Wanted = BTreeMap<String, (Option<PersonaId>, i64)>;

/// Makes the indexes that are wanted and drops those that are not.
async fn index(connection: &mut PgConnection, by: &StoredEmbedder, tended: &mut Tended) -> Result<(), LibraryError> {
    let attempt = Fault::database("look after the indexes of the library");
    let sql = "
        select relname, indisvalid
        from pg_index
        join pg_class on pg_class.oid = indexrelid
        where indrelid = 'chunk_vectors'::regclass and starts_with(relname, $1)";
    let there: Vec<(String, bool)> =
        sqlx::query_as(sql).bind(NEAR).fetch_all(&mut *connection).await.map_err(&attempt)?;
    let there: BTreeMap<String, bool> = there.into_iter().collect();
    let (width, wanted) = wanted(connection, by, &there).await?;
    for (name, valid) in &there {
        if !valid || !wanted.contains_key(name) {
            let sql = format!("drop index concurrently if exists {name}");
            connection.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await.map_err(&attempt)?;
            tended.dropped.push(name.clone());
        }
    }
    for (name, (persona, n)) in wanted {
        if there.get(&name) == Some(&true) {
            continue;
        }
        let only = persona.map_or_else(String::new, |it| format!(" and persona = '{}'", quoted(&it)));
        let setting = format!("set maintenance_work_mem = '{}kB'", built_in(width, n) >> 10);
        connection.execute(sqlx::raw_sql(AssertSqlSafe(setting))).await.map_err(&attempt)?;
        let sql = format!(
            "create index concurrently {name}
            on chunk_vectors using hnsw ((vector::halfvec({width})) halfvec_cosine_ops)
            with (m = {NEIGHBOURS}, ef_construction = {CANDIDATES})
            where embedder = {}{only}",
            by.id,
        );
        connection.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await.map_err(&attempt)?;
        tended.made.push(name);
    }
    Ok(())
}

/// The memory in which an index of so many vectors is built, in bytes.
fn built_in(width: i32, n: i64) -> i64 {
    n.saturating_mul(2 * i64::from(width) + BESIDE_VECTOR).clamp(BUILT_IN_LEAST, BUILT_IN_MOST)
}

/// The width of an embedder's vectors, and the indexes that it should have, with whose they are and of how many passages.
async fn wanted(
    connection: &mut PgConnection,
    by: &StoredEmbedder,
    there: &BTreeMap<String, bool>,
) -> Result<(i32, Wanted), LibraryError> {
    let attempt = Fault::database("see which indexes the library wants");
    let width = sqlx::query_scalar("select width from embedders where id = $1").bind(by.id);
    let width: Option<i32> = width.fetch_optional(&mut *connection).await.map_err(&attempt)?;
    let Some(width) = width.filter(|it| *it <= INDEXED_COMPONENTS) else {
        return Ok((0, BTreeMap::new()));
    };
    let sql = r#"
        select persona, n_passages
        from shelves
        order by n_passages desc, persona collate "C""#;
    let shelves: Vec<(String, i64)> = sqlx::query_as(sql).fetch_all(&mut *connection).await.map_err(&attempt)?;
    let mut candidates = vec![(None, shelves.iter().map(|(_, n)| n).sum())];
    for (persona, n) in shelves.into_iter().take(OWN_INDEXES) {
        candidates.push((Some(persona_id(&persona).map_err(&attempt)?), n));
    }
    let named = candidates.into_iter().map(|(persona, n)| (near_index(by.id, persona.as_ref()), persona, n));
    let is_wanted = |name: &str, n: i64| {
        let least = if there.contains_key(name) { WORTH_KEEPING } else { 1.0 };
        n as f64 > ONE_BY_ONE as f64 * least
    };
    let wanted = named.filter(|(name, _, n)| is_wanted(name, *n)).map(|(name, persona, n)| (name, (persona, n)));
    Ok((width, wanted.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_built_in_as_much_memory_as_its_graph_takes() {
        assert_eq!(built_in(384, 0), BUILT_IN_LEAST);
        assert_eq!(built_in(384, 100_000), 100_000 * (768 + 800));
        assert!(built_in(384, 1_300_000) < BUILT_IN_MOST);
        assert_eq!(built_in(384, 1_400_000), BUILT_IN_MOST);
        assert_eq!(built_in(INDEXED_COMPONENTS, i64::MAX), BUILT_IN_MOST);
    }
}
