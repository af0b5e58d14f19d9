//! Metrics of the service, with their units, and the Prometheus exporter.
//!
//! Metrics are recorded where things happen, through the facade `metrics`; without this recorder that does nothing.
//! Names follow the conventions of Prometheus: base units, `_total` for counters.

use std::sync::OnceLock;
use std::time::Duration;

use metrics::Unit;
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};

use crate::app::process;
use crate::app::process::PROCESS;
use faultline_core::verdicts::read_model::REVISION;
use faultline_store::error::StoreError;
use faultline_store::generations::generation_progress::GenerationProgress;
use faultline_store::generations::generations::GenerationState;
use faultline_store::open::Store;
use faultline_store::replica::replica_state::ReplicaState;

/// Interval at which samples are put into their buckets.
pub const UPKEEP: Duration = Duration::from_secs(5);

/// Upper bounds of the buckets for durations, in seconds.
const SECONDS: &[f64] =
    &[0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0];

/// Counters: name, unit, description.
const COUNTERS: &[(&str, Unit, &str)] = &[
    ("faultline_http_requests_total", Unit::Count, "Requests over HTTP, by method, route and status."),
    ("faultline_outside_appends_total", Unit::Count, "Calls that append external events, by outcome."),
    ("faultline_outside_events_total", Unit::Count, "Events recorded for external orchestrators."),
    ("faultline_graphql_requests_total", Unit::Count, "GraphQL operations executed, by kind and outcome."),
    ("faultline_graphql_refused_total", Unit::Count, "GraphQL requests refused before execution."),
    ("faultline_graphql_throttled_total", Unit::Count, "Operations refused by the rate limit."),
    ("faultline_stream_events_total", Unit::Count, "Events sent to subscribers, over all transports."),
    (
        "faultline_connections_refused_total",
        Unit::Count,
        "Sockets and event streams refused because all slots were taken.",
    ),
    ("faultline_connections_closed_total", Unit::Count, "Sockets closed by the service, by reason."),
    (
        "faultline_leases_lapsed_total",
        Unit::Count,
        "Leases that expired while they were held, by what became of their debates.",
    ),
    (
        "faultline_projector_saves_refused_total",
        Unit::Count,
        "Saves of stored views refused because another process had taken over their lanes.",
    ),
    ("faultline_log_appends_total", Unit::Count, "Appends to the log, by outcome."),
    ("faultline_log_events_total", Unit::Count, "Events recorded."),
    ("faultline_effects_total", Unit::Count, "Calls to providers, by provider, purpose and outcome."),
    ("faultline_tokens_total", Unit::Count, "Tokens read and written by models, by model and direction."),
    ("faultline_questions_embedded_total", Unit::Count, "Questions of cruxes and disputes embedded by this process."),
    ("faultline_reads_total", Unit::Count, "Queries by the server that answered them, if a replica is configured."),
    ("faultline_cost_micros_total", Unit::Count, "Money spent on models, in millionths of a US dollar, by model."),
];

/// Histograms of durations: name, description.
const TIMES: &[(&str, &str)] = &[
    (
        "faultline_graphql_request_duration_seconds",
        "Duration of queries and mutations, by kind and field of the schema.",
    ),
    ("faultline_http_request_duration_seconds", "Time until HTTP responses began, by method and route."),
    ("faultline_stream_delay_seconds", "Time from rendering a response to handing it on, sampled, by operation."),
    ("faultline_log_commit_duration_seconds", "Duration of a transaction of batched appends."),
    ("faultline_effect_duration_seconds", "Duration of calls to providers, by provider."),
];

