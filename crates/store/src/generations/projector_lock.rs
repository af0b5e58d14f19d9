//! A lock for the only projector: an advisory lock on a dedicated connection, which the server releases when the
//! connection ends.

use sqlx::postgres::PgConnection;
use sqlx::{Connection, PgPool};

use crate::database::pool;
use crate::error::StoreError;

/// Key of the advisory lock: "Faultlin" as a number.
const KEY: i64 = 0x4661_756c_746c_696e;

/// Lock of the process that runs the projector. Released on drop, or when the process or its connection ends.
#[derive(Debug)]
pub struct ProjectorLock {
    connection: PgConnection,
}

impl ProjectorLock {
    /// Takes the lock if no other process holds it.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn try_take(pool: &PgPool) -> Result<Option<ProjectorLock>, StoreError> {
        let connection = pool::dedicated(pool, "projector").await?;
        let mut lock = ProjectorLock { connection };
        let taken: bool = sqlx::query_scalar("select pg_try_advisory_lock($1)")
            .bind(KEY)
            .fetch_one(&mut lock.connection)
            .await
            .map_err(StoreError::database("take the projector's lock"))?;
        Ok(taken.then_some(lock))
    }

    /// Returns whether the lock is still held. Call it regularly, because a connection can be lost unnoticed. A
    /// projector that lost the lock stops; writes of two projectors in the meantime do no harm.
    pub async fn is_held(&mut self) -> bool {
        self.connection.ping().await.is_ok()
    }

    /// Releases the lock now.
    pub async fn release(self) {
        // The server releases the lock with the connection, so an error while closing it does not matter.
        let _farewell = self.connection.close().await;
    }
}
