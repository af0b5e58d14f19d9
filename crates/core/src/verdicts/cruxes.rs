//! Cruxes: statements and questions that decide the disagreement, computed from the structure of the debate without a
//! language model.
//!
//! There are three origins. *By dispute*: an open question with a yes and a no. *By participants*: a statement that one
//! participant proposed as the crux and another agreed with; a proposal alone is not a crux. *By structure*: a statement
//! on which a disputed argument of one participant rests, which another participant attacks, and whose settlement changes
//! a thesis ([`crate::verdicts::structural`]).
//!
//! The topic itself is never a crux. A crux by dispute is resolved when all participants take the same side. A crux by structure is never resolved: if
//! the extensions no longer differ, the reason may be that nobody answered, which settles nothing. It then just stops
//! being a crux.

use crate::events::ids::{CruxId, DisputeId, TurnId};
use crate::projections::crux_proposals::ProposedCrux;
use crate::projections::dispute_graph::{Dispute, DisputeStatus, Stance};
use crate::projections::transcript::Transcript;
use crate::verdicts::candidates::Level;
use crate::verdicts::crux::{Crux, CruxInputs, CruxOrigin, Position, PositionSide, in_order};
use crate::verdicts::crux_id::CruxKey;
use crate::verdicts::crux_text::{quoted, settling_question, why_acknowledged, why_dispute};
use crate::verdicts::structural::structural;
use faultline_argumentation::explanation::acceptance::Acceptance;

/// Cruxes of a debate, and the statements that are contested without deciding anything.
#[derive(Clone, Debug, PartialEq)]
pub struct CruxList {
    /// Cruxes, most important first.
    pub cruxes: Vec<Crux>,
    /// Contested premises: statements that one participant's argument rests on and another attacks, but whose settlement
    /// changes no thesis.
    pub contested: Vec<Crux>,
}

/// Finds all cruxes: first open disputes, then cruxes that participants agreed on, then structural ones by pivotality,
/// number of dependents and attack degree.
///
/// Cost: one pass over the framework for every 256 candidates, plus that of `consequence`.
pub fn cruxes(views: CruxInputs<'_>, acceptance: &Acceptance) -> CruxList {
    let split = views.disputes.not_retired().filter(|(_, dispute)| dispute.is_split() && !dispute.is_topic);
    let mut cruxes: Vec<Crux> = split.map(|(id, dispute)| by_dispute(views.transcript, id, dispute)).collect();
    cruxes.extend(views.proposals.acknowledged().map(|(id, crux)| by_participants(views.transcript, id, crux)));
    let (structural, contested) = structural(views, acceptance);
    cruxes.extend(structural);
    CruxList { cruxes, contested }
}

/// Finds the resolved cruxes: disputes that were open and on which all now take the same side.
pub fn resolved(views: CruxInputs<'_>) -> Vec<Crux> {
    let settled = views
        .disputes
        .not_retired()
        .filter(|(_, dispute)| dispute.status() == DisputeStatus::Settled && !dispute.is_topic);
    settled.map(|(id, dispute)| by_dispute(views.transcript, id, dispute)).collect()
}

fn by_dispute(transcript: &Transcript, id: DisputeId, dispute: &Dispute) -> Crux {
    let words = |stance: &Stance| match stance.words() {
        Some(words) => quoted(words),
        None => transcript.turn(stance.turn).map(|turn| quoted(&turn.text)).unwrap_or_default(),
    };
    let stances = dispute.stances.iter();
    let positions: Vec<Position> = stances
        .map(|(persona, stance)| Position {
            persona: persona.clone(),
            side: stance.side.into(),
            turn: stance.turn,
            argument: None,
            words: words(stance),
        })
        .collect();
    let turns = in_order(positions.iter().map(|position| position.turn));
    Crux {
        key: CruxKey::Dispute(id),
        origin: CruxOrigin::Dispute { dispute: id },
        open: dispute.is_split(),
        statement: dispute.question.clone(),
        other_statements: Vec::new(),
        question: dispute.question.clone(),
        why: why_dispute(&positions),
        pivotality: None,
        consequence: None,
        dependents: Vec::new(),
        assumptions: Vec::new(),
        attack_degree: 0,
        opened: dispute.opened_in().or(turns.first().copied()).unwrap_or(TurnId(0)),
        turns,
        positions,
    }
}

/// Crux by participants. Its positions are yes for the proposer and all who agreed.
fn by_participants(transcript: &Transcript, id: CruxId, crux: &ProposedCrux) -> Crux {
    let ProposedCrux { proposed, acknowledged, .. } = crux;
    let agreed = acknowledged.iter().map(|acknowledgement| (&acknowledgement.speaker, acknowledgement.turn));
    let positions: Vec<Position> = std::iter::once((&proposed.speaker, proposed.turn))
        .chain(agreed)
        .map(|(persona, turn)| Position {
            persona: persona.clone(),
            side: PositionSide::Yes,
            turn,
            argument: None,
            words: transcript.turn(turn).map(|turn| quoted(&turn.text)).unwrap_or_default(),
        })
        .collect();
    Crux {
        key: CruxKey::Proposal(id),
        origin: CruxOrigin::Acknowledged { proposal: id },
        open: true,
        statement: proposed.statement.clone(),
        other_statements: Vec::new(),
        question: settling_question(Level::Claim, &proposed.statement),
        why: why_acknowledged(crux),
        pivotality: None,
        consequence: None,
        dependents: Vec::new(),
        assumptions: Vec::new(),
        attack_degree: 0,
        opened: acknowledged.first().map_or(proposed.turn, |acknowledgement| acknowledgement.turn),
        turns: in_order(positions.iter().map(|position| position.turn)),
        positions,
    }
}
