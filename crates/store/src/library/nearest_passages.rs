//! Statement that finds the passages nearest in meaning to a search, on one server.
//!
//! | part | content |
//! |------|---------|
//! | `asked` | the search as a vector, and the settings of the vector index |
//! | `near` | the nearest passages: of few, by a scan of all; of many, by a vector index |
//!
//! The result has the cosine of the nearest sentence of each as well.
//!
//! After five runs on a connection, Postgres no longer plans the statement: it keeps one plan for all parameters, because planning
//! for those of one search, which takes a tenth of its time, gains nothing.
//!
//! The settings are local to the statement, so that none leaks to later users of the connection. They are set in `asked` and not
//! in a transaction, which would take two more messages: an index scan reads them when it returns its first row, and it needs the
//! vector before.

use pgvector::HalfVector;
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, PgPool, Row};
use uuid::Uuid;

use crate::error::StoreError;
use crate::library::recall::{CorpusScope, persona_id};
use crate::library::search_scope::{Scope, ids, nearest_sentences};
use crate::library::survey::AccessPath;
use crate::stored_embedder::StoredEmbedder;
use faultline_core::events::ids::PersonaId;
use faultline_core::retrieval::fusion::{DEPTH, MeaningMatch};

/// Returns the [`DEPTH`] nearest passages on a server, each with its persona or shared corpus.
pub(super) async fn nearest_passages(
    pool: &PgPool,
    (by, vector): (&StoredEmbedder, &HalfVector),
    (whose, path): (CorpusScope<'_>, AccessPath),
) -> Result<Vec<(PersonaId, Uuid, MeaningMatch)>, StoreError> {
    let sql = statement(by, &Scope::of(whose, path, 2), path);
    let query = sqlx::query(AssertSqlSafe(sql)).bind(vector).bind(ids(whose)).bind(by.id);
    let attempt = StoreError::database("search the library by meaning");
    let rows = query.fetch_all(pool).await.map_err(&attempt)?;
    rows.iter().map(nearest).collect::<Result<_, _>>().map_err(attempt)
}

fn nearest(row: &PgRow) -> Result<(PersonaId, Uuid, MeaningMatch), sqlx::Error> {
    let (cosine, sentence_cosine) = (row.try_get("cosine")?, row.try_get("sentence_cosine")?);
    let meaning = MeaningMatch { cosine, sentence_cosine, is_near: true };
    Ok((persona_id(row.try_get("persona")?)?, row.try_get("chunk")?, meaning))
}

/// Builds the statement for vectors by this embedder.
fn statement(by: &StoredEmbedder, scope: &Scope, path: AccessPath) -> String {
    let (width, Scope { whose, to_distance, .. }) = (by.width, scope);
    let (embedder, settings) = match path {
        AccessPath::Scan => ("$3".to_owned(), String::new()),
        // A partial index is matched only if the statement itself names the embedder.
        AccessPath::Index { is_iterative, n_candidates } => (by.id.to_string(), settings(is_iterative, n_candidates)),
    };
    let sentences = nearest_sentences(width, "near", "$3");
    format!(
        "
        with asked as materialized (
            select
                $1::halfvec({width}) as vector,
                $2::text[] as whose,
                $3::smallint as embedder
                {settings}
        ),
        near as materialized (
            select persona, chunk, 1 - distance as cosine
            from (
                select persona, chunk, vector::halfvec({width}) <=> (select vector from asked) as distance
                from chunk_vectors
                where {whose} and embedder = {embedder}
                order by (vector::halfvec({width}) <=> (select vector from asked)){to_distance}, chunk
                limit {DEPTH}
            ) as nearest
        )
        select persona, chunk, cosine, sentence_cosine
        from near
        cross join lateral {sentences}"
    )
}

/// Builds the expressions that set the parameters of an index scan. A scan of all passages has none: it may be shared by several
/// processes, none of which may set a parameter.
fn settings(is_iterative: bool, n_candidates: i32) -> String {
    let iterative = if is_iterative { ", set_config('hnsw.iterative_scan', 'strict_order', true)" } else { "" };
    format!(", set_config('hnsw.ef_search', '{n_candidates}', true){iterative}")
}
