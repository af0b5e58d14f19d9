//! `faultline token`: creates a bearer token and its line for the token file, or lists existing tokens.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::api::admission::token_file::{TokenEntry, new_token, read};
use crate::api::role::Role;
use crate::cli::args::admin::TokenArgs;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::config::Config;

/// Prints a new token once; with `--append`, adds its line to the configured token file. With `--list`, lists the
/// tokens in that file.
///
/// # Errors
/// [`CliError::Usage`] if the name is invalid; [`CliError::Refused`] if the file cannot be read or written.
pub fn run(config: &Config, args: TokenArgs) -> Result<(), CliError> {
    if args.list {
        return list(config, args.json);
    }
    // The argument parser requires both unless `--list` is given.
    let (name, role) = (args.name.unwrap_or_default(), args.role.unwrap_or(Role::Reader));
    let created = new_token(&name, role, args.expires).map_err(CliError::Usage)?;
    let as_json = || {
        json!({
            "name": name,
            "role": role.name().to_uppercase(),
            "expiresAt": args.expires,
            "token": created.token,
            "line": created.line,
        })
    };
    if !args.append && args.json {
        return json_line(&as_json());
    }
    if !args.append {
        return print(&format!(
            "token  {}\nline   {}\n\nGive the token to its holder: it is not stored anywhere. Add the line to the file \
             that FAULTLINE_TOKENS points to; a running service reloads the file when it changes.\n",
            created.token, created.line
        ));
    }
    let path = configured(config)?;
    append(path, &created.line)?;
    if args.json { json_line(&as_json()) } else { print(&format!("{}\n", created.token)) }
}

fn list(config: &Config, json: bool) -> Result<(), CliError> {
    let path = configured(config)?;
    let refused = |why: String| CliError::Refused(format!("{} cannot be read: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
    let entries = read(&text).map_err(|error| refused(error.to_string()))?;
    if json {
        return json_line(&entries.values().map(entry_as_json).collect::<Vec<_>>());
    }
    let mut list = String::new();
    for entry in entries.values() {
        // Writing to a `String` cannot fail.
        let _written = writeln!(list, "{:<24} {:<8} {}", entry.name, entry.role.name(), expiry(entry));
    }
    print(&list)
}

fn entry_as_json(entry: &TokenEntry) -> Value {
    json!({
        "name": entry.name,
        "role": entry.role.name().to_uppercase(),
        "expiresAt": entry.expires,
        "expired": entry.has_expired(),
        "slow": entry.is_slow(),
    })
}

fn expiry(entry: &TokenEntry) -> String {
    let ends = match entry.expires {
        None => "never expires".to_owned(),
        Some(it) if entry.has_expired() => format!("expired {}", it.format("%Y-%m-%d %H:%M UTC")),
        Some(it) => format!("expires {}", it.format("%Y-%m-%d %H:%M UTC")),
    };
    match entry.is_slow() {
        false => ends,
        true => format!(
            "{ends}; stored as an argon2 hash, which is slow to verify: remove the line and create a new token with \
             `faultline token {} --role {} --append`",
            entry.name,
            entry.role.name()
        ),
    }
}

fn configured(config: &Config) -> Result<&PathBuf, CliError> {
    config.tokens.as_ref().ok_or_else(|| {
        CliError::Refused("FAULTLINE_TOKENS is not set; set it to a token file, or omit --append and --list".into())
    })
}

/// Appends a line unless the file would become invalid, for example by a duplicate name. A new file is readable by its
/// owner only.
fn append(path: &Path, line: &str) -> Result<(), CliError> {
    let there = std::fs::read_to_string(path).unwrap_or_default();
    let gap = if there.is_empty() || there.ends_with('\n') { "" } else { "\n" };
    let more = format!("{gap}{line}\n");
    let refused = |why: String| CliError::Refused(format!("{}: nothing was appended: {why}", path.display()));
    read(&format!("{there}{more}")).map_err(|error| refused(error.to_string()))?;
    let written = OpenOptions::new().append(true).create(true).mode(0o600).open(path);
    written.and_then(|mut file| file.write_all(more.as_bytes())).map_err(|error| refused(error.to_string()))
}
