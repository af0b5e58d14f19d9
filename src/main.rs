//! The command `faultline`: reads the command line and hands over to the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    faultline::cli::run::run()
}
