//! Pairs of similar questions: compares each vector once with all others.
//!
//! No pair is missed: a vector is compared in a statement that begins after its own commit, so of two vectors the one
//! committed last sees the other. That holds across servers too: a shard's statement begins after the vectors to compare were
//! read, and so does one at home.
//!
//! Questions that are being deleted are not waited for, as in [the queue](crate::questions::embedding_queue); what is similar
//! to one of them is compared again later, because a deletion may be rolled back.

use std::collections::{BTreeMap, BTreeSet};

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
    /// `least`. Returns the number of vectors compared. Skips vectors locked by another process, and those that would be paired
    /// with a question that another transaction is deleting. Costs 0.5 ms per
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
        let nearest = nearest(found);
        let (compared, lost): (Vec<i64>, Vec<i64>) = due.iter().partition(|id| vectors.contains_key(id));
        let questions = Questions::lock(&mut held, &nearest).await.map_err(&attempt)?;
        let (pairs, compared) = questions.settle(nearest, compared);
        save(&mut held, by, &pairs, &compared).await.map_err(&attempt)?;
        embed_again(&mut held, by, &lost).await.map_err(&attempt)?;
        held.commit().await.map_err(attempt)?;
        Ok((compared.len() + lost.len()) as u64)
    }
}

/// Questions of pairs that were found.
struct Questions {
    /// Locked against deletion.
    locked: BTreeSet<i64>,
    /// Deleted by transactions that have not ended.
    in_deletion: BTreeSet<i64>,
}

impl Questions {
    async fn lock(held: &mut PgConnection, pairs: &Pairs) -> Result<Questions, sqlx::Error> {
        let all: BTreeSet<i64> = pairs.keys().flat_map(|(one, other)| [*one, *other]).collect();
        let all: Vec<i64> = all.into_iter().collect();
        let locked: BTreeSet<i64> = lock_against_deletion(held, &all).await?.into_iter().collect();
        if locked.len() == all.len() {
            return Ok(Questions { locked, in_deletion: BTreeSet::new() });
        }
        let others: Vec<i64> = all.into_iter().filter(|question| !locked.contains(question)).collect();
        let sql = "select id from questions where id = any ($1)";
        let in_deletion: Vec<i64> = sqlx::query_scalar(sql).bind(others).fetch_all(held).await?;
        Ok(Questions { locked, in_deletion: in_deletion.into_iter().collect() })
    }

    /// Returns the pairs of questions that are there to stay, and the compared ones of which all pairs are known.
    fn settle(&self, mut pairs: Pairs, mut compared: Vec<i64>) -> (Pairs, Vec<i64>) {
        let is_open = |(one, other): &&(i64, i64)| self.in_deletion.contains(one) || self.in_deletion.contains(other);
        let open: BTreeSet<i64> = pairs.keys().filter(is_open).flat_map(|(one, other)| [*one, *other]).collect();
        compared.retain(|question| !open.contains(question));
        pairs.retain(|(one, other), _| self.locked.contains(one) && self.locked.contains(other));
        (pairs, compared)
    }
}

/// Locks some vectors that were not compared yet, and their questions against deletion.
async fn claim(held: &mut PgConnection, by: &StoredEmbedder, limit: u32) -> Result<Vec<i64>, sqlx::Error> {
    let sql = "
        select question
        from question_vectors
        where embedder = $1 and not paired
        order by question
        limit $2
        for update skip locked";
    let due: Vec<i64> = sqlx::query_scalar(sql).bind(by.id).bind(i64::from(limit)).fetch_all(&mut *held).await?;
    // By ids and not by a join, for which the planner might read all questions.
    lock_against_deletion(held, &due).await
}

/// Locks questions until the end of the transaction and returns them, without those that are deleted or being deleted.
async fn lock_against_deletion(held: &mut PgConnection, questions: &[i64]) -> Result<Vec<i64>, sqlx::Error> {
    let sql = "
        select id
        from questions
        where id = any ($1)
        order by id
        for key share skip locked";
    sqlx::query_scalar(sql).bind(questions).fetch_all(held).await
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
    fn what_is_similar_to_a_question_in_deletion_is_compared_again() {
        let pairs = Pairs::from([((1, 2), 0.9), ((1, 3), 0.8), ((2, 4), 0.7)]);
        // Question 3 is gone; 4 may come back.
        let questions = Questions { locked: BTreeSet::from([1, 2]), in_deletion: BTreeSet::from([4]) };
        assert_eq!(questions.settle(pairs, vec![1, 2]), (Pairs::from([((1, 2), 0.9)]), vec![1]));
    }

    #[test]
    fn the_nearest_on_all_servers_are_chosen_once_each() {
        let found = vec![(1, 7, 0.8), (1, 5, 0.9), (5, 1, 0.9), (1, 5, 0.9)];
        assert_eq!(nearest(found), Pairs::from([((1, 5), 0.9), ((1, 7), 0.8)]));
        let many: Vec<(i64, i64, f64)> = (2..200).map(|other| (1, other, other as f64 / 1_000.0)).collect();
        let kept = nearest(many);
        assert_eq!((kept.len() as i64, kept.keys().next()), (MAX_PAIRS, Some(&(1, 136))));
    }
}
