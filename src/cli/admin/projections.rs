//! `faultline projections`: lists generations of stored views, their progress, and unreadable events.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::app::open_app::OpenApp;
use crate::cli::args::admin::ProjectionsArgs;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_core::verdicts::read_model::REVISION;
use faultline_service::audit;
use faultline_service::audit::Actor;
use faultline_store::generations::generation_progress::GenerationProgress;
use faultline_store::generations::generations::{Generation, GenerationState, STORED_PROJECTIONS};
use faultline_store::views::dead_letters::DeadLetter;
use faultline_store::views::views::DEBATES;

/// Interval between checks for a retry.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// Maximum time to wait for a service to retry.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Lists all generations that have rows, and the last one that was dropped.
///
/// # Errors
/// [`CliError::Fault`] if the database fails; with `--retry`, [`CliError::Refused`] if events are still unreadable.
pub async fn run(config: &Config, args: ProjectionsArgs) -> Result<(), CliError> {
    let mut app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let tried = if args.retry { retry(&mut app).await } else { Ok(()) };
    let printed = match tried {
        Ok(()) => print_generations(&app, &args).await,
        failed => failed,
    };
    app.close().await;
    printed
}

/// Retries all unreadable events; a running service does the work, otherwise this command.
async fn retry(app: &mut OpenApp) -> Result<(), CliError> {
    audit::done(&Actor::command_line(), "retry dead letters", &DEBATES);
    if app.store().views.retry_letters(DEBATES).await? == 0 {
        return Ok(());
    }
    app.start_requested_rebuild();
    let started = Instant::now();
    while app.store().views.next_retry(DEBATES).await?.is_some() {
        if started.elapsed() > TIMEOUT {
            return Err(CliError::Refused(
                "not retried yet; the retry runs as soon as a service with the views of this version is up".to_owned(),
            ));
        }
        tokio::time::sleep(CHECK_INTERVAL).await;
    }
    Ok(())
}

async fn print_generations(app: &OpenApp, args: &ProjectionsArgs) -> Result<(), CliError> {
    let table = app.store().views.generations();
    let mut generations = Vec::new();
    for generation in table.all().await? {
        let is_there = generation.state != GenerationState::Dropped;
        let progress = if is_there { table.progress(&generation).await? } else { GenerationProgress::default() };
        generations.push((generation, progress));
    }
    let letters = app.store().views.letters(DEBATES).await?;
    if args.json {
        let generations: Vec<Value> =
            generations.iter().map(|(generation, progress)| as_json(generation, progress)).collect();
        let letters: Vec<Value> = letters.iter().map(letter_as_json).collect();
        json_line(&json!({
            "name": DEBATES,
            "madeTogether": STORED_PROJECTIONS,
            "revision": REVISION,
            "generations": generations,
            "deadLetters": letters,
        }))?;
    } else {
        print(&format!("{}: rebuilt together, revision {REVISION}\n", STORED_PROJECTIONS.join(", ")))?;
        for (generation, progress) in &generations {
            print(&line(generation, progress))?;
        }
        for it in &letters {
            print(&letter_line(it))?;
        }
    }
    match letters.len() {
        n if args.retry && n > 0 => {
            Err(CliError::Refused(format!("{n} events are still unreadable; run `faultline verify`")))
        }
        _ => Ok(()),
    }
}

fn letter_as_json(it: &DeadLetter) -> Value {
    json!({
        "projection": it.projection,
        "debateId": it.debate,
        "version": it.version,
        "position": format!("{}.{}", it.lane, it.position),
        "kind": it.kind,
        "reason": it.reason,
        "attempts": it.attempts,
        "foundAt": it.found_at,
        "triedAt": it.tried_at,
    })
}

fn letter_line(it: &DeadLetter) -> String {
    let (debate, version, kind, reason, attempts) = (it.debate, it.version, &it.kind, &it.reason, it.attempts);
    format!("left out: debate {debate} from version {version} ({kind}) on, tried {attempts} times: {reason}\n")
}

fn as_json(it: &Generation, progress: &GenerationProgress) -> Value {
    json!({
        "generation": it.id,
        "revision": it.revision,
        "state": it.state.name(),
        "reason": it.reason.name(),
        "workers": it.workers,
        "eventsDone": progress.done,
        "eventsTotal": progress.total,
        "behind": progress.total - progress.done,
        "debates": progress.n_debates,
        "eventsPerSecond": progress.rate,
        "problem": it.problem,
        "wantedAt": it.wanted_at,
        "startedAt": it.started_at,
        "caughtUpAt": it.caught_up_at,
        "heldUntil": it.held_until,
        "servedAt": it.served_at,
        "retiredAt": it.retired_at,
        "droppedAt": it.dropped_at,
    })
}

fn line(it: &Generation, progress: &GenerationProgress) -> String {
    let how_far = match it.state {
        GenerationState::Dropped | GenerationState::Rejected => String::new(),
        GenerationState::Served | GenerationState::Retired => format!("{} behind", progress.total - progress.done),
        _ => format!("{} of {} events", progress.done, progress.total),
    };
    let rate = progress.rate.map_or(String::new(), |rate| format!("  {rate:.0} events/s"));
    let problem = it.problem.as_ref().map_or(String::new(), |problem| format!("  {problem}"));
    format!(
        "{:>5}  revision {}  {:<9} {:<9} {how_far}{rate}{problem}\n",
        it.id,
        it.revision,
        it.state.name(),
        it.reason.name()
    )
}
