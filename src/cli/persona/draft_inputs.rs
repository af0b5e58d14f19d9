//! Inputs of drafts: the provider that writes them, and the persona's writings; and the file that receives them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::app::providers::models;
use crate::cli::output::exit::CliError;
use crate::cli::persona::args::PersonaBuildArgs;
use crate::config::Config;
use faultline_core::events::ids::PersonaId;
use faultline_core::events::receipt::{Failure, FailureKind};
use faultline_core::questions::nearest::suggestions;
use faultline_ingest::corpus_reader::CorpusTexts;
use faultline_providers::ports::{Corpora, Model, Pending, Sentence};
use faultline_shipped::built_in::is_built_in;

/// Empty corpora: the drafting model receives all its material with the request, so no library is opened.
struct NoCorpora;

impl Corpora for NoCorpora {
    fn sentences<'a>(&'a self, _: &'a PersonaId) -> Pending<'a, Arc<Vec<Sentence>>> {
        Box::pin(async { Ok(Arc::default()) })
    }
}

/// Returns the named provider, or the preferred one.
///
/// # Errors
/// [`CliError::Refused`] if the provider is unknown, or a setting cannot be used.
pub fn provider(config: &Config, name: Option<&str>) -> Result<Arc<dyn Model>, CliError> {
    let all = models(config, Arc::new(NoCorpora), Arc::default())?;
    let names: Vec<String> = all.iter().map(|model| model.name().to_owned()).collect();
    let model = all.into_iter().find(|model| name.is_none_or(|name| model.name() == name));
    model.ok_or_else(|| {
        let name: String = name.unwrap_or_default().chars().take(64).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        CliError::Refused(format!("unknown provider {name:?}{}", suggestions(&name, &names)))
    })
}

/// Reads the writings of the persona: the named folders and files, or its folder in the corpus.
///
/// # Errors
/// [`CliError::Refused`] if they cannot be read or contain no text.
pub fn own(config: &Config, id: &PersonaId, named: &[PathBuf]) -> Result<CorpusTexts, CliError> {
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

/// Returns the file to write: the one of `--out` (`-` for standard output), or else `default`.
///
/// # Errors
/// [`CliError::Refused`] if the default is built into the program, or the file exists and `--force` is not given.
pub fn output_file(args: &PersonaBuildArgs, default: PathBuf) -> Result<PathBuf, CliError> {
    let out = args.out.clone().unwrap_or(default);
    if is_built_in(&out) {
        return Err(CliError::Refused(
            "the folder of the draft is built into the program, and no file can be added to it; write its files to folders \
             with `faultline init`, create the folders `personas` and `corpus`, or name a file with --out"
                .to_owned(),
        ));
    }
    if out != Path::new("-") && out.symlink_metadata().is_ok() && !args.force {
        let what = format!("{} already exists", out.display());
        return Err(CliError::Refused(format!("{what}; choose another file with --out, or overwrite it with --force")));
    }
    Ok(out)
}

/// Describes why a draft failed.
pub fn refused(what: &str, failure: &Failure) -> CliError {
    let why = format!("{what} could not be drafted: {}", failure.message);
    match failure.kind {
        FailureKind::Unavailable | FailureKind::TimedOut => CliError::Fault(format!("{why}; try again")),
        _ => CliError::Refused(format!("{why}; try another --provider, or offline")),
    }
}
