//! Arguments of `argue`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::cli::argumentation::iccma::ReasoningProblem;
use faultline_argumentation::formats::format::Format;

/// Arguments of `argue`.
#[derive(Args)]
pub struct ArgueArgs {
    /// Problem to solve, such as DS-PR.
    #[arg(short, long, value_name = "TASK-SEM")]
    pub problem: Option<ReasoningProblem>,
    /// Input file; - reads standard input.
    #[arg(short, long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Argument to which DC and DS apply; for IS, the argument whose deciding issues are found.
    #[arg(short, long, value_name = "ARG")]
    pub argument: Option<String>,
    /// Changes to the framework, in the syntax of apx: +arg(a). -arg(a). +att(a,b). -att(a,b). SE-GR is solved first and
    /// after each change; - reads standard input.
    #[arg(long, value_name = "FILE")]
    pub changes: Option<PathBuf>,
    /// Format of the file: apx, tgf or af; by default detected by name or content.
    #[arg(long)]
    pub format: Option<Format>,
    /// Maximum number of extensions to list for EE; for IS, of extensions to compare (5000 by default).
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Maximum number of search steps, and of conflicts of the SAT solver; unlimited by default.
    #[arg(long, value_name = "STEPS")]
    pub budget: Option<u64>,
    /// Stop after this number of seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// Do not search for a witness extension for DC or DS.
    #[arg(long)]
    pub no_witness: bool,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
    /// Print the problems that can be solved.
    #[arg(long)]
    pub problems: bool,
    /// Print the supported input formats.
    #[arg(long)]
    pub formats: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds, such as 10 or 0.5".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}
