//! Selects the Postgres binaries to run: the requested ones, fetched ones, installed ones, or a new download.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::embedded::error::{EmbeddedError, UnusableBinaries};
use crate::embedded::layout::ClusterLayout;
use crate::embedded::user::User;
use crate::provision::disk::make_directory;
use crate::provision::postgres::{MAJOR, check_cached, postgres_bin, postgres_bin_in};

/// Oldest supported major version of Postgres.
pub const OLDEST: u32 = 16;

/// Oldest supported version of pgvector: the first with `halfvec`.
pub const OLDEST_VECTOR: (u32, u32) = (0, 7);

/// Directories that packages install to; a star stands for any version.
const INSTALLED: &[&str] = &[
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/usr/local/pgsql/bin",
    "/opt/homebrew/opt/postgresql@*/bin",
    "/usr/local/opt/postgresql@*/bin",
    "/Applications/Postgres.app/Contents/Versions/*/bin",
];

/// Usable binaries: a supported version with pgvector that the server's user can run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binaries {
    /// Directory that contains `postgres` and `initdb`.
    pub bin: PathBuf,
    /// Complete version: "18.6".
    pub version: String,
    /// Major version.
    pub major: u32,
}

/// Result of a search on this machine.
#[derive(Debug)]
pub enum SearchOutcome {
    /// Usable binaries.
    Fit(Binaries),
    /// No usable binaries; the rejected installations with the reasons.
    Nothing(Vec<UnusableBinaries>),
}

/// Searches this machine for binaries: only in the requested directory, if one is set; otherwise in the cache, then in
/// installations. Prefers the major version that created the cluster.
///
/// # Errors
/// `Unusable` if the requested binaries are not usable; `Untrusted` if those in the cache are not the pinned ones;
/// `OtherMajor` if all usable binaries, including the wheel to be fetched, have another major version than the cluster;
/// `NotACluster`, or `Io`.
pub fn search(place: &ClusterLayout, user: &User) -> Result<SearchOutcome, EmbeddedError> {
    if let Some(bin) = &place.bin {
        let asked_for = examine(bin, user).map_err(EmbeddedError::Unusable)?;
        check_major(place, &asked_for)?;
        return Ok(SearchOutcome::Fit(asked_for));
    }
    check_cached(&place.cache).map_err(|why| EmbeddedError::Untrusted(Box::new(why)))?;
    let made_by = place.major()?;
    let mut passed = Vec::new();
    let mut others = Vec::new();
    for bin in candidates(place) {
        match examine(&bin, user) {
            Ok(fit) if made_by.is_none_or(|version| version == fit.major) => return Ok(SearchOutcome::Fit(fit)),
            Ok(fit) => others.push(format!("PostgreSQL {} in {}", fit.version, fit.bin.display())),
            Err(unfit) => passed.push(unfit),
        }
    }
    match made_by.filter(|version| *version != MAJOR) {
        None => Ok(SearchOutcome::Nothing(passed)),
        Some(made_by) => {
            others.push(format!("the PostgreSQL {MAJOR} that would be fetched"));
            others.dedup();
            Err(EmbeddedError::OtherMajor { pgdata: place.pgdata(), made_by, found: others.join(", nor ") })
        }
    }
}

/// Fetches binaries into the cache.
///
/// # Errors
/// `NoPostgres` if the download fails; `Unreachable` if the server's user cannot reach the cache; `UnusableBinaries` if
/// the fetched binaries are not usable; `Io`.
pub async fn provision(
    place: &ClusterLayout,
    user: &User,
    passed: Vec<UnusableBinaries>,
) -> Result<Binaries, EmbeddedError> {
    make_directory(&place.cache).map_err(EmbeddedError::io("create", &place.cache))?;
    user.check_reach(&place.cache)?;
    let fetched = postgres_bin(&place.cache).await;
    let bin = fetched.map_err(|why| EmbeddedError::NoPostgres { passed, why: Box::new(why) })?;
    examine(&bin, user).map_err(EmbeddedError::Unfit)
}

/// Refuses binaries of another major version than the one that created the cluster.
///
/// # Errors
/// `OtherMajor`, `NotACluster`, or `Io`.
pub fn check_major(place: &ClusterLayout, binaries: &Binaries) -> Result<(), EmbeddedError> {
    match place.major()? {
        Some(made_by) if made_by != binaries.major => Err(EmbeddedError::OtherMajor {
            pgdata: place.pgdata(),
            made_by,
            found: format!("PostgreSQL {} in {}", binaries.version, binaries.bin.display()),
        }),
        _ => Ok(()),
    }
}

