//! `faultline corpus reembed`: replaces the embedder in use, once the whole library is embedded by the new one.

use clap::Args;
use serde_json::json;

use crate::app::error::AppError;
use crate::app::open_app::OpenApp;
use crate::app::providers::{ConfiguredEmbedder, embedder};
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_ingest::reembed::{ReembedProgress, Reembedded, reembed};

/// Arguments of `corpus reembed`.
#[derive(Args)]
pub struct ReembedArgs {
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Re-embeds the library with the configured embedder.
///
/// # Errors
/// [`CliError::Refused`] if the configured embedder cannot be used; [`CliError::Interrupted`]; [`CliError::Fault`] if the
/// embedder or the database fails. Finished embeddings are kept in any case.
pub async fn run(config: &Config, args: ReembedArgs) -> Result<(), CliError> {
    let app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let done = tokio::select! {
        done = embed_anew(&app, config) => done,
        _ = tokio::signal::ctrl_c() => {
            let hint = "interrupted; finished embeddings are kept, and `faultline corpus reembed` continues from there";
            Err(CliError::Interrupted(hint.to_owned()))
        }
    };
    app.close().await;
    let done = done?;
    if args.json { json_line(&as_json(&done)) } else { print(&summary(&done)) }
}

async fn embed_anew(app: &OpenApp, config: &Config) -> Result<Reembedded, CliError> {
    let ConfiguredEmbedder { embedder, warning } = embedder(config).await?;
    if let Some(warning) = warning {
        // A stand-in that was not explicitly requested must not replace the library's embedder.
        let hint = "nothing was changed; set FAULTLINE_EMBEDDER=hashing to use the stand-in";
        return Err(CliError::Refused(format!("{warning}; {hint}")));
    }
    let bar = terminal::bar("re-embedding");
    let report = |progress| match progress {
        ReembedProgress::Found { n_passages } => bar.set_length(n_passages),
        ReembedProgress::Switched { n_passages } => {
            bar.set_message("removing old vectors");
            bar.set_length(n_passages);
            bar.set_position(0);
        }
        ReembedProgress::Embedded { n_passages } | ReembedProgress::Forgotten { n_passages } => bar.inc(n_passages),
    };
    let done = reembed(&app.store().library, embedder.as_ref(), &report).await;
    bar.finish_and_clear();
    Ok(done.map_err(AppError::Ingest)?)
}

fn summary(done: &Reembedded) -> String {
    let (name, width) = (&done.by.name, done.by.width);
    let before = done.before.as_ref().filter(|embedder| embedder.name != *name);
    let mut text = match before {
        _ if done.n_embedded == 0 && before.is_none() => format!("the library is embedded by {name}, width {width}\n"),
        Some(before) => format!(
            "{} passages re-embedded by {name}, width {width}; the previous embedder was {}\n\
             restart running services with this embedder\n",
            done.n_embedded, before.name
        ),
        None => format!("{} passages embedded by {name}, width {width}\n", done.n_embedded),
    };
    if done.n_forgotten > 0 {
        text.push_str(&format!("old vectors of {} passages removed\n", done.n_forgotten));
    }
    if let Some(why) = &done.untended {
        text.push_str(&format!(
            "warning: counts and indexes could not be updated ({why}); searches are complete but slower until an \
             ingest or another `faultline corpus reembed` updates them\n"
        ));
    }
    text
}

fn as_json(done: &Reembedded) -> serde_json::Value {
    let mut value = json!({
        "embedder": done.by.name,
        "width": done.by.width,
        "before": done.before.as_ref().map(|embedder| &embedder.name),
        "passagesEmbedded": done.n_embedded,
        "passagesForgotten": done.n_forgotten,
    });
    if let Some(why) = &done.untended {
        value["untended"] = json!(why.to_string());
    }
    value
}
