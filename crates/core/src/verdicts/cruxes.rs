//! Cruxes: statements and questions that decide the disagreement, computed from the structure of the debate without a
//! language model.
//!
//! There are three origins. *By dispute*: an open question with a yes and a no. *By participants*: a statement that one
//! participant proposed as the crux and another agreed with; a proposal alone is not a crux. If an open question asks the
//! same, both are one crux, with the sides of the question. *By structure*: a statement on which a disputed argument of
//! one participant rests, which another participant attacks, and whose settlement changes a thesis
//! ([`crate::verdicts::structural`]). If an open question or a crux of the participants asks whether that statement holds,
//! both are one crux.
//!
//! The topic itself is never a crux, whatever asks it. A crux by dispute is resolved when all participants take the same
//! side. A crux by structure is never resolved: if the extensions no longer differ, the reason may be that nobody
//! answered, which settles nothing. It then just stops being a crux.

use std::collections::BTreeSet;

use crate::events::ids::{CruxId, DisputeId, PersonaId, TurnId};
use crate::events::imported::TurnBasis;
use crate::projections::crux_proposals::ProposedCrux;
use crate::projections::disputes::dispute_state::{Dispute, DisputeStatus, Stance};
use crate::questions::wording::{AskedQuestion, asks_the_same};
use crate::verdicts::crux::{Crux, CruxInputs, CruxOrigin, Position, PositionBasis, PositionSide, in_order};
use crate::verdicts::crux_card::agreed_dispute::dispute_asking;
use crate::verdicts::crux_card::crux_text::{quoted, why_acknowledged, why_dispute, why_named};
use crate::verdicts::crux_card::kind::resting_on_question;
use crate::verdicts::crux_card::make_card::make_card;
use crate::verdicts::crux_card::question::settling_question;
use crate::verdicts::crux_id::{CruxKey, is_normally, normal};
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

/// Finds all cruxes: first open disputes, of which those that participants agreed on as the crux come first; then other
/// cruxes that participants agreed on; then structural ones by pivotality, number of dependents and attack degree.
///
/// Cost: one pass over the framework for every 256 candidates, plus that of `consequence`.
pub fn cruxes(views: CruxInputs<'_>, acceptance: &Acceptance) -> CruxList {
    let split = views.disputes.not_retired().filter(|(_, dispute)| dispute.is_split() && !dispute.is_topic);
    let mut cruxes: Vec<Crux> = split.map(|(id, dispute)| by_dispute(views, id, dispute)).collect();
    cruxes.sort_by_key(|crux| crux.agreed.is_none());
    // Asked as an open dispute, it is that crux; once all who answered it are on one side, it divides nobody any more.
    let is_answered = |crux: &ProposedCrux| {
        dispute_asking(views, crux).is_some_and(|(_, dispute, _)| {
            let is_alike = dispute.status() == DisputeStatus::Proposed && dispute.agreed_side(2).is_some();
            dispute.is_split() || dispute.status() == DisputeStatus::Settled || is_alike
        })
    };
    let agreed = views.proposals.acknowledged().filter(|(_, crux)| !is_answered(crux));
    let agreed: Vec<Crux> = agreed.map(|(id, crux)| by_participants(views, id, crux)).collect();
    cruxes.extend(agreed);
    let (mut structural, mut contested) = structural(views, acceptance);
    for crux in &mut cruxes {
        let is_same = |crux: &Crux, found: &Crux| is_asked_by(crux, found) || is_answer_to(crux, found);
        if let Some(at) = structural.iter().position(|found| is_same(crux, found)) {
            absorb(views, crux, structural.remove(at));
            // Another answer to the question, of which settling the question decides no less.
            structural.retain(|found| !is_same(crux, found));
        }
    }
    contested.retain(|found| !cruxes.iter().any(|crux| is_asked_by(crux, found) || is_answer_to(crux, found)));
    cruxes.extend(structural);
    cruxes.retain(|crux| !is_topic(views, crux));
    CruxList { cruxes, contested }
}

/// True if a crux asks whether the statement of a structural one holds; not whether it follows.
fn is_asked_by(crux: &Crux, found: &Crux) -> bool {
    !found.is_inference() && asks_the_same(&crux.statement, &found.statement)
}

/// True if the statement of a structural crux is, in the same words, what a participant answers to an open question.
fn is_answer_to(crux: &Crux, found: &Crux) -> bool {
    let is_question = matches!(crux.origin, CruxOrigin::Dispute { .. });
    let mut answers = crux.positions.iter().filter_map(|position| position.quote.as_deref());
    let is_comparable = is_question && !found.is_inference();
    let statement = if is_comparable { normal(&found.statement) } else { String::new() };
    is_comparable && answers.any(|answer| is_normally(answer, &statement))
}

