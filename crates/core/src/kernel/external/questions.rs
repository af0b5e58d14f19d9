//! Validates disputes, reasons, cruxes and distillation in external events.

use crate::events::crux::{CruxAcknowledged, CruxProposed};
use crate::events::dispute::{DisputeRaised, DisputeRevised, ReasonGiven, Side};
use crate::events::distillation::{Comparison, ComparisonFinding, ProgressMeasured};
use crate::events::event::Event;
use crate::events::ids::{PersonaId, PointId};
use crate::kernel::engine::Refusal;
use crate::kernel::external::claims::check_count;
use crate::kernel::external::id_rules::{
    argument, check_not_blank, conflict, dispute, missing, next, own_turn, own_words, reason, said_in_turn, share, turn,
};
use crate::kernel::rulings::speaks_for_the_target;
use crate::questions::polarity::turns;
use crate::questions::stated_answer::says_otherwise;
use crate::questions::wording::TextFeatures;
use crate::verdicts::read_model::DebateReadModel;

/// Maximum number of disputes in an external debate.
pub const MAX_DISPUTES: usize = 1_000;
/// Maximum number of reasons in an external debate: those on one dispute are compared in pairs.
pub const MAX_REASONS: usize = 2_000;
/// Maximum number of cruxes proposed by participants of an external debate.
pub const MAX_CRUXES: usize = 1_000;

/// Checks whether a dispute, a reason, a crux or a distillation is consistent with the debate; accepts all other
/// events.
///
/// # Errors
/// [`Refusal`] if the event is not.
pub fn check_question(read_model: &DebateReadModel, event: &Event) -> Result<(), Refusal> {
    match event {
        Event::DisputeRaised(it) => raised(read_model, it),
        Event::DisputeLinked(it) => {
            dispute(read_model, it.dispute)?;
            check_not_blank("question", &it.question)?;
            it.turns.iter().try_for_each(|id| turn(read_model, *id))?;
            it.likeness.map_or(Ok(()), |likeness| share("likeness", likeness))
        }
        Event::DisputeRetired(it) => {
            check_not_blank("reason", &it.reason)?;
            dispute(read_model, it.dispute).map(|_| ())
        }
        Event::DisputeRevised(it) => revised(read_model, it),
        Event::StanceTaken(it) => {
            let asked = dispute(read_model, it.dispute)?;
            it.confidence.map_or(Ok(()), |confidence| share("confidence", confidence))?;
            own_words(read_model, &it.speaker, it.turn, ("stance", it.quote.as_ref()))?;
            if it.quote.as_ref().is_some_and(|quote| says_otherwise(quote, &asked.question, it.side.answer())) {
                let (side, on) = (it.side.name(), it.dispute);
                return Err(Refusal::invalid(format!("the quote of the stance says the opposite of {side} to {on}")));
            }
            Ok(())
        }
        Event::ReasonGiven(it) => given(read_model, it),
        Event::ReasonWithdrawn(it) => {
            let (_, found) = reason(read_model, it.reason)?;
            if found.withdrawn.is_some() {
                return Err(conflict(format!("the reason {} was withdrawn", it.reason)));
            }
            own_turn(read_model, &found.given.speaker, it.turn)
        }
        Event::CruxProposed(it) => proposed(read_model, it),
        Event::CruxAcknowledged(it) => acknowledged(read_model, it),
        Event::TurnsCrystallized(it) => {
            it.turns.iter().try_for_each(|id| turn(read_model, *id))?;
            it.repetition.as_ref().map_or(Ok(()), |repetition| share("repetition", repetition.share))
        }
        Event::ClaimsCompared(it) => it.pairs.iter().try_for_each(|pair| compared(read_model, pair)),
        Event::ProgressMeasured(it) => measured(read_model, it),
        _ => Ok(()),
    }
}

fn raised(read_model: &DebateReadModel, it: &DisputeRaised) -> Result<(), Refusal> {
    check_count("disputes", read_model.disputes.disputes.len(), MAX_DISPUTES)?;
    next("dispute", &it.dispute, &read_model.disputes.next_dispute())?;
    check_not_blank("question", &it.question)?;
    if it.is_topic && read_model.disputes.topic().is_some() {
        return Err(conflict("the debate's topic already is a dispute"));
    }
    it.turns.iter().try_for_each(|id| turn(read_model, *id))
}

/// Checks a revision. The stances on a dispute stay when it is reworded, so a wording that reverses the question is
/// refused: it would turn them round.
fn revised(read_model: &DebateReadModel, it: &DisputeRevised) -> Result<(), Refusal> {
    let found = dispute(read_model, it.dispute)?;
    check_not_blank("reason", &it.reason)?;
    it.horizon.iter().try_for_each(|horizon| check_not_blank("horizon", horizon))?;
    it.criteria.iter().try_for_each(|criterion| check_not_blank("criterion", criterion))?;
    it.turns.iter().try_for_each(|id| turn(read_model, *id))?;
    let Some(question) = &it.question else {
        let changes_nothing = it.horizon.is_none() && it.criteria.is_empty();
        let reason = "the revision changes nothing; give a question, a horizon or criteria";
        return if changes_nothing { Err(Refusal::invalid(reason)) } else { Ok(()) };
    };
    check_not_blank("question", question)?;
    if found.is_topic {
        return Err(conflict("the dispute is the debate's topic, whose wording is that of the opening event"));
    }
    if turns(&TextFeatures::of(&found.question), &TextFeatures::of(question)).is_odd() {
        return Err(Refusal::invalid(format!(
            "the new wording reverses {}: yes would mean no; link it with `negates` instead (dispute_linked)",
            it.dispute
        )));
    }
    Ok(())
}

