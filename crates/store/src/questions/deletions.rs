//! Vectors on a shard that belong to nothing any more: of deleted questions, and of embedders that the home has deleted.
//!
//! A question is deleted at home in one transaction, which notes its id. The ids stay noted for an hour and are deleted again
//! and again, because a process that lost its connections may store a vector after the first deletion.

use sqlx::PgPool;

use crate::error::StoreError;
use crate::shards::shards::Shards;

/// Deletes such vectors. Costs a look at two small tables if all vectors are at home.
///
/// # Errors
/// [`StoreError`] if a database cannot be reached or refuses a statement.
pub(crate) async fn delete_leftover_vectors(shards: &Shards) -> Result<(), StoreError> {
    let attempt = StoreError::database("delete vectors of deleted questions");
    let home = shards.home();
    let placement = shards.read_question_placement(home).await?;
    for shard in placement.servers().filter(|place| *place > 0).map(|place| shards.at(place)) {
        delete_on(shard, home).await.map_err(&attempt)?;
    }
    let expired = "delete from deleted_questions where deleted_at < now() - interval '1 hour'";
    sqlx::query(expired).execute(home).await.map(drop).map_err(attempt)
}

async fn delete_on(shard: &PgPool, home: &PgPool) -> Result<(), sqlx::Error> {
    // One lookup for each embedder.
    let sql = "
        with recursive there (embedder) as (
            (select embedder from shard_question_vectors order by embedder limit 1)
            union all
            select (
                select embedder
                from shard_question_vectors
                where embedder > there.embedder
                order by embedder
                limit 1
            )
            from there
            where embedder is not null
        )
        select embedder from there where embedder is not null";
    let there: Vec<i16> = sqlx::query_scalar(sql).fetch_all(shard).await?;
    // After that: those of them that are not at home have been deleted there.
    let at_home: Vec<i16> = sqlx::query_scalar("select id from embedders").fetch_all(home).await?;
    let (kept, gone): (Vec<i16>, Vec<i16>) = there.into_iter().partition(|embedder| at_home.contains(embedder));
    let questions: Vec<i64> = sqlx::query_scalar("select question from deleted_questions").fetch_all(home).await?;
    sqlx::query("delete from shard_question_vectors where embedder = any ($1)").bind(gone).execute(shard).await?;
    let sql = "delete from shard_question_vectors where embedder = any ($1) and question = any ($2)";
    sqlx::query(sql).bind(kept).bind(questions).execute(shard).await.map(drop)
}
