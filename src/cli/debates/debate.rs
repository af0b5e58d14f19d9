//! `faultline debate`: opens a debate, runs it and shows it.

use serde_json::{Map, Value, json};

use crate::app::equipped_app::{EquippedApp, annotated_writings};
use crate::app::error::AppError;
use crate::app::open_app::OpenApp;
use crate::cli::args::debates::DebateArgs;
use crate::cli::output::api_json::debate_json;
use crate::cli::output::exit::CliError;
use crate::cli::output::interrupts::interruptible;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::reading_pace::ReadingPace;
use crate::cli::output::terminal;
use crate::cli::output::terminal::OutputMode;
use crate::config::Config;
use faultline_core::engines::registry::ENGINES;
use faultline_core::events::ids::{DebateId, PersonaId};
use faultline_core::events::lifecycle::{DebateLimits, DebateOutcome};
use faultline_core::kernel::engine::is_external;
use faultline_core::positions::playable::OFFLINE;
use faultline_core::questions::nearest::suggestions;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_ingest::personas::read_personas;
use faultline_ingest::report::IngestProgress;
use faultline_service::catalog::SHARED_CORPUS;
use faultline_service::offline_topics::check_offline_topic;
use faultline_service::plain_sides::plain_side;
use faultline_service::service::OpenDebate;
use faultline_terminal::verdict::card::card;

/// Hint for somebody who interrupts a debate.
pub const KEPT: &str =
    "interrupted; a debate that was opened is stored: `faultline run` with its id continues it, or `faultline serve`";

/// Runs a debate and shows it.
///
/// # Errors
/// [`CliError`] if a name is unknown, an option is refused, or the service fails.
pub async fn run(config: &Config, args: DebateArgs) -> Result<(), CliError> {
    let request = request(&args)?;
    check_offline_topic_of(config, &request)?;
    let mut app = EquippedApp::open(config, &terminal::progress_reporter()).await?;
    let show = if args.json { OutputMode::Json } else { OutputMode::People };
    let debated = interruptible(async { debate(&mut app, config, request, show, None).await.map(drop) }, KEPT).await;
    app.close().await;
    debated
}

/// Refuses a debate that the offline provider would have to play and cannot, before anything is started for it. Names
/// that are unknown are left to the service.
///
/// # Errors
/// [`CliError::Refused`] with the topics that can be played.
pub fn check_offline_topic_of(config: &Config, request: &OpenDebate) -> Result<(), CliError> {
    let configured = [("anthropic", config.anthropic()), ("openai", config.openai())];
    let models: Vec<&str> = configured.iter().filter(|(_, it)| it.is_some()).map(|(name, _)| *name).collect();
    let provider = request.provider.as_deref().or(models.first().copied()).unwrap_or(OFFLINE);
    let files = read_personas(&config.personas, None).map_err(|error| CliError::Refused(error.to_string()))?;
    let participants: Option<Vec<PersonaId>> = request
        .personas
        .iter()
        .map(|id| {
            let file = files.iter().map(|file| &file.persona.id).find(|known| known.as_str() == id).cloned();
            file.or_else(|| plain_side(id).map(|side| side.id))
        })
        .collect();
    let is_driven_here =
        ENGINES.iter().any(|engine| engine.name == request.engine) && !is_external(ENGINES, &request.engine);
    match participants {
        Some(participants) if provider == OFFLINE && is_driven_here => {
            let positions = annotated_writings(config, &files);
            Ok(check_offline_topic(&positions, &request.topic, &participants, &models)?)
        }
        _ => Ok(()),
    }
}

/// Opens a debate, runs it, and shows it with its verdict, at a reading pace if one is given.
///
/// # Errors
/// As [`run`]; [`CliError::Unfinished`] if the debate stalled or failed.
pub async fn debate(
    app: &mut EquippedApp,
    config: &Config,
    request: OpenDebate,
    show: OutputMode,
    pace: Option<ReadingPace>,
) -> Result<DebateId, CliError> {
    if is_external(ENGINES, &request.engine) {
        let reason = format!(
            "debates of the engine {} are run by external programs: open one with startDebate or appendEvents",
            request.engine
        );
        return Err(CliError::Refused(reason));
    }
    // Validates the request before anything is ingested for it.
    app.service().opening_events(request.clone())?;
    print_setup_remark(app);
    ingest_corpora(app, &request.personas, &request.options).await?;
    let opened = app.service().open(request).await?;
    let Some(debate) = opened.summary.debate else {
        return Err(CliError::Fault("the debate was opened without an id".to_owned()));
    };
    app.start_workers(config);
    let read_model = terminal::follow(app.opened(), debate, 0, show, pace).await?;
    print_verdict(app.opened(), &read_model, debate, show).await?;
    check_outcome(&read_model)?;
    Ok(debate)
}

/// Checks that a debate which ended by itself came to its end: programs learn from the exit code if it did not.
///
/// # Errors
/// [`CliError::Unfinished`] if the debate stalled or failed.
pub fn check_outcome(read_model: &DebateReadModel) -> Result<(), CliError> {
    match &read_model.summary.outcome {
        Some(outcome @ (DebateOutcome::Stalled { .. } | DebateOutcome::Failed { .. })) => {
            Err(CliError::Unfinished(format!("the debate {}: {}", outcome.kind(), outcome.reason())))
        }
        _ => Ok(()),
    }
}

