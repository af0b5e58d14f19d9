//! Reads the data needed to find the same question in several debates: the questions of cruxes, pairs of similar
//! questions, and the sides taken.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use sqlx::QueryBuilder;
use uuid::Uuid;

use crate::error::StoreError;
use crate::reads_row;
use crate::stored_embedder::StoredEmbedder;
use crate::views::cruxes::{CruxQuery, StoredCrux, narrow};
use crate::views::views::Views;
use faultline_core::events::ids::{DebateId, PersonaId, TurnId};
use faultline_core::verdicts::crux::PositionSide;

/// A crux and the question that it asks.
#[derive(Clone, Debug, PartialEq)]
pub struct CruxQuestion {
    debate_id: Uuid,
    /// Key of the crux, unique in its debate.
    pub key: String,
    /// Origin of the crux.
    pub kind: String,
    /// True if the crux is still open.
    pub open: bool,
    /// Time at which it became a crux.
    pub opened_at: DateTime<Utc>,
    /// Time of the newest turn that supports it.
    pub changed_at: DateTime<Utc>,
    /// Id of the question in this database.
    pub question: i64,
    /// Digest of the question.
    pub hash: Vec<u8>,
    /// Text of the question.
    pub text: String,
}

reads_row!(CruxQuestion { debate_id, key, kind, open, opened_at, changed_at, question, hash, text });

impl CruxQuestion {
    /// Returns the debate of the crux.
    pub fn debate(&self) -> DebateId {
        DebateId(self.debate_id)
    }
}

/// Two similar questions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearPair {
    /// Id of one question.
    pub one: i64,
    /// Id of the other.
    pub other: i64,
    /// Cosine of their vectors.
    pub cosine: f32,
}

reads_row!(NearPair { one, other, cosine });

/// A participant's side in a crux.
#[derive(Clone, Debug, PartialEq)]
pub struct SideTaken {
    /// The participant.
    pub persona: PersonaId,
    /// The side.
    pub side: PositionSide,
    /// The turn that shows it.
    pub turn: TurnId,
}

impl Views {
    /// Returns the questions of the cruxes of a generation that pass the filter, newest first; at most `limit`.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn crux_questions(
        &self,
        generation: i32,
        filter: &CruxQuery,
        limit: usize,
    ) -> Result<Vec<CruxQuestion>, StoreError> {
        let mut query = QueryBuilder::new(
            "select debate_id, key, kind, open, opened_at, changed_at, id as question, hash, text from (select * ",
        );
        narrow(&mut query, Some(generation), filter);
        query.push(" order by opened_at desc, debate_id desc, key desc limit ").push_bind(limit as i64);
        query.push(") as listed join questions on questions.hash = listed.question");
        query.push(" order by opened_at desc, debate_id desc, key desc");
        query.build_query_as().fetch_all(&self.pool).await.map_err(StoreError::database("list the questions of cruxes"))
    }

    /// Returns the stored pairs among these questions, nearest first; at most `limit`.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn near_pairs(
        &self,
        by: &StoredEmbedder,
        questions: &[i64],
        limit: usize,
    ) -> Result<Vec<NearPair>, StoreError> {
        let sql = "
            select one, other, cosine
            from question_pairs
            where embedder = $1
            and one = any ($2)
            and other = any ($2)
            order by cosine desc, one, other
            limit $3";
        let query = sqlx::query_as(sql).bind(by.id).bind(questions).bind(limit as i64);
        query.fetch_all(&self.pool).await.map_err(StoreError::database("look up pairs of questions"))
    }

    /// Returns the number of these questions that have not been compared with the others yet.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn unpaired(&self, by: &StoredEmbedder, questions: &[i64]) -> Result<i64, StoreError> {
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
        n.map_err(StoreError::database("count unpaired questions"))
    }

    /// Returns the sides taken in some cruxes of a generation, by debate and key.
    ///
    /// # Errors
    /// [`StoreError::Json`] if a row cannot be decoded; any other [`StoreError`] if the database cannot be reached or
    /// refuses the statement.
    pub async fn sides(
        &self,
        generation: i32,
        cruxes: &[(DebateId, String)],
    ) -> Result<BTreeMap<(DebateId, String), Vec<SideTaken>>, StoreError> {
        let sql = "
            select debate_id, key, said.persona, said.side, said.turn
            from cruxes
            join unnest($2::uuid[], $3::text[]) as given (debate_id, key) using (debate_id, key)
            cross join lateral jsonb_to_recordset(body -> 'positions') as said (persona text, side text, turn text)
            where generation = $1";
        let (debates, keys) = names(cruxes);
        let query = sqlx::query_as(sql).bind(generation).bind(debates).bind(keys);
        let rows: Vec<(Uuid, String, String, String, String)> =
            query.fetch_all(&self.pool).await.map_err(StoreError::database("look up the sides taken in cruxes"))?;
        let mut sides: BTreeMap<(DebateId, String), Vec<SideTaken>> = BTreeMap::new();
        for (debate, key, persona, side, turn) in rows {
            let read = StoreError::json("read a stored crux");
            let said = serde_json::json!([persona, side, turn]);
            let (persona, side, turn) = serde_json::from_value(said).map_err(read)?;
            sides.entry((DebateId(debate), key)).or_default().push(SideTaken { persona, side, turn });
        }
        Ok(sides)
    }

    /// Returns some cruxes of a generation by debate and key, in no particular order; omits those that do not exist.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn cruxes_named(
        &self,
        generation: i32,
        cruxes: &[(DebateId, String)],
    ) -> Result<Vec<StoredCrux>, StoreError> {
        let sql = "
            select
                generation, debate_id, key, place, pivotality, n_dependents, opened_at, changed_at, body::text as body,
                null::bigint as total
            from cruxes
            join unnest($2::uuid[], $3::text[]) as given (debate_id, key) using (debate_id, key)
            where generation = $1";
        let (debates, keys) = names(cruxes);
        let query = sqlx::query_as(sql).bind(generation).bind(debates).bind(keys);
        query.fetch_all(&self.pool).await.map_err(StoreError::database("look up cruxes"))
    }
}

fn names(cruxes: &[(DebateId, String)]) -> (Vec<Uuid>, Vec<&str>) {
    cruxes.iter().map(|(debate, key)| (debate.0, key.as_str())).unzip()
}
