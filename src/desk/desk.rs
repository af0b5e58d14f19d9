//! The desk.

use std::sync::Arc;

use serde_json::Value;
use uuid::Uuid;

use crate::desk::audit::{self, Actor};
use crate::desk::passages::Passages;
use crate::desk::roster::Roster;
use crate::engines::registry::ENGINES;
use crate::events::event::{Event, Recorded};
use crate::events::ids::DebateId;
use crate::events::lifecycle::Limits;
use crate::kernel::command::{self, Command, Opening};
use crate::kernel::engine::{Refusal, RefusalKind};
use crate::kernel::outside::life as outside;
use crate::store::append::{Append, AppendError, NewEvent};
use crate::store::fault::Fault;
use crate::store::kept::Kept;
use crate::store::library::open::Library;
use crate::store::library::recall::Passage;
use crate::store::log::Log;
use crate::store::stretches::Part;
use crate::verdicts::board::Board;

/// How often a command is decided anew because something else was appended meanwhile.
const MAX_TRIES: usize = 16;
/// Events read at once.
pub(crate) const PAGE: i64 = 1_000;

/// Where commands are granted or refused.
#[derive(Clone)]
pub struct Desk {
    log: Log,
    /// Asked for what the log lacks, where that is read from a replica.
    newest: Option<Log>,
    roster: Arc<Roster>,
    library: Option<Library>,
    passages: Option<Passages>,
    actor: Actor,
}

/// What a debate is asked to be opened with, names unresolved.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// What is to be debated.
    pub topic: String,
    /// The engine's name.
    pub engine: String,
    /// Ids of personas, in speaking order.
    pub personas: Vec<String>,
    /// The engine's options, as far as they differ from the defaults.
    pub options: Value,
    /// What it may spend.
    pub limits: Limits,
    /// The seed of its choices; drawn where none is given.
    pub seed: Option<u64>,
    /// The provider's name; the preferred one where none is given.
    pub provider: Option<String>,
    /// A name for the debate, chosen by the client so that asking twice opens it once.
    pub id: Option<DebateId>,
}

/// Why the desk did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// Understood and not granted.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Not granted, because the debate stands elsewhere than was expected.
    #[error("{reason}")]
    Moved {
        /// Why, in words.
        reason: String,
        /// The version at which it stands.
        actual: i64,
    },
    /// Our own fault.
    #[error(transparent)]
    Fault(Fault),
}

impl From<Fault> for DeskError {
    /// That a debate was erased is no fault of ours.
    fn from(fault: Fault) -> DeskError {
        match fault {
            Fault::Erased { .. } => DeskError::Refused(Refusal::new(RefusalKind::Erased, fault.to_string())),
            _ => DeskError::Fault(fault),
        }
    }
}

impl Desk {
    /// A desk over a log.
    pub fn new(log: Log, roster: Arc<Roster>) -> Desk {
        Desk { log, newest: None, roster, library: None, passages: None, actor: Actor::unnamed() }
    }

    /// The same desk for reading only, over a log that may be behind this one's: what it lacks is looked for in this one's.
    #[must_use]
    pub fn reading(&self, log: Log) -> Desk {
        Desk { log, newest: Some(self.log.clone()), ..self.clone() }
    }

    /// The desk with a library beside it, in which to look up what personas wrote.
    #[must_use]
    pub fn with_library(self, library: Library) -> Desk {
        Desk { library: Some(library), ..self }
    }

    /// The same desk, which records its changes under a name.
    #[must_use]
    pub fn acting_as(&self, actor: &Actor) -> Desk {
        Desk { actor: actor.clone(), ..self.clone() }
    }

    /// Under whose name changes are recorded.
    pub fn actor(&self) -> &Actor {
        &self.actor
    }

    /// The library beside the desk, where there is one.
    pub fn library(&self) -> Option<&Library> {
        self.library.as_ref()
    }

    /// The desk, where the library can be searched too.
    #[must_use]
    pub fn with_passages(self, passages: Passages) -> Desk {
        Desk { passages: Some(passages), ..self }
    }

