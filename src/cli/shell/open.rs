//! `faultline open`: opens the studio, or a debate in it, in the browser.

use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;

use crate::app::open_app::OpenApp;
use crate::cli::catch_up::find;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_core::events::ids::DebateId;

/// Maximum time to wait for the answer of the service.
const TIMEOUT: Duration = Duration::from_secs(2);
/// Time after which a browser that still runs counts as started, and interval of the checks.
const STARTED: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(20);

/// Arguments of `open`.
#[derive(Args)]
pub struct OpenArgs {
    /// Id of the debate to show, or the start or end of it; by default, the list of debates opens.
    pub id: Option<String>,
    /// Address of the service.
    #[arg(long, default_value = "127.0.0.1:7777", value_name = "ADDRESS")]
    pub address: SocketAddr,
    /// Print the address as one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Opens a page of a running service in the browser, and prints its address.
///
/// # Errors
/// [`CliError::Refused`] if no service answers, or the debate does not exist.
pub async fn run(config: &Config, args: OpenArgs) -> Result<(), CliError> {
    let address = match &args.id {
        Some(id) => format!("http://{}/debates/{}", args.address, debate(config, id).await?),
        None => format!("http://{}/", args.address),
    };
    let is_served = answers(args.address).await;
    let is_opened = is_served && browser(&|name| std::env::var(name).ok()).is_some_and(|it| is_started(&it, &address));
    if args.json {
        json_line(&json!({ "address": address, "served": is_served, "opened": is_opened }))?;
    } else {
        print(&format!("{address}\n"))?;
    }
    if !is_served {
        return Err(CliError::Refused(format!(
            "no service answers at {}; start one with `faultline serve`, or name the address of yours with --address",
            args.address
        )));
    }
    if !is_opened {
        eprintln!("faultline: no browser could be started; open the address yourself, or set BROWSER");
    }
    Ok(())
}

/// Finds a debate; the database is only needed for a part of an id.
async fn debate(config: &Config, id: &str) -> Result<DebateId, CliError> {
    if let Ok(debate) = id.trim().parse() {
        return Ok(debate);
    }
    let mut app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let found = find(&mut app, id).await;
    app.close().await;
    found
}

async fn answers(address: SocketAddr) -> bool {
    let client = reqwest::Client::builder().no_proxy().timeout(TIMEOUT).build();
    match client {
        Ok(client) => {
            let answer = client.get(format!("http://{address}/healthz")).send().await;
            answer.is_ok_and(|answer| answer.status().is_success())
        }
        Err(_) => false,
    }
}

/// Returns the command that opens addresses: that of `BROWSER`, or that of the desktop if there is one.
fn browser(variable: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let given = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
    let has_desktop = || given("DISPLAY").or_else(|| given("WAYLAND_DISPLAY")).is_some();
    given("BROWSER").or_else(|| match cfg!(target_os = "macos") {
        true => Some("open".to_owned()),
        false => has_desktop().then(|| "xdg-open".to_owned()),
    })
}

/// Starts the browser and returns true if it runs or has succeeded.
fn is_started(browser: &str, address: &str) -> bool {
    let mut words = browser.split_whitespace();
    let Some(program) = words.next() else { return false };
    let quiet = Command::new(program)
        .args(words)
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = quiet else { return false };
    let begun = Instant::now();
    while begun.elapsed() < STARTED {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) => std::thread::sleep(PAUSE),
            Err(_) => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_browser_is_that_of_the_environment() {
        let check = |variables: &[(&str, &str)], expected: Option<&str>| {
            let value =
                |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
            let expected = expected.or(cfg!(target_os = "macos").then_some("open"));
            assert_eq!(browser(&value).as_deref(), expected, "{variables:?}");
        };
        check(&[], None);
        check(&[("BROWSER", " ")], None);
        check(&[("BROWSER", "w3m -N")], Some("w3m -N"));
        if !cfg!(target_os = "macos") {
            check(&[("DISPLAY", ":0")], Some("xdg-open"));
            check(&[("WAYLAND_DISPLAY", "wayland-0")], Some("xdg-open"));
        }
        assert!(is_started("true", "http://127.0.0.1/"));
        assert!(!is_started("false", "http://127.0.0.1/") && !is_started("no-such-browser", "http://127.0.0.1/"));
    }
}
