//! Arguments, attacks, turns.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_graphql::{ComplexObject, ID, Result, SimpleObject};
use chrono::{DateTime, Utc};
use tokio::sync::OnceCell;

use crate::api::error::{from_panic, invalid};
use crate::api::types::grounding::Citation;
use crate::api::types::scalars::{AttackKind, LabelValue, Move};
use crate::api::types::talk::Hint;
use crate::api::types::why::Why;
use crate::argumentation::labelling::Label as Inner;
use crate::desk::compute::compute;
use crate::events::argument::{self, Component};
use crate::events::ids::ArgumentId;
use crate::projections::argument_graph;
use crate::projections::transcript;
use crate::verdicts::board::Board;
use crate::verdicts::why;

/// One utterance.
#[derive(SimpleObject, Clone)]
pub struct Turn {
    /// Its name in the debate: `t3`.
    id: ID,
    /// Who spoke; none for the moderator.
    speaker_id: Option<ID>,
    /// The speaker's name for people.
    speaker: String,
    /// The phase in which.
    phase: Option<String>,
    /// The round in which; 0 is the opening.
    round: Option<u32>,
    /// The room in which; none in the main channel.
    room_id: Option<ID>,
    /// What the turn does.
    moves: Vec<Move>,
    /// The earlier turn that it answers, where it answers one.
    answers: Option<ID>,
    /// Who is addressed: whose turn it answers, if another's.
    addressed_id: Option<ID>,
    /// What a moderator had whispered to the speaker before it.
    hint: Option<Hint>,
    /// What was said.
    text: String,
    /// The passages it rests on.
    citations: Vec<Citation>,
    /// What of the reply could not be taken, and why.
    refused: Vec<String>,
    /// The version of the event that recorded it.
    version: i64,
    /// When it was recorded.
    at: DateTime<Utc>,
}

impl From<&transcript::Turn> for Turn {
    fn from(turn: &transcript::Turn) -> Self {
        Turn {
            id: ID(turn.turn.to_string()),
            speaker_id: turn.speaker.as_ref().map(|it| ID(it.to_string())),
            speaker: turn.name.clone(),
            phase: turn.phase.clone(),
            round: turn.round,
            room_id: turn.room.map(|it| ID(it.to_string())),
            moves: turn.moves.iter().map(|it| (*it).into()).collect(),
            answers: turn.answers.map(|it| ID(it.to_string())),
            addressed_id: turn.addressed.as_ref().map(|it| ID(it.to_string())),
            hint: turn.hint.as_ref().map(|it| Hint::new(it, Some(turn.turn))),
            text: turn.text.clone(),
            citations: turn.citations.iter().map(Citation::from).collect(),
            refused: turn.refused.clone(),
            version: turn.version,
            at: turn.at,
        }
    }
}

/// An argument as it was advanced.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Argument {
    /// Its name in the debate: `a3`.
    id: ID,
    /// Whose it is.
    speaker_id: ID,
    /// The turn in which it was advanced.
    turn_id: ID,
    /// What it concludes.
    claim: String,
    /// What it is concluded from.
    premises: Vec<String>,
    /// What it takes for granted.
    assumptions: Vec<String>,
    /// What it points to.
    evidence: Vec<Evidence>,
    /// The attack that it carries out, if it was advanced as one.
    carries: Option<ID>,
    /// Whether its claim answers the topic itself.
    answers_topic: bool,
    /// Whether it counts. An argument that carries an attack counts only while the attack is valid.
    live: bool,
    /// Whether it stands; none where it does not count.
    label: Option<LabelValue>,
    /// How it was narrowed or put under a condition, in order. The claim above is that of the last.
    revisions: Vec<Revision>,
    /// How it was given up; none while it was not.
    withdrawn: Option<Withdrawal>,
    #[graphql(skip)]
    argument: ArgumentId,
    #[graphql(skip)]
    reasons: Reasons,
}

/// An argument said more narrowly, or under a condition, by its owner.
#[derive(SimpleObject, Clone)]
pub struct Revision {
    /// The turn of its owner's in which.
    turn_id: ID,
    /// The claim from then on; none where it stayed.
    claim: Option<String>,
    /// The claim before; none where it stayed.
    before: Option<String>,
    /// What it takes for granted since then as well.
    assumptions: Vec<String>,
    /// The version of the event that recorded it.
    version: i64,
}

impl From<&argument_graph::Revision> for Revision {
    fn from(revision: &argument_graph::Revision) -> Self {
        let revised = &revision.revised;
        Revision {
            turn_id: ID(revised.turn.to_string()),
            claim: revised.claim.clone(),
            before: revision.before.clone(),
            assumptions: revised.assumptions.clone(),
            version: revision.version,
        }
    }
}

/// That an argument, an attack or a reason was given up.
#[derive(SimpleObject, Clone)]
pub struct Withdrawal {
    /// The turn that shows it.
    pub turn_id: ID,
    /// Why.
    pub reason: String,
    /// The argument of the same owner that took its place; none where it was given up.
    pub superseded_by: Option<ID>,
}

/// Why each argument of a debate has its label, worked out when the first of them is asked.
#[derive(Clone)]
pub struct Reasons {
    board: Arc<Board>,
    known: Arc<OnceCell<BTreeMap<ArgumentId, why::Why>>>,
}

