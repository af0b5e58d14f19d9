//! GraphQL types of cruxes, of one debate and across debates.

use std::sync::Arc;

use async_graphql::connection::PageInfo;
use async_graphql::{Context, Enum, ID, InputObject, Result, SimpleObject};
use chrono::{DateTime, Utc};

use crate::api::json::direct_json::{DirectJson, List, Write, json};
use crate::api::paging::page_info;
use crate::api::types::crux::card::CruxCard;
use crate::api::types::debate::debate::Debate;
use crate::api::types::debate::debate_ref::{DebateLoader, DebateRef, ParticipantSource};
use crate::api::types::scalars::{CountedClaims, CruxSide, PositionBasis, RegimeKind, TurnBasis};
use faultline_core::events::ids::{DebateId, DisputeId, TurnId};
use faultline_core::verdicts::candidates::Level;
use faultline_core::verdicts::crux::{Crux as Inner, CruxOrigin as CoreCruxOrigin};
use faultline_core::verdicts::crux_card::crux_places::CruxMarks;
use faultline_core::verdicts::crux_id::CruxKey;
use faultline_store::error::StoreError;
use faultline_store::views::cruxes;
use faultline_store::views::cruxes::StoredCrux;
use faultline_store::views::question_search::{Hit, SCORE};

/// A point that a disagreement turns on, computed from the structure of the debate.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Crux {
    /// Id of the crux. It identifies the point and not a list position, so it stays valid when events are appended to
    /// the debate.
    pub(crate) id: ID,
    /// Short id within the debate, such as `d1`; that of the dispute, if the crux is one.
    short_id: ID,
    /// Id of the debate.
    debate_id: ID,
    /// Rank within the debate, from 1. Resolved cruxes come last.
    rank: usize,
    /// Origin of the crux.
    origin: CruxOrigin,
    /// Id of the dispute, if the crux is one.
    dispute_id: Option<ID>,
    /// Id of the proposal that participants agreed on as the crux: the crux itself, or one that asks the same question as
    /// the dispute. Null if nobody agreed on it.
    proposal_id: Option<ID>,
    /// True while the crux is unresolved. A dispute is resolved when all participants have come to one side. A
    /// structural crux that no arguments turn on any more is removed, not resolved.
    open: bool,
    /// Statement of the crux: the question of a dispute, a proposed crux, or a statement of an argument. Its positions tell
    /// whether somebody said it: an assumption may be nobody's words.
    statement: String,
    /// Other statements under exactly the same arguments, which always turn together with it; for a dispute or a proposal,
    /// the statement of these arguments that its question asks about.
    other_statements: Vec<String>,
    /// Yes-or-no question whose answer would settle the crux, in the third person: that of the dispute, or one made from
    /// the statement.
    question: String,
    /// Explanation of its rank: the effect of settling it, and the number of arguments that depend on it.
    explanation: String,
    /// Share of the theses that do not rest on the crux whose status changes when it is settled; null for a
    /// dispute or a proposal about whose statement no disputed argument is.
    pivotality: Option<f64>,
    /// Details of the pivotality: the number of theses, and the order; null if it has none.
    consequence: Option<Consequence>,
    /// Ids of the disputed arguments that rest on the crux.
    dependent_ids: Vec<ID>,
    /// Other points that these arguments rest on: their assumptions, or their premises if they have none.
    assumptions: Vec<String>,
    /// Number of attacks on and by these arguments.
    attack_degree: usize,
    /// Positions of the participants on the crux.
    positions: Vec<CruxPosition>,
    /// Card: kind of disagreement, diagnosis, what would change minds, what would settle it, and the resolution.
    card: CruxCard,
    /// Ids of the turns in which it was stated or attacked.
    turn_ids: Vec<ID>,
    /// Time at which it became a crux.
    opened_at: DateTime<Utc>,
    /// Time of the latest turn in which it was stated or attacked.
    changed_at: DateTime<Utc>,
    #[graphql(skip)]
    pub(crate) debate: DebateId,
    #[graphql(skip)]
    pub(crate) dispute: Option<DisputeId>,
    #[graphql(skip)]
    pub(crate) turns: Vec<TurnId>,
    #[graphql(skip)]
    pub(crate) debate_ref: DebateRef,
}

