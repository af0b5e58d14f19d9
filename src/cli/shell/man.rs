//! `faultline man`: prints the manual page of the program, or writes one page a command into a folder.

use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_mangen::{Man, generate_to};

use crate::cli::output::exit::CliError;
use crate::cli::output::output::{print, print_plain};

/// Arguments of `man`.
#[derive(Args)]
pub struct ManArgs {
    /// Folder for one page a command, created if it does not exist; without it, the page of the program is printed.
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

/// Prints the manual page of a command, or writes the pages of all its subcommands.
///
/// # Errors
/// [`CliError::Refused`] if the folder cannot be written.
pub fn run(command: Command, args: &ManArgs) -> Result<(), CliError> {
    match &args.folder {
        None => {
            let mut page = Vec::new();
            Man::new(command).render(&mut page)?;
            print_plain(&String::from_utf8_lossy(&page))
        }
        Some(folder) => {
            let pages = write(command, folder).map_err(|error| {
                CliError::Refused(format!("manual pages could not be written to {}: {error}", folder.display()))
            })?;
            let folder = folder.display();
            print(&format!("{pages} manual pages in {folder}; read one with `man -l {folder}/faultline.1`\n"))
        }
    }
}

/// Writes the pages and returns their number.
fn write(command: Command, folder: &Path) -> std::io::Result<usize> {
    std::fs::create_dir_all(folder)?;
    generate_to(command, folder)?;
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.map(|entry| entry.file_name());
    let names: Vec<_> = std::fs::read_dir(folder)?.map(name).collect::<Result<_, _>>()?;
    Ok(names.iter().filter(|name| name.to_string_lossy().starts_with("faultline")).count())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::commands::Cli;

    #[test]
    fn every_command_has_a_page() {
        let folder = tempfile::tempdir().expect("a folder");
        let n_pages = write(Cli::command(), &folder.path().join("man1")).expect("pages");
        let page = |name: &str| std::fs::read_to_string(folder.path().join("man1").join(name));
        for (name, expected) in [
            ("faultline.1", "faultline\\-debate"),
            ("faultline-debate.1", "\\-\\-personas"),
            ("faultline-persona-list.1", "Example"),
        ] {
            let page = page(name).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(page.contains(expected), "{name}: {expected}: {page}");
        }
        assert!(n_pages > 30, "{n_pages}");
        assert!(page("faultline-parse-document.1").is_err(), "hidden commands have none");
    }
}
