//! Arguments of `faultline topics`.

use clap::{Args, Subcommand};
use faultline_core::events::ids::PersonaId;

/// Arguments of `topics`.
#[derive(Args)]
pub struct TopicsArgs {
    /// Subcommand to run.
    #[command(subcommand)]
    pub command: TopicsCommand,
}

/// Subcommands of `faultline topics`.
#[derive(Subcommand)]
pub enum TopicsCommand {
    /// Suggest questions to debate: those that the annotated writings of personas answer with yes and with no.
    #[command(after_help = "Examples:\n  faultline topics suggest\n  \
            faultline topics suggest --personas edda-tolvane,gus-ormerand --json\n\n\
            A topic can be debated without a model. A question that came up on a topic has sides and quotations, but no \
            claims of its own; debate it with a model, or debate its topic.")]
    Suggest(TopicsSuggestArgs),
}

/// Arguments of `topics suggest`.
#[derive(Args)]
pub struct TopicsSuggestArgs {
    /// Only these personas, separated by commas; all by default.
    #[arg(long, value_delimiter = ',')]
    pub personas: Vec<PersonaId>,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}
