//! `faultline erase`: debates and personas that are to be forgotten, and the record of those that were.

use std::io::{IsTerminal, Write};

use clap::Args;
use serde_json::{Value, json};

use crate::app::app::App;
use crate::cli::catch_up::find;
use crate::cli::exit::CliError;
use crate::cli::out::{json_line, print};
use crate::cli::screen;
use crate::config::Config;
use crate::desk::audit::Actor;
use crate::desk::erase::Erasing;
use crate::events::ids::PersonaId;
use crate::store::erasure::{ERASURES, Erasure, Order, Subject};
use crate::store::library::open::LibraryError;

/// Arguments of `erase`.
#[derive(Args)]
pub struct Erase {
    /// The debate's id, or the beginning or end of it.
    #[arg(required_unless_present_any = ["persona", "list"], conflicts_with_all = ["persona", "list"])]
    pub id: Option<String>,
    /// A persona instead: every debate in which it takes part, what it wrote, and all its versions.
    #[arg(long, value_name = "ID", conflicts_with = "list")]
    pub persona: Option<PersonaId>,
    /// List what was erased, the latest first.
    #[arg(long)]
    pub list: bool,
    /// Why: kept for good, so it should not say what is to be forgotten.
    #[arg(long, default_value = "asked for on the command line")]
    pub reason: String,
    /// At whose word: kept for good.
    #[arg(long, env = "USER", default_value = "the command line", value_name = "NAME")]
    pub by: String,
    /// Erase the debates as well that were forked from it.
    #[arg(long)]
    pub with_forks: bool,
    /// Hide what was recorded in plain: its bodies stay in the log for whoever has the database.
    #[arg(long)]
    pub hide_plain: bool,
    /// Do not ask whether it is meant.
    #[arg(long)]
    pub yes: bool,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Erases, or lists what was erased.
///
/// # Errors
/// Refused where something else would be lost with it; and where it is not said that it is meant.
pub async fn run(config: &Config, args: Erase) -> Result<(), CliError> {
    if let Some(persona) = &args.persona {
        without_files(config, persona)?;
    }
    if !args.list && !args.yes {
        let what = args.persona.as_ref().map(|it| format!("persona {it} and its debates"));
        meant(&what.unwrap_or_else(|| format!("debate {}", args.id.as_deref().unwrap_or_default())))?;
    }
    let mut app = App::open(config, &screen::tell()).await?;
    let done = erase(&mut app, &args).await;
    app.close().await;
    done
}

async fn erase(app: &mut App, args: &Erase) -> Result<(), CliError> {
    let log = app.store().log.clone();
    if args.list {
        return told(&log.erasures(ERASURES).await?, args.json);
    }
    let order = Order { asked_by: args.by.clone(), reason: args.reason.clone() };
    let erasing = Erasing { order, with_forks: args.with_forks, hide_plain: args.hide_plain };
    let desk = app.desk().acting_as(&Actor::command_line());
    let erased = match (&args.persona, &args.id) {
        (Some(persona), _) => desk.erase_persona(persona, &erasing).await?,
        (None, id) => {
            let debate = find(app, id.as_deref().unwrap_or_default()).await?;
            desk.erase(debate, &erasing).await?
        }
    };
    if args.persona.is_some() {
        // Words of passages are counted, and indexes bear a persona's name.
        let tended = app.store().library.tend().await;
        tended.map_err(|it: LibraryError| CliError::Fault(it.to_string()))?;
    }
    told(&erased, args.json)?;
    // What was erased is erased. That the space it took is not cleaned yet is worth a word, and no more.
    match log.scrub().await {
        Ok(left) => left.iter().for_each(|it| eprintln!("faultline: {it}")),
        Err(fault) => tracing::warn!(%fault, "the space of what was erased will be cleaned by the server's own vacuum"),
    }
    Ok(())
}

/// A file would bring the persona back at the next start.
fn without_files(config: &Config, persona: &PersonaId) -> Result<(), CliError> {
    let file = config.personas.join(format!("{persona}.toml"));
    let corpus = config.corpus.join(persona.as_str());
    let left: Vec<String> = [file, corpus].iter().filter(|it| it.exists()).map(|it| it.display().to_string()).collect();
    if left.is_empty() {
        return Ok(());
    }
    Err(CliError::Refused(format!(
        "{} would bring the persona back at the next start: take it away first, and stop the services that have read it",
        left.join(" and ")
    )))
}

/// Asks whether it is meant.
fn meant(what: &str) -> Result<(), CliError> {
    if !std::io::stdin().is_terminal() {
        return Err(CliError::Refused(format!("erasing {what} cannot be undone; say --yes if it is meant")));
    }
    eprint!("Erasing {what} cannot be undone. Type yes if it is meant: ");
    std::io::stderr().flush()?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    if answer.trim() == "yes" { Ok(()) } else { Err(CliError::Refused("nothing was erased".to_owned())) }
}

fn told(erased: &[Erasure], json: bool) -> Result<(), CliError> {
    if json {
        return json_line(&Value::Array(erased.iter().map(value).collect()));
    }
    if erased.is_empty() {
        return print("nothing was erased yet\n");
    }
    for it in erased {
        let what = match &it.subject {
            Subject::Debate(debate) => format!("debate {debate}"),
            Subject::Persona(persona) => format!("persona {persona}"),
        };
        let how = if it.sealed { "erased" } else { "hidden; its bodies are in the log in plain" };
        let (at, order) = (it.erased_at.format("%Y-%m-%d %H:%M:%S"), &it.order);
        print(&format!("{what}: {how}, {at} UTC, by {}: {}\n", order.asked_by, order.reason))?;
    }
    Ok(())
}

fn value(erased: &Erasure) -> Value {
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
