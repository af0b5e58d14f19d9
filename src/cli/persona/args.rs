//! Arguments of `faultline persona`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Arguments of `persona`.
#[derive(Args)]
pub struct PersonaArgs {
    /// Subcommand to run.
    #[command(subcommand)]
    pub command: PersonaCommand,
}

/// Subcommands of `faultline persona`.
#[derive(Subcommand)]
pub enum PersonaCommand {
    /// List personas with their versions and the size of their corpora.
    #[command(after_help = "Example: faultline persona list --json\n\n\
            If standard output is not a terminal, each persona is one line with tabs between: id, name, version, documents, \
            passages, description, topics.")]
    List(PersonaListArgs),
    /// Show a persona's contract and voice.
    #[command(after_help = "Example: faultline persona show agnes-wetherlow\n\n\
            --version takes a version listed by `faultline persona history`, or its number.")]
    Show(PersonaShowArgs),
    /// List a persona's versions: what changed from one to the next, and which debates used each.
    #[command(after_help = "Example: faultline persona history agnes-wetherlow")]
    History(PersonaHistoryArgs),
    /// Check persona files: syntax, contradictions, anchors, versions, and positions in their writings.
    #[command(
        after_help = "Examples:\n  faultline persona check\n  faultline persona check agnes-wetherlow drafts/ada-quill.toml --json\n\n\
            Errors must be fixed; remarks are worth a second look. Exits with 1 if there is an error. \
            Versions are compared with those in the database, if there is one."
    )]
    Check(PersonaCheckArgs),
    /// Draft a persona file, or with --topic its positions on a topic, from the persona's writings, for editing.
    #[command(after_help = "Examples:\n  faultline persona build ada-quill --corpus notes/ --name \"Ada Quill\"\n  \
            faultline persona build agnes-wetherlow --provider offline --out draft.toml\n  \
            faultline persona build ada-quill --topic \"Should the wall be kept?\" --provider openai\n\n\
            Every quotation is checked against the corpus; those not found are dropped and reported. The offline \
            provider works from quotations and statistics, without a model.\n\n\
            With --topic, a model points at sentences of the writings: claims, reasons, replies to the claims of other \
            personas. The result is a draft of positions.toml, which is not played until somebody has read it and removed \
            its first line.")]
    Build(PersonaBuildArgs),
}

/// Arguments of `persona list`.
#[derive(Args)]
pub struct PersonaListArgs {
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `persona show`.
#[derive(Args)]
pub struct PersonaShowArgs {
    /// Id of the persona.
    pub id: String,
    /// Show this version.
    #[arg(long, value_name = "VERSION")]
    pub version: Option<String>,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `persona history`.
#[derive(Args)]
pub struct PersonaHistoryArgs {
    /// Id of the persona.
    pub id: String,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `persona check`.
#[derive(Args)]
pub struct PersonaCheckArgs {
    /// Ids of personas, or files; all personas by default.
    #[arg(value_name = "ID|FILE")]
    pub personas: Vec<String>,
    /// Do not compare with the versions in the database.
    #[arg(long)]
    pub files_only: bool,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `persona build`.
#[derive(Args)]
pub struct PersonaBuildArgs {
    /// Id of the new persona: lower-case letters, digits and hyphens.
    pub id: String,
    /// Folders and files to draft from; by default the persona's folder in the corpus.
    #[arg(long, num_args = 1.., value_name = "DIR|FILE")]
    pub corpus: Vec<PathBuf>,
    /// Draft positions on this topic: a question, or the name of a topic on which other personas have positions.
    #[arg(long, value_name = "QUESTION|NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub topic: Option<String>,
    /// Provider that writes the draft: offline, anthropic, openai or scripted; by default the first that is configured.
    #[arg(long)]
    pub provider: Option<String>,
    /// Display name; derived from the id by default.
    #[arg(long)]
    pub name: Option<String>,
    /// Output file; by default ID.toml in the folder of personas, or positions.toml in the persona's folder in the corpus;
    /// `-` for standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(long)]
    pub force: bool,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}
