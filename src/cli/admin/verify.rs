//! `faultline verify`: checks the integrity of the log and the stored views.

use std::path::Path;

use serde_json::json;

use crate::app::open_app::OpenApp;
use crate::cli::admin::verify_views::ServedViews;
use crate::cli::args::admin::VerifyArgs;
use crate::cli::catch_up::find;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_core::events::ids::DebateId;
use faultline_store::lanes::LANES;
use faultline_store::log::heads::{Head, HeadCheck, short};
use faultline_store::log::verify::{ChainBreak, LaneBreak};

/// Number of debates per page.
const PAGE: i64 = 500;
/// Maximum number of faults listed.
const MAX_LISTED: usize = 50;

#[derive(Default)]
struct Findings {
    n_debates: usize,
    n_events: i64,
    n_views: usize,
    n_erased: usize,
    /// Number of saved heads that were compared, if any were given.
    n_heads: Option<usize>,
    faults: Vec<String>,
    prints_heads: bool,
}

/// Checks the log and the stored views.
///
/// # Errors
/// [`CliError::Refused`] if a fault was found; [`CliError::Fault`] if the database fails.
pub async fn run(config: &Config, args: VerifyArgs) -> Result<(), CliError> {
    let mut app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let verified = verify(&mut app, &args).await;
    app.close().await;
    verified
}

async fn verify(app: &mut OpenApp, args: &VerifyArgs) -> Result<(), CliError> {
    let mut findings = Findings { prints_heads: args.print_heads, ..Findings::default() };
    let only = match &args.id {
        Some(id) => Some(find(app, id).await?),
        None => None,
    };
    match only {
        Some(debate) => check(app, debate, &mut findings).await?,
        None => check_all(app, &mut findings).await?,
    }
    if let Some(path) = &args.heads {
        check_heads(app, path, only, &mut findings).await?;
    }
    if let (Some(debate), 0, true) = (only, findings.n_events, findings.faults.is_empty()) {
        return Err(CliError::Refused(format!("there is no debate {debate}")));
    }
    print_findings(&findings, args.json)?;
    match findings.faults.len() {
        0 => Ok(()),
        n => Err(CliError::Refused(format!("{n} faults found: the log or its views differ from what was recorded"))),
    }
}

fn print_findings(findings: &Findings, as_json: bool) -> Result<(), CliError> {
    let Findings { n_debates, n_events, n_views, n_erased, n_heads, faults, .. } = findings;
    if as_json {
        let mut summary =
            json!({ "debates": n_debates, "events": n_events, "views": n_views, "erased": n_erased, "faults": faults });
        if let Some(n_heads) = n_heads {
            summary["heads"] = json!(n_heads);
        }
        return json_line(&summary);
    }
    // Other output goes to stderr if the heads are printed to standard output.
    let say = |line: &str| match findings.prints_heads {
        true => {
            eprintln!("{line}");
            Ok(())
        }
        false => print(&format!("{line}\n")),
    };
    faults.iter().take(MAX_LISTED).try_for_each(|fault| say(fault))?;
    let heads = n_heads.map_or(String::new(), |count| format!(", {count} saved heads"));
    say(&format!("{n_debates} debates, {n_events} events, {n_views} stored views{heads}: {} faults", faults.len()))?;
    match n_erased {
        0 => Ok(()),
        n => say(&format!("{n} of the debates were erased: their hash chains are verified, their content is deleted")),
    }
}

async fn check_all(app: &OpenApp, findings: &mut Findings) -> Result<(), CliError> {
    let log = &app.store().log;
    let bar = terminal::bar("verifying");
    for lane in 0..LANES {
        findings.faults.extend(
            log.verify_lane(lane).await?.iter().map(|fault| format!("lane {lane}: {}", describe_lane_break(fault))),
        );
        let mut after = None;
        loop {
            let debates = log.debates(lane, after, PAGE).await?;
            bar.inc_length(debates.len() as u64);
            for debate in &debates {
                check(app, *debate, findings).await?;
                bar.inc(1);
            }
            after = debates.last().copied();
            if (debates.len() as i64) < PAGE {
                break;
            }
        }
    }
    bar.finish_and_clear();
    Ok(())
}

