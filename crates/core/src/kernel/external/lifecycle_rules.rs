//! Validates lifecycle events and effect receipts in external events.

use crate::events::event::Event;
use crate::events::lifecycle::DebateOpened;
use crate::events::receipt::{EffectKey, PassageRef, ProviderAnswer, SearchResult};
use crate::kernel::command;
use crate::kernel::command::DebateConfig;
use crate::kernel::engine::{EXTERNAL_PROVIDER, EngineRegistration, Refusal, external_names, is_external};
use crate::kernel::external::id_rules::{check_not_blank, conflict, missing, next, present};
use crate::kernel::ledger::Ledger;
use crate::kernel::passages::searching::MAX_QUERY_CHARS;
use crate::projections::summary::Status;
use crate::verdicts::read_model::DebateReadModel;

/// Maximum usage that one answer may report, in tokens or in millionths of a US dollar.
const MAX_USAGE: u64 = 1_000_000_000_000;

/// Validates an opening event like that of any other debate, and returns it as it will be recorded.
///
/// # Errors
/// [`Refusal`] if the engine is not an external one, the provider is not [`EXTERNAL_PROVIDER`], or the configuration is
/// invalid.
pub fn opening(engines: &[EngineRegistration], given: DebateOpened) -> Result<Event, Refusal> {
    if !is_external(engines, &given.engine) || given.provider != EXTERNAL_PROVIDER {
        let reason = format!(
            "an external debate must be opened with the engine and the provider {}; open debates of other engines \
             with startDebate",
            external_names(engines)
        );
        return Err(Refusal::invalid(reason));
    }
    for persona in &given.participants {
        check_not_blank("participant's name", &persona.name)?;
    }
    let opening = DebateConfig {
        topic: given.topic,
        engine: given.engine,
        options: given.options,
        participants: given.participants,
        limits: given.limits,
        seed: given.seed,
        provider: given.provider,
        models: given.models,
    };
    Ok(Event::DebateOpened(Box::new(command::validate_config(engines, opening)?)))
}

/// Checks whether an event may follow in the present state of the debate. While a debate is paused, nothing new can
/// begin: receipts of effects under way are accepted and, once an answer has been (`settling`), the events drawn from
/// it.
///
/// # Errors
/// [`Refusal`] if the debate has ended or is paused, or the event contradicts its state.
pub fn check_lifecycle(read_model: &DebateReadModel, settling: bool, event: &Event) -> Result<(), Refusal> {
    let status = read_model.summary.status;
    if status.is_final() {
        return Err(conflict(format!("the debate is {}: nothing can be added to it", status.name())));
    }
    match event {
        Event::DebateOpened(_) => Err(conflict("the debate has already been opened")),
        Event::DebateResumed(_) if status != Status::Paused => Err(conflict("the debate is not paused")),
        Event::DebateResumed(_) => Ok(()),
        Event::DebateAborted(aborted) => check_not_blank("reason", &aborted.reason),
        _ if status == Status::Paused && !goes_on_in_pause(settling, event) => {
            Err(conflict("the debate is paused; resume it first"))
        }
        Event::DebateConcluded(concluded) => check_not_blank("reason of the outcome", concluded.outcome.reason()),
        Event::PhaseEntered(entered) => check_not_blank("phase", &entered.phase),
        Event::Interjected(said) => {
            next("turn", &said.turn, &read_model.transcript.next_turn())?;
            check_not_blank("text", &said.text)?;
            said.speaker.as_ref().map_or(Ok(()), |speaker| present(read_model, speaker))
        }
        _ => Ok(()),
    }
}

/// Returns true for events that are accepted during a pause: receipts, events drawn from an answer, and interjections.
fn goes_on_in_pause(settling: bool, event: &Event) -> bool {
    match event {
        Event::EffectAnswered(_)
        | Event::SearchRequested(_)
        | Event::EffectFailed(_)
        | Event::EffectAbandoned(_)
        | Event::Interjected(_) => true,
        Event::EffectRequested(_)
        | Event::PhaseEntered(_)
        | Event::RoomOpened(_)
        | Event::DebateConcluded(_)
        | Event::DebatePaused(_) => false,
        _ => settling,
    }
}