    /// Whoever searches the library; only in an equipped service.
    ///
    /// # Errors
    /// A refusal where this service is not equipped for it.
    pub fn passages(&self) -> Result<&Passages, Refusal> {
        let reason = "this service was opened without an embedder, and cannot search the library";
        self.passages.as_ref().ok_or_else(|| Refusal::new(RefusalKind::Conflict, reason))
    }

    /// Who can take part, and who can answer.
    pub fn roster(&self) -> &Roster {
        &self.roster
    }

    /// The log behind the desk.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Opens a debate. Whoever runs debates will find it.
    ///
    /// # Errors
    /// [`DeskError::Refused`] where a name is unknown or the engine will not have it.
    pub async fn open(&self, asked: Asked) -> Result<Board, DeskError> {
        let debate = asked.id.unwrap_or_else(|| DebateId(Uuid::now_v7()));
        let events = self.opening(asked)?;
        match self.append(debate, 0, events).await {
            Ok(recorded) => Ok(Board::of(&recorded)),
            Err(AppendError::Fault(fault)) => Err(fault.into()),
            Err(AppendError::Conflict { actual }) => {
                let reason = format!("debate {debate} is there already, at version {actual}");
                Err(DeskError::Moved { reason, actual })
            }
            Err(other) => {
                let reason = format!("debate {debate} is there already: {other}");
                Err(Refusal::new(RefusalKind::Conflict, reason).into())
            }
        }
    }

    /// The events with which a debate would be opened.
    ///
    /// # Errors
    /// A [`Refusal`] where a name is unknown or the engine will not have it.
    pub fn opening(&self, asked: Asked) -> Result<Vec<Event>, Refusal> {
        let participants = asked.personas.iter().map(|it| self.roster.persona(it).map(|it| it.persona.clone()));
        let opening = Opening {
            participants: participants.collect::<Result<_, _>>()?,
            provider: self.answering(&asked)?,
            topic: asked.topic,
            engine: asked.engine,
            options: asked.options,
            limits: asked.limits,
            seed: asked.seed.unwrap_or_else(drawn_seed),
        };
        command::open(ENGINES, opening)
    }

    /// Who is to answer: nobody here, where the debate is run from outside.
    fn answering(&self, asked: &Asked) -> Result<String, Refusal> {
        if asked.engine == outside::ENGINE && asked.provider.as_deref().is_none_or(|it| it == outside::PROVIDER) {
            return Ok(outside::PROVIDER.to_owned());
        }
        Ok(self.roster.provider(asked.provider.as_deref())?.name.clone())
    }

    /// Carries out a command; the debate as it is after it.
    ///
    /// # Errors
    /// [`DeskError::Refused`] where the debate is not there or is over, or the command says nothing.
    pub async fn command(&self, debate: DebateId, command: Command) -> Result<Board, DeskError> {
        for _ in 0..MAX_TRIES {
            let mut board = self.board(debate, None).await?;
            let (events, act) = (command::decide(&board.summary, command.clone())?, command.administrative_act());
            if events.is_empty() {
                return Ok(board);
            }
            match self.append(debate, board.summary.version, events).await {
                Ok(recorded) => {
                    recorded.iter().for_each(|it| board.apply(it));
                    act.into_iter().for_each(|it| audit::done(&self.actor, it, &debate));
                    return Ok(board);
                }
                Err(AppendError::Conflict { .. }) => {}
                Err(AppendError::Fault(fault)) => return Err(fault.into()),
                Err(other) => return Err(Refusal::new(RefusalKind::Conflict, other.to_string()).into()),
            }
        }
        let reason = format!("debate {debate} moved on {MAX_TRIES} times while the command was decided; try again");
        Err(Refusal::new(RefusalKind::Conflict, reason).into())
    }

    /// The version that is meant by `at`: that one, or the last where none is given. One look at an index.
    ///
    /// # Errors
    /// [`DeskError::Refused`] where there is no such debate, or it has no such version.
    pub async fn version(&self, debate: DebateId, at: Option<i64>) -> Result<i64, DeskError> {
        positive(at)?;
        let mut last = self.log.head(debate).await?;
        if let Some(newest) = self.newest.as_ref().filter(|_| last == 0 || at.is_some_and(|it| it > last)) {
            last = newest.head(debate).await?;
        }
        within(debate, at, last)?;
        Ok(at.unwrap_or(last))
    }

