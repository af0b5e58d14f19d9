//! Arguments of `faultline provider`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Arguments of `provider`.
#[derive(Args)]
pub struct ProviderArgs {
    /// Subcommand to run.
    #[command(subcommand)]
    pub command: ProviderCommand,
}

/// Subcommands of `faultline provider`.
#[derive(Subcommand)]
pub enum ProviderCommand {
    /// Ask each provider one small question; show whether it streams, enforces schemas, what it costs, and whether its
    /// model is qualified to audit words.
    #[command(
        after_help = "Examples:\n  faultline provider check\n  faultline provider check --provider openai --json\n  \
            faultline provider check --audit --provider openai\n  \
            faultline provider check --audit --sentences tests/fixtures/audit/labelled.tsv\n\n\
            With --audit, the model reads 72 labelled sentences, and the result is recorded. It is qualified if at least \
            90 % of the sides that it reads are right; only then do its readings count in verdicts. Exits with 1 if a \
            check failed or the model is not qualified."
    )]
    Check(ProviderCheckArgs),
}

/// Arguments of `provider check`.
#[derive(Args)]
pub struct ProviderCheckArgs {
    /// Measure how well the model reads words, and record the result.
    #[arg(long)]
    pub audit: bool,
    /// Labelled sentences to read instead of the built-in ones, tab-separated; the result is shown, not recorded.
    #[arg(long, value_name = "FILE", requires = "audit")]
    pub sentences: Option<PathBuf>,
    /// Name of the provider, or nli; with --audit by default the auditor that is configured, otherwise all.
    #[arg(long)]
    pub provider: Option<String>,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}
