//! A single difference between two verdicts: its kind, the item that it concerns, and the two values.

use std::fmt;

use crate::events::ids::{ArgumentId, DisputeId, PersonaId};
use crate::verdicts::crux_id::CruxKey;

/// Defines the kinds of changes: variant and name.
macro_rules! change_kinds {
    ($($(#[$doc:meta])+ $variant:ident = $name:literal,)+) => {
        /// Kind of a change between two verdicts.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ChangeKind {
            $($(#[$doc])+ $variant,)+
        }

        impl ChangeKind {
            /// All kinds, in the order in which changes are listed.
            pub const ALL: &[ChangeKind] = &[$(ChangeKind::$variant,)+];

            /// Name of the kind, in lower case with underscores.
            pub fn name(self) -> &'static str {
                match self {
                    $(ChangeKind::$variant => $name,)+
                }
            }
        }
    };
}

change_kinds! {
    /// Name and revision of the algorithm.
    Algorithm = "algorithm",
    /// Kind of the regime.
    RegimeKind = "regime_kind",
    /// Reason of the regime, in words.
    RegimeReason = "regime_reason",
    /// Numbers of examined pairs of claims and of all pairs.
    Coverage = "coverage",
    /// Exactness of the regime.
    RegimeExactness = "regime_exactness",
    /// Number of unknown events.
    UnknownEvents = "unknown_events",
    /// Number of preferred extensions.
    ExtensionCount = "extension_count",
    /// Numbers of accepted arguments and of those that nobody answered.
    Unanswered = "unanswered",
    /// Limit that ended the debate.
    Limit = "limit",
    /// Topic that only one verdict has; the values are questions.
    Topic = "topic",
    /// Dispute about the topic.
    TopicDispute = "topic_dispute",
    /// Question of the topic.
    TopicQuestion = "topic_question",
    /// Position on the topic that only one verdict has; the values are sides.
    TopicPosition = "topic_position",
    /// First side of a participant on the topic.
    TopicFirstSide = "topic_first_side",
    /// Current side of a participant on the topic.
    TopicSide = "topic_side",
    /// Turn of a participant's current position on the topic.
    TopicTurn = "topic_turn",
    /// Words of a participant's current position on the topic.
    TopicWords = "topic_words",
    /// Exact words of the turn in which a participant takes a side on the topic.
    TopicQuote = "topic_quote",
    /// Order of the positions on the topic.
    TopicOrder = "topic_order",
    /// Setting of the audit.
    AuditSetting = "audit_setting",
    /// Auditor, or its qualification.
    Auditor = "auditor",
    /// Reason for which an audit was abandoned.
    AuditFailure = "audit_failure",
    /// Words to audit that only one verdict has.
    AuditedWords = "audited_words",
    /// Question, words or record of audited words.
    AuditedRecord = "audited_record",
    /// Reading of audited words.
    AuditReading = "audit_reading",
    /// Order of the words to audit.
    AuditOrder = "audit_order",
    /// Crux that only one verdict has; the values are statements.
    Crux = "crux",
    /// List that contains the crux: open, resolved or contested.
    CruxList = "crux_list",
    /// Rank of a crux within its list.
    CruxRank = "crux_rank",
    /// Origin of a crux.
    CruxOrigin = "crux_origin",
    /// State of a crux, open or not.
    CruxOpen = "crux_open",
    /// Statement of a crux.
    CruxStatement = "crux_statement",
    /// Other statements of a crux, or their order.
    CruxOtherStatements = "crux_other_statements",
    /// Question of a crux.
    CruxQuestion = "crux_question",
    /// Explanation of the rank of a crux.
    CruxReason = "crux_reason",
    /// Proposal on which participants agreed as the crux.
    CruxAgreement = "crux_agreement",
    /// Pivotality of a crux.
    CruxPivotality = "crux_pivotality",
    /// Consequence from which the pivotality of a crux is computed.
    CruxConsequence = "crux_consequence",
    /// Arguments that rest on a crux, or their order.
    CruxDependents = "crux_dependents",
    /// Other grounds of the arguments that rest on a crux, or their order.
    CruxAssumptions = "crux_assumptions",
    /// Number of attacks on and by the arguments that rest on a crux.
    CruxAttackDegree = "crux_attack_degree",
    /// Turns of a crux, or their order.
    CruxTurns = "crux_turns",
    /// Turn in which a crux was opened.
    CruxOpeningTurn = "crux_opening_turn",
    /// Kind of disagreement of a crux, with its basis.
    CruxDisagreement = "crux_disagreement",
    /// Diagnosis of a crux, with the room that states it.
    CruxDiagnosis = "crux_diagnosis",
    /// Time frame of a crux.
    CruxHorizon = "crux_horizon",
    /// Observations that would settle a crux, or the reason why there are none.
    CruxCriteria = "crux_criteria",
    /// Resolution of a crux, or the reason why there is none.
    CruxResolution = "crux_resolution",
    /// Condition under which a participant would change their mind on a crux, with its source.
    CruxMindChange = "crux_mind_change",
    /// Order of the conditions under which participants would change their minds on a crux.
    CruxMindChangeOrder = "crux_mind_change_order",
    /// Position on a crux that only one verdict has; the values are sides.
    CruxPosition = "crux_position",
    /// Display name of a participant with a position on a crux.
    CruxPositionName = "crux_position_name",
    /// Side of a position on a crux.
    CruxSide = "crux_side",
    /// Turn of a position on a crux, with the basis on which it is known.
    CruxPositionTurn = "crux_position_turn",
    /// Argument of a position on a crux.
    CruxPositionArgument = "crux_position_argument",
    /// Words of a position on a crux.
    CruxPositionWords = "crux_position_words",
    /// Exact words of the turn that shows a position on a crux.
    CruxPositionQuote = "crux_position_quote",
    /// Basis of a position on a crux: words of its turn, or an argument that contains what the turn does not.
    CruxPositionBasis = "crux_position_basis",
    /// Order of the positions on a crux.
    CruxPositionOrder = "crux_position_order",
    /// Common ground that only one verdict has; the values are questions.
    CommonGround = "common_ground",
    /// Question of common ground.
    CommonGroundQuestion = "common_ground_question",
    /// Agreed side of common ground.
    CommonGroundSide = "common_ground_side",
    /// Holder of common ground that only one verdict has; the values are turns.
    CommonGroundHolder = "common_ground_holder",
    /// Turn of a holder of common ground.
    CommonGroundTurn = "common_ground_turn",
    /// Words in which a holder of common ground states it.
    CommonGroundWords = "common_ground_words",
    /// Confidence that a holder of common ground expresses.
    CommonGroundConfidence = "common_ground_confidence",
    /// Order of the holders of common ground.
    CommonGroundHolderOrder = "common_ground_holder_order",
    /// Order of the common ground.
    CommonGroundOrder = "common_ground_order",
    /// Granted statement that only one verdict has; the values are statements.
    Granted = "granted",
    /// Granted statement, with its author and its source.
    GrantedStatement = "granted_statement",
    /// Participant who granted a statement in one verdict only; the values are turns.
    GrantedHolder = "granted_holder",
    /// Turn in which a participant granted a statement.
    GrantedTurn = "granted_turn",
    /// Words in which a participant granted a statement.
    GrantedWords = "granted_words",
    /// Order of the participants who granted a statement.
    GrantedHolderOrder = "granted_holder_order",
    /// Order of the granted statements.
    GrantedOrder = "granted_order",
    /// Camp that only one verdict has; the values are arguments.
    Camp = "camp",
    /// Arguments of a camp, or their order.
    CampArguments = "camp_arguments",
    /// Members of a camp, or their order.
    CampMembers = "camp_members",
    /// Personas that are tied between a camp and others, or their order.
    CampTies = "camp_ties",
    /// Order of the camps.
    CampOrder = "camp_order",
    /// Completeness of the list of camps.
    CampsExactness = "camps_exactness",
    /// Grounded label of an argument.
    Label = "label",
}

impl ChangeKind {
    /// True if the values come from a small set, such as sides or labels, so that equal changes can be counted.
    pub fn is_categorical(self) -> bool {
        matches!(
            self,
            ChangeKind::Algorithm
                | ChangeKind::RegimeKind
                | ChangeKind::RegimeExactness
                | ChangeKind::TopicPosition
                | ChangeKind::TopicFirstSide
                | ChangeKind::TopicSide
                | ChangeKind::AuditSetting
                | ChangeKind::AuditReading
                | ChangeKind::CruxList
                | ChangeKind::CruxOpen
                | ChangeKind::CruxPosition
                | ChangeKind::CruxSide
                | ChangeKind::CruxPositionBasis
                | ChangeKind::CommonGroundSide
                | ChangeKind::CampsExactness
                | ChangeKind::Label
        )
    }
}

/// Item of a verdict that a change concerns; without any part, the verdict as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedItem {
    /// Crux.
    pub crux: Option<CruxKey>,
    /// Dispute of common ground or of the topic.
    pub dispute: Option<DisputeId>,
    /// Granted statement, by the key of its text.
    pub granted: Option<CruxKey>,
    /// Argument.
    pub argument: Option<ArgumentId>,
    /// Number of a camp in the second verdict, or if only the first has it in that one, from 1.
    pub camp: Option<usize>,
    /// Participant.
    pub persona: Option<PersonaId>,
}

impl ChangedItem {
    /// A crux.
    pub fn crux(key: CruxKey) -> ChangedItem {
        ChangedItem { crux: Some(key), ..ChangedItem::default() }
    }

    /// The dispute of common ground or of the topic.
    pub fn dispute(dispute: DisputeId) -> ChangedItem {
        ChangedItem { dispute: Some(dispute), ..ChangedItem::default() }
    }

    /// The part of this item that belongs to a participant.
    pub fn of(&self, persona: &PersonaId) -> ChangedItem {
        ChangedItem { persona: Some(persona.clone()), ..self.clone() }
    }
}

impl fmt::Display for ChangedItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.crux.map(|key| format!("crux {key}")),
            self.dispute.map(|dispute| format!("dispute {dispute}")),
            self.granted.map(|key| format!("granted statement {key}")),
            self.argument.map(|argument| format!("argument {argument}")),
            self.camp.map(|number| format!("camp {number}")),
            self.persona.as_ref().map(|persona| format!("participant {persona}")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() { f.write_str("verdict") } else { f.write_str(&parts.join(", ")) }
    }
}

