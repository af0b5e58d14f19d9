//! `faultline doctor`: checks the setup and explains how to fix problems.

use serde_json::json;

use crate::app::app::App;
use crate::app::database::home;
use crate::app::providers::embedder;
use crate::cli::args::Doctor;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::config::{Config, VARIABLES};
use faultline_core::verdicts::read_model::REVISION;
use faultline_ingest::personas::read_personas;
use faultline_store::error::StoreError;
use faultline_store::library::open::{LibraryError, StoredEmbedder};
use faultline_store::replica::replica::ReplicaState;

/// Result of one check.
struct Finding {
    what: &'static str,
    well: bool,
    told: String,
}

/// Runs all checks and prints their results.
///
/// # Errors
/// [`CliError::Refused`] if a check failed.
pub async fn run(config: &Config, args: Doctor) -> Result<(), CliError> {
    let mut findings = vec![configuration(config), personas(config)];
    let (found, in_use) = database(config).await;
    findings.extend(found);
    findings.push(embeddings(config, in_use).await);
    findings.extend(providers(config));
    let ill = findings.iter().filter(|it| !it.well).count();
    if args.json {
        let told = findings.iter().map(|it| json!({ "what": it.what, "well": it.well, "told": it.told }));
        json_line(&told.collect::<Vec<_>>())?;
    } else {
        for finding in &findings {
            let mark = if finding.well { "ok  " } else { "FAIL" };
            print(&format!("{mark} {:<14} {}\n", finding.what, finding.told.replace('\n', "\n                    ")))?;
        }
    }
    if ill == 0 { Ok(()) } else { Err(CliError::Refused(format!("{ill} of {} checks failed", findings.len()))) }
}

/// Lists the environment variables that are set, without their values.
fn configuration(config: &Config) -> Finding {
    let set: Vec<&str> = VARIABLES.iter().map(|(name, ..)| *name).filter(|it| std::env::var_os(it).is_some()).collect();
    let set = if set.is_empty() {
        "no variable is set; using defaults".to_owned()
    } else {
        format!("set: {}", set.join(", "))
    };
    Finding { what: "environment", well: true, told: format!("{set}; home {}", home(config).display()) }
}

fn personas(config: &Config) -> Finding {
    match read_personas(&config.personas, None) {
        Ok(files) if files.is_empty() => Finding {
            what: "personas",
            well: false,
            told: format!("no personas in {}; set FAULTLINE_PERSONAS to their folder", config.personas.display()),
        },
        Ok(files) => {
            let names: Vec<&str> = files.iter().map(|it| it.persona.id.as_str()).collect();
            Finding { what: "personas", well: true, told: format!("{}: {}", files.len(), names.join(", ")) }
        }
        Err(faults) => Finding { what: "personas", well: false, told: faults.to_string() },
    }
}

/// Checks the database, and returns the embedder of the stored vectors.
async fn database(config: &Config) -> (Vec<Finding>, Option<StoredEmbedder>) {
    let what = "database";
    let app = match App::open(config, &terminal::progress_reporter()).await {
        Ok(app) => app,
        Err(error) => return (vec![Finding { what, well: false, told: error.to_string() }], None),
    };
    let looked = async {
        let store = app.store();
        let events: i64 = store.log.heads().await?.iter().sum();
        let lag = store.lag(REVISION).await?;
        let place = match &config.database_url {
            Some(_) => "DATABASE_URL".to_owned(),
            None => format!("private, in {}", home(config).display()),
        };
        let holdings = store.library.holdings().await.unwrap_or_default();
        let passages: i64 = holdings.iter().map(|it| it.n_passages).sum();
        let in_use = store.library.embedder_in_use().await.ok().flatten();
        let by =
            in_use.as_ref().map_or_else(String::new, |it| format!(", embedded by {} (width {})", it.name, it.width));
        let library = format!("{} personas, {passages} passages{by}", holdings.len());
        let mut findings = vec![
            Finding { what, well: true, told: format!("{} ({place})", store.server_version().await?) },
            Finding { what: "log", well: true, told: format!("{events} events; the stored views are {lag} behind") },
            Finding { what: "library", well: true, told: library },
        ];
        if let Some(replica) = &store.replica {
            let standing = replica.checked_state().await;
            let well = matches!(standing, ReplicaState::Following { .. });
            findings.push(Finding { what: "replica", well, told: standing.to_string() });
        }
        // An embedder without stored passages can still be replaced.
        Ok::<_, StoreError>((findings, in_use.filter(|_| passages > 0)))
    };
    let looked = looked.await;
    app.close().await;
    looked.unwrap_or_else(|fault| (vec![Finding { what, well: false, told: fault.to_string() }], None))
}

/// Text embedded to test the embedder.
const TRIED: &str = "Is there anything that would change your mind?";

/// Checks that the configured embedder works and is the one used by the library.
async fn embeddings(config: &Config, in_use: Option<StoredEmbedder>) -> Finding {
    let ill = |told: String| Finding { what: "embedder", well: false, told };
    let (embedder, remark) = match embedder(config).await {
        Ok((embedder, remark)) => (embedder, remark),
        Err(error) => return ill(error.to_string()),
    };
    if let Some(remark) = remark {
        return ill(remark);
    }
    let name = embedder.name();
    match embedder.embed(&[TRIED.to_owned()]).await {
        Err(failure) => return ill(format!("{name} cannot embed: {failure}")),
        Ok(vectors) if vectors.len() != 1 || vectors[0].len() != embedder.width() => {
            return ill(format!("{name} did not return exactly one vector of length {}", embedder.width()));
        }
        Ok(_) => {}
    }
    if let Some(stored) = in_use.map(|it| it.name).filter(|it| it != name) {
        return ill(LibraryError::OtherEmbedder { stored, given: name.to_owned() }.to_string());
    }
    Finding { what: "embedder", well: true, told: format!("{name}, width {}; works", embedder.width()) }
}

fn providers(config: &Config) -> Vec<Finding> {
    let remote = |what, configured: Option<&crate::config::Remote>, variable: &str| {
        let told = match configured {
            Some(it) => format!("{} and {} (not called, to avoid costs)", it.deep, it.quick),
            None => format!("not configured; set {variable} to enable it"),
        };
        Finding { what, well: true, told }
    };
    vec![
        Finding {
            what: "offline",
            well: true,
            told: "quotes the personas' own corpora; needs no configuration".to_owned(),
        },
        remote("anthropic", config.anthropic.as_ref(), "ANTHROPIC_API_KEY"),
        remote("openai", config.openai.as_ref(), "OPENAI_BASE_URL or OPENAI_API_KEY"),
    ]
}
