//! Validates turns, concessions, arguments and attacks in external events.

use crate::events::argument::{ArgumentAdvanced, ArgumentRevised, ArgumentWithdrawn, AttackJudged, AttackRaised};
use crate::events::event::Event;
use crate::events::ids::{ArgumentId, AttackId, PersonaId, TurnId};
use crate::events::turn::{ConcessionEffect, ConcessionMade, HintGiven, TurnTaken};
use crate::kernel::engine::Refusal;
use crate::kernel::external::id_rules::{
    active_argument, argument, check_not_blank, conflict, dispute, missing, next, own_turn, present, share, turn,
};
use crate::projections::argument_graph::Attack;
use crate::verdicts::read_model::DebateReadModel;

/// Maximum number of arguments in an external debate: verdicts compare them in pairs.
pub const MAX_ARGUMENTS: usize = 2_000;
/// Maximum number of attacks in an external debate.
pub const MAX_ATTACKS: usize = 20_000;

/// Checks whether a turn, an argument or an attack is consistent with the debate; accepts all other events.
///
/// # Errors
/// [`Refusal`] if the event is not.
pub fn check_claim(board: &DebateReadModel, event: &Event) -> Result<(), Refusal> {
    match event {
        Event::TurnTaken(it) => taken(board, it),
        Event::HintGiven(it) => hint(board, it),
        Event::ConcessionMade(it) => concession(board, it),
        Event::ArgumentAdvanced(it) => advanced(board, it),
        Event::ArgumentRevised(it) => revised(board, it),
        Event::ArgumentWithdrawn(it) => withdrawn(board, it),
        Event::AttackRaised(it) => raised(board, it),
        Event::AttackJudged(it) => judged(board, it),
        Event::AttackWithdrawn(it) => {
            turn(board, it.turn)?;
            check_not_blank("reason", &it.reason)?;
            in_force(board, it.attack).map(|_| ())
        }
        _ => Ok(()),
    }
}

/// Checks that every attack carried by an argument was raised. An argument whose attack is missing would be ignored
/// without notice.
///
/// # Errors
/// [`Refusal`] that names the argument and the attack.
pub fn check_carried_attacks(board: &DebateReadModel) -> Result<(), Refusal> {
    let broken = board.arguments.arguments.iter().find_map(|(id, argument)| {
        let carried = argument.advanced.carries?;
        (!board.arguments.attacks.contains_key(&carried)).then_some((id, carried))
    });
    match broken {
        None => Ok(()),
        Some((id, carried)) => {
            let reason =
                format!("the argument {id} carries the attack {carried}, which is not raised in the same call");
            Err(Refusal::invalid(reason))
        }
    }
}

fn taken(board: &DebateReadModel, it: &TurnTaken) -> Result<(), Refusal> {
    let most = board.summary.limits.turns;
    if board.summary.n_turns >= most {
        let reason = format!("the debate reached its limit of {most} turns; conclude it with the outcome limit");
        return Err(Refusal::limit("turns", u64::from(most), u64::from(board.summary.n_turns) + 1, reason));
    }
    next("turn", &it.turn, &board.transcript.next_turn())?;
    present(board, &it.speaker)?;
    if it.moves.is_empty() {
        return Err(Refusal::invalid("a turn needs at least one move"));
    }
    it.answers.map_or(Ok(()), |id| turn(board, id))?;
    check_not_blank("text", &it.text)
}

fn hint(board: &DebateReadModel, it: &HintGiven) -> Result<(), Refusal> {
    present(board, &it.speaker)?;
    it.about.map_or(Ok(()), |id| turn(board, id))?;
    it.dispute.map_or(Ok(()), |id| dispute(board, id).map(|_| ()))?;
    match it.crux {
        Some(crux) if !board.crux_proposals.cruxes.contains_key(&crux) => Err(missing("crux", crux)),
        _ => Ok(()),
    }
}

fn concession(board: &DebateReadModel, it: &ConcessionMade) -> Result<(), Refusal> {
    own_turn(board, &it.speaker, it.turn)?;
    check_not_blank("conceded point", &it.what)?;
    match it.effect {
        ConcessionEffect::Withdrew { argument } | ConcessionEffect::Revised { argument } => {
            owned(board, argument, &it.speaker)
        }
        ConcessionEffect::Moved { dispute: on, .. } => dispute(board, on).map(|_| ()),
        ConcessionEffect::Said => Ok(()),
    }
}