async fn check(app: &OpenApp, debate: DebateId, findings: &mut Findings) -> Result<(), CliError> {
    let chain = app.store().log.verify(debate).await?;
    findings.n_debates += 1;
    findings.n_events += chain.version;
    findings.faults.extend(chain.breaks.iter().map(|fault| format!("debate {debate}: {}", describe_break(fault))));
    if !chain.breaks.is_empty() || chain.version == 0 {
        return Ok(());
    }
    if findings.prints_heads {
        print(&format!("{}\n", Head { debate, version: chain.version, hash: chain.hash.clone() }))?;
    }
    findings.n_erased += usize::from(chain.erased);
    if chain.erased {
        return Ok(());
    }
    if let Some(served) = ServedViews::now(app).await? {
        let (n_views, faults) = served.compare(app, debate, &chain).await?;
        findings.n_views += n_views;
        findings.faults.extend(faults);
    }
    Ok(())
}

/// Compares saved heads with the current log.
async fn check_heads(
    app: &OpenApp,
    path: &Path,
    only: Option<DebateId>,
    findings: &mut Findings,
) -> Result<(), CliError> {
    let mut heads = read_heads(path)?;
    heads.retain(|head| only.is_none_or(|only| only == head.debate));
    let checks = app.store().log.check_heads(&heads).await?;
    findings.n_heads = Some(heads.len());
    let fault = |(head, checks): (&Head, &HeadCheck)| {
        let (version, hash) = (head.version, short(&head.hash));
        let what = match checks {
            HeadCheck::Same => return None,
            HeadCheck::CutOff { stands: 0 } => "but the debate no longer exists".to_owned(),
            HeadCheck::CutOff { stands } => {
                format!("but its latest version is {stands}: later events were cut off")
            }
            HeadCheck::Missing => "but that event is missing".to_owned(),
            HeadCheck::Rewritten => "but another event is in its place: the log was rewritten".to_owned(),
        };
        Some(format!("debate {}: the saved head is version {version} with hash {hash}..., {what}", head.debate))
    };
    findings.faults.extend(heads.iter().zip(&checks).filter_map(fault));
    Ok(())
}

/// Parses a file of heads as written by `--print-heads`; skips empty lines.
fn read_heads(path: &Path) -> Result<Vec<Head>, CliError> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| CliError::Refused(format!("cannot read the heads in {shown}: {error}")))?;
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let read = |(number, line): (usize, &str)| {
        line.trim_end().parse().map_err(|error| CliError::Refused(format!("{shown}, line {number}: {error}")))
    };
    lines.map(read).collect()
}

fn describe_break(broken: &ChainBreak) -> String {
    match broken {
        ChainBreak::Missing { first, last } if first == last => format!("version {first} is missing"),
        ChainBreak::Missing { first, last } => format!("versions {first} to {last} are missing"),
        ChainBreak::Altered { version } => format!("version {version} was altered after it was recorded"),
        ChainBreak::Unordered { version } => format!("version {version} is stored before its predecessor"),
        ChainBreak::Unreadable { version, reason } => format!("version {version} cannot be read: {reason}"),
        ChainBreak::Stray { lane, n_events } => {
            format!("{n_events} of its events are in lane {lane}, which belongs to other debates")
        }
    }
}

fn describe_lane_break(broken: &LaneBreak) -> String {
    match broken {
        LaneBreak::Missing { first, last } if first == last => format!("position {first} is missing"),
        LaneBreak::Missing { first, last } => format!("positions {first} to {last} are missing"),
        LaneBreak::Beyond { head, last } => format!("there are events up to position {last}, beyond its head {head}"),
    }
}