/// Gauges: name, description.
const GAUGES: &[(&str, &str)] = &[
    ("faultline_streams", "Active subscriptions, by operation."),
    ("faultline_connections", "Open sockets and event streams, by transport."),
    ("faultline_build_info", "Always 1; the program's version is its label."),
    ("faultline_database_connections", "Database connections of this process, by whether they are in use."),
    ("faultline_debates_driven", "Debates that this process drives."),
    ("faultline_projection_lag_events", "Number of events in the log that are not in the stored views yet."),
    ("faultline_projector_lanes", "Lanes of the log whose stored views this process keeps up to date."),
    (
        "faultline_questions_due",
        "Questions of cruxes and disputes that are not embedded or not compared with the others yet.",
    ),
    ("faultline_dead_letters", "Events that could not be projected into the stored views."),
    ("faultline_projection_generation", "The generation of stored views that is served; 0 if there is none."),
    ("faultline_rebuild_events_done", "Events processed by the generation being built; 0 if there is none."),
    ("faultline_replica_up", "Whether queries go to the replica: 1 if they do, otherwise 0."),
    ("faultline_replica_lag_seconds", "Lag of the replica behind the primary, in seconds; -1 if unknown."),
    ("faultline_rebuild_events_total", "Events to be processed by the generation being built; 0 if there is none."),
];

/// Sets the gauges of the stored views, the database pool, the replica and the process.
///
/// # Errors
/// [`StoreError`] if the database cannot be reached or refuses a statement.
pub async fn record_gauges(store: &Store) -> Result<(), StoreError> {
    process::record();
    metrics::gauge!("faultline_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    let (mut open, mut idle) = (0.0, 0.0);
    for pool in store.log.shards().pools() {
        open += f64::from(pool.size());
        idle += pool.num_idle() as f64;
    }
    metrics::gauge!("faultline_database_connections", "state" => "idle").set(idle);
    metrics::gauge!("faultline_database_connections", "state" => "used").set(open - idle);
    let generations = store.views.generations();
    let generations_by_state = generations.existing().await?;
    let served = generations_by_state
        .iter()
        .find(|generation| generation.state == GenerationState::Served)
        .map_or(0, |generation| generation.id);
    let built = match generations_by_state.iter().find(|generation| generation.state.is_under_way()) {
        Some(it) => generations.progress(it).await?,
        None => GenerationProgress::default(),
    };
    metrics::gauge!("faultline_dead_letters").set(store.views.count_dead_letters().await? as f64);
    metrics::gauge!("faultline_projection_generation").set(f64::from(served));
    metrics::gauge!("faultline_projection_lag_events").set(store.lag(REVISION).await? as f64);
    if let Some(replica) = &store.replica {
        let (is_up, lag) = match replica.state() {
            ReplicaState::Following { lag, .. } => (1.0, lag.as_secs_f64()),
            ReplicaState::Behind { lag, .. } => (0.0, lag.as_secs_f64()),
            ReplicaState::Unchecked | ReplicaState::Unavailable(_) => (0.0, -1.0),
        };
        metrics::gauge!("faultline_replica_up").set(is_up);
        metrics::gauge!("faultline_replica_lag_seconds").set(lag);
    }
    metrics::gauge!("faultline_rebuild_events_done").set(built.done as f64);
    metrics::gauge!("faultline_rebuild_events_total").set(built.total as f64);
    Ok(())
}

/// Installs the recorder, once per process, and returns the handle that renders the metrics. `None` if another recorder
/// is installed already, or installing one fails.
pub fn recorder() -> Option<&'static PrometheusHandle> {
    static HANDLE: OnceLock<Option<PrometheusHandle>> = OnceLock::new();
    HANDLE.get_or_init(|| installed().inspect_err(|error| tracing::warn!(%error, "metrics disabled")).ok()).as_ref()
}

fn installed() -> Result<PrometheusHandle, BuildError> {
    let suffix = Matcher::Suffix("_seconds".to_owned());
    let handle = PrometheusBuilder::new().set_buckets_for_metric(suffix, SECONDS)?.install_recorder()?;
    for (name, unit, about) in COUNTERS {
        metrics::describe_counter!(*name, *unit, *about);
    }
    for (name, about) in TIMES {
        metrics::describe_histogram!(*name, Unit::Seconds, *about);
    }
    for (name, about) in GAUGES.iter().chain(PROCESS) {
        metrics::describe_gauge!(*name, Unit::Count, *about);
    }
    Ok(handle)
}
