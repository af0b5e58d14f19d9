//! `faultline persona build`: drafts a persona file from the persona's writings.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print, print_plain};
use crate::cli::persona::args::PersonaBuildArgs;
use crate::cli::persona::build_positions;
use crate::cli::persona::draft_inputs::{output_file, own, provider, refused};
use crate::config::Config;
use faultline_core::drafting::render::render;
use faultline_core::events::ids::{Misnamed, PersonaId};
use faultline_ingest::check::{Grade, check};
use faultline_ingest::corpus_reader::CorpusTexts;
use faultline_ingest::drafts::draft_persona::{Portrayed, draft_persona, material};
use faultline_ingest::sources::listed;
use faultline_shipped::files::is_folder;
use faultline_terminal::text::clean::clean;

/// Drafts a persona and writes its file.
///
/// # Errors
/// [`CliError`] if there is no corpus, the file exists already, the provider is unknown or fails, or its drafts are
/// unusable.
pub async fn run(config: &Config, args: PersonaBuildArgs) -> Result<(), CliError> {
    let id: PersonaId = args.id.parse().map_err(|error: Misnamed| CliError::Usage(error.to_string()))?;
    if let Some(topic) = &args.topic {
        return build_positions::run(config, &args, &id, topic).await;
    }
    let out = output_file(&args, config.personas.join(format!("{id}.toml")))?;
    let to_stdout = out == Path::new("-");
    let model = provider(config, args.provider.as_deref())?;
    let corpus = own(config, &id, &args.corpus)?;
    let name = args.name.clone().unwrap_or_else(|| named(&id));
    let material = material(&name, &corpus, &others(config, &id));
    let draft =
        draft_persona(model.as_ref(), &id, material, &corpus).await.map_err(|error| refused("the persona", &error))?;
    let text = render(&name, &draft.by, &draft.portrait);
    let file = if to_stdout { PathBuf::from(format!("{id}.toml")) } else { out.clone() };
    let checked = check(&PathBuf::from(format!("{id}.toml")), &text, &corpus, &[]).1;
    let errors: Vec<String> =
        checked.iter().filter(|finding| finding.grade == Grade::Error).map(|finding| finding.fault.within()).collect();
    if !to_stdout {
        let unwritten = |error| {
            CliError::Refused(format!(
                "{} could not be written: {error}; choose another file with --out",
                out.display()
            ))
        };
        std::fs::write(&out, &text).map_err(unwritten)?;
    }
    for skipped in &corpus.skipped {
        eprintln!("faultline: skipped {}", clean(&skipped.to_string()));
    }
    print_result(&args, &file, &text, &draft, &errors)
}

fn print_result(
    args: &PersonaBuildArgs,
    file: &Path,
    text: &str,
    draft: &Portrayed,
    errors: &[String],
) -> Result<(), CliError> {
    let portrait = &draft.portrait;
    let stated = portrait.statements.iter().map(|(_, statement)| statement).chain(&portrait.flip_conditions);
    let anchors: usize = stated.map(|statement| statement.anchors.len()).sum();
    let examples: usize = portrait.examples.iter().map(|(_, examples)| examples.len()).sum();
    if args.json {
        return json_line(&json!({
            "id": args.id,
            "file": file,
            "by": draft.by,
            "attempts": draft.attempts,
            "anchors": anchors,
            "examples": examples,
            "dropped": portrait.dropped,
            "errors": errors,
            "usage": draft.usage,
            "text": text,
        }));
    }
    if args.out.as_deref() == Some(Path::new("-")) {
        return print_plain(text);
    }
    let mut text = format!(
        "{} was written by {} (attempt {}): {anchors} anchors and {examples} example lines were found in the corpus, \
         {} dropped\n",
        file.display(),
        clean(&draft.by),
        draft.attempts,
        portrait.dropped.len()
    );
    portrait.dropped.iter().for_each(|report| text.push_str(&format!("  dropped: {}\n", clean(report))));
    errors.iter().for_each(|error| text.push_str(&format!("  to be fixed: {}\n", clean(error))));
    text.push_str(&format!("Edit the file, then run: faultline persona check {}\n", file.display()));
    print(&text)
}

/// Reads the writings of other personas, against which characteristic words are measured; unreadable folders are
/// skipped.
fn others(config: &Config, id: &PersonaId) -> Vec<CorpusTexts> {
    let folders = listed(&config.corpus).unwrap_or_default();
    let others = folders
        .into_iter()
        .filter(|folder| is_folder(folder) && folder.file_name().is_none_or(|name| name != id.as_str()));
    others.filter_map(|folder| CorpusTexts::of_folder(&folder).ok()).collect()
}

/// Derives a display name from an id: `Ada Quill` from `ada-quill`.
fn named(id: &PersonaId) -> String {
    let word = |part: &str| {
        let mut chars = part.chars();
        chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
    };
    id.as_str().split('-').map(word).collect::<Vec<String>>().join(" ")
}
