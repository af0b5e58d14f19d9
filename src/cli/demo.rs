//! `faultline demo`: sets everything up and runs a first debate.

use crate::api::tokens::Access;
use crate::app::access::access;
use crate::app::app::{App, listen};
use crate::cli::args::Demo;
use crate::cli::debate::debate;
use crate::cli::exit::CliError;
use crate::cli::out::print;
use crate::cli::screen::{self, Show};
use crate::cli::serve::{alone, doors, stock_at_leisure, told_to_stop};
use crate::config::Config;
use crate::desk::desk::Asked;
use crate::events::ids::DebateId;

/// Topic and personas of the demo debate.
const TOPIC: &str = "Should the city close its centre to private cars?";
const PERSONAS: [&str; 2] = ["edda-tolvane", "gus-ormerand"];

/// Sets everything up, runs a debate, and serves the API.
///
/// # Errors
/// [`CliError`] if a step of the setup fails; its message explains how to fix it.
pub async fn run(config: &Config, args: Demo) -> Result<(), CliError> {
    if !args.listen.ip().is_loopback() {
        return Err(CliError::Refused("the demo serves on loopback only; use `faultline serve --insecure`".to_owned()));
    }
    let access = access(config)?;
    let mut app = App::equipped(config, &screen::tell()).await?;
    let shown = tokio::select! {
        shown = show(&mut app, config, &args, access) => shown,
        () = told_to_stop() => Ok(()),
    };
    app.close().await;
    shown
}

async fn show(app: &mut App, config: &Config, args: &Demo, access: Access) -> Result<(), CliError> {
    if !args.once {
        alone(app)?;
    }
    let provider = app.desk().roster().provider(None)?;
    print(&format!("  provider: {} ({})\n", provider.name, provider.about))?;
    let asked = Asked {
        topic: TOPIC.to_owned(),
        engine: "graph".to_owned(),
        personas: PERSONAS.map(str::to_owned).to_vec(),
        seed: Some(args.seed),
        ..Asked::default()
    };
    let debate = debate(app, config, asked, Show::People).await?;
    if args.once {
        return Ok(());
    }
    let listener = listen(args.listen).await?;
    let address = listener.local_addr()?;
    print(&format!("\n{}\n\n{}\n", doors(address), next_steps(debate, &address.to_string())))?;
    stock_at_leisure(app);
    app.serve(listener, config, access, told_to_stop()).await?;
    Ok(())
}

fn next_steps(debate: DebateId, address: &str) -> String {
    format!(
        "try next, in another terminal:\n  \
         faultline show {debate}\n  \
         faultline debate \"Should the islands build a small nuclear plant instead of more wind?\" \
         --personas hedda-vornish,bartle-sennack,agnes-wetherlow\n  \
         curl http://{address}/graphql -H 'content-type: application/json' \\\n       \
         -d '{{\"query\":\"{{ debate(id: \\\"{debate}\\\") {{ regime {{ kind reason }} cruxes {{ statement pivotality }} }} }}\"}}'\n\n\
         (in the checkout, `faultline` is `cargo run --release --`)   Press Ctrl-C to stop the service."
    )
}
