//! Stances that a participant took again on the same question: whether they moved, towards whom, and with what reason.

use std::collections::BTreeMap;

use crate::events::dispute::Side;
use crate::events::ids::{DisputeId, PersonaId, TurnId};
use crate::projections::disputes::dispute_state::{Dispute, Stance};
use crate::verdicts::concessions::concessions::{Concession, ConcessionKind};
use crate::verdicts::read_model::DebateReadModel;

/// Stance of somebody who had taken one on the same question before.
#[derive(Clone, Debug, PartialEq)]
pub struct StanceMove<'a> {
    /// The question.
    pub dispute: DisputeId,
    /// Participant who takes the stance.
    pub persona: &'a PersonaId,
    /// Turn of the former stance.
    pub from_turn: TurnId,
    /// Turn of the new stance.
    pub turn: TurnId,
    /// Former position, from -1 for a confident no to 1 for a confident yes.
    pub from: f64,
    /// New position.
    pub to: f64,
    /// True if the side changed from yes to no or from no to yes.
    pub is_flip: bool,
    /// True if somebody else held the side opposite to the former one.
    pub is_opposed: bool,
    /// True if the position moved towards the mean position of the others.
    pub is_towards: bool,
    /// True if the new stance comes with a reason: a concession of the participant in the same turn, a passage that they had
    /// not cited before, or a valid attack by somebody else on an argument of theirs since the former stance.
    pub is_explained: bool,
}

/// Position of a stance: the confidence for yes, minus the confidence for no, and 0 for neither. A stance without a stated
/// confidence counts as certain.
pub fn position(stance: &Stance) -> f64 {
    let confidence = stance.confidence.unwrap_or(1.0).clamp(0.0, 1.0);
    match stance.side {
        Side::Yes => confidence,
        Side::No => -confidence,
        Side::Nuanced | Side::Undecided => 0.0,
    }
}

/// Lists the stances that were taken again, by dispute, then in order. Cost: stances times participants and attacks.
pub fn stance_moves<'a>(read_model: &'a DebateReadModel, concessions: &[Concession]) -> Vec<StanceMove<'a>> {
    let disputes = read_model.disputes.disputes.iter();
    disputes.flat_map(|(id, dispute)| moves_on(*id, dispute, read_model, concessions)).collect()
}

fn moves_on<'a>(
    id: DisputeId,
    dispute: &'a Dispute,
    read_model: &'a DebateReadModel,
    concessions: &[Concession],
) -> Vec<StanceMove<'a>> {
    let mut current: BTreeMap<&PersonaId, &Stance> = BTreeMap::new();
    let mut moves = Vec::new();
    for (persona, stance) in &dispute.history {
        if let Some(former) = current.insert(persona, stance) {
            let others: Vec<&Stance> =
                current.iter().filter(|(other, _)| **other != persona).map(|(_, stance)| *stance).collect();
            let (from, to) = (position(former), position(stance));
            moves.push(StanceMove {
                dispute: id,
                persona,
                from_turn: former.turn,
                turn: stance.turn,
                from,
                to,
                is_flip: is_decided(former.side) && stance.side == former.side.negated(),
                is_opposed: is_decided(former.side) && others.iter().any(|other| other.side == former.side.negated()),
                is_towards: is_towards(from, to, &others),
                is_explained: is_explained(read_model, concessions, persona, former.turn, stance.turn),
            });
        }
    }
    moves
}

fn is_decided(side: Side) -> bool {
    matches!(side, Side::Yes | Side::No)
}

fn is_towards(from: f64, to: f64, others: &[&Stance]) -> bool {
    let mean = others.iter().map(|other| position(other)).sum::<f64>() / others.len() as f64;
    !others.is_empty() && (to - mean).abs() < (from - mean).abs()
}

fn is_explained(
    read_model: &DebateReadModel,
    concessions: &[Concession],
    persona: &PersonaId,
    from: TurnId,
    turn: TurnId,
) -> bool {
    // A change of sides is listed as a concession too, and explains nothing.
    let is_reason = |it: &Concession| it.kind != ConcessionKind::Stance && it.quote.is_some();
    let concedes = || concessions.iter().any(|it| it.turn == turn && it.persona == *persona && is_reason(it));
    let is_attacked = || {
        read_model.arguments.attacks.values().any(|attack| {
            let raised = &attack.raised;
            raised.turn > from
                && raised.turn <= turn
                && raised.speaker != *persona
                && attack.was_valid()
                && read_model.arguments.speaker(raised.target) == Some(persona)
        })
    };
    concedes() || cites_anew(read_model, persona, turn) || is_attacked()
}

fn cites_anew(read_model: &DebateReadModel, persona: &PersonaId, turn: TurnId) -> bool {
    let transcript = &read_model.transcript;
    let Some(cited) = transcript.turn(turn).map(|turn| &turn.citations) else { return false };
    let before = || transcript.turns.iter().filter(|it| it.turn < turn && it.speaker.as_ref() == Some(persona));
    let known = |chunk| before().any(|it| it.citations.iter().any(|citation| citation.chunk == chunk));
    cited.iter().any(|citation| !known(citation.chunk))
}
