//! `faultline persona build --topic`: drafts a persona's positions on a topic from its writings.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print, print_plain};
use crate::cli::persona::args::PersonaBuildArgs;
use crate::cli::persona::draft_inputs::{output_file, own, provider, refused};
use crate::config::Config;
use faultline_core::events::ids::PersonaId;
use faultline_core::positions::check::check;
use faultline_core::positions::model::AllPositions;
use faultline_core::positions::parse::parse;
use faultline_core::positions::playable::OFFLINE;
use faultline_ingest::drafts::draft_positions::{DraftedPositions, draft_positions, material};
use faultline_ingest::positions::{positions_file, read_positions, writings};
use faultline_ingest::sources::listed;
use faultline_terminal::labels::count;
use faultline_terminal::text::clean::clean;

/// Drafts positions and writes their file.
///
/// # Errors
/// [`CliError`] if there is no corpus, the file exists already, the provider has no model, is unknown or fails, or its
/// drafts are unusable.
pub async fn run(config: &Config, args: &PersonaBuildArgs, id: &PersonaId, topic: &str) -> Result<(), CliError> {
    let out = output_file(args, positions_file(&config.corpus, id))?;
    let to_stdout = out == Path::new("-");
    let model = provider(config, args.provider.as_deref())?;
    if model.name() == OFFLINE {
        return Err(CliError::Refused(
            "the offline provider has no model, and cannot tell which sentence takes a position; configure a model \
             (docs/providers.md), or write the file by hand (docs/corpora.md)"
                .to_owned(),
        ));
    }
    let corpus = own(config, id, &args.corpus)?;
    let others = others(config, id);
    let material = material(topic, &corpus, &others);
    let drafted = draft_positions(model.as_ref(), id, &material).await;
    let drafted = drafted.map_err(|failure| refused("the positions", &failure))?;
    let text = drafted.file();
    if !to_stdout {
        let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty());
        let written = folder.map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&out, &text));
        written.map_err(|error| {
            let what = format!("{} could not be written: {error}", out.display());
            CliError::Refused(format!("{what}; choose another file with --out"))
        })?;
    }
    let errors: Vec<String> = match parse(&text) {
        Ok(positions) => {
            let findings = check(id, &positions, &writings(&corpus), &others);
            findings.iter().map(|finding| located(finding.line, finding)).collect()
        }
        Err(findings) => findings.iter().map(|finding| located(finding.line, finding)).collect(),
    };
    print_result(args, &out, &text, &drafted, &errors)
}

fn located(line: Option<usize>, finding: &impl ToString) -> String {
    line.map_or_else(|| finding.to_string(), |line| format!("line {line}: {}", finding.to_string()))
}

fn print_result(
    args: &PersonaBuildArgs,
    file: &Path,
    text: &str,
    drafted: &DraftedPositions,
    errors: &[String],
) -> Result<(), CliError> {
    let (topic, dropped) = (&drafted.draft.topic, &drafted.draft.dropped);
    if args.json {
        return json_line(&json!({
            "id": args.id,
            "file": file,
            "by": drafted.by,
            "attempts": drafted.attempts,
            "topic": topic.name,
            "side": topic.side.name(),
            "claims": topic.claims.len(),
            "replies": topic.replies.len(),
            "disputes": topic.disputes.len(),
            "dropped": dropped,
            "errors": errors,
            "usage": drafted.usage,
            "text": text,
        }));
    }
    if file == Path::new("-") {
        return print_plain(text);
    }
    let n_replies = topic.replies.len();
    let replies = if n_replies == 1 { "1 reply".to_owned() } else { format!("{n_replies} replies") };
    let (claims, disputes) = (topic.claims.len() as u64, topic.disputes.len() as u64);
    let counted = [count(claims, "claim"), replies, count(disputes, "dispute")];
    let mut told = format!(
        "{} was drafted by {} (attempt {}): {}; {} dropped\n",
        file.display(),
        clean(&drafted.by),
        drafted.attempts,
        counted.join(", "),
        dropped.len()
    );
    dropped.iter().for_each(|report| told.push_str(&format!("  dropped: {}\n", clean(report))));
    errors.iter().for_each(|error| told.push_str(&format!("  to be fixed: {}\n", clean(error))));
    told.push_str(&format!(
        "A model chose these sentences. Read and correct the file, remove its first line, then run: faultline persona \
         check {}\n",
        args.id
    ));
    print(&told)
}

/// Reads the positions of all other personas that have a folder; files that cannot be used are left out.
fn others(config: &Config, id: &PersonaId) -> AllPositions {
    let folders: Vec<PathBuf> = listed(&config.corpus).unwrap_or_default();
    let ids = folders.iter().filter_map(|folder| folder.file_name()?.to_str()?.parse::<PersonaId>().ok());
    let read = |other: PersonaId| {
        let positions = read_positions(&config.corpus, &other).ok().flatten()?;
        Some((other, positions))
    };
    ids.filter(|other| other != id).filter_map(read).collect()
}
