//! `faultline init`: writes the personas and corpora that are built into the program to a folder, to edit them.

use std::path::{Path, PathBuf, absolute};

use clap::Args;
use serde_json::json;

use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use faultline_shipped::built_in::{FILES, existing_in, write_to};

/// Folders that are written, below the given one.
const FOLDERS: [&str; 2] = ["personas", "corpus"];

/// Arguments of `init`.
#[derive(Args)]
pub struct InitArgs {
    /// Folder that receives the folders `personas` and `corpus`; it is created if necessary.
    #[arg(default_value = ".", value_name = "DIR")]
    pub folder: PathBuf,
    /// Replace files of the same names.
    #[arg(long)]
    pub force: bool,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Writes the built-in personas and corpora.
///
/// # Errors
/// [`CliError::Refused`] if files of the same names exist and `--force` is not given, or a file cannot be written.
pub fn run(args: &InitArgs) -> Result<(), CliError> {
    let folder = &args.folder;
    let existing = existing_in(folder);
    if let (Some(first), false) = (existing.first(), args.force) {
        let others = match existing.len() - 1 {
            0 => " exists".to_owned(),
            1 => " and 1 other file exist".to_owned(),
            n => format!(" and {n} other files exist"),
        };
        return Err(CliError::Refused(format!(
            "{}{others} already; choose another folder, or replace them with --force",
            first.display()
        )));
    }
    write_to(folder, args.force).map_err(|(path, error)| {
        let path = path.display();
        CliError::Refused(format!(
            "{path} could not be written: {error}; choose another folder, or check its permissions"
        ))
    })?;
    let [personas, corpus] = FOLDERS.map(|name| folder.join(name));
    if args.json {
        return json_line(&json!({ "personas": personas, "corpus": corpus, "files": FILES.len() }));
    }
    print(&told(folder, &personas, &corpus))
}

fn told(folder: &Path, personas: &Path, corpus: &Path) -> String {
    let is_here = folder == Path::new(".");
    let place = if is_here { "this folder".to_owned() } else { folder.display().to_string() };
    // The settings are for other folders, so they need the whole path.
    let whole = |folder: &Path| absolute(folder).unwrap_or_else(|_| folder.to_owned());
    format!(
        "{} files were written to {} and {}\n\
         commands that run in {place} use them; elsewhere, set\n  \
         FAULTLINE_PERSONAS={}\n  \
         FAULTLINE_CORPUS={}\n\
         after editing, run: faultline persona check\n",
        FILES.len(),
        personas.display(),
        corpus.display(),
        whole(personas).display(),
        whole(corpus).display()
    )
}
