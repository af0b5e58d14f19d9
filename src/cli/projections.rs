//! `faultline projections`: which generations of stored views there are, and how far they are.

use serde_json::{Value, json};

use crate::app::app::App;
use crate::cli::args::Projections;
use crate::cli::exit::CliError;
use crate::cli::out::{json_line, print};
use crate::cli::screen;
use crate::config::Config;
use crate::store::debates::DEBATES;
use crate::store::generation_lanes::Progress;
use crate::store::generations::{Generation, GenerationState};
use crate::verdicts::board::REVISION;

/// Tells of all generations that have rows, and of the last of those that had some.
///
/// # Errors
/// Where something of ours fails.
pub async fn run(config: &Config, args: Projections) -> Result<(), CliError> {
    let app = App::open(config, &screen::tell()).await?;
    let told = tell(&app, &args).await;
    app.close().await;
    told
}

async fn tell(app: &App, args: &Projections) -> Result<(), CliError> {
    let table = app.store().views.generations();
    let mut generations = Vec::new();
    for generation in table.all().await? {
        let is_there = generation.state != GenerationState::Dropped;
        let progress = if is_there { table.progress(&generation).await? } else { Progress::default() };
        generations.push((generation, progress));
    }
    if args.json {
        let told: Vec<Value> = generations.iter().map(|(it, progress)| as_json(it, progress)).collect();
        return json_line(&json!({ "name": DEBATES, "revision": REVISION, "generations": told }));
    }
    print(&format!("{DEBATES}, revision {REVISION}\n"))?;
    for (generation, progress) in &generations {
        print(&line(generation, progress))?;
    }
    Ok(())
}

fn as_json(it: &Generation, progress: &Progress) -> Value {
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

fn line(it: &Generation, progress: &Progress) -> String {
    let how_far = match it.state {
        GenerationState::Dropped | GenerationState::Rejected => String::new(),
        GenerationState::Served | GenerationState::Retired => format!("{} behind", progress.total - progress.done),
        _ => format!("{} of {} events", progress.done, progress.total),
    };
    let rate = progress.rate.map_or(String::new(), |it| format!("  {it:.0} events/s"));
    let problem = it.problem.as_ref().map_or(String::new(), |it| format!("  {it}"));
    format!(
        "{:>5}  revision {}  {:<9} {:<9} {how_far}{rate}{problem}\n",
        it.id,
        it.revision,
        it.state.name(),
        it.reason.name()
    )
}
