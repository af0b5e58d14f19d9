//! `faultline rebuild`: the stored views made anew from the whole log, beside those that are read from.
//!
//! The work is done by whoever keeps the views up: a service that runs, else this command itself.

use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use serde_json::json;

use crate::app::app::App;
use crate::cli::args::Rebuild;
use crate::cli::exit::CliError;
use crate::cli::out::{json_line, print};
use crate::cli::screen;
use crate::cli::stage::tally::told;
use crate::config::Config;
use crate::events::ids::DebateId;
use crate::runtime::builder::HOLD;
use crate::runtime::rows::VERDICT;
use crate::store::debates::DEBATES;
use crate::store::fault::Fault;
use crate::store::generation_lanes::Progress;
use crate::store::generations::{Generation, GenerationState, MADE_TOGETHER, Reason, Wanted};
use crate::verdicts::board::REVISION;
use crate::verdicts::tally::Tally;
use crate::verdicts::verdict::Verdict;

/// How often it is looked how far things are.
const LOOK: Duration = Duration::from_millis(100);
/// After so long without anybody beginning it is said that somebody is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// Makes the stored views anew, and switches; or says what would change.
///
/// # Errors
/// Refused where another rebuild is under way, or this one came to nothing; where something of ours fails.
pub async fn run(config: &Config, args: Rebuild) -> Result<(), CliError> {
    named(&args.projections)?;
    if !(args.projections.is_empty() || args.json) {
        eprintln!("faultline: {} are made together, so that no answer contradicts another", MADE_TOGETHER.join(", "));
    }
    let mut app = App::open(config, &screen::tell()).await?;
    let rebuilt = rebuild(&mut app, &args).await;
    app.close().await;
    rebuilt
}

async fn rebuild(app: &mut App, args: &Rebuild) -> Result<(), CliError> {
    let holds = args.diff || args.dry_run;
    let generations = app.store().views.generations();
    let wanted = Wanted { revision: REVISION, reason: Reason::Asked, workers: args.workers, holds };
    let generation = generations.want(wanted).await?;
    if generation.holds != holds {
        return Err(CliError::Refused(format!(
            "generation {} is under way already; see `faultline projections`, and try again when it is through",
            generation.id
        )));
    }
    app.rebuild();
    let mut tally = None;
    let mut made = Progress::default();
    let last = loop {
        let (now, progress) = watched(app, generation.id, args.json).await?;
        if now.state != GenerationState::Dropped {
            made = progress;
        }
        if now.state != GenerationState::Held {
            break now;
        }
        tally = Some(compared(app, now.id, args.json).await?);
        let answer = if args.dry_run { GenerationState::Rejected } else { GenerationState::Approved };
        if !generations.turn(now.id, &[GenerationState::Held], answer).await? {
            return Err(came_to_nothing(&now));
        }
    };
    let is_served = last.state == GenerationState::Served;
    if !is_served && !args.dry_run {
        return Err(came_to_nothing(&last));
    }
    if args.json {
        return json_line(&json!({
            "generation": last.id,
            "revision": last.revision,
            "served": is_served,
            "events": made.total,
            "debates": made.n_debates,
            "eventsPerSecond": made.rate,
            "diff": tally,
        }));
    }
    if let Some(tally) = &tally {
        print(&told(tally))?;
    }
    let what_became = if is_served { "is served" } else { "was made, and is dropped again" };
    let rate = made.rate.map_or(String::new(), |it| format!(" ({it:.0} events/s)"));
    print(&format!(
        "generation {} of {} events in {} debates {what_became}{rate}\n",
        last.id, made.total, made.n_debates
    ))
}

/// Whether there are such projections.
fn named(projections: &[String]) -> Result<(), CliError> {
    match projections.iter().find(|it| !MADE_TOGETHER.contains(&it.as_str())) {
        None => Ok(()),
        Some(other) => {
            let there = MADE_TOGETHER.join(", ");
            Err(CliError::Refused(format!("there is no projection {other:?}; there are {there}, made together")))
        }
    }
}

fn came_to_nothing(generation: &Generation) -> CliError {
    let why =
        generation.problem.as_deref().unwrap_or("somebody else answered for it, or a newer program wants another");
    CliError::Refused(format!("generation {} did not take over: {why}", generation.id))
}

/// Watches a generation until there is something to decide, or nothing more to come.
async fn watched(app: &App, id: i32, quiet: bool) -> Result<(Generation, Progress), CliError> {
    let generations = app.store().views.generations();
    let bar = if quiet { ProgressBar::hidden() } else { screen::bar("rebuilding") };
    let (begun, mut told) = (Instant::now(), quiet);
    loop {
        let Some(now) = generations.one(id).await? else {
            return Err(CliError::Refused(format!("there is no generation {id} any more")));
        };
        let progress = generations.progress(&now).await?;
        bar.set_length(progress.total.unsigned_abs());
        bar.set_position(progress.done.unsigned_abs());
        match now.state {
            GenerationState::Wanted
            | GenerationState::Building
            | GenerationState::Approved
            | GenerationState::Rejected => {}
            _ => {
                bar.finish_and_clear();
                return Ok((now, progress));
            }
        }
        let why = now.problem.as_deref().or((now.state == GenerationState::Wanted).then_some("nobody has begun yet"));
        if let (false, Some(why)) = (told || begun.elapsed() < PATIENCE, why) {
            bar.suspend(|| eprintln!("faultline: still waiting: {why}"));
            told = true;
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// What would change, over all debates; the generation is held all the while.
async fn compared(app: &App, id: i32, quiet: bool) -> Result<Tally, CliError> {
    let views = &app.store().views;
    let generations = views.generations();
    let served = views.served(DEBATES).await?.unwrap_or_default();
    let bar = if quiet { ProgressBar::hidden() } else { screen::bar("comparing") };
    let (mut tally, mut after, mut renewed) = (Tally::default(), None::<DebateId>, Instant::now());
    loop {
        if renewed.elapsed() > HOLD / 4 {
            generations.hold(id, HOLD).await?;
            renewed = Instant::now();
        }
        let pairs = generations.pairs(VERDICT, (served, id), after).await?;
        let Some(last) = pairs.last() else { break };
        after = Some(last.debate);
        for pair in &pairs {
            match (&pair.before, &pair.after) {
                (None, _) => tally.only_after += 1,
                (Some(_), None) => tally.only_before += 1,
                (Some((old, _)), Some((new, _))) if old != new => tally.moved += 1,
                (Some((_, old)), Some((_, new))) => match serde_json::from_str::<Verdict>(old) {
                    Ok(old) => {
                        let new = serde_json::from_str(new).map_err(Fault::json("read a stored verdict"))?;
                        tally.compare(pair.debate, &pair.topic, &old, &new);
                    }
                    Err(_) => tally.unreadable += 1,
                },
            }
        }
        bar.inc(pairs.len() as u64);
    }
    bar.finish_and_clear();
    Ok(tally)
}
