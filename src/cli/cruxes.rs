//! `faultline cruxes`: what debates turn on, all of them together.

use chrono::Utc;
use serde_json::{Value, json};

use crate::app::app::App;
use crate::cli::args::Cruxes;
use crate::cli::catch_up::catch_up;
use crate::cli::exit::CliError;
use crate::cli::out::{json_line, print};
use crate::cli::screen;
use crate::cli::stage::cruxes::{Row, cruxes};
use crate::config::Config;
use crate::events::ids::Misnamed;
use crate::store::cruxes::{CruxFilter, CruxOrder, CruxPart, StoredCrux};
use crate::store::debates::{SEARCH_CHARS, Toward};
use crate::store::fault::Fault;
use crate::verdicts::board::REVISION;
use crate::verdicts::crux_name::CruxName;
use crate::verdicts::cruxes::Crux;

/// Lists cruxes, those that came to be last first.
///
/// # Errors
/// Where a persona's name is none, a search is too long, or something of ours fails.
pub async fn run(config: &Config, args: Cruxes) -> Result<(), CliError> {
    let filter = filter(&args)?;
    let limit = i64::from(args.first);
    let part = CruxPart { from: None, toward: Toward::Older, limit, counted: false };
    let mut app = App::open(config, &screen::tell()).await?;
    let listed = async {
        catch_up(&mut app, config).await?;
        let found = app.store().views.cruxes(REVISION, &filter, CruxOrder::Newest, &part).await?;
        let read = |it: &StoredCrux| serde_json::from_str(&it.body).map_err(Fault::json("read a stored crux"));
        let read: Vec<Crux> = found.rows.iter().map(read).collect::<Result<_, _>>()?;
        if args.json {
            return json_line(&found.rows.iter().zip(&read).map(as_json).collect::<Vec<_>>());
        }
        let now = Utc::now();
        let rows = found.rows.iter().zip(read);
        let rows: Vec<Row> =
            rows.map(|(row, crux)| Row { debate: row.debate(), crux, age: now - row.opened_at }).collect();
        print(&cruxes(&rows, found.more, screen::look()))
    };
    let listed = listed.await;
    app.close().await;
    listed
}

fn filter(args: &Cruxes) -> Result<CruxFilter, CliError> {
    let persona = args.persona.as_deref().map(str::parse).transpose();
    let persona = persona.map_err(|it: Misnamed| CliError::Usage(it.to_string()))?;
    if args.search.as_ref().is_some_and(|it| it.chars().count() > SEARCH_CHARS) {
        return Err(CliError::Usage(format!("--search takes at most {SEARCH_CHARS} characters")));
    }
    Ok(CruxFilter {
        persona,
        kind: args.kind.clone(),
        open: (args.open || args.resolved).then_some(args.open),
        search: args.search.clone().filter(|it| !it.trim().is_empty()),
        ..CruxFilter::default()
    })
}

fn as_json((row, crux): (&StoredCrux, &Crux)) -> Value {
    json!({
        "id": CruxName { debate: row.debate(), key: crux.key }.to_string(),
        "debateId": row.debate(),
        "rank": row.place,
        "kind": crux.origin.name(),
        "open": crux.open,
        "statement": crux.statement,
        "question": crux.question,
        "why": crux.why,
        "pivotality": crux.pivotality,
        "order": crux.consequence.and_then(|it| it.order),
        "dependents": crux.dependents,
        "assumptions": crux.assumptions,
        "positions": crux.positions,
        "turns": crux.turns,
        "openedAt": row.opened_at,
        "changedAt": row.changed_at,
    })
}
