//! GraphQL types of turns, arguments and attacks.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_graphql::{ID, Result, SimpleObject};
use chrono::{DateTime, Utc};
use tokio::sync::OnceCell;

use crate::api::error::from_panic;
use crate::api::types::debate::debate_ref::ParticipantSource;
use crate::api::types::debate_object::DebateObject;
use crate::api::types::scalars::{AttackComponent, AttackKind, LabelValue, Move, TurnBasis};
use crate::api::types::speech::explanation::Explanation;
use crate::api::types::speech::grounding::Citation;
use crate::api::types::speech::preparation::TurnPreparation;
use crate::api::types::speech::talk::{Hint, MoveQuote};
use faultline_argumentation::labelling::Label as Inner;
use faultline_core::events::argument::ArgumentPart;
use faultline_core::events::citation;
use faultline_core::events::ids::{ArgumentId, TurnId};
use faultline_core::projections::{argument_graph, transcript};
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_core::verdicts::why;
use faultline_service::compute::compute;

/// One utterance.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Turn {
    /// Unique id, also accepted by `node`.
    pub(crate) id: ID,
    /// Short id within the debate, such as `t3`. Fields that refer to objects of the same debate contain short ids.
    short_id: ID,
    /// Id of the speaker; null for the moderator.
    pub(crate) speaker_id: Option<ID>,
    /// Display name of the speaker.
    speaker: String,
    /// Phase of the debate.
    phase: Option<String>,
    /// Round; 0 is the opening.
    round: Option<u32>,
    /// Id of the room; null in the main channel.
    room_id: Option<ID>,
    /// Moves that the turn makes.
    moves: Vec<Move>,
    /// Words of the turn that make its moves. Not every move has any.
    move_quotes: Vec<MoveQuote>,
    /// Id of the earlier turn that it replies to, if any.
    replies_to_turn_id: Option<ID>,
    /// Id of the participant whose turn it replies to, if it is another's.
    addressee_id: Option<ID>,
    /// Hint that a moderator gave the speaker before the turn.
    hint: Option<Hint>,
    /// Text of the turn.
    text: String,
    /// Cited passages.
    citations: Vec<Citation>,
    /// Parts of the model's reply that were rejected, with the reasons.
    rejected_parts: Vec<String>,
    /// Reflection and critique before the turn; null unless the engine asks for them.
    preparation: Option<TurnPreparation>,
    /// Version of the event that recorded it.
    version: i64,
    /// Time at which it was recorded.
    at: DateTime<Utc>,
    #[graphql(skip)]
    pub(crate) turn: TurnId,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

impl Turn {
    /// Builds a turn of the debate with these participants.
    pub fn new(turn: &transcript::Turn, participants: &ParticipantSource) -> Self {
        Turn {
            id: participants.object_id(DebateObject::Turn(turn.turn)),
            short_id: ID(turn.turn.to_string()),
            speaker_id: turn.speaker.as_ref().map(|speaker| ID(speaker.to_string())),
            speaker: turn.name.clone(),
            phase: turn.phase.clone(),
            round: turn.round,
            room_id: turn.room.map(|room| ID(room.to_string())),
            moves: turn.moves.iter().map(|act| (*act).into()).collect(),
            move_quotes: turn.move_quotes.iter().map(MoveQuote::from).collect(),
            replies_to_turn_id: turn.answers.map(|turn| ID(turn.to_string())),
            addressee_id: turn.addressed.as_ref().map(|persona| ID(persona.to_string())),
            hint: turn.hint.as_ref().map(|hint| Hint::new(hint, Some(turn.turn), participants)),
            text: turn.text.clone(),
            citations: turn.citations.iter().map(Citation::from).collect(),
            rejected_parts: turn.refused.clone(),
            preparation: turn.preparation.as_ref().map(TurnPreparation::from),
            version: turn.version,
            at: turn.at,
            turn: turn.turn,
            participants: participants.clone(),
        }
    }
}

