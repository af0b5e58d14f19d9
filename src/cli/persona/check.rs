//! `faultline persona check`: checks persona files.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde_json::{Value, json};

use crate::app::database::cluster_layout;
use crate::app::open_app::OpenApp;
use crate::cli::catch_up::catch_up;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::cli::persona::args::PersonaCheckArgs;
use crate::cli::persona::similar::did_you_mean;
use crate::config::Config;
use faultline_core::events::edition::Edition;
use faultline_core::events::ids::PersonaId;
use faultline_ingest::check::{Grade, PersonaFinding, check};
use faultline_ingest::corpus_reader::CorpusTexts;
use faultline_ingest::file_error::FileError;
use faultline_ingest::positions::check_positions;
use faultline_ingest::sources::{MAX_PERSONA_BYTES, listed, text_of};
use faultline_shipped::files::exists;
use faultline_terminal::text::clean::clean;

/// Persona file with the findings of its check.
struct Checked {
    file: PathBuf,
    findings: Vec<PersonaFinding>,
}

/// Checks persona files.
///
/// # Errors
/// [`CliError::Refused`] if a file has errors or does not exist.
pub async fn run(config: &Config, args: PersonaCheckArgs) -> Result<(), CliError> {
    let files = files(config, &args.personas)?;
    let earlier = if args.files_only { vec![Vec::new(); files.len()] } else { earlier(config, &files).await };
    let checked: Vec<Checked> =
        files.into_iter().zip(earlier).map(|(file, earlier)| checked_file(config, file, &earlier)).collect();
    let of =
        |grade: Grade| checked.iter().flat_map(|file| &file.findings).filter(|finding| finding.grade == grade).count();
    let (errors, remarks) = (of(Grade::Error), of(Grade::Remark));
    if args.json {
        json_line(&checked.iter().map(as_json).collect::<Vec<_>>())?;
    } else {
        for finding in checked.iter().flat_map(|file| &file.findings) {
            print(&format!("{}: {}\n", finding.grade.name(), clean(&finding.fault.to_string())))?;
        }
        let files = checked.len();
        print(&format!("{files} checked: {}, {}\n", counted(errors, "error"), counted(remarks, "remark")))?;
    }
    if errors == 0 {
        return Ok(());
    }
    Err(CliError::Refused(format!("{} in persona files; fix the errors listed above", counted(errors, "error"))))
}

/// Formats a count with its noun.
fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Resolves ids and paths to files; all persona files if none is named.
fn files(config: &Config, named: &[String]) -> Result<Vec<PathBuf>, CliError> {
    if named.is_empty() {
        let mut files = listed(&config.personas).map_err(|why| {
            CliError::Refused(format!(
                "{}: {why}; set FAULTLINE_PERSONAS to the folder of personas",
                config.personas.display()
            ))
        })?;
        files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
        return Ok(files);
    }
    let file = |name: &String| {
        let is_path = name.ends_with(".toml") || name.contains(['/', '\\']);
        let file = if is_path { PathBuf::from(name) } else { config.personas.join(format!("{name}.toml")) };
        match exists(&file) {
            true => Ok(file),
            false => Err(CliError::Refused(format!(
                "there is no file {}; run `faultline persona list` to list personas{}",
                file.display(),
                did_you_mean(config, name)
            ))),
        }
    };
    named.iter().map(file).collect()
}

fn checked_file(config: &Config, file: PathBuf, earlier: &[Edition]) -> Checked {
    let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let error = |fault: FileError| vec![PersonaFinding { grade: Grade::Error, fault }];
    let findings = match (text_of(&file, MAX_PERSONA_BYTES), CorpusTexts::of_folder(&config.corpus.join(stem))) {
        (Ok(text), Ok(corpus)) => {
            let mut findings = check(&file, &text, &corpus, earlier).1;
            if let Some(id) = id_of(&file) {
                findings.extend(check_positions(&config.corpus, &id, &corpus));
            }
            findings
        }
        (Err(why), _) => error(FileError::of(&file, why)),
        (_, Err(fault)) => error(fault),
    };
    Checked { file, findings }
}

/// Returns the recorded versions of each persona; empty if there is no database yet.
async fn earlier(config: &Config, files: &[PathBuf]) -> Vec<Vec<Edition>> {
    let there_is = config.database_url.is_some() || matches!(cluster_layout(config).major(), Ok(Some(_)));
    let known = if there_is { known(config, files).await } else { Ok(Vec::new()) };
    known
        .unwrap_or_else(|error| {
            eprintln!(
                "faultline: could not compare versions with the recorded ones: {}",
                error.to_string().replace('\n', " ")
            );
            Vec::new()
        })
        .into_iter()
        .chain(std::iter::repeat(Vec::new()))
        .take(files.len())
        .collect()
}

async fn known(config: &Config, files: &[PathBuf]) -> Result<Vec<Vec<Edition>>, CliError> {
    let mut app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let known = async {
        catch_up(&mut app).await?;
        let mut known = Vec::with_capacity(files.len());
        for file in files {
            let editions = match id_of(file) {
                Some(id) => app.store().views.editions(&id).await?,
                None => Vec::new(),
            };
            known.push(editions.into_iter().map(|stored| stored.edition).collect());
        }
        Ok(known)
    };
    let known = known.await;
    app.close().await;
    known
}

fn id_of(file: &Path) -> Option<PersonaId> {
    file.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| PersonaId::from_str(stem).ok())
}

fn as_json(checked: &Checked) -> Value {
    let finding = |finding: &PersonaFinding| json!({ "grade": finding.grade.name(), "file": finding.fault.file, "line": finding.fault.line, "what": finding.fault.what });
    json!({
        "id": id_of(&checked.file),
        "file": checked.file,
        "errors": checked.findings.iter().filter(|finding| finding.grade == Grade::Error).count(),
        "remarks": checked.findings.iter().filter(|finding| finding.grade == Grade::Remark).count(),
        "findings": checked.findings.iter().map(finding).collect::<Vec<_>>(),
    })
}