/// Effect of settling a crux. A thesis is a claim that answers the topic; if no such claim is attacked, every disputed
/// claim is a thesis.
#[derive(SimpleObject, Clone)]
pub struct Consequence {
    /// Number of theses whose status changes, of those that do not rest on the crux themselves.
    changed_count: usize,
    /// Number of theses that do not rest on the crux.
    thesis_count: usize,
    /// Kind of the claims counted as theses.
    among: CountedClaims,
    /// Minimum number of points, including this crux, that have to be settled together to change a thesis: 1 or 2. Null
    /// if none was found up to `searchedOrder`.
    order: Option<u32>,
    /// Largest order searched: 2, or 1 if there are too many arguments to try all pairs.
    searched_order: u32,
    /// Reciprocal of the order; 0 if there is none.
    responsibility: f64,
}

/// Position of a participant on a crux.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct CruxPosition {
    /// Id of the participant.
    pub(crate) persona_id: ID,
    /// Side taken. For a structural crux: whether an argument of the participant rests on the statement, attacks it, or
    /// conflicts with it. For an acknowledged crux: that the participant proposed it or agreed on it, or the side of the
    /// same question.
    side: CruxSide,
    /// Id of the turn that shows it; for an attack, the one in which it was made.
    turn_id: ID,
    /// Basis on which the turn of that argument is known.
    turn_basis: TurnBasis,
    /// Id of the argument that shows it; null for a dispute.
    argument_id: Option<ID>,
    /// Claim of the argument, or the words of the attack; for a dispute, the stance in one sentence, or else the beginning
    /// of the turn. At most 280 characters. Only `quote` is a quotation of the turn.
    words: String,
    /// Words of the turn that show it, exactly as the turn contains them; null if it contains none.
    quote: Option<String>,
    /// Basis of the position: the words of the turn, or an argument that contains what the turn does not.
    basis: PositionBasis,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

/// Origins of a crux.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum CruxOrigin {
    /// An open dispute.
    Dispute,
    /// A crux that one participant proposed and another acknowledged. A proposal alone is not enough.
    Acknowledged,
    /// An assumption of disputed arguments.
    Assumption,
    /// A premise of disputed arguments.
    Premise,
    /// A disputed claim itself.
    Claim,
}

impl CruxOrigin {
    /// Maps the origin of a computed crux.
    pub fn of(origin: CoreCruxOrigin) -> Self {
        match origin {
            CoreCruxOrigin::Dispute { .. } => CruxOrigin::Dispute,
            CoreCruxOrigin::Acknowledged { .. } => CruxOrigin::Acknowledged,
            CoreCruxOrigin::Structure { level: Level::Assumption } => CruxOrigin::Assumption,
            CoreCruxOrigin::Structure { level: Level::Premise } => CruxOrigin::Premise,
            CoreCruxOrigin::Structure { level: Level::Claim } => CruxOrigin::Claim,
        }
    }

    /// Returns the origin with this name, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        [CruxOrigin::Dispute, CruxOrigin::Acknowledged, CruxOrigin::Assumption, CruxOrigin::Premise, CruxOrigin::Claim]
            .into_iter()
            .find(|origin| origin.name() == name)
    }

    /// Returns the name used in the stored list of cruxes.
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

/// A crux together with facts that it does not contain itself.
pub struct RankedCrux<'a> {
    /// Id of the debate.
    pub debate: DebateId,
    /// Rank within the debate, from 1.
    pub rank: usize,
    /// The crux.
    pub crux: &'a Inner,
    /// Times at which it became a crux, and of the latest turn in which it was stated or attacked.
    pub times: (DateTime<Utc>, DateTime<Utc>),
}

