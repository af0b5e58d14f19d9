//! `faultline token`: makes a bearer token and the line that lets it in, or lists those there are.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::api::role::Role;
use crate::api::token_file::{Entry, new_token, read};
use crate::cli::args::Token;
use crate::cli::exit::CliError;
use crate::cli::out::print;
use crate::config::Config;

/// Prints a token once; with `--append`, its line goes into the file that the configuration names. With `--list`, tells what
/// that file holds.
///
/// # Errors
/// A name that cannot be one, or a file that cannot be read or written.
pub fn run(config: &Config, args: Token) -> Result<(), CliError> {
    if args.list {
        return list(config);
    }
    // The parser of the arguments asks for both unless the tokens are listed.
    let (name, role) = (args.name.unwrap_or_default(), args.role.unwrap_or(Role::Reader));
    let made = new_token(&name, role, args.expires).map_err(CliError::Usage)?;
    if !args.append {
        return print(&format!(
            "token  {}\nline   {}\n\nGive the token to its holder: it is kept nowhere. Put the line into the file that \
             FAULTLINE_TOKENS names; a running service reads the file again when it changes.\n",
            made.token, made.line
        ));
    }
    let path = configured(config)?;
    append(path, &made.line)?;
    print(&format!("{}\n", made.token))
}

fn list(config: &Config) -> Result<(), CliError> {
    let path = configured(config)?;
    let odd = |why: String| CliError::Refused(format!("{} cannot be read: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|it| odd(it.to_string()))?;
    let entries = read(&text).map_err(|it| odd(it.to_string()))?;
    let mut told = String::new();
    for entry in entries.values() {
        // Writing to a text cannot fail.
        let _written = writeln!(told, "{:<24} {:<8} {}", entry.name, entry.role.name(), remark(entry));
    }
    print(&told)
}

fn remark(entry: &Entry) -> String {
    let ends = match entry.expires {
        None => "never ends".to_owned(),
        Some(it) if entry.has_expired() => format!("ended {}", it.format("%Y-%m-%d %H:%M UTC")),
        Some(it) => format!("ends {}", it.format("%Y-%m-%d %H:%M UTC")),
    };
    match entry.is_slow() {
        false => ends,
        true => format!(
            "{ends}; kept as argon2's hash, which is slow to check: remove the line and make a new token with \
             `faultline token {} --role {} --append`",
            entry.name,
            entry.role.name()
        ),
    }
}

fn configured(config: &Config) -> Result<&PathBuf, CliError> {
    config.tokens.as_ref().ok_or_else(|| {
        CliError::Refused("FAULTLINE_TOKENS names no file of tokens; set it, or leave out --append and --list".into())
    })
}

/// Appends a line, unless the file could not be read with it: a name stands there once. Nobody but the owner may read a file
/// that is made here.
fn append(path: &Path, line: &str) -> Result<(), CliError> {
    let there = std::fs::read_to_string(path).unwrap_or_default();
    let gap = if there.is_empty() || there.ends_with('\n') { "" } else { "\n" };
    let more = format!("{gap}{line}\n");
    let refused = |why: String| CliError::Refused(format!("{}: nothing was appended: {why}", path.display()));
    read(&format!("{there}{more}")).map_err(|it| refused(it.to_string()))?;
    let written = OpenOptions::new().append(true).create(true).mode(0o600).open(path);
    written.and_then(|mut it| it.write_all(more.as_bytes())).map_err(|it| refused(it.to_string()))
}
