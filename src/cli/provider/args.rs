//! Arguments of `faultline provider`.

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
    /// Ask each provider one small question; show whether it streams, enforces schemas, and what it costs.
    #[command(
        after_help = "Examples:\n  faultline provider check\n  faultline provider check --provider openai --json\n\n\
            Each provider is called once. Exits with 1 if one does not answer."
    )]
    Check(ProviderCheckArgs),
}

/// Arguments of `provider check`.
#[derive(Args)]
pub struct ProviderCheckArgs {
    /// Name of the provider; by default all.
    #[arg(long)]
    pub provider: Option<String>,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}
