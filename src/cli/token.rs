//! `faultline token`: makes a bearer token, and the line that lets it in.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::api::tokens::new_token;
use crate::cli::args::Token;
use crate::cli::exit::CliError;
use crate::cli::out::print;
use crate::config::Config;

/// Prints a token once; with `--append`, its line goes into the file that the configuration names.
///
/// # Errors
/// Where the name cannot be one, or the file cannot be written.
pub fn run(config: &Config, args: Token) -> Result<(), CliError> {
    let made = new_token(&args.name, args.role).map_err(CliError::Usage)?;
    if !args.append {
        return print(&format!(
            "token  {}\nline   {}\n\nGive the token to its holder: it is kept nowhere. Put the line into the file that \
             FAULTLINE_TOKENS names; a service reads it when it starts.\n",
            made.token, made.line
        ));
    }
    let Some(path) = &config.tokens else {
        return Err(CliError::Refused(
            "FAULTLINE_TOKENS names no file to append to; set it, or leave out --append".into(),
        ));
    };
    append(path, &made.line).map_err(|it| CliError::Refused(format!("{} cannot be written: {it}", path.display())))?;
    print(&format!("{}\n", made.token))
}

/// Nobody but the owner may read a file that is made here.
fn append(path: &Path, line: &str) -> std::io::Result<()> {
    let there = std::fs::read_to_string(path).unwrap_or_default();
    let gap = if there.is_empty() || there.ends_with('\n') { "" } else { "\n" };
    let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
    file.write_all(format!("{gap}{line}\n").as_bytes())
}
