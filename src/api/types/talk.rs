//! How a talk went: phases, signals, hints, proposed cruxes, who moved.

use async_graphql::{ID, SimpleObject};
use chrono::{DateTime, Utc};

use crate::api::types::scalars::{HintKind, ShiftKind, Side};
use crate::events::ids::{CruxId, TurnId};
use crate::events::turn;
use crate::projections::crux_proposals::ProposedCrux;
use crate::projections::dispute_graph::DisputeGraph;
use crate::projections::progress;
use crate::projections::transcript::{PhaseTold, Transcript};
use crate::verdicts::shifts;

/// A stretch of a debate.
#[derive(SimpleObject, Clone)]
pub struct Phase {
    /// Which, in the engine's words.
    name: String,
    /// The round, where the phase has rounds.
    round: Option<u32>,
    /// Why it began when it did, where that is not always the same.
    reason: Option<String>,
    /// The first turn that could be taken in it. It need not have been taken.
    from_turn_id: ID,
    /// The version of the event that began it.
    from_version: i64,
}

impl From<&PhaseTold> for Phase {
    fn from(told: &PhaseTold) -> Self {
        Phase {
            name: told.phase.clone(),
            round: told.round,
            reason: told.reason.clone(),
            from_turn_id: ID(told.from.to_string()),
            from_version: told.version,
        }
    }
}

/// How far a talk had come, as it was measured: what an engine decides the next phase by.
#[derive(SimpleObject, Clone)]
pub struct Signal {
    /// The version of the event that recorded it.
    version: i64,
    /// When it was recorded.
    at: DateTime<Utc>,
    /// The phase in which.
    phase: Option<String>,
    /// The last turn that was distilled.
    turn_id: ID,
    /// Arguments or reasons that live.
    live: u32,
    /// Attacks among them that are in force.
    attacks: u32,
    /// What is contested: names of arguments, reasons or disputes.
    frontier: Vec<ID>,
    /// Pairs of live claims of different speakers that were examined for conflict.
    examined: u32,
    /// All such pairs.
    pairs: u32,
    /// The share of content words that nobody had used before, in the turns since the last signal; from 0 to 1.
    novelty: f64,
    /// How far the latest turns repeat those before them, from 0 to 1; none while there are too few.
    circling: Option<f64>,
    /// The embedder that told how far; none where content words did.
    circling_by: Option<String>,
    /// Concessions for each turn so far.
    concession_rate: f64,
    /// Whether the frontier is complete.
    exact: bool,
}

impl From<&progress::Signal> for Signal {
    fn from(signal: &progress::Signal) -> Self {
        let measured = &signal.measured;
        Signal {
            version: signal.version,
            at: signal.at,
            phase: signal.phase.clone(),
            turn_id: ID(measured.turn.to_string()),
            live: measured.live,
            attacks: measured.attacks,
            frontier: measured.frontier.iter().map(|it| ID(it.to_string())).collect(),
            examined: measured.examined,
            pairs: measured.pairs,
            novelty: measured.novelty,
            circling: measured.circling,
            circling_by: measured.circling_by.clone(),
            concession_rate: measured.concession_rate,
            exact: measured.exact,
        }
    }
}

/// What a moderator whispered to the next speaker.
#[derive(SimpleObject, Clone)]
pub struct Hint {
    /// To whom.
    persona_id: ID,
    /// Why.
    kind: HintKind,
    /// What was whispered.
    text: String,
    /// The turn that was taken on it; none while it was not.
    turn_id: Option<ID>,
    /// The turn that gave rise to it.
    about_turn_id: Option<ID>,
    /// The dispute on which the speaker is asked to take a side.
    dispute_id: Option<ID>,
    /// The proposed crux that the speaker is asked to agree with or not.
    crux_proposal_id: Option<ID>,
}

impl Hint {
    /// A hint, and the turn that was taken on it.
    pub fn new(given: &turn::HintGiven, turn: Option<TurnId>) -> Self {
        Hint {
            persona_id: ID(given.speaker.to_string()),
            kind: given.hint.into(),
            text: given.text.clone(),
            turn_id: turn.map(|it| ID(it.to_string())),
            about_turn_id: given.about.map(|it| ID(it.to_string())),
            dispute_id: given.dispute.map(|it| ID(it.to_string())),
            crux_proposal_id: given.crux.map(|it| ID(it.to_string())),
        }
    }

    /// All hints that a turn was taken on, and the one for the turn that is to come.
    pub fn all(transcript: &Transcript) -> Vec<Hint> {
        let taken = transcript.turns.iter().filter_map(|it| Some(Hint::new(it.hint.as_ref()?, Some(it.turn))));
        taken.chain(transcript.whispered().map(|it| Hint::new(it, None))).collect()
    }
}

/// What a participant holds to be the crux, and who agreed.
#[derive(SimpleObject, Clone)]
pub struct CruxProposal {
    /// Its name in the debate: `c1`.
    id: ID,
    /// Who proposed it.
    speaker_id: ID,
    /// The turn in which.
    turn_id: ID,
    /// The crux in a sentence.
    statement: String,
    /// Who agreed with it, each once, in order. Never the one who proposed it.
    acknowledged_by: Vec<Acknowledgement>,
    /// The version of the event that recorded it.
    version: i64,
}

/// That somebody agreed with a proposed crux.
#[derive(SimpleObject, Clone)]
pub struct Acknowledgement {
    /// Who.
    persona_id: ID,
    /// The turn of theirs in which.
    turn_id: ID,
    /// The turn that they agreed with.
    cites_turn_id: ID,
}

impl CruxProposal {
    /// A proposed crux by its name.
    pub fn new(id: CruxId, crux: &ProposedCrux) -> Self {
        let acknowledged = crux.acknowledged.iter().map(|it| Acknowledgement {
            persona_id: ID(it.speaker.to_string()),
            turn_id: ID(it.turn.to_string()),
            cites_turn_id: ID(it.cites.to_string()),
        });
        CruxProposal {
            id: ID(id.to_string()),
            speaker_id: ID(crux.proposed.speaker.to_string()),
            turn_id: ID(crux.proposed.turn.to_string()),
            statement: crux.proposed.statement.clone(),
            acknowledged_by: acknowledged.collect(),
            version: crux.version,
        }
    }
}

/// Where a participant stood first on a dispute, and where they stand last.
#[derive(SimpleObject, Clone)]
pub struct Shift {
    /// Who.
    persona_id: ID,
    /// On which dispute.
    dispute_id: ID,
    /// The question.
    question: String,
    /// What it comes to.
    kind: ShiftKind,
    /// The side they took first.
    first: Side,
    /// The turn in which.
    first_turn_id: ID,
    /// The side they took last.
    last: Side,
    /// The turn in which they came to it, and have not left it since.
    last_turn_id: ID,
    /// How often they took another side than the one before, on the way.
    changes: usize,
}

impl Shift {
    /// The shifts of all who took a stance, dispute by dispute.
    pub fn all(disputes: &DisputeGraph) -> Vec<Shift> {
        let question = |it: &shifts::Shift| disputes.disputes.get(&it.dispute).map(|it| it.question.clone());
        let told = shifts::shifts(disputes).into_iter().map(|it| Shift {
            persona_id: ID(it.persona.to_string()),
            dispute_id: ID(it.dispute.to_string()),
            question: question(&it).unwrap_or_default(),
            kind: it.kind().into(),
            first: it.first.into(),
            first_turn_id: ID(it.first_turn.to_string()),
            last: it.last.into(),
            last_turn_id: ID(it.last_turn.to_string()),
            changes: it.changes,
        });
        told.collect()
    }
}
