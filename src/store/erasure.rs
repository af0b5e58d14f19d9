//! Erasure: the key of a debate is destroyed, and with it all that was made from what it said.
//!
//! A debate is erased in one transaction, so a crash leaves it as it was or erased whole; asked again, nothing more happens.
//! Whoever stores something made from debates promises in the same statement order that it is not of an erased one
//! (`erased_among`), and an erasure waits for those who have promised. What is left is that there were events: their
//! places, kinds, times and hashes, by which `verify` still finds the log whole.
//!
//! | what | becomes |
//! |---|---|
//! | the key | null, for good |
//! | the list's line, views, cruxes, disputes, casts, of every generation | deleted |
//! | versions of personas that only this debate told of | deleted |
//! | letters of events that could not be read, whose reasons may quote them | deleted |
//! | texts of questions that no other debate asks, with their vectors and pairs | deleted |
//! | the lease | closed under a fence of nobody's |
//! | bodies | stay as they are, unreadable; of a debate recorded in plain: hidden |

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use crate::events::event::{Event, Recorded};
use crate::events::ids::{DebateId, PersonaId};
use crate::store::fault::Fault;
use crate::store::lanes::lane_of;
use crate::store::log::{Log, PAGE};
use crate::store::row::recorded_or_erased;

/// Under which whoever erases is alone; `erased_among` in `migrations/0016_erasure.sql` has the same.
const ALONE: i64 = 7_379_041_168;
/// Erasures in one answer at most; a greater limit counts as this one.
pub const ERASURES: i64 = 1_000;

/// At whose word, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Who asked for it.
    pub asked_by: String,
    /// Why. It stays for good, so it should not say what is to be forgotten.
    pub reason: String,
}

/// What was erased.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A debate.
    Debate(DebateId),
    /// A persona, with what it wrote and all its versions.
    Persona(PersonaId),
}

/// The record of an erasure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Erasure {
    /// Its number.
    pub number: i64,
    /// What.
    pub subject: Subject,
    /// When.
    pub erased_at: DateTime<Utc>,
    /// At whose word, and why.
    pub order: Order,
    /// Whether nothing is left to be read: false where bodies were recorded in plain, which are only hidden.
    pub sealed: bool,
}

#[derive(FromRow)]
struct Row {
    id: i64,
    debate_id: Option<Uuid>,
    persona: Option<String>,
    erased_at: DateTime<Utc>,
    asked_by: String,
    reason: String,
    sealed: bool,
}

/// What became of a debate that was to be erased.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is erased, now or since before.
    Erased(Erasure),
    /// Forks share its past, and are not erased yet.
    Shared(Vec<DebateId>),
}

/// Which of these debates are erased; none of the others will be before the transaction ends.
pub(crate) async fn erased_among(connection: &mut PgConnection, debates: &[DebateId]) -> Result<Vec<DebateId>, Fault> {
    let erased: Vec<Uuid> = sqlx::query_scalar("select erased_among($1)")
        .bind(debates.iter().map(|it| it.0).collect::<Vec<_>>())
        .fetch_all(connection)
        .await
        .map_err(Fault::database("look which debates were erased"))?;
    Ok(erased.into_iter().map(DebateId).collect())
}