/// Checks whether a receipt matches the recorded requests. A request is accepted only while no limit is reached.
///
/// # Errors
/// [`Refusal`] if it does not.
pub fn check_receipt(read_model: &DebateReadModel, ledger: &Ledger, event: &Event) -> Result<(), Refusal> {
    match event {
        Event::EffectRequested(it) => {
            if let Some(it) = ledger.reached(&read_model.summary.limits) {
                let (name, spent) = (it.name, it.in_words());
                let reason =
                    format!("the debate reached its limit of {name} ({spent}); conclude it with the outcome limit");
                return Err(Refusal::limit(name, it.limit, it.spent, reason));
            }
            check_not_blank("purpose of the key", &it.key.purpose)?;
            it.search.as_ref().map_or(Ok(()), |search| check_search(&it.grounds, search))?;
            next(&format!("attempt at {}", it.key), &it.attempt, &(ledger.of(&it.key).requests + 1))
        }
        Event::EffectAnswered(it) => {
            within(&it.answer)?;
            open(ledger, &it.key, it.attempt)
        }
        Event::SearchRequested(it) => {
            check_not_blank("query", &it.query)?;
            query_length(&it.query)?;
            within(&it.answer)?;
            open(ledger, &it.key, it.attempt)
        }
        Event::EffectFailed(it) => {
            it.answer.as_ref().map_or(Ok(()), within)?;
            open(ledger, &it.key, it.attempt)
        }
        Event::EffectAbandoned(it) => match ledger.of(&it.key) {
            entry if entry.requests == 0 => Err(never_asked(&it.key)),
            entry if entry.abandoned => Err(conflict(format!("{} has already been abandoned", it.key))),
            _ => Ok(()),
        },
        Event::InjectionSuspected(it) if ledger.of(&it.key).requests < it.attempt.max(1) => Err(never_asked(&it.key)),
        _ => Ok(()),
    }
}

/// Checks that the passages which a search found are among those of the request.
fn check_search(grounds: &[PassageRef], search: &SearchResult) -> Result<(), Refusal> {
    check_not_blank("query of the search", &search.query)?;
    query_length(&search.query)?;
    check_not_blank("name of the search", &search.by)?;
    match search.found.iter().find(|alias| grounds.iter().all(|ground| ground.alias != **alias)) {
        Some(alias) => Err(missing("passage", format!("{alias} among the grounds of the request"))),
        None => Ok(()),
    }
}

fn query_length(query: &str) -> Result<(), Refusal> {
    let n = query.chars().count();
    if n <= MAX_QUERY_CHARS {
        return Ok(());
    }
    let reason = format!("the query has {n} characters; at most {MAX_QUERY_CHARS} are allowed");
    Err(Refusal::limit("query_characters", MAX_QUERY_CHARS as u64, n as u64, reason))
}

/// Checks that the attempt was requested and has no receipt yet.
fn open(ledger: &Ledger, key: &EffectKey, attempt: u32) -> Result<(), Refusal> {
    let entry = ledger.of(key);
    if attempt == 0 || entry.requests < attempt {
        return Err(never_asked(key));
    }
    if entry.settled.contains(&attempt) {
        return Err(conflict(format!("attempt {attempt} at {key} already has a receipt")));
    }
    Ok(())
}

fn never_asked(key: &EffectKey) -> Refusal {
    conflict(format!("no effect_requested for {key} precedes it"))
}

fn within(answer: &ProviderAnswer) -> Result<(), Refusal> {
    let usage = &answer.usage;
    let given = [
        ("input_tokens", usage.input_tokens),
        ("cache_read_tokens", usage.cache_read_tokens),
        ("cache_write_tokens", usage.cache_write_tokens),
        ("output_tokens", usage.output_tokens),
        ("cost_micros", usage.cost_micros),
    ];
    match given.iter().find(|(_, amount)| *amount > MAX_USAGE) {
        None => Ok(()),
        Some((name, it)) => {
            let reason = format!("usage.{name} is {it}; at most {MAX_USAGE} is allowed");
            Err(Refusal::limit(name, MAX_USAGE, *it, reason))
        }
    }
}
