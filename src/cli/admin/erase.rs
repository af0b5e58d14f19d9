//! `faultline erase`: erases debates and personas, and lists past erasures.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::app::open_app::OpenApp;
use crate::cli::args::admin::EraseArgs;
use crate::cli::catch_up::find;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_core::events::ids::PersonaId;
use faultline_service::audit::Actor;
use faultline_service::erase::EraseRequest;
use faultline_shipped::built_in::is_built_in;
use faultline_shipped::files::exists;
use faultline_store::erasure::erasure::{ErasureOrder, ErasureRecord, MAX_ERASURES, Subject};
use faultline_store::library::open::LibraryError;

/// Erases a debate or a persona, or lists past erasures.
///
/// # Errors
/// [`CliError::Refused`] if the erasure would affect data that was not named, or was not confirmed.
pub async fn run(config: &Config, args: EraseArgs) -> Result<(), CliError> {
    if let Some(persona) = &args.persona {
        refuse_files(config, persona)?;
    }
    if !args.list && !args.yes {
        let what = args.persona.as_ref().map(|persona| format!("persona {persona} and its debates"));
        confirm(&what.unwrap_or_else(|| format!("debate {}", args.id.as_deref().unwrap_or_default())))?;
    }
    let mut app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let done = erase(&mut app, &args).await;
    app.close().await;
    done
}

async fn erase(app: &mut OpenApp, args: &EraseArgs) -> Result<(), CliError> {
    let log = app.store().log.clone();
    if args.list {
        return print_erasures(&log.erasures(MAX_ERASURES).await?, args.json);
    }
    let order = ErasureOrder { asked_by: args.by.clone(), reason: args.reason.clone() };
    let erasing = EraseRequest { order, with_forks: args.with_forks, hide_plain: args.hide_plain };
    let service = app.service().acting_as(&Actor::command_line());
    let erased = match (&args.persona, &args.id) {
        (Some(persona), _) => service.erase_persona(persona, &erasing).await?,
        (None, id) => {
            let debate = find(app, id.as_deref().unwrap_or_default()).await?;
            service.erase(debate, &erasing).await?
        }
    };
    if args.persona.is_some() {
        // Word counts and index names contain data of the persona, so they are updated.
        let maintained = app.store().library.maintain().await;
        maintained.map_err(|error: LibraryError| CliError::Fault(error.to_string()))?;
    }
    print_erasures(&erased, args.json)?;
    // The erasure is already complete; remaining disk space to clean only causes a warning.
    match log.scrub().await {
        Ok(left) => left.iter().for_each(|warning| eprintln!("faultline: {warning}")),
        Err(fault) => {
            tracing::warn!(%fault, "could not clean the space of the erased data; the server's autovacuum will do so")
        }
    }
    Ok(())
}

/// Refuses if files exist from which the persona would be loaded again at the next start.
fn refuse_files(config: &Config, persona: &PersonaId) -> Result<(), CliError> {
    let file = config.personas.join(format!("{persona}.toml"));
    let corpus = config.corpus.join(persona.as_str());
    let left: Vec<PathBuf> = [file, corpus].into_iter().filter(|path| exists(path)).collect();
    if left.is_empty() {
        return Ok(());
    }
    let remedy = if left.iter().any(|path| is_built_in(path)) {
        "write personas and corpora to folders with `faultline init`, remove it there"
    } else {
        "remove it first"
    };
    let left: Vec<String> = left.iter().map(|path| path.display().to_string()).collect();
    Err(CliError::Refused(format!(
        "{} would restore the persona at the next start: {remedy}, and stop the services that have loaded it",
        left.join(" and ")
    )))
}

/// Asks for confirmation.
fn confirm(what: &str) -> Result<(), CliError> {
    if !std::io::stdin().is_terminal() {
        return Err(CliError::Refused(format!("erasing {what} cannot be undone; pass --yes to confirm")));
    }
    eprint!("Erasing {what} cannot be undone. Type yes to confirm: ");
    std::io::stderr().flush()?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    if answer.trim() == "yes" { Ok(()) } else { Err(CliError::Refused("nothing was erased".to_owned())) }
}

fn print_erasures(erased: &[ErasureRecord], json: bool) -> Result<(), CliError> {
    if json {
        return json_line(&Value::Array(erased.iter().map(value).collect()));
    }
    if erased.is_empty() {
        return print("no erasures are recorded\n");
    }
    for it in erased {
        let what = match &it.subject {
            Subject::Debate(debate) => format!("debate {debate}"),
            Subject::Persona(persona) => format!("persona {persona}"),
        };
        let how = if it.sealed { "erased" } else { "hidden; its events remain in the log unencrypted" };
        let (at, order) = (it.erased_at.format("%Y-%m-%d %H:%M:%S"), &it.order);
        print(&format!("{what}: {how}, {at} UTC, by {}: {}\n", order.asked_by, order.reason))?;
    }
    Ok(())
}

fn value(erased: &ErasureRecord) -> Value {
    let (debate, persona) = match &erased.subject {
        Subject::Debate(it) => (Some(it), None),
        Subject::Persona(it) => (None, Some(it)),
    };
    json!({
        "debateId": debate,
        "personaId": persona,
        "erasedAt": erased.erased_at,
        "askedBy": erased.order.asked_by,
        "reason": erased.order.reason,
        "sealed": erased.sealed,
    })
}
