//! Measurements of auditors on the calibration set.

use chrono::{DateTime, Utc};
use sqlx::PgPool;

use crate::error::StoreError;
use crate::reads_row;

/// The table of measurements.
#[derive(Clone, Debug)]
pub struct Auditors {
    pool: PgPool,
}

/// Model that read the calibration set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasuredAuditor {
    /// Registered name of the provider.
    pub provider: String,
    /// Provider and model, as named by the provider.
    pub model: String,
    /// Revision of the audit.
    pub revision: i32,
    /// Number of sentences.
    pub sentences: i32,
    /// Number of sentences that were read.
    pub read: i32,
    /// Number of sentences that take a side.
    pub sides: i32,
    /// Number of sentences that were read as taking a side.
    pub taken: i32,
    /// Number of sides that were read rightly.
    pub right_sides: i32,
    /// Number of sides that were read as the opposite one.
    pub opposite: i32,
    /// Time of the measurement.
    pub measured_at: DateTime<Utc>,
}

reads_row!(MeasuredAuditor {
    provider,
    model,
    revision,
    sentences,
    read,
    sides,
    taken,
    right_sides,
    opposite,
    measured_at
});

impl Auditors {
    /// Returns the measurements in this database.
    pub fn new(pool: PgPool) -> Self {
        Auditors { pool }
    }

    /// Records a measurement, and replaces an earlier one of the same model and revision. `measured_at` is taken from the
    /// database's clock.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn record(&self, measured: &MeasuredAuditor) -> Result<(), StoreError> {
        sqlx::query(
            "insert into auditors (provider, model, revision, sentences, read, sides, taken, right_sides, opposite)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            on conflict (provider, model, revision) do update
            set sentences = excluded.sentences, read = excluded.read, sides = excluded.sides, taken = excluded.taken,
                right_sides = excluded.right_sides, opposite = excluded.opposite, measured_at = now()",
        )
        .bind(&measured.provider)
        .bind(&measured.model)
        .bind(measured.revision)
        .bind(measured.sentences)
        .bind(measured.read)
        .bind(measured.sides)
        .bind(measured.taken)
        .bind(measured.right_sides)
        .bind(measured.opposite)
        .execute(&self.pool)
        .await
        .map_err(StoreError::database("record the measurement of an auditor"))?;
        Ok(())
    }

    /// Finds the measurement of a model in a revision of the audit.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn find(
        &self,
        provider: &str,
        model: &str,
        revision: i32,
    ) -> Result<Option<MeasuredAuditor>, StoreError> {
        sqlx::query_as(
            "select provider, model, revision, sentences, read, sides, taken, right_sides, opposite, measured_at
            from auditors
            where provider = $1
            and model = $2
            and revision = $3",
        )
        .bind(provider)
        .bind(model)
        .bind(revision)
        .fetch_optional(&self.pool)
        .await
        .map_err(StoreError::database("find the measurement of an auditor"))
    }

    /// Lists the measurements in a revision of the audit, by provider and model.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn list(&self, revision: i32) -> Result<Vec<MeasuredAuditor>, StoreError> {
        sqlx::query_as(
            "select provider, model, revision, sentences, read, sides, taken, right_sides, opposite, measured_at
            from auditors
            where revision = $1
            order by provider, model",
        )
        .bind(revision)
        .fetch_all(&self.pool)
        .await
        .map_err(StoreError::database("list the measurements of auditors"))
    }
}