/// Adds to a crux the consequence of settling its statement, on which arguments rest as well.
fn absorb(views: CruxInputs<'_>, crux: &mut Crux, found: Crux) {
    crux.card =
        make_card(views, (crux.origin, crux.agreed), &crux.statement, &crux.positions, found.consequence.as_ref());
    crux.why = format!("{}; {}", crux.why, found.why);
    crux.other_statements = found.other_statements;
    (crux.pivotality, crux.consequence) = (found.pivotality, found.consequence);
    crux.dependents =
        crux.dependents.iter().copied().chain(found.dependents).collect::<BTreeSet<_>>().into_iter().collect();
    crux.assumptions = found.assumptions;
    crux.attack_degree = found.attack_degree;
    let said = found.positions.iter().filter(|position| position.basis == PositionBasis::Said).map(|it| it.turn);
    crux.turns = in_order(crux.turns.iter().copied().chain(said));
}

/// True if the crux asks the topic, although it was raised beside the dispute about it.
fn is_topic(views: CruxInputs<'_>, crux: &Crux) -> bool {
    views.disputes.asks_topic(views.topic, &crux.statement)
}

/// Finds the resolved cruxes: disputes that were open and on which all now take the same side, and those that were agreed
/// on as the crux and that nobody answered otherwise.
pub fn resolved(views: CruxInputs<'_>) -> Vec<Crux> {
    let is_agreed_on = |id: DisputeId| {
        let mut agreed = views.proposals.acknowledged();
        agreed.any(|(_, crux)| dispute_asking(views, crux).is_some_and(|(asking, _, _)| asking == id))
    };
    let is_resolved = |id: DisputeId, dispute: &Dispute| match dispute.status() {
        DisputeStatus::Settled => true,
        DisputeStatus::Proposed => dispute.agreed_side(2).is_some() && is_agreed_on(id),
        DisputeStatus::Open | DisputeStatus::Retired => false,
    };
    let settled = views.disputes.not_retired().filter(|(id, dispute)| !dispute.is_topic && is_resolved(*id, dispute));
    let settled = settled.map(|(id, dispute)| by_dispute(views, id, dispute));
    settled.filter(|crux| !is_topic(views, crux)).collect()
}

/// Crux by dispute. Participants who named the same question as the crux, or agreed that it is, are told with it.
fn by_dispute(views: CruxInputs<'_>, id: DisputeId, dispute: &Dispute) -> Crux {
    let stances = dispute.stances.iter();
    let positions: Vec<Position> = stances.map(|(persona, stance)| by_stance(views, persona, stance)).collect();
    let asks = |crux: &ProposedCrux| dispute_asking(views, crux).is_some_and(|(asking, _, _)| asking == id);
    let agreed = views.proposals.acknowledged().find(|(_, crux)| asks(crux));
    let named: Vec<&ProposedCrux> = views.proposals.cruxes.values().filter(|crux| asks(crux)).collect();
    let naming = named.iter().flat_map(|crux| naming_turns(crux));
    let asked = AskedQuestion::of(&dispute.question);
    let stated = resting_on_question(views, &dispute.question, &positions)
        .into_iter()
        .filter_map(|id| views.graph.arguments.get(&id))
        .flat_map(|argument| argument.parts().map(|(_, text)| (&argument.advanced.speaker, text)))
        .chain(statements_of_reasons(views))
        .filter(|(_, text)| asked.is_asked_by(text))
        .flat_map(|(speaker, text)| views.transcript.said_by(speaker, text));
    let turns = in_order(spoken(views, &positions).chain(naming).chain(stated));
    let agreement = match agreed {
        Some((_, crux)) => Some(why_acknowledged(crux, |persona| views.name(persona))),
        None => why_named(&named, |persona| views.name(persona)),
    };
    let why = [Some(why_dispute(&positions)), agreement].into_iter().flatten().collect::<Vec<_>>().join("; ");
    let origin = CruxOrigin::Dispute { dispute: id };
    let agreed = agreed.map(|(proposal, _)| proposal);
    Crux {
        dependents: resting_on_question(views, &dispute.question, &positions),
        card: make_card(views, (origin, agreed), &dispute.question, &positions, None),
        key: CruxKey::Dispute(id),
        origin,
        open: dispute.is_split(),
        statement: dispute.question.clone(),
        other_statements: Vec::new(),
        question: settling_question(&dispute.question, None),
        why,
        agreed,
        pivotality: None,
        consequence: None,
        assumptions: Vec::new(),
        attack_degree: 0,
        opened: dispute.opened_in().or(turns.first().copied()).unwrap_or(TurnId(0)),
        turns,
        positions,
    }
}

