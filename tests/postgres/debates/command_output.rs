//! Output of commands on a terminal, with a pager, and their exit codes when they are interrupted or a debate stalls.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::process::Stdio;
use std::time::Duration;

use rustix::fs::{Mode, OFlags, open};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};

use crate::support::client::SPEAKERS;
use crate::support::database::{Database, migrated_database};
use crate::support::debate_builder::DebateBuilder;
use crate::support::service_process::{ServiceProcess, command, run_command, run_json_command};
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::waiting::with_timeout;

type Variables = Vec<(&'static str, String)>;

/// Creates a database with one short debate, and returns its id.
async fn database_with_debate() -> (Database, TestHome, Variables, String) {
    let (database, home) = (migrated_database().await, TestHome::new());
    let variables = home.environment(&database.options, &json!({}));
    let mut builder = DebateBuilder::new(&["ada", "ben"]);
    builder.append_new(&database.log().await).await;
    (database, home, variables, builder.id.to_string())
}

/// Runs a command with a terminal as its standard output; returns the exit code and what the terminal received.
async fn on_terminal(variables: &Variables, arguments: &[&str]) -> (Option<i32>, String) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&terminal).expect("access");
    unlockpt(&terminal).expect("access");
    let name = ptsname(&terminal, Vec::new()).expect("a name");
    let inner = open(name.as_c_str(), OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("a terminal");
    let mut command = command(variables, arguments);
    let mut child = command.stdout(Stdio::from(inner)).stderr(Stdio::piped()).spawn().expect("run");
    drop(command);
    let reading = tokio::task::spawn_blocking(move || {
        let (mut terminal, mut received, mut buffer) = (File::from(terminal), Vec::new(), [0; 4_096]);
        loop {
            match terminal.read(&mut buffer) {
                Ok(0) => break,
                Ok(length) => received.extend(&buffer[..length]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // The other end is closed.
                Err(_) => break,
            }
        }
        String::from_utf8(received).expect("UTF-8").replace("\r\n", "\n")
    });
    let status = with_timeout("the command ends", child.wait()).await.expect("wait");
    (status.code(), reading.await.expect("read"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn long_output_goes_through_the_pager_of_a_terminal_only() {
    let (_database, _home, variables, id) = database_with_debate().await;
    let with = |pairs: &[(&'static str, &str)]| -> Variables {
        variables.iter().cloned().chain(pairs.iter().map(|(name, value)| (*name, (*value).to_owned()))).collect()
    };
    let pager = ("FAULTLINE_PAGER", "sed 's/^/paged: /'");
    for arguments in [&["show", &id][..], &["history", &id], &["list"], &["cruxes"]] {
        let paged = with(&[pager, ("PAGER", "false"), ("TERM", "xterm")]);
        let (code, output) = on_terminal(&paged, arguments).await;
        assert_eq!(code, Some(0), "{arguments:?}: {output}");
        assert!(output.lines().count() > 0 && output.lines().all(|line| line.starts_with("paged: ")), "{output}");
        let plain = run_command(&paged, arguments).await;
        assert!(!plain.stdout.contains("paged: "), "no pager without a terminal: {arguments:?}");
    }
    for (pairs, arguments) in [
        (&[pager, ("TERM", "dumb")][..], vec!["show", &id]),
        (&[pager, ("TERM", "xterm")], vec!["show", &id, "--no-pager"]),
        (&[pager, ("TERM", "xterm")], vec!["--no-pager", "show", &id]),
        (&[("FAULTLINE_PAGER", ""), ("PAGER", pager.1), ("TERM", "xterm")], vec!["show", &id]),
        (&[("FAULTLINE_PAGER", "no-such-pager-here"), ("TERM", "xterm")], vec!["show", &id]),
    ] {
        let (code, output) = on_terminal(&with(pairs), &arguments).await;
        assert_eq!(code, Some(0), "{pairs:?}: {output}");
        assert!(output.contains("Transcript") || output.contains("Verdict"), "{pairs:?}: {output}");
        assert!(!output.contains("paged: "), "{pairs:?}: {output}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn records_are_single_lines_that_are_never_cut() {
    let (_database, _home, variables, id) = database_with_debate().await;
    let listed = run_command(&variables, &["list"]).await;
    let record: Vec<&str> = listed.stdout.trim_end().split('\t').collect();
    assert_eq!((listed.stdout.lines().count(), record.len(), record[0]), (1, 9, id.as_str()), "{listed:?}");
    let narrow: Variables = variables.iter().cloned().chain([("COLUMNS", "40".to_owned())]).collect();
    let events = run_json_command(&variables, &["history", &id, "--json"]).await;
    let history = run_command(&narrow, &["history", &id]).await;
    assert_eq!(history.stdout.lines().count(), events.len());
    for (line, event) in history.stdout.lines().zip(&events) {
        let values: Vec<&str> = line.split('\t').collect();
        assert_eq!(values.len(), 4, "{line}");
        assert_eq!(json!([values[0], values[2]]), json!([event["version"].to_string(), event["kind"]]));
    }
    let personas = run_command(&variables, &["persona", "list"]).await;
    assert!(personas.stdout.lines().all(|line| line.split('\t').count() == 7), "{}", personas.stdout);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn json_has_the_names_and_values_of_the_api() {
    let (_database, _home, variables, id) = database_with_debate().await;
    let listed = run_json_command(&variables, &["list", "--json"]).await[0][0].clone();
    assert_eq!(json!([listed["id"], listed["status"]]), json!([id, "RUNNING"]));
    assert!(listed["turnCount"].is_u64() && listed["participants"][0]["personaId"] == "ada", "{listed}");
    for (command, status) in [("pause", "PAUSED"), ("resume", "RUNNING"), ("cancel", "CANCELLED")] {
        let answer = run_json_command(&variables, &[command, &id, "--json"]).await.remove(0);
        assert_eq!(json!([answer["id"], answer["status"]]), json!([id, status]));
    }
    let replayed = run_json_command(&variables, &["replay", &id, "--speed", "max", "--json"]).await;
    let (verdict, events) = replayed.split_last().expect("lines");
    assert_eq!(json!([verdict["debate"]["id"], verdict["debate"]["status"]]), json!([id, "CANCELLED"]));
    assert_eq!(events, run_json_command(&variables, &["history", &id, "--json"]).await);
    let token = run_json_command(&variables, &["token", "frontend", "--role", "reader", "--json"]).await.remove(0);
    assert_eq!(json!([token["name"], token["role"], token["expiresAt"]]), json!(["frontend", "READER", null]));
    assert!(token["token"].is_string() && token["line"].is_string(), "{token}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupted_command_exits_with_130() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let variables = home.environment(&database.options, &scripted_replies(500));
    let service = ServiceProcess::start(&variables).await;
    service.signal(Signal::INT);
    assert_eq!(service.wait().await.code(), Some(130), "serve, by Ctrl-C");
    let service = ServiceProcess::start(&variables).await;
    service.signal(Signal::TERM);
    assert_eq!(service.wait().await.code(), Some(0), "serve, by SIGTERM");

    let speakers = SPEAKERS.join(",");
    let asked = ["debate", "Should the city close its centre to private cars?", "--engine", "dialectic", "--personas"];
    let debate = [&asked[..], &[&speakers, "--provider", "scripted", "--set", "passages=0", "--json"]].concat();
    let id = interrupted(&variables, &debate, "driven by the command").await["debateId"].clone();
    // Nothing drives the debate any more, so these wait for events.
    let id = id.as_str().expect("an id");
    interrupted(&variables, &["watch", id, "--json"], "ends at once").await;
    interrupted(&variables, &["replay", id, "--speed", "0.01", "--json"], "closes the application").await;
    let resumed = run_command(&variables, &["resume", id]).await;
    assert!(resumed.stdout.trim_end().ends_with(&format!("`faultline run {id}` does")), "{resumed:?}");
    interrupted(&variables, &["run", id, "--json"], "drives the debate on").await;
}

/// Interrupts a command after the first line of its output, and returns that line.
async fn interrupted(variables: &Variables, arguments: &[&str], what: &str) -> Value {
    use tokio::io::{AsyncBufReadExt, BufReader};
    let mut command = command(variables, arguments);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("run");
    let mut lines = BufReader::new(child.stdout.take().expect("stdout is piped")).lines();
    let first = with_timeout("a line", lines.next_line()).await.expect("read").expect("a line");
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    tokio::time::sleep(Duration::from_millis(300)).await;
    let pid = child.id().and_then(|id| Pid::from_raw(id.cast_signed())).expect("it runs");
    kill_process(pid, Signal::INT).expect("a signal");
    let status = with_timeout("the command ends", child.wait()).await.expect("wait");
    assert_eq!(status.code(), Some(130), "{arguments:?}: {what}");
    serde_json::from_str(&first).expect("JSON")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_debate_that_stalls_or_fails_exits_with_4() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let variables = home.environment(&database.options, &json!({}));
    let speakers = SPEAKERS.join(",");
    let asked = ["debate", "Should the city close its centre to private cars?", "--engine", "dialectic", "--personas"];
    let more = [speakers.as_str(), "--provider", "scripted", "--set", "passages=0", "--set", "limits.attempts=1"];
    let ended = run_command(&variables, &[&asked[..], &more].concat()).await;
    assert_eq!(ended.code, Some(4), "{ended:?}");
    let last = ended.stderr.lines().last().unwrap_or_default();
    assert!(
        last.starts_with("faultline: the debate stalled: ") || last.starts_with("faultline: the debate failed: "),
        "{ended:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_of_a_running_service_is_opened_in_the_browser() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let variables = home.environment(&database.options, &json!({}));
    let mut builder = DebateBuilder::new(&["ada", "ben"]);
    builder.append_new(&database.log().await).await;
    let id = builder.id.to_string();
    let service = ServiceProcess::start(&variables).await;
    let address = service.client.url("").trim_start_matches("http://").to_owned();
    let with =
        |browser: &str| -> Variables { variables.iter().cloned().chain([("BROWSER", browser.to_owned())]).collect() };
    let page = format!("http://{address}/debates/{id}");
    let opened = run_json_command(&with("true"), &["open", &id[24..], "--address", &address, "--json"]).await;
    assert_eq!(opened, [json!({ "address": page, "served": true, "opened": true })]);
    let none = run_command(&with("no-such-browser"), &["open", &id, "--address", &address]).await;
    assert_eq!((none.code, none.stdout.trim()), (Some(0), page.as_str()));
    assert!(none.stderr.contains("set BROWSER"), "{none:?}");
    service.kill().await;
    let gone = run_command(&with("true"), &["open", "--address", &address]).await;
    assert_eq!((gone.code, gone.stdout.trim()), (Some(1), format!("http://{address}/").as_str()));
    assert!(gone.stderr.contains("faultline serve"), "{gone:?}");
}
