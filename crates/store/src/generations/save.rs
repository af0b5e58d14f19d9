//! Saves changes of stored rows: views, lists, persona versions, questions, dead letters and progress.
//!
//! Rows and their checkpoint are saved in one transaction, so after a crash the projector continues where the rows end.

use std::collections::BTreeSet;

use sqlx::PgConnection;
use uuid::Uuid;

use crate::database::erased::erased_among;
use crate::error::StoreError;
use crate::generations::generation_progress;
use crate::generations::generation_progress::{LanePosition, LaneProgress};
use crate::projector::save_fence::begin_fenced;
use crate::questions::texts;
use crate::views::crux_writes;
use crate::views::crux_writes::DebateCruxes;
use crate::views::dead_letters;
use crate::views::dead_letters::{LetterOwner, NewDeadLetter};
use crate::views::debate_writes;
use crate::views::debates::DebateRow;
use crate::views::dispute_writes;
use crate::views::dispute_writes::DebateDisputes;
use crate::views::editions;
use crate::views::editions::DebateCast;
use crate::views::views;
use crate::views::views::{Checkpoint, ViewRow, Views};
use faultline_core::events::ids::DebateId;

/// Changes saved in one transaction.
#[derive(Clone, Debug, Default)]
pub struct ViewChanges {
    /// Views; of several for one debate only the newest counts.
    pub views: Vec<ViewRow>,
    /// Summary rows of the list; of several for one debate only the newest counts.
    pub debates: Vec<DebateRow>,
    /// Cruxes of debates whose summary rows are saved too; each debate at most once.
    pub cruxes: Vec<DebateCruxes>,
    /// Participants of debates.
    pub casts: Vec<DebateCast>,
    /// Disputes of debates whose summary rows are saved too; each debate at most once.
    pub disputes: Vec<DebateDisputes>,
    /// Progress in the log that these rows include.
    pub checkpoints: Vec<Checkpoint>,
    /// Progress in each lane, of a generation that is being built debate by debate.
    pub lanes: Vec<LaneProgress>,
    /// Positions in lanes that these rows include, of a generation that follows the log. A position only grows.
    pub positions: Vec<LanePosition>,
    /// Events that could not be read.
    pub letters: Vec<NewDeadLetter>,
    /// Debates that can be read again, with the readers that could not read them.
    pub resolved: Vec<(LetterOwner, DebateId)>,
}

impl ViewChanges {
    /// Returns the lanes whose progress is saved, in order.
    fn lanes_saved(&self) -> Vec<i16> {
        let built = self.lanes.iter().map(|progress| progress.lane);
        let lanes: BTreeSet<i16> = built.chain(self.positions.iter().map(|reached| reached.lane)).collect();
        lanes.into_iter().collect()
    }

    /// Returns the changes without those of erased debates; `None` if no debate was erased. The remaining debates
    /// cannot be erased before the transaction ends.
    async fn spared(&self, connection: &mut PgConnection) -> Result<Option<ViewChanges>, StoreError> {
        let debates: BTreeSet<DebateId> = self
            .views
            .iter()
            .map(|view| view.debate)
            .chain(self.debates.iter().map(|row| row.debate))
            .chain(self.cruxes.iter().map(|cruxes| cruxes.debate))
            .chain(self.casts.iter().map(|cast| cast.debate))
            .chain(self.disputes.iter().map(|disputes| disputes.debate))
            .collect();
        if debates.is_empty() {
            return Ok(None);
        }
        let erased = erased_among(connection, &debates.into_iter().collect::<Vec<_>>()).await?;
        if erased.is_empty() {
            return Ok(None);
        }
        let mut spared = self.clone();
        spared.views.retain(|view| !erased.contains(&view.debate));
        spared.debates.retain(|row| !erased.contains(&row.debate));
        spared.cruxes.retain(|cruxes| !erased.contains(&cruxes.debate));
        spared.casts.retain(|cast| !erased.contains(&cast.debate));
        spared.disputes.retain(|disputes| !erased.contains(&disputes.debate));
        Ok(Some(spared))
    }
}

impl Views {
    /// Saves rows and checkpoints in one transaction. Skips rows of debates that were erased in the meantime.
    ///
    /// # Errors
    /// [`StoreError::Superseded`] if another process has taken over from the one whose fence these views have; any other
    /// [`StoreError`] if the database cannot be reached or refuses a statement. Then nothing was saved, or everything.
    pub async fn save(&self, changes: &ViewChanges) -> Result<(), StoreError> {
        let attempt = StoreError::database("save views");
        let mut transaction = begin_fenced(&self.pool, &attempt).await?;
        // Before anything is written: a save that has to wait for a cut-over must hold no lock that the cut-over needs.
        if let Some(fence) = &self.fence {
            fence.confirm(&mut transaction, &changes.lanes_saved()).await?;
        }
        let spared = changes.spared(&mut transaction).await?;
        let changes = spared.as_ref().unwrap_or(changes);
        views::save_views(&mut transaction, &changes.views).await?;
        debate_writes::save(&mut transaction, &changes.debates).await?;
        crux_writes::save(&mut transaction, &changes.cruxes).await?;
        editions::save(&mut transaction, &changes.casts).await?;
        dispute_writes::save(&mut transaction, &changes.disputes).await?;
        let with_cruxes = changes.cruxes.iter().filter(|cruxes| !cruxes.rows.is_empty());
        let with_cruxes = with_cruxes.map(|cruxes| (cruxes.generation, cruxes.debate.0));
        let with_disputes = changes.disputes.iter().filter(|disputes| !disputes.rows.is_empty());
        let with_disputes = with_disputes.map(|disputes| (disputes.generation, disputes.debate.0));
        let moved: BTreeSet<(i32, Uuid)> = with_cruxes.chain(with_disputes).collect();
        texts::save(&mut transaction, &moved.into_iter().collect::<Vec<_>>()).await?;
        views::save_checkpoints(&mut transaction, &changes.checkpoints).await?;
        generation_progress::save(&mut transaction, &changes.lanes).await?;
        generation_progress::save_positions(&mut transaction, &changes.positions).await?;
        dead_letters::save(&mut transaction, &changes.letters).await?;
        dead_letters::delete_resolved(&mut transaction, &changes.resolved).await?;
        transaction.commit().await.map_err(attempt)
    }
}
