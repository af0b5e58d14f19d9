//! Validates turns, concessions, arguments and attacks in external events.

use crate::events::argument::{ArgumentAdvanced, ArgumentRevised, ArgumentWithdrawn, AttackJudged, AttackRaised};
use crate::events::event::Event;
use crate::events::ids::{ArgumentId, AttackId, CruxId, PersonaId, TurnId};
use crate::events::turn::{
    ConcessionEffect, ConcessionMade, FlipConditionStated, GrantedPoint, HintGiven, MoveQuote, StatementSource,
    TurnTaken,
};
use crate::kernel::engine::Refusal;
use crate::kernel::external::id_rules::{
    active_argument, argument, check_not_blank, conflict, dispute, missing, next, own_turn, own_words, present,
    said_in_turn, share, turn,
};
use crate::kernel::quotations::turn_quotes;
use crate::kernel::quotations::turn_quotes::MAX_QUOTE_BYTES;
use crate::kernel::rulings::{speaks_for_the_target, swaps_attacker_and_target};
use crate::projections::argument_graph::Attack;
use crate::questions::stated_answer::says_otherwise;
use crate::verdicts::read_model::DebateReadModel;

/// Maximum number of arguments in an external debate: verdicts compare them in pairs.
pub const MAX_ARGUMENTS: usize = 2_000;
/// Maximum number of attacks in an external debate.
pub const MAX_ATTACKS: usize = 20_000;

/// Checks whether a turn, an argument or an attack is consistent with the debate; accepts all other events.
///
/// # Errors
/// [`Refusal`] if the event is not.
pub fn check_claim(read_model: &DebateReadModel, event: &Event) -> Result<(), Refusal> {
    match event {
        Event::TurnTaken(it) => taken(read_model, it),
        Event::HintGiven(it) => hint(read_model, it),
        Event::ConcessionMade(it) => concession(read_model, it),
        Event::FlipConditionStated(it) => flip_condition(read_model, it),
        Event::ArgumentAdvanced(it) => advanced(read_model, it),
        Event::ArgumentRevised(it) => revised(read_model, it),
        Event::ArgumentWithdrawn(it) => withdrawn(read_model, it),
        Event::AttackRaised(it) => raised(read_model, it),
        Event::AttackJudged(it) => judged(read_model, it),
        Event::AttackWithdrawn(it) => {
            turn(read_model, it.turn)?;
            check_not_blank("reason", &it.reason)?;
            in_force(read_model, it.attack).map(|_| ())
        }
        _ => Ok(()),
    }
}

