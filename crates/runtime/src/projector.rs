//! Projector: keeps the stored views up to date with the log.
//!
//! All processes on a database share this work as members. Each holds some lanes of the log: it follows them, folds the
//! debates that changed, and saves their rows and its position in one transaction ([`lane_projector`](crate::lane_projector)).
//! The rows serve queries across debates; a single debate is folded from its stream when it is read.
//!
//! Rows belong to a generation. If another is needed (there is none, the code's revision is newer, or an operator
//! requested one), every member builds its lanes of it beside the served one ([`rebuilder`](crate::rebuilder)), which is
//! kept up to date meanwhile. One member is the coordinator: it creates generations, cuts over to them in one transaction
//! when they have caught up, and deletes them ([`generation_coordinator`](crate::generation_coordinator)).

use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::generation_coordinator::GenerationCoordinator;
use crate::lane_projector::LaneProjector;
use crate::projector_worker::WakeUp;
use crate::rebuilder::LaneBuilder;
use faultline_core::verdicts::read_model::REVISION;
use faultline_store::follow::log_tail::Tail;
use faultline_store::lanes::LaneSet;
use faultline_store::log::log::Log;
use faultline_store::projector::projector_member::{Assignment, ProjectorMember};
use faultline_store::views::views::Views;

/// Pause before the next attempt to become a member.
const PAUSE: Duration = Duration::from_secs(1);

/// Worker that keeps the stored views up to date.
pub struct Projector {
    log: Log,
    tail: Tail,
    views: Views,
    /// True if it builds only requested generations.
    only_requested: bool,
}

impl Projector {
    /// Creates a projector over a log.
    pub fn new(log: Log, tail: Tail, views: Views) -> Projector {
        Projector { log, tail, views, only_requested: false }
    }

    /// Restricts the projector to generations that were requested: a newer revision of the code is no reason to build.
    pub fn only_requested(self) -> Projector {
        Projector { only_requested: true, ..self }
    }

    /// Projects until told to stop; waits while a process of an early version does.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        let mut is_reported = false;
        while !*stop.borrow() {
            match ProjectorMember::join(self.log.pool(), REVISION).await {
                Ok(Some(member)) => {
                    is_reported = false;
                    self.work(member.assignment(), &mut stop).await;
                    self.log.prefer_lanes(LaneSet::default());
                    member.leave().await;
                }
                Ok(None) => {}
                // Once for an outage, however often it is tried.
                Err(fault) if !std::mem::replace(&mut is_reported, true) => {
                    tracing::warn!(%fault, "the projector is waiting for the database");
                }
                Err(_) => {}
            }
            if !*stop.borrow() {
                tokio::select! {
                    _ = stop.changed() => {}
                    () = sleep(PAUSE) => {}
                }
            }
        }
    }

    /// Works as a member until the membership is over or the projector is told to stop. Nothing is left running afterwards: a
    /// worker that went on would find its database closed, and report that.
    async fn work(&self, mut assignment: watch::Receiver<Assignment>, stop: &mut watch::Receiver<bool>) {
        let (log, tail, views) = (self.log.clone(), self.tail.clone(), self.views.clone());
        let (mut work, wake_up) = (JoinSet::new(), WakeUp::new());
        let (given, only_requested) = (assignment.clone(), self.only_requested);
        work.spawn(LaneProjector::new(log.clone(), tail, views.clone(), given.clone(), wake_up.clone()).run());
        work.spawn(LaneBuilder::new(log.clone(), views.clone(), given.clone(), wake_up.clone()).run());
        work.spawn(GenerationCoordinator::new(log, views, given, wake_up, only_requested).run());
        tokio::select! {
            _ = stop.wait_for(|stops| *stops) => {}
            _ = assignment.wait_for(|assignment| assignment.is_over) => {}
            // None of them ends by itself, except by a panic.
            _ = work.join_next() => {}
        }
        work.shutdown().await;
    }
}
