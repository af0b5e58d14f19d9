//! GraphQL types of the parts of a disagreement: fault lines, evidence, conditions and resolution paths.

use async_graphql::{ID, SimpleObject};

use crate::api::types::debate::debate_ref::ParticipantSource;
use crate::api::types::scalars::{FaultCategory, LabelValue};
use crate::api::types::speech::argument::Evidence;
use faultline_core::events::ids::{ArgumentId, ReasonId};
use faultline_core::verdicts::crux_id::CruxKey;
use faultline_core::verdicts::disagreement::evidence_ledger::{
    ContestedEvidence as CoreContested, EvidenceLedger as CoreLedger, OfferedEvidence as CoreOffered, evidence_ledgers,
};
use faultline_core::verdicts::disagreement::fault_line::{FaultLine as CoreFaultLine, FaultSide as CoreSide};
use faultline_core::verdicts::disagreement::fault_lines::fault_lines;
use faultline_core::verdicts::disagreement::flip_conditions::{FlipCondition as CoreCondition, flip_conditions};
use faultline_core::verdicts::disagreement::resolution_paths::{ResolutionPath as CorePath, resolution_paths};
use faultline_core::verdicts::disagreement::tracked_conditions::{TrackedCondition as CoreTracked, tracked_conditions};
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_core::verdicts::verdict::Verdict;

/// Parts of the disagreement, computed from arguments, stances and verdict. A list is empty if the debate shows nothing.
#[derive(SimpleObject, Clone)]
pub struct Disagreement {
    /// Lines between camps that conflict with each other; in a debate without arguments, the questions that have both a
    /// yes and a no, the topic included.
    fault_lines: Vec<FaultLine>,
    /// Evidence that each participant offered and contested, in speaking order.
    evidence_ledgers: Vec<EvidenceLedger>,
    /// Conditions under which the status of a participant's argument improves, at most one for each participant.
    flip_conditions: Vec<FlipCondition>,
    /// Questions that would settle the open cruxes, in the order of the cruxes.
    resolution_paths: Vec<ResolutionPath>,
    /// Conditions that participants stated for a change of their mind, in order.
    stated_conditions: Vec<TrackedCondition>,
}

/// Line between two sides that conflict with each other: camps of arguments, or those who answer a question with yes and
/// with no.
#[derive(SimpleObject, Clone)]
pub struct FaultLine {
    /// Id of the dispute that the first side answers with yes and the second with no; null for a line between camps.
    dispute_id: Option<ID>,
    /// First side.
    one: FaultSide,
    /// Second side.
    other: FaultSide,
    /// Subject of the first argument or reason of each side, by their words; null unless they contain two words of a
    /// category. Of a reason, only the words that its turn contains count.
    category: Option<FaultCategory>,
    /// Reason why there is no category; null if there is one.
    category_missing: Option<String>,
    /// Words of the two that belong to the category, in lower case.
    words: Vec<String>,
    /// Ids of the cruxes on the line: the question itself, if it is one; between camps and on the topic those that a
    /// participant of one side affirms and one of the other denies.
    crux_ids: Vec<ID>,
}

/// Side of a fault line.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct FaultSide {
    /// Ids of the participants who belong to this camp alone, or who give this answer.
    pub(crate) persona_ids: Vec<ID>,
    /// Ids of the arguments that this camp accepts and the other does not: those that conflict with the other side first,
    /// then theses. Empty for a question.
    argument_ids: Vec<ID>,
    /// Ids of the live reasons for this answer or against the other that these participants gave, those that conflict with
    /// the other side first. Empty for camps.
    reason_ids: Vec<ID>,
    /// Ids of the turns behind the side, in ascending order: those that answer the question, and those of its arguments or
    /// reasons.
    turn_ids: Vec<ID>,
    #[graphql(skip)]
    pub(crate) source: ParticipantSource,
}

