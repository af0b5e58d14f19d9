//! What a person may ask of a debate: granted or refused.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::events::event::Event;
use crate::events::ids::{PersonaId, TurnId};
use crate::events::lifecycle::{DebateAborted, DebateOpened, DebatePaused, DebateResumed, Interjected, Limits};
use crate::events::persona::Persona;
use crate::kernel::engine::{Refusal, RefusalKind, Registration};
use crate::kernel::outside::life as outside;
use crate::projections::summary::{Status, Summary};

/// The longest topic, in bytes.
pub const MAX_TOPIC_BYTES: usize = 2_000;
/// The longest interjection or reason, in bytes.
pub const MAX_TEXT_BYTES: usize = 8_000;
/// Hard ceilings of what a debate may be opened with.
pub const CEILING: Limits = Limits {
    attempts: 10,
    losses: 100,
    calls: 10_000,
    tokens: 1_000_000_000,
    cost_micros: 10_000_000_000,
    turns: 10_000,
    seconds: 30 * 24 * 3_600,
};

/// What a debate is to be opened with.
#[derive(Clone, Debug)]
pub struct Opening {
    /// What is debated.
    pub topic: String,
    /// The engine's registered name.
    pub engine: String,
    /// The engine's options, as far as they differ from the defaults.
    pub options: Value,
    /// Who takes part, in speaking order.
    pub participants: Vec<Persona>,
    /// What it may spend.
    pub limits: Limits,
    /// The seed of its choices.
    pub seed: u64,
    /// The provider's registered name.
    pub provider: String,
}

/// What a person asks of a debate that is there.
#[derive(Clone, Debug)]
pub enum Command {
    /// Wait.
    Pause,
    /// Go on.
    Resume,
    /// End, for this reason.
    Cancel(String),
    /// Say this, as the moderator or in a participant's name.
    Interject {
        /// What is said.
        text: String,
        /// In whose name; `None` for the moderator.
        speaker: Option<PersonaId>,
    },
}

impl Command {
    /// The name of the administrative act that it is: `pause`. Taking part in a debate is none.
    pub fn administrative_act(&self) -> Option<&'static str> {
        match self {
            Command::Pause => Some("pause"),
            Command::Resume => Some("resume"),
            Command::Cancel(_) => Some("cancel"),
            Command::Interject { .. } => None,
        }
    }
}

/// The registered engine of this name.
///
/// # Errors
/// A [`Refusal`] that names those there are.
pub fn find<'a>(engines: &'a [Registration], name: &str) -> Result<&'a Registration, Refusal> {
    engines.iter().find(|it| it.name == name).ok_or_else(|| {
        let known: Vec<&str> = engines.iter().map(|it| it.name).collect();
        let name: String = name.chars().take(64).collect();
        Refusal::new(RefusalKind::NotFound, format!("there is no engine {name:?}; there are {}", known.join(", ")))
    })
}

/// Opens a debate.
///
/// # Errors
/// A [`Refusal`] that says what was wrong with what was asked.
pub fn open(engines: &[Registration], opening: Opening) -> Result<Vec<Event>, Refusal> {
    Ok(vec![Event::DebateOpened(Box::new(opened(engines, opening)?))])
}