impl Log {
    /// Destroys a debate's key and all that is stored of what it said. Whoever drives it has lost its lease thereby; end it
    /// first, so that whoever watches it is told.
    ///
    /// # Errors
    /// The database's. Then nothing was erased, or the whole debate.
    pub async fn erase(&self, debate: DebateId, order: &Order) -> Result<Outcome, Fault> {
        let attempt = Fault::database("erase a debate");
        if let Some(room) = self.room() {
            room.make_for_erasure();
        }
        let mut transaction = self.pool().begin().await.map_err(&attempt)?;
        alone(&mut transaction).await?;
        let forks = living_forks(&mut transaction, debate, false).await?;
        if !forks.is_empty() {
            return Ok(Outcome::Shared(forks));
        }
        // Whatever is being appended is in the log by then, under the key.
        sqlx::query("select head from lanes where lane = $1 for update")
            .bind(lane_of(debate))
            .execute(&mut *transaction)
            .await
            .map_err(&attempt)?;
        sqlx::query(
            "insert into erasures (debate_id, sealed, asked_by, reason)
            select $2, not exists (
                select
                from events
                where lane = $1
                and debate_id = $2
                and substr(body, 1, 1) not in ('\\x01', '\\x02')
            ), $3, $4
            on conflict (debate_id) do nothing",
        )
        .bind(lane_of(debate))
        .bind(debate.0)
        .bind(&order.asked_by)
        .bind(&order.reason)
        .execute(&mut *transaction)
        .await
        .map_err(&attempt)?;
        delete(&mut transaction, debate).await.map_err(&attempt)?;
        transaction.commit().await.map_err(attempt)?;
        self.keys().forget(debate);
        self.fresh().forget(debate);
        match self.erasure(debate).await? {
            Some(erasure) => Ok(Outcome::Erased(erasure)),
            None => Err(Fault::Stopped),
        }
    }

    /// Deletes all that the library holds of a persona, and all its versions; its debates have to be erased before.
    ///
    /// # Errors
    /// The database's. Then nothing was deleted, or everything.
    pub async fn erase_persona(&self, persona: &PersonaId, order: &Order) -> Result<Erasure, Fault> {
        let attempt = Fault::database("erase a persona");
        let mut transaction = self.pool().begin().await.map_err(&attempt)?;
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
        for statement in ["delete from personas where id = $1", "delete from persona_versions where persona = $1"] {
            sqlx::query(statement).bind(persona.as_str()).execute(&mut *transaction).await.map_err(&attempt)?;
        }
        transaction.commit().await.map_err(attempt)?;
        erasure(row)
    }

    /// Whether the library or a debate ever knew a persona of this name.
    ///
    /// # Errors
    /// The database's.
    pub async fn knows(&self, persona: &PersonaId) -> Result<bool, Fault> {
        sqlx::query_scalar(
            "select exists (select from personas where id = $1)
            or exists (select from persona_versions where persona = $1)",
        )
        .bind(persona.as_str())
        .fetch_one(self.pool())
        .await
        .map_err(Fault::database("look for a persona"))
    }

    /// The record of a debate's erasure; `None` where it was not erased.
    ///
    /// # Errors
    /// The database's.
    pub async fn erasure(&self, debate: DebateId) -> Result<Option<Erasure>, Fault> {
        let row: Option<Row> = sqlx::query_as(
            "select id, debate_id, persona, erased_at, asked_by, reason, sealed
            from erasures
            where debate_id = $1",
        )
        .bind(debate.0)
        .fetch_optional(self.pool())
        .await
        .map_err(Fault::database("look for the record of an erasure"))?;
        row.map(erasure).transpose()
    }

    /// What was erased, the latest first; at most `limit`, or [`ERASURES`].
    ///
    /// # Errors
    /// The database's.
    pub async fn erasures(&self, limit: i64) -> Result<Vec<Erasure>, Fault> {
        let rows: Vec<Row> = sqlx::query_as(
            "select id, debate_id, persona, erased_at, asked_by, reason, sealed
            from erasures
            order by id desc
            limit $1",
        )
        .bind(limit.clamp(0, ERASURES))
        .fetch_all(self.pool())
        .await
        .map_err(Fault::database("list what was erased"))?;
        rows.into_iter().map(erasure).collect()
    }

    /// The forks that share a debate's past and are not erased, forks of forks included; those that nothing was forked from
    /// first, so that they can be erased in this order.
    ///
    /// # Errors
    /// The database's.
    pub async fn forks_of(&self, debate: DebateId) -> Result<Vec<DebateId>, Fault> {
        let mut connection = self.pool().acquire().await.map_err(Fault::database("look for forks"))?;
        living_forks(&mut connection, debate, true).await
    }

    /// Whether some of a debate's events were recorded in plain.
    ///
    /// # Errors
    /// The database's.
    pub async fn is_plain(&self, debate: DebateId) -> Result<bool, Fault> {
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
        .fetch_one(self.pool())
        .await
        .map_err(Fault::database("look how a debate was recorded"))
    }

