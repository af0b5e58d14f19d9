//! Calls to remote providers by all debates, counted by day.

use chrono::NaiveDate;
use sqlx::PgPool;

use crate::error::StoreError;
use crate::reads_row;

/// The table of what was spent.
#[derive(Clone, Debug)]
pub struct Spending {
    pool: PgPool,
}

/// Calls, with their tokens and their cost in millionths of a US dollar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Number of calls.
    pub calls: i64,
    /// Number of tokens, input and output.
    pub tokens: i64,
    /// Cost in millionths of a US dollar.
    pub cost_micros: i64,
}

reads_row!(Spent { calls, tokens, cost_micros });

/// Calls that were counted because they are about to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartedCalls {
    /// Number of calls.
    pub n: usize,
    /// Day (UTC) on which they are counted.
    pub day: NaiveDate,
}

impl Spending {
    /// Returns the table of this database.
    pub fn new(pool: PgPool) -> Self {
        Spending { pool }
    }

    /// Returns what was spent since midnight, UTC, by the database's clock.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn today(&self) -> Result<Spent, StoreError> {
        let found = sqlx::query_as(
            "select calls, tokens, cost_micros
            from spending
            where day = (now() at time zone 'utc')::date",
        );
        let found = found.fetch_optional(&self.pool).await;
        Ok(found.map_err(StoreError::database("read what was spent today"))?.unwrap_or_default())
    }

    /// Counts calls that are about to start, as many of `n` as the limit leaves; `None` if midnight has just
    /// passed. Processes that ask at the same time are answered one after another.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses a statement.
    pub async fn start(&self, n: usize, limit: Option<u64>) -> Result<Option<StartedCalls>, StoreError> {
        self.add(Spent::default()).await?;
        let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let started: Option<(i64, NaiveDate)> = sqlx::query_as(
            "update spending
            set calls = spending.calls + least($1, greatest($2 - spending.calls, 0))
            from (
                select day, calls
                from spending
                where day = (now() at time zone 'utc')::date
                for update
            ) before
            where spending.day = before.day
            returning spending.calls - before.calls, spending.day",
        )
        .bind(signed(n as u64))
        .bind(limit.map_or(i64::MAX, signed))
        .fetch_optional(&self.pool)
        .await
        .map_err(StoreError::database("count calls that start"))?;
        Ok(started.map(|(n, day)| StartedCalls { n: usize::try_from(n).unwrap_or(0), day }))
    }

    /// Takes back calls that were counted when they were to start, and were not made.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn give_back(&self, calls: StartedCalls) -> Result<(), StoreError> {
        sqlx::query(
            "update spending
            set calls = greatest(calls - $1, 0)
            where day = $2",
        )
        .bind(i64::try_from(calls.n).unwrap_or(i64::MAX))
        .bind(calls.day)
        .execute(&self.pool)
        .await
        .map_err(StoreError::database("take back calls that were not made"))?;
        Ok(())
    }

    /// Adds to what was spent today.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn add(&self, spent: Spent) -> Result<(), StoreError> {
        sqlx::query(
            "insert into spending (day, calls, tokens, cost_micros)
            values ((now() at time zone 'utc')::date, $1, $2, $3)
            on conflict (day) do update
            set calls = spending.calls + excluded.calls, tokens = spending.tokens + excluded.tokens,
                cost_micros = spending.cost_micros + excluded.cost_micros",
        )
        .bind(spent.calls)
        .bind(spent.tokens)
        .bind(spent.cost_micros)
        .execute(&self.pool)
        .await
        .map_err(StoreError::database("count what was spent today"))?;
        Ok(())
    }
}
