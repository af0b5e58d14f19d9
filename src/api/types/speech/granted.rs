//! GraphQL types of granted statements.

use async_graphql::{ID, SimpleObject};

use crate::api::types::debate::debate_ref::ParticipantSource;
use crate::api::types::debate_object::DebateObject;
use crate::api::types::scalars::AttackComponent;
use faultline_core::events::argument::ArgumentPart;
use faultline_core::events::turn;
use faultline_core::events::turn::StatementSource;
use faultline_core::verdicts::common_ground::Holder;
use faultline_core::verdicts::concessions::granted;
use faultline_core::verdicts::diff::granted_changes::granted_key;

/// A statement of one participant that another granted in words and that nobody denies. It is common ground of its own
/// kind: granting a statement is no stance on anything else.
#[derive(SimpleObject, Clone)]
pub struct GrantedStatement {
    /// Unique id, also accepted by `node`.
    pub(crate) id: ID,
    /// Short id within the debate, made from the statement.
    short_id: ID,
    /// The statement, and where it was made.
    point: GrantedPoint,
    /// Participant who made it.
    author: StatementHolder,
    /// Participants who granted it, in order.
    granters: Vec<StatementHolder>,
}

/// A statement that a concession grants, and where it was made: in an argument, or only in a turn.
#[derive(SimpleObject, Clone)]
pub struct GrantedPoint {
    /// The statement, as it was when it was granted.
    statement: String,
    /// Id of the turn whose words it is; null if it is a part of an argument.
    turn_id: Option<ID>,
    /// Id of the argument that contains it; null if it was only said.
    argument_id: Option<ID>,
    /// Part of the argument.
    component: Option<AttackComponent>,
    /// Index of the premise or assumption, from 0.
    component_index: Option<u32>,
}

/// A participant who made or granted a statement.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct StatementHolder {
    /// Id of the participant.
    pub(crate) persona_id: ID,
    /// Id of the turn.
    turn_id: ID,
    /// Words of the turn, exactly as it contains them; null if the statement was written in an argument and not spoken.
    quote: Option<String>,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

impl GrantedStatement {
    /// Builds a granted statement of a debate with these participants.
    pub fn new(granted: &granted::GrantedStatement, participants: &ParticipantSource) -> Self {
        let holder = |holder: &Holder| StatementHolder {
            persona_id: ID(holder.persona.to_string()),
            turn_id: ID(holder.turn.to_string()),
            quote: holder.quote.clone(),
            participants: participants.clone(),
        };
        let key = granted_key(granted);
        GrantedStatement {
            id: participants.object_id(DebateObject::GrantedStatement(key)),
            short_id: ID(key.to_string()),
            point: GrantedPoint::of(&granted.statement, granted.source),
            author: holder(&granted.author),
            granters: granted.granters.iter().map(holder).collect(),
        }
    }
}

impl GrantedPoint {
    fn of(statement: &str, source: StatementSource) -> Self {
        let (turn, part) = match source {
            StatementSource::Turn { turn } => (Some(turn), None),
            StatementSource::Argument { argument, component } => (None, Some((argument, component))),
        };
        let index = |component: ArgumentPart| match component {
            ArgumentPart::Claim => None,
            ArgumentPart::Premise(index) | ArgumentPart::Assumption(index) => Some(index),
        };
        GrantedPoint {
            statement: statement.to_owned(),
            turn_id: turn.map(|turn| ID(turn.to_string())),
            argument_id: part.map(|(argument, _)| ID(argument.to_string())),
            component: part.map(|(_, component)| component.into()),
            component_index: part.and_then(|(_, component)| index(component)),
        }
    }
}

impl From<&turn::GrantedPoint> for GrantedPoint {
    fn from(point: &turn::GrantedPoint) -> Self {
        GrantedPoint::of(&point.statement, point.source)
    }
}
