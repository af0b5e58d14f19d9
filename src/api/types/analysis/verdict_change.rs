//! GraphQL types of the changes between two verdicts.

use async_graphql::{Enum, ID, SimpleObject};

use faultline_core::verdicts::diff::verdict_change;
use faultline_core::verdicts::diff::verdict_change::ChangeKind;

use crate::api::types::debate::debate_ref::ParticipantSource;

/// A difference between two verdicts: what differs, the item that it belongs to, and both values as text.
#[derive(SimpleObject)]
#[graphql(complex)]
pub struct VerdictChange {
    /// Kind of the change.
    kind: VerdictChangeKind,
    /// Id of the crux that changed; that of the first version if only the first has it.
    crux_id: Option<ID>,
    /// Id of the dispute, for changes of the topic and of common ground.
    dispute_id: Option<ID>,
    /// Id of the granted statement, for changes of granted statements.
    statement_id: Option<ID>,
    /// Id of the argument, for changes of labels.
    argument_id: Option<ID>,
    /// Id of the participant, for changes of positions and of holders of common ground and of granted statements.
    pub(crate) persona_id: Option<ID>,
    /// Number of the camp, from 1, in the list of the second version, or in that of the first if only the first has it.
    camp_number: Option<usize>,
    /// Value at the first version; null if there is none, or the list is empty.
    from: Option<String>,
    /// Value at the second version; null if there is none, or the list is empty.
    to: Option<String>,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

/// Kind of a change between two verdicts. If only one version has an item, the other value is null.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "ChangeKind")]
pub enum VerdictChangeKind {
    /// Name and revision of the algorithm.
    Algorithm,
    /// Kind of the regime.
    RegimeKind,
    /// Reason of the regime, in words.
    RegimeReason,
    /// Numbers of examined pairs of claims and of all pairs.
    Coverage,
    /// Exactness of the regime.
    RegimeExactness,
    /// Number of unknown events.
    UnknownEvents,
    /// Number of preferred extensions.
    ExtensionCount,
    /// Numbers of accepted arguments and of those that nobody answered.
    Unanswered,
    /// Limit that ended the debate.
    Limit,
    /// Topic that only one verdict has; the values are questions.
    Topic,
    /// Dispute about the topic.
    TopicDispute,
    /// Question of the topic.
    TopicQuestion,
    /// Position on the topic that only one verdict has; the values are sides.
    TopicPosition,
    /// First side of a participant on the topic.
    TopicFirstSide,
    /// Current side of a participant on the topic.
    TopicSide,
    /// Turn of a participant's current position on the topic.
    TopicTurn,
    /// Words of a participant's current position on the topic.
    TopicWords,
    /// Exact words of the turn in which a participant takes a side on the topic.
    TopicQuote,
    /// Order of the positions on the topic.
    TopicOrder,
    /// Setting of the audit.
    AuditSetting,
    /// Auditor, or its qualification.
    Auditor,
    /// Reason for which an audit was abandoned.
    AuditFailure,
    /// Words to audit that only one verdict has.
    AuditedWords,
    /// Question, words or record of audited words.
    AuditedRecord,
    /// Reading of audited words.
    AuditReading,
    /// Order of the words to audit.
    AuditOrder,
    /// Crux that only one verdict has; the values are statements.
    Crux,
    /// List that contains the crux: open, resolved or contested.
    CruxList,
    /// Rank of a crux within its list.
    CruxRank,
    /// Origin of a crux.
    CruxOrigin,
    /// State of a crux, open or not.
    CruxOpen,
    /// Statement of a crux.
    CruxStatement,
    /// Other statements of a crux, or their order.
    CruxOtherStatements,
    /// Question of a crux.
    CruxQuestion,
    /// Explanation of the rank of a crux.
    CruxReason,
    /// Proposal on which participants agreed as the crux.
    CruxAgreement,
    /// Pivotality of a crux.
    CruxPivotality,
    /// Consequence from which the pivotality of a crux is computed.
    CruxConsequence,
    /// Arguments that rest on a crux, or their order.
    CruxDependents,
    /// Other grounds of the arguments that rest on a crux, or their order.
    CruxAssumptions,
    /// Number of attacks on and by the arguments that rest on a crux.
    CruxAttackDegree,
    /// Turns of a crux, or their order.
    CruxTurns,
    /// Turn in which a crux was opened.
    CruxOpeningTurn,
    /// Kind of disagreement of a crux, with its basis.
    CruxDisagreement,
    /// Diagnosis of a crux, with the room that states it.
    CruxDiagnosis,
    /// Time frame of a crux.
    CruxHorizon,
    /// Observations that would settle a crux, or the reason why there are none.
    CruxCriteria,
    /// Resolution of a crux, or the reason why there is none.
    CruxResolution,
    /// Condition under which a participant would change their mind on a crux, with its source.
    CruxMindChange,
    /// Order of the conditions under which participants would change their minds on a crux.
    CruxMindChangeOrder,
    /// Position on a crux that only one verdict has; the values are sides.
    CruxPosition,
    /// Display name of a participant with a position on a crux.
    CruxPositionName,
    /// Side of a position on a crux.
    CruxSide,
    /// Turn of a position on a crux, with the basis on which it is known.
    CruxPositionTurn,
    /// Argument of a position on a crux.
    CruxPositionArgument,
    /// Words of a position on a crux.
    CruxPositionWords,
    /// Exact words of the turn that shows a position on a crux.
    CruxPositionQuote,
    /// Basis of a position on a crux: words of its turn, or an argument that contains what the turn does not.
    CruxPositionBasis,
    /// Order of the positions on a crux.
    CruxPositionOrder,
    /// Common ground that only one verdict has; the values are questions.
    CommonGround,
    /// Question of common ground.
    CommonGroundQuestion,
    /// Agreed side of common ground.
    CommonGroundSide,
    /// Holder of common ground that only one verdict has; the values are turns.
    CommonGroundHolder,
    /// Turn of a holder of common ground.
    CommonGroundTurn,
    /// Words in which a holder of common ground states it.
    CommonGroundWords,
    /// Confidence that a holder of common ground expresses.
    CommonGroundConfidence,
    /// Order of the holders of common ground.
    CommonGroundHolderOrder,
    /// Order of the common ground.
    CommonGroundOrder,
    /// Granted statement that only one verdict has; the values are statements.
    Granted,
    /// Granted statement, with its author and its source.
    GrantedStatement,
    /// Participant who granted a statement in one verdict only; the values are turns.
    GrantedHolder,
    /// Turn in which a participant granted a statement.
    GrantedTurn,
    /// Words in which a participant granted a statement.
    GrantedWords,
    /// Order of the participants who granted a statement.
    GrantedHolderOrder,
    /// Order of the granted statements.
    GrantedOrder,
    /// Camp that only one verdict has; the values are arguments.
    Camp,
    /// Arguments of a camp, or their order.
    CampArguments,
    /// Members of a camp, or their order.
    CampMembers,
    /// Personas that are tied between a camp and others, or their order.
    CampTies,
    /// Order of the camps.
    CampOrder,
    /// Completeness of the list of camps.
    CampsExactness,
    /// Grounded label of an argument.
    Label,
}

impl VerdictChange {
    /// Converts a change between the verdicts of two debates, or of two versions of one.
    pub fn new(
        change: &verdict_change::VerdictChange,
        (first, second): (&ID, &ID),
        participants: &ParticipantSource,
    ) -> Self {
        let item = &change.item;
        let is_lost = change.kind == ChangeKind::Crux && change.to.is_none();
        let debate = if is_lost { first } else { second };
        VerdictChange {
            kind: change.kind.into(),
            crux_id: item.crux.map(|key| ID(format!("{}:{key}", **debate))),
            dispute_id: item.dispute.map(|dispute| ID(dispute.to_string())),
            statement_id: item.granted.map(|key| ID(key.to_string())),
            argument_id: item.argument.map(|argument| ID(argument.to_string())),
            persona_id: item.persona.as_ref().map(|persona| ID(persona.to_string())),
            camp_number: item.camp,
            from: change.from.clone(),
            to: change.to.clone(),
            participants: participants.clone(),
        }
    }
}
