//! `faultline completions`: prints a completion script for a shell.

use clap::builder::PossibleValuesParser;
use clap::{Args, Command};
use clap_complete::{Shell, generate};

use crate::cli::output::exit::CliError;
use crate::cli::output::output::print_plain;
use faultline_core::engines::registry::ENGINES;

/// Arguments of `completions`.
#[derive(Args)]
pub struct CompletionsArgs {
    /// Shell that reads the script.
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Prints the completion script of a command.
///
/// # Errors
/// As [`print_plain()`].
pub fn run(command: Command, args: &CompletionsArgs) -> Result<(), CliError> {
    print_plain(&script(command, args.shell))
}

fn script(command: Command, shell: Shell) -> String {
    let (name, mut command) = (command.get_name().to_owned(), with_engines(command));
    let mut script = Vec::new();
    generate(shell, &mut command, name, &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Adds the names of the engines as values of `--engine`. The commands themselves accept any name, and suggest one that
/// is similar to an unknown one.
fn with_engines(command: Command) -> Command {
    let names = || PossibleValuesParser::new(ENGINES.iter().map(|engine| engine.name));
    let has_engine = |command: &Command| command.get_arguments().any(|argument| argument.get_id() == "engine");
    let with: Vec<String> =
        command.get_subcommands().filter(|command| has_engine(command)).map(|it| it.get_name().to_owned()).collect();
    with.into_iter().fold(command, |command, name| {
        command.mut_subcommand(name, |it| it.mut_arg("engine", |argument| argument.value_parser(names())))
    })
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, ValueEnum};

    use super::*;
    use crate::cli::commands::Cli;

    #[test]
    fn the_script_of_every_shell_knows_commands_options_and_engines() {
        for shell in Shell::value_variants() {
            let script = script(Cli::command(), *shell);
            for expected in ["faultline", "history", "completions", "blitz", "personas"] {
                assert!(script.contains(expected), "{shell}: {expected}");
            }
        }
    }
}