/// Prints the verdict of a debate; as JSON, the whole debate as `show --json` prints it.
///
/// # Errors
/// [`CliError::OutputClosed`] if the output pipe was closed; [`CliError::Fault`] if the debate cannot be read.
pub async fn print_verdict(
    app: &OpenApp,
    read_model: &DebateReadModel,
    debate: DebateId,
    show: OutputMode,
) -> Result<(), CliError> {
    match show {
        OutputMode::People => print(&card(read_model, terminal::terminal_style())),
        OutputMode::Json => json_line(&json!({ "debate": debate_json(app, debate, None).await? })),
    }
}

/// Prints a remark on the setup, such as a missing provider, before the debate begins.
pub fn print_setup_remark(app: &EquippedApp) {
    if let Some(warning) = app.embedder_warning() {
        eprintln!("faultline: {warning}");
    }
}

/// Brings the corpora of these personas, and the shared corpus in these options, up to date, with a progress bar.
///
/// # Errors
/// [`CliError::Fault`] if they cannot be read or stored.
pub async fn ingest_corpora(app: &EquippedApp, personas: &[String], options: &Value) -> Result<(), CliError> {
    let catalog = app.service().catalog();
    let known = personas.iter().filter_map(|persona| catalog.persona(persona).ok());
    let shared = options.get(SHARED_CORPUS).and_then(Value::as_str).and_then(|id| catalog.shared_corpus(id).ok());
    let only = known.map(|member| &member.persona.id).chain(shared.map(|corpus| &corpus.id));
    let only: Vec<PersonaId> = only.cloned().collect();
    let bar = terminal::bar("ingesting their writings");
    let report_progress = |progress| match progress {
        IngestProgress::Planned { n_texts, .. } => bar.set_length(n_texts as u64),
        IngestProgress::Embedded { n_texts } => bar.inc(n_texts as u64),
        _ => {}
    };
    let report = app.corpora().ingest(Some(only), &report_progress).await.map_err(AppError::Ingest)?;
    bar.finish_and_clear();
    for skipped in &report.skipped {
        tracing::warn!("{skipped:?}");
    }
    Ok(())
}

fn request(args: &DebateArgs) -> Result<OpenDebate, CliError> {
    let (options, limits) = parse_settings(&args.set)?;
    check_limit_names(&limits)?;
    let limits = if limits.is_null() { Value::Object(Map::new()) } else { limits };
    let limits: DebateLimits =
        serde_json::from_value(limits).map_err(|error| CliError::Usage(format!("--set limits: {error}")))?;
    Ok(OpenDebate {
        topic: args.topic.clone(),
        engine: args.engine.clone(),
        personas: args.personas.clone(),
        options,
        limits,
        seed: args.seed,
        provider: args.provider.clone(),
        models: parse_models(&args.model)?,
        id: None,
    })
}

/// Checks that the limits in `--set` arguments exist.
///
/// # Errors
/// [`CliError::Usage`] for the first that does not, with the nearest one that does.
pub fn check_limit_names(limits: &Value) -> Result<(), CliError> {
    let known = serde_json::to_value(DebateLimits::default()).map_err(|error| CliError::Fault(error.to_string()))?;
    let known: Vec<&str> = known.as_object().into_iter().flat_map(Map::keys).map(String::as_str).collect();
    let given = limits.as_object().into_iter().flat_map(Map::keys);
    match given.into_iter().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(CliError::Usage(format!("--set: unknown limit {name:?}{}", suggestions(name, &known)))),
        None => Ok(()),
    }
}

/// Parses `--model` arguments into personas and models.
///
/// # Errors
/// [`CliError::Usage`] if an argument is not `ID=MODEL`.
pub fn parse_models(given: &[String]) -> Result<Vec<(String, String)>, CliError> {
    let parsed = given.iter().map(|chosen| match chosen.split_once('=') {
        Some((persona, model)) if !model.trim().is_empty() => Ok((persona.trim().to_owned(), model.trim().to_owned())),
        _ => Err(CliError::Usage(format!("--model {chosen:?}: expected ID=MODEL, such as edda-tolvane=gpt-5-mini"))),
    });
    parsed.collect()
}

/// Parses `--set` arguments into engine options and limits, each a JSON object, or null if none is given.
///
/// # Errors
/// [`CliError::Usage`] if an argument is not `KEY=VALUE`.
pub fn parse_settings(given: &[String]) -> Result<(Value, Value), CliError> {
    let (mut options, mut limits) = (Map::new(), Map::new());
    for set in given {
        let Some((key, value)) = set.split_once('=') else {
            return Err(CliError::Usage(format!(
                "--set {set:?}: expected KEY=VALUE, such as rounds=2 or limits.calls=40"
            )));
        };
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
        match key.strip_prefix("limits.") {
            Some(limit) => limits.insert(limit.to_owned(), value),
            None => options.insert(key.to_owned(), value),
        };
    }
    let object_or_null = |set: Map<String, Value>| if set.is_empty() { Value::Null } else { Value::Object(set) };
    Ok((object_or_null(options), object_or_null(limits)))
}