fn given(read_model: &DebateReadModel, it: &ReasonGiven) -> Result<(), Refusal> {
    let there = read_model.disputes.disputes.values().map(|dispute| dispute.reasons.len()).sum();
    check_count("reasons", there, MAX_REASONS)?;
    next("reason", &it.reason, &read_model.disputes.next_reason())?;
    dispute(read_model, it.dispute)?;
    own_turn(read_model, &it.speaker, it.turn)?;
    check_not_blank("claim", &it.claim)?;
    if !it.paraphrased {
        said_in_turn(read_model, it.turn, ("claim", &it.claim))?;
        let mut evidence = it.evidence.iter();
        evidence.try_for_each(|evidence| said_in_turn(read_model, it.turn, ("evidence", &evidence.text)))?;
    }
    if !matches!(it.side, Side::Yes | Side::No) {
        return Err(Refusal::invalid("the side of a reason must be yes or no"));
    }
    it.attacks.iter().try_for_each(|other| match reason(read_model, *other)? {
        (on, _) if on != it.dispute => {
            Err(Refusal::invalid(format!("{other} is a reason on {on}, not {}", it.dispute)))
        }
        (_, found) if found.given.speaker == it.speaker => {
            Err(Refusal::invalid(format!("{other} is {}'s own reason; withdraw it instead", it.speaker)))
        }
        _ => Ok(()),
    })
}

fn proposed(read_model: &DebateReadModel, it: &CruxProposed) -> Result<(), Refusal> {
    check_count("proposed cruxes", read_model.crux_proposals.cruxes.len(), MAX_CRUXES)?;
    next("crux", &it.crux, &read_model.crux_proposals.next_crux())?;
    match &it.quote {
        None => own_turn(read_model, &it.speaker, it.turn)?,
        quote => own_words(read_model, &it.speaker, it.turn, ("crux", quote.as_ref()))?,
    }
    check_not_blank("statement", &it.statement)?;
    if read_model.disputes.asks_topic(&read_model.summary.topic, &it.statement) {
        return Err(Refusal::invalid(
            "the statement asks the topic; a crux decides the topic, and is another question",
        ));
    }
    Ok(())
}

fn acknowledged(read_model: &DebateReadModel, it: &CruxAcknowledged) -> Result<(), Refusal> {
    let crux = read_model.crux_proposals.cruxes.get(&it.crux).ok_or_else(|| missing("crux", it.crux))?;
    own_words(read_model, &it.speaker, it.turn, ("acknowledgement", it.quote.as_ref()))?;
    if crux.proposed.speaker == it.speaker {
        return Err(Refusal::invalid("a participant cannot acknowledge a crux of their own"));
    }
    if crux.proposed.turn != it.cites {
        let turn = crux.proposed.turn;
        return Err(Refusal::invalid(format!("{} was proposed in {turn}; cite that turn", it.crux)));
    }
    Ok(())
}

fn compared(read_model: &DebateReadModel, it: &Comparison) -> Result<(), Refusal> {
    check_not_blank("reason", &it.reason)?;
    if it.finding == ComparisonFinding::Conflict && speaks_for_the_target(&it.reason) {
        let reason = "the reason of the conflict says that one supports or agrees with the other";
        return Err(Refusal::invalid(reason));
    }
    let (one, other) = match (it.one, it.other) {
        (PointId::Argument(_), PointId::Argument(_)) | (PointId::Reason(_), PointId::Reason(_)) => {
            (owner(read_model, it.one)?, owner(read_model, it.other)?)
        }
        _ => return Err(Refusal::invalid("a comparison needs two arguments or two reasons")),
    };
    if one == other {
        return Err(Refusal::invalid(format!("{} and {} are both {one}'s", it.one, it.other)));
    }
    Ok(())
}

fn measured(read_model: &DebateReadModel, it: &ProgressMeasured) -> Result<(), Refusal> {
    turn(read_model, it.turn)?;
    it.frontier.iter().try_for_each(|point| match point {
        PointId::Dispute(id) if read_model.disputes.disputes.contains_key(id) => Ok(()),
        PointId::Dispute(id) => Err(missing("dispute", id)),
        other => owner(read_model, *other).map(|_| ()),
    })?;
    share("novelty", it.novelty)?;
    share("circling", it.circling.unwrap_or_default())?;
    if it.concession_rate.is_finite() && it.concession_rate >= 0.0 {
        return Ok(());
    }
    Err(Refusal::invalid("the concession rate must be a finite number of at least 0"))
}

/// Returns the speaker of an argument or a reason.
fn owner(read_model: &DebateReadModel, point: PointId) -> Result<&PersonaId, Refusal> {
    match point {
        PointId::Argument(id) => argument(read_model, id).map(|argument| &argument.advanced.speaker),
        PointId::Reason(id) => reason(read_model, id).map(|(_, reason)| &reason.given.speaker),
        PointId::Dispute(id) => Err(Refusal::invalid(format!("{id} is a dispute and has no owner"))),
    }
}
