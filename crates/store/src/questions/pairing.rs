//! Pairs of similar questions: compares each vector once with all others.
//!
//! No pair is missed: a vector is compared in a statement that begins after its own commit, so of two vectors the one
//! committed last sees the other. That holds across servers too: a shard's statement begins after the vectors to compare were
//! read, and so does one at home.

use std::collections::BTreeMap;

use pgvector::HalfVector;
use sqlx::PgConnection;

use crate::database::transaction::begin;
use crate::error::StoreError;
use crate::questions::lost_vectors::embed_again;
use crate::questions::vector_table::{NearSearch, vector_tables};
use crate::stored_embedder::StoredEmbedder;
use crate::views::views::Views;

/// Maximum number of pairs stored when a question is paired, with the nearest existing ones. Later questions add their
/// own.
pub const MAX_PAIRS: i64 = 64;

const ATTEMPT: &str = "pair questions";

/// Cosines of pairs of questions, the lesser id first.
type Pairs = BTreeMap<(i64, i64), f64>;

impl Views {
    /// Compares some unpaired vectors with all others of their embedder, and stores the pairs with a cosine of at least
    /// `least`. Returns the number of vectors compared. Skips vectors locked by another process. Costs 0.5 ms per
    /// vector and thousand vectors it is compared with, unless there is an index, which finds the nearest ones.
    ///
    /// # Errors
    /// [`StoreError`] if a database cannot be reached or refuses a statement. Then nothing was stored.
    pub async fn pair_questions(&self, by: &StoredEmbedder, least: f32, limit: u32) -> Result<u64, StoreError> {
        let attempt = StoreError::database(ATTEMPT);
        let mut held = begin(&self.pool).await.map_err(&attempt)?;
        let placement = self.shards.hold_question_placement(&mut *held).await?;
        let due = claim(&mut held, by, limit).await.map_err(&attempt)?;
        if due.is_empty() {
            return Ok(0);
        }
        let tables = vector_tables(&self.shards, placement);
        let mut vectors: BTreeMap<i64, HalfVector> = BTreeMap::new();
        for table in &tables {
            let mut server = table.connect(&mut held).await.map_err(&attempt)?;
            vectors.extend(table.vectors(server.get(), by, &due).await.map_err(&attempt)?);
        }
        let mut found = Vec::new();
        for table in &tables {
            let mut server = table.connect(&mut held).await.map_err(&attempt)?;
            let search = NearSearch { by, given: &vectors, least, limit: MAX_PAIRS };
            found.extend(table.near(server.get(), &search).await.map_err(&attempt)?);
        }
        let (compared, lost): (Vec<i64>, Vec<i64>) = due.iter().partition(|id| vectors.contains_key(id));
        save(&mut held, by, &nearest(found), &compared).await.map_err(&attempt)?;
        embed_again(&mut held, by, &lost).await.map_err(&attempt)?;
        held.commit().await.map_err(attempt)?;
        Ok(due.len() as u64)
    }
}

/// Locks some questions whose vectors were not compared yet.
async fn claim(held: &mut PgConnection, by: &StoredEmbedder, limit: u32) -> Result<Vec<i64>, sqlx::Error> {
    let sql = "
        select question
        from question_vectors
        where embedder = $1 and not paired
        order by question
        limit $2
        for update skip locked";
    sqlx::query_scalar(sql).bind(by.id).bind(i64::from(limit)).fetch_all(held).await
}

/// Chooses the nearest of those that were found for each question, on all servers.
fn nearest(mut found: Vec<(i64, i64, f64)>) -> Pairs {
    found.sort_by(|(one, other, cosine), (next, beside, less)| {
        one.cmp(next).then(less.total_cmp(cosine)).then(other.cmp(beside))
    });
    // A vector that was being moved was found on both servers.
    found.dedup_by_key(|(one, other, _)| (*one, *other));
    let of_one = found.chunk_by(|(one, ..), (next, ..)| one == next);
    let kept = of_one.flat_map(|near| near.iter().take(MAX_PAIRS as usize));
    kept.map(|(one, other, cosine)| ((*one.min(other), *one.max(other)), *cosine)).collect()
}

/// Stores pairs, and that these questions were compared.
async fn save(
    held: &mut PgConnection,
    by: &StoredEmbedder,
    pairs: &Pairs,
    compared: &[i64],
) -> Result<(), sqlx::Error> {
    let (ones, others): (Vec<i64>, Vec<i64>) = pairs.keys().copied().unzip();
    let cosines: Vec<f64> = pairs.values().copied().collect();
    let sql = "
        with kept as (
            insert into question_pairs (embedder, one, other, cosine)
            select $1, one, other, cosine
            from unnest($2::bigint[], $3::bigint[], $4::float8[]) as pairs (one, other, cosine)
            join questions as first on first.id = one
            join questions as second on second.id = other
            order by one, other
            on conflict (embedder, one, other) do nothing
        ),
        done as (
            delete from question_queue
            where embedder = $1 and question = any ($5)
        )
        update question_vectors
        set paired = true
        where embedder = $1 and question = any ($5)";
    let query = sqlx::query(sql).bind(by.id).bind(ones).bind(others).bind(cosines).bind(compared);
    query.execute(held).await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_on_all_servers_are_chosen_once_each() {
        let found = vec![(1, 7, 0.8), (1, 5, 0.9), (5, 1, 0.9), (1, 5, 0.9)];
        assert_eq!(nearest(found), Pairs::from([((1, 5), 0.9), ((1, 7), 0.8)]));
        let many: Vec<(i64, i64, f64)> = (2..200).map(|other| (1, other, other as f64 / 1_000.0)).collect();
        let kept = nearest(many);
        assert_eq!((kept.len() as i64, kept.keys().next()), (MAX_PAIRS, Some(&(1, 136))));
    }
}