/// Checks that every attack carried by an argument was raised. An argument whose attack is missing would be ignored
/// without notice.
///
/// # Errors
/// [`Refusal`] that names the argument and the attack.
pub fn check_carried_attacks(read_model: &DebateReadModel) -> Result<(), Refusal> {
    let broken = read_model.arguments.arguments.iter().find_map(|(id, argument)| {
        let carried = argument.advanced.carries?;
        (!read_model.arguments.attacks.contains_key(&carried)).then_some((id, carried))
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

fn taken(read_model: &DebateReadModel, it: &TurnTaken) -> Result<(), Refusal> {
    let most = read_model.summary.limits.turns;
    if read_model.summary.n_turns >= most {
        let reason = format!("the debate reached its limit of {most} turns; conclude it with the outcome limit");
        return Err(Refusal::limit("turns", u64::from(most), u64::from(read_model.summary.n_turns) + 1, reason));
    }
    check_turn(read_model, it)
}

/// Checks a turn that is taken or drafted: its number, its speaker, its text and its moves.
///
/// # Errors
/// [`Refusal`] if it could not be taken now.
pub fn check_turn(read_model: &DebateReadModel, it: &TurnTaken) -> Result<(), Refusal> {
    next("turn", &it.turn, &read_model.transcript.next_turn())?;
    present(read_model, &it.speaker)?;
    if it.moves.is_empty() {
        return Err(Refusal::invalid("a turn needs at least one move"));
    }
    it.answers.map_or(Ok(()), |id| turn(read_model, id))?;
    check_not_blank("text", &it.text)?;
    it.move_quotes.iter().try_for_each(|quoted| move_quote(it, quoted))
}

/// Checks that the turn makes the move, and contains its words.
fn move_quote(it: &TurnTaken, quoted: &MoveQuote) -> Result<(), Refusal> {
    let name = quoted.talk_move.name();
    if !it.moves.contains(&quoted.talk_move) {
        return Err(Refusal::invalid(format!(
            "`move_quotes` has words of the move {name}, which `moves` does not list"
        )));
    }
    if !turn_quotes::is_quoted(&it.text, &quoted.quote) {
        return Err(Refusal::invalid(format!(
            "`text` does not contain the quote of the move {name}; copy at most {MAX_QUOTE_BYTES} bytes exactly"
        )));
    }
    Ok(())
}

fn hint(read_model: &DebateReadModel, it: &HintGiven) -> Result<(), Refusal> {
    present(read_model, &it.speaker)?;
    it.about.map_or(Ok(()), |id| turn(read_model, id))?;
    it.dispute.map_or(Ok(()), |id| dispute(read_model, id).map(|_| ()))?;
    known_crux(read_model, it.crux)
}

fn concession(read_model: &DebateReadModel, it: &ConcessionMade) -> Result<(), Refusal> {
    own_words(read_model, &it.speaker, it.turn, ("concession", it.quote.as_ref()))?;
    check_not_blank("conceded point", &it.what)?;
    it.granted.as_ref().map_or(Ok(()), |point| granted(read_model, &it.speaker, point))?;
    match it.effect {
        ConcessionEffect::Withdrew { argument } | ConcessionEffect::Revised { argument } => {
            owned(read_model, argument, &it.speaker)
        }
        ConcessionEffect::Moved { dispute: on, .. } => dispute(read_model, on).map(|_| ()),
        ConcessionEffect::Said => Ok(()),
    }
}

/// Checks that a granted statement is one of another participant's, exactly as its source contains it.
fn granted(read_model: &DebateReadModel, granter: &PersonaId, point: &GrantedPoint) -> Result<(), Refusal> {
    let (author, is_there) = match point.source {
        StatementSource::Turn { turn: of } => {
            turn(read_model, of)?;
            let said =
                read_model.transcript.get(of).filter(|said| turn_quotes::is_quoted(&said.text, &point.statement));
            (read_model.transcript.speaker(of), said.is_some())
        }
        StatementSource::Argument { argument: id, component } => {
            let advanced = &active_argument(read_model, id)?.advanced;
            let text = read_model.arguments.component_text(id, component);
            (Some(&advanced.speaker), text == Some(point.statement.as_str()))
        }
    };
    if !is_there {
        let source = point.source;
        return Err(Refusal::invalid(format!("{source} does not contain the granted statement; copy it exactly")));
    }
    match author {
        Some(author) if author != granter => Ok(()),
        Some(_) => Err(Refusal::invalid(format!("{granter} grants a statement of their own; name one of another's"))),
        None => Err(Refusal::invalid("the granted statement is the moderator's; name one of a participant's")),
    }
}

fn flip_condition(read_model: &DebateReadModel, it: &FlipConditionStated) -> Result<(), Refusal> {
    own_words(read_model, &it.speaker, it.turn, ("flip condition", Some(&it.quote)))?;
    it.dispute.map_or(Ok(()), |id| dispute(read_model, id).map(|_| ()))?;
    known_crux(read_model, it.crux)
}

/// Checks that a proposed crux exists, if one is named.
fn known_crux(read_model: &DebateReadModel, crux: Option<CruxId>) -> Result<(), Refusal> {
    match crux {
        Some(crux) if !read_model.crux_proposals.cruxes.contains_key(&crux) => Err(missing("crux", crux)),
        _ => Ok(()),
    }
}

fn advanced(read_model: &DebateReadModel, it: &ArgumentAdvanced) -> Result<(), Refusal> {
    check_count("arguments", read_model.arguments.arguments.len(), MAX_ARGUMENTS)?;
    next("argument", &it.argument, &read_model.arguments.next_argument())?;
    own_turn(read_model, &it.speaker, it.turn)?;
    check_not_blank("claim", &it.claim)?;
    if it.answers_topic {
        thesis(read_model, &it.speaker, &it.claim)?;
    }
    let evidence = || it.evidence.iter().map(|evidence| &evidence.text);
    let said = it.premises.iter().chain(&it.assumptions);
    said.chain(evidence()).try_for_each(|text| check_not_blank("premise, assumption or evidence", text))?;
    if it.paraphrased && !it.distilled {
        return Err(Refusal::invalid("only a distilled argument can be `paraphrased`"));
    }
    if it.distilled && !it.paraphrased {
        said_in_turn(read_model, it.turn, ("claim", &it.claim))?;
        it.premises.iter().try_for_each(|premise| said_in_turn(read_model, it.turn, ("premise", premise)))?;
        evidence().try_for_each(|text| said_in_turn(read_model, it.turn, ("evidence", text)))?;
    }
    it.carries
        .map_or(Ok(()), |attack| next("attack (carried by an argument)", &attack, &read_model.arguments.next_attack()))
}

/// Checks that a claim which answers the topic does not say the opposite of the side that its speaker is on.
fn thesis(read_model: &DebateReadModel, speaker: &PersonaId, claim: &str) -> Result<(), Refusal> {
    let graph = &read_model.arguments;
    let (Some(topic), Some(side)) = (&graph.topic, graph.topic_sides.get(speaker)) else { return Ok(()) };
    if !says_otherwise(claim, &topic.question, side.answer()) {
        return Ok(());
    }
    let side = side.name();
    Err(Refusal::invalid(format!(
        "the claim answers the topic with the opposite of {side}, the side of {speaker}; change the claim, or record the \
         change of side as a stance first"
    )))
}

fn revised(read_model: &DebateReadModel, it: &ArgumentRevised) -> Result<(), Refusal> {
    let owner = by_owner(read_model, it.argument, it.turn)?;
    if let (Some(claim), true) = (&it.claim, argument(read_model, it.argument)?.advanced.answers_topic) {
        thesis(read_model, owner, claim)?;
    }
    if it.claim.is_none() && it.assumptions.is_empty() {
        return Err(Refusal::invalid("a revision must change the claim or add an assumption"));
    }
    it.claim.iter().chain(&it.assumptions).try_for_each(|text| check_not_blank("claim or assumption", text))
}

fn withdrawn(read_model: &DebateReadModel, it: &ArgumentWithdrawn) -> Result<(), Refusal> {
    let owner = by_owner(read_model, it.argument, it.turn)?;
    check_not_blank("reason", &it.reason)?;
    match it.superseded_by {
        Some(other) if other == it.argument => Err(Refusal::invalid("an argument cannot supersede itself")),
        Some(other) => active_argument(read_model, other).and_then(|_| owned(read_model, other, owner)),
        None => Ok(()),
    }
}

fn raised(read_model: &DebateReadModel, it: &AttackRaised) -> Result<(), Refusal> {
    check_count("attacks", read_model.arguments.attacks.len(), MAX_ATTACKS)?;
    next("attack", &it.attack, &read_model.arguments.next_attack())?;
    match &it.quote {
        None => own_turn(read_model, &it.speaker, it.turn)?,
        quote => own_words(read_model, &it.speaker, it.turn, ("attack", quote.as_ref()))?,
    }
    let (source, target) = (active_argument(read_model, it.source)?, active_argument(read_model, it.target)?);
    owned(read_model, it.source, &it.speaker)?;
    if target.advanced.speaker == it.speaker {
        return Err(Refusal::invalid(format!("{} is {}'s own argument; withdraw it instead", it.target, it.speaker)));
    }
    if read_model.arguments.claim_equally(it.source, it.target) {
        return Err(Refusal::invalid(format!(
            "{} says the same as {}; equal claims do not conflict",
            it.source, it.target
        )));
    }
    if source.advanced.carries.is_some_and(|carried| carried != it.attack) {
        return Err(Refusal::invalid(format!(
            "{} carries another attack and cannot be used for a second one",
            it.source
        )));
    }
    if read_model.arguments.component_text(it.target, it.component).is_none() {
        return Err(Refusal::invalid(format!("{} has no such part; parts are counted from 0", it.target)));
    }
    check_not_blank("rationale", &it.rationale)?;
    share("confidence", it.confidence)
}

fn judged(read_model: &DebateReadModel, it: &AttackJudged) -> Result<(), Refusal> {
    let attack = in_force(read_model, it.attack)?;
    if attack.judged.is_some() {
        return Err(conflict(format!("the attack {} has already been judged", it.attack)));
    }
    let target = attack.raised.target;
    if it.component.is_some_and(|part| read_model.arguments.component_text(target, part).is_none()) {
        return Err(Refusal::invalid(format!("{target} has no such part; parts are counted from 0")));
    }
    check_not_blank("reason", &it.reason)?;
    if it.valid && speaks_for_the_target(&it.reason) {
        let reason = "the reason says that the attack supports or agrees with its target; such an attack is not valid";
        return Err(Refusal::invalid(reason));
    }
    if it.valid && is_the_wrong_way_round(read_model, &attack.raised, &it.reason) {
        let (source, target) = (attack.raised.source, target);
        return Err(Refusal::invalid(format!(
            "the reason tells the attack the wrong way round: {source} attacks {target}"
        )));
    }
    share("strength", it.strength)
}

/// True if a reason says that the target of an attack, or its speaker, attacks the source.
fn is_the_wrong_way_round(read_model: &DebateReadModel, raised: &AttackRaised, reason: &str) -> bool {
    let name = |id: ArgumentId| {
        let speaker = read_model.arguments.speaker(id);
        let participant = read_model.summary.participants.iter().find(|it| Some(&it.persona) == speaker);
        participant.map_or("", |it| it.name.as_str())
    };
    let (source, target) = (raised.source.to_string(), raised.target.to_string());
    swaps_attacker_and_target(reason, name(raised.source), name(raised.target))
        || swaps_attacker_and_target(reason, &source, &target)
}

/// Returns an attack that was not withdrawn.
fn in_force(read_model: &DebateReadModel, id: AttackId) -> Result<&Attack, Refusal> {
    let attack = read_model.arguments.attacks.get(&id).ok_or_else(|| missing("attack", id))?;
    if attack.withdrawn.is_some() {
        return Err(conflict(format!("the attack {id} was withdrawn")));
    }
    Ok(attack)
}

fn owned(read_model: &DebateReadModel, id: ArgumentId, speaker: &PersonaId) -> Result<(), Refusal> {
    let owner = &argument(read_model, id)?.advanced.speaker;
    if owner == speaker {
        Ok(())
    } else {
        Err(Refusal::invalid(format!("{id} is {owner}'s argument, not {speaker}'s")))
    }
}

/// Checks that the turn belongs to the owner of the argument, and returns the owner.
fn by_owner(read_model: &DebateReadModel, id: ArgumentId, in_turn: TurnId) -> Result<&PersonaId, Refusal> {
    let owner = &active_argument(read_model, id)?.advanced.speaker;
    own_turn(read_model, owner, in_turn)?;
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
