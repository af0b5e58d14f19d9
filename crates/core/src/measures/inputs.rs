//! Inputs of measures: the folded debate, its verdict, and its claims and turns as vectors.

use crate::events::ids::{PersonaId, TurnId};
use crate::measures::stance_moves::{StanceMove, stance_moves};
use crate::measures::text_vectors::TextVector;
use crate::projections::transcript::Turn;
use crate::verdicts::concessions::concessions::{Concession, concessions};
use crate::verdicts::diff::timeline::TimelineEntry;
use crate::verdicts::read_model::DebateReadModel;
use crate::verdicts::verdict::Verdict;

/// Maximum number of claims, and of turns, that are compared with one another; the first ones are.
pub const MAX_COMPARED: usize = 1_000;

/// Folded debate, with what several measures need.
#[derive(Debug)]
pub struct MeasureInputs<'a> {
    /// All projections of the debate.
    pub read_model: &'a DebateReadModel,
    /// Its verdict.
    pub verdict: &'a Verdict,
    /// Versions at which a label, the regime or a crux changed; `None` if they were not computed.
    pub timeline: Option<&'a [TimelineEntry]>,
    /// Claims in the order in which they were made: those of arguments, or of reasons if there are no arguments.
    pub claims: Vec<MadeClaim<'a>>,
    /// Turns of participants, in order.
    pub turns: Vec<SpokenTurn<'a>>,
    /// Concessions that no qualified auditor contests.
    pub concessions: Vec<Concession>,
    /// Stances that were taken again, in order.
    pub moves: Vec<StanceMove<'a>>,
}

/// Claim of a participant.
#[derive(Debug)]
pub struct MadeClaim<'a> {
    /// Participant who made it.
    pub speaker: &'a PersonaId,
    /// Turn that contains it; `None` if it is unknown.
    pub turn: Option<TurnId>,
    /// Text of the claim.
    pub text: &'a str,
    /// The text as a vector.
    pub vector: TextVector,
}

/// Turn of a participant.
#[derive(Debug)]
pub struct SpokenTurn<'a> {
    /// Participant who spoke.
    pub speaker: &'a PersonaId,
    /// The turn.
    pub turn: &'a Turn,
    /// Its text as a vector.
    pub vector: TextVector,
}

impl<'a> MeasureInputs<'a> {
    /// Prepares the inputs, with the timeline up to the version of the read model, if it was computed. Cost: linear in the words
    /// of the debate.
    pub fn new(
        read_model: &'a DebateReadModel,
        verdict: &'a Verdict,
        timeline: Option<&'a [TimelineEntry]>,
    ) -> MeasureInputs<'a> {
        let found = concessions(&read_model.concessions, &read_model.disputes);
        let counted: Vec<Concession> = found.into_iter().filter(|concession| !concession.is_contested).collect();
        let moves = stance_moves(read_model, &counted);
        let spoken = read_model.transcript.turns.iter().filter_map(|turn| {
            let speaker = turn.speaker.as_ref()?;
            Some(SpokenTurn { speaker, turn, vector: TextVector::of(&turn.text) })
        });
        let turns = spoken.take(MAX_COMPARED).collect();
        let claims = claims(read_model);
        MeasureInputs { read_model, verdict, timeline, claims, turns, concessions: counted, moves }
    }

    /// Participants in speaking order, those who left included.
    pub fn participants(&self) -> impl Iterator<Item = &'a PersonaId> {
        self.read_model.summary.participants.iter().map(|participant| &participant.persona)
    }
}

fn claims(read_model: &DebateReadModel) -> Vec<MadeClaim<'_>> {
    let claim = |speaker, turn, text| MadeClaim { speaker, turn, text, vector: TextVector::of(text) };
    let arguments = read_model.arguments.arguments.values();
    let argued = arguments.map(|it| claim(&it.advanced.speaker, it.turn(), it.advanced.claim.as_str()));
    let argued: Vec<MadeClaim<'_>> = argued.take(MAX_COMPARED).collect();
    if !argued.is_empty() {
        return argued;
    }
    let reasons = read_model.disputes.disputes.values().flat_map(|dispute| dispute.reasons.values());
    let mut given: Vec<_> = reasons.map(|reason| &reason.given).collect();
    given.sort_by_key(|given| (given.turn, given.reason));
    let made = given.into_iter().map(|given| claim(&given.speaker, Some(given.turn), given.claim.as_str()));
    made.take(MAX_COMPARED).collect()
}
