//! Invocation of pip, the only program that accesses a package registry.

use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use tokio::process::Command;
use tokio::time::{Instant, timeout_at};

use crate::provision::error::{OutputTail, ProvisionError};

/// Timeout of a download: 14 MB at 25 kB/s.
pub const LIMIT: Duration = Duration::from_secs(10 * 60);

/// Commands that may run pip, best first.
pub const PIPS: &[&[&str]] = &[&["python3", "-m", "pip"], &["pip3"], &["pip"], &["python", "-m", "pip"]];

/// Exit status of a shell, or of a version manager's shim, if a program does not exist.
const NOT_FOUND: i32 = 127;

/// Download order.
#[derive(Debug)]
pub struct DownloadOrder<'a> {
    /// Requirement, `name==version`, for error messages.
    pub wanted: &'a str,
    /// Requirements file with hashes.
    pub requirements: &'a Path,
    /// Empty directory for the download.
    pub into: &'a Path,
    /// Directory in which a wheel can be added manually, for error messages.
    pub kept_in: &'a Path,
}

/// Downloads the wheels in the requirements file with the first of `pips` that exists. If that one fails, the others
/// are not tried: they share its configuration and its network.
///
/// # Errors
/// `NoPip` if none of them exists, `Pip` if one fails or takes longer than `limit`.
pub async fn download(order: &DownloadOrder<'_>, pips: &[&[&str]], limit: Duration) -> Result<(), ProvisionError> {
    let deadline = Instant::now() + limit;
    let mut tried = Vec::new();
    for words in pips {
        let Ok(ran) = timeout_at(deadline, command(order, words).output()).await else {
            let how = format!("did not finish within {} s and was killed", limit.as_secs());
            return Err(failed(order, words, how, ""));
        };
        match ran {
            Ok(output) if output.status.success() => return Ok(()),
            Ok(output) if is_no_pip(&output) => tried.push(format!("{}: no pip in it", words.join(" "))),
            Ok(output) => {
                let how = format!("ended with {}", output.status);
                return Err(failed(order, words, how, &String::from_utf8_lossy(&output.stderr)));
            }
            Err(why) => tried.push(format!("{}: {why}", words.join(" "))),
        }
    }
    Err(ProvisionError::NoPip {
        wanted: order.wanted.to_owned(),
        tried: tried.join("; "),
        into: order.kept_in.to_owned(),
    })
}

fn command(order: &DownloadOrder<'_>, words: &[&str]) -> Command {
    let mut command = Command::new(words[0]);
    command
        .args(&words[1..])
        .args(["download", "--no-deps", "--only-binary=:all:", "--require-hashes"])
        .args(["--no-input", "--disable-pip-version-check", "--progress-bar=off", "-r"])
        .arg(order.requirements)
        .arg("-d")
        .arg(order.into)
        // Otherwise a folder named `pip` in the current directory would be run instead of pip. The variable prevents
        // that for Python 3.11 and newer.
        .current_dir(order.into)
        .env("PYTHONSAFEPATH", "1")
        .stdin(Stdio::null())
        .kill_on_drop(true);
    command
}

fn is_no_pip(output: &Output) -> bool {
    output.status.code() == Some(NOT_FOUND) || String::from_utf8_lossy(&output.stderr).contains("No module named pip")
}

fn failed(order: &DownloadOrder<'_>, words: &[&str], how: String, stderr: &str) -> ProvisionError {
    let relevant: String =
        stderr.lines().filter(|line| !line.starts_with("[notice]")).map(|line| format!("{line}\n")).collect();
    ProvisionError::Pip {
        wanted: order.wanted.to_owned(),
        command: words.join(" "),
        how,
        into: order.kept_in.to_owned(),
        said: OutputTail::last_of(&relevant),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn run(pips: &[&[&str]], limit: Duration) -> Result<(), String> {
        let place = tempfile::tempdir().unwrap();
        let order = DownloadOrder {
            wanted: "thing==1.0",
            requirements: &place.path().join("requirements.txt"),
            into: place.path(),
            kept_in: Path::new("the/cache"),
        };
        download(&order, pips, limit).await.map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn the_next_command_is_tried_only_if_there_is_no_pip() {
        let absent: &[&str] = &["no-such-program"];
        let hollow: &[&str] = &["sh", "-c", "echo 'python3: No module named pip' >&2; exit 1"];
        let stand_in: &[&str] = &["sh", "-c", "exit 127"];
        let good: &[&str] = &["true"];
        let down: &[&str] = &["sh", "-c", "echo '[notice] news' >&2; echo 'ERROR: no route' >&2; exit 1"];

        assert_eq!(run(&[absent, hollow, stand_in, good], LIMIT).await, Ok(()));

        let none = run(&[absent, hollow], LIMIT).await.unwrap_err();
        assert!(none.starts_with("could not fetch thing==1.0: no pip was found (tried no-such-program: "), "{none}");
        assert!(none.ends_with("install Python's pip, or put the wheel into the/cache"), "{none}");

        let failed = run(&[down, good], LIMIT).await.unwrap_err();
        assert!(failed.contains("ended with exit status: 1; make pip able to download it"), "{failed}");
        assert!(failed.ends_with("Output:\n    ERROR: no route"), "{failed}");
    }

    #[tokio::test]
    async fn a_hanging_pip_is_killed() {
        let hanging: &[&str] = &["sh", "-c", "sleep 60"];
        let failed = run(&[hanging], Duration::from_millis(50)).await.unwrap_err();
        assert!(failed.contains("did not finish within 0 s"), "{failed}");
    }
}
