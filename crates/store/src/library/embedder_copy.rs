//! Embedders of the other servers of a library, which are those of the home.

use sqlx::PgPool;

use crate::error::StoreError;

/// Gives a server the embedders that the home has, under the same ids.
pub(super) async fn copy_embedders(home: &PgPool, to: &PgPool) -> Result<(), StoreError> {
    if std::ptr::eq(home, to) {
        return Ok(());
    }
    let attempt = StoreError::database("copy the embedders to another server");
    let rows: Vec<(i16, String, i32, bool, bool, bool)> =
        sqlx::query_as("select id, name, width, stand_in, in_use, retired from embedders order by in_use, id")
            .fetch_all(home)
            .await
            .map_err(&attempt)?;
    let mut tx = to.begin().await.map_err(&attempt)?;
    for sql in ["lock table embedders in share row exclusive mode", "update embedders set in_use = false where in_use"]
    {
        sqlx::query(sql).execute(&mut *tx).await.map_err(&attempt)?;
    }
    let ids: Vec<i16> = rows.iter().map(|row| row.0).collect();
    let names: Vec<&str> = rows.iter().map(|row| row.1.as_str()).collect();
    // Those of the time before this database belonged to the store, or that the home has deleted.
    let sql = "
        delete from embedders
        where (id, name) not in (select * from unnest($1::smallint[], $2::text[]))
        and not exists (select from chunk_vectors where embedder = embedders.id)";
    sqlx::query(sql).bind(&ids).bind(&names).execute(&mut *tx).await.map_err(&attempt)?;
    for (id, name, width, stand_in, in_use, retired) in &rows {
        let sql = "
            insert into embedders (id, name, width, stand_in, in_use, retired)
            overriding system value
            values ($1, $2, $3, $4, $5, $6)
            on conflict (id) do update
            set stand_in = excluded.stand_in, in_use = excluded.in_use, retired = excluded.retired";
        let query = sqlx::query(sql).bind(id).bind(name).bind(width).bind(stand_in).bind(in_use).bind(retired);
        query.execute(&mut *tx).await.map_err(&attempt)?;
    }
    tx.commit().await.map_err(attempt)
}
