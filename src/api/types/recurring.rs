//! Questions that come up in several debates.

use std::collections::HashMap;
use std::sync::Arc;

use async_graphql::{ComplexObject, Context, Enum, ID, Result, SimpleObject};
use chrono::{DateTime, Utc};

use crate::api::error::{from_fault, invalid};
use crate::api::paging::{Asked, Page, no_cursor};
use crate::api::shown;
use crate::api::types::crux::{Crux, CruxConnection, CruxOrigin};
use crate::api::types::debate::listed;
use crate::api::types::scalars::Side;
use crate::api::types::siblings::{Once, cell};
use crate::desk::inquiry::Inquiry;
use crate::desk::recurring::{Cluster, Held, Neighbour, SideIn};
use crate::events::ids::DebateId;
use crate::store::cruxes::CruxFilter;
use crate::store::debates::Toward;

/// The most clusters of one answer.
pub const CLUSTERS: i32 = 100;
const DEFAULT: i32 = 20;

/// A question that cruxes of several debates ask.
#[derive(SimpleObject)]
#[graphql(complex)]
pub struct CruxCluster {
    /// The question, in the words that are nearest to all others in which it was asked.
    question: String,
    /// How many cruxes ask it.
    size: usize,
    /// How many debates they are of.
    debates: usize,
    /// In how many different words it was asked.
    wordings: usize,
    /// How the cruxes were found, each way once.
    kinds: Vec<CruxOrigin>,
    /// When the first of them came to be a crux.
    first_seen: DateTime<Utc>,
    /// When something was last said to one of them.
    last_seen: DateTime<Utc>,
    /// How much the wordings are alike.
    cohesion: Cohesion,
    /// Who took which sides, by persona.
    personas: Vec<RecurringSides>,
    /// Questions near it that are not the same, the nearest first; at most ten.
    neighbours: Vec<NearQuestion>,
    /// False where not everything was looked at: there are more than 20,000 cruxes, too many of them near each other, or
    /// some whose question was not embedded yet. Then there may be more such questions, and two may be one.
    exact: bool,
    #[graphql(skip)]
    members: Arc<Members>,
    #[graphql(skip)]
    place: usize,
}

/// Cruxes by debate and key.
type Found = HashMap<(DebateId, String), Arc<Crux>>;

/// The cruxes of all clusters of an answer: those that one of them shows are read for all.
struct Members {
    generation: i32,
    clusters: Vec<Vec<(DebateId, String)>>,
    /// By whether the last of each are shown or the first, and how many.
    ends: Once<(bool, usize), Found>,
}

/// How much wordings of one question are alike: cosines of each two of them, or 1 where the question has one wording.
#[derive(SimpleObject)]
pub struct Cohesion {
    /// The least.
    least: f32,
    /// The mean.
    mean: f32,
}

/// The sides that a persona took whenever a question came up.
#[derive(SimpleObject)]
pub struct RecurringSides {
    /// Who.
    persona_id: ID,
    /// Whether they said yes in one debate and no in another.
    changed: bool,
    /// The sides, in the order in which the cruxes came to be.
    sides: Vec<RecurringSide>,
}

/// A side that a persona took in one of the debates.
#[derive(SimpleObject)]
pub struct RecurringSide {
    /// The debate.
    debate_id: ID,
    /// The crux.
    crux_id: ID,
    /// When it came to be a crux.
    at: DateTime<Utc>,
    /// The side.
    side: Side,
    /// The turn that shows it.
    turn_id: ID,
}

/// A question near another.
#[derive(SimpleObject)]
pub struct NearQuestion {
    /// The question.
    question: String,
    /// How many debates have a crux that asks it.
    debates: usize,
    /// The greatest cosine of a wording of the one and a wording of the other.
    similarity: f32,
    /// What it is to the other.
    relation: QuestionRelation,
}

/// What a question is to one near it.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionRelation {
    /// Another question.
    Neighbour,
    /// The same turned round: yes to the one is no to the other.
    Opposite,
}

