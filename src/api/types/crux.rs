//! Cruxes: of one debate, and across debates.

use std::sync::Arc;

use async_graphql::connection::PageInfo;
use async_graphql::{ComplexObject, Context, Enum, ID, InputObject, SimpleObject};
use chrono::{DateTime, Utc};

use crate::api::paging::page_info;
use crate::api::plain::{Items, Plain, Write, json};
use crate::api::types::argument::Turn;
use crate::api::types::debate::{Debate, FOLD};
use crate::api::types::scalars::Side;
use crate::api::types::siblings::Houses;
use crate::events::ids::{DebateId, TurnId};
use crate::store::cruxes::{self, StoredCrux};
use crate::store::fault::Fault;
use crate::store::questions::search::{Hit, SCORE};
use crate::verdicts::candidates::Level;
use crate::verdicts::crux_name::CruxName;
use crate::verdicts::cruxes::{Crux as Inner, Origin};

/// What the way from a crux to its debate counts for where a request is weighed: the debates of a page are read together,
/// but each leads to cruxes again.
const HOUSE: usize = 10;

/// What a disagreement turns on: computed from the structure of the debate.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Crux {
    /// Its name. It says what the crux is, not where it stands in a list: it finds the crux again when the debate has gone
    /// on.
    pub(crate) id: ID,
    /// The debate.
    debate_id: ID,
    /// Its place in its debate's list, from 1; resolved ones come behind.
    rank: usize,
    /// How it was found.
    origin: CruxOrigin,
    /// The dispute, where it is one.
    dispute_id: Option<ID>,
    /// Whether it still divides them: false for a dispute on which all came to one side. What arguments turned on and turn
    /// on no more is not resolved but gone.
    open: bool,
    /// The crux, in the words of those who disagree.
    statement: String,
    /// A question that somebody could answer with yes or no to settle it: the dispute's own, else made of the statement.
    question: String,
    /// Why it has its rank, in words: what settling it changes, and how much rests on it.
    why: String,
    /// The share of theses, of others than its own, whose status its settlement changes; none for a dispute.
    pivotality: Option<f64>,
    /// Of how many theses that is the share, and of which order it is; none for a dispute.
    consequence: Option<Consequence>,
    /// Disputed arguments that rest on it.
    dependent_ids: Vec<ID>,
    /// What these arguments rest on beside it: their assumptions; their premises, of those that assume nothing.
    assumptions: Vec<String>,
    /// Attacks on and by those arguments.
    attack_degree: usize,
    /// Who stands where, and what they said.
    positions: Vec<CruxPosition>,
    /// The turns behind it: in which it was said, and in which it was attacked.
    turn_ids: Vec<ID>,
    /// When it came to be a crux.
    opened_at: DateTime<Utc>,
    /// When the newest turn behind it was recorded.
    changed_at: DateTime<Utc>,
    #[graphql(skip)]
    debate: DebateId,
    #[graphql(skip)]
    turns: Vec<TurnId>,
    #[graphql(skip)]
    house: House,
}

/// Where the debate of a crux comes from.
#[derive(Clone)]
pub enum House {
    /// It is at hand.
    Known(Arc<Debate>),
    /// It is read with those of all cruxes that were listed together.
    Listed(Arc<Houses>),
}

/// What hangs on a crux. A thesis is a claim that answers the topic; where nothing tells against any, every disputed claim.
#[derive(SimpleObject, Clone)]
pub struct Consequence {
    /// Theses whose status its settlement changes, of those that do not rest on it themselves.
    changed: usize,
    /// Theses that do not rest on it.
    theses: usize,
    /// How many have to be settled to change a thesis, itself among them, where nothing less does: 1 or 2. None where no
    /// such settlement was found up to `searched`.
    order: Option<u32>,
    /// Up to which order was looked: 2, or 1 where there are too many arguments to try all pairs.
    searched: u32,
    /// One over the order; 0 where it has none.
    responsibility: f64,
}

