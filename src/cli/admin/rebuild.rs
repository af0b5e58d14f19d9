//! `faultline rebuild`: rebuilds the stored views from the whole log, next to the served ones.
//!
//! A running service does the work; otherwise this command does.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use serde_json::{Value, json};

use crate::app::open_app::OpenApp;
use crate::cli::args::admin::RebuildArgs;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_core::events::ids::DebateId;
use faultline_core::verdicts::diff::verdict_diff_stats::VerdictDiffStats;
use faultline_core::verdicts::read_model::REVISION;
use faultline_runtime::generation_coordinator::HOLD;
use faultline_service::audit;
use faultline_service::audit::Actor;
use faultline_service::views::generation_diff::GenerationDiff;
use faultline_store::generations::generation_cutover::SkippedEvent;
use faultline_store::generations::generation_progress::GenerationProgress;
use faultline_store::generations::generations::{
    Generation, GenerationRequest, GenerationState, RebuildReason, STORED_PROJECTIONS,
};
use faultline_store::views::views::DEBATES;
use faultline_terminal::tables::tally::diff_report;

/// Interval between progress checks.
const LOOK: Duration = Duration::from_millis(100);
/// Time without a start after which the command reports that it is waiting.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Number of consecutive checks before a blocked cut-over is reported. The served views may briefly lag behind and lack
/// the same events.
const SURE: usize = 10;
/// Maximum number of left-out events listed in the text output.
const MAX_LISTED: usize = 20;

/// Result of a rebuild.
struct RebuildResult {
    progress: GenerationProgress,
    tally: Option<VerdictDiffStats>,
    left_out: Vec<SkippedEvent>,
}

/// Rebuilds the stored views and cuts over, or reports what would change.
///
/// # Errors
/// [`CliError::Refused`] if another rebuild is running, this one was abandoned, or it would leave out debates that are
/// served now; [`CliError::Fault`] if the database fails.
pub async fn run(config: &Config, args: RebuildArgs) -> Result<(), CliError> {
    check_names(&args.projections)?;
    if !(args.projections.is_empty() || args.json) {
        eprintln!(
            "faultline: {} are always rebuilt together, so that they stay consistent",
            STORED_PROJECTIONS.join(", ")
        );
    }
    let mut app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let rebuilt = rebuild(&mut app, &args).await;
    app.close().await;
    rebuilt
}

async fn rebuild(app: &mut OpenApp, args: &RebuildArgs) -> Result<(), CliError> {
    let holds = args.diff || args.dry_run;
    let generations = app.store().views.generations();
    let (reason, allows_letters) = (RebuildReason::Asked, args.allow_letters);
    let request = GenerationRequest { revision: REVISION, reason, workers: args.workers, holds, allows_letters };
    let before = left_out_before(app).await?;
    let generation = generations.request(request).await?;
    if generation.holds != holds {
        return Err(CliError::Refused(format!(
            "generation {} is already being built; see `faultline projections`, and try again when it is finished",
            generation.id
        )));
    }
    if allows_letters {
        // Applies also to a rebuild that was already running and is blocked for lack of this permission.
        generations.allow_skipped(generation.id).await?;
    }
    audit::done(&Actor::command_line(), "rebuild", &generation.id);
    app.start_requested_rebuild();
    let mut result = RebuildResult { progress: GenerationProgress::default(), tally: None, left_out: Vec::new() };
    let last = loop {
        let (now, progress) = watch(app, generation.id, args.json).await?;
        if now.state != GenerationState::Dropped {
            result.progress = progress;
            result.left_out = left_out(app, &now, &before).await?;
        }
        if !matches!(now.state, GenerationState::Held | GenerationState::Building | GenerationState::Approved) {
            break now;
        }
        if now.state == GenerationState::Held {
            result.tally = Some(compare_views(app, now.id, args.json).await?);
        }
        let n_newly = n_debates(result.left_out.iter().filter(|skipped| skipped.newly));
        if n_newly > 0 && !args.dry_run && !allows_letters {
            print_result(&now, &result, args.json)?;
            return Err(refuse_loss(app, &now, n_newly).await?);
        }
        if now.state != GenerationState::Held {
            continue;
        }
        let answer = if args.dry_run { GenerationState::Rejected } else { GenerationState::Approved };
        if !generations.change_state(now.id, &[GenerationState::Held], answer).await? {
            return Err(not_served(&now));
        }
    };
    if last.state != GenerationState::Served && !args.dry_run {
        return Err(not_served(&last));
    }
    print_result(&last, &result, args.json)
}

/// Returns the debates that the served views leave out.
async fn left_out_before(app: &OpenApp) -> Result<BTreeSet<DebateId>, CliError> {
    Ok(app.store().views.letters(DEBATES).await?.iter().map(|letter| letter.debate).collect())
}

/// Returns the events that a generation leaves out, under construction or served.
async fn left_out(app: &OpenApp, now: &Generation, before: &BTreeSet<DebateId>) -> Result<Vec<SkippedEvent>, CliError> {
    if now.state != GenerationState::Served {
        return Ok(app.store().views.generations().skipped_events(now.id).await?);
    }
    let letters = app.store().views.letters(DEBATES).await?.into_iter().map(|letter| SkippedEvent {
        newly: !before.contains(&letter.debate),
        debate: letter.debate,
        version: letter.version,
        kind: letter.kind,
        reason: letter.reason,
        found_at: letter.found_at,
    });
    Ok(letters.collect())
}

fn n_debates<'a>(left_out: impl Iterator<Item = &'a SkippedEvent>) -> usize {
    left_out.map(|skipped| skipped.debate).collect::<BTreeSet<_>>().len()
}

