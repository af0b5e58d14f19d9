//! Arguments of `faultline topics`.

use clap::{Args, Subcommand};
use faultline_core::events::ids::PersonaId;

/// Maximum number of questions that models suggest in one run.
const MAX_QUESTIONS: i64 = 50;
/// Maximum number of pairs of personas that models are asked about in one run.
const MAX_PAIRS: i64 = 20;
/// Default of `--most`.
const DEFAULT_QUESTIONS: u8 = 10;
/// Default of `--pairs`.
const DEFAULT_PAIRS: u8 = 6;

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
    /// Suggest questions to debate: those that the writings of personas answer with yes and with no.
    #[command(after_help = "Examples:\n  faultline topics suggest\n  \
            faultline topics suggest --personas edda-tolvane,gus-ormerand --json\n  \
            faultline topics suggest --personas edda-tolvane,gus-ormerand --provider openai\n\n\
            Without --provider, questions come from annotated writings. A topic can be debated without a model. A question \
            that came up on a topic has sides and quotations, but no claims of its own; debate it with a model, or debate \
            its topic.\n\n\
            With --provider, a model reads passages of two personas at a time and suggests questions that are not \
            annotated yet. Every quotation is checked against the passages of its persona; suggestions that fail a check \
            are reported with the reason. Each pair costs a call, up to three if replies are unreadable.")]
    Suggest(TopicsSuggestArgs),
}

/// Arguments of `topics suggest`.
#[derive(Args)]
pub struct TopicsSuggestArgs {
    /// Only these personas, separated by commas; all by default.
    #[arg(long, value_delimiter = ',')]
    pub personas: Vec<PersonaId>,
    /// Ask a model of this provider, which reads the corpora: anthropic, openai or scripted.
    #[arg(long)]
    pub provider: Option<String>,
    /// Maximum number of questions that a model suggests; 10 by default.
    #[arg(long, value_name = "N", requires = "provider", value_parser = clap::value_parser!(u8).range(1..=MAX_QUESTIONS))]
    pub most: Option<u8>,
    /// Maximum number of pairs of personas that a model is asked about, those with the closest writings; 6 by default.
    #[arg(long, value_name = "N", requires = "provider", value_parser = clap::value_parser!(u8).range(1..=MAX_PAIRS))]
    pub pairs: Option<u8>,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

impl TopicsSuggestArgs {
    /// Returns the maximum number of questions that a model suggests.
    pub fn max_questions(&self) -> usize {
        self.most.unwrap_or(DEFAULT_QUESTIONS).into()
    }

    /// Returns the maximum number of pairs that a model is asked about.
    pub fn max_pairs(&self) -> usize {
        self.pairs.unwrap_or(DEFAULT_PAIRS).into()
    }
}