    /// A debate as of a version; as it is now where none is given.
    ///
    /// # Errors
    /// [`DeskError::Refused`] where there is no such debate, or it has no such version.
    pub async fn board(&self, debate: DebateId, at: Option<i64>) -> Result<Board, DeskError> {
        positive(at)?;
        let last = at.unwrap_or(i64::MAX);
        let mut board = fold(&self.log, debate, last).await?;
        let lacks = board.is_empty() || at.is_some_and(|it| it > board.summary.version);
        if let Some(newest) = self.newest.as_ref().filter(|_| lacks) {
            board = fold(newest, debate, last).await?;
        }
        within(debate, at, board.summary.version)?;
        Ok(board)
    }

    /// A page of a debate's events, after a version.
    ///
    /// # Errors
    /// [`DeskError::Fault`] where the log cannot be read.
    pub async fn events(&self, debate: DebateId, after: i64, limit: i64) -> Result<Vec<Recorded>, DeskError> {
        let (after, limit) = (after.max(0), limit.clamp(0, PAGE));
        let page = self.log.read(debate, after, limit).await?;
        match &self.newest {
            Some(newest) if page.is_empty() => Ok(newest.read(debate, after, limit).await?),
            _ => Ok(page),
        }
    }

    /// Parts of debates' streams, in their order. Where the replica has not all that a part asks for, the primary has.
    ///
    /// # Errors
    /// [`DeskError::Fault`] where the log cannot be read.
    pub async fn parts(&self, parts: &[Part]) -> Result<Vec<Vec<Kept>>, DeskError> {
        let found = self.log.parts(parts).await?;
        let lacks = parts.iter().zip(&found).any(|(part, it)| (it.len() as i64) < part.upto - part.after);
        match &self.newest {
            Some(newest) if lacks => Ok(newest.parts(parts).await?),
            _ => Ok(found),
        }
    }

    /// The passages that have these ids; those that the library does not hold any more are left out.
    ///
    /// # Errors
    /// [`DeskError::Fault`] where the library cannot be read.
    pub async fn cited(&self, chunks: &[Uuid]) -> Result<Vec<Passage>, DeskError> {
        Ok(self.log.library().cited(chunks).await?)
    }

    async fn append(&self, debate: DebateId, expected: i64, events: Vec<Event>) -> Result<Vec<Recorded>, AppendError> {
        let events = events.into_iter().map(|event| NewEvent { id: Uuid::now_v7(), event, caused_by: None });
        let actor = self.actor.name().map(str::to_owned);
        self.log.append(Append { debate, expected, events: events.collect(), fence: None, actor }).await
    }
}

fn positive(at: Option<i64>) -> Result<(), Refusal> {
    match at {
        Some(..1) => Err(Refusal::invalid("a version is 1 or more: 1 is the opening of the debate")),
        _ => Ok(()),
    }
}

/// Refuses a debate that has no event, and a version beyond its last.
fn within(debate: DebateId, at: Option<i64>, last: i64) -> Result<(), Refusal> {
    match at {
        _ if last == 0 => Err(Refusal::new(RefusalKind::NotFound, format!("there is no debate {debate}"))),
        Some(at) if at > last => {
            let reason = format!("debate {debate} stands at version {last}; it has no version {at}");
            Err(Refusal::invalid(reason))
        }
        _ => Ok(()),
    }
}

/// A debate up to a version, or as far as it goes.
async fn fold(log: &Log, debate: DebateId, last: i64) -> Result<Board, Fault> {
    let mut board = Board::default();
    while board.summary.version < last {
        let limit = PAGE.min(last - board.summary.version);
        let page = log.read(debate, board.summary.version, limit).await?;
        page.iter().for_each(|it| board.apply(it));
        if (page.len() as i64) < limit {
            break;
        }
    }
    Ok(board)
}

/// A seed that fits every client's integers.
fn drawn_seed() -> u64 {
    u64::from(Uuid::new_v4().as_fields().0 >> 1)
}