/// Rejects a generation that would lose served debates if this command requested it; one requested by others keeps
/// waiting.
async fn refuse_loss(app: &OpenApp, now: &Generation, n_newly: usize) -> Result<CliError, CliError> {
    if now.reason == RebuildReason::Asked {
        let from = [GenerationState::Building, GenerationState::Held, GenerationState::Approved];
        app.store().views.generations().change_state(now.id, &from, GenerationState::Rejected).await?;
    }
    Ok(CliError::Refused(format!(
        "generation {} would leave out {n_newly} served debates, because some of their events are unreadable; it was \
         not served. Run `faultline verify`, repair the damage, or pass --allow-letters",
        now.id
    )))
}

fn print_result(last: &Generation, result: &RebuildResult, as_json: bool) -> Result<(), CliError> {
    let RebuildResult { progress, tally, left_out } = result;
    let is_served = last.state == GenerationState::Served;
    if as_json {
        return json_line(&json!({
            "generation": last.id,
            "revision": last.revision,
            "served": is_served,
            "events": progress.total,
            "debates": progress.n_debates,
            "eventsPerSecond": progress.rate,
            "diff": tally,
            "leftOut": {
                "debates": n_debates(left_out.iter()),
                "newly": n_debates(left_out.iter().filter(|skipped| skipped.newly)),
                "events": left_out.iter().map(left_out_as_json).collect::<Vec<_>>(),
            },
        }));
    }
    if let Some(tally) = tally {
        print(&diff_report(tally))?;
    }
    for it in left_out.iter().take(MAX_LISTED) {
        let newly = if it.newly { ", complete until now" } else { "" };
        let (debate, version, kind, reason) = (it.debate, it.version, &it.kind, &it.reason);
        print(&format!("left out: debate {debate} from version {version} ({kind}) on{newly}: {reason}\n"))?;
    }
    if left_out.len() > MAX_LISTED {
        print(&format!("left out: {} events in total; use --json to list them\n", left_out.len()))?;
    }
    let what_became = match last.state {
        GenerationState::Served => "is now served",
        GenerationState::Dropped => "was built and dropped",
        _ => "was built and is not served",
    };
    let rate = progress.rate.map_or(String::new(), |rate| format!(" ({rate:.0} events/s)"));
    print(&format!(
        "generation {} of {} events in {} debates {what_became}{rate}\n",
        last.id, progress.total, progress.n_debates
    ))
}

fn left_out_as_json(it: &SkippedEvent) -> Value {
    json!({
        "debateId": it.debate,
        "version": it.version,
        "kind": it.kind,
        "reason": it.reason,
        "newly": it.newly,
    })
}

/// Checks the names of projections.
fn check_names(projections: &[String]) -> Result<(), CliError> {
    match projections.iter().find(|projection| !STORED_PROJECTIONS.contains(&projection.as_str())) {
        None => Ok(()),
        Some(other) => {
            let there = STORED_PROJECTIONS.join(", ");
            Err(CliError::Refused(format!(
                "unknown projection {other:?}; available: {there} (always rebuilt together)"
            )))
        }
    }
}

fn not_served(generation: &Generation) -> CliError {
    let why = generation
        .problem
        .as_deref()
        .unwrap_or("it was rejected elsewhere, or a newer version of the program requested another one");
    CliError::Refused(format!("generation {} was not served: {why}", generation.id))
}

/// Watches a generation until a decision is needed or nothing more will happen.
async fn watch(app: &OpenApp, id: i32, quiet: bool) -> Result<(Generation, GenerationProgress), CliError> {
    let generations = app.store().views.generations();
    let bar = if quiet { ProgressBar::hidden() } else { terminal::bar("rebuilding") };
    let (begun, mut has_reported, mut n_still) = (Instant::now(), quiet, 0);
    loop {
        let Some(now) = generations.one(id).await? else {
            return Err(CliError::Refused(format!("generation {id} no longer exists")));
        };
        let progress = generations.progress(&now).await?;
        bar.set_length(progress.total.unsigned_abs());
        bar.set_position(progress.done.unsigned_abs());
        let is_under_way = now.state.is_under_way() && now.state != GenerationState::Held;
        let stands_still = now.caught_up_at.is_some() && now.problem.is_some() && !now.allows_letters;
        n_still = if stands_still && generations.skipped_totals(id).await?.newly > 0 { n_still + 1 } else { 0 };
        let is_settled = !is_under_way && now.state != GenerationState::Rejected;
        if is_settled || n_still >= SURE {
            bar.finish_and_clear();
            return Ok((now, progress));
        }
        let why = now
            .problem
            .as_deref()
            .or((now.state == GenerationState::Wanted).then_some("no service has started the rebuild yet"));
        if let (false, Some(why)) = (has_reported || begun.elapsed() < TIMEOUT, why) {
            bar.suspend(|| eprintln!("faultline: still waiting: {why}"));
            has_reported = true;
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Compares the stored views of all debates while holding the generation.
async fn compare_views(app: &OpenApp, id: i32, quiet: bool) -> Result<VerdictDiffStats, CliError> {
    let views = &app.store().views;
    let generations = views.generations();
    let served = views.served_generation(DEBATES).await?.unwrap_or_default();
    let bar = if quiet { ProgressBar::hidden() } else { terminal::bar("comparing") };
    let (mut comparison, mut renewed) = (GenerationDiff::new(views, (served, id), None), Instant::now());
    loop {
        if renewed.elapsed() > HOLD / 4 {
            generations.hold(id, HOLD).await?;
            renewed = Instant::now();
        }
        let page = comparison.next_page().await?;
        if page.n_debates == 0 {
            break;
        }
        bar.inc(page.n_debates as u64);
    }
    bar.finish_and_clear();
    Ok(comparison.stats)
}