/// Claims and evidence of all reasons, each with its speaker.
fn statements_of_reasons<'a>(views: CruxInputs<'a>) -> impl Iterator<Item = (&'a PersonaId, &'a str)> {
    let reasons = views.disputes.disputes.values().flat_map(|dispute| dispute.reasons.values());
    reasons.flat_map(|reason| {
        let given = &reason.given;
        let evidence = given.evidence.iter().map(|piece| piece.text.as_str());
        std::iter::once(given.claim.as_str()).chain(evidence).map(|text| (&given.speaker, text))
    })
}

/// Turns that show positions, and the others in which their holders say the same words.
fn spoken<'a>(views: CruxInputs<'a>, positions: &'a [Position]) -> impl Iterator<Item = TurnId> + 'a {
    positions.iter().flat_map(move |position| {
        let words = position.quote.as_deref();
        let others = words.into_iter().flat_map(move |words| views.transcript.said_by(&position.persona, words));
        std::iter::once(position.turn).chain(others)
    })
}

/// Position by a stance, in its words; without any, in the beginning of its turn.
fn by_stance(views: CruxInputs<'_>, persona: &PersonaId, stance: &Stance) -> Position {
    Position {
        persona: persona.clone(),
        name: views.name(persona),
        side: stance.side.into(),
        turn: stance.turn,
        turn_basis: TurnBasis::Stated,
        argument: None,
        words: match stance.words() {
            Some(words) => quoted(words),
            None => beginning(views, stance.turn),
        },
        quote: stance.quote.clone(),
        basis: PositionBasis::of_quote(stance.quote.as_ref()),
    }
}

fn beginning(views: CruxInputs<'_>, turn: TurnId) -> String {
    views.transcript.turn(turn).map(|turn| quoted(&turn.text)).unwrap_or_default()
}

/// Turns in which a crux was proposed and agreed on.
fn naming_turns(crux: &ProposedCrux) -> impl Iterator<Item = TurnId> {
    std::iter::once(crux.proposed.turn).chain(crux.acknowledged.iter().map(|agreed| agreed.turn))
}

/// Clause after the agreement on a crux if nobody took a side on it; empty otherwise.
fn nobody_answered(positions: &[Position]) -> &'static str {
    let proposes = |side| matches!(side, PositionSide::ProposesCrux | PositionSide::AgreesOnCrux);
    if positions.iter().all(|position| proposes(position.side)) { "; no side on it is recorded" } else { "" }
}

/// Crux by participants. Proposing a crux and agreeing on it is no answer to it: a participant takes a side only by a
/// stance on a dispute with the same question.
fn by_participants(views: CruxInputs<'_>, id: CruxId, crux: &ProposedCrux) -> Crux {
    let ProposedCrux { proposed, acknowledged, .. } = crux;
    let asked = dispute_asking(views, crux);
    let position = |persona: &PersonaId, side: PositionSide, turn: TurnId, quote: Option<String>| {
        let stance = asked.and_then(|(_, dispute, negates)| Some((dispute.stances.get(persona)?, negates)));
        stance.map_or_else(
            || Position {
                persona: persona.clone(),
                name: views.name(persona),
                side,
                turn,
                turn_basis: TurnBasis::Stated,
                argument: None,
                words: quote.as_deref().map_or_else(|| beginning(views, turn), quoted),
                basis: PositionBasis::of_quote(quote.as_ref()),
                quote,
            },
            |(stance, negates)| {
                let side = if negates { stance.side.negated() } else { stance.side };
                Position { side: side.into(), ..by_stance(views, persona, stance) }
            },
        )
    };
    let statement = proposed.quote.clone().or_else(|| views.quote(proposed.turn, &proposed.statement));
    let agreed =
        acknowledged.iter().map(|by| position(&by.speaker, PositionSide::AgreesOnCrux, by.turn, by.quote.clone()));
    let proposer = position(&proposed.speaker, PositionSide::ProposesCrux, proposed.turn, statement);
    let positions: Vec<Position> = std::iter::once(proposer).chain(agreed).collect();
    let origin = CruxOrigin::Acknowledged { proposal: id };
    let name = views.name(&proposed.speaker);
    Crux {
        card: make_card(views, (origin, Some(id)), &proposed.statement, &positions, None),
        key: CruxKey::Proposal(id),
        origin,
        open: true,
        statement: proposed.statement.clone(),
        other_statements: Vec::new(),
        question: settling_question(&proposed.statement, Some(&name)),
        why: format!("{}{}", why_acknowledged(crux, |persona| views.name(persona)), nobody_answered(&positions)),
        agreed: Some(id),
        pivotality: None,
        consequence: None,
        dependents: Vec::new(),
        assumptions: Vec::new(),
        attack_degree: 0,
        opened: acknowledged.first().map_or(proposed.turn, |acknowledgement| acknowledgement.turn),
        turns: in_order(spoken(views, &positions).chain(naming_turns(crux))),
        positions,
    }
}
