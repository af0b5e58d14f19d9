//! Decides commands of people on debates: granted or refused.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::events::audit::AuditRequested;
use crate::events::checks::probes::ProbesRequested;
use crate::events::event::Event;
use crate::events::ids::{DebateId, PersonaId, TurnId};
use crate::events::lifecycle::{DebateAborted, DebateLimits, DebateOpened, DebatePaused, DebateResumed, Interjected};
use crate::events::persona::Persona;
use crate::kernel::engine::{EXTERNAL_PROVIDER, EngineRegistration, Refusal, RefusalKind, external_names};
use crate::kernel::quotations::turn_quotes::SENTENCE_REVISION;
use crate::projections::summary::{Status, Summary};
use crate::questions::nearest::suggestions;

/// Maximum length of a topic, in bytes.
pub const MAX_TOPIC_BYTES: usize = 2_000;
/// Maximum length of the name of a model, in bytes.
const MAX_MODEL_BYTES: usize = 200;
/// Maximum length of an interjection or a reason, in bytes.
pub const MAX_TEXT_BYTES: usize = 8_000;
/// Upper bounds of the limits with which a debate can be opened.
pub const MAX_LIMITS: DebateLimits = DebateLimits {
    attempts: 10,
    losses: 100,
    calls: 10_000,
    tokens: 1_000_000_000,
    cost_micros: 10_000_000_000,
    turns: 10_000,
    seconds: 30 * 24 * 3_600,
};

/// Configuration with which to open a debate.
#[derive(Clone, Debug)]
pub struct DebateConfig {
    /// Topic of the debate.
    pub topic: String,
    /// Registered name of the engine.
    pub engine: String,
    /// Options of the engine, as far as they differ from the defaults.
    pub options: Value,
    /// Participants, in speaking order.
    pub participants: Vec<Persona>,
    /// Budget of the debate.
    pub limits: DebateLimits,
    /// Seed of all choices made by the code.
    pub seed: u64,
    /// Registered name of the provider.
    pub provider: String,
    /// Models of participants, as the provider names them; the others are answered by the provider's own.
    pub models: BTreeMap<PersonaId, String>,
}

/// Command of a person on an existing debate.
#[derive(Clone, Debug)]
pub enum Command {
    /// Pause the debate.
    Pause,
    /// Resume the debate.
    Resume,
    /// Cancel the debate for the given reason.
    Cancel(String),
    /// Have the words of a debate that has ended read once more by the provider of this name.
    Audit(String),
    /// Have a debate that has ended probed by the provider of this name.
    Probe(String),
    /// Interject as the moderator or in a participant's name.
    Interject {
        /// Text of the interjection.
        text: String,
        /// The participant in whose name it is made; `None` for the moderator.
        speaker: Option<PersonaId>,
    },
}

impl Command {
    /// Returns the name of the command for the audit log, such as `pause`; `None` for interjections, which are not
    /// administrative.
    pub fn administrative_act(&self) -> Option<&'static str> {
        match self {
            Command::Pause => Some("pause"),
            Command::Resume => Some("resume"),
            Command::Cancel(_) => Some("cancel"),
            Command::Audit(_) => Some("audit"),
            Command::Probe(_) => Some("probe"),
            Command::Interject { .. } => None,
        }
    }
}

/// Finds a registered engine by name.
///
/// # Errors
/// [`Refusal`] of the kind [`RefusalKind::NotFound`] that lists the available engines.
pub fn find<'a>(engines: &'a [EngineRegistration], name: &str) -> Result<&'a EngineRegistration, Refusal> {
    engines.iter().find(|engine| engine.name == name).ok_or_else(|| {
        let known: Vec<&str> = engines.iter().map(|engine| engine.name).collect();
        let name: String = name.chars().take(64).collect();
        Refusal::new(RefusalKind::NotFound, format!("unknown engine {name:?}{}", suggestions(&name, &known)))
    })
}

/// Decides whether a debate can be opened, and returns its opening event.
///
/// # Errors
/// [`Refusal`] if the engine is unknown, or the topic, participants, limits or options are invalid.
pub fn open(engines: &[EngineRegistration], opening: DebateConfig) -> Result<Vec<Event>, Refusal> {
    Ok(vec![Event::DebateOpened(Box::new(validate_config(engines, opening)?))])
}