/// What is paged.
#[ComplexObject]
impl CruxCluster {
    /// The cruxes that ask it, in the order in which they came to be.
    #[graphql(complexity = "listed(first.or(last)) * child_complexity")]
    async fn members(
        &self,
        context: &Context<'_>,
        #[graphql(
            desc = "So many from the first, or from `after`: 1 to 100; 20 where neither first nor last is given."
        )]
        first: Option<i32>,
        #[graphql(desc = "Only those behind this cursor. Goes with first.")] after: Option<String>,
        #[graphql(desc = "So many before the end, or before `before`: 1 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only those before this cursor. Goes with last.")] before: Option<String>,
    ) -> Result<CruxConnection> {
        let page = Asked { first, after, last, before }.page()?;
        let cruxes = &self.members.clusters[self.place];
        let named = |it: &(DebateId, String)| format!("m.{}.{}", it.0, it.1);
        let places: Vec<i64> = (0..).take(cruxes.len()).collect();
        let place = |cursor: &String| places.iter().zip(cruxes).find(|it| named(it.1) == *cursor).map(|it| *it.0);
        let from = page.from.as_ref().map(|it| place(it).ok_or_else(no_cursor)).transpose()?;
        let cut = page.cut(&places, from, |it| *it);
        let wanted = &cruxes[cut.items.clone()];
        let found = self.members.read(context, &page, wanted).await?;
        let told = wanted.iter().filter_map(|it| found.get(it).map(|crux| (named(it), Arc::clone(crux), None)));
        Ok(CruxConnection::new(told.collect(), cut.before, cut.behind, Some(cruxes.len() as i64)))
    }
}

impl Members {
    /// Some members of one cluster. The first of each are read for all clusters at once, and so are the last; those between
    /// alone.
    async fn read(&self, context: &Context<'_>, page: &Page, wanted: &[(DebateId, String)]) -> Result<Found> {
        if page.from.is_some() {
            return self.named(context, wanted).await;
        }
        let (last, size) = (page.toward == Toward::Newer, page.size as usize);
        let end = |it: &Vec<(DebateId, String)>| {
            let n_left = it.len().saturating_sub(size);
            if last { it[n_left..].to_vec() } else { it[..it.len() - n_left].to_vec() }
        };
        let ends = async || {
            let names: Vec<(DebateId, String)> = self.clusters.iter().flat_map(end).collect();
            self.named(context, &names).await
        };
        cell(&self.ends, (last, size)).get_or_try_init(ends).await.cloned()
    }

    async fn named(&self, context: &Context<'_>, names: &[(DebateId, String)]) -> Result<Found> {
        let views = context.data::<Inquiry>()?.views();
        let rows = views.cruxes_named(self.generation, names).await.map_err(|it| from_fault(&it))?;
        let cruxes = Crux::of_rows(&rows).map_err(|it| from_fault(&it))?;
        Ok(rows.iter().map(|it| (it.debate(), it.key.clone())).zip(cruxes).collect())
    }
}

impl CruxCluster {
    /// The first clusters of the cruxes that a filter lets through.
    ///
    /// # Errors
    /// `INVALID` where that is too many; else our own faults.
    pub async fn listed(context: &Context<'_>, filter: &CruxFilter, first: Option<i32>) -> Result<Vec<CruxCluster>> {
        let first = first.unwrap_or(DEFAULT);
        if !(1..=CLUSTERS).contains(&first) {
            return Err(invalid(&format!("first is 1 to {CLUSTERS} here")));
        }
        let generation = shown::generation(context).await?;
        let found = context.data::<Inquiry>()?.recurring(generation, filter, first as usize).await;
        let found = found.map_err(|it| from_fault(&it))?;
        let names = |it: &Cluster| it.members.iter().map(|it| (it.debate(), it.key.clone())).collect();
        let clusters = found.clusters.iter().map(names).collect();
        let members = Arc::new(Members { generation, clusters, ends: Once::default() });
        let told = found.clusters.into_iter().enumerate();
        Ok(told.map(|(place, it)| CruxCluster::new(it, found.exact, (Arc::clone(&members), place))).collect())
    }

    fn new(cluster: Cluster, exact: bool, (members, place): (Arc<Members>, usize)) -> CruxCluster {
        CruxCluster {
            size: cluster.members.len(),
            debates: cluster.debates,
            wordings: cluster.wordings,
            kinds: cluster.kinds.iter().filter_map(|it| CruxOrigin::named(it)).collect(),
            first_seen: cluster.first_seen,
            last_seen: cluster.last_seen,
            cohesion: Cohesion { least: cluster.least, mean: cluster.mean },
            personas: cluster.personas.iter().map(RecurringSides::from).collect(),
            neighbours: cluster.neighbours.into_iter().map(NearQuestion::from).collect(),
            exact,
            question: cluster.question,
            members,
            place,
        }
    }
}

impl From<&Held> for RecurringSides {
    fn from(held: &Held) -> Self {
        let side = |it: &SideIn| RecurringSide {
            debate_id: ID(it.debate.to_string()),
            crux_id: ID(format!("{}:{}", it.debate, it.key)),
            at: it.at,
            side: it.side.into(),
            turn_id: ID(it.turn.to_string()),
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
            debates: near.debates,
            similarity: near.similarity,
            relation: if near.opposite { QuestionRelation::Opposite } else { QuestionRelation::Neighbour },
        }
    }
}
