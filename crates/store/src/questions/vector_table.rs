//! Table of the vectors of questions on one server.
//!
//! At home, `question_vectors` has a row for every vector, also for those that are elsewhere: their column is null. On a shard,
//! `shard_question_vectors` has the vectors alone.

use std::collections::BTreeMap;
use std::time::Duration;

use pgvector::HalfVector;
use sqlx::pool::PoolConnection;
use sqlx::{AssertSqlSafe, PgConnection, PgPool, Postgres, Transaction};
use tokio::time::timeout;

use crate::database::transaction::begin;
use crate::shards::question_places::QuestionPlacement;
use crate::shards::shards::Shards;
use crate::stored_embedder::StoredEmbedder;

/// Number of candidates that an index keeps while it searches for the nearest vectors.
const EF_SEARCH: i64 = 200;
/// Time within which a shard has to give a connection to a reader, which can do without its vectors.
const REACHED_WITHIN: Duration = Duration::from_secs(2);

/// Table of vectors on one server.
#[derive(Clone, Copy, Debug)]
pub(super) struct VectorTable<'a> {
    /// Connections to the server.
    pub(super) pool: &'a PgPool,
    pub(super) is_home: bool,
}

/// Vector of a question, with the id of its embedder.
pub(super) type PlacedVector = (i16, i64, HalfVector);

/// Search for the vectors that are near some given ones.
pub(super) struct NearSearch<'a> {
    pub(super) by: &'a StoredEmbedder,
    /// Vectors by their questions.
    pub(super) given: &'a BTreeMap<i64, HalfVector>,
    /// Minimum cosine.
    pub(super) least: f32,
    /// Maximum number of vectors found for each.
    pub(super) limit: i64,
}

/// Connection to the server of a table: the transaction at home, or one of its own on a shard.
pub(super) enum TableConnection<'a> {
    /// Transaction at home.
    Home(&'a mut PgConnection),
    /// Transaction on a shard.
    Shard(Transaction<'static, Postgres>),
}

impl TableConnection<'_> {
    pub(super) fn get(&mut self) -> &mut PgConnection {
        match self {
            TableConnection::Home(connection) => connection,
            TableConnection::Shard(transaction) => transaction,
        }
    }

    /// Commits what was done on a shard. The transaction at home goes on.
    pub(super) async fn commit(self) -> Result<(), sqlx::Error> {
        match self {
            TableConnection::Home(_) => Ok(()),
            TableConnection::Shard(transaction) => transaction.commit().await,
        }
    }
}

/// Returns the tables that hold vectors, in the order in which they are asked.
pub(super) fn vector_tables(shards: &Shards, placement: QuestionPlacement) -> Vec<VectorTable<'_>> {
    placement.servers().map(|place| VectorTable::at(shards, place)).collect()
}

impl<'a> VectorTable<'a> {
    /// Returns the table of a server by its number.
    pub(super) fn at(shards: &'a Shards, place: usize) -> VectorTable<'a> {
        VectorTable { pool: shards.at(place), is_home: place == 0 }
    }

    /// Returns the name of the table.
    pub(super) fn name(self) -> &'static str {
        if self.is_home { "question_vectors" } else { "shard_question_vectors" }
    }