/// Where a participant stands on a crux.
#[derive(SimpleObject, Clone)]
pub struct CruxPosition {
    /// Who.
    persona_id: ID,
    /// Which side. By structure: yes for whose argument rests on it, no for who attacks such an argument. Of what was
    /// agreed on: yes for who says that it is the crux.
    side: Side,
    /// The turn that shows it.
    turn_id: ID,
    /// The argument that shows it; none on a dispute.
    argument_id: Option<ID>,
    /// Their own words: the claim of the argument; on a dispute their stance in a sentence, else how the turn begins. At
    /// most 280 characters.
    words: String,
}

/// How a crux was found.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum CruxOrigin {
    /// An open dispute.
    Dispute,
    /// What one participant proposed as the crux and another agreed with. That it was proposed alone makes it none.
    Acknowledged,
    /// Something that disputed arguments take for granted.
    Assumption,
    /// Something that disputed arguments conclude from.
    Premise,
    /// A disputed claim itself.
    Claim,
}

impl CruxOrigin {
    /// How a crux of this origin was found.
    pub fn of(origin: Origin) -> Self {
        match origin {
            Origin::Dispute { .. } => CruxOrigin::Dispute,
            Origin::Acknowledged { .. } => CruxOrigin::Acknowledged,
            Origin::Structure { level: Level::Assumption } => CruxOrigin::Assumption,
            Origin::Structure { level: Level::Premise } => CruxOrigin::Premise,
            Origin::Structure { level: Level::Claim } => CruxOrigin::Claim,
        }
    }

    /// The one of this name; none where there is none.
    pub fn named(name: &str) -> Option<Self> {
        [CruxOrigin::Dispute, CruxOrigin::Acknowledged, CruxOrigin::Assumption, CruxOrigin::Premise, CruxOrigin::Claim]
            .into_iter()
            .find(|it| it.name() == name)
    }

    /// Its name in the list of cruxes.
    pub fn name(self) -> &'static str {
        match self {
            CruxOrigin::Dispute => "dispute",
            CruxOrigin::Acknowledged => "acknowledged",
            CruxOrigin::Assumption => "assumption",
            CruxOrigin::Premise => "premise",
            CruxOrigin::Claim => "claim",
        }
    }
}

/// A crux beside what it does not say itself.
pub struct Placed<'a> {
    /// The debate.
    pub debate: DebateId,
    /// Its place in the debate's list, from 1.
    pub rank: usize,
    /// The crux.
    pub crux: &'a Inner,
    /// When it came to be one, and when the newest turn behind it was recorded.
    pub times: (DateTime<Utc>, DateTime<Utc>),
}

impl Crux {
    /// The cruxes of some rows of one generation, in their order.
    ///
    /// # Errors
    /// [`Fault::Json`] where a row is none.
    pub fn of_rows(rows: &[StoredCrux]) -> Result<Vec<Arc<Crux>>, Fault> {
        let generation = rows.first().map_or(0, |it| it.generation);
        let houses = Houses::new(generation, rows.iter().map(StoredCrux::debate));
        rows.iter().map(|it| Crux::of_row(it, House::Listed(Arc::clone(&houses))).map(Arc::new)).collect()
    }

    /// The crux of a row.
    ///
    /// # Errors
    /// [`Fault::Json`] where the row is none.
    pub fn of_row(row: &StoredCrux, house: House) -> Result<Crux, Fault> {
        if let Some(origin) = CruxOrigin::named(&row.brief.kind) {
            return Ok(Crux::in_brief(row, origin, house));
        }
        let crux: Inner = serde_json::from_str(&row.body).map_err(Fault::json("read a stored crux"))?;
        let rank = usize::try_from(row.place).unwrap_or_default();
        let times = (row.opened_at, row.changed_at);
        Ok(Crux::new(Placed { debate: row.debate(), rank, crux: &crux, times }, house))
    }

