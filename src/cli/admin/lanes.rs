//! `faultline lanes`: lists the lanes of the log and the servers that hold them, and moves lanes to other servers.

use std::time::Duration;

use futures_util::future::join_all;
use indicatif::ProgressBar;
use serde_json::json;

use crate::app::open_app::OpenApp;
use crate::cli::args::admin::{LanesArgs, LanesCommand, MoveLanesArgs};
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_service::audit;
use faultline_service::audit::Actor;
use faultline_store::shards::lane_move::{LaneMove, delete_leftovers};
use faultline_store::shards::shards::Shards;

/// Lists the lanes, or moves some.
///
/// # Errors
/// [`CliError::Refused`] if a shard is unknown or a lane is being moved already; [`CliError::Fault`] if a database fails. Lanes
/// that were moved before stay moved.
pub async fn run(config: &Config, args: LanesArgs) -> Result<(), CliError> {
    let app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let done = match &args.command {
        Some(LanesCommand::Move(wanted)) => move_lanes(&app, wanted, args.json).await,
        None => list(&app, args.json).await,
    };
    app.close().await;
    done
}

async fn list(app: &OpenApp, json: bool) -> Result<(), CliError> {
    let log = &app.store().log;
    let (heads, placement) = (log.heads().await?, log.shards().placement().await?);
    let n_moves = |lane: i16| placement.iter().find(|placed| placed.lane == lane).map_or(0, |placed| placed.epoch);
    let lanes = (0..).zip(heads).map(|(lane, n_events)| (lane, log.shards().name_of(lane), n_events, n_moves(lane)));
    if json {
        let lane = |(lane, shard, n_events, n_moves)| json!({ "lane": lane, "shard": shard, "events": n_events, "moves": n_moves });
        return json_line(&json!({ "shards": log.shards().names(), "lanes": lanes.map(lane).collect::<Vec<_>>() }));
    }
    let mut text = "lane  shard                             events   moves\n".to_owned();
    for (lane, shard, n_events, n_moves) in lanes {
        text += &format!("{lane:>4}  {shard:<28} {n_events:>11} {n_moves:>7}\n");
    }
    print(&text)
}

/// Moves lanes one after another, and then deletes their former copies, also if one could not be moved.
async fn move_lanes(app: &OpenApp, wanted: &MoveLanesArgs, json: bool) -> Result<(), CliError> {
    let (shards, grace) = (app.store().log.shards(), Duration::from_secs(wanted.grace_seconds));
    let mut moved = Vec::new();
    let carried = carry_over(shards, wanted, json, &mut moved).await;
    if !moved.is_empty() && !json {
        let seconds = wanted.grace_seconds;
        print(&format!("The former copies are deleted in {seconds} s, when every process knows of the move.\n"))?;
    }
    let deletions = moved.into_iter().map(|lane_move| lane_move.delete_former_copy(grace));
    let deleted = join_all(deletions).await.into_iter().collect::<Result<(), _>>();
    carried?;
    Ok(deleted?)
}

/// Moves lanes, and deletes what interrupted moves left of those that are there already.
async fn carry_over(
    shards: &Shards,
    wanted: &MoveLanesArgs,
    json: bool,
    moved: &mut Vec<LaneMove>,
) -> Result<(), CliError> {
    for lane in &wanted.lanes {
        let Some(mut lane_move) = LaneMove::begin(shards, *lane, &wanted.to).await? else {
            report(json, *lane, &wanted.to, None)?;
            if delete_leftovers(shards, *lane, Duration::from_secs(wanted.grace_seconds)).await? && !json {
                print(&format!("A former copy of lane {lane}, left by a move that was interrupted, was deleted.\n"))?;
            }
            continue;
        };
        let bar = if json { ProgressBar::hidden() } else { terminal::bar("copying") };
        let carried = lane_move.carry_over(|copied, all| {
            bar.set_length(all.unsigned_abs());
            bar.set_position(copied.unsigned_abs());
        });
        let carried = carried.await;
        bar.finish_and_clear();
        let carried = carried?;
        moved.push(lane_move);
        report(json, *lane, &wanted.to, Some((carried.n_events, carried.paused)))?;
        audit::done(&Actor::command_line(), "move lane", &format_args!("{lane} to {}", wanted.to));
    }
    Ok(())
}

/// Prints that a lane was moved: the number of its events, and the time for which appends waited; `None` if it was there.
fn report(json: bool, lane: i16, to: &str, moved: Option<(i64, Duration)>) -> Result<(), CliError> {
    match moved {
        _ if json => json_line(&json!({
            "lane": lane,
            "shard": to,
            "events": moved.map(|(n_events, _)| n_events),
            "pausedMs": moved.map(|(_, paused)| paused.as_millis()),
        })),
        Some((n_events, paused)) => print(&format!(
            "Lane {lane} is on {to} now: {n_events} events; appends to it waited for {} ms.\n",
            paused.as_millis()
        )),
        None => print(&format!("Lane {lane} is on {to} already.\n")),
    }
}