/// An argument as it was advanced, and its current state.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Argument {
    /// Unique id, also accepted by `node`.
    pub(crate) id: ID,
    /// Short id within the debate, such as `a3`. Fields that refer to objects of the same debate contain short ids.
    short_id: ID,
    /// Id of its author.
    pub(crate) speaker_id: ID,
    /// Id of the turn in which it was advanced; null if it is unknown.
    turn_id: Option<ID>,
    /// Basis on which it is attributed to the turn. Only imported arguments have another basis than STATED.
    turn_basis: TurnBasis,
    /// Conclusion.
    claim: String,
    /// Premises.
    premises: Vec<String>,
    /// Assumptions.
    assumptions: Vec<String>,
    /// Evidence.
    evidence: Vec<Evidence>,
    /// Id of the attack that the argument carries out, if it was advanced as one.
    attack_id: Option<ID>,
    /// True if its claim answers the topic itself.
    answers_topic: bool,
    /// True if a clerk distilled it: claim, premises and evidence are then sentences of the turn, and the assumptions are the
    /// clerk's reading of what the speaker takes for granted.
    distilled: bool,
    /// True if the argument counts. An argument that carries out an attack counts only while the attack is valid.
    live: bool,
    /// Acceptance label; null if the argument does not count.
    label: Option<LabelValue>,
    /// Revisions that narrowed or qualified the argument, in order. `claim` is the claim after the last one.
    revisions: Vec<ArgumentRevision>,
    /// Version of the event that recorded it.
    version: i64,
    /// Withdrawal, if the argument was withdrawn.
    withdrawal: Option<Withdrawal>,
    #[graphql(skip)]
    pub(crate) argument: ArgumentId,
    #[graphql(skip)]
    pub(crate) reasons: Reasons,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

/// A revision by which the author narrowed the argument or put it under a condition.
#[derive(SimpleObject, Clone)]
pub struct ArgumentRevision {
    /// Id of the author's turn that contains the revision.
    turn_id: ID,
    /// New claim; null if unchanged.
    claim: Option<String>,
    /// Previous claim; null if unchanged.
    previous_claim: Option<String>,
    /// Assumptions added by the revision.
    assumptions: Vec<String>,
    /// Version of the event that recorded it.
    version: i64,
}

impl From<&argument_graph::Revision> for ArgumentRevision {
    fn from(revision: &argument_graph::Revision) -> Self {
        let revised = &revision.revised;
        ArgumentRevision {
            turn_id: ID(revised.turn.to_string()),
            claim: revised.claim.clone(),
            previous_claim: revision.before.clone(),
            assumptions: revised.assumptions.clone(),
            version: revision.version,
        }
    }
}

/// The withdrawal of an argument, an attack or a reason.
#[derive(SimpleObject, Clone)]
pub struct Withdrawal {
    /// Id of the turn that shows it.
    pub turn_id: ID,
    /// Reason.
    pub reason: String,
    /// Id of the argument of the same author that replaces it, if any.
    pub superseded_by: Option<ID>,
}

/// Explanations of all labels of a debate, computed on first use.
#[derive(Clone)]
pub struct Reasons {
    read_model: Arc<DebateReadModel>,
    known: Arc<OnceCell<BTreeMap<ArgumentId, why::Why>>>,
}

impl Reasons {
    /// Creates the explanations, without computing them.
    pub fn new(read_model: Arc<DebateReadModel>) -> Reasons {
        Reasons { read_model, known: Arc::default() }
    }

    /// Returns the explanation of one argument; computes all of them if necessary.
    pub(crate) async fn of(&self, argument: ArgumentId) -> Result<Option<Explanation>> {
        let work = async || {
            let read_model = Arc::clone(&self.read_model);
            compute(move || why::reasons(&read_model.arguments)).await.map_err(|error| from_panic(&error))
        };
        Ok(self.known.get_or_try_init(work).await?.get(&argument).map(Explanation::from))
    }
}

/// A piece of evidence for an argument.
#[derive(SimpleObject, Clone)]
pub struct Evidence {
    /// Content of the evidence.
    text: String,
    /// Cited passage, if one was given.
    citation: Option<Citation>,
}

impl From<&citation::Evidence> for Evidence {
    fn from(evidence: &citation::Evidence) -> Self {
        Evidence { text: evidence.text.clone(), citation: evidence.citation.as_ref().map(Citation::from) }
    }
}