impl Crux {
    /// Builds the cruxes of some rows of one generation, in their order.
    ///
    /// # Errors
    /// [`StoreError::Json`] if the stored JSON of a row is malformed.
    pub fn of_rows(rows: &[StoredCrux]) -> Result<Vec<Arc<Crux>>, StoreError> {
        let generation = rows.first().map_or(0, |row| row.generation);
        let loader = DebateLoader::new(generation, rows.iter().map(StoredCrux::debate));
        rows.iter().map(|row| Crux::of_row(row, DebateRef::Listed(Arc::clone(&loader))).map(Arc::new)).collect()
    }

    /// Builds the crux of a row.
    ///
    /// # Errors
    /// [`StoreError::Json`] if the stored JSON of the row is malformed.
    pub fn of_row(row: &StoredCrux, debate_ref: DebateRef) -> Result<Crux, StoreError> {
        if let Some(origin) = CruxOrigin::named(&row.brief.kind) {
            return Ok(Crux::in_brief(row, origin, debate_ref));
        }
        let crux: Inner = serde_json::from_str(&row.body).map_err(StoreError::json("read a stored crux"))?;
        let rank = usize::try_from(row.place).unwrap_or_default();
        let times = (row.opened_at, row.changed_at);
        Ok(Crux::new(RankedCrux { debate: row.debate(), rank, crux: &crux, times }, debate_ref))
    }

    /// Builds a crux from a row that was read without its JSON: only the fields in
    /// [`CRUX_COLUMNS`](crate::api::batching::lookahead::CRUX_COLUMNS) are selected.
    fn in_brief(row: &StoredCrux, origin: CruxOrigin, debate_ref: DebateRef) -> Crux {
        let debate = row.debate();
        Crux {
            id: ID(format!("{debate}:{}", row.key)),
            short_id: ID(row.key.clone()),
            debate_id: ID(debate.to_string()),
            rank: usize::try_from(row.place).unwrap_or_default(),
            origin,
            dispute_id: None,
            proposal_id: None,
            open: row.brief.open,
            statement: row.brief.statement.clone(),
            other_statements: Vec::new(),
            question: row.brief.question.clone(),
            explanation: String::new(),
            pivotality: row.pivotality,
            consequence: None,
            dependent_ids: Vec::new(),
            assumptions: Vec::new(),
            attack_degree: 0,
            positions: Vec::new(),
            card: CruxCard::default(),
            turn_ids: Vec::new(),
            opened_at: row.opened_at,
            changed_at: row.changed_at,
            debate,
            dispute: None,
            turns: Vec::new(),
            debate_ref,
        }
    }

    /// Returns true while the crux is unresolved.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Builds a crux with the source of its debate.
    pub fn new(placed: RankedCrux<'_>, debate_ref: DebateRef) -> Self {
        let RankedCrux { debate, rank, crux, times: (opened_at, changed_at) } = placed;
        let participants = ParticipantSource { debate, debate_ref: debate_ref.clone() };
        let dispute = CruxMarks::from(crux).dispute;
        let positions = crux.positions.iter().map(|position| CruxPosition {
            persona_id: ID(position.persona.to_string()),
            side: position.side.into(),
            turn_id: ID(position.turn.to_string()),
            turn_basis: position.turn_basis.into(),
            argument_id: position.argument.map(|argument| ID(argument.to_string())),
            words: position.words.clone(),
            quote: position.quote.clone(),
            basis: position.basis.into(),
            participants: participants.clone(),
        });
        Crux {
            id: debate_ref.crux_id(debate, crux.key),
            short_id: ID(crux.key.to_string()),
            debate_id: ID(debate.to_string()),
            rank,
            origin: CruxOrigin::of(crux.origin),
            dispute_id: dispute.map(|dispute| ID(dispute.to_string())),
            proposal_id: crux.agreed.map(|proposal| ID(proposal.to_string())),
            open: crux.open,
            statement: crux.statement.clone(),
            other_statements: crux.other_statements.clone(),
            question: crux.question.clone(),
            explanation: crux.why.clone(),
            pivotality: crux.pivotality,
            consequence: crux.consequence.map(|consequence| Consequence {
                changed_count: consequence.changed,
                thesis_count: consequence.theses,
                among: consequence.among.into(),
                order: consequence.order,
                searched_order: consequence.searched,
                responsibility: consequence.responsibility(),
            }),
            dependent_ids: crux.dependents.iter().map(|dependent| ID(dependent.to_string())).collect(),
            assumptions: crux.assumptions.clone(),
            attack_degree: crux.attack_degree,
            positions: positions.collect(),
            card: CruxCard::new(&crux.card, &participants),
            turn_ids: crux.turns.iter().map(|turn| ID(turn.to_string())).collect(),
            opened_at,
            changed_at,
            debate,
            dispute,
            turns: crux.turns.clone(),
            debate_ref,
        }
    }

