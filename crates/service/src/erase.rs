//! Erasure of debates and personas.
//!
//! A request is refused before anything is destroyed if it would affect debates it does not name: forks that share the
//! history of a named debate, debates that distil its talk anew, or debates recorded in plain text. The refusal lists their
//! ids. A running debate is cancelled first, so that its subscribers see an end. Each debate is erased in its own
//! transaction; after an interruption the request can be repeated.

use std::collections::BTreeSet;

use crate::audit;
use crate::error::ServiceError;
use crate::service::DebateService;
use faultline_core::events::ids::{DebateId, PersonaId};
use faultline_core::events::lifecycle::DebateOpened;
use faultline_core::kernel::command::Command;
use faultline_core::kernel::engine::{Refusal, RefusalKind};
use faultline_store::erasure::erasure::{ErasureOrder, ErasureOutcome, ErasureRecord};
use faultline_store::error::StoreError;
use faultline_store::lanes::LANES;

/// Maximum length of a reason, in bytes.
pub const MAX_REASON_BYTES: usize = 1_000;
/// Maximum length of the requester's name, in bytes.
pub const MAX_ASKER_BYTES: usize = 256;
/// Maximum number of debate ids listed in one refusal.
const MAX_LISTED: usize = 10;

/// Request and options of an erasure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EraseRequest {
    /// Requester and reason.
    pub order: ErasureOrder,
    /// True if forks that share the history, and debates that distil the talk anew, are erased as well.
    pub with_forks: bool,
    /// True if debates recorded in plain text are hidden instead of refused.
    pub hide_plain: bool,
}

impl DebateService {
    /// Erases a debate, and its forks if requested. Returns the erasure records, with the debate's own last. A repeated
    /// call returns the records of the first.
    ///
    /// # Errors
    /// [`ServiceError::Refused`] if the debate does not exist, if forks share its history or it was recorded in plain text
    /// and the options do not allow that, or if the reason is empty or too long; [`ServiceError::Fault`] if the database
    /// fails.
    pub async fn erase(&self, debate: DebateId, request: &EraseRequest) -> Result<Vec<ErasureRecord>, ServiceError> {
        checked(&request.order)?;
        if self.log().head(debate).await? == 0 {
            return Err(Refusal::new(RefusalKind::NotFound, format!("there is no debate {debate}")).into());
        }
        let debates = self.with_forks(&[debate], request).await?;
        self.erase_each(&debates, &request.order).await
    }

    /// Erases a persona: every debate in which it takes part, its writings and all its versions. Returns the erasure
    /// records, with the persona's own last.
    ///
    /// # Errors
    /// [`ServiceError::Refused`] if no debate and no passage belongs to the persona; otherwise as [`DebateService::erase`].
    pub async fn erase_persona(
        &self,
        persona: &PersonaId,
        request: &EraseRequest,
    ) -> Result<Vec<ErasureRecord>, ServiceError> {
        checked(&request.order)?;
        let debates = self.debates_with(persona).await?;
        let log = self.log();
        if debates.is_empty() && !log.persona_exists(persona).await? {
            let reason = format!("no debate or passage of persona {persona} was found");
            return Err(Refusal::new(RefusalKind::NotFound, reason).into());
        }
        let debates = self.with_forks(&debates, request).await?;
        let mut erased = self.erase_each(&debates, &request.order).await?;
        erased.push(log.erase_persona(persona, &request.order).await?);
        audit::done(self.actor(), "erase persona", persona);
        Ok(erased)
    }

    /// Returns the unerased debates in which a persona takes part. Reads opening events, because the stored views may lag
    /// behind the log.
    async fn debates_with(&self, persona: &PersonaId) -> Result<Vec<DebateId>, ServiceError> {
        let takes_part = |debate, opening: &DebateOpened| {
            opening.participants.iter().any(|participant| participant.id == *persona).then_some(debate)
        };
        let mut debates = Vec::new();
        for lane in 0..LANES {
            let mut after = None;
            loop {
                let (found, last) = self.log().openings(lane, after, takes_part).await?;
                debates.extend(found);
                if last.is_none() {
                    break;
                }
                after = last;
            }
        }
        Ok(debates)
    }

