//! GraphQL types of the course of a talk: phases, signals, hints, proposed cruxes, shifts of stance.

use async_graphql::{ID, SimpleObject};
use chrono::{DateTime, Utc};

use crate::api::types::debate::debate_ref::ParticipantSource;
use crate::api::types::debate_object::DebateObject;
use crate::api::types::scalars::{HintKind, Move, Side, StanceShiftKind};
use faultline_core::events::ids::{CruxId, TurnId};
use faultline_core::events::turn;
use faultline_core::projections::crux_proposals::ProposedCrux;
use faultline_core::projections::disputes::dispute_graph::DisputeGraph;
use faultline_core::projections::progress;
use faultline_core::projections::transcript;
use faultline_core::projections::transcript::{PhaseStart, Transcript};
use faultline_core::verdicts::concessions::shifts;

/// A phase of a debate.
#[derive(SimpleObject, Clone)]
pub struct Phase {
    /// Name, as defined by the engine.
    name: String,
    /// Round, if the phase has rounds.
    round: Option<u32>,
    /// Reason for starting it, if there is more than one possible.
    reason: Option<String>,
    /// Id of the first possible turn in it, which need not have been taken.
    from_turn_id: ID,
    /// Version of the event that started it.
    from_version: i64,
}

impl From<&PhaseStart> for Phase {
    fn from(start: &PhaseStart) -> Self {
        Phase {
            name: start.phase.clone(),
            round: start.round,
            reason: start.reason.clone(),
            from_turn_id: ID(start.from.to_string()),
            from_version: start.version,
        }
    }
}

/// Words of a turn that make one of its moves.
#[derive(SimpleObject, Clone)]
pub struct MoveQuote {
    /// The move.
    #[graphql(name = "move")]
    talk_move: Move,
    /// The words, exactly as the turn contains them.
    quote: String,
}

impl From<&turn::MoveQuote> for MoveQuote {
    fn from(quoted: &turn::MoveQuote) -> Self {
        MoveQuote { talk_move: quoted.talk_move.into(), quote: quoted.quote.clone() }
    }
}

/// A measurement of a talk's progress, by which an engine decides on the next phase.
#[derive(SimpleObject, Clone)]
pub struct ProgressSignal {
    /// Version of the event that recorded it.
    version: i64,
    /// Time at which it was recorded.
    at: DateTime<Utc>,
    /// Phase of the debate.
    phase: Option<String>,
    /// Id of the last distilled turn.
    turn_id: ID,
    /// Number of arguments or reasons that count.
    live_count: u32,
    /// Number of valid attacks among them.
    attack_count: u32,
    /// Ids of the contested arguments, reasons or disputes.
    frontier_ids: Vec<ID>,
    /// Number of pairs of counting claims, by different speakers, that were examined for conflict.
    examined: u32,
    /// Number of all such pairs.
    pairs: u32,
    /// Share of content words in the turns since the last signal that were new, from 0 to 1.
    novelty: f64,
    /// Degree to which the latest turns repeat earlier ones, from 0 to 1; null while there are too few.
    repetition: Option<f64>,
    /// Name of the embedder that measured the repetition; null if content words were compared.
    repetition_embedder: Option<String>,
    /// Number of concessions per turn so far.
    concession_rate: f64,
    /// True if the frontier is complete.
    exact: bool,
}

impl From<&progress::ProgressSignal> for ProgressSignal {
    fn from(signal: &progress::ProgressSignal) -> Self {
        let measured = &signal.measured;
        ProgressSignal {
            version: signal.version,
            at: signal.at,
            phase: signal.phase.clone(),
            turn_id: ID(measured.turn.to_string()),
            live_count: measured.live,
            attack_count: measured.attacks,
            frontier_ids: measured.frontier.iter().map(|argument| ID(argument.to_string())).collect(),
            examined: measured.examined,
            pairs: measured.pairs,
            novelty: measured.novelty,
            repetition: measured.circling,
            repetition_embedder: measured.circling_by.clone(),
            concession_rate: measured.concession_rate,
            exact: measured.exact,
        }
    }
}

/// A hint that a moderator gave the next speaker.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Hint {
    /// Id of the speaker.
    pub(crate) persona_id: ID,
    /// Reason for the hint.
    kind: HintKind,
    /// Text.
    text: String,
    /// Id of the turn that followed it; null until it was taken.
    turn_id: Option<ID>,
    /// Id of the turn that caused it.
    about_turn_id: Option<ID>,
    /// Id of the dispute on which the speaker is asked to take a side.
    dispute_id: Option<ID>,
    /// Id of the proposed crux that the speaker is asked about.
    crux_proposal_id: Option<ID>,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