    /// Returns the crux of a debate with this key, if the debate still has it.
    ///
    /// # Errors
    /// The codes of `Debate::read_model` if the debate cannot be folded.
    pub async fn find(context: &Context<'_>, debate: Debate, key: CruxKey) -> Result<Option<Crux>> {
        let debate = Arc::new(debate);
        let verdict = debate.verdict(context).await?;
        match (1..).zip(verdict.all_cruxes().chain(&verdict.contested)).find(|(_, crux)| crux.key == key) {
            Some((rank, crux)) => Crux::ranked(context, &debate, rank, crux).await.map(Some),
            None => Ok(None),
        }
    }

    /// Builds a crux of a debate with its rank.
    ///
    /// # Errors
    /// The codes of `Debate::read_model` if the debate cannot be folded.
    pub async fn ranked(context: &Context<'_>, debate: &Arc<Debate>, rank: usize, crux: &Inner) -> Result<Crux> {
        let times = crux.times(&debate.read_model(context).await?.transcript, debate.opened_at);
        let ranked = RankedCrux { debate: debate.debate, rank, crux, times };
        Ok(Crux::new(ranked, DebateRef::Known(Arc::clone(debate))))
    }

    /// Builds cruxes of a debate with their ranks.
    ///
    /// # Errors
    /// The codes of `Debate::read_model` if the debate cannot be folded.
    pub async fn all_ranked(
        context: &Context<'_>,
        debate: &Arc<Debate>,
        cruxes: &[(usize, Inner)],
    ) -> Result<Vec<Crux>> {
        let mut ranked = Vec::with_capacity(cruxes.len());
        for (rank, crux) in cruxes {
            ranked.push(Crux::ranked(context, debate, *rank, crux).await?);
        }
        Ok(ranked)
    }
}

impl DirectJson for Arc<Crux> {
    fn plain(field: &str) -> Option<Write<Arc<Crux>>> {
        Some(match field {
            "__typename" => |_, to| json("Crux", to),
            "id" => |crux, to| json(&crux.id.0, to),
            "debateId" => |crux, to| json(&crux.debate_id.0, to),
            "rank" => |crux, to| json(&crux.rank, to),
            "origin" => |crux, to| json(&crux.origin.name().to_ascii_uppercase(), to),
            "disputeId" => |crux, to| json(&crux.dispute_id.as_ref().map(|id| &id.0), to),
            "proposalId" => |crux, to| json(&crux.proposal_id.as_ref().map(|id| &id.0), to),
            "open" => |crux, to| json(&crux.open, to),
            "statement" => |crux, to| json(&crux.statement, to),
            "question" => |crux, to| json(&crux.question, to),
            "explanation" => |crux, to| json(&crux.explanation, to),
            "pivotality" => |crux, to| json(&crux.pivotality, to),
            "attackDegree" => |crux, to| json(&crux.attack_degree, to),
            "assumptions" => |crux, to| json(&crux.assumptions, to),
            "openedAt" => |crux, to| json(&crux.opened_at.to_rfc3339(), to),
            "changedAt" => |crux, to| json(&crux.changed_at.to_rfc3339(), to),
            _ => return None,
        })
    }
}

