//! Comparison of a debate's stored views with a fresh fold of the same events.

use crate::app::open_app::OpenApp;
use crate::cli::output::exit::CliError;
use faultline_core::events::ids::DebateId;
use faultline_core::verdicts::diff::stored_change::{StoredChange, StoredView};
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_service::views::stored_views::{ALL_VIEWS, DebateViews};
use faultline_store::error::StoreError;
use faultline_store::lanes::{Cursor, lane_of};
use faultline_store::log::verify::Chain;
use faultline_store::views::views::DEBATES;
use faultline_terminal::text::clean::clean;

/// Maximum number of differences of one view that are listed.
const MAX_CHANGES: usize = 20;

/// Served generation of views, and the log position up to which it was read.
pub struct ServedViews {
    generation: i32,
    cursor: Cursor,
}

/// Number of views compared, and the faults found.
pub type ViewComparison = (usize, Vec<String>);

impl ServedViews {
    /// Returns the served generation; `None` if there is none.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn now(app: &OpenApp) -> Result<Option<ServedViews>, StoreError> {
        let views = &app.store().views;
        let Some(generation) = views.served_generation(DEBATES).await? else { return Ok(None) };
        let cursor = views.reached(generation).await?;
        Ok(Some(ServedViews { generation, cursor }))
    }

    /// Compares all stored views of a debate whose hash chain is intact. A fault lists the differences of a view, at most 20
    /// of them.
    ///
    /// # Errors
    /// [`CliError::Fault`] if the database fails. Differences are returned, not reported as errors.
    pub async fn compare(&self, app: &OpenApp, debate: DebateId, chain: &Chain) -> Result<ViewComparison, CliError> {
        let stored = DebateViews::stored(&app.store().views, self.generation, &[debate]).await?;
        let stored = stored.into_values().next().unwrap_or_default();
        // The rows were read after the cursor, so they include everything before it.
        let is_passed = chain.position <= self.cursor.position(lane_of(debate));
        let mut folded: Option<(DebateReadModel, DebateViews)> = None;
        let (mut n_views, mut faults) = (0, Vec::new());
        for view in ALL_VIEWS {
            let stored_version = stored.version(view);
            let version = stored_version.unwrap_or(chain.version);
            let (read_model, computed) = match folded.take() {
                Some(folded) if folded.0.summary.version == version => folded,
                _ => {
                    let read_model = app.service().read_model(debate, Some(version)).await?;
                    let computed = DebateViews::computed(self.generation, debate, &read_model)?;
                    (read_model, computed)
                }
            };
            let name = name(view);
            if stored_version.is_some() {
                n_views += 1;
                let changes = stored.changes(view, &computed);
                if !changes.is_empty() {
                    faults.push(format!(
                        "debate {debate}: the stored {name} differs from the fold of its first {version} events: {}",
                        listed(&changes)
                    ));
                }
                if is_passed && version < chain.version {
                    let latest = chain.version;
                    faults.push(format!(
                        "debate {debate}: the stored {name} is at version {version}, but the log was at version {latest} \
                         when it was updated"
                    ));
                }
            } else if is_passed && read_model.summary.opened_at.is_some() {
                faults.push(format!("debate {debate}: the stored {name} is missing"));
            }
            folded = Some((read_model, computed));
        }
        Ok((n_views, faults))
    }
}

fn name(view: StoredView) -> &'static str {
    match view {
        StoredView::Listing => "row of the list of debates",
        StoredView::Summary => "summary",
        StoredView::Verdict => "verdict",
        StoredView::Cruxes => "list of cruxes",
        StoredView::Disputes => "list of disputes",
    }
}

/// Lists differences in one line. Their texts are untrusted.
fn listed(changes: &[StoredChange]) -> String {
    let shown: Vec<String> = changes.iter().take(MAX_CHANGES).map(ToString::to_string).collect();
    let more = match changes.len().saturating_sub(MAX_CHANGES) {
        0 => String::new(),
        n => format!("; {n} more"),
    };
    clean(&shown.join("; ")).replace('\n', " ") + &more
}