    /// The debates of a lane in which a persona takes part and which are not erased, behind one of them, by what each was
    /// opened with; and the last debate that was looked at, `None` where there are no more.
    ///
    /// # Errors
    /// [`Fault::Damaged`] for an opening that cannot be read; else the database's.
    pub async fn debates_with(
        &self,
        persona: &PersonaId,
        lane: i16,
        after: Option<DebateId>,
    ) -> Result<(Vec<DebateId>, Option<DebateId>), Fault> {
        let debates = self.debates(lane, after, PAGE).await?;
        let takes_part =
            |it: &Recorded| it.event.opening().is_some_and(|it| it.participants.iter().any(|it| it.id == *persona));
        let rows = sqlx::query(
            "select e.lane, e.position, e.debate_id, e.version, e.id, e.kind, e.schema, e.body, e.caused_by, e.recorded_at,
                k.debate_id is not null, k.key, k.master
            from unnest($2::uuid[]) as d (debate_id)
            cross join lateral (
                select *
                from events
                where events.lane = $1
                and events.debate_id = d.debate_id
                order by events.version
                limit 1
            ) as e
            left join lateral (
                select debate_id, key, master
                from debate_keys
                where debate_keys.debate_id = e.debate_id
                limit 1
            ) as k on true",
        )
        .bind(lane)
        .bind(debates.iter().map(|it| it.0).collect::<Vec<_>>())
        .fetch_all(self.pool())
        .await
        .map_err(Fault::database("read how debates were opened"))?;
        let keys = self.keys().openers();
        let openings: Vec<Recorded> = rows.iter().map(|it| recorded_or_erased(it, &keys)).collect::<Result<_, _>>()?;
        let found = openings.iter().filter(|it| !matches!(it.event, Event::Erased(_)) && takes_part(it));
        Ok((found.map(|it| it.debate).collect(), debates.last().copied()))
    }
}

async fn alone(connection: &mut PgConnection) -> Result<(), Fault> {
    sqlx::query("select pg_advisory_xact_lock($1)")
        .bind(ALONE)
        .execute(connection)
        .await
        .map_err(Fault::database("wait for those who store views"))?;
    Ok(())
}

async fn living_forks(connection: &mut PgConnection, debate: DebateId, all: bool) -> Result<Vec<DebateId>, Fault> {
    let forks: Vec<Uuid> = sqlx::query_scalar(
        "with recursive shared as (
            select fork, 1 as depth
            from fork_origins
            where origin = $1
            union all
            select f.fork, shared.depth + 1
            from shared
            join fork_origins f on f.origin = shared.fork
            where $2
        )
        select fork
        from shared
        where not exists (select from debate_keys k where k.debate_id = shared.fork and k.key is null)
        order by depth desc, fork",
    )
    .bind(debate.0)
    .bind(all)
    .fetch_all(connection)
    .await
    .map_err(Fault::database("look for forks"))?;
    Ok(forks.into_iter().map(DebateId).collect())
}

async fn delete(connection: &mut PgConnection, debate: DebateId) -> Result<(), sqlx::Error> {
    const STATEMENTS: [&str; 6] = [
        "insert into debate_keys (debate_id, key, master)
        values ($1, null, null)
        on conflict (debate_id) do update
        set key = null, master = null",
        // Questions first, while it is known which are this debate's.
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
        // A supervisor that is behind may still note what it wanted; the version is newer than any that it knows.
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

/// Deletes who took part, and the versions of personas that no other debate and no ingest tells of.
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

fn erasure(row: Row) -> Result<Erasure, Fault> {
    let subject = match (row.debate_id, row.persona.as_deref().map(str::parse)) {
        (Some(debate), _) => Subject::Debate(DebateId(debate)),
        (None, Some(Ok(persona))) => Subject::Persona(persona),
        (None, _) => {
            let odd = sqlx::Error::Decode("an erasure of nothing".into());
            return Err(Fault::database("read the record of an erasure")(odd));
        }
    };
    let order = Order { asked_by: row.asked_by, reason: row.reason };
    Ok(Erasure { number: row.id, subject, erased_at: row.erased_at, order, sealed: row.sealed })
}