impl Hint {
    /// Builds a hint with the turn that followed it.
    pub fn new(given: &turn::HintGiven, turn: Option<TurnId>, participants: &ParticipantSource) -> Self {
        Hint {
            persona_id: ID(given.speaker.to_string()),
            kind: given.hint.into(),
            text: given.text.clone(),
            turn_id: turn.map(|turn| ID(turn.to_string())),
            about_turn_id: given.about.map(|turn| ID(turn.to_string())),
            dispute_id: given.dispute.map(|dispute| ID(dispute.to_string())),
            crux_proposal_id: given.crux.map(|crux| ID(crux.to_string())),
            participants: participants.clone(),
        }
    }

    /// Returns all hints that a turn followed, and the one for the next turn.
    pub fn all(transcript: &Transcript, participants: &ParticipantSource) -> Vec<Hint> {
        let taken = |speech: &transcript::Turn| Some(Hint::new(speech.hint.as_ref()?, Some(speech.turn), participants));
        let pending = transcript.pending_hint().map(|hint| Hint::new(hint, None, participants));
        transcript.turns.iter().filter_map(taken).chain(pending).collect()
    }
}

/// A crux proposed by a participant, and its acknowledgements.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct CruxProposal {
    /// Unique id, also accepted by `node`.
    pub(crate) id: ID,
    /// Short id within the debate, such as `c1`. Fields that refer to objects of the same debate contain short ids.
    short_id: ID,
    /// Id of the participant who proposed it.
    pub(crate) speaker_id: ID,
    /// Id of the turn that contains the proposal.
    turn_id: ID,
    /// Crux in one sentence.
    statement: String,
    /// Words of the turn that name the crux, exactly as the turn contains them; null if they are unknown.
    quote: Option<String>,
    /// Acknowledgements in order, at most one per participant, and none by the proposer.
    acknowledged_by: Vec<Acknowledgement>,
    /// Version of the event that recorded it.
    version: i64,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

/// A participant's acknowledgement of a proposed crux.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Acknowledgement {
    /// Id of the participant who acknowledged it.
    pub(crate) persona_id: ID,
    /// Id of the turn that contains the acknowledgement.
    turn_id: ID,
    /// Id of the turn that it refers to.
    cited_turn_id: ID,
    /// Words of the turn that acknowledge the crux, exactly as the turn contains them.
    quote: Option<String>,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

impl CruxProposal {
    /// Builds a proposed crux with its id.
    pub fn new(id: CruxId, crux: &ProposedCrux, participants: &ParticipantSource) -> Self {
        let acknowledged = crux.acknowledged.iter().map(|acknowledgement| Acknowledgement {
            persona_id: ID(acknowledgement.speaker.to_string()),
            turn_id: ID(acknowledgement.turn.to_string()),
            cited_turn_id: ID(acknowledgement.cites.to_string()),
            quote: acknowledgement.quote.clone(),
            participants: participants.clone(),
        });
        CruxProposal {
            id: participants.object_id(DebateObject::CruxProposal(id)),
            short_id: ID(id.to_string()),
            speaker_id: ID(crux.proposed.speaker.to_string()),
            turn_id: ID(crux.proposed.turn.to_string()),
            statement: crux.proposed.statement.clone(),
            quote: crux.proposed.quote.clone(),
            acknowledged_by: acknowledged.collect(),
            version: crux.version,
            participants: participants.clone(),
        }
    }
}

/// First and last stance of a participant on a dispute.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct StanceShift {
    /// Id of the participant.
    pub(crate) persona_id: ID,
    /// Id of the dispute.
    dispute_id: ID,
    /// Question of the dispute.
    question: String,
    /// Comparison of both stances.
    kind: StanceShiftKind,
    /// First side.
    first_side: Side,
    /// Id of the turn in which it was taken.
    first_turn_id: ID,
    /// Last side.
    last_side: Side,
    /// Id of the turn since which the participant has kept it.
    last_turn_id: ID,
    /// Number of changes of side in between.
    change_count: usize,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

impl StanceShift {
    /// Returns the shifts of all participants with a stance, ordered by dispute.
    pub fn all(disputes: &DisputeGraph, participants: &ParticipantSource) -> Vec<StanceShift> {
        let question =
            |shift: &shifts::Shift| disputes.disputes.get(&shift.dispute).map(|dispute| dispute.question.clone());
        let shifts = shifts::shifts(disputes).into_iter().map(|shift| StanceShift {
            persona_id: ID(shift.persona.to_string()),
            dispute_id: ID(shift.dispute.to_string()),
            question: question(&shift).unwrap_or_default(),
            kind: shift.kind().into(),
            first_side: shift.first.into(),
            first_turn_id: ID(shift.first_turn.to_string()),
            last_side: shift.last.into(),
            last_turn_id: ID(shift.last_turn.to_string()),
            change_count: shift.changes,
            participants: participants.clone(),
        });
        shifts.collect()
    }
}