fn advanced(board: &DebateReadModel, it: &ArgumentAdvanced) -> Result<(), Refusal> {
    check_count("arguments", board.arguments.arguments.len(), MAX_ARGUMENTS)?;
    next("argument", &it.argument, &board.arguments.next_argument())?;
    own_turn(board, &it.speaker, it.turn)?;
    check_not_blank("claim", &it.claim)?;
    let said = it.premises.iter().chain(&it.assumptions);
    said.chain(it.evidence.iter().map(|evidence| &evidence.text))
        .try_for_each(|text| check_not_blank("premise, assumption or evidence", text))?;
    it.carries.map_or(Ok(()), |attack| next("attack (carried by an argument)", &attack, &board.arguments.next_attack()))
}

fn revised(board: &DebateReadModel, it: &ArgumentRevised) -> Result<(), Refusal> {
    by_owner(board, it.argument, it.turn)?;
    if it.claim.is_none() && it.assumptions.is_empty() {
        return Err(Refusal::invalid("a revision must change the claim or add an assumption"));
    }
    it.claim.iter().chain(&it.assumptions).try_for_each(|text| check_not_blank("claim or assumption", text))
}

fn withdrawn(board: &DebateReadModel, it: &ArgumentWithdrawn) -> Result<(), Refusal> {
    let owner = by_owner(board, it.argument, it.turn)?;
    check_not_blank("reason", &it.reason)?;
    match it.superseded_by {
        Some(other) if other == it.argument => Err(Refusal::invalid("an argument cannot supersede itself")),
        Some(other) => active_argument(board, other).and_then(|_| owned(board, other, owner)),
        None => Ok(()),
    }
}

fn raised(board: &DebateReadModel, it: &AttackRaised) -> Result<(), Refusal> {
    check_count("attacks", board.arguments.attacks.len(), MAX_ATTACKS)?;
    next("attack", &it.attack, &board.arguments.next_attack())?;
    own_turn(board, &it.speaker, it.turn)?;
    let (source, target) = (active_argument(board, it.source)?, active_argument(board, it.target)?);
    owned(board, it.source, &it.speaker)?;
    if target.advanced.speaker == it.speaker {
        return Err(Refusal::invalid(format!("{} is {}'s own argument; withdraw it instead", it.target, it.speaker)));
    }
    if source.advanced.carries.is_some_and(|carried| carried != it.attack) {
        return Err(Refusal::invalid(format!(
            "{} carries another attack and cannot be used for a second one",
            it.source
        )));
    }
    if board.arguments.component_text(it.target, it.component).is_none() {
        return Err(Refusal::invalid(format!("{} has no such part; parts are counted from 0", it.target)));
    }
    check_not_blank("rationale", &it.rationale)?;
    share("confidence", it.confidence)
}

fn judged(board: &DebateReadModel, it: &AttackJudged) -> Result<(), Refusal> {
    let attack = in_force(board, it.attack)?;
    if attack.judged.is_some() {
        return Err(conflict(format!("the attack {} has already been judged", it.attack)));
    }
    let target = attack.raised.target;
    if it.component.is_some_and(|part| board.arguments.component_text(target, part).is_none()) {
        return Err(Refusal::invalid(format!("{target} has no such part; parts are counted from 0")));
    }
    check_not_blank("reason", &it.reason)?;
    share("strength", it.strength)
}

/// Returns an attack that was not withdrawn.
fn in_force(board: &DebateReadModel, id: AttackId) -> Result<&Attack, Refusal> {
    let attack = board.arguments.attacks.get(&id).ok_or_else(|| missing("attack", id))?;
    if attack.withdrawn.is_some() {
        return Err(conflict(format!("the attack {id} was withdrawn")));
    }
    Ok(attack)
}

fn owned(board: &DebateReadModel, id: ArgumentId, speaker: &PersonaId) -> Result<(), Refusal> {
    let owner = &argument(board, id)?.advanced.speaker;
    if owner == speaker {
        Ok(())
    } else {
        Err(Refusal::invalid(format!("{id} is {owner}'s argument, not {speaker}'s")))
    }
}

/// Checks that the turn belongs to the owner of the argument, and returns the owner.
fn by_owner(board: &DebateReadModel, id: ArgumentId, in_turn: TurnId) -> Result<&PersonaId, Refusal> {
    let owner = &active_argument(board, id)?.advanced.speaker;
    own_turn(board, owner, in_turn)?;
    Ok(owner)
}

/// Checks that a debate has fewer than `most` things of a kind.
///
/// # Errors
/// [`Refusal`] of the kind [`RefusalKind::Limit`](crate::kernel::engine::RefusalKind::Limit) that names the limit.
pub fn check_count(what: &str, there: usize, most: usize) -> Result<(), Refusal> {
    if there < most {
        return Ok(());
    }
    let reason = format!("an external debate can have at most {most} {what}");
    Err(Refusal::limit(&what.replace(' ', "_"), most as u64, there as u64 + 1, reason))
}
