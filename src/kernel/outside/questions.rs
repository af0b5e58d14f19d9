//! Validates disputes, reasons, cruxes and distillation in external events.

use crate::events::crux::{CruxAcknowledged, CruxProposed};
use crate::events::dispute::{DisputeRaised, ReasonGiven, Side};
use crate::events::distil::{Comparison, ProgressMeasured};
use crate::events::event::Event;
use crate::events::ids::{PersonaId, Point};
use crate::kernel::engine::Refusal;
use crate::kernel::outside::claims::few;
use crate::kernel::outside::names::{
    argument, conflict, dispute, filled, missing, next, own_turn, reason, share, turn,
};
use crate::verdicts::board::Board;

/// Maximum number of disputes in an external debate.
pub const DISPUTES: usize = 1_000;
/// Maximum number of reasons in an external debate: those on one dispute are compared in pairs.
pub const REASONS: usize = 2_000;
/// Maximum number of cruxes proposed by participants of an external debate.
pub const CRUXES: usize = 1_000;

/// Checks whether a dispute, a reason, a crux or a distillation is consistent with the debate; accepts all other
/// events.
///
/// # Errors
/// [`Refusal`] if the event is not.
pub fn question(board: &Board, event: &Event) -> Result<(), Refusal> {
    match event {
        Event::DisputeRaised(it) => raised(board, it),
        Event::DisputeLinked(it) => {
            dispute(board, it.dispute)?;
            filled("question", &it.question)?;
            it.turns.iter().try_for_each(|it| turn(board, *it))?;
            it.likeness.map_or(Ok(()), |it| share("likeness", it))
        }
        Event::DisputeRetired(it) => {
            filled("reason", &it.reason)?;
            dispute(board, it.dispute).map(|_| ())
        }
        Event::StanceTaken(it) => {
            dispute(board, it.dispute)?;
            own_turn(board, &it.speaker, it.turn)
        }
        Event::ReasonGiven(it) => given(board, it),
        Event::ReasonWithdrawn(it) => {
            let (_, found) = reason(board, it.reason)?;
            if found.withdrawn.is_some() {
                return Err(conflict(format!("the reason {} was withdrawn", it.reason)));
            }
            own_turn(board, &found.given.speaker, it.turn)
        }
        Event::CruxProposed(it) => proposed(board, it),
        Event::CruxAcknowledged(it) => acknowledged(board, it),
        Event::TurnsCrystallized(it) => {
            it.turns.iter().try_for_each(|it| turn(board, *it))?;
            it.repetition.as_ref().map_or(Ok(()), |it| share("repetition", it.share))
        }
        Event::ClaimsCompared(it) => it.pairs.iter().try_for_each(|it| compared(board, it)),
        Event::ProgressMeasured(it) => measured(board, it),
        _ => Ok(()),
    }
}

fn raised(board: &Board, it: &DisputeRaised) -> Result<(), Refusal> {
    few("disputes", board.disputes.disputes.len(), DISPUTES)?;
    next("dispute", &it.dispute, &board.disputes.next_dispute())?;
    filled("question", &it.question)?;
    if it.is_topic && board.disputes.topic().is_some() {
        return Err(conflict("the debate's topic already is a dispute"));
    }
    it.turns.iter().try_for_each(|it| turn(board, *it))
}

fn given(board: &Board, it: &ReasonGiven) -> Result<(), Refusal> {
    let there = board.disputes.disputes.values().map(|it| it.reasons.len()).sum();
    few("reasons", there, REASONS)?;
    next("reason", &it.reason, &board.disputes.next_reason())?;
    dispute(board, it.dispute)?;
    own_turn(board, &it.speaker, it.turn)?;
    filled("claim", &it.claim)?;
    if !matches!(it.side, Side::Yes | Side::No) {
        return Err(Refusal::invalid("the side of a reason must be yes or no"));
    }
    it.attacks.iter().try_for_each(|other| match reason(board, *other)? {
        (on, _) if on != it.dispute => {
            Err(Refusal::invalid(format!("{other} is a reason on {on}, not {}", it.dispute)))
        }
        (_, found) if found.given.speaker == it.speaker => {
            Err(Refusal::invalid(format!("{other} is {}'s own reason; withdraw it instead", it.speaker)))
        }
        _ => Ok(()),
    })
}

fn proposed(board: &Board, it: &CruxProposed) -> Result<(), Refusal> {
    few("proposed cruxes", board.crux_proposals.cruxes.len(), CRUXES)?;
    next("crux", &it.crux, &board.crux_proposals.next_crux())?;
    own_turn(board, &it.speaker, it.turn)?;
    filled("statement", &it.statement)
}

fn acknowledged(board: &Board, it: &CruxAcknowledged) -> Result<(), Refusal> {
    let crux = board.crux_proposals.cruxes.get(&it.crux).ok_or_else(|| missing("crux", it.crux))?;
    own_turn(board, &it.speaker, it.turn)?;
    if crux.proposed.speaker == it.speaker {
        return Err(Refusal::invalid("a participant cannot acknowledge a crux of their own"));
    }
    if crux.proposed.turn != it.cites {
        let turn = crux.proposed.turn;
        return Err(Refusal::invalid(format!("{} was proposed in {turn}; cite that turn", it.crux)));
    }
    Ok(())
}

fn compared(board: &Board, it: &Comparison) -> Result<(), Refusal> {
    filled("reason", &it.reason)?;
    let (one, other) = match (it.one, it.other) {
        (Point::Argument(_), Point::Argument(_)) | (Point::Reason(_), Point::Reason(_)) => {
            (owner(board, it.one)?, owner(board, it.other)?)
        }
        _ => return Err(Refusal::invalid("a comparison needs two arguments or two reasons")),
    };
    if one == other {
        return Err(Refusal::invalid(format!("{} and {} are both {one}'s", it.one, it.other)));
    }
    Ok(())
}

fn measured(board: &Board, it: &ProgressMeasured) -> Result<(), Refusal> {
    turn(board, it.turn)?;
    it.frontier.iter().try_for_each(|it| match it {
        Point::Dispute(id) if board.disputes.disputes.contains_key(id) => Ok(()),
        Point::Dispute(id) => Err(missing("dispute", id)),
        other => owner(board, *other).map(|_| ()),
    })?;
    share("novelty", it.novelty)?;
    share("circling", it.circling.unwrap_or_default())?;
    if it.concession_rate.is_finite() && it.concession_rate >= 0.0 {
        return Ok(());
    }
    Err(Refusal::invalid("the concession rate must be a finite number of at least 0"))
}

/// Returns the speaker of an argument or a reason.
fn owner(board: &Board, point: Point) -> Result<&PersonaId, Refusal> {
    match point {
        Point::Argument(id) => argument(board, id).map(|it| &it.advanced.speaker),
        Point::Reason(id) => reason(board, id).map(|(_, it)| &it.given.speaker),
        Point::Dispute(id) => Err(Refusal::invalid(format!("{id} is a dispute and has no owner"))),
    }
}
