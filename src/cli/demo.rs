//! `faultline demo`: sets everything up and runs a first debate.

use crate::api::admission::tokens::AccessControl;
use crate::app::access::access;
use crate::app::equipped_app::EquippedApp;
use crate::app::server::listen;
use crate::cli::args::service::DemoArgs;
use crate::cli::debates::debate::debate;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::print;
use crate::cli::output::reading_pace::ReadingPace;
use crate::cli::output::terminal;
use crate::cli::output::terminal::OutputMode;
use crate::cli::serve::{StopSignals, require_own_cluster, service_addresses};
use crate::config::Config;
use faultline_core::events::ids::DebateId;
use faultline_core::positions::playable::OFFLINE;
use faultline_service::service::OpenDebate;

/// Topic, engine and personas of the demo debate.
const ENGINE: &str = "dialogue";
const TOPIC: &str = "Should the city close its centre to private cars?";
const PERSONAS: [&str; 2] = ["edda-tolvane", "gus-ormerand"];

/// Sets everything up, runs a debate, and serves the API.
///
/// # Errors
/// [`CliError`] if a step of the setup fails; its message explains how to fix it.
pub async fn run(config: &Config, args: DemoArgs) -> Result<(), CliError> {
    if !args.listen.ip().is_loopback() {
        return Err(CliError::Refused("the demo serves on loopback only; use `faultline serve --insecure`".to_owned()));
    }
    let access = access(config)?;
    if !args.once {
        // Tells of a busy port before the debate, not after it.
        drop(listen(args.listen).await?);
    }
    let stop = StopSignals::default();
    let mut app = EquippedApp::open(config, &terminal::progress_reporter()).await?;
    let shown = tokio::select! {
        shown = show(&mut app, config, &args, access) => shown,
        () = stop.clone().received() => stop.outcome(),
    };
    app.close().await;
    shown
}

async fn show(app: &mut EquippedApp, config: &Config, args: &DemoArgs, access: AccessControl) -> Result<(), CliError> {
    if !args.once {
        require_own_cluster(app.opened())?;
    }
    let provider = app.service().catalog().provider(Some(OFFLINE))?;
    print(&format!("  provider: {} ({})\n", provider.name, provider.about))?;
    let request = OpenDebate {
        topic: TOPIC.to_owned(),
        engine: ENGINE.to_owned(),
        provider: Some(OFFLINE.to_owned()),
        personas: PERSONAS.map(str::to_owned).to_vec(),
        seed: Some(args.seed),
        ..OpenDebate::default()
    };
    let pace = if args.fast { None } else { ReadingPace::of_stdout() };
    if pace.as_ref().is_some_and(ReadingPace::can_be_skipped) {
        print("  played at a reading pace; press Enter to skip to the end\n")?;
    }
    let debate = debate(app, config, request, OutputMode::People, pace).await?;
    if args.once {
        return Ok(());
    }
    let listener = listen(args.listen).await?;
    let address = listener.local_addr()?;
    print(&format!("\n{}\n\n{}\n", service_addresses(address), next_steps(debate, &address.to_string())))?;
    app.ingest_in_background();
    let stop = StopSignals::default();
    app.serve(listener, config, access, stop.clone().received()).await?;
    stop.outcome()
}

fn next_steps(debate: DebateId, address: &str) -> String {
    // Cargo sets the variable for the programs that it runs.
    let hint = match std::env::var_os("CARGO") {
        Some(_) => "(in the checkout, `faultline` is `cargo run --release --`)   ",
        None => "",
    };
    format!(
        "try next, in another terminal:\n  \
         faultline show {debate}\n  \
         faultline debate \"Should the islands build a small nuclear plant instead of more wind?\" \
         --engine disputes --personas hedda-vornish,bartle-sennack,agnes-wetherlow\n  \
         curl http://{address}/graphql -H 'content-type: application/json' \\\n       \
         -d '{{\"query\":\"{{ debate(id: \\\"{debate}\\\") {{ regime {{ kind reason }} cruxes {{ statement pivotality }} }} }}\"}}'\n\n\
         {hint}Press Ctrl-C to stop the service."
    )
}
