//! `faultline corpus reembed`: another embedder takes the place of the one in use, once it has seen everything.

use clap::Args;
use serde_json::json;

use crate::app::app::App;
use crate::app::error::AppError;
use crate::app::providers::embedder;
use crate::cli::exit::CliError;
use crate::cli::out::{json_line, print};
use crate::cli::screen;
use crate::config::Config;
use crate::ingest::reembed::{Progress, Reembedded, reembed};

/// Arguments of `corpus reembed`.
#[derive(Args)]
pub struct Reembed {
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Embeds everything anew by the configured embedder.
///
/// # Errors
/// Refused where the configured embedder cannot be had, or somebody interrupts it; a fault where embedder or database
/// fail. What was embedded is kept in any case.
pub async fn run(config: &Config, args: Reembed) -> Result<(), CliError> {
    let app = App::open(config, &screen::tell()).await?;
    let done = tokio::select! {
        done = embed_anew(&app, config) => done,
        _ = tokio::signal::ctrl_c() => {
            let hint = "interrupted; what was embedded is kept, and `faultline corpus reembed` goes on from there";
            Err(CliError::Refused(hint.to_owned()))
        }
    };
    app.close().await;
    let done = done?;
    if args.json { json_line(&as_json(&done)) } else { print(&told(&done)) }
}

async fn embed_anew(app: &App, config: &Config) -> Result<Reembedded, CliError> {
    let (embedder, remark) = embedder(config).await?;
    if let Some(remark) = remark {
        // Whoever did not ask for the stand-in does not want the library embedded by it.
        let hint = "nothing was changed; say FAULTLINE_EMBEDDER=hashing if the stand-in is wanted";
        return Err(CliError::Refused(format!("{remark}; {hint}")));
    }
    let bar = screen::bar("embedding anew");
    let tell = |progress| match progress {
        Progress::Found { n_passages } => bar.set_length(n_passages),
        Progress::Switched { n_passages } => {
            bar.set_message("removing old vectors");
            bar.set_length(n_passages);
            bar.set_position(0);
        }
        Progress::Embedded { n_passages } | Progress::Forgotten { n_passages } => bar.inc(n_passages),
    };
    let done = reembed(&app.store().library, embedder.as_ref(), &tell).await;
    bar.finish_and_clear();
    Ok(done.map_err(AppError::Ingest)?)
}

fn told(done: &Reembedded) -> String {
    let (name, width) = (&done.by.name, done.by.width);
    let before = done.before.as_ref().filter(|it| it.name != *name);
    let mut told = match before {
        _ if done.n_embedded == 0 && before.is_none() => format!("the library is embedded by {name}, width {width}\n"),
        Some(before) => format!(
            "{} passages embedded anew by {name}, width {width}; before it was {}\n\
             services that run have to be started anew with this embedder\n",
            done.n_embedded, before.name
        ),
        None => format!("{} passages embedded by {name}, width {width}\n", done.n_embedded),
    };
    if done.n_forgotten > 0 {
        told.push_str(&format!("old vectors of {} passages removed\n", done.n_forgotten));
    }
    if let Some(why) = &done.untended {
        told.push_str(&format!(
            "warning: counts and indexes could not be brought up to date ({why}); searches find everything and take \
             longer, until an ingest or another `faultline corpus reembed` succeeds in it\n"
        ));
    }
    told
}

fn as_json(done: &Reembedded) -> serde_json::Value {
    let mut told = json!({
        "embedder": done.by.name,
        "width": done.by.width,
        "before": done.before.as_ref().map(|it| &it.name),
        "passagesEmbedded": done.n_embedded,
        "passagesForgotten": done.n_forgotten,
    });
    if let Some(why) = &done.untended {
        told["untended"] = json!(why.to_string());
    }
    told
}