/// Validates the configuration of a debate and completes it with defaults.
///
/// # Errors
/// The same as [`open`].
pub fn validate_config(engines: &[EngineRegistration], opening: DebateConfig) -> Result<DebateOpened, Refusal> {
    let engine = find(engines, &opening.engine)?;
    if engine.is_external() != (opening.provider == EXTERNAL_PROVIDER) {
        let reason = format!(
            "the engine {} is driven from outside and requires the provider {EXTERNAL_PROVIDER}, which no other engine \
             accepts",
            external_names(engines)
        );
        return Err(Refusal::invalid(reason));
    }
    let topic = text_of("topic", &opening.topic, MAX_TOPIC_BYTES)?;
    let (fewest, most) = engine.participants;
    let n_participants = opening.participants.len();
    if n_participants < fewest || n_participants > most {
        return Err(Refusal::invalid(format!(
            "the engine {} takes {fewest} to {most} personas, not {n_participants}",
            engine.name
        )));
    }
    let distinct: BTreeSet<&PersonaId> = opening.participants.iter().map(|participant| &participant.id).collect();
    if distinct.len() < n_participants {
        return Err(Refusal::invalid("a persona is listed twice; each can take part only once"));
    }
    check_limits(&opening.limits)?;
    for (persona, model) in &opening.models {
        if !distinct.contains(persona) {
            return Err(Refusal::invalid(format!("a model is chosen for {persona}, who does not take part")));
        }
        text_of("name of a model", model, MAX_MODEL_BYTES)?;
    }
    let opened = DebateOpened {
        topic,
        engine: engine.name.to_owned(),
        engine_revision: engine.revision,
        options: (engine.normalize)(&opening.options)?,
        participants: opening.participants,
        limits: opening.limits,
        seed: opening.seed,
        provider: opening.provider,
        models: opening.models,
        sentence_revision: Some(SENTENCE_REVISION),
    };
    check_quorum(&opened)?;
    (engine.start)(&opened)?;
    Ok(opened)
}

/// Refuses a quorum of fewer than two participants, since one speaker alone agrees with nobody, or of more than take
/// part.
fn check_quorum(opened: &DebateOpened) -> Result<(), Refusal> {
    let n_participants = opened.participants.len();
    match opened.quorum() {
        Some(quorum) if quorum < 2 || quorum as usize > n_participants => Err(Refusal::invalid(format!(
            "the option quorum is {quorum}; it must be between 2 and the number of participants ({n_participants}), or null"
        ))),
        _ => Ok(()),
    }
}

/// Returns the events that a command adds to a debate; none if the debate is already in the requested state.
///
/// # Errors
/// [`Refusal`] if the debate does not exist, has ended, or the command is invalid.
pub fn decide(debate: &Summary, command: Command) -> Result<Vec<Event>, Refusal> {
    let Some(id) = debate.debate else {
        return Err(Refusal::new(RefusalKind::NotFound, "there is no such debate"));
    };
    match &command {
        Command::Audit(provider) => return audit(debate, id, provider),
        Command::Probe(provider) => return probe(debate, id, provider),
        _ => {}
    }
    if debate.status.is_final() {
        let reason = format!("debate {id} is {}: nothing can be added to it", debate.status.name());
        return Err(Refusal::new(RefusalKind::Conflict, reason));
    }
    Ok(match command {
        Command::Pause if debate.status == Status::Paused => vec![],
        Command::Pause => vec![Event::DebatePaused(DebatePaused::default())],
        Command::Resume if debate.status == Status::Running => vec![],
        Command::Resume => vec![Event::DebateResumed(DebateResumed {})],
        Command::Cancel(reason) => {
            let reason = if reason.trim().is_empty() { "cancelled".to_owned() } else { reason };
            vec![Event::DebateAborted(DebateAborted { reason: text_of("reason", &reason, MAX_TEXT_BYTES)? })]
        }
        Command::Audit(_) | Command::Probe(_) => vec![],
        Command::Interject { text, speaker } => {
            let text = text_of("text", &text, MAX_TEXT_BYTES)?;
            if let Some(speaker) = &speaker
                && !debate.present().any(|participant| participant.persona == *speaker)
            {
                let reason = format!("{speaker} does not take part in debate {id}");
                return Err(Refusal::new(RefusalKind::NotFound, reason));
            }
            vec![Event::Interjected(Interjected { turn: TurnId(debate.last_turn + 1), text, speaker, room: None })]
        }
    })
}

