//! Erasure of debates and personas: destroys the encryption key and deletes the derived data.
//!
//! A debate is erased in one transaction, so a crash leaves it either untouched or fully erased; erasing it again has
//! no effect. If its events are on a server other than the home, there is one transaction on each, that at home first;
//! after a crash in between, the key is destroyed when the log is opened next. A writer of derived data calls
//! `erased_among` in its own transaction, which guarantees that none of its debates is erased before the transaction ends;
//! an erasure waits for such transactions. The remaining data shows that there were events: their positions, kinds, times
//! and hashes, so that `verify` still passes.
//!
//! | data | effect |
//! |---|---|
//! | encryption key | set to null permanently |
//! | list row, views, cruxes, disputes and casts of every generation | deleted |
//! | versions of personas that only this debate recorded | deleted |
//! | dead letters, whose reasons may quote event bodies | deleted |
//! | texts of questions that no other debate asks, with their vectors and pairs | deleted |
//! | lease | closed under a new fence without a holder |
//! | bodies | kept, undecryptable; plain bodies are hidden |

use chrono::{DateTime, Utc};
use sqlx::{AssertSqlSafe, PgConnection};
use uuid::Uuid;

use crate::database::row_copy::copying_connection;
use crate::database::transaction::begin;
use crate::error::StoreError;
use crate::keys::destroy;
use crate::lanes::lane_of;
use crate::log::log::{Log, MAX_PAGE};
use crate::log::row::{EVENT_COLUMNS, KEY_JOIN, decode_or_erased};
use crate::questions::deletions::delete_leftover_vectors;
use crate::reads_row;
use crate::shards::corpus_places::CORPUS_LOCK;
use faultline_core::events::event::Recorded;
use faultline_core::events::ids::{DebateId, PersonaId};
use faultline_core::events::lifecycle::DebateOpened;

/// Key of the advisory lock that an erasure takes exclusively; `erased_among` in `migrations/0016_erasure.sql` takes
/// the same lock in shared mode.
const ALONE: i64 = 7_379_041_168;
/// Number of times that an erasure is attempted while Postgres ends its transaction because it and others wait for one another.
const ATTEMPTS: usize = 5;
/// Maximum number of erasures in one result; greater limits are lowered to it.
pub const MAX_ERASURES: i64 = 1_000;

/// Requester and reason of an erasure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErasureOrder {
    /// Person or system that requested the erasure.
    pub asked_by: String,
    /// Reason of the erasure. It is kept permanently, so it should not repeat the erased content.
    pub reason: String,
}

/// Subject of an erasure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A debate.
    Debate(DebateId),
    /// A persona, with its corpus and all its versions.
    Persona(PersonaId),
}

/// Record of an erasure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErasureRecord {
    /// Sequence number of the erasure.
    pub number: i64,
    /// Erased debate or persona.
    pub subject: Subject,
    /// Time of the erasure.
    pub erased_at: DateTime<Utc>,
    /// Requester and reason.
    pub order: ErasureOrder,
    /// False if bodies were recorded in plain text, which are hidden but not destroyed.
    pub sealed: bool,
}

struct Row {
    id: i64,
    debate_id: Option<Uuid>,
    persona: Option<String>,
    erased_at: DateTime<Utc>,
    asked_by: String,
    reason: String,
    sealed: bool,
}

reads_row!(Row { id, debate_id, persona, erased_at, asked_by, reason, sealed });

/// Outcome of a request to erase a debate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErasureOutcome {
    /// The debate is erased, now or by an earlier request.
    Erased(ErasureRecord),
    /// Nothing was erased, because these debates share its words and are not erased yet: forks, and debates that distil its
    /// talk anew.
    Shared(Vec<DebateId>),
}

impl Log {
    /// Erases a debate: destroys its key and deletes all derived data. A runner that drives the debate loses its lease;
    /// end the debate first, so that its subscribers are notified.
    ///
    /// # Errors
    /// [`StoreError`] if a database cannot be reached or refuses the statement. Then either nothing or the whole
    /// debate was erased; or, if its events are on another server than the home, all but its key, which a repeated call
    /// destroys.
    pub async fn erase(&self, debate: DebateId, order: &ErasureOrder) -> Result<ErasureOutcome, StoreError> {
        self.erase_among(debate, &[], order).await
    }

    /// Erases a debate as [`Log::erase`], although some of `debates` share its words: they are erased next. Imported
    /// debates may name one another as the source of their words, so that none of them could be erased first.
    ///
    /// # Errors
    /// As [`Log::erase`].
    pub async fn erase_among(
        &self,
        debate: DebateId,
        debates: &[DebateId],
        order: &ErasureOrder,
    ) -> Result<ErasureOutcome, StoreError> {
        for _ in 1..ATTEMPTS {
            match self.attempt_erasure(debate, debates, order).await {
                Err(fault) if fault.is_deadlock() => tracing::debug!(%fault, %debate, "erasing it again"),
                erased => return erased,
            }
        }
        self.attempt_erasure(debate, debates, order).await
    }