    /// Connects to the server of the table, from within a transaction at home.
    pub(super) async fn connect<'c>(self, home: &'c mut PgConnection) -> Result<TableConnection<'c>, sqlx::Error> {
        Ok(match self.is_home {
            true => TableConnection::Home(home),
            false => TableConnection::Shard(begin(self.pool).await?),
        })
    }

    /// Returns those of the questions' vectors that are here.
    pub(super) async fn vectors(
        self,
        on: &mut PgConnection,
        by: &StoredEmbedder,
        questions: &[i64],
    ) -> Result<Vec<(i64, HalfVector)>, sqlx::Error> {
        let sql = format!(
            "select question, vector
            from {}
            where embedder = $1
            and question = any ($2)
            and vector is not null",
            self.name()
        );
        sqlx::query_as(AssertSqlSafe(sql)).bind(by.id).bind(questions).fetch_all(on).await
    }

    /// Returns those of the questions whose vectors are here.
    pub(super) async fn present(
        self,
        on: &mut PgConnection,
        by: &StoredEmbedder,
        questions: &[i64],
    ) -> Result<Vec<i64>, sqlx::Error> {
        let sql = format!(
            "select question
            from {}
            where embedder = $1
            and question = any ($2)
            and vector is not null",
            self.name()
        );
        sqlx::query_scalar(AssertSqlSafe(sql)).bind(by.id).bind(questions).fetch_all(on).await
    }

    /// Returns the cosines of those of the questions' vectors that are here, and a given one.
    pub(super) async fn cosines(
        self,
        by: &StoredEmbedder,
        vector: &HalfVector,
        questions: &[i64],
    ) -> Result<Vec<(i64, f64)>, sqlx::Error> {
        let sql = format!(
            "select question, 1 - (vector <=> $2)
            from {}
            where embedder = $1
            and question = any ($3)
            and vector is not null",
            self.name()
        );
        let mut reached = self.reach().await?;
        let query = sqlx::query_as(AssertSqlSafe(sql)).bind(by.id).bind(vector).bind(questions);
        query.fetch_all(&mut *reached).await
    }

    /// Connects to the server; to a shard within [`REACHED_WITHIN`].
    pub(super) async fn reach(self) -> Result<PoolConnection<Postgres>, sqlx::Error> {
        match self.is_home {
            true => self.pool.acquire().await,
            false => timeout(REACHED_WITHIN, self.pool.acquire()).await.unwrap_or(Err(sqlx::Error::PoolTimedOut)),
        }
    }

    /// Returns the vectors that are near some given ones: pairs of a given question and another one, with their cosine. The
    /// connection has to be in a transaction. If there is an index, almost all of the nearest are found, else all.
    pub(super) async fn near(
        self,
        on: &mut PgConnection,
        search: &NearSearch<'_>,
    ) -> Result<Vec<(i64, i64, f64)>, sqlx::Error> {
        let NearSearch { by, given, least, limit } = search;
        let (distance, tie) = match self.is_indexed(on, by).await? {
            false => ("others.vector <=> given.vector".to_owned(), ", question"),
            true => {
                // An index serves this order alone, of vectors cast to its width, of an embedder that is no parameter.
                let setting = "select set_config('hnsw.ef_search', $1::text, true)";
                sqlx::query(setting).bind(EF_SEARCH).execute(&mut *on).await?;
                let width = by.width;
                (format!("(others.vector::halfvec({width})) <=> given.vector::halfvec({width})"), "")
            }
        };
        let sql = format!(
            "select given.question, near.question, cosine
            from unnest($1::bigint[], $2::halfvec[]) as given (question, vector)
            cross join lateral (
                select question, 1 - ({distance}) as cosine
                from {table} as others
                where others.embedder = {embedder}
                and others.question <> given.question
                and others.vector is not null
                order by {distance}{tie}
                limit $3
            ) as near
            where cosine >= $4",
            table = self.name(),
            embedder = by.id,
        );
        let (questions, vectors): (Vec<i64>, Vec<HalfVector>) =
            given.iter().map(|(question, vector)| (*question, vector.clone())).unzip();
        let query = sqlx::query_as(AssertSqlSafe(sql)).bind(questions).bind(vectors).bind(limit);
        query.bind(f64::from(*least)).fetch_all(on).await
    }

    /// Stores vectors here. At home, only those that have a row there.
    pub(super) async fn put(self, on: &mut PgConnection, vectors: &[PlacedVector]) -> Result<(), sqlx::Error> {
        let sql = match self.is_home {
            true => {
                "update question_vectors
                set vector = given.vector
                from unnest($1::smallint[], $2::bigint[], $3::halfvec[]) as given (embedder, question, vector)
                where question_vectors.embedder = given.embedder
                and question_vectors.question = given.question
                and question_vectors.vector is null"
            }
            false => {
                "insert into shard_question_vectors (embedder, question, vector)
                select *
                from unnest($1::smallint[], $2::bigint[], $3::halfvec[])
                on conflict (embedder, question) do nothing"
            }
        };
        let embedders: Vec<i16> = vectors.iter().map(|(embedder, ..)| *embedder).collect();
        let questions: Vec<i64> = vectors.iter().map(|(_, question, _)| *question).collect();
        let vectors: Vec<HalfVector> = vectors.iter().map(|(.., vector)| vector.clone()).collect();
        sqlx::query(sql).bind(embedders).bind(questions).bind(vectors).execute(on).await.map(drop)
    }

    /// Returns the vectors here that follow `after`, an embedder and a question, in this order; at most `limit`. At home, their
    /// rows are locked until the end of the transaction.
    pub(super) async fn page(
        self,
        on: &mut PgConnection,
        after: (i16, i64),
        limit: i64,
    ) -> Result<Vec<PlacedVector>, sqlx::Error> {
        let sql = format!(
            "select embedder, question, vector
            from {}
            where (embedder, question) > ($1, $2)
            and vector is not null
            order by embedder, question
            limit $3
            for update",
            self.name()
        );
        sqlx::query_as(AssertSqlSafe(sql)).bind(after.0).bind(after.1).bind(limit).fetch_all(on).await
    }

    /// Removes vectors from here. At home, their rows stay.
    pub(super) async fn remove(self, on: &mut PgConnection, vectors: &[PlacedVector]) -> Result<(), sqlx::Error> {
        let sql = match self.is_home {
            true => {
                "update question_vectors
                set vector = null
                from unnest($1::smallint[], $2::bigint[]) as given (embedder, question)
                where question_vectors.embedder = given.embedder
                and question_vectors.question = given.question"
            }
            false => {
                "delete from shard_question_vectors
                using unnest($1::smallint[], $2::bigint[]) as given (embedder, question)
                where shard_question_vectors.embedder = given.embedder
                and shard_question_vectors.question = given.question"
            }
        };
        let (embedders, questions): (Vec<i16>, Vec<i64>) =
            vectors.iter().map(|(embedder, question, _)| (*embedder, *question)).unzip();
        sqlx::query(sql).bind(embedders).bind(questions).execute(on).await.map(drop)
    }

    /// Counts the vectors here.
    pub(super) async fn count(self) -> Result<i64, sqlx::Error> {
        let sql = format!("select count(vector) from {}", self.name());
        sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(self.pool).await
    }
}
