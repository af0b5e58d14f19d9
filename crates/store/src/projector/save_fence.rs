//! Fences under which members of the projector change stored rows.

use sqlx::{Executor, PgPool, Postgres, Transaction};

use crate::database::transaction::begin;
use crate::error::StoreError;
use crate::projector::lane_leases::HeldLanes;
use crate::projector::membership_term::TERM;
use crate::projector::{coordinator_lease, lane_leases};

/// Right to change stored rows, checked in every transaction.
#[derive(Clone, Debug)]
pub enum SaveFence {
    /// Lease of the coordinator, by its number.
    Coordinator(i64),
    /// Lanes that a member holds.
    Lanes(HeldLanes),
}

impl SaveFence {
    /// Checks in a transaction that saves rows of these lanes that nobody else has taken over. Lanes cannot be taken before
    /// the transaction ends.
    ///
    /// # Errors
    /// [`StoreError::Superseded`] if somebody has; any other [`StoreError`] if a statement fails.
    pub(crate) async fn confirm(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        lanes: &[i16],
    ) -> Result<(), StoreError> {
        match self {
            SaveFence::Coordinator(fence) => coordinator_lease::confirm(transaction, *fence).await,
            SaveFence::Lanes(held) => lane_leases::confirm(transaction, held, lanes).await,
        }
    }
}

/// Begins a transaction that the server ends if this process stands still in it for longer than its membership lasts, so
/// that its locks do not keep others from taking over.
pub(crate) async fn begin_fenced(
    pool: &PgPool,
    attempt: impl Fn(sqlx::Error) -> StoreError,
) -> Result<Transaction<'static, Postgres>, StoreError> {
    let mut transaction = begin(pool).await.map_err(&attempt)?;
    let limit = format!("set local idle_in_transaction_session_timeout = {}", TERM.as_millis());
    transaction.execute(sqlx::AssertSqlSafe(limit)).await.map_err(attempt)?;
    Ok(transaction)
}
