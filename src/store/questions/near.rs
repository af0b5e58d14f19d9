//! What is needed to find the same question in several debates: who asks what, what lies near what, and who took which
//! side.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use sqlx::{FromRow, QueryBuilder};
use uuid::Uuid;

use crate::events::dispute::Side;
use crate::events::ids::{DebateId, PersonaId, TurnId};
use crate::store::cruxes::{CruxFilter, StoredCrux, narrow};
use crate::store::fault::Fault;
use crate::store::library::open::StoredEmbedder;
use crate::store::views::Views;

/// That a crux asks a question.
#[derive(Clone, Debug, PartialEq, FromRow)]
pub struct AskedBy {
    debate_id: Uuid,
    /// The crux's name among those of its debate.
    pub key: String,
    /// How the crux was found.
    pub kind: String,
    /// Whether it still divides.
    pub open: bool,
    /// When it came to be one.
    pub opened_at: DateTime<Utc>,
    /// When the newest turn behind it was recorded.
    pub changed_at: DateTime<Utc>,
    /// The question's number in this database.
    pub question: i64,
    /// The question's digest.
    pub hash: Vec<u8>,
    /// The question.
    pub text: String,
}

impl AskedBy {
    /// The crux's debate.
    pub fn debate(&self) -> DebateId {
        DebateId(self.debate_id)
    }
}

/// Two questions that lie near each other.
#[derive(Clone, Copy, Debug, PartialEq, FromRow)]
pub struct NearPair {
    /// One of them.
    pub one: i64,
    /// The other.
    pub other: i64,
    /// The cosine of their vectors.
    pub cosine: f32,
}

/// A side that somebody takes in a crux.
#[derive(Clone, Debug, PartialEq)]
pub struct SideTaken {
    /// Who.
    pub persona: PersonaId,
    /// Which.
    pub side: Side,
    /// The turn that shows it.
    pub turn: TurnId,
}

impl Views {
    /// Who asks what in a generation, the newest first and at most so many.
    ///
    /// # Errors
    /// The database's.
    pub async fn asked(&self, generation: i32, filter: &CruxFilter, limit: usize) -> Result<Vec<AskedBy>, Fault> {
        let mut query = QueryBuilder::new(
            "select debate_id, key, kind, open, opened_at, changed_at, id as question, hash, text from (select * ",
        );
        narrow(&mut query, Some(generation), filter);
        query.push(" order by opened_at desc, debate_id desc, key desc limit ").push_bind(limit as i64);
        query.push(") as listed join questions on questions.hash = listed.question");
        query.push(" order by opened_at desc, debate_id desc, key desc");
        query.build_query_as().fetch_all(&self.pool).await.map_err(Fault::database("list what cruxes ask"))
    }

    /// The pairs among questions, the nearest first and at most so many.
    ///
    /// # Errors
    /// The database's.
    pub async fn near_pairs(
        &self,
        by: &StoredEmbedder,
        questions: &[i64],
        limit: usize,
    ) -> Result<Vec<NearPair>, Fault> {
        let sql = "
            select one, other, cosine
            from question_pairs
            where embedder = $1
            and one = any ($2)
            and other = any ($2)
            order by cosine desc, one, other
            limit $3";
        let query = sqlx::query_as(sql).bind(by.id).bind(questions).bind(limit as i64);
        query.fetch_all(&self.pool).await.map_err(Fault::database("look up questions near each other"))
    }

    /// Of these questions, how many were not held against the others yet.
    ///
    /// # Errors
    /// The database's.
    pub async fn unpaired(&self, by: &StoredEmbedder, questions: &[i64]) -> Result<i64, Fault> {
        let sql = "
            select count(*)
            from unnest($2::bigint[]) as given (id)
            where not exists (
                select
                from question_vectors
                where embedder = $1
                and question = given.id
                and paired
            )";
        let n = sqlx::query_scalar(sql).bind(by.id).bind(questions).fetch_one(&self.pool).await;
        n.map_err(Fault::database("count questions without vectors"))
    }

    /// The sides taken in some cruxes of a generation, by debate and key.
    ///
    /// # Errors
    /// [`Fault::Json`] where a row is not such a crux; else the database's.
    pub async fn sides(
        &self,
        generation: i32,
        cruxes: &[(DebateId, String)],
    ) -> Result<BTreeMap<(DebateId, String), Vec<SideTaken>>, Fault> {
        let sql = "
            select debate_id, key, said.persona, said.side, said.turn
            from cruxes
            join unnest($2::uuid[], $3::text[]) as given (debate_id, key) using (debate_id, key)
            cross join lateral jsonb_to_recordset(body -> 'positions') as said (persona text, side text, turn text)
            where generation = $1";
        let (debates, keys) = names(cruxes);
        let query = sqlx::query_as(sql).bind(generation).bind(debates).bind(keys);
        let rows: Vec<(Uuid, String, String, String, String)> =
            query.fetch_all(&self.pool).await.map_err(Fault::database("look up who took which side"))?;
        let mut sides: BTreeMap<(DebateId, String), Vec<SideTaken>> = BTreeMap::new();
        for (debate, key, persona, side, turn) in rows {
            let read = Fault::json("read a stored crux");
            let said = serde_json::json!([persona, side, turn]);
            let (persona, side, turn) = serde_json::from_value(said).map_err(read)?;
            sides.entry((DebateId(debate), key)).or_default().push(SideTaken { persona, side, turn });
        }
        Ok(sides)
    }

    /// Some cruxes of a generation by debate and key, in no order; those that are gone are left out.
    ///
    /// # Errors
    /// The database's.
    pub async fn cruxes_named(&self, generation: i32, cruxes: &[(DebateId, String)]) -> Result<Vec<StoredCrux>, Fault> {
        let sql = "
            select
                generation, debate_id, key, place, pivotality, n_dependents, opened_at, changed_at, body::text as body,
                null::bigint as total
            from cruxes
            join unnest($2::uuid[], $3::text[]) as given (debate_id, key) using (debate_id, key)
            where generation = $1";
        let (debates, keys) = names(cruxes);
        let query = sqlx::query_as(sql).bind(generation).bind(debates).bind(keys);
        query.fetch_all(&self.pool).await.map_err(Fault::database("look up cruxes"))
    }
}

fn names(cruxes: &[(DebateId, String)]) -> (Vec<Uuid>, Vec<&str>) {
    cruxes.iter().map(|(debate, key)| (debate.0, key.as_str())).unzip()
}
