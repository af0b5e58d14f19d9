//! `faultline doctor`: checks the setup and explains how to fix problems.

use serde_json::json;

use crate::app::bus;
use crate::app::database::home;
use crate::app::open_app::OpenApp;
use crate::app::providers::{ConfiguredEmbedder, WebSearch, embedder, nli, web_search};
use crate::cli::args::admin::DoctorArgs;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::config::Config;
use crate::config_file::Settings;
use crate::config_values::{AuditorConfig, ProviderConfig};
use faultline_core::kernel::effect::PassageQuery;
use faultline_core::verdicts::read_model::REVISION;
use faultline_ingest::personas::read_personas;
use faultline_ingest::positions::read_all_positions;
use faultline_ingest::shared_corpora::read_shared_corpora;
use faultline_ingest::sources::listed;
use faultline_providers::search::results::MAX_RESULTS;
use faultline_service::offline_topics::offline_topics;
use faultline_shipped::files::Shown;
use faultline_store::error::StoreError;
use faultline_store::lanes::LANES;
use faultline_store::library::open::LibraryError;
use faultline_store::log::log::Log;
use faultline_store::providers::spending::{Spending, Spent};
use faultline_store::replica::replica_state::ReplicaState;
use faultline_store::stored_embedder::StoredEmbedder;
use faultline_terminal::labels::count;

/// Result of one check.
struct Finding {
    check: &'static str,
    passed: bool,
    detail: String,
}

/// Runs all checks and prints their results.
///
/// # Errors
/// [`CliError::Refused`] if a check failed.
pub async fn run(config: &Config, args: DoctorArgs) -> Result<(), CliError> {
    let mut findings = vec![configuration(config), personas(config), corpus(config)];
    findings.extend(shared_corpora(config));
    let (of_database, in_use) = database(config).await;
    findings.extend(of_database);
    findings.extend(message_bus(config).await);
    findings.push(embeddings(config, in_use).await);
    findings.extend(providers(config));
    findings.push(auditor(config));
    findings.push(search(config).await);
    let failed = findings.iter().filter(|finding| !finding.passed).count();
    if args.json {
        let detail = findings
            .iter()
            .map(|finding| json!({ "what": finding.check, "well": finding.passed, "told": finding.detail }));
        json_line(&detail.collect::<Vec<_>>())?;
    } else {
        for finding in &findings {
            let mark = if finding.passed { "ok  " } else { "FAIL" };
            print(&format!(
                "{mark} {:<14} {}\n",
                finding.check,
                finding.detail.replace('\n', "\n                    ")
            ))?;
        }
    }
    if failed == 0 { Ok(()) } else { Err(CliError::Refused(format!("{failed} of {} checks failed", findings.len()))) }
}

/// Lists the environment variables that are set, without their values, and names the configuration file.
fn configuration(config: &Config) -> Finding {
    let set: Vec<String> = Config::variables().into_iter().filter(|name| std::env::var_os(name).is_some()).collect();
    let set = match set.is_empty() {
        true => "no variable is set".to_owned(),
        false => format!("set: {}", set.join(", ")),
    };
    let settings = Settings::load(&|name| std::env::var(name).ok(), &Config::known_settings());
    let file = settings.ok().and_then(|settings| settings.path().map(|path| format!("; file {}", path.display())));
    let detail = format!("{set}{}; home {}", file.unwrap_or_default(), home(config).display());
    Finding { check: "configuration", passed: true, detail }
}

fn personas(config: &Config) -> Finding {
    match read_personas(&config.personas, None) {
        Ok(files) if files.is_empty() => Finding {
            check: "personas",
            passed: false,
            detail: format!("no personas in {}; set FAULTLINE_PERSONAS to their folder", config.personas.display()),
        },
        Ok(files) => {
            let names: Vec<&str> = files.iter().map(|file| file.persona.id.as_str()).collect();
            let place = Shown(&config.personas);
            let detail = format!("{}, {place}: {}", files.len(), names.join(", "));
            Finding { check: "personas", passed: true, detail }
        }
        Err(faults) => Finding { check: "personas", passed: false, detail: faults.to_string() },
    }
}

/// Checks that the folder of corpora can be read.
fn corpus(config: &Config) -> Finding {
    let (passed, detail) = match listed(&config.corpus) {
        Ok(folders) => (true, format!("{}, {}", count(folders.len() as u64, "corpus folder"), Shown(&config.corpus))),
        Err(why) => {
            (false, format!("{}: {why}; set FAULTLINE_CORPUS to the folder of writings", config.corpus.display()))
        }
    };
    Finding { check: "corpus", passed, detail }
}

