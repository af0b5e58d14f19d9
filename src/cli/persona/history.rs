//! `faultline persona history`: lists a persona's versions, what changed, and which debates used each.

use serde_json::{Value, json};

use crate::app::open_app::OpenApp;
use crate::cli::catch_up::catch_up;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::cli::persona::args::PersonaHistoryArgs;
use crate::cli::persona::similar::did_you_mean;
use crate::config::Config;
use faultline_core::events::edition::{FieldDiff, diff};
use faultline_core::events::ids::{DebateId, Misnamed, PersonaId};
use faultline_store::views::editions::StoredEdition;
use faultline_terminal::text::page::TextPage;
use faultline_terminal::text::span::{trusted, untrusted};
use faultline_terminal::text::style::Tone;

/// Maximum number of debates listed per version; the total is always shown.
const MAX_DEBATES: i64 = 20;
/// Columns of indentation before changes.
const INDENT: usize = 4;

/// Version of a persona, with its changes and the debates that used it.
struct EditionUse {
    stored: StoredEdition,
    changes: Vec<FieldDiff>,
    debates: Vec<DebateId>,
}

/// Lists a persona's versions, latest first.
///
/// # Errors
/// [`CliError::Refused`] if no version of the persona was ever recorded.
pub async fn run(config: &Config, args: PersonaHistoryArgs) -> Result<(), CliError> {
    let id: PersonaId = args.id.parse().map_err(|error: Misnamed| CliError::Usage(error.to_string()))?;
    let mut app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let versions = async {
        catch_up(&mut app).await?;
        let reads = app.read_router(None);
        let views = &reads.now().await.views;
        let editions = views.editions(&id).await?;
        let names: Vec<String> = editions.iter().map(|stored| stored.edition.to_string()).collect();
        let mut pinned = views.debates_of_each(&id, &names, MAX_DEBATES).await?;
        let mut versions = Vec::with_capacity(editions.len());
        for (at, stored) in editions.iter().enumerate() {
            let before = editions.get(at + 1);
            let changes = before.map(|earlier| diff(&earlier.persona, &stored.persona)).unwrap_or_default();
            let debates = pinned.remove(&stored.edition.to_string()).unwrap_or_default();
            versions.push(EditionUse { stored: stored.clone(), changes, debates });
        }
        Ok::<_, CliError>(versions)
    };
    let versions = versions.await;
    app.close().await;
    let versions = versions?;
    if versions.is_empty() {
        let what = format!("no version of persona {id} was ever ingested or took part in a debate");
        let similar = did_you_mean(config, &args.id);
        return Err(CliError::Refused(format!("{what}; see `faultline persona list`{similar}")));
    }
    if args.json { json_line(&versions.iter().map(as_json).collect::<Vec<_>>()) } else { print(&page(&versions)) }
}

fn as_json(version: &EditionUse) -> Value {
    let edition = &version.stored.edition;
    json!({
        "personaVersion": edition.to_string(),
        "number": edition.number,
        "contractVersion": edition.contract,
        "voiceVersion": edition.voice,
        "seenAt": version.stored.seen_at,
        "nDebates": version.stored.n_debates,
        "debates": version.debates,
        "changes": version.changes,
    })
}

fn page(versions: &[EditionUse]) -> String {
    let mut page = TextPage::new(terminal::terminal_style());
    for (at, version) in versions.iter().enumerate() {
        if at > 0 {
            page.blank();
        }
        let EditionUse { stored, changes, debates } = version;
        let when = stored.seen_at.format("%Y-%m-%d %H:%M");
        page.text(&[
            trusted(Tone::Strong, format!("version {}", stored.edition)),
            trusted(Tone::Quiet, format!(" · first seen {when} · in {} debates", stored.n_debates)),
        ]);
        for debate in debates {
            page.hang(&[], &[], INDENT, &[trusted(Tone::Quiet, format!("debate {debate}"))]);
        }
        if stored.n_debates > debates.len() as i64 {
            page.hang(&[], &[], INDENT, &[trusted(Tone::Quiet, "and earlier ones")]);
        }
        for change in changes {
            page.hang(&[], &[], INDENT, &[trusted(Tone::Plain, change.field.clone())]);
            for (mark, tone, texts) in [("- ", Tone::Removed, &change.removed), ("+ ", Tone::Added, &change.added)] {
                texts
                    .iter()
                    .for_each(|text| page.hang(&[], &[], INDENT + 2, &[trusted(tone, mark), untrusted(tone, text)]));
            }
        }
    }
    page.print()
}
