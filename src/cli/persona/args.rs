//! What can be said after `faultline persona`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Arguments of `persona`.
#[derive(Args)]
pub struct Persona {
    /// What to do.
    #[command(subcommand)]
    pub command: PersonaCommand,
}

/// Commands on personas.
#[derive(Subcommand)]
pub enum PersonaCommand {
    /// List the personas there are, with their versions and how much they wrote.
    #[command(after_help = "Example: faultline persona list --json")]
    List(List),
    /// Show a persona's contract and voice.
    #[command(after_help = "Example: faultline persona show agnes-wetherlow\n\n\
            With --version as it was then: a version of `faultline persona history`, or its number.")]
    Show(Show),
    /// Tell a persona's versions: what changed from one to the next, and which debates used which.
    #[command(after_help = "Example: faultline persona history agnes-wetherlow")]
    History(History),
    /// Check persona files: shape, contradictions, anchors, versions.
    #[command(
        after_help = "Examples:\n  faultline persona check\n  faultline persona check agnes-wetherlow drafts/ada-quill.toml --json\n\n\
            Errors have to be mended, remarks deserve a second look. Exits with 1 where there is an error. \
            Versions are compared with those that the database knows, where there is one."
    )]
    Check(Check),
    /// Draft a persona from what it wrote, with quoted anchors, as a file to edit.
    #[command(after_help = "Examples:\n  faultline persona build ada-quill --corpus notes/ --name \"Ada Quill\"\n  \
            faultline persona build agnes-wetherlow --provider offline --out draft.toml\n\n\
            Every quotation is held against the corpus; what does not stand there is dropped and told. The offline provider \
            quotes and measures, without any model.")]
    Build(Build),
}

/// Arguments of `persona list`.
#[derive(Args)]
pub struct List {
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `persona show`.
#[derive(Args)]
pub struct Show {
    /// The persona's id.
    pub id: String,
    /// As it was in this version.
    #[arg(long, value_name = "VERSION")]
    pub version: Option<String>,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `persona history`.
#[derive(Args)]
pub struct History {
    /// The persona's id.
    pub id: String,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `persona check`.
#[derive(Args)]
pub struct Check {
    /// Ids of personas, or files; all personas where none is named.
    #[arg(value_name = "ID|FILE")]
    pub personas: Vec<String>,
    /// Do not compare with the versions that the database knows.
    #[arg(long)]
    pub files_only: bool,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `persona build`.
#[derive(Args)]
pub struct Build {
    /// The id that the persona is to have: small letters, digits and hyphens.
    pub id: String,
    /// Folders and files to draft from; the persona's folder in the corpus where none is named.
    #[arg(long, num_args = 1.., value_name = "DIR|FILE")]
    pub corpus: Vec<PathBuf>,
    /// Who drafts: offline, anthropic, openai or scripted; the first that is configured where none is named.
    #[arg(long)]
    pub provider: Option<String>,
    /// Its name for people; made from the id where none is given.
    #[arg(long)]
    pub name: Option<String>,
    /// The file; ID.toml in the folder of personas where none is given, `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write over a file that is there.
    #[arg(long)]
    pub force: bool,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}