/// Lists the shared corpora; `None` if there are none.
fn shared_corpora(config: &Config) -> Option<Finding> {
    let check = "shared corpora";
    match read_shared_corpora(&config.corpus, &config.personas, None) {
        Ok(corpora) if corpora.is_empty() => None,
        Ok(corpora) => {
            let names: Vec<&str> = corpora.iter().map(|corpus| corpus.id.as_str()).collect();
            Some(Finding { check, passed: true, detail: format!("{}: {}", corpora.len(), names.join(", ")) })
        }
        Err(faults) => Some(Finding { check, passed: false, detail: faults.to_string() }),
    }
}

/// Checks the database, and returns the embedder of the stored vectors.
async fn database(config: &Config) -> (Vec<Finding>, Option<StoredEmbedder>) {
    let check = "database";
    let app = match OpenApp::open(config, &terminal::progress_reporter()).await {
        Ok(app) => app,
        Err(error) => return (vec![Finding { check, passed: false, detail: error.to_string() }], None),
    };
    let findings = async {
        let store = app.store();
        let events: i64 = store.log.heads().await?.iter().sum();
        let lag = store.lag(REVISION).await?;
        let place = match &config.database_url {
            Some(_) => "DATABASE_URL".to_owned(),
            None => format!("private, in {}", home(config).display()),
        };
        let holdings = store.library.holdings().await.unwrap_or_default();
        let passages: i64 = holdings.iter().map(|holding| holding.n_passages).sum();
        let in_use = store.library.embedder_in_use().await.ok().flatten();
        let by = in_use
            .as_ref()
            .map_or_else(String::new, |embedder| format!(", embedded by {} (width {})", embedder.name, embedder.width));
        let n_shared = holdings.iter().filter(|holding| holding.is_shared).count();
        let shared = match n_shared {
            0 => String::new(),
            1 => "1 shared corpus, ".to_owned(),
            n => format!("{n} shared corpora, "),
        };
        let library = format!("{} personas, {shared}{passages} passages{by}", holdings.len() - n_shared);
        let mut findings = vec![
            Finding { check, passed: true, detail: format!("{} ({place})", store.server_version().await?) },
            Finding {
                check: "log",
                passed: true,
                detail: format!("{events} events; the stored views are {lag} behind"),
            },
            Finding { check: "library", passed: true, detail: library },
        ];
        if let Some(replica) = &store.replica {
            let state = replica.checked_state().await;
            let passed = matches!(state, ReplicaState::Following { .. });
            findings.push(Finding { check: "replica", passed, detail: state.to_string() });
        }
        if let [_, _, ..] = store.log.shards().names().as_slice() {
            findings.push(Finding { check: "shards", passed: true, detail: placement(&store.log) });
        }
        if !config.budget.is_empty() {
            findings.push(budget(config, Spending::new(store.log.pool().clone()).today().await?));
        }
        // An embedder without stored passages can still be replaced.
        Ok::<_, StoreError>((findings, in_use.filter(|_| passages > 0)))
    };
    let findings = findings.await;
    app.close().await;
    findings.unwrap_or_else(|fault| (vec![Finding { check, passed: false, detail: fault.to_string() }], None))
}

/// Lists the servers of the log with the number of lanes that each holds. All of them answer, or the log would not have opened.
fn placement(log: &Log) -> String {
    let n_lanes = |shard: &str| (0..LANES).filter(|lane| log.shards().name_of(*lane) == shard).count();
    let shards: Vec<String> =
        log.shards().names().iter().map(|shard| format!("{shard} ({})", n_lanes(shard))).collect();
    format!("lanes of the log: {}", shards.join(", "))
}

/// Checks that the message bus answers; `None` if none is configured.
async fn message_bus(config: &Config) -> Option<Finding> {
    let checked = match bus::settings(config) {
        Ok(None) => return None,
        Ok(Some(settings)) => bus::check(&settings).await,
        Err(error) => Err(error),
    };
    let (passed, detail) = match checked {
        Ok(server) => (true, server),
        Err(error) => (false, error.to_string()),
    };
    Some(Finding { check: "message bus", passed, detail })
}

