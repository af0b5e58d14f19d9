//! `faultline persona build`: drafts a persona file from the persona's writings.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;

use crate::app::providers::models;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print, print_plain};
use crate::cli::persona::args::PersonaBuildArgs;
use crate::cli::persona::build_positions;
use crate::cli::render::text::clean::clean;
use crate::config::Config;
use faultline_core::drafting::render::render;
use faultline_core::events::ids::{Misnamed, PersonaId};
use faultline_core::events::receipt::{Failure, FailureKind};
use faultline_ingest::check::{Grade, check};
use faultline_ingest::corpus_reader::CorpusTexts;
use faultline_ingest::drafts::draft_persona::{Portrayed, draft_persona, material};
use faultline_ingest::sources::listed;
use faultline_providers::ports::{Corpora, Model, Pending, Sentence};

/// Empty corpora: the drafting model receives all its material with the request, so no library is opened.
struct NoCorpora;

impl Corpora for NoCorpora {
    fn sentences<'a>(&'a self, _: &'a PersonaId) -> Pending<'a, Arc<Vec<Sentence>>> {
        Box::pin(async { Ok(Arc::default()) })
    }
}

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
    let out = args.out.clone().unwrap_or_else(|| config.personas.join(format!("{id}.toml")));
    let to_stdout = out == Path::new("-");
    if !to_stdout && out.symlink_metadata().is_ok() && !args.force {
        let what = format!("{} already exists", out.display());
        return Err(CliError::Refused(format!("{what}; choose another file with --out, or overwrite it with --force")));
    }
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

/// Returns the named provider, or the preferred one.
///
/// # Errors
/// [`CliError::Refused`] if the provider is unknown, or a setting cannot be used.
pub(super) fn provider(config: &Config, name: Option<&str>) -> Result<Arc<dyn Model>, CliError> {
    let all = models(config, Arc::new(NoCorpora), Arc::default())?;
    let names = all.iter().map(|model| model.name().to_owned()).collect::<Vec<_>>().join(", ");
    let model = all.into_iter().find(|model| name.is_none_or(|name| model.name() == name));
    model.ok_or_else(|| {
        let name: String = name.unwrap_or_default().chars().take(64).collect();
        CliError::Refused(format!("unknown provider {name:?}; available: {names}"))
    })
}

/// Reads the writings of the persona: the named folders and files, or its folder in the corpus.
///
/// # Errors
/// [`CliError::Refused`] if they cannot be read or contain no text.
pub(super) fn own(config: &Config, id: &PersonaId, named: &[PathBuf]) -> Result<CorpusTexts, CliError> {
    let folder = config.corpus.join(id.as_str());
    let corpus = if named.is_empty() { CorpusTexts::of_folder(&folder) } else { CorpusTexts::of(named) };
    let corpus = corpus.map_err(|error| CliError::Refused(error.to_string()))?;
    if corpus.passages.is_empty() {
        let first = corpus.skipped.first().map(|skipped| format!(" ({skipped})")).unwrap_or_default();
        let place = named.first().unwrap_or(&folder).display();
        return Err(CliError::Refused(format!(
            "{place} contains no text to draft from{first}; specify folders or files with --corpus"
        )));
    }
    Ok(corpus)
}

/// Reads the writings of other personas, against which characteristic words are measured; unreadable folders are
/// skipped.
fn others(config: &Config, id: &PersonaId) -> Vec<CorpusTexts> {
    let folders = listed(&config.corpus).unwrap_or_default();
    let others = folders
        .into_iter()
        .filter(|folder| folder.is_dir() && folder.file_name().is_none_or(|name| name != id.as_str()));
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

/// Describes why a draft failed.
pub(super) fn refused(what: &str, failure: &Failure) -> CliError {
    let why = format!("{what} could not be drafted: {}", failure.message);
    match failure.kind {
        FailureKind::Unavailable | FailureKind::TimedOut => CliError::Fault(format!("{why}; try again")),
        _ => CliError::Refused(format!("{why}; try another --provider, or offline")),
    }
}
