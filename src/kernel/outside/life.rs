//! A debate's life and the receipts of its questions, as somebody outside tells them.

use crate::events::event::Event;
use crate::events::lifecycle::DebateOpened;
use crate::events::receipt::{Answer, EffectKey};
use crate::kernel::command::{self, Opening};
use crate::kernel::engine::{Refusal, RefusalKind, Registration};
use crate::kernel::ledger::Ledger;
use crate::kernel::outside::names::{conflict, filled, next, present};
use crate::projections::summary::Status;
use crate::verdicts::board::Board;

/// The engine of debates that are run from outside.
pub const ENGINE: &str = "external";
/// The provider of such debates: nobody here answers by this name, so nobody here drives them.
pub const PROVIDER: &str = "external";

/// The most that one answer may say that it cost, in tokens or in millionths of a dollar.
const MAX_USAGE: u64 = 1_000_000_000_000;

/// The opening event as it is recorded: what was given, checked as that of any other debate.
///
/// # Errors
/// A [`Refusal`] where it is of another engine, or the engine will not have it.
pub fn opening(engines: &[Registration], given: DebateOpened) -> Result<Event, Refusal> {
    if given.engine != ENGINE || given.provider != PROVIDER {
        let reason = format!(
            "a debate that is run from outside is opened with the engine and the provider {ENGINE}; the service opens \
             others by startDebate"
        );
        return Err(Refusal::invalid(reason));
    }
    for persona in &given.participants {
        filled("participant's name", &persona.name)?;
    }
    let opening = Opening {
        topic: given.topic,
        engine: given.engine,
        options: given.options,
        participants: given.participants,
        limits: given.limits,
        seed: given.seed,
        provider: given.provider,
    };
    Ok(Event::DebateOpened(Box::new(command::opened(engines, opening)?)))
}

/// Whether anything may follow now, and this. While a debate is paused nothing new is begun: answers under way are still
/// taken, and once one is (`settling`), what is drawn from it.
///
/// # Errors
/// A [`Refusal`] where the debate is over, waits, or is not where the event says.
pub fn follows(board: &Board, settling: bool, event: &Event) -> Result<(), Refusal> {
    let status = board.summary.status;
    if status.is_final() {
        return Err(conflict(format!("the debate is {}: nothing can be added to it", status.name())));
    }
    match event {
        Event::DebateOpened(_) => Err(conflict("a debate is opened once")),
        Event::DebateResumed(_) if status != Status::Paused => Err(conflict("the debate is not paused")),
        Event::DebateResumed(_) => Ok(()),
        Event::DebateAborted(aborted) => filled("reason", &aborted.reason),
        _ if status == Status::Paused && !goes_on_in_pause(settling, event) => {
            Err(conflict("the debate is paused; resume it first"))
        }
        Event::DebateConcluded(concluded) => filled("reason of the outcome", concluded.outcome.reason()),
        Event::PhaseEntered(entered) => filled("phase", &entered.phase),
        Event::Interjected(said) => {
            next("turn", &said.turn, &board.transcript.next_turn())?;
            filled("text", &said.text)?;
            said.speaker.as_ref().map_or(Ok(()), |it| present(board, it))
        }
        _ => Ok(()),
    }
}

/// What is not new: receipts, what is drawn from an answer, and what a person says.
fn goes_on_in_pause(settling: bool, event: &Event) -> bool {
    match event {
        Event::EffectAnswered(_) | Event::EffectFailed(_) | Event::EffectAbandoned(_) | Event::Interjected(_) => true,
        Event::EffectRequested(_)
        | Event::PhaseEntered(_)
        | Event::RoomOpened(_)
        | Event::DebateConcluded(_)
        | Event::DebatePaused(_) => false,
        _ => settling,
    }
}

/// Whether a receipt fits the requests that were made. A request may be made while the debate has not reached a limit.
///
/// # Errors
/// A [`Refusal`] where it does not.
pub fn receipt(board: &Board, ledger: &Ledger, event: &Event) -> Result<(), Refusal> {
    match event {
        Event::EffectRequested(it) => {
            if let Some((limit, reason)) = ledger.reached(&board.summary.limits) {
                let reason =
                    format!("the debate reached its limit of {limit} ({reason}); conclude it with this outcome");
                return Err(Refusal::new(RefusalKind::Limit, reason));
            }
            filled("purpose of the key", &it.key.purpose)?;
            next(&format!("attempt at {}", it.key), &it.attempt, &(ledger.of(&it.key).requests + 1))
        }
        Event::EffectAnswered(it) => {
            within(&it.answer)?;
            open(ledger, &it.key, it.attempt)
        }
        Event::EffectFailed(it) => {
            it.answer.as_ref().map_or(Ok(()), within)?;
            open(ledger, &it.key, it.attempt)
        }
        Event::EffectAbandoned(it) => match ledger.of(&it.key) {
            entry if entry.requests == 0 => Err(never_asked(&it.key)),
            entry if entry.abandoned => Err(conflict(format!("{} was abandoned already", it.key))),
            _ => Ok(()),
        },
        Event::InjectionSuspected(it) if ledger.of(&it.key).requests < it.attempt.max(1) => Err(never_asked(&it.key)),
        _ => Ok(()),
    }
}

/// A receipt is of a request that has none yet.
fn open(ledger: &Ledger, key: &EffectKey, attempt: u32) -> Result<(), Refusal> {
    let entry = ledger.of(key);
    if attempt == 0 || entry.requests < attempt {
        return Err(never_asked(key));
    }
    if entry.settled.contains(&attempt) {
        return Err(conflict(format!("attempt {attempt} at {key} has its receipt already")));
    }
    Ok(())
}

fn never_asked(key: &EffectKey) -> Refusal {
    conflict(format!("no effect_requested goes before it for {key}"))
}

fn within(answer: &Answer) -> Result<(), Refusal> {
    let usage = &answer.usage;
    let given = [
        ("input_tokens", usage.input_tokens),
        ("cache_read_tokens", usage.cache_read_tokens),
        ("cache_write_tokens", usage.cache_write_tokens),
        ("output_tokens", usage.output_tokens),
        ("cost_micros", usage.cost_micros),
    ];
    match given.iter().find(|(_, it)| *it > MAX_USAGE) {
        None => Ok(()),
        Some((name, it)) => {
            Err(Refusal::new(RefusalKind::Limit, format!("usage.{name} is {it}; at most {MAX_USAGE} is taken")))
        }
    }
}