/// Evidence offered and contested by one participant.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct EvidenceLedger {
    /// Id of the participant.
    pub(crate) persona_id: ID,
    /// Evidence of the participant's own arguments and reasons that are live.
    offered: Vec<OfferedEvidence>,
    /// Evidence of others whose argument the participant attacked by a valid attack, or whose reason by a reason. The
    /// attack may concern the claim or a premise, so contested evidence is not denied evidence.
    contested: Vec<ContestedEvidence>,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

/// Evidence that a participant offered.
#[derive(SimpleObject, Clone)]
pub struct OfferedEvidence {
    /// Id of the argument or reason that it supports.
    point_id: ID,
    /// Id of the turn that offers it; null if it is unknown.
    turn_id: Option<ID>,
    /// The evidence.
    evidence: Evidence,
}

/// Evidence that a participant contested.
#[derive(SimpleObject, Clone)]
pub struct ContestedEvidence {
    /// Id of the argument or reason that offers it.
    point_id: ID,
    /// Id of the participant who offered it.
    offered_by_id: ID,
    /// The evidence.
    evidence: Evidence,
    /// Id of the argument or reason that contests it.
    contesting_point_id: ID,
    /// Id of the attack; null if a reason contests it.
    attack_id: Option<ID>,
    /// Id of the turn that contests it.
    turn_id: ID,
    /// Rationale of the attack, or text of the reason.
    reason: String,
    /// True if the attacking argument is accepted, so that the attacked one is rejected. False for reasons.
    defeated: bool,
}

/// Condition under which the status of a participant's argument improves: a consequence for the argument, not a
/// statement of the participant.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct FlipCondition {
    /// Id of the participant.
    pub(crate) persona_id: ID,
    /// Id of the argument: the participant's most attacked one that is not accepted, rejected ones first.
    argument_id: ID,
    /// Its label.
    label: LabelValue,
    /// Ids of the arguments that would have to be refuted.
    refuted_ids: Vec<ID>,
    /// Its label if they were refuted.
    becomes: LabelValue,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

/// Condition that a participant stated for a change of their mind. Whether it came about is not judged.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct TrackedCondition {
    /// Id of the participant.
    pub(crate) persona_id: ID,
    /// Id of the participant's turn that states it.
    turn_id: ID,
    /// Words of the turn.
    quote: String,
    /// Id of the dispute that it is about; null if it names none.
    dispute_id: Option<ID>,
    /// Id of the participant's first later turn that takes another side of this dispute, or of the topic if it names none; null if
    /// there is none.
    changed_in_turn_id: Option<ID>,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

/// Path to the resolution of a crux.
#[derive(SimpleObject, Clone)]
pub struct ResolutionPath {
    /// Id of the crux.
    crux_id: ID,
    /// Question whose answer would settle it.
    question: String,
    /// Observations that would settle the question, as recorded with the dispute; empty if nobody named any.
    criteria: Vec<String>,
    /// Time horizon of the question, as recorded with the dispute.
    horizon: Option<String>,
    /// Number of theses whose status changes with the answer; null for a crux that no argument rests on.
    changed_thesis_count: Option<usize>,
}

impl Disagreement {
    /// Computes the parts of the disagreement of a debate with these participants.
    pub fn of(read_model: &DebateReadModel, verdict: &Verdict, participants: &ParticipantSource) -> Self {
        let DebateReadModel { summary, arguments, disputes, .. } = read_model;
        let lines = fault_lines(read_model, verdict);
        let ledgers = evidence_ledgers(summary, arguments, disputes, &verdict.labels);
        let conditions = flip_conditions(summary, arguments, &verdict.labels);
        let paths = resolution_paths(disputes, verdict);
        let stated = tracked_conditions(&read_model.flip_conditions, disputes);
        Disagreement {
            fault_lines: lines.iter().map(|line| FaultLine::new(line, participants)).collect(),
            evidence_ledgers: ledgers.iter().map(|ledger| EvidenceLedger::new(ledger, participants)).collect(),
            flip_conditions: conditions.iter().map(|condition| FlipCondition::new(condition, participants)).collect(),
            resolution_paths: paths.iter().map(|path| ResolutionPath::new(path, participants)).collect(),
            stated_conditions: stated.iter().map(|condition| TrackedCondition::new(condition, participants)).collect(),
        }
    }
}

