//! GraphQL type of the agreement of two personas.

use async_graphql::{ID, SimpleObject};

use faultline_core::events::ids::PersonaId;
use faultline_core::measures::measure::rounded;
use faultline_service::catalog::Catalog;
use faultline_store::views::persona_agreements;

/// Agreement of two personas over the debates that they had with each other.
#[derive(SimpleObject)]
pub struct PersonaAgreement {
    /// Id of the persona that comes first by its id.
    one_id: ID,
    /// Its name; its id if it does not take part in debates any more.
    one_name: String,
    /// Id of the other persona.
    other_id: ID,
    /// Its name; its id if it does not take part in debates any more.
    other_name: String,
    /// Number of debates in which both took a side of the same question.
    debate_count: i64,
    /// Number of questions on which both hold a side, yes or no. The questions of each debate count on their own.
    question_count: i64,
    /// Number of those on which both hold the same side.
    agreed_count: i64,
    /// Number of those on which they hold opposite sides.
    opposed_count: i64,
    /// Share of the questions on which both hold the same side, from 0 to 1.
    agreement: f64,
}

impl PersonaAgreement {
    /// Converts an agreement, with the names that the catalog has.
    pub fn new(found: persona_agreements::PersonaAgreement, catalog: &Catalog) -> PersonaAgreement {
        let member = |id: &str| catalog.personas.get(&id.parse::<PersonaId>().ok()?);
        let name = |id: &str| member(id).map_or_else(|| id.to_owned(), |it| it.persona.name.clone());
        PersonaAgreement {
            one_name: name(&found.one),
            other_name: name(&found.other),
            debate_count: found.n_debates,
            question_count: found.n_questions,
            agreed_count: found.n_agreed,
            opposed_count: found.n_questions - found.n_agreed,
            agreement: rounded(found.agreement()),
            one_id: ID(found.one),
            other_id: ID(found.other),
        }
    }
}