fn candidates(place: &ClusterLayout) -> Vec<PathBuf> {
    let mut bins = vec![postgres_bin_in(&place.cache)];
    bins.extend(ask(Path::new("pg_config"), "--bindir"));
    bins.extend(INSTALLED.iter().flat_map(|pattern| expand(pattern)));
    let mut seen = Vec::new();
    for bin in bins.into_iter().filter(|bin| bin.is_dir()) {
        if !seen.contains(&bin) {
            seen.push(bin);
        }
    }
    seen
}

/// Expands a pattern with at most one star into directories, highest version first.
fn expand(pattern: &str) -> Vec<PathBuf> {
    let Some((before, after)) = pattern.split_once('*') else {
        return vec![PathBuf::from(pattern)];
    };
    let (parent, prefix) = before.rsplit_once('/').unwrap_or(("", before));
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut versions: Vec<String> = names.filter_map(|name| name.strip_prefix(prefix).map(str::to_owned)).collect();
    versions.sort_by_key(|version| std::cmp::Reverse(number(version)));
    versions.iter().map(|version| PathBuf::from(format!("{before}{version}{after}"))).collect()
}

/// Checks that the binaries in a directory are usable by running them as the server's user.
///
/// # Errors
/// [`UnusableBinaries`] with the reason for which they are not usable.
pub fn examine(bin: &Path, user: &User) -> Result<Binaries, UnusableBinaries> {
    let program = bin.join("postgres");
    for needed in [&program, &bin.join("initdb")] {
        if !needed.is_file() {
            return Err(UnusableBinaries::Missing { program: needed.clone() });
        }
    }
    let broken = |why: String| UnusableBinaries::Broken { program: program.clone(), why };
    let ran = user.command(&program).arg("--version").output().map_err(|why| match why.kind() {
        io::ErrorKind::PermissionDenied => UnusableBinaries::Forbidden {
            program: program.clone(),
            uid: user.uid,
            blocked: user.blocking_directory(bin),
        },
        _ => broken(why.to_string()),
    })?;
    let said = String::from_utf8_lossy(&ran.stdout);
    // Example: "postgres (PostgreSQL) 18.6 (Debian 18.6-1)".
    let version = said.split_once("(PostgreSQL) ").and_then(|(_, rest)| rest.split_whitespace().next());
    let version = version.map(str::to_owned).ok_or_else(|| {
        let words = String::from_utf8_lossy(&ran.stderr);
        broken(format!("{}, {}", ran.status, words.lines().next().unwrap_or("no output")))
    })?;
    let major = number(&version);
    if major < OLDEST {
        return Err(UnusableBinaries::Old { bin: bin.to_owned(), version });
    }
    check_vector(bin, &version, major)?;
    Ok(Binaries { bin: bin.to_owned(), version, major })
}

fn check_vector(bin: &Path, version: &str, major: u32) -> Result<(), UnusableBinaries> {
    let unfit =
        |vector: String| UnusableBinaries::NoVector { bin: bin.to_owned(), version: version.to_owned(), vector };
    // The place of the shared files relative to the programs differs between packages.
    let mut shares: Vec<PathBuf> = ask(&bin.join("pg_config"), "--sharedir").into_iter().collect();
    shares.extend(["../share".to_owned(), "../share/postgresql".to_owned()].map(|share| bin.join(share)));
    shares.push(bin.join(format!("../share/postgresql@{major}")));
    shares.push(bin.join(format!("../../../../share/postgresql/{major}")));
    let control = shares.iter().find_map(|share| fs::read_to_string(share.join("extension/vector.control")).ok());
    let control = control.ok_or_else(|| unfit("without pgvector".to_owned()))?;
    let line = control.lines().find(|line| line.trim_start().starts_with("default_version")).unwrap_or_default();
    let offered = line.split('\'').nth(1).unwrap_or_default();
    let (first, rest) = offered.split_once('.').unwrap_or((offered, ""));
    if (number(first), number(rest)) < OLDEST_VECTOR {
        return Err(unfit(format!("with pgvector {offered}")));
    }
    Ok(())
}

/// Asks `pg_config` for a directory; `None` if it does not exist or fails.
fn ask(pg_config: &Path, what: &str) -> Option<PathBuf> {
    let ran = Command::new(pg_config).arg(what).output().ok()?;
    let said = String::from_utf8(ran.stdout).ok()?;
    (ran.status.success() && !said.trim().is_empty()).then(|| PathBuf::from(said.trim()))
}

