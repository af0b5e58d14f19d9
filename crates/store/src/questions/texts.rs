//! Stores the texts of questions, together with the cruxes and disputes that ask them.

use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::StoreError;

/// Stores every text of these debates' cruxes and disputes that is not stored yet. Inserts in the order of the digests,
/// so that two transactions that store the same texts do not deadlock.
pub(crate) async fn save(connection: &mut PgConnection, debates: &[(i32, Uuid)]) -> Result<(), StoreError> {
    if debates.is_empty() {
        return Ok(());
    }
    let sql = "
        insert into questions (hash, text)
        select question, min(statement)
        from (
            select question, statement
            from cruxes
            join unnest($1::int[], $2::uuid[]) as moved (generation, debate_id) using (generation, debate_id)
            union all
            select question, statement
            from disputes
            join unnest($1::int[], $2::uuid[]) as moved (generation, debate_id) using (generation, debate_id)
        ) as asked
        where not exists (select from questions where questions.hash = asked.question)
        group by question
        order by question
        on conflict (hash) do nothing";
    let (generations, ids): (Vec<i32>, Vec<Uuid>) = debates.iter().copied().unzip();
    let query = sqlx::query(sql).bind(generations).bind(ids);
    query.execute(connection).await.map_err(StoreError::database("save questions"))?;
    Ok(())
}
