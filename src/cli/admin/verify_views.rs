//! Comparison of a debate's stored views with a fresh fold of the same events.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::app::open_app::OpenApp;
use crate::cli::output::exit::CliError;
use crate::runtime::view_rows::{SUMMARY, VERDICT, project};
use faultline_core::events::ids::DebateId;
use faultline_core::projections::summary::Summary;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_core::verdicts::verdict::Verdict;
use faultline_store::error::StoreError;
use faultline_store::generations::save::ViewChanges;
use faultline_store::lanes::{Cursor, lane_of};
use faultline_store::log::verify::Chain;
use faultline_store::views::crux_writes::{CruxRow, DebateCruxes};
use faultline_store::views::dispute_writes::DebateDisputes;
use faultline_store::views::views::DEBATES;
use faultline_store::views::views::replace_nul;

/// Names of the views compared for each debate.
const VIEWS: [&str; 4] = ["summary", "verdict", "list of cruxes", "list of disputes"];

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
        let cursor = views.checkpoint(DEBATES, generation).await?.unwrap_or_default();
        Ok(Some(ServedViews { generation, cursor }))
    }

    /// Compares all stored views of a debate whose hash chain is intact.
    ///
    /// # Errors
    /// [`CliError::Fault`] if the database fails. Differences are returned, not reported as errors.
    pub async fn compare(&self, app: &OpenApp, debate: DebateId, chain: &Chain) -> Result<ViewComparison, CliError> {
        let stored = self.stored(app, debate).await?;
        // The rows were read after the cursor, so they include everything before it.
        let is_passed = chain.position <= self.cursor.position(lane_of(debate));
        let mut folded: Option<DebateReadModel> = None;
        let (mut n_views, mut faults) = (0, Vec::new());
        for (place, (name, stored)) in VIEWS.iter().zip(stored).enumerate() {
            let version = stored.as_ref().map_or(chain.version, |stored| stored.0);
            let read_model = match folded.take() {
                Some(read_model) if read_model.summary.version == version => read_model,
                _ => app.service().read_model(debate, Some(version)).await?,
            };
            match stored {
                None if is_passed && read_model.summary.opened_at.is_some() => {
                    faults.push(format!("debate {debate}: the stored {name} is missing"));
                }
                None => {}
                Some((version, stored)) => {
                    n_views += 1;
                    if stored != self.folded_views(debate, &read_model)?[place] {
                        faults.push(format!(
                            "debate {debate}: the stored {name} differs from the fold of its first {version} events"
                        ));
                    }
                    if is_passed && version < chain.version {
                        let latest = chain.version;
                        faults.push(format!(
                            "debate {debate}: the stored {name} is at version {version}, but the log was at version \
                            {latest} when it was updated"
                        ));
                    }
                }
            }
            folded = Some(read_model);
        }
        Ok((n_views, faults))
    }

    /// Returns the stored views with their versions, in the order of [`VIEWS`].
    async fn stored(&self, app: &OpenApp, debate: DebateId) -> Result<[Option<(i64, Value)>; VIEWS.len()], StoreError> {
        let views = &app.store().views;
        let summary = views.load::<Summary>(SUMMARY, self.generation, debate).await?;
        let verdict = views.load::<Verdict>(VERDICT, self.generation, debate).await?;
        let cruxes = views.cruxes_of(self.generation, debate).await?;
        let disputes = views.stored_disputes(self.generation, debate).await?;
        Ok([
            summary.map(|summary| (summary.version, json!(summary.value))),
            verdict.map(|verdict| (verdict.version, json!(verdict.value))),
            cruxes.map(|cruxes| crux_facts(&cruxes).map(|facts| (cruxes.version, facts))).transpose()?,
            disputes.map(|(version, rows)| (version, json!(rows))),
        ])
    }

    /// Computes the views that should be stored, in the order of [`VIEWS`].
    fn folded_views(&self, debate: DebateId, read_model: &DebateReadModel) -> Result<[Value; VIEWS.len()], StoreError> {
        let mut rows = ViewChanges::default();
        project(&mut rows, self.generation, debate, read_model)?;
        let body =
            |name: &str| rows.views.iter().find(|view| view.projection == name).map_or("null", |view| view.body.get());
        Ok([
            json!(read::<Option<Summary>>(body(SUMMARY))?),
            json!(read::<Option<Verdict>>(body(VERDICT))?),
            rows.cruxes.first().map(crux_facts).transpose()?.unwrap_or_default(),
            json!(rows.disputes.first().map(DebateDisputes::normalized).transpose()?),
        ])
    }
}

/// Deserializes a view as it would be read back from the database.
fn read<T: DeserializeOwned>(body: &str) -> Result<T, StoreError> {
    serde_json::from_str(&replace_nul(body)).map_err(StoreError::json("read a fresh view"))
}

/// Returns the stored data of all cruxes, in order.
fn crux_facts(of: &DebateCruxes) -> Result<Value, StoreError> {
    let facts: Vec<Value> = of.rows.iter().map(CruxRow::normalized).collect::<Result<_, _>>()?;
    Ok(json!(facts))
}