/// Reports what all debates spent today of each limit of the budget. A limit that is reached is a failed check: running
/// debates are paused.
fn budget(config: &Config, spent: Spent) -> Finding {
    let spent_of = |name: &str| match name {
        "calls" => spent.calls,
        "tokens" => spent.tokens,
        _ => spent.cost_micros,
    };
    let limits = config.budget.iter().map(|(name, limit)| (name, spent_of(name), *limit));
    let passed = limits.clone().all(|(_, spent, limit)| u64::try_from(spent).unwrap_or(0) < limit);
    let detail: Vec<String> = limits.map(|(name, spent, limit)| format!("{spent} of {limit} {name}")).collect();
    Finding { check: "budget", passed, detail: format!("spent today (UTC): {}", detail.join(", ")) }
}

/// Text embedded to test the embedder.
const PROBE_TEXT: &str = "Is there anything that would change your mind?";

/// Checks that the configured embedder works and is the one used by the library.
async fn embeddings(config: &Config, in_use: Option<StoredEmbedder>) -> Finding {
    let failed = |detail: String| Finding { check: "embedder", passed: false, detail };
    let ConfiguredEmbedder { embedder, warning } = match embedder(config).await {
        Ok(configured) => configured,
        Err(error) => return failed(error.to_string()),
    };
    if let Some(warning) = warning {
        return failed(warning);
    }
    let name = embedder.name();
    match embedder.embed(&[PROBE_TEXT.to_owned()]).await {
        Err(failure) => return failed(format!("{name} cannot embed: {failure}")),
        Ok(vectors) if vectors.len() != 1 || vectors[0].len() != embedder.width() => {
            return failed(format!("{name} did not return exactly one vector of length {}", embedder.width()));
        }
        Ok(_) => {}
    }
    if let Some(stored) = in_use.map(|embedder| embedder.name).filter(|stored| stored != name) {
        return failed(LibraryError::OtherEmbedder { stored, given: name.to_owned() }.to_string());
    }
    Finding { check: "embedder", passed: true, detail: format!("{name}, width {}; works", embedder.width()) }
}

/// Lists the topics that can be played without a model.
fn offline(config: &Config) -> Finding {
    let personas = read_personas(&config.personas, None).unwrap_or_default();
    let read = read_all_positions(&config.corpus, personas.iter().map(|file| &file.persona.id));
    let faults: Vec<String> = read.faults.iter().map(ToString::to_string).collect();
    let detail = if faults.is_empty() { offline_topics(&read.positions) } else { faults.join("\n") };
    Finding { check: "offline", passed: faults.is_empty(), detail }
}

/// Checks that the auditor in process can be loaded, if one is configured.
fn auditor(config: &Config) -> Finding {
    let by_default = match config.auditor {
        AuditorConfig::Provider => "words are read by the provider of each debate (FAULTLINE_AUDITOR)",
        AuditorConfig::Nli => "words are read by it (FAULTLINE_AUDITOR)",
    };
    let (passed, detail) = match nli(config) {
        Ok(None) => (true, by_default.to_owned()),
        Ok(Some(nli)) => (true, format!("{} is loaded; {by_default}", nli.model())),
        Err(error) => (false, error.to_string()),
    };
    Finding { check: "auditor", passed, detail }
}

/// Text searched to test a web search.
const PROBE_CLAIM: &str = "Water boils at a lower temperature on mountains.";

/// Checks the search for the evidence of fact checks. A search that costs money is not made.
async fn search(config: &Config) -> Finding {
    let (passed, detail) = match web_search(config) {
        Ok(None) => {
            (true, "fact checks search the writings of all personas and shared corpora (FAULTLINE_SEARCH)".to_owned())
        }
        Ok(Some(WebSearch { search, origin, is_free: false })) => {
            (true, format!("{} at {origin} (not called, to avoid costs)", search.name()))
        }
        Ok(Some(WebSearch { search, origin, .. })) => {
            match search.find(&PassageQuery::evidence(PROBE_CLAIM, MAX_RESULTS)).await {
                Ok(found) => {
                    (true, format!("{} at {origin}; works ({})", search.name(), count(found.len() as u64, "result")))
                }
                Err(failure) => (false, failure.to_string()),
            }
        }
        Err(error) => (false, error.to_string()),
    };
    Finding { check: "search", passed, detail }
}

fn providers(config: &Config) -> Vec<Finding> {
    let remote = |check, configured: Option<ProviderConfig>, variable: &str| {
        let detail = match configured {
            Some(it) => format!("{} and {} (not called, to avoid costs)", it.speech_model, it.check_model),
            None => format!("not configured; set {variable} to enable it"),
        };
        Finding { check, passed: true, detail }
    };
    vec![
        offline(config),
        remote("anthropic", config.anthropic(), "ANTHROPIC_API_KEY"),
        remote("openai", config.openai(), "OPENAI_BASE_URL or OPENAI_API_KEY"),
    ]
}