    async fn attempt_erasure(
        &self,
        debate: DebateId,
        debates: &[DebateId],
        order: &ErasureOrder,
    ) -> Result<ErasureOutcome, StoreError> {
        let attempt = StoreError::database("erase a debate");
        if let Some(disk_guard) = self.disk_guard() {
            disk_guard.make_for_erasure();
        }
        let sealed = !self.has_plain_bodies(debate).await?;
        let mut transaction = begin(self.pool()).await.map_err(&attempt)?;
        alone(&mut transaction).await?;
        let sharing = self.sharing_among(&mut transaction, debate).await?;
        if sharing.iter().any(|it| !debates.contains(it)) {
            return Ok(ErasureOutcome::Shared(sharing));
        }
        // The home comes first, whose record stands for the destruction of the key: if this process dies before that, the
        // next one that opens the log destroys it.
        erase_on(&mut transaction, debate, order, sealed).await.map_err(&attempt)?;
        transaction.commit().await.map_err(&attempt)?;
        if !self.shards().is_at_home(lane_of(debate)) {
            let mut transaction = begin(self.pool_of(debate)).await.map_err(&attempt)?;
            erase_on(&mut transaction, debate, order, sealed).await.map_err(&attempt)?;
            transaction.commit().await.map_err(&attempt)?;
        }
        // Where the lane is being copied to, or was moved from.
        for shard in self.shards().others() {
            destroy(&shard.pool, &[debate.0]).await.map_err(&attempt)?;
        }
        delete_leftover_vectors(self.shards()).await?;
        self.keys().forget(debate);
        self.fresh().forget(debate);
        match self.erasure(debate).await? {
            Some(erasure) => Ok(ErasureOutcome::Erased(erasure)),
            None => Err(StoreError::Stopped),
        }
    }

    /// Deletes the library of a persona and all its versions. Its debates must have been erased before.
    ///
    /// # Errors
    /// [`StoreError`] if a database cannot be reached or refuses a statement, also because the corpus is being moved to another
    /// server. Then nothing was deleted, or at most the documents that are not at home: repeat it.
    pub async fn erase_persona(&self, persona: &PersonaId, order: &ErasureOrder) -> Result<ErasureRecord, StoreError> {
        let attempt = StoreError::database("erase a persona");
        let mut transaction = begin(self.pool()).await.map_err(&attempt)?;
        alone(&mut transaction).await?;
        let row: Row = sqlx::query_as(
            "insert into erasures (persona, sealed, asked_by, reason)
            values ($1, true, $2, $3)
            returning id, debate_id, persona, erased_at, asked_by, reason, sealed",
        )
        .bind(persona.as_str())
        .bind(&order.asked_by)
        .bind(&order.reason)
        .fetch_one(&mut *transaction)
        .await
        .map_err(&attempt)?;
        // No move copies the corpus meanwhile.
        sqlx::query("select pg_advisory_xact_lock($1, hashtext($2))")
            .bind(CORPUS_LOCK)
            .bind(persona.as_str())
            .execute(&mut *transaction)
            .await
            .map_err(&attempt)?;
        for shard in self.shards().others() {
            let mut connection = copying_connection(&shard.pool, "erasing a corpus").await?;
            // Not a shared corpus that has got the id since.
            let deletion =
                sqlx::query("delete from corpus_owners where id = $1 and not is_shared").bind(persona.as_str());
            deletion.execute(&mut connection).await.map_err(&attempt)?;
        }
        for statement in ["delete from personas where id = $1", "delete from persona_versions where persona = $1"] {
            sqlx::query(statement).bind(persona.as_str()).execute(&mut *transaction).await.map_err(&attempt)?;
        }
        transaction.commit().await.map_err(attempt)?;
        erasure(row)
    }

