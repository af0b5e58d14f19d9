//! Disputes, stances, and reasons.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_graphql::{ComplexObject, ID, Result, SimpleObject};

use crate::api::error::from_panic;
use crate::api::types::argument::{Evidence, Withdrawal};
use crate::api::types::scalars::{DisputeStatus, LabelValue, Polarity, Side};
use crate::desk::compute::compute;
use crate::events::ids::{DisputeId, TurnId};
use crate::projections::dispute_graph;
use crate::verdicts::board::Board;
use crate::verdicts::ranking::{RankedReason, ranked};

/// What the reasons of a dispute count for where a request is weighed: they are held against each other for it.
const RANKING: usize = 20;

/// A binary question, and who stands where.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Dispute {
    /// Its name in the debate: `d1`.
    id: ID,
    /// The question.
    question: String,
    /// Whether it is the debate's own topic.
    is_topic: bool,
    /// Where it is in its life.
    pub(crate) status: DisputeStatus,
    /// The turns that it was drawn from.
    turn_ids: Vec<ID>,
    /// The turn in which a yes and a no first stood against each other; none where they never did.
    opened_in: Option<ID>,
    /// The turn in which all who took a stance came to the same side; none where it is not settled.
    settled_in: Option<ID>,
    /// Why it no longer counts.
    retired: Option<String>,
    /// Within which time it is to be answered, where that matters.
    horizon: Option<String>,
    /// What could be observed that would settle it.
    criteria: Vec<String>,
    /// Other words in which it was put.
    links: Vec<DisputeLink>,
    /// The present stances.
    stances: Vec<Stance>,
    /// Every stance ever taken on it, in order, the present ones as well.
    stance_history: Vec<StanceTaken>,
    #[graphql(skip)]
    dispute: DisputeId,
    #[graphql(skip)]
    board: Arc<Board>,
}

/// Other words for a dispute, the right way round or negated.
#[derive(SimpleObject, Clone)]
pub struct DisputeLink {
    /// The other words.
    question: String,
    /// Whether yes to these words is no to the dispute.
    negates: bool,
    /// The cosine of the two in an embedder's space; none where they were known to be the same by their words.
    likeness: Option<f64>,
    /// The turns that the wording was drawn from.
    turn_ids: Vec<ID>,
}

/// Where somebody stands.
#[derive(SimpleObject, Clone)]
pub struct Stance {
    /// Who.
    pub persona_id: ID,
    /// Which side.
    pub side: Side,
    /// The turn in which they said so.
    pub turn_id: ID,
}

/// That somebody took a side, or took it again.
#[derive(SimpleObject, Clone)]
pub struct StanceTaken {
    /// Who.
    persona_id: ID,
    /// The side they took before; none where it is their first.
    from: Option<Side>,
    /// Which side.
    side: Side,
    /// The turn of theirs in which.
    turn_id: ID,
    /// The stance in a sentence, where it was put in one.
    statement: Option<String>,
}

/// A reason for or against those who take a side, held against the other reasons on the same dispute.
#[derive(SimpleObject, Clone)]
pub struct DisputeReason {
    /// Its name in the debate: `r1`.
    id: ID,
    /// Whose it is.
    speaker_id: ID,
    /// The turn of theirs in which.
    turn_id: ID,
    /// The side whose stance it is about: yes or no.
    side: Side,
    /// What it does to that stance.
    polarity: Polarity,
    /// The side that it tells for in the end.
    tells_for: Side,
    /// The reason itself.
    claim: String,
    /// What it takes for granted.
    assumptions: Vec<String>,
    /// What it points to.
    evidence: Vec<Evidence>,
    /// Reasons on the same dispute, by others, that it was given against.
    attack_ids: Vec<ID>,
    /// How it was given up; none while it was not.
    withdrawn: Option<Withdrawal>,
    /// Whether it stands among the reasons on this dispute, by the grounded labelling; none where it was withdrawn.
    label: Option<LabelValue>,
    /// How strong it is among them, from 0 to 1 (quadratic energy): one half where nothing tells against it; none where it
    /// was withdrawn.
    strength: Option<f64>,
    /// The version of the event that recorded it.
    version: i64,
}

fn turns(turns: &[TurnId]) -> Vec<ID> {
    turns.iter().map(|it| ID(it.to_string())).collect()
}

