//! A debate that is run from outside, folded as far as is needed to say what may follow.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::events::event::{Event, Recorded};
use crate::events::ids::DebateId;
use crate::kernel::engine::{Refusal, Registration};
use crate::kernel::ledger::Ledger;
use crate::kernel::outside::checks::check;
use crate::kernel::outside::claims::{claim, few, kept_promises};
use crate::kernel::outside::life::{ENGINE, follows, opening, receipt};
use crate::kernel::outside::names::{conflict, missing};
use crate::kernel::outside::proposals::proposal;
use crate::kernel::outside::questions::question;
use crate::kernel::outside::rooms::room;
use crate::verdicts::board::Board;

/// The most events of a debate that is run from outside: every append folds them.
pub const EVENTS: usize = 50_000;

/// A debate as it stands, and what it spent.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    /// Every view of it.
    pub board: Board,
    ledger: Ledger,
    /// Whether an answer was taken since the debate was paused.
    settling: bool,
}

/// Why an event may not follow: its place among those given, from 0, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Its place; `None` where all of them together are meant.
    pub at: Option<usize>,
    /// Why.
    pub refusal: Refusal,
}

impl Outside {
    /// Takes note of what is recorded.
    pub fn apply(&mut self, recorded: &Recorded) {
        self.board.apply(recorded);
        self.ledger.apply(recorded);
        match &recorded.event {
            Event::EffectAnswered(_) => self.settling = true,
            Event::DebatePaused(_) => self.settling = false,
            _ => {}
        }
    }

    /// Whether the debate, once it was opened, takes events from outside.
    ///
    /// # Errors
    /// A [`Refusal`] that names the engine that runs it.
    pub fn is_ours(&self) -> Result<(), Refusal> {
        let engine = &self.board.summary.engine;
        if self.board.is_empty() || engine == ENGINE {
            return Ok(());
        }
        let reason = format!(
            "the debate is run by the engine {engine}; only one of the engine {ENGINE} takes events from outside: \
             interject to say something, or fork it"
        );
        Err(conflict(reason))
    }

    /// The events as they may follow what is there, one after the other; the first one as it is to be recorded where it
    /// opens the debate.
    ///
    /// Cost: linear in the events, and each looks its names up in the views.
    ///
    /// # Errors
    /// [`Refused`] for the first event that may not follow.
    pub fn admit(&self, engines: &[Registration], debate: DebateId, events: Vec<Event>) -> Result<Vec<Event>, Refused> {
        let mut after = self.clone();
        let mut admitted = Vec::with_capacity(events.len());
        for (at, event) in events.into_iter().enumerate() {
            let refused = |refusal| Refused { at: Some(at), refusal };
            let event = after.may_follow(engines, debate, event).map_err(refused)?;
            after.apply(&after.as_recorded(debate, event.clone()));
            admitted.push(event);
        }
        kept_promises(&after.board).map_err(|refusal| Refused { at: None, refusal })?;
        Ok(admitted)
    }

    fn may_follow(&self, engines: &[Registration], debate: DebateId, event: Event) -> Result<Event, Refusal> {
        let board = &self.board;
        if board.is_empty() {
            return match event {
                Event::DebateOpened(opened) => opening(engines, *opened),
                _ => Err(missing("debate", format!("{debate}: its first event is debate_opened"))),
            };
        }
        few("events", usize::try_from(board.summary.version).unwrap_or(usize::MAX), EVENTS)?;
        follows(board, self.settling, &event)?;
        receipt(board, &self.ledger, &event)?;
        claim(board, &event)?;
        question(board, &event)?;
        room(board, &event)?;
        check(board, &event)?;
        proposal(board, &event)?;
        Ok(event)
    }

    /// The event as it would be recorded next, at the time of the last one.
    fn as_recorded(&self, debate: DebateId, event: Event) -> Recorded {
        let summary = &self.board.summary;
        let at = summary.updated_at.unwrap_or(DateTime::<Utc>::UNIX_EPOCH);
        let (lane, position, version) = (0, 0, summary.version + 1);
        Recorded { id: Uuid::nil(), debate, version, lane, position, at, caused_by: None, event }
    }
}