/// Decides whether a debate can be audited: only after its end, because its own end includes an audit, and not while it is
/// being probed. Nothing is added while an audit is under way.
fn audit(debate: &Summary, id: DebateId, provider: &str) -> Result<Vec<Event>, Refusal> {
    if !debate.status.is_final() {
        let reason = format!("debate {id} is {}: it can be audited once it has ended", debate.status.name());
        return Err(Refusal::new(RefusalKind::Conflict, reason));
    }
    if debate.is_being_probed {
        let reason = format!("debate {id} is being probed: it can be audited once the probes have ended");
        return Err(Refusal::new(RefusalKind::Conflict, reason));
    }
    let requested = Event::AuditRequested(AuditRequested { provider: provider.to_owned() });
    Ok(if debate.is_being_audited { Vec::new() } else { vec![requested] })
}

/// Decides whether a debate can be probed: only after its end, and not while it is being audited. Nothing is added while
/// probes are under way.
fn probe(debate: &Summary, id: DebateId, provider: &str) -> Result<Vec<Event>, Refusal> {
    if !debate.status.is_final() {
        let reason = format!("debate {id} is {}: it can be probed once it has ended", debate.status.name());
        return Err(Refusal::new(RefusalKind::Conflict, reason));
    }
    if debate.is_being_audited {
        let reason = format!("debate {id} is being audited: it can be probed once the audit has ended");
        return Err(Refusal::new(RefusalKind::Conflict, reason));
    }
    let requested = Event::ProbesRequested(ProbesRequested { provider: provider.to_owned() });
    Ok(if debate.is_being_probed { Vec::new() } else { vec![requested] })
}

/// Normalizes a text: removes control characters, trims it, and checks that it is neither empty nor too long.
fn text_of(what: &str, given: &str, limit: usize) -> Result<String, Refusal> {
    let lines = given.replace("\r\n", "\n");
    let spaced = lines.chars().map(|letter| match letter {
        '\n' => letter,
        _ if letter.is_control() && letter.is_whitespace() => ' ',
        _ => letter,
    });
    let text: String = spaced.filter(|letter| !letter.is_control() || *letter == '\n').collect();
    let text = text.trim();
    if text.is_empty() {
        return Err(Refusal::invalid(format!("the {what} is empty")));
    }
    if text.len() > limit {
        let reason = format!("the {what} has {} bytes; at most {limit} are allowed", text.len());
        return Err(Refusal::limit(
            &format!("{}_bytes", what.replace(' ', "_")),
            limit as u64,
            text.len() as u64,
            reason,
        ));
    }
    Ok(text.to_owned())
}

/// Checks that every limit is at least 1 and within [`MAX_LIMITS`].
///
/// # Errors
/// [`Refusal`] of the kind [`RefusalKind::Limit`] that names the limit and its ceiling.
pub fn check_limits(limits: &DebateLimits) -> Result<(), Refusal> {
    let ceilings = [
        ("attempts", u64::from(limits.attempts), u64::from(MAX_LIMITS.attempts)),
        ("losses", u64::from(limits.losses), u64::from(MAX_LIMITS.losses)),
        ("calls", u64::from(limits.calls), u64::from(MAX_LIMITS.calls)),
        ("tokens", limits.tokens, MAX_LIMITS.tokens),
        ("cost_micros", limits.cost_micros, MAX_LIMITS.cost_micros),
        ("turns", u64::from(limits.turns), u64::from(MAX_LIMITS.turns)),
        ("seconds", u64::from(limits.seconds), u64::from(MAX_LIMITS.seconds)),
    ];
    match ceilings.iter().find(|(_, given, ceiling)| *given == 0 || given > ceiling) {
        None => Ok(()),
        Some((name, given, ceiling)) => {
            let reason = format!("the limit {name} is {given}; it may be 1 to {ceiling}");
            Err(Refusal::limit(name, *ceiling, *given, reason))
        }
    }
}
