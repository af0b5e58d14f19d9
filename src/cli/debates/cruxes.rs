//! `faultline cruxes`: lists cruxes across debates.

use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

use crate::app::open_app::OpenApp;
use crate::app::providers::{ConfiguredEmbedder, prepare_embedder};
use crate::cli::args::debates::CruxesArgs;
use crate::cli::catch_up::catch_up;
use crate::cli::output::api_json::cruxes_json;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::pager::page;
use crate::cli::output::records::{is_piped, record};
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_core::events::ids::Misnamed;
use faultline_core::verdicts::crux::{Crux, Position};
use faultline_service::read_routing::{ReadRouter, ReadServices};
use faultline_service::recurring::{Neighbour, PersonaSides, QuestionCluster, SideIn};
use faultline_store::error::StoreError;
use faultline_store::questions::neighbors::CruxQuestion;
use faultline_store::views::cruxes::{CruxPageRequest, CruxQuery, CruxSort, StoredCrux};
use faultline_store::views::debates::{MAX_SEARCH_CHARS, PageDirection};
use faultline_store::views::question_search::SCORE;
use faultline_terminal::tables::cruxes::{CruxListRow, cruxes};
use faultline_terminal::tables::recurring::clusters;

/// Maximum time to wait for missing embeddings.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Maximum number of recurring questions listed.
const MAX_CLUSTERS: u32 = 100;

/// Lists cruxes, newest first, or best match first with a search; or lists recurring questions.
///
/// # Errors
/// [`CliError::Usage`] if a persona id is malformed or a search is too long; [`CliError::Fault`] if the service fails.
pub async fn run(config: &Config, args: CruxesArgs) -> Result<(), CliError> {
    let filter = filter(&args)?;
    let mut app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let listed = async {
        catch_up(&mut app).await?;
        if args.recurring {
            let router = prepared_search(&app, config).await?;
            return recurring(&router, &filter, &args).await;
        }
        let search = args.search.as_ref().map(|text| text.trim()).filter(|text| !text.is_empty());
        let router = match search {
            Some(_) => prepared_search(&app, config).await?,
            None => app.read_router(None),
        };
        list(&app, &router, &filter, search, &args).await
    };
    let listed = listed.await;
    app.close().await;
    page(&listed?)
}

/// Opens the embedder and embeds questions that no service has embedded yet. Problems cause a warning on stderr, not an
/// error: the search then matches by words only.
async fn prepared_search(app: &OpenApp, config: &Config) -> Result<ReadRouter, CliError> {
    let ConfiguredEmbedder { embedder, warning } = prepare_embedder(config, &terminal::progress_reporter()).await?;
    if let Some(warning) = warning {
        eprintln!("faultline: {warning}");
    }
    match tokio::time::timeout(TIMEOUT, app.question_embedder(embedder.clone()).catch_up()).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => eprintln!("faultline: searching by words only: {error}"),
        Err(_) => {
            eprintln!("faultline: some questions are not embedded yet; run `faultline serve` to let it catch up")
        }
    }
    Ok(app.read_router(Some(embedder)))
}

async fn list(
    app: &OpenApp,
    router: &ReadRouter,
    filter: &CruxQuery,
    search: Option<&str>,
    args: &CruxesArgs,
) -> Result<String, CliError> {
    let part = CruxPageRequest {
        from: None,
        toward: PageDirection::Older,
        limit: i64::from(args.first),
        counted: false,
        brief: false,
    };
    let ReadServices { views, search: service, .. } = router.now().await;
    let generation = views.generation_to_read().await?;
    let found = match search {
        Some(text) => {
            let query = service.query(text).await?;
            views.cruxes_found(generation, filter, &query, &part).await?
        }
        None => views.cruxes(Some(generation), filter, order(&args.order), &part).await?,
    };
    if args.json {
        let ids = found.rows.iter().map(crux_id).collect::<Vec<_>>();
        let listed = found.rows.iter().zip(cruxes_json(app, &ids).await?).filter(|(_, crux)| !crux.is_null());
        let listed = listed.map(|(row, crux)| if search.is_some() { with_match(row, crux) } else { crux });
        let listed: Vec<Value> = listed.collect();
        json_line(&listed)?;
        return Ok(String::new());
    }
    let read = |it: &StoredCrux| serde_json::from_str(&it.body).map_err(StoreError::json("read a stored crux"));
    let read: Vec<Crux> = found.rows.iter().map(read).collect::<Result<_, _>>()?;
    if is_piped() {
        print(&found.rows.iter().zip(&read).map(|(row, crux)| as_record(row, crux)).collect::<String>())?;
        if found.more {
            eprintln!("faultline: there are more cruxes; raise --first, or narrow the search");
        }
        return Ok(String::new());
    }
    let now = Utc::now();
    let rows = found.rows.iter().zip(read);
    let rows: Vec<CruxListRow> =
        rows.map(|(row, crux)| CruxListRow { debate: row.debate(), crux, age: now - row.opened_at }).collect();
    Ok(cruxes(&rows, found.more, terminal::terminal_style()))
}