impl TrackedCondition {
    fn new(condition: &CoreTracked, participants: &ParticipantSource) -> Self {
        let stated = &condition.stated;
        TrackedCondition {
            persona_id: ID(stated.speaker.to_string()),
            turn_id: ID(stated.turn.to_string()),
            quote: stated.quote.clone(),
            dispute_id: stated.dispute.map(|dispute| ID(dispute.to_string())),
            changed_in_turn_id: condition.changed_in.map(|turn| ID(turn.to_string())),
            participants: participants.clone(),
        }
    }
}

impl FaultLine {
    fn new(line: &CoreFaultLine, participants: &ParticipantSource) -> Self {
        FaultLine {
            dispute_id: line.dispute.map(|dispute| ID(dispute.to_string())),
            one: FaultSide::new(&line.one, participants),
            other: FaultSide::new(&line.other, participants),
            category: line.category.map(FaultCategory::from),
            category_missing: line.category_missing.clone(),
            words: line.words.clone(),
            crux_ids: line.cruxes.iter().map(|key| crux_id(*key, participants)).collect(),
        }
    }
}

impl FaultSide {
    fn new(side: &CoreSide, participants: &ParticipantSource) -> Self {
        FaultSide {
            persona_ids: side.personas.iter().map(|persona| ID(persona.to_string())).collect(),
            argument_ids: argument_ids(&side.arguments),
            reason_ids: side.reasons.iter().map(ReasonId::to_string).map(ID).collect(),
            turn_ids: side.turns.iter().map(|turn| ID(turn.to_string())).collect(),
            source: participants.clone(),
        }
    }
}

impl EvidenceLedger {
    fn new(ledger: &CoreLedger, participants: &ParticipantSource) -> Self {
        EvidenceLedger {
            persona_id: ID(ledger.persona.to_string()),
            offered: ledger.offered.iter().map(OfferedEvidence::from).collect(),
            contested: ledger.contested.iter().map(ContestedEvidence::from).collect(),
            participants: participants.clone(),
        }
    }
}

impl From<&CoreOffered> for OfferedEvidence {
    fn from(offered: &CoreOffered) -> Self {
        OfferedEvidence {
            point_id: ID(offered.point.to_string()),
            turn_id: offered.turn.map(|turn| ID(turn.to_string())),
            evidence: Evidence::from(&offered.evidence),
        }
    }
}

impl From<&CoreContested> for ContestedEvidence {
    fn from(contested: &CoreContested) -> Self {
        ContestedEvidence {
            point_id: ID(contested.point.to_string()),
            offered_by_id: ID(contested.offered_by.to_string()),
            evidence: Evidence::from(&contested.evidence),
            contesting_point_id: ID(contested.by.to_string()),
            attack_id: contested.attack.map(|attack| ID(attack.to_string())),
            turn_id: ID(contested.turn.to_string()),
            reason: contested.reason.clone(),
            defeated: contested.defeated,
        }
    }
}

impl FlipCondition {
    fn new(condition: &CoreCondition, participants: &ParticipantSource) -> Self {
        FlipCondition {
            persona_id: ID(condition.persona.to_string()),
            argument_id: ID(condition.argument.to_string()),
            label: condition.label.into(),
            refuted_ids: argument_ids(&condition.refuted),
            becomes: condition.becomes.into(),
            participants: participants.clone(),
        }
    }
}

impl ResolutionPath {
    fn new(path: &CorePath, participants: &ParticipantSource) -> Self {
        ResolutionPath {
            crux_id: crux_id(path.crux, participants),
            question: path.question.clone(),
            criteria: path.criteria.clone(),
            horizon: path.horizon.clone(),
            changed_thesis_count: path.changed_theses,
        }
    }
}

fn argument_ids(arguments: &[ArgumentId]) -> Vec<ID> {
    arguments.iter().map(|argument| ID(argument.to_string())).collect()
}

fn crux_id(key: CruxKey, participants: &ParticipantSource) -> ID {
    participants.debate_ref.crux_id(participants.debate, key)
}