/// Conditions on listed cruxes.
#[derive(InputObject, Default)]
pub struct CruxFilter {
    /// Only cruxes of this debate.
    pub debate_id: Option<ID>,
    /// Only cruxes on which this persona takes the side yes or no, or which it proposed or agreed on as the crux.
    pub persona_id: Option<ID>,
    /// Only cruxes of this origin.
    pub origin: Option<CruxOrigin>,
    /// Only unresolved cruxes, or only resolved ones.
    pub open: Option<bool>,
    /// Only cruxes with at least this pivotality, from 0 to 1. Most disputes have none.
    pub min_pivotality: Option<f64>,
    /// Only cruxes of debates with this overall state.
    pub regime: Option<RegimeKind>,
}

/// Orders of listed cruxes. Among equals, those of debates opened later come first.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum CruxOrder {
    /// Best match of the search first, by meaning and by words. Requires `search`.
    Relevance,
    /// Latest crux first.
    Newest,
    /// Crux with the latest turn first.
    Changed,
    /// Highest pivotality first; cruxes without one, mostly disputes, come last.
    Pivotality,
    /// Largest number of dependent disputed arguments first.
    Dependents,
}

impl CruxOrder {
    /// Returns the order in which the store lists them; `None` for the order of a search.
    pub fn listed(self) -> Option<cruxes::CruxSort> {
        match self {
            CruxOrder::Relevance => None,
            CruxOrder::Newest => Some(cruxes::CruxSort::Newest),
            CruxOrder::Changed => Some(cruxes::CruxSort::Changed),
            CruxOrder::Pivotality => Some(cruxes::CruxSort::Pivotality),
            CruxOrder::Dependents => Some(cruxes::CruxSort::Dependents),
        }
    }
}

/// Explanation of a search result.
#[derive(SimpleObject, Clone)]
pub struct SearchMatch {
    /// Score by which results are ordered: reciprocal rank fusion of the rankings by meaning and by words. Comparable
    /// within one search only.
    score: f64,
    /// Cosine similarity of the question and the search text, from -1 to 1; null if either is not embedded.
    cosine: Option<f64>,
    /// Stems of the search words that it contains, in alphabetical order.
    words: Vec<String>,
}

impl From<&Hit> for SearchMatch {
    fn from(hit: &Hit) -> Self {
        SearchMatch { score: hit.score as f64 / SCORE, cosine: hit.cosine, words: hit.stems.clone() }
    }
}

/// A page of the list of cruxes.
#[derive(SimpleObject)]
pub struct CruxConnection {
    /// Cruxes with their cursors.
    edges: Vec<CruxEdge>,
    /// Cruxes without their cursors.
    nodes: List<Arc<Crux>>,
    /// Page information.
    page_info: PageInfo,
    /// Total number of cruxes in the list. Counted only if selected.
    total_count: Option<i64>,
}

/// A crux in the list.
#[derive(SimpleObject)]
pub struct CruxEdge {
    /// Cursor for `after` and `before`, valid for this order. It stays valid when the list changes.
    cursor: String,
    /// The crux.
    node: Arc<Crux>,
    /// Explanation of the match; null unless ordered by relevance.
    #[graphql(name = "match")]
    matched: Option<SearchMatch>,
}

impl CruxConnection {
    /// Builds a page: the cruxes with cursors and explanations, whether there are items before and after it, and the
    /// total number.
    pub fn new(
        cruxes: Vec<(String, Arc<Crux>, Option<SearchMatch>)>,
        before: bool,
        behind: bool,
        total_count: Option<i64>,
    ) -> Self {
        CruxConnection {
            page_info: page_info(cruxes.iter().map(|entry| &entry.0), before, behind),
            nodes: List(cruxes.iter().map(|entry| Arc::clone(&entry.1)).collect()),
            edges: cruxes.into_iter().map(|(cursor, node, matched)| CruxEdge { cursor, node, matched }).collect(),
            total_count,
        }
    }
}
