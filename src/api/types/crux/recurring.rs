//! GraphQL types of questions that recur in several debates.

use std::collections::HashMap;
use std::sync::Arc;

use async_graphql::{Context, Enum, ID, Result, SimpleObject};
use chrono::{DateTime, Utc};

use crate::api::batching::once_map::OnceMap;
use crate::api::error::{from_fault, invalid};
use crate::api::pinned_generation;
use crate::api::types::crux::crux::{Crux, CruxOrigin};
use crate::api::types::scalars::CruxSide;
use faultline_core::events::ids::DebateId;
use faultline_service::cross_debate_search::CrossDebateSearch;
use faultline_service::recurring::{Neighbour, PersonaSides, QuestionCluster, SideIn};
use faultline_store::views::cruxes::CruxQuery;

/// Maximum number of clusters in one response.
pub const MAX_CLUSTERS: i32 = 100;
const DEFAULT: i32 = 20;

/// A question that cruxes of several debates ask.
#[derive(SimpleObject)]
#[graphql(complex)]
pub struct CruxCluster {
    /// Question, in the wording with the greatest similarity to all others.
    question: String,
    /// Number of cruxes that ask it.
    member_count: usize,
    /// Number of debates with such cruxes.
    debate_count: usize,
    /// Number of different wordings.
    wording_count: usize,
    /// Origins of the cruxes, without repetitions.
    origins: Vec<CruxOrigin>,
    /// Time at which the first of them became a crux.
    first_seen: DateTime<Utc>,
    /// Time of the latest turn that concerns one of them.
    last_seen: DateTime<Utc>,
    /// Similarity of the wordings.
    cohesion: Cohesion,
    /// Sides taken, by persona.
    sides_by_persona: Vec<RecurringSides>,
    /// Similar questions that are not the same, nearest first; at most ten.
    neighbours: Vec<NearQuestion>,
    /// True if the search was exhaustive. False if there are more than 20,000 cruxes or questions, too many of them are similar, or
    /// the question of some is not embedded yet; then clusters may be missing, or two of them may be one.
    exact: bool,
    #[graphql(skip)]
    pub(crate) members: Arc<Members>,
    #[graphql(skip)]
    pub(crate) place: usize,
}

/// Cruxes by debate and key.
pub(crate) type Found = HashMap<(DebateId, String), Arc<Crux>>;

/// Cruxes of all clusters in a response. Cruxes shown for one cluster are read for all of them at once.
pub(crate) struct Members {
    pub(crate) generation: i32,
    pub(crate) clusters: Vec<Vec<(DebateId, String)>>,
    /// Cruxes read, by whether they are the last or the first of each cluster, and their number.
    pub(crate) ends: OnceMap<(bool, usize), Found>,
}

/// Similarity of the wordings of one question: cosine similarities of all pairs, or 1 if there is one wording.
#[derive(SimpleObject)]
pub struct Cohesion {
    /// Minimum.
    least: f32,
    /// Mean.
    mean: f32,
}

/// Sides that a persona took in the debates with this question.
#[derive(SimpleObject)]
#[graphql(complex)]
pub struct RecurringSides {
    /// Id of the persona.
    pub(crate) persona_id: ID,
    /// True if it affirmed the question in one debate (yes, or an argument rests on it) and denied it in another.
    changed: bool,
    /// Sides, in the order in which the cruxes arose.
    sides: Vec<RecurringSide>,
}

/// A side that a persona took in one of the debates.
#[derive(SimpleObject)]
pub struct RecurringSide {
    /// Id of the debate.
    debate_id: ID,
    /// Id of the crux.
    crux_id: ID,
    /// Time at which it became a crux.
    at: DateTime<Utc>,
    /// Side.
    side: CruxSide,
    /// Id of the turn that shows it.
    turn_id: ID,
}

/// A question similar to another one.
#[derive(SimpleObject)]
pub struct NearQuestion {
    /// Question.
    question: String,
    /// Number of debates with a crux that asks it.
    debate_count: usize,
    /// Greatest cosine similarity between a wording of one and a wording of the other.
    similarity: f32,
    /// Relation to the other question.
    relation: QuestionRelation,
}

/// Relations between similar questions.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionRelation {
    /// A different question.
    Neighbour,
    /// The negated question: yes to one means no to the other.
    Opposite,
}

impl CruxCluster {
    /// Returns the first clusters among the cruxes that match a filter.
    ///
    /// # Errors
    /// `INVALID` if `first` is out of range; the codes of [`from_fault`] if the database fails.
    pub async fn listed(context: &Context<'_>, filter: &CruxQuery, first: Option<i32>) -> Result<Vec<CruxCluster>> {
        let first = first.unwrap_or(DEFAULT);
        if !(1..=MAX_CLUSTERS).contains(&first) {
            return Err(invalid(&format!("`first` must be between 1 and {MAX_CLUSTERS}")));
        }
        let generation = pinned_generation::generation(context).await?;
        let found = context.data::<CrossDebateSearch>()?.recurring(generation, filter, first as usize).await;
        let found = found.map_err(|error| from_fault(&error))?;
        let names = |cluster: &QuestionCluster| {
            cluster.members.iter().map(|member| (member.debate(), member.key.clone())).collect()
        };
        let clusters = found.clusters.iter().map(names).collect();
        let members = Arc::new(Members { generation, clusters, ends: OnceMap::default() });
        let clusters = found.clusters.into_iter().enumerate();
        Ok(clusters
            .map(|(place, cluster)| CruxCluster::new(cluster, found.exact, (Arc::clone(&members), place)))
            .collect())
    }

    fn new(cluster: QuestionCluster, exact: bool, (members, place): (Arc<Members>, usize)) -> CruxCluster {
        CruxCluster {
            member_count: cluster.members.len(),
            debate_count: cluster.debates,
            wording_count: cluster.wordings,
            origins: cluster.kinds.iter().filter_map(|kind| CruxOrigin::named(kind)).collect(),
            first_seen: cluster.first_seen,
            last_seen: cluster.last_seen,
            cohesion: Cohesion { least: cluster.least, mean: cluster.mean },
            sides_by_persona: cluster.personas.iter().map(RecurringSides::from).collect(),
            neighbours: cluster.neighbours.into_iter().map(NearQuestion::from).collect(),
            exact,
            question: cluster.question,
            members,
            place,
        }
    }
}

impl From<&PersonaSides> for RecurringSides {
    fn from(held: &PersonaSides) -> Self {
        let side = |position: &SideIn| RecurringSide {
            debate_id: ID(position.debate.to_string()),
            crux_id: ID(format!("{}:{}", position.debate, position.key)),
            at: position.at,
            side: position.side.into(),
            turn_id: ID(position.turn.to_string()),
        };
        RecurringSides {
            persona_id: ID(held.persona.to_string()),
            changed: held.has_changed(),
            sides: held.sides.iter().map(side).collect(),
        }
    }
}

impl From<Neighbour> for NearQuestion {
    fn from(near: Neighbour) -> Self {
        NearQuestion {
            question: near.question,
            debate_count: near.debates,
            similarity: near.similarity,
            relation: if near.opposite { QuestionRelation::Opposite } else { QuestionRelation::Neighbour },
        }
    }
}