    /// Returns these debates, the forks that share their history, and the debates that have their words because they distil
    /// their talk anew; each of these before what it comes from.
    async fn with_forks(&self, debates: &[DebateId], request: &EraseRequest) -> Result<Vec<DebateId>, ServiceError> {
        let (mut all, mut seen) = (Vec::new(), BTreeSet::new());
        let mut stack: Vec<(DebateId, bool)> = debates.iter().rev().map(|debate| (*debate, false)).collect();
        while let Some((debate, follows_others)) = stack.pop() {
            if follows_others {
                all.push(debate);
            } else if seen.insert(debate) {
                stack.push((debate, true));
                stack.extend(self.log().sharing(debate).await?.into_iter().map(|it| (it, false)));
            }
        }
        let others: Vec<DebateId> = seen.into_iter().filter(|debate| !debates.contains(debate)).collect();
        if !others.is_empty() && !request.with_forks {
            return Err(shared(&others).into());
        }
        if !request.hide_plain {
            let mut plain = Vec::new();
            for debate in &all {
                if self.log().erasure(*debate).await?.is_none() && self.log().has_plain_bodies(*debate).await? {
                    plain.push(*debate);
                }
            }
            if !plain.is_empty() {
                let reason = format!(
                    "{} recorded without encryption and cannot be made unreadable: {}. They can be \
                     hidden: --hide-plain (hidePlain) deletes all derived data and no longer shows them, but \
                     anyone with access to the database can still read their events in the log",
                    if plain.len() == 1 { "this debate was" } else { "these debates were" },
                    listed(&plain),
                );
                return Err(Refusal::new(RefusalKind::Conflict, reason).into());
            }
        }
        Ok(all)
    }

    async fn erase_each(&self, debates: &[DebateId], order: &ErasureOrder) -> Result<Vec<ErasureRecord>, ServiceError> {
        let mut erased = Vec::with_capacity(debates.len());
        for debate in debates {
            self.end(*debate).await?;
            match self.log().erase_among(*debate, debates, order).await? {
                ErasureOutcome::Erased(it) => {
                    audit::done(self.actor(), "erase", debate);
                    erased.push(it);
                }
                // A debate with its words was created in the meantime.
                ErasureOutcome::Shared(forks) => return Err(shared(&forks).into()),
            }
        }
        Ok(erased)
    }

    /// Cancels a debate that is still running. Does nothing for one that has ended, is erased, is damaged or has not begun.
    async fn end(&self, debate: DebateId) -> Result<(), ServiceError> {
        use RefusalKind::{Conflict, Erased, NotFound};
        match self.command(debate, Command::Cancel("erased".to_owned())).await {
            Err(ServiceError::Refused(it)) if matches!(it.kind, Conflict | Erased | NotFound) => Ok(()),
            Err(ServiceError::Fault(
                StoreError::Damaged { .. } | StoreError::StreamGap { .. } | StoreError::Locked { .. },
            )) => Ok(()),
            ended => ended.map(drop),
        }
    }
}

fn checked(order: &ErasureOrder) -> Result<(), Refusal> {
    for (what, text, most) in
        [("the reason", &order.reason, MAX_REASON_BYTES), ("the requester's name", &order.asked_by, MAX_ASKER_BYTES)]
    {
        if text.trim().is_empty() || text.len() > most || text.contains('\0') {
            return Err(Refusal::invalid(format!("{what} must be 1 to {most} bytes long and contain no NUL byte")));
        }
    }
    Ok(())
}

fn shared(forks: &[DebateId]) -> Refusal {
    let reason = format!(
        "{} from what is to be erased, or distilled anew from its talk: {}. Use --with-forks (withForks) to erase all of them",
        if forks.len() == 1 {
            "one debate was forked".to_owned()
        } else {
            format!("{} debates were forked", forks.len())
        },
        listed(forks),
    );
    Refusal::new(RefusalKind::Conflict, reason)
}

fn listed(debates: &[DebateId]) -> String {
    let mut ids: Vec<String> = debates.iter().take(MAX_LISTED).map(ToString::to_string).collect();
    if debates.len() > MAX_LISTED {
        ids.push(format!("and {} more", debates.len() - MAX_LISTED));
    }
    ids.join(", ")
}
