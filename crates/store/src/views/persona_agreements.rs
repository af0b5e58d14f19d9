//! Agreement of participants: for each pair, the questions of debates on which both took a side, and how often it was the
//! same.

use sqlx::QueryBuilder;

use crate::error::StoreError;
use crate::reads_row;
use crate::views::debates::{DebateQuery, push_conditions};
use crate::views::views::Views;

/// Maximum number of pairs; those with the most questions are returned.
pub const MAX_PAIRS: i64 = 1_000;

/// Agreement of two participants over the debates that they had with each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonaAgreement {
    /// Id of the participant that comes first by its id.
    pub one: String,
    /// Id of the other participant.
    pub other: String,
    /// Number of debates in which both took a side of the same question.
    pub n_debates: i64,
    /// Number of questions on which both hold a side, yes or no. A question of each debate counts on its own.
    pub n_questions: i64,
    /// Number of those on which it is the same side.
    pub n_agreed: i64,
}

reads_row!(PersonaAgreement { one, other, n_debates, n_questions, n_agreed });

impl PersonaAgreement {
    /// Returns the share of the questions on which both hold the same side, from 0 to 1.
    pub fn agreement(&self) -> f64 {
        self.n_agreed as f64 / self.n_questions.max(1) as f64
    }
}

impl Views {
    /// Compares the present sides of all pairs of participants in the debates of a generation that match a filter, the pair
    /// with the most questions first; retired questions do not count. One statement, which reads the stances of these
    /// debates: its cost grows with the pairs of stances on each question.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn persona_agreements(
        &self,
        generation: i32,
        filter: &DebateQuery,
        limit: i64,
    ) -> Result<Vec<PersonaAgreement>, StoreError> {
        let mut query = QueryBuilder::new(
            "select o.persona as one, p.persona as other, count(distinct q.debate_id) as n_debates,
                count(*) as n_questions, count(*) filter (where o.stance -> 'side' = p.stance -> 'side') as n_agreed
            from disputes q
            cross join lateral jsonb_each(q.body) as o (persona, stance)
            cross join lateral jsonb_each(q.body) as p (persona, stance)
            where o.persona collate \"C\" < p.persona collate \"C\"
            and o.stance ->> 'side' in ('yes', 'no')
            and p.stance ->> 'side' in ('yes', 'no')
            and q.status <> 'retired'
            and q.generation = ",
        );
        query.push_bind(generation);
        query.push(" and q.debate_id in (select debate_id from debates where generation = ").push_bind(generation);
        push_conditions(&mut query, filter);
        query.push(") group by 1, 2 order by n_questions desc, 1, 2 limit ").push_bind(limit.clamp(1, MAX_PAIRS));
        query.build_query_as().fetch_all(&self.pool).await.map_err(StoreError::database("compare participants"))
    }
}
