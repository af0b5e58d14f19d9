//! Arguments of the commands for operators.

use std::collections::BTreeSet;
use std::path::PathBuf;

use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};

use crate::api::admission::token_file::read_expiry;
use crate::api::role::Role;
use faultline_core::events::ids::PersonaId;
use faultline_store::lanes::LANES;
use faultline_store::shards::lane_move::GRACE;

/// Arguments of `token`.
#[derive(Args)]
pub struct TokenArgs {
    /// Name of the token: 1 to 64 letters, digits, - and _.
    #[arg(required_unless_present = "list")]
    pub name: Option<String>,
    /// Role of the token: reader (query and subscribe), writer (change debates as well) or admin (administer the
    /// service as well).
    #[arg(long, required_unless_present = "list")]
    pub role: Option<Role>,
    /// Expiry: a number of days (90d), or the start of a day in UTC (2027-01-31); without it, the token never expires.
    #[arg(long, value_parser = read_expiry, value_name = "WHEN")]
    pub expires: Option<DateTime<Utc>>,
    /// List the tokens in the configured file: names, roles, expiry, and which need to be replaced.
    #[arg(long, conflicts_with_all = ["name", "role", "expires", "append"])]
    pub list: bool,
    /// Append the line to the configured token file, and print only the token.
    #[arg(long)]
    pub append: bool,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `verify`.
#[derive(Args)]
pub struct VerifyArgs {
    /// Id of the debate, or the start of it; all debates by default.
    pub id: Option<String>,
    /// Print the head of each debate, to be saved elsewhere: its id, its version and the hash at that version.
    #[arg(long, conflicts_with = "json")]
    pub print_heads: bool,
    /// Compare the log with the heads saved in this file, and report what was cut off or rewritten since.
    #[arg(long, value_name = "FILE")]
    pub heads: Option<PathBuf>,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `rebuild`.
#[derive(Args)]
pub struct RebuildArgs {
    /// Names listed by `faultline projections`. All are rebuilt together, so any name stands for all of them.
    #[arg(value_name = "PROJECTION")]
    pub projections: Vec<String>,
    /// Number of workers, 1 to 16; one per core by default.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(1..=16))]
    pub workers: Option<i32>,
    /// Report differences before the cut-over: regimes, cruxes, camps, labels.
    #[arg(long)]
    pub diff: bool,
    /// Report differences, and do not cut over.
    #[arg(long)]
    pub dry_run: bool,
    /// Cut over even if served debates would be left out because some of their events cannot be read.
    #[arg(long, conflicts_with = "dry_run")]
    pub allow_letters: bool,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `lanes`.
#[derive(Args)]
pub struct LanesArgs {
    /// Subcommand to run; by default, all lanes are listed.
    #[command(subcommand)]
    pub command: Option<LanesCommand>,
    /// Print JSON: one value, or one line for each moved lane.
    #[arg(long, global = true)]
    pub json: bool,
}

/// Subcommands of `faultline lanes`.
#[derive(Subcommand)]
pub enum LanesCommand {
    /// Move lanes to another server, one after another, while services run.
    #[command(after_help = "Example: faultline lanes move 8-15 --to b\n\n\
            Appends to a lane wait while the rest of it is copied, usually for less than a second. Its former copy is\n\
            deleted a minute later. A move that is interrupted has no effect, or is complete but for that: run it again.")]
    Move(MoveLanesArgs),
}

/// Arguments of `lanes move`.
#[derive(Args)]
pub struct MoveLanesArgs {
    /// Numbers of the lanes: 3, 8-15 or 1,4-6.
    #[arg(value_parser = read_lanes)]
    pub lanes: LaneNumbers,
    /// Name of the server, from `FAULTLINE_SHARDS`, or home.
    #[arg(long, value_name = "SHARD")]
    pub to: String,
    /// Time after which the former copies are deleted. A process that is cut off from the home for longer, but not from the
    /// former server, would find the lanes empty.
    #[arg(long, value_name = "SECONDS", default_value_t = GRACE.as_secs(), value_parser = clap::value_parser!(u64).range(2..=86_400))]
    pub grace_seconds: u64,
}

/// Numbers of lanes, ascending.
pub type LaneNumbers = Vec<i16>;

/// Parses numbers and ranges of lanes, separated by commas.
fn read_lanes(text: &str) -> Result<LaneNumbers, String> {
    let expected = || format!("numbers from 0 to {}, as in 3, 8-15 or 1,4-6", LANES - 1);
    let mut lanes = BTreeSet::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse().ok().filter(|lane| (0..LANES).contains(lane));
        let (Some(first), Some(last)) = (number(first), number(last)) else { return Err(expected()) };
        if first > last {
            return Err(expected());
        }
        lanes.extend(first..=last);
    }
    Ok(lanes.into_iter().collect())
}

/// Arguments of `questions`.
#[derive(Args)]
pub struct QuestionsArgs {
    /// Subcommand to run; by default, the amounts are shown.
    #[command(subcommand)]
    pub command: Option<QuestionsCommand>,
    /// Print one JSON value.
    #[arg(long, global = true)]
    pub json: bool,
}

/// Subcommands of `faultline questions`.
#[derive(Subcommand)]
pub enum QuestionsCommand {
    /// Move the vectors of questions to another server, while services run.
    #[command(after_help = "Example: faultline questions move --to b\n\n\
            Texts and pairs stay at home. A move that is interrupted goes on when it is run again.")]
    Move(MoveQuestionsArgs),
}

/// Arguments of `questions move`.
#[derive(Args)]
pub struct MoveQuestionsArgs {
    /// Name of the server, from `FAULTLINE_SHARDS`, or home.
    #[arg(long, value_name = "SHARD")]
    pub to: String,
}

/// Arguments of `projections`.
#[derive(Args)]
pub struct ProjectionsArgs {
    /// Retry events that could not be read.
    #[arg(long)]
    pub retry: bool,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `doctor`.
#[derive(Args)]
pub struct DoctorArgs {
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `erase`.
#[derive(Args)]
pub struct EraseArgs {
    /// Id of the debate, or the start or end of it.
    #[arg(required_unless_present_any = ["persona", "list"], conflicts_with_all = ["persona", "list"])]
    pub id: Option<String>,
    /// Erase a persona instead: every debate in which it takes part, its writings, and all its versions.
    #[arg(long, value_name = "ID", conflicts_with = "list")]
    pub persona: Option<PersonaId>,
    /// List past erasures, latest first.
    #[arg(long)]
    pub list: bool,
    /// Reason, recorded permanently; it should not repeat what is being erased.
    #[arg(long, default_value = "requested on the command line")]
    pub reason: String,
    /// Name of the requester, recorded permanently.
    #[arg(long, env = "USER", default_value = "the command line", value_name = "NAME")]
    pub by: String,
    /// Also erase debates forked from it, or distilled anew from its talk.
    #[arg(long)]
    pub with_forks: bool,
    /// Hide debates recorded without encryption; their events stay readable to anyone with access to the database.
    #[arg(long)]
    pub hide_plain: bool,
    /// Do not ask for confirmation.
    #[arg(long)]
    pub yes: bool,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `keys`.
#[derive(Args)]
pub struct KeysArgs {
    /// Rewrap all keys with the master key in `FAULTLINE_MASTER_KEY`.
    #[arg(long)]
    pub rewrap: bool,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_numbers_and_ranges() {
        assert_eq!(read_lanes("3"), Ok(vec![3]));
        assert_eq!(read_lanes("12-15, 1,4-6,5"), Ok(vec![1, 4, 5, 6, 12, 13, 14, 15]));
        for wrong in ["", "16", "-1", "5-3", "a", "1,,2", "1-"] {
            assert!(read_lanes(wrong).is_err(), "{wrong}");
        }
    }
}
