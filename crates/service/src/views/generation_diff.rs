//! Comparison of the stored views of two generations, page by page.

use crate::views::stored_views::{ALL_VIEWS, DebateViews};
use crate::views::view_rows::VERDICT;
use faultline_core::events::ids::DebateId;
use faultline_core::verdicts::diff::stored_change::StoredChange;
use faultline_core::verdicts::diff::verdict_diff_stats::VerdictDiffStats;
use faultline_store::error::StoreError;
use faultline_store::views::views::Views;

/// Comparison of two generations that proceeds by pages of debates, ordered by id.
pub struct GenerationDiff {
    views: Views,
    /// Numbers of the generations.
    generations: (i32, i32),
    /// Debate after which the next page begins.
    after: Option<DebateId>,
    /// Statistics of the pages so far.
    pub stats: VerdictDiffStats,
}

/// Page of compared debates.
#[derive(Debug, Default)]
pub struct ComparedPage {
    /// Number of debates in the page; 0 at the end.
    pub n_debates: usize,
    /// Debates with differences other than the name of the algorithm.
    pub changed: Vec<ChangedDebate>,
}

/// Debate whose views differ.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangedDebate {
    /// Id of the debate.
    pub debate: DebateId,
    /// Topic of the debate.
    pub topic: String,
    /// Differences, by view.
    pub changes: Vec<StoredChange>,
}

impl GenerationDiff {
    /// Begins a comparison behind a debate; from the beginning if `None`.
    pub fn new(views: &Views, (before, after): (i32, i32), behind: Option<DebateId>) -> GenerationDiff {
        let stats = VerdictDiffStats::default();
        GenerationDiff { views: views.clone(), generations: (before, after), after: behind, stats }
    }

    /// Last debate that was compared, after which another comparison can continue.
    pub fn position(&self) -> Option<DebateId> {
        self.after
    }

    /// Compares the next page of debates, at most [`MAX_PAIRS`], and adds it to the statistics.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached, or a stored row is not valid JSON.
    ///
    /// [`MAX_PAIRS`]: faultline_store::generations::view_pairs::MAX_PAIRS
    pub async fn next_page(&mut self) -> Result<ComparedPage, StoreError> {
        let pairs = self.views.generations().pairs(VERDICT, self.generations, self.after).await?;
        let Some(last) = pairs.last() else { return Ok(ComparedPage::default()) };
        self.after = Some(last.debate);
        let debates: Vec<DebateId> = pairs.iter().map(|pair| pair.debate).collect();
        let old = DebateViews::stored(&self.views, self.generations.0, &debates).await?;
        let new = DebateViews::stored(&self.views, self.generations.1, &debates).await?;
        let mut page = ComparedPage { n_debates: pairs.len(), changed: Vec::new() };
        for pair in pairs {
            match (old.get(&pair.debate), new.get(&pair.debate)) {
                _ if pair.before.is_none() => self.stats.only_after += 1,
                _ if pair.after.is_none() => self.stats.only_before += 1,
                (Some(old), Some(new)) if !old.has_versions_of(new) => self.stats.moved += 1,
                (Some(old), Some(_)) if old.unreadable_verdict().is_some() => self.stats.unreadable += 1,
                (Some(old), Some(new)) => {
                    let changes: Vec<StoredChange> =
                        ALL_VIEWS.into_iter().flat_map(|view| old.changes(view, new)).collect();
                    let n_unchanged = self.stats.unchanged;
                    self.stats.add(pair.debate, &pair.topic, &changes);
                    if self.stats.unchanged == n_unchanged {
                        page.changed.push(ChangedDebate { debate: pair.debate, topic: pair.topic, changes });
                    }
                }
                // The rows were deleted since they were listed: the debate was erased.
                _ => self.stats.moved += 1,
            }
        }
        Ok(page)
    }
}