/// All that a debate depends on, checked.
///
/// # Errors
/// As [`open`].
pub fn opened(engines: &[Registration], opening: Opening) -> Result<DebateOpened, Refusal> {
    let engine = find(engines, &opening.engine)?;
    if (engine.name == outside::ENGINE) != (opening.provider == outside::PROVIDER) {
        let reason = format!(
            "the engine {} is run from outside, and so its provider is {}; no other engine's is",
            outside::ENGINE,
            outside::PROVIDER
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
    let distinct: BTreeSet<&PersonaId> = opening.participants.iter().map(|it| &it.id).collect();
    if distinct.len() < n_participants {
        return Err(Refusal::invalid("a persona was named twice; each takes part once"));
    }
    within_ceiling(&opening.limits)?;
    let opened = DebateOpened {
        topic,
        engine: engine.name.to_owned(),
        engine_revision: engine.revision,
        options: (engine.normalize)(&opening.options)?,
        participants: opening.participants,
        limits: opening.limits,
        seed: opening.seed,
        provider: opening.provider,
    };
    (engine.start)(&opened)?;
    Ok(opened)
}

/// What a command adds to a debate; nothing where it is so already.
///
/// # Errors
/// A [`Refusal`] where the debate is not there, is over, or the command says nothing.
pub fn decide(debate: &Summary, command: Command) -> Result<Vec<Event>, Refusal> {
    let Some(id) = debate.debate else {
        return Err(Refusal::new(RefusalKind::NotFound, "there is no such debate"));
    };
    if debate.status.is_final() {
        let reason = format!("debate {id} is {}: nothing can be added to it", debate.status.name());
        return Err(Refusal::new(RefusalKind::Conflict, reason));
    }
    Ok(match command {
        Command::Pause if debate.status == Status::Paused => vec![],
        Command::Pause => vec![Event::DebatePaused(DebatePaused {})],
        Command::Resume if debate.status == Status::Running => vec![],
        Command::Resume => vec![Event::DebateResumed(DebateResumed {})],
        Command::Cancel(reason) => {
            let reason = if reason.trim().is_empty() { "cancelled".to_owned() } else { reason };
            vec![Event::DebateAborted(DebateAborted { reason: text_of("reason", &reason, MAX_TEXT_BYTES)? })]
        }
        Command::Interject { text, speaker } => {
            let text = text_of("text", &text, MAX_TEXT_BYTES)?;
            if let Some(speaker) = &speaker
                && !debate.present().any(|it| it.persona == *speaker)
            {
                let reason = format!("{speaker} does not take part in debate {id}");
                return Err(Refusal::new(RefusalKind::NotFound, reason));
            }
            vec![Event::Interjected(Interjected { turn: TurnId(debate.last_turn + 1), text, speaker, room: None })]
        }
    })
}

/// A text that says something, within its limit, without controls that no reader sees.
fn text_of(what: &str, given: &str, limit: usize) -> Result<String, Refusal> {
    let lines = given.replace("\r\n", "\n");
    let spaced = lines.chars().map(|it| match it {
        '\n' => it,
        _ if it.is_control() && it.is_whitespace() => ' ',
        _ => it,
    });
    let text: String = spaced.filter(|it| !it.is_control() || *it == '\n').collect();
    let text = text.trim();
    if text.is_empty() {
        return Err(Refusal::invalid(format!("the {what} is empty; say something")));
    }
    if text.len() > limit {
        let reason = format!("the {what} has {} bytes; at most {limit} are taken", text.len());
        return Err(Refusal::new(RefusalKind::Limit, reason));
    }
    Ok(text.to_owned())
}

/// Whether limits are ones that a debate may have.
///
/// # Errors
/// A [`Refusal`] that names the limit and its ceiling.
pub fn within_ceiling(limits: &Limits) -> Result<(), Refusal> {
    let ceilings = [
        ("attempts", u64::from(limits.attempts), u64::from(CEILING.attempts)),
        ("losses", u64::from(limits.losses), u64::from(CEILING.losses)),
        ("calls", u64::from(limits.calls), u64::from(CEILING.calls)),
        ("tokens", limits.tokens, CEILING.tokens),
        ("cost_micros", limits.cost_micros, CEILING.cost_micros),
        ("turns", u64::from(limits.turns), u64::from(CEILING.turns)),
        ("seconds", u64::from(limits.seconds), u64::from(CEILING.seconds)),
    ];
    match ceilings.iter().find(|(_, given, ceiling)| *given == 0 || given > ceiling) {
        None => Ok(()),
        Some((name, given, ceiling)) => {
            Err(Refusal::new(RefusalKind::Limit, format!("the limit {name} is {given}; it may be 1 to {ceiling}")))
        }
    }
}