impl Dispute {
    /// Every dispute of a debate, in the order in which they were raised.
    pub fn all(board: &Arc<Board>) -> impl Iterator<Item = Dispute> {
        board.disputes.disputes.iter().map(|(id, it)| Dispute::new(*id, it, Arc::clone(board)))
    }

    /// One of them.
    pub fn of(board: &Arc<Board>, id: DisputeId) -> Option<Dispute> {
        board.disputes.disputes.get(&id).map(|it| Dispute::new(id, it, Arc::clone(board)))
    }

    fn new(id: DisputeId, dispute: &dispute_graph::Dispute, board: Arc<Board>) -> Self {
        let stances = dispute.stances.iter().map(|(persona, it)| Stance {
            persona_id: ID(persona.to_string()),
            side: it.side.into(),
            turn_id: ID(it.turn.to_string()),
        });
        let links = dispute.wordings.iter().map(|it| DisputeLink {
            question: it.question.clone(),
            negates: it.negates,
            likeness: it.likeness,
            turn_ids: turns(&it.turns),
        });
        Dispute {
            id: ID(id.to_string()),
            question: dispute.question.clone(),
            is_topic: dispute.is_topic,
            status: dispute.status().into(),
            turn_ids: turns(&dispute.turns),
            opened_in: dispute.opened_in().map(|it| ID(it.to_string())),
            settled_in: dispute.settled_in().map(|it| ID(it.to_string())),
            retired: dispute.retired.clone(),
            horizon: dispute.horizon.clone(),
            criteria: dispute.criteria.clone(),
            links: links.collect(),
            stances: stances.collect(),
            stance_history: StanceTaken::all(dispute),
            dispute: id,
            board,
        }
    }
}

/// What has to be worked out.
#[ComplexObject]
impl Dispute {
    /// Every reason ever given on it. First those that stand, then those undecided, those defeated, and last those that
    /// were withdrawn; within each the strongest first, then the oldest.
    #[graphql(complexity = "RANKING + child_complexity")]
    async fn reasons(&self) -> Result<Vec<DisputeReason>> {
        let (board, id) = (Arc::clone(&self.board), self.dispute);
        let told = compute(move || board.disputes.disputes.get(&id).map(|it| reasons(&board, it)));
        Ok(told.await.map_err(|it| from_panic(&it))?.unwrap_or_default())
    }
}

fn reasons(board: &Board, dispute: &dispute_graph::Dispute) -> Vec<DisputeReason> {
    let ranked = ranked(&board.disputes, dispute);
    let live = ranked.iter().filter_map(|it| Some(DisputeReason::new(dispute.reasons.get(&it.reason)?, Some(it))));
    let withdrawn = dispute.reasons.values().filter(|it| it.withdrawn.is_some());
    live.chain(withdrawn.map(|it| DisputeReason::new(it, None))).collect()
}

impl StanceTaken {
    fn all(dispute: &dispute_graph::Dispute) -> Vec<StanceTaken> {
        let mut sides = BTreeMap::new();
        let told = dispute.history.iter().map(|(persona, it)| StanceTaken {
            persona_id: ID(persona.to_string()),
            from: sides.insert(persona, it.side).map(Side::from),
            side: it.side.into(),
            turn_id: ID(it.turn.to_string()),
            statement: it.statement.clone(),
        });
        told.collect()
    }
}

impl DisputeReason {
    fn new(reason: &dispute_graph::Reason, ranked: Option<&RankedReason>) -> Self {
        let given = &reason.given;
        DisputeReason {
            id: ID(given.reason.to_string()),
            speaker_id: ID(given.speaker.to_string()),
            turn_id: ID(given.turn.to_string()),
            side: given.side.into(),
            polarity: given.polarity.into(),
            tells_for: reason.tells_for().into(),
            claim: given.claim.clone(),
            assumptions: given.assumptions.clone(),
            evidence: given.evidence.iter().map(Evidence::from).collect(),
            attack_ids: given.attacks.iter().map(|it| ID(it.to_string())).collect(),
            withdrawn: reason.withdrawn.as_ref().map(|it| Withdrawal {
                turn_id: ID(it.turn.to_string()),
                reason: it.why.clone(),
                superseded_by: None,
            }),
            label: ranked.map(|it| it.label.into()),
            strength: ranked.map(|it| it.strength),
            version: reason.version,
        }
    }
}
