//! The command `faultline`: reads the command line and hands over to the library.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Answering a question is many small allocations that go as they came: the system's allocator took a fifth of it.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    faultline::cli::run::run()
}