impl Reasons {
    /// Nothing is worked out yet.
    pub fn new(board: Arc<Board>) -> Reasons {
        Reasons { board, known: Arc::default() }
    }

    async fn of(&self, argument: ArgumentId) -> Result<Option<Why>> {
        let work = async || {
            let board = Arc::clone(&self.board);
            compute(move || why::reasons(&board.arguments)).await.map_err(|it| from_panic(&it))
        };
        Ok(self.known.get_or_try_init(work).await?.get(&argument).map(Why::from))
    }
}

/// What has to be worked out.
#[ComplexObject]
impl Argument {
    /// Why it stands, falls, is undecided or does not count. Those of all arguments are worked out together.
    async fn why(&self) -> Result<Why> {
        let why = self.reasons.of(self.argument).await?;
        why.ok_or_else(|| invalid("this argument is not in the debate"))
    }
}

/// Something an argument points to.
#[derive(SimpleObject, Clone)]
pub struct Evidence {
    /// What it says.
    text: String,
    /// The passage it comes from, where it was given one.
    citation: Option<Citation>,
}

impl From<&argument::Evidence> for Evidence {
    fn from(evidence: &argument::Evidence) -> Self {
        Evidence { text: evidence.text.clone(), citation: evidence.citation.as_ref().map(Citation::from) }
    }
}

impl Argument {
    /// An argument, with what became of it.
    pub fn new(argument: &argument_graph::Argument, live: bool, label: Option<Inner>, reasons: &Reasons) -> Self {
        let advanced = &argument.advanced;
        let withdrawn = argument.withdrawn.as_ref().map(|it| Withdrawal {
            turn_id: ID(it.turn.to_string()),
            reason: it.reason.clone(),
            superseded_by: it.superseded_by.map(|it| ID(it.to_string())),
        });
        Argument {
            id: ID(advanced.argument.to_string()),
            speaker_id: ID(advanced.speaker.to_string()),
            turn_id: ID(advanced.turn.to_string()),
            claim: advanced.claim.clone(),
            premises: advanced.premises.clone(),
            assumptions: advanced.assumptions.clone(),
            evidence: advanced.evidence.iter().map(Evidence::from).collect(),
            carries: advanced.carries.map(|it| ID(it.to_string())),
            answers_topic: advanced.answers_topic,
            live,
            label: label.map(LabelValue::from),
            revisions: argument.revisions.iter().map(Revision::from).collect(),
            withdrawn,
            argument: advanced.argument,
            reasons: reasons.clone(),
        }
    }
}

/// An attack as it was raised, and what was made of it.
#[derive(SimpleObject, Clone)]
pub struct Attack {
    /// Its name in the debate: `k2`.
    id: ID,
    /// Who attacks.
    speaker_id: ID,
    /// The turn in which.
    turn_id: ID,
    /// The argument with which.
    source_id: ID,
    /// The argument against which.
    target_id: ID,
    /// The part of it: `claim`, `premise` or `assumption`. The judge's correction is taken.
    component: String,
    /// Which premise or assumption, from 0.
    component_index: Option<u32>,
    /// How. The judge's correction is taken.
    kind: AttackKind,
    /// Why the one tells against the other.
    rationale: String,
    /// The attacker's own, from 0 to 1.
    confidence: f64,
    /// What the judge said; none while nobody judged it.
    judgement: Option<Judgement>,
    /// Whether source and target tell against each other alike.
    mutual: bool,
    /// How it was withdrawn; none while it was not.
    withdrawn: Option<Withdrawal>,
}

/// What a judge made of an attack.
#[derive(SimpleObject, Clone)]
pub struct Judgement {
    /// Whether it tells against its target at all.
    valid: bool,
    /// How strongly, from 0 to 1.
    strength: f64,
    /// Why.
    reason: String,
}

impl From<&argument_graph::Attack> for Attack {
    fn from(attack: &argument_graph::Attack) -> Self {
        let raised = &attack.raised;
        let (component, component_index) = match attack.component() {
            Component::Claim => ("claim", None),
            Component::Premise(index) => ("premise", Some(index)),
            Component::Assumption(index) => ("assumption", Some(index)),
        };
        Attack {
            id: ID(raised.attack.to_string()),
            speaker_id: ID(raised.speaker.to_string()),
            turn_id: ID(raised.turn.to_string()),
            source_id: ID(raised.source.to_string()),
            target_id: ID(raised.target.to_string()),
            component: component.to_owned(),
            component_index,
            kind: attack.kind().into(),
            rationale: raised.rationale.clone(),
            confidence: raised.confidence,
            judgement: attack.judged.as_ref().map(|it| Judgement {
                valid: it.valid,
                strength: it.strength,
                reason: it.reason.clone(),
            }),
            mutual: attack.is_mutual(),
            withdrawn: attack.withdrawn.as_ref().map(|it| Withdrawal {
                turn_id: ID(it.turn.to_string()),
                reason: it.reason.clone(),
                superseded_by: None,
            }),
        }
    }
}

/// Whether an argument stands.
#[derive(SimpleObject, Clone)]
pub struct Label {
    /// The argument.
    pub argument_id: ID,
    /// Whether it stands.
    pub value: LabelValue,
    /// Whether that is known: false where the search was given up before, and the label is `UNDEC` for want of it. Grounded
    /// labels always are.
    pub exact: bool,
}
