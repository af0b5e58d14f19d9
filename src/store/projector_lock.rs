//! One projector at a time: a lock on a connection of its own, which the server lets go when the connection ends.

use sqlx::postgres::PgConnection;
use sqlx::{Connection, PgPool};

use crate::store::fault::Fault;
use crate::store::pool;

/// "Faultlin", as a number: the lock's name among the advisory locks of the database.
const KEY: i64 = 0x4661_756c_746c_696e;

/// Held by the one process that keeps the views up. Let go when dropped, or when the process or its connection ends.
#[derive(Debug)]
pub struct ProjectorLock {
    connection: PgConnection,
}

impl ProjectorLock {
    /// Takes the lock if nobody has it.
    ///
    /// # Errors
    /// The database's.
    pub async fn try_take(pool: &PgPool) -> Result<Option<ProjectorLock>, Fault> {
        let connection = pool::dedicated(pool, "projector").await?;
        let mut lock = ProjectorLock { connection };
        let taken: bool = sqlx::query_scalar("select pg_try_advisory_lock($1)")
            .bind(KEY)
            .fetch_one(&mut lock.connection)
            .await
            .map_err(Fault::database("take the projector's lock"))?;
        Ok(taken.then_some(lock))
    }

    /// Whether it is still held: to be asked now and then, for a connection may be lost unnoticed. A projector that no
    /// longer holds it stops; what two of them save in between does no harm.
    pub async fn is_held(&mut self) -> bool {
        self.connection.ping().await.is_ok()
    }

    /// Lets it go now.
    pub async fn release(self) {
        // The server lets go of it with the connection, whether or not it takes note of the farewell.
        let _farewell = self.connection.close().await;
    }
}