    /// Returns true if the library or a debate contains a persona with this id.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn persona_exists(&self, persona: &PersonaId) -> Result<bool, StoreError> {
        sqlx::query_scalar(
            "select exists (select from personas where id = $1)
            or exists (select from persona_versions where persona = $1)",
        )
        .bind(persona.as_str())
        .fetch_one(self.pool())
        .await
        .map_err(StoreError::database("look for a persona"))
    }

    /// Returns the record of a debate's erasure; `None` if the debate is not erased.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn erasure(&self, debate: DebateId) -> Result<Option<ErasureRecord>, StoreError> {
        let row: Option<Row> = sqlx::query_as(
            "select id, debate_id, persona, erased_at, asked_by, reason, sealed
            from erasures
            where debate_id = $1",
        )
        .bind(debate.0)
        .fetch_optional(self.pool())
        .await
        .map_err(StoreError::database("read the record of an erasure"))?;
        row.map(erasure).transpose()
    }

    /// Returns the records of erasures, latest first: at most `limit`, and at most [`MAX_ERASURES`].
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn erasures(&self, limit: i64) -> Result<Vec<ErasureRecord>, StoreError> {
        let rows: Vec<Row> = sqlx::query_as(
            "select id, debate_id, persona, erased_at, asked_by, reason, sealed
            from erasures
            order by id desc
            limit $1",
        )
        .bind(limit.clamp(0, MAX_ERASURES))
        .fetch_all(self.pool())
        .await
        .map_err(StoreError::database("list the erasures"))?;
        rows.into_iter().map(erasure).collect()
    }

    /// Returns the unerased debates that share a debate's words: its forks, and the debates that distil its talk anew. Those
    /// that share the words of these are not included.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn sharing(&self, debate: DebateId) -> Result<Vec<DebateId>, StoreError> {
        let attempt = StoreError::database("look for debates that share words");
        let mut connection = self.pool().acquire().await.map_err(attempt)?;
        self.sharing_among(&mut connection, debate).await
    }

    /// Returns the unerased debates that share a debate's words. The forks are recorded where their events are, and what is
    /// erased, at home.
    async fn sharing_among(&self, home: &mut PgConnection, debate: DebateId) -> Result<Vec<DebateId>, StoreError> {
        let attempt = StoreError::database("look for debates that share words");
        let mut forks: Vec<Uuid> = Vec::new();
        for shard in self.shards().others() {
            let found: Vec<Uuid> = sqlx::query_scalar("select fork from fork_origins where origin = $1")
                .bind(debate.0)
                .fetch_all(&shard.pool)
                .await
                .map_err(&attempt)?;
            forks.extend(found);
        }
        let found: Vec<Uuid> = sqlx::query_scalar(
            "select s.debate
            from (
                select fork as debate from fork_origins where origin = $1
                union
                select debate from talk_sources where source = $1
                union
                select unnest($2::uuid[])
            ) as s
            where not exists (select from debate_keys k where k.debate_id = s.debate and k.key is null)
            order by s.debate",
        )
        .bind(debate.0)
        .bind(forks)
        .fetch_all(home)
        .await
        .map_err(&attempt)?;
        Ok(found.into_iter().map(DebateId).collect())
    }

    /// Returns true if some of a debate's events were recorded in plain text.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn has_plain_bodies(&self, debate: DebateId) -> Result<bool, StoreError> {
        sqlx::query_scalar(
            "select exists (
                select
                from events
                where lane = $1
                and debate_id = $2
                and substr(body, 1, 1) not in ('\\x01', '\\x02')
            )",
        )
        .bind(lane_of(debate))
        .bind(debate.0)
        .fetch_one(self.pool_of(debate))
        .await
        .map_err(StoreError::database("check whether a debate has plain bodies"))
    }

    /// Returns what `pick` takes from the openings of the unerased debates of a lane, starting after a given debate. Also
    /// returns the last debate that was examined; `None` at the end of the lane.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] for an opening event that cannot be decoded; [`StoreError`] if the database cannot be
    /// reached or refuses the statement.
    pub async fn openings<T>(
        &self,
        lane: i16,
        after: Option<DebateId>,
        pick: impl Fn(DebateId, &DebateOpened) -> Option<T>,
    ) -> Result<(Vec<T>, Option<DebateId>), StoreError> {
        let debates = self.debates(lane, after, MAX_PAGE).await?;
        let rows = sqlx::query(AssertSqlSafe(format!(
            "select {EVENT_COLUMNS}
            from unnest($2::uuid[]) as d (debate_id)
            cross join lateral (
                select *
                from events
                where events.lane = $1
                and events.debate_id = d.debate_id
                order by events.version
                limit 1
            ) as e
            {KEY_JOIN}",
        )))
        .bind(lane)
        .bind(debates.iter().map(|debate| debate.0).collect::<Vec<_>>())
        .fetch_all(self.pool_of_lane(lane))
        .await
        .map_err(StoreError::database("read the opening events of debates"))?;
        let keys = self.keys().decryptors();
        let openings: Vec<Recorded> = rows.iter().map(|row| decode_or_erased(row, &keys)).collect::<Result<_, _>>()?;
        let picked = openings.iter().filter_map(|it| pick(it.debate, it.event.opening()?));
        Ok((picked.collect(), debates.last().copied()))
    }
}