impl Argument {
    /// Builds an argument with its current state.
    pub fn new(
        argument: &argument_graph::Argument,
        (live, label): (bool, Option<Inner>),
        reasons: &Reasons,
        participants: &ParticipantSource,
    ) -> Self {
        let advanced = &argument.advanced;
        let withdrawal = argument.withdrawn.as_ref().map(|withdrawal| Withdrawal {
            turn_id: ID(withdrawal.turn.to_string()),
            reason: withdrawal.reason.clone(),
            superseded_by: withdrawal.superseded_by.map(|argument| ID(argument.to_string())),
        });
        Argument {
            id: participants.object_id(DebateObject::Argument(advanced.argument)),
            short_id: ID(advanced.argument.to_string()),
            speaker_id: ID(advanced.speaker.to_string()),
            turn_id: argument.turn().map(|turn| ID(turn.to_string())),
            turn_basis: argument.turn_basis.into(),
            claim: advanced.claim.clone(),
            premises: advanced.premises.clone(),
            assumptions: advanced.assumptions.clone(),
            evidence: advanced.evidence.iter().map(Evidence::from).collect(),
            attack_id: advanced.carries.map(|id| ID(id.to_string())),
            answers_topic: advanced.answers_topic,
            distilled: advanced.distilled,
            live,
            label: label.map(LabelValue::from),
            revisions: argument.revisions.iter().map(ArgumentRevision::from).collect(),
            version: argument.version,
            withdrawal,
            argument: advanced.argument,
            reasons: reasons.clone(),
            participants: participants.clone(),
        }
    }
}

/// An attack as it was raised, and its current state.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Attack {
    /// Unique id, also accepted by `node`.
    pub(crate) id: ID,
    /// Short id within the debate, such as `k2`. Fields that refer to objects of the same debate contain short ids.
    short_id: ID,
    /// Id of the attacker.
    pub(crate) speaker_id: ID,
    /// Id of the turn in which it was raised.
    turn_id: ID,
    /// Id of the attacking argument.
    source_id: ID,
    /// Id of the attacked argument.
    target_id: ID,
    /// Attacked component, with the judge's correction applied.
    component: AttackComponent,
    /// Index of the attacked premise or assumption, from 0.
    component_index: Option<u32>,
    /// Kind of attack, with the judge's correction applied.
    kind: AttackKind,
    /// Explanation of why the source contradicts the target.
    rationale: String,
    /// Confidence of the attacker, from 0 to 1.
    confidence: f64,
    /// Judgement; null until the attack is judged.
    judgement: Option<Judgement>,
    /// Version of the event that recorded it.
    version: i64,
    /// True if source and target attack each other.
    mutual: bool,
    /// Withdrawal, if the attack was withdrawn.
    withdrawal: Option<Withdrawal>,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

/// A judge's assessment of an attack.
#[derive(SimpleObject, Clone)]
pub struct Judgement {
    /// Version of the event that recorded it.
    version: i64,
    /// True if the attack counts against its target.
    valid: bool,
    /// Strength, from 0 to 1.
    strength: f64,
    /// Reason.
    reason: String,
}

impl Attack {
    /// Builds an attack with its current state.
    pub fn new(attack: &argument_graph::Attack, participants: &ParticipantSource) -> Self {
        let raised = &attack.raised;
        let component_index = match attack.component() {
            ArgumentPart::Claim => None,
            ArgumentPart::Premise(index) | ArgumentPart::Assumption(index) => Some(index),
        };
        Attack {
            id: participants.object_id(DebateObject::Attack(raised.attack)),
            short_id: ID(raised.attack.to_string()),
            speaker_id: ID(raised.speaker.to_string()),
            turn_id: ID(raised.turn.to_string()),
            source_id: ID(raised.source.to_string()),
            target_id: ID(raised.target.to_string()),
            component: attack.component().into(),
            component_index,
            kind: attack.kind().into(),
            rationale: raised.rationale.clone(),
            confidence: raised.confidence,
            version: attack.version,
            judgement: attack.judged.as_ref().map(|judgement| Judgement {
                version: attack.judged_version.unwrap_or(attack.version),
                valid: judgement.valid,
                strength: judgement.strength,
                reason: judgement.reason.clone(),
            }),
            mutual: attack.is_mutual(),
            withdrawal: attack.withdrawn.as_ref().map(|withdrawal| Withdrawal {
                turn_id: ID(withdrawal.turn.to_string()),
                reason: withdrawal.reason.clone(),
                superseded_by: None,
            }),
            participants: participants.clone(),
        }
    }
}

/// Acceptance label of an argument.
#[derive(SimpleObject, Clone)]
pub struct Label {
    /// Id of the argument.
    pub argument_id: ID,
    /// Label.
    pub value: LabelValue,
    /// True if the label is certain; false if the search was stopped early and the label is `UNDEC` for that reason.
    /// Grounded labels are always exact.
    pub exact: bool,
}