/// Parses the leading number of a text: 18 for "18.6" and for "18beta1".
fn number(text: &str) -> u32 {
    let digits = text.find(|letter: char| !letter.is_ascii_digit()).map_or(text, |end| &text[..end]);
    digits.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// Creates an installation that reports the given version.
    fn installation(home: &Path, version: &str, vector: Option<&str>) -> PathBuf {
        let bin = home.join(format!("pg-{version}/bin"));
        fs::create_dir_all(&bin).unwrap();
        for program in ["postgres", "initdb"] {
            program_that_says(&bin.join(program), &format!("echo 'postgres (PostgreSQL) {version} (Some 1)'"));
        }
        if let Some(vector) = vector {
            let extension = bin.join("../share/postgresql/extension");
            fs::create_dir_all(&extension).unwrap();
            fs::write(extension.join("vector.control"), format!("a = 'b'\ndefault_version = '{vector}'\n")).unwrap();
        }
        bin
    }

    /// Writes the file in another process: if this process did, a child forked elsewhere might hold it open, and
    /// running it would fail as busy.
    fn program_that_says(path: &Path, words: &str) {
        let write = "printf '#!/bin/sh\\n%s\\n' \"$1\" >\"$2\" && chmod 755 \"$2\"";
        let wrote = Command::new("sh").args(["-c", write, "sh", words]).arg(path).status();
        assert!(wrote.unwrap().success());
    }

    fn home() -> tempfile::TempDir {
        let home = tempfile::tempdir().unwrap();
        fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).unwrap();
        home
    }

    #[test]
    fn an_installation_is_accepted_or_refused_with_a_reason() {
        let home = home();
        let user = User::of(&ClusterLayout::under(home.path())).unwrap();
        let check = |version: &str, vector: Option<&str>, says: &str| {
            let outcome = match examine(&installation(home.path(), version, vector), &user) {
                Ok(fit) => format!("{} of {}", fit.version, fit.major),
                Err(unfit) => unfit.to_string(),
            };
            assert!(outcome.contains(says), "{version} {vector:?}: {outcome}");
        };
        check("18.6", Some("0.8.6"), "18.6 of 18");
        check("16.2", Some("0.7.0"), "16.2 of 16");
        check("19devel", Some("1.0"), "19devel of 19");
        check("15.18", Some("0.8.6"), "has PostgreSQL 15.18, but 16 or newer is required");
        check("17.1", Some("0.6.2"), "with pgvector 0.6.2, but pgvector 0.7 or newer");
        check("17.3", None, "has PostgreSQL 17.3 without pgvector");
        let missing = examine(&home.path().join("nowhere"), &user).unwrap_err().to_string();
        assert!(missing.ends_with("nowhere/postgres does not exist"), "{missing}");
        let hollow = installation(home.path(), "18.7", None);
        program_that_says(&hollow.join("postgres"), "echo 'no such library' >&2; exit 127");
        let broken = examine(&hollow, &user).unwrap_err().to_string();
        assert!(broken.ends_with("does not run: exit status: 127, no such library"), "{broken}");
    }

    #[test]
    fn requested_binaries_are_used_or_refused_and_never_replaced() {
        let home = home();
        let mut place = ClusterLayout::under(home.path());
        let user = User::of(&place).unwrap();
        place.bin = Some(home.path().join("nowhere"));
        let refused = search(&place, &user).unwrap_err().to_string();
        assert!(refused.starts_with("cannot use the binaries that FAULTLINE_PG_BIN names: "), "{refused}");

        place.bin = Some(installation(home.path(), "17.5", Some("0.8.0")));
        assert!(matches!(search(&place, &user), Ok(SearchOutcome::Fit(it)) if it.major == 17));
        fs::create_dir_all(place.pgdata()).unwrap();
        fs::write(place.pgdata().join("PG_VERSION"), "16\n").unwrap();
        let refused = search(&place, &user).unwrap_err().to_string();
        assert!(refused.contains("was created by PostgreSQL 16, and PostgreSQL 17.5 in"), "{refused}");
    }

    #[test]
    fn an_unreachable_binary_is_refused_with_the_blocking_directory() {
        let home = home();
        let user = User::of(&ClusterLayout::under(home.path())).unwrap();
        if !rustix::process::geteuid().is_root() {
            eprintln!("skipped: requires root");
            return;
        }
        let bin = installation(home.path(), "18.8", Some("0.8.6"));
        fs::set_permissions(home.path(), fs::Permissions::from_mode(0o700)).unwrap();
        let refused = examine(&bin, &user).unwrap_err().to_string();
        assert!(refused.contains(&format!("it cannot enter {}", home.path().display())), "{refused}");
    }

    #[test]
    fn the_highest_version_comes_first() {
        let home = home();
        for version in ["9.6", "16", "18"] {
            fs::create_dir_all(home.path().join(format!("pg-{version}/bin"))).unwrap();
        }
        let found = expand(&format!("{}/pg-*/bin", home.path().display()));
        let names: Vec<String> = found.iter().map(|path| path.display().to_string()).collect();
        assert!(names[0].ends_with("pg-18/bin") && names[2].ends_with("pg-9.6/bin"), "{names:?}");
    }
}