async fn alone(connection: &mut PgConnection) -> Result<(), StoreError> {
    sqlx::query("select pg_advisory_xact_lock($1)")
        .bind(ALONE)
        .execute(connection)
        .await
        .map_err(StoreError::database("take the lock for erasures"))?;
    Ok(())
}

/// Records an erasure on one server, destroys the key and deletes what is derived from the debate, as far as it is there.
async fn erase_on(
    connection: &mut PgConnection,
    debate: DebateId,
    order: &ErasureOrder,
    sealed: bool,
) -> Result<(), sqlx::Error> {
    // Waits for appends in progress: they commit before the key is destroyed.
    sqlx::query("select head from lanes where lane = $1 for update")
        .bind(lane_of(debate))
        .execute(&mut *connection)
        .await?;
    sqlx::query(
        "insert into erasures (debate_id, sealed, asked_by, reason)
        select $2, $3 and not exists (
            select
            from events
            where lane = $1
            and debate_id = $2
            and substr(body, 1, 1) not in ('\\x01', '\\x02')
        ), $4, $5
        on conflict (debate_id) do nothing",
    )
    .bind(lane_of(debate))
    .bind(debate.0)
    .bind(sealed)
    .bind(&order.asked_by)
    .bind(&order.reason)
    .execute(&mut *connection)
    .await?;
    delete(connection, debate).await
}

async fn delete(connection: &mut PgConnection, debate: DebateId) -> Result<(), sqlx::Error> {
    const STATEMENTS: [&str; 6] = [
        "insert into debate_keys (debate_id, key, master)
        values ($1, null, null)
        on conflict (debate_id) do update
        set key = null, master = null",
        // Questions first: the cruxes and disputes that refer to them are deleted next.
        "with asked as (
            select question from cruxes where debate_id = $1
            union
            select question from disputes where debate_id = $1
        )
        delete from questions
        using asked
        where questions.hash = asked.question
        and not exists (select from cruxes c where c.question = asked.question and c.debate_id <> $1)
        and not exists (select from disputes d where d.question = asked.question and d.debate_id <> $1)",
        "with gone as (delete from cruxes where debate_id = $1)
        delete from disputes where debate_id = $1",
        "with gone as (delete from views where debate_id = $1)
        delete from debates where debate_id = $1",
        "with gone as (delete from dead_letters where debate_id = $1)
        delete from generation_letters where debate_id = $1",
        // A supervisor that lags behind may still write a lease request; this version is newer than any it can write.
        "insert into leases (debate_id, version, state, provider, fence)
        values ($1, 9223372036854775807, 'closed', '', 1)
        on conflict (debate_id) do update
        set version = excluded.version, state = 'closed', provider = '', holder = null, until = null,
            fence = leases.fence + 1",
    ];
    for statement in STATEMENTS {
        sqlx::query(statement).bind(debate.0).execute(&mut *connection).await?;
    }
    delete_cast(connection, debate).await
}

/// Deletes the cast of a debate, and the versions of personas that no other debate and no ingest recorded.
async fn delete_cast(connection: &mut PgConnection, debate: DebateId) -> Result<(), sqlx::Error> {
    let cast: Vec<(String, String)> =
        sqlx::query_as("delete from casts where debate_id = $1 returning persona, edition")
            .bind(debate.0)
            .fetch_all(&mut *connection)
            .await?;
    let (personas, editions): (Vec<String>, Vec<String>) = cast.into_iter().unzip();
    sqlx::query(
        "delete from persona_versions
        using unnest($1::text[], $2::text[]) as told (persona, edition)
        where persona_versions.persona = told.persona
        and persona_versions.edition = told.edition
        and ingested is not true
        and not exists (
            select
            from casts
            where casts.persona = told.persona
            and casts.edition = told.edition
        )",
    )
    .bind(personas)
    .bind(editions)
    .execute(connection)
    .await?;
    Ok(())
}

fn erasure(row: Row) -> Result<ErasureRecord, StoreError> {
    let subject = match (row.debate_id, row.persona.as_deref().map(str::parse)) {
        (Some(debate), _) => Subject::Debate(DebateId(debate)),
        (None, Some(Ok(persona))) => Subject::Persona(persona),
        (None, _) => {
            let odd = sqlx::Error::Decode("the erasure names neither a debate nor a valid persona".into());
            return Err(StoreError::database("read the record of an erasure")(odd));
        }
    };
    let order = ErasureOrder { asked_by: row.asked_by, reason: row.reason };
    Ok(ErasureRecord { number: row.id, subject, erased_at: row.erased_at, order, sealed: row.sealed })
}