/// Difference between two verdicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerdictChange {
    /// Kind of the change.
    pub kind: ChangeKind,
    /// Changed item.
    pub item: ChangedItem,
    /// Value in the first verdict, as text: texts and names as they are, texts of lists quoted, coverage as `1 of 3`.
    /// `None` if there is none, or the list is empty.
    pub from: Option<String>,
    /// Value in the second verdict, in the same form.
    pub to: Option<String>,
}

/// Changes that were found so far.
#[derive(Clone, Debug, Default)]
pub struct ChangeList {
    /// The changes.
    pub changes: Vec<VerdictChange>,
}

impl ChangeList {
    /// Adds a change.
    pub fn add(&mut self, kind: ChangeKind, item: &ChangedItem, from: Option<String>, to: Option<String>) {
        self.changes.push(VerdictChange { kind, item: item.clone(), from, to });
    }

    /// Adds a change if two values differ; `text` renders them.
    pub fn compare<T: PartialEq + ?Sized>(
        &mut self,
        kind: ChangeKind,
        item: &ChangedItem,
        (from, to): (&T, &T),
        text: impl Fn(&T) -> Option<String>,
    ) {
        if from != to {
            self.add(kind, item, text(from), text(to));
        }
    }
}

/// Renders a value.
pub fn plain<T: ToString + ?Sized>(value: &T) -> Option<String> {
    Some(value.to_string())
}

/// Renders a value that may be absent.
pub fn optional<T: ToString>(value: &Option<T>) -> Option<String> {
    value.as_ref().map(ToString::to_string)
}

/// Renders a list of ids, separated by commas; `None` if it is empty.
pub fn listed<T: ToString>(items: &[T]) -> Option<String> {
    let texts: Vec<String> = items.iter().map(ToString::to_string).collect();
    (!texts.is_empty()).then(|| texts.join(", "))
}

/// Renders a list of texts, each in quotation marks, so that lists that differ are rendered differently; `None` if it is
/// empty.
pub fn quoted_list(texts: &[String]) -> Option<String> {
    let texts: Vec<String> = texts.iter().map(|text| format!("{text:?}")).collect();
    (!texts.is_empty()).then(|| texts.join(", "))
}
