//! `faultline list`: lists debates.

use chrono::Utc;
use serde_json::json;

use crate::app::app::App;
use crate::cli::args::List;
use crate::cli::catch_up::catch_up;
use crate::cli::exit::CliError;
use crate::cli::out::{json_line, print};
use crate::cli::screen;
use crate::cli::stage::list::{Row, list};
use crate::config::Config;
use crate::store::debates::{DebateRow, Filter, Toward};

/// Lists debates.
///
/// # Errors
/// [`CliError::Usage`] if a persona id is malformed; [`CliError::Fault`] if the database fails.
pub async fn run(config: &Config, args: List) -> Result<(), CliError> {
    let persona = args.persona.as_deref().map(str::parse).transpose();
    let persona = persona.map_err(|it: crate::events::ids::Misnamed| CliError::Usage(it.to_string()))?;
    let filter = Filter { status: args.status, engine: args.engine, persona, topic: args.search };
    let mut app = App::open(config, &screen::tell()).await?;
    let listed = async {
        catch_up(&mut app).await?;
        let reads = app.reads();
        let views = &reads.now().await.views;
        let generation = views.shown().await?;
        let lines = views.list(generation, &filter, None, Toward::Older, i64::from(args.first)).await?;
        if args.json {
            return json_line(&json!(lines.rows.iter().map(as_json).collect::<Vec<_>>()));
        }
        let rows: Vec<Row> = lines.rows.iter().map(told).collect();
        print(&list(&rows, screen::look()))
    };
    let listed = listed.await;
    app.close().await;
    listed
}

fn as_json(row: &DebateRow) -> serde_json::Value {
    json!({
        "id": row.debate,
        "topic": row.topic,
        "engine": row.engine,
        "provider": row.provider,
        "status": row.status,
        "regime": row.regime,
        "version": row.version,
        "turns": row.n_turns,
        "tokens": row.tokens,
        "costMicros": row.cost_micros,
        "openedAt": row.opened_at,
        "endedAt": row.ended_at,
        "personas": row.participants,
    })
}

fn told(row: &DebateRow) -> Row {
    Row {
        debate: row.debate,
        topic: row.topic.clone(),
        engine: row.engine.clone(),
        status: serde_json::from_value(json!(row.status)).unwrap_or_default(),
        regime: row.regime.as_ref().and_then(|it| serde_json::from_value(json!(it)).ok()),
        turns: u32::try_from(row.n_turns).unwrap_or(u32::MAX),
        age: Utc::now() - row.opened_at,
    }
}
