//! `faultline what-if`: computes what would change if arguments were withdrawn.

use serde_json::{Value, json};

use crate::api::local::query;
use crate::app::open_app::OpenApp;
use crate::cli::args::debates::WhatIfArgs;
use crate::cli::catch_up::find;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_core::verdicts::what_if::{HypotheticalChange, what_if};
use faultline_service::compute::compute;
use faultline_terminal::tables::hypothesis::hypothesis;

/// Query of the effects.
const QUERY: &str = "query ($id: ID!, $at: Int, $remove: [ID!]) {
    debate(id: $id, at: $at) {
        id version
        whatIf(remove: $remove) {
            exact
            before { regime { kind reason } cruxCount campCount extensionCount }
            after { regime { kind reason } cruxCount campCount extensionCount }
            labelChanges { argumentId from to }
            cruxesLost { id origin statement question pivotality }
            cruxesGained { id origin statement question pivotality }
        }
    }
}";

/// Computes the effects of withdrawing arguments and prints them.
///
/// # Errors
/// [`CliError::Refused`] if the debate, the version or an argument does not exist.
pub async fn run(config: &Config, args: WhatIfArgs) -> Result<(), CliError> {
    let mut app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let computed = async {
        let debate = find(&mut app, &args.id).await?;
        if args.json {
            let removed: Vec<String> = args.remove.iter().map(ToString::to_string).collect();
            let variables = json!({ "id": debate, "at": args.at, "remove": removed });
            let mut data = query(app.schema_services(None), QUERY, variables).await?;
            return match data["debate"].take() {
                Value::Null => Err(CliError::Refused(format!("there is no debate {debate}"))),
                found => json_line(&found),
            };
        }
        let read_model = app.read_router(None).now().await.service.read_model(debate, args.at).await?;
        let change = HypotheticalChange { withdrawn: args.remove.clone(), added: Vec::new() };
        let (changed, withdrawn) = (read_model.clone(), change.clone());
        let found = compute(move || what_if(&changed, &changed.verdict(), &withdrawn)).await;
        let found = found.map_err(|error| CliError::Fault(format!("the computation failed: {error}")))?;
        let found = found.map_err(|error| CliError::Refused(error.to_string()))?;
        print(&hypothesis(&read_model, &change.withdrawn, &found, terminal::terminal_style()))
    };
    let computed = computed.await;
    app.close().await;
    computed
}
