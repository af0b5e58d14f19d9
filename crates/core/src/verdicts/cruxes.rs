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

use crate::events::ids::{CruxId, DisputeId, PersonaId, TurnId};
use crate::projections::crux_proposals::ProposedCrux;
use crate::projections::disputes::dispute_state::{Dispute, DisputeStatus, Stance};
use crate::verdicts::crux::{Crux, CruxInputs, CruxOrigin, Position, PositionSide, in_order};
use crate::verdicts::crux_card::crux_text::{quoted, why_acknowledged, why_dispute};
use crate::verdicts::crux_card::make_card::make_card;
use crate::verdicts::crux_card::question::settling_question;
use crate::verdicts::crux_id::CruxKey;
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
    let mut cruxes: Vec<Crux> = split.map(|(id, dispute)| by_dispute(views, id, dispute)).collect();
    cruxes.extend(views.proposals.acknowledged().map(|(id, crux)| by_participants(views, id, crux)));
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
    settled.map(|(id, dispute)| by_dispute(views, id, dispute)).collect()
}

fn by_dispute(views: CruxInputs<'_>, id: DisputeId, dispute: &Dispute) -> Crux {
    let words = |stance: &Stance| match stance.words() {
        Some(words) => quoted(words),
        None => views.transcript.turn(stance.turn).map(|turn| quoted(&turn.text)).unwrap_or_default(),
    };
    let stances = dispute.stances.iter();
    let positions: Vec<Position> = stances
        .map(|(persona, stance)| Position {
            persona: persona.clone(),
            name: views.name(persona),
            side: stance.side.into(),
            turn: stance.turn,
            argument: None,
            words: words(stance),
            quote: stance.quote.clone(),
        })
        .collect();
    let turns = in_order(positions.iter().map(|position| position.turn));
    let origin = CruxOrigin::Dispute { dispute: id };
    Crux {
        card: make_card(views, origin, &dispute.question, &positions, None),
        key: CruxKey::Dispute(id),
        origin,
        open: dispute.is_split(),
        statement: dispute.question.clone(),
        other_statements: Vec::new(),
        question: settling_question(&dispute.question, None),
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
fn by_participants(views: CruxInputs<'_>, id: CruxId, crux: &ProposedCrux) -> Crux {
    let ProposedCrux { proposed, acknowledged, .. } = crux;
    let position = |persona: &PersonaId, turn: TurnId, quote: Option<String>| Position {
        persona: persona.clone(),
        name: views.name(persona),
        side: PositionSide::Yes,
        turn,
        argument: None,
        words: views.transcript.turn(turn).map(|turn| quoted(&turn.text)).unwrap_or_default(),
        quote,
    };
    let statement = views.quote(proposed.turn, &proposed.statement);
    let agreed = acknowledged.iter().map(|agreed| position(&agreed.speaker, agreed.turn, agreed.quote.clone()));
    let positions: Vec<Position> =
        std::iter::once(position(&proposed.speaker, proposed.turn, statement)).chain(agreed).collect();
    let origin = CruxOrigin::Acknowledged { proposal: id };
    let name = views.name(&proposed.speaker);
    Crux {
        card: make_card(views, origin, &proposed.statement, &positions, None),
        key: CruxKey::Proposal(id),
        origin,
        open: true,
        statement: proposed.statement.clone(),
        other_statements: Vec::new(),
        question: settling_question(&proposed.statement, Some(&name)),
        why: why_acknowledged(crux, |persona| views.name(persona)),
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
