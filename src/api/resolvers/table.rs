//! Resolvers of tables.

use async_graphql::{ComplexObject, ID};

use crate::api::types::persona::participant::Participant;
use crate::api::types::table::Table;

#[ComplexObject]
impl Table {
    /// Participants at the table, in speaking order.
    #[graphql(complexity = "child_complexity")]
    async fn participants(&self) -> Vec<Participant> {
        let member = |id: &ID| self.debate.cast.iter().find(|member| member.persona.as_str() == id.as_str());
        self.participant_ids
            .iter()
            .filter_map(member)
            .map(|member| Participant::new(member, self.debate.clone()))
            .collect()
    }
}
