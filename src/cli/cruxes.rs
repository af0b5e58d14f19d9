//! `faultline cruxes`: lists cruxes across debates.

use std::time::Duration;

use chrono::Utc;
use serde_json::{Value, json};

use crate::app::app::App;
use crate::cli::args::Cruxes;
use crate::cli::catch_up::catch_up;
use crate::cli::exit::CliError;
use crate::cli::out::{json_line, print};
use crate::cli::screen;
use crate::cli::stage::cruxes::{Row, cruxes};
use crate::cli::stage::recurring::clusters;
use crate::config::Config;
use crate::desk::reads::Readers;
use crate::desk::recurring::{Cluster, Held, Neighbour, SideIn};
use crate::events::ids::Misnamed;
use crate::store::cruxes::{CruxFilter, CruxOrder, CruxPart, StoredCrux};
use crate::store::debates::{SEARCH_CHARS, Toward};
use crate::store::fault::Fault;
use crate::store::questions::near::AskedBy;
use crate::store::questions::search::SCORE;
use crate::verdicts::crux_name::CruxName;
use crate::verdicts::cruxes::Crux;

/// Maximum time to wait for missing embeddings.
const PATIENCE: Duration = Duration::from_secs(20);
/// Maximum number of recurring questions listed.
const CLUSTERS: u32 = 100;

/// Lists cruxes, newest first, or best match first with a search; or lists recurring questions.
///
/// # Errors
/// [`CliError::Usage`] if a persona id is malformed or a search is too long; [`CliError::Fault`] if the service fails.
pub async fn run(config: &Config, args: Cruxes) -> Result<(), CliError> {
    let filter = filter(&args)?;
    let mut app = App::open(config, &screen::tell()).await?;
    let listed = async {
        catch_up(&mut app).await?;
        if args.recurring {
            by_meaning(&mut app, config).await?;
            return recurring(&app, &filter, &args).await;
        }
        let search = args.search.as_ref().map(|it| it.trim()).filter(|it| !it.is_empty());
        if search.is_some() {
            by_meaning(&mut app, config).await?;
        }
        list(&app, &filter, search, &args).await
    };
    let listed = listed.await;
    app.close().await;
    listed
}

/// Opens the embedder and embeds questions that no service has embedded yet. Problems cause a warning on stderr, not an
/// error: the search then matches by words only.
async fn by_meaning(app: &mut App, config: &Config) -> Result<(), CliError> {
    app.embed(config, &screen::tell()).await?;
    if let Some(remark) = app.remark() {
        eprintln!("faultline: {remark}");
    }
    let Some(keeper) = app.keeper() else { return Ok(()) };
    match tokio::time::timeout(PATIENCE, keeper.catch_up()).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => eprintln!("faultline: searching by words only: {error}"),
        Err(_) => {
            eprintln!("faultline: some questions are not embedded yet; run `faultline serve` to let it catch up")
        }
    }
    Ok(())
}

async fn list(app: &App, filter: &CruxFilter, search: Option<&str>, args: &Cruxes) -> Result<(), CliError> {
    let part =
        CruxPart { from: None, toward: Toward::Older, limit: i64::from(args.first), counted: false, brief: false };
    let reads = app.reads();
    let Readers { views, inquiry, .. } = reads.now().await;
    let generation = views.shown().await?;
    let found = match search {
        Some(text) => {
            let sought = inquiry.sought(text).await?;
            views.cruxes_found(generation, filter, &sought, &part).await?
        }
        None => views.cruxes(Some(generation), filter, CruxOrder::Newest, &part).await?,
    };
    let read = |it: &StoredCrux| serde_json::from_str(&it.body).map_err(Fault::json("read a stored crux"));
    let read: Vec<Crux> = found.rows.iter().map(read).collect::<Result<_, _>>()?;
    if args.json {
        let told = found.rows.iter().zip(&read).map(|it| as_json(it, search.is_some()));
        return json_line(&told.collect::<Vec<_>>());
    }
    let now = Utc::now();
    let rows = found.rows.iter().zip(read);
    let rows: Vec<Row> = rows.map(|(row, crux)| Row { debate: row.debate(), crux, age: now - row.opened_at }).collect();
    print(&cruxes(&rows, found.more, screen::look()))
}

async fn recurring(app: &App, filter: &CruxFilter, args: &Cruxes) -> Result<(), CliError> {
    let reads = app.reads();
    let Readers { views, inquiry, .. } = reads.now().await;
    let generation = views.shown().await?;
    let found = inquiry.recurring(generation, filter, args.first.min(CLUSTERS) as usize).await?;
    if args.json {
        return json_line(&found.clusters.iter().map(|it| cluster_as_json(it, found.exact)).collect::<Vec<_>>());
    }
    print(&clusters(&found, screen::look()))
}

fn filter(args: &Cruxes) -> Result<CruxFilter, CliError> {
    let persona = args.persona.as_deref().map(str::parse).transpose();
    let persona = persona.map_err(|it: Misnamed| CliError::Usage(it.to_string()))?;
    if args.search.as_ref().is_some_and(|it| it.chars().count() > SEARCH_CHARS) {
        return Err(CliError::Usage(format!("the text of --search is longer than {SEARCH_CHARS} characters")));
    }
    Ok(CruxFilter {
        persona,
        kind: args.kind.clone(),
        open: (args.open || args.resolved).then_some(args.open),
        ..CruxFilter::default()
    })
}

fn as_json((row, crux): (&StoredCrux, &Crux), sought: bool) -> Value {
    let hit = || json!({ "score": row.hit.score as f64 / SCORE, "cosine": row.hit.cosine, "words": row.hit.stems });
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
        "match": sought.then(hit),
    })
}

fn cluster_as_json(cluster: &Cluster, exact: bool) -> Value {
    let member = |it: &AskedBy| format!("{}:{}", it.debate(), it.key);
    let side = |it: &SideIn| {
        let crux = format!("{}:{}", it.debate, it.key);
        json!({ "debateId": it.debate, "cruxId": crux, "at": it.at, "side": it.side, "turn": it.turn })
    };
    let held = |it: &Held| {
        let sides: Vec<Value> = it.sides.iter().map(side).collect();
        json!({ "personaId": it.persona, "changed": it.has_changed(), "sides": sides })
    };
    let near = |it: &Neighbour| {
        let relation = if it.opposite { "opposite" } else { "neighbour" };
        json!({ "question": it.question, "debates": it.debates, "similarity": it.similarity, "relation": relation })
    };
    json!({
        "question": cluster.question,
        "size": cluster.members.len(),
        "debates": cluster.debates,
        "wordings": cluster.wordings,
        "kinds": cluster.kinds,
        "firstSeen": cluster.first_seen,
        "lastSeen": cluster.last_seen,
        "cohesion": { "least": cluster.least, "mean": cluster.mean },
        "personas": cluster.personas.iter().map(held).collect::<Vec<_>>(),
        "members": cluster.members.iter().map(member).collect::<Vec<_>>(),
        "neighbours": cluster.neighbours.iter().map(near).collect::<Vec<_>>(),
        "exact": exact,
    })
}