    /// The crux of a row that was read in brief: nothing is asked of it but [`OF_CRUX`](crate::api::types::brief::OF_CRUX).
    fn in_brief(row: &StoredCrux, origin: CruxOrigin, house: House) -> Crux {
        let debate = row.debate();
        Crux {
            id: ID(format!("{debate}:{}", row.key)),
            debate_id: ID(debate.to_string()),
            rank: usize::try_from(row.place).unwrap_or_default(),
            origin,
            dispute_id: None,
            open: row.brief.open,
            statement: row.brief.statement.clone(),
            question: row.brief.question.clone(),
            why: String::new(),
            pivotality: row.pivotality,
            consequence: None,
            dependent_ids: Vec::new(),
            assumptions: Vec::new(),
            attack_degree: 0,
            positions: Vec::new(),
            turn_ids: Vec::new(),
            opened_at: row.opened_at,
            changed_at: row.changed_at,
            debate,
            turns: Vec::new(),
            house,
        }
    }

    /// Whether it still divides them.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// A crux, and where its debate comes from.
    pub fn new(placed: Placed<'_>, house: House) -> Self {
        let Placed { debate, rank, crux, times: (opened_at, changed_at) } = placed;
        let positions = crux.positions.iter().map(|it| CruxPosition {
            persona_id: ID(it.persona.to_string()),
            side: it.side.into(),
            turn_id: ID(it.turn.to_string()),
            argument_id: it.argument.map(|it| ID(it.to_string())),
            words: it.words.clone(),
        });
        Crux {
            id: ID(CruxName { debate, key: crux.key }.to_string()),
            debate_id: ID(debate.to_string()),
            rank,
            origin: CruxOrigin::of(crux.origin),
            dispute_id: match crux.origin {
                Origin::Dispute { dispute } => Some(ID(dispute.to_string())),
                Origin::Acknowledged { .. } | Origin::Structure { .. } => None,
            },
            open: crux.open,
            statement: crux.statement.clone(),
            question: crux.question.clone(),
            why: crux.why.clone(),
            pivotality: crux.pivotality,
            consequence: crux.consequence.map(|it| Consequence {
                changed: it.changed,
                theses: it.theses,
                order: it.order,
                searched: it.searched,
                responsibility: it.responsibility(),
            }),
            dependent_ids: crux.dependents.iter().map(|it| ID(it.to_string())).collect(),
            assumptions: crux.assumptions.clone(),
            attack_degree: crux.attack_degree,
            positions: positions.collect(),
            turn_ids: crux.turns.iter().map(|it| ID(it.to_string())).collect(),
            opened_at,
            changed_at,
            debate,
            turns: crux.turns.clone(),
            house,
        }
    }

    async fn house(&self, context: &Context<'_>) -> async_graphql::Result<Arc<Debate>> {
        match &self.house {
            House::Known(debate) => Ok(Arc::clone(debate)),
            House::Listed(houses) => houses.debate(context, self.debate).await,
        }
    }
}

impl Plain for Arc<Crux> {
    fn plain(field: &str) -> Option<Write<Arc<Crux>>> {
        Some(match field {
            "__typename" => |_, to| json("Crux", to),
            "id" => |it, to| json(&it.id.0, to),
            "debateId" => |it, to| json(&it.debate_id.0, to),
            "rank" => |it, to| json(&it.rank, to),
            "origin" => |it, to| json(&it.origin.name().to_ascii_uppercase(), to),
            "disputeId" => |it, to| json(&it.dispute_id.as_ref().map(|it| &it.0), to),
            "open" => |it, to| json(&it.open, to),
            "statement" => |it, to| json(&it.statement, to),
            "question" => |it, to| json(&it.question, to),
            "why" => |it, to| json(&it.why, to),
            "pivotality" => |it, to| json(&it.pivotality, to),
            "attackDegree" => |it, to| json(&it.attack_degree, to),
            "assumptions" => |it, to| json(&it.assumptions, to),
            "openedAt" => |it, to| json(&it.opened_at.to_rfc3339(), to),
            "changedAt" => |it, to| json(&it.changed_at.to_rfc3339(), to),
            _ => return None,
        })
    }
}

/// What is at hand only with the debate.
#[ComplexObject]
impl Crux {
    /// The debate.
    #[graphql(complexity = "HOUSE + child_complexity")]
    async fn debate(&self, context: &Context<'_>) -> async_graphql::Result<Arc<Debate>> {
        self.house(context).await
    }

