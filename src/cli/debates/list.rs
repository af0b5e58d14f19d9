//! `faultline list`: lists debates.

use chrono::{SecondsFormat, Utc};
use serde_json::json;

use crate::app::open_app::OpenApp;
use crate::cli::args::debates::ListArgs;
use crate::cli::catch_up::catch_up;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::pager::page;
use crate::cli::output::records::{is_piped, record};
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_core::events::ids::PersonaId;
use faultline_core::projections::proposals::RefinementAverages;
use faultline_service::service::DebateService;
use faultline_store::views::debates::{DebateRow, PageDirection};
use faultline_terminal::tables::list::{DebateListRow, list};

/// Lists debates.
///
/// # Errors
/// [`CliError::Usage`] if a persona id is malformed; [`CliError::Fault`] if the database fails.
pub async fn run(config: &Config, args: ListArgs) -> Result<(), CliError> {
    let filter = args.filter.query()?;
    let mut app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let listed = async {
        catch_up(&mut app).await?;
        let reads = app.read_router(None);
        let views = &reads.now().await.views;
        let generation = views.generation_to_read().await?;
        let lines = views.list(generation, &filter, None, PageDirection::Older, i64::from(args.first)).await?;
        if args.averages {
            return averages(app.service(), &lines.rows, args.json).await.map(|()| String::new());
        }
        if args.json {
            json_line(&json!(lines.rows.iter().map(as_json).collect::<Vec<_>>()))?;
            return Ok(String::new());
        }
        if is_piped() {
            print(&lines.rows.iter().map(as_record).collect::<String>())?;
            return Ok(String::new());
        }
        let rows: Vec<DebateListRow> = lines.rows.iter().map(list_row).collect();
        Ok::<_, CliError>(list(&rows, terminal::terminal_style()))
    };
    let listed = listed.await;
    app.close().await;
    page(&listed?)
}

fn as_record(row: &DebateRow) -> String {
    let personas: Vec<&str> = row.participants.iter().map(PersonaId::as_str).collect();
    let opened = row.opened_at.to_rfc3339_opts(SecondsFormat::Secs, true);
    record([
        &row.debate.to_string(),
        &row.status,
        row.regime.as_deref().unwrap_or_default(),
        &row.engine,
        &row.provider,
        &row.n_turns.to_string(),
        &opened,
        &personas.join(","),
        &row.topic,
    ])
}

/// Prints averages over the proposals of debates.
async fn averages(service: &DebateService, rows: &[DebateRow], json: bool) -> Result<(), CliError> {
    let debates: Vec<_> = rows.iter().map(|row| (row.debate, row.version)).collect();
    let read_models = service.read_models(&debates).await?;
    let found: Vec<_> = read_models.iter().filter_map(|read_model| read_model.proposals.refinement()).collect();
    let averages = RefinementAverages::of(&found);
    if json {
        return json_line(&json!(averages));
    }
    let Some(averages) = averages else {
        return print(&format!("None of the {} listed debates has a proposal.\n", rows.len()));
    };
    let RefinementAverages { debates, rounds, initial_confidence, final_confidence, improvement, issues, .. } =
        averages;
    let answered =
        averages.answered_share.map(|share| format!(", {:.0} % answered", share * 100.0)).unwrap_or_default();
    print(&format!(
        "{debates} debates with proposals\n\
         rounds       {rounds:.1} on average\n\
         confidence   {initial_confidence:.2} to {final_confidence:.2} ({improvement:+.2}), as the speakers state it\n\
         issues       {issues:.1} on average{answered}\n"
    ))
}

fn as_json(row: &DebateRow) -> serde_json::Value {
    json!({
        "id": row.debate,
        "topic": row.topic,
        "engine": row.engine,
        "provider": row.provider,
        "status": row.status.to_uppercase(),
        "regime": row.regime.as_ref().map(|regime| json!({ "kind": regime.to_uppercase() })),
        "outcome": row.outcome.as_ref().map(|outcome| json!({ "kind": outcome.to_uppercase() })),
        "version": row.version,
        "turnCount": row.n_turns,
        "tokens": row.tokens,
        "usage": { "costMicros": row.cost_micros },
        "openedAt": row.opened_at,
        "updatedAt": row.changed_at,
        "endedAt": row.ended_at,
        "participants": row.participants.iter().map(|id| json!({ "personaId": id })).collect::<Vec<_>>(),
    })
}

fn list_row(row: &DebateRow) -> DebateListRow {
    DebateListRow {
        debate: row.debate,
        topic: row.topic.clone(),
        engine: row.engine.clone(),
        status: serde_json::from_value(json!(row.status)).unwrap_or_default(),
        regime: row.regime.as_ref().and_then(|regime| serde_json::from_value(json!(regime)).ok()),
        turns: u32::try_from(row.n_turns).unwrap_or(u32::MAX),
        age: Utc::now() - row.opened_at,
    }
}
