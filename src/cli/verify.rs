//! `faultline verify`: is the log what was written, and are the views what it adds up to?

use serde_json::{Value, json};

use crate::app::app::App;
use crate::cli::args::Verify;
use crate::cli::exit::CliError;
use crate::cli::out::{json_line, print};
use crate::cli::screen;
use crate::config::Config;
use crate::events::ids::DebateId;
use crate::projections::summary::Summary;
use crate::runtime::rows::add_rows;
use crate::store::crux_rows::{CruxRow, CruxesOf};
use crate::store::debates::DEBATES;
use crate::store::lanes::LANES;
use crate::store::verify::{Break, LaneBreak};
use crate::store::views::Changes;
use crate::verdicts::verdict::Verdict;

/// Debates whose names are read at once.
const PAGE: i64 = 500;
/// Faults that are told one by one.
const TOLD: usize = 50;

#[derive(Default)]
struct Findings {
    n_debates: usize,
    n_events: i64,
    n_views: usize,
    n_erased: usize,
    faults: Vec<String>,
}

/// Checks the log and the stored views.
///
/// # Errors
/// Refused where something is not as it should be.
pub async fn run(config: &Config, args: Verify) -> Result<(), CliError> {
    let app = App::open(config, &screen::tell()).await?;
    let verified = verify(&app, &args).await;
    app.close().await;
    verified
}

async fn verify(app: &App, args: &Verify) -> Result<(), CliError> {
    let mut findings = Findings::default();
    match &args.id {
        Some(id) => {
            let debate = app.find(id).await?;
            check(app, debate, &mut findings).await?;
            if findings.n_events == 0 {
                return Err(CliError::Refused(format!("there is no debate {debate}")));
            }
        }
        None => everything(app, &mut findings).await?,
    }
    let Findings { n_debates, n_events, n_views, n_erased, faults } = &findings;
    if args.json {
        json_line(
            &json!({ "debates": n_debates, "events": n_events, "views": n_views, "erased": n_erased, "faults": faults }),
        )?;
    } else {
        for fault in faults.iter().take(TOLD) {
            print(&format!("{fault}\n"))?;
        }
        print(&format!("{n_debates} debates, {n_events} events, {n_views} stored views: {} faults\n", faults.len()))?;
        if *n_erased > 0 {
            print(&format!(
                "{n_erased} of the debates were erased: their chains are checked, what they said is gone\n"
            ))?;
        }
    }
    match faults.len() {
        0 => Ok(()),
        n => Err(CliError::Refused(format!("{n} faults were found: the log or its views are not what was written"))),
    }
}

async fn everything(app: &App, findings: &mut Findings) -> Result<(), CliError> {
    let log = &app.store().log;
    let bar = screen::bar("verifying");
    for lane in 0..LANES {
        findings
            .faults
            .extend(log.verify_lane(lane).await?.iter().map(|it| format!("lane {lane}: {}", told_of_lane(it))));
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

async fn check(app: &App, debate: DebateId, findings: &mut Findings) -> Result<(), CliError> {
    let chain = app.store().log.verify(debate).await?;
    findings.n_debates += 1;
    findings.n_events += chain.version;
    findings.faults.extend(chain.breaks.iter().map(|it| format!("debate {debate}: {}", told(it))));
    findings.n_erased += usize::from(chain.erased);
    if chain.breaks.is_empty() && chain.version > 0 && !chain.erased {
        check_views(app, debate, findings).await?;
    }
    Ok(())
}

/// The stored views of a debate against a fresh fold of the same prefix.
async fn check_views(app: &App, debate: DebateId, findings: &mut Findings) -> Result<(), CliError> {
    let views = &app.store().views;
    let Some(generation) = views.served(DEBATES).await? else { return Ok(()) };
    let summary = views.load::<Summary>("summary", generation, debate).await?;
    let verdict = views.load::<Verdict>("verdict", generation, debate).await?;
    let cruxes = views.cruxes_of(generation, debate).await?;
    if let Some(stored) = summary {
        findings.n_views += 1;
        let fresh = app.desk().board(debate, Some(stored.version)).await?.summary;
        compare("summary", debate, stored.version, json!(stored.value), json!(fresh), findings);
    }
    if let Some(stored) = verdict {
        findings.n_views += 1;
        let fresh = app.desk().board(debate, Some(stored.version)).await?.verdict();
        compare("verdict", debate, stored.version, json!(stored.value), json!(fresh), findings);
    }
    if let Some(stored) = cruxes {
        findings.n_views += 1;
        let board = app.desk().board(debate, Some(stored.version)).await?;
        let mut fresh = Changes::default();
        add_rows(&mut fresh, generation, debate, &board)?;
        let facts = |of: &CruxesOf| of.rows.iter().map(CruxRow::facts).collect::<Result<Vec<_>, _>>();
        let fresh = fresh.cruxes.first().map(facts).transpose()?.unwrap_or_default();
        compare("list of cruxes", debate, stored.version, json!(facts(&stored)?), json!(fresh), findings);
    }
    Ok(())
}

fn compare(view: &str, debate: DebateId, version: i64, stored: Value, fresh: Value, findings: &mut Findings) {
    if stored != fresh {
        let fault = format!("debate {debate}: the stored {view} is not what its first {version} events add up to");
        findings.faults.push(fault);
    }
}

fn told(broken: &Break) -> String {
    match broken {
        Break::Missing { first, last } if first == last => format!("version {first} is missing"),
        Break::Missing { first, last } => format!("versions {first} to {last} are missing"),
        Break::Altered { version } => format!("version {version} is not as it was recorded"),
        Break::Unordered { version } => format!("version {version} lies before the one that it follows"),
        Break::Unreadable { version, reason } => format!("version {version} cannot be read: {reason}"),
        Break::Stray { lane, n_events } => format!("{n_events} of its events lie in lane {lane}, which is not its own"),
    }
}

fn told_of_lane(broken: &LaneBreak) -> String {
    match broken {
        LaneBreak::Missing { first, last } if first == last => format!("position {first} is missing"),
        LaneBreak::Missing { first, last } => format!("positions {first} to {last} are missing"),
        LaneBreak::Beyond { head, last } => format!("events lie up to position {last}, beyond its head {head}"),
    }
}
