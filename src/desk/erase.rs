//! Erasure: debates and personas that are to be forgotten.
//!
//! What cannot be forgotten without something else is refused with its names, before anything is destroyed: a debate whose
//! forks share its past, a debate that was recorded in plain. A debate that still runs is ended first, so that whoever
//! watches it is told. Each debate goes in one transaction; whoever is cut off asks again.

use std::collections::BTreeSet;

use crate::desk::audit;
use crate::desk::desk::{Desk, DeskError};
use crate::events::ids::{DebateId, PersonaId};
use crate::kernel::command::Command;
use crate::kernel::engine::{Refusal, RefusalKind};
use crate::store::erasure::{Erasure, Order, Outcome};
use crate::store::fault::Fault;
use crate::store::lanes::LANES;

/// Bytes of a reason at most.
pub const REASON_BYTES: usize = 1_000;
/// Bytes of the name of who asks at most.
pub const ASKER_BYTES: usize = 256;
/// Names in one refusal at most.
const TOLD: usize = 10;

/// What is to be erased along, and at whose word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Erasing {
    /// At whose word, and why.
    pub order: Order,
    /// Whether forks that share the past go too.
    pub with_forks: bool,
    /// Whether it is enough to hide what was recorded in plain.
    pub hide_plain: bool,
}

impl Desk {
    /// Erases a debate, and its forks where that is wanted; the records, the debate's own last. Asked again, the records are
    /// those of the first time.
    ///
    /// # Errors
    /// [`DeskError::Refused`] where there is no such debate, where forks share its past, and where it was recorded in plain,
    /// unless that is wanted so; and where the reason is too long or empty.
    pub async fn erase(&self, debate: DebateId, erasing: &Erasing) -> Result<Vec<Erasure>, DeskError> {
        checked(&erasing.order)?;
        if self.log().head(debate).await? == 0 {
            return Err(Refusal::new(RefusalKind::NotFound, format!("there is no debate {debate}")).into());
        }
        let debates = self.whole(&[debate], erasing).await?;
        self.erase_each(&debates, &erasing.order).await
    }

    /// Erases a persona: every debate in which it takes part, what it wrote, and all its versions; the records, the
    /// persona's own last.
    ///
    /// # Errors
    /// [`DeskError::Refused`] where it is neither in a debate nor in the library; else as [`Desk::erase`].
    pub async fn erase_persona(&self, persona: &PersonaId, erasing: &Erasing) -> Result<Vec<Erasure>, DeskError> {
        checked(&erasing.order)?;
        let debates = self.debates_with(persona).await?;
        let log = self.log();
        if debates.is_empty() && !log.knows(persona).await? {
            let reason = format!("no debate and no passage is left of a persona {persona}");
            return Err(Refusal::new(RefusalKind::NotFound, reason).into());
        }
        let debates = self.whole(&debates, erasing).await?;
        let mut erased = self.erase_each(&debates, &erasing.order).await?;
        erased.push(log.erase_persona(persona, &erasing.order).await?);
        audit::done(self.actor(), "erase persona", persona);
        Ok(erased)
    }

    /// The debates in which a persona takes part, by what they were opened with: stored rows may be behind the log.
    async fn debates_with(&self, persona: &PersonaId) -> Result<Vec<DebateId>, DeskError> {
        let mut debates = Vec::new();
        for lane in 0..LANES {
            let mut after = None;
            loop {
                let (found, last) = self.log().debates_with(persona, lane, after).await?;
                debates.extend(found);
                if last.is_none() {
                    break;
                }
                after = last;
            }
        }
        Ok(debates)
    }

    /// These debates with the forks that share their past, forks before what they were forked from.
    async fn whole(&self, debates: &[DebateId], erasing: &Erasing) -> Result<Vec<DebateId>, DeskError> {
        let named: BTreeSet<DebateId> = debates.iter().copied().collect();
        let (mut whole, mut met, mut others) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        for debate in debates {
            for it in self.log().forks_of(*debate).await?.into_iter().chain([*debate]) {
                if !named.contains(&it) {
                    others.insert(it);
                }
                if met.insert(it) {
                    whole.push(it);
                }
            }
        }
        if !others.is_empty() && !erasing.with_forks {
            return Err(shared(&others.into_iter().collect::<Vec<_>>()).into());
        }
        if !erasing.hide_plain {
            let mut plain = Vec::new();
            for debate in &whole {
                if self.log().erasure(*debate).await?.is_none() && self.log().is_plain(*debate).await? {
                    plain.push(*debate);
                }
            }
            if !plain.is_empty() {
                let reason = format!(
                    "{} recorded in plain, before sealing or without it, and cannot be made unreadable: {}. They can be \
                     hidden: --hide-plain (hidePlain) deletes all that was made from them and shows them no more, but who \
                     has the database still reads their bodies in the log",
                    if plain.len() == 1 { "this debate was" } else { "these debates were" },
                    listed(&plain),
                );
                return Err(Refusal::new(RefusalKind::Conflict, reason).into());
            }
        }
        Ok(whole)
    }

    async fn erase_each(&self, debates: &[DebateId], order: &Order) -> Result<Vec<Erasure>, DeskError> {
        let mut erased = Vec::with_capacity(debates.len());
        for debate in debates {
            self.end(*debate).await?;
            match self.log().erase(*debate, order).await? {
                Outcome::Erased(it) => {
                    audit::done(self.actor(), "erase", debate);
                    erased.push(it);
                }
                // Forked while we were at it.
                Outcome::Shared(forks) => return Err(shared(&forks).into()),
            }
        }
        Ok(erased)
    }

    /// Ends a debate that still runs. One that is over, erased or damaged needs no end.
    async fn end(&self, debate: DebateId) -> Result<(), DeskError> {
        match self.command(debate, Command::Cancel("erased".to_owned())).await {
            Err(DeskError::Refused(it)) if matches!(it.kind, RefusalKind::Conflict | RefusalKind::Erased) => Ok(()),
            Err(DeskError::Fault(Fault::Damaged { .. } | Fault::StreamGap { .. } | Fault::Locked { .. })) => Ok(()),
            ended => ended.map(drop),
        }
    }
}

fn checked(order: &Order) -> Result<(), Refusal> {
    for (what, text, most) in [("a reason", &order.reason, REASON_BYTES), ("who asks", &order.asked_by, ASKER_BYTES)] {
        if text.trim().is_empty() || text.len() > most || text.contains('\0') {
            return Err(Refusal::invalid(format!("{what} is told in 1 to {most} bytes, without a zero byte")));
        }
    }
    Ok(())
}

fn shared(forks: &[DebateId]) -> Refusal {
    let reason = format!(
        "{} from what is to be erased and would lose {} past: {}. Erase all of them with --with-forks (withForks)",
        if forks.len() == 1 {
            "one debate was forked".to_owned()
        } else {
            format!("{} debates were forked", forks.len())
        },
        if forks.len() == 1 { "its" } else { "their" },
        listed(forks),
    );
    Refusal::new(RefusalKind::Conflict, reason)
}

fn listed(debates: &[DebateId]) -> String {
    let mut told: Vec<String> = debates.iter().take(TOLD).map(ToString::to_string).collect();
    if debates.len() > TOLD {
        told.push(format!("and {} more", debates.len() - TOLD));
    }
    told.join(", ")
}
