//! Debates from lists: those of listed cruxes and disputes, and those of the rows of a list.

use std::collections::HashMap;
use std::sync::Arc;

use async_graphql::{Context, Result};

use crate::api::batching::debate_batch::DebateBatch;
use crate::api::error::from_fault;
use crate::api::loading::folded_debates::folded;
use crate::api::types::debate::debate::Debate;
use crate::api::types::debate::debate_ref::{DebateLoader, DebateRef};
use faultline_core::events::ids::DebateId;
use faultline_core::projections::summary::{Status, Summary};
use faultline_store::views::debates::{DebateRow, DebateSummaryRow};
use faultline_store::views::views::Views;

impl DebateLoader {
    /// Returns one of the debates.
    pub async fn debate(&self, context: &Context<'_>, debate: DebateId) -> Result<Arc<Debate>> {
        let read = async || listed(context, self.generation, &self.debates).await;
        match self.found.get_or_try_init(read).await?.get(&debate) {
            Some(debate) => Ok(Arc::clone(debate)),
            None => folded(context, debate, None).await.map(Arc::new),
        }
    }
}

impl DebateRef {
    /// Returns the debate with this id, which the reference is to.
    pub async fn load(&self, context: &Context<'_>, debate: DebateId) -> Result<Arc<Debate>> {
        match self {
            DebateRef::Known(debate) => Ok(Arc::clone(debate)),
            DebateRef::Listed(loader) => loader.debate(context, debate).await,
        }
    }
}

/// Reads debates from a generation, with one statement; debates that it lacks are omitted.
///
/// # Errors
/// The codes of [`from_fault`] if the database fails.
pub async fn listed(
    context: &Context<'_>,
    generation: i32,
    debates: &[DebateId],
) -> Result<HashMap<DebateId, Arc<Debate>>> {
    if debates.is_empty() {
        return Ok(HashMap::new());
    }
    let lines = context.data::<Views>()?.lines_of(generation, debates).await.map_err(|error| from_fault(&error))?;
    let loaded = debates_of_rows(context, &lines, false).await?;
    Ok(lines.iter().map(|line| line.row.debate).zip(loaded).collect())
}

/// Builds the debates of some lines of one generation, in their order. `brief` means that only column fields are
/// selected.
///
/// # Errors
/// The codes of [`from_fault`] if the database fails.
pub async fn debates_of_rows(
    context: &Context<'_>,
    lines: &[DebateSummaryRow],
    brief: bool,
) -> Result<Vec<Arc<Debate>>> {
    let read = |line: &DebateSummaryRow| match &line.summary {
        Some(summary) => serde_json::from_str::<Summary>(summary).ok(),
        None => brief.then(|| in_brief(&line.row)).flatten(),
    };
    let summaries: Vec<Option<Summary>> = lines.iter().map(read).collect();
    let versions = lines.iter().zip(&summaries).filter_map(|(line, of)| Some((line.row.debate, of.as_ref()?.version)));
    let generation = lines.first().map_or(0, |line| line.row.generation);
    let batch = Arc::new(DebateBatch::load_listed(generation, versions.collect()));
    let mut debates = Vec::with_capacity(lines.len());
    for (line, summary) in lines.iter().zip(summaries) {
        debates.push(Arc::new(match summary {
            Some(summary) => Debate::from_summary(&summary, Arc::clone(&batch))?,
            // Another build wrote the line in a different schema.
            None => folded(context, line.row.debate, None).await?,
        }));
    }
    Ok(debates)
}

/// Builds a summary from the columns of a row; `None` if another build wrote it.
fn in_brief(row: &DebateRow) -> Option<Summary> {
    Some(Summary {
        debate: Some(row.debate),
        topic: row.topic.clone(),
        engine: row.engine.clone(),
        provider: row.provider.clone(),
        status: Status::named(&row.status)?,
        phase: row.phase.clone(),
        version: row.version,
        opened_at: Some(row.opened_at),
        updated_at: Some(row.changed_at),
        ended_at: row.ended_at,
        n_turns: u32::try_from(row.n_turns).ok()?,
        ..Summary::default()
    })
}