async fn recurring(router: &ReadRouter, filter: &CruxQuery, args: &CruxesArgs) -> Result<String, CliError> {
    let ReadServices { views, search, .. } = router.now().await;
    let generation = views.generation_to_read().await?;
    let recurring = search.recurring(generation, filter, args.first.min(MAX_CLUSTERS) as usize).await?;
    if args.json {
        json_line(
            &recurring.clusters.iter().map(|cluster| cluster_as_json(cluster, recurring.exact)).collect::<Vec<_>>(),
        )?;
        return Ok(String::new());
    }
    if is_piped() {
        print(&recurring.clusters.iter().map(cluster_as_record).collect::<String>())?;
        return Ok(String::new());
    }
    Ok(clusters(&recurring, terminal::terminal_style()))
}

fn crux_id(row: &StoredCrux) -> String {
    format!("{}:{}", row.debate(), row.key)
}

fn as_record(row: &StoredCrux, crux: &Crux) -> String {
    let position = |position: &Position| format!("{}={}", position.persona, position.side.name());
    record([
        &crux_id(row),
        crux.origin.name(),
        if crux.open { "open" } else { "resolved" },
        &crux.pivotality.map(|share| format!("{share:.2}")).unwrap_or_default(),
        &crux.positions.iter().map(position).collect::<Vec<_>>().join(","),
        &crux.question,
    ])
}

fn cluster_as_record(cluster: &QuestionCluster) -> String {
    let time = |at: DateTime<Utc>| at.to_rfc3339_opts(SecondsFormat::Secs, true);
    record([
        &cluster.members.len().to_string(),
        &cluster.debates.to_string(),
        &time(cluster.first_seen),
        &time(cluster.last_seen),
        &cluster.question,
    ])
}

fn order(name: &str) -> CruxSort {
    match name {
        "changed" => CruxSort::Changed,
        "pivotality" => CruxSort::Pivotality,
        "dependents" => CruxSort::Dependents,
        _ => CruxSort::Newest,
    }
}

fn filter(args: &CruxesArgs) -> Result<CruxQuery, CliError> {
    let persona = args.persona.as_deref().map(str::parse).transpose();
    let persona = persona.map_err(|error: Misnamed| CliError::Usage(error.to_string()))?;
    if args.search.as_ref().is_some_and(|text| text.chars().count() > MAX_SEARCH_CHARS) {
        return Err(CliError::Usage(format!("the text of --search is longer than {MAX_SEARCH_CHARS} characters")));
    }
    if args.min_pivotality.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
        return Err(CliError::Usage("--min-pivotality must be between 0 and 1".to_owned()));
    }
    Ok(CruxQuery {
        persona,
        kind: args.kind.clone(),
        open: (args.open || args.resolved).then_some(args.open),
        min_pivotality: args.min_pivotality,
        debates: args.origin.query()?,
        ..CruxQuery::default()
    })
}

/// Adds to a crux why a search found it.
fn with_match(row: &StoredCrux, mut crux: Value) -> Value {
    crux["match"] = json!({ "score": row.hit.score as f64 / SCORE, "cosine": row.hit.cosine, "words": row.hit.stems });
    crux
}

fn cluster_as_json(cluster: &QuestionCluster, exact: bool) -> Value {
    let member = |question: &CruxQuestion| json!({ "id": format!("{}:{}", question.debate(), question.key) });
    let side = |stance: &SideIn| {
        let crux = format!("{}:{}", stance.debate, stance.key);
        json!({
            "debateId": stance.debate,
            "cruxId": crux,
            "at": stance.at,
            "side": stance.side.name().to_uppercase(),
            "turnId": stance.turn,
        })
    };
    let held = |holder: &PersonaSides| {
        let sides: Vec<Value> = holder.sides.iter().map(side).collect();
        json!({ "personaId": holder.persona, "changed": holder.has_changed(), "sides": sides })
    };
    let near = |neighbour: &Neighbour| {
        json!({
            "question": neighbour.question,
            "debateCount": neighbour.debates,
            "similarity": neighbour.similarity,
            "relation": if neighbour.opposite { "OPPOSITE" } else { "NEIGHBOUR" },
        })
    };
    json!({
        "question": cluster.question,
        "memberCount": cluster.members.len(),
        "debateCount": cluster.debates,
        "wordingCount": cluster.wordings,
        "origins": cluster.kinds.iter().map(|kind| kind.to_uppercase()).collect::<Vec<_>>(),
        "firstSeen": cluster.first_seen,
        "lastSeen": cluster.last_seen,
        "cohesion": { "least": cluster.least, "mean": cluster.mean },
        "sidesByPersona": cluster.personas.iter().map(held).collect::<Vec<_>>(),
        "members": { "nodes": cluster.members.iter().map(member).collect::<Vec<_>>() },
        "neighbours": cluster.neighbours.iter().map(near).collect::<Vec<_>>(),
        "exact": exact,
    })
}