    /// The turns behind it, whole, with the passages they rest on.
    #[graphql(complexity = "FOLD + 5 * child_complexity")]
    async fn turns(&self, context: &Context<'_>) -> async_graphql::Result<Vec<Turn>> {
        let house = self.house(context).await?;
        let board = house.board(context).await?;
        Ok(self.turns.iter().filter_map(|it| board.transcript.turn(*it)).map(Turn::from).collect())
    }
}

/// Which cruxes to list.
#[derive(InputObject, Default)]
pub struct CruxFilter {
    /// Only those of this debate.
    pub debate: Option<ID>,
    /// Only those on which this persona says yes or no.
    pub persona: Option<ID>,
    /// Only those that were found so.
    pub kind: Option<CruxOrigin>,
    /// Only those that still divide; or only those that no longer do.
    pub open: Option<bool>,
    /// Only those whose pivotality is at least this, from 0 to 1. A dispute has none.
    pub min_pivotality: Option<f64>,
}

/// In which order to list cruxes. Among equals those of debates opened later come first.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum CruxOrder {
    /// What fits the search best, by meaning and by words. Goes with a search.
    Relevance,
    /// Those that came to be last.
    Newest,
    /// Those to which something was said last.
    Changed,
    /// Those that change most theses; disputes, which have no pivotality, behind them.
    Pivotality,
    /// Those on which most disputed arguments rest.
    Dependents,
}

impl CruxOrder {
    /// The order in which the store lists them; none where it is that of a search.
    pub fn listed(self) -> Option<cruxes::CruxOrder> {
        match self {
            CruxOrder::Relevance => None,
            CruxOrder::Newest => Some(cruxes::CruxOrder::Newest),
            CruxOrder::Changed => Some(cruxes::CruxOrder::Changed),
            CruxOrder::Pivotality => Some(cruxes::CruxOrder::Pivotality),
            CruxOrder::Dependents => Some(cruxes::CruxOrder::Dependents),
        }
    }
}

/// Why something was found.
#[derive(SimpleObject, Clone)]
pub struct SearchMatch {
    /// By what the hits are ordered: reciprocal ranks by meaning and by words, fused. Comparable within one search only.
    score: f64,
    /// How near what it asks lies to the search, from -1 to 1; none where it was not embedded yet, or the search cannot be.
    cosine: Option<f64>,
    /// Stems of the words of the search that stand in it, in alphabetical order.
    words: Vec<String>,
}

impl From<&Hit> for SearchMatch {
    fn from(hit: &Hit) -> Self {
        SearchMatch { score: hit.score as f64 / SCORE, cosine: hit.cosine, words: hit.stems.clone() }
    }
}

/// A part of the list of cruxes.
#[derive(SimpleObject)]
pub struct CruxConnection {
    /// The cruxes, each with its cursor.
    edges: Vec<CruxEdge>,
    /// The cruxes alone.
    nodes: Items<Arc<Crux>>,
    /// Whether there are more, and where.
    page_info: PageInfo,
    /// How many there are in all, whatever the page. Counted only where it is asked for.
    total_count: Option<i64>,
}

/// A crux in the list.
#[derive(SimpleObject)]
pub struct CruxEdge {
    /// Its place in a list of this order, for `after` and `before`. It stays valid whatever becomes of the list.
    cursor: String,
    /// The crux.
    node: Arc<Crux>,
    /// Why it was found; none where it was listed in another order than that of a search.
    #[graphql(name = "match")]
    matched: Option<SearchMatch>,
}

impl CruxConnection {
    /// A part of the list: cruxes with their cursors and why they were found, whether there are some before and behind, and
    /// how many in all.
    pub fn new(
        cruxes: Vec<(String, Arc<Crux>, Option<SearchMatch>)>,
        before: bool,
        behind: bool,
        total_count: Option<i64>,
    ) -> Self {
        CruxConnection {
            page_info: page_info(cruxes.iter().map(|it| &it.0), before, behind),
            nodes: Items(cruxes.iter().map(|it| Arc::clone(&it.1)).collect()),
            edges: cruxes.into_iter().map(|(cursor, node, matched)| CruxEdge { cursor, node, matched }).collect(),
            total_count,
        }
    }
}
