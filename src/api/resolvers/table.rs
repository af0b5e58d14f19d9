//! Resolvers of tables.

use async_graphql::ComplexObject;

use crate::api::types::persona::participant::Participant;
use crate::api::types::table::Table;

#[ComplexObject]
impl Table {
    /// Participants at the table, in speaking order.
    #[graphql(complexity = "child_complexity")]
    async fn participants(&self) -> Vec<Participant> {
        let is_seated = |persona: &str| self.participant_ids.iter().any(|id| id.as_str() == persona);
        let seated = self.debate.cast.iter().filter(|member| is_seated(member.persona.as_str()));
        seated.map(|member| Participant::new(member, self.debate.clone())).collect()
    }
}
