//! Commands: their output for people and programs, and their exit codes.

use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::net::TcpListener;

use crate::support::client::SPEAKERS;
use crate::support::database::{Database, migrated_database};
use crate::support::debate_builder::DebateBuilder;
use crate::support::service_process::{command, run_command, run_json_command};
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::waiting::with_timeout;

type Variables = Vec<(&'static str, String)>;

/// Creates a database with one finished debate, run by `faultline debate`; returns the lines that it printed.
async fn database_with_finished_debate() -> (Database, TestHome, Variables, Vec<Value>) {
    let (database, home) = (migrated_database().await, TestHome::new());
    let mut script = scripted_replies(0);
    // Words that can be audited: the author's, for the proposal.
    for (key, replies) in script.as_object_mut().expect("an object") {
        for reply in replies.as_array_mut().into_iter().flatten().filter(|_| key.starts_with("synthesize/")) {
            reply["$reply"]["stand"] = json!("The rule should stand.");
        }
    }
    let variables = home.environment(&database.options, &script);
    let speakers = SPEAKERS.join(",");
    let asked = [
        "debate",
        "Should the city close its centre to private cars?",
        "--engine",
        "dialectic",
        "--personas",
        &speakers,
    ];
    let set = ["--set", "rounds=10", "--set", "passages=0", "--provider", "scripted", "--seed", "7", "--json"];
    let lines = run_json_command(&variables, &[&asked[..], &set[..]].concat()).await;
    (database, home, variables, lines)
}

/// Copies the variables with another value for one of them; an empty value removes the variable.
fn with_variable(variables: &Variables, name: &'static str, value: &str) -> Variables {
    let others = variables.iter().filter(|variable| variable.0 != name).cloned();
    others.chain((!value.is_empty()).then(|| (name, value.to_owned()))).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_finished_debate_is_printed_as_json_and_as_text() {
    let (_database, _home, variables, lines) = database_with_finished_debate().await;
    let (verdict, events) = lines.split_last().expect("events, and a verdict");
    let id = events[0]["debateId"].as_str().expect("an id").to_owned();
    assert_eq!(json!([verdict["debate"]["id"], verdict["debate"]["regime"]["kind"].is_string()]), json!([id, true]));
    let versions: Vec<i64> = events.iter().filter_map(|event| event["version"].as_i64()).collect();
    assert_eq!(versions, (1..=events.len() as i64).collect::<Vec<_>>());
    assert_eq!(events.last().map(|event| &event["kind"]), Some(&json!("debate_concluded")));

    assert_eq!(run_json_command(&variables, &["history", &id, "--json"]).await, events);
    let after = events.len() - 4;
    assert_eq!(
        run_json_command(&variables, &["watch", &id, "--after", &after.to_string(), "--json"]).await,
        events[after..]
    );
    let shown = run_json_command(&variables, &["show", &id, "--json"]).await;
    assert_eq!((&shown[0]["version"], &shown[0]), (&json!(events.len()), &verdict["debate"]));
    let turns = events.iter().filter(|event| event["kind"] == "turn_taken").count();
    assert_eq!(
        json!([shown[0]["turns"]["nodes"].as_array().map(Vec::len), shown[0]["turnCount"]]),
        json!([turns, turns])
    );
    let before = run_json_command(&variables, &["show", &id[..23], "--at", "5", "--json"]).await;
    assert_eq!(json!([before[0]["version"], before[0]["status"]]), json!([5, "RUNNING"]));
    let listed = run_json_command(&variables, &["list", "--json"]).await;
    assert_eq!(json!([listed[0][0]["id"], listed[0][0]["status"]]), json!([id, "CONCLUDED"]));
    let verified = run_json_command(&variables, &["verify", "--json"]).await;
    assert_eq!(verified, [json!({ "debates": 1, "events": events.len(), "views": 5, "erased": 0, "faults": [] })]);
    let looked = run_json_command(&variables, &["doctor", "--json"]).await;
    assert!(
        looked[0].as_array().is_some_and(|checks| checks.len() > 5 && checks.iter().all(|check| check["well"] == true)),
        "{looked:?}"
    );

    for (arguments, wanted) in [
        (vec!["list"], "close its centre"),
        (vec!["show", &id], "close its centre"),
        (vec!["history", &id], "debate_concluded"),
        (vec!["watch", &id], ""),
        (vec!["verify", &id], "0 faults"),
        (vec!["doctor"], "PostgreSQL"),
        (vec!["schema"], "type Query"),
        (vec!["--help"], "demo"),
        (vec!["history", "--help"], "Example: faultline history"),
    ] {
        let output = run_command(&variables, &arguments).await;
        assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{arguments:?}");
        assert!(!output.stdout.is_empty() && output.stdout.contains(wanted), "{arguments:?}: {}", output.stdout);
        assert!(!output.stdout.contains('\u{1b}'), "{arguments:?}: no colours without a terminal");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_debate_that_has_ended_is_audited_on_request() {
    let (_database, _home, variables, lines) = database_with_finished_debate().await;
    let (verdict, before) = lines.split_last().expect("events, and a verdict");
    let id = before[0]["debateId"].as_str().expect("an id").to_owned();
    let words = verdict["debate"]["audit"]["words"].as_array().expect("words").len();
    assert!(words > 0, "{verdict}");
    let audited = run_json_command(&variables, &["audit", &id, "--provider", "scripted", "--json"]).await;
    let (again, events) = audited.split_last().expect("events, and a verdict");
    let kinds: Vec<&str> = events.iter().filter_map(|event| event["kind"].as_str()).collect();
    assert_eq!(
        kinds,
        ["audit_requested", "effect_requested", "effect_answered", "words_audited", "audit_concluded"],
        "{events:?}"
    );
    assert_eq!(again["debate"]["regime"]["kind"], verdict["debate"]["regime"]["kind"]);
    let all = run_json_command(&variables, &["watch", &id, "--json"]).await;
    assert_eq!(all, [before, events].concat());
    let verified = run_json_command(&variables, &["verify", "--json"]).await;
    assert_eq!(verified, [json!({ "debates": 1, "events": all.len(), "views": 5, "erased": 0, "faults": [] })]);
    let checked = run_command(&variables, &["provider", "check", "--audit", "--provider", "scripted"]).await;
    assert_eq!(checked.code, Some(1), "{}", checked.stderr);
    assert!(checked.stdout.contains("not qualified"), "{}", checked.stdout);
    // No persona takes part in a check, so it works in an empty folder.
    let mut elsewhere = variables.clone();
    elsewhere.retain(|(name, _)| *name != "FAULTLINE_PERSONAS");
    elsewhere.push(("FAULTLINE_PERSONAS", "no-such-folder".to_owned()));
    let checked = run_command(&elsewhere, &["provider", "check", "--provider", "scripted"]).await;
    assert_eq!(checked.code, Some(0), "{}", checked.stderr);
    let refused = run_command(&variables, &["pause", &id]).await;
    assert_eq!(refused.code, Some(1), "{}", refused.stdout);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failing_commands_exit_with_their_codes() {
    let (_database, _home, variables, lines) = database_with_finished_debate().await;
    let id = lines[0]["debateId"].as_str().expect("an id").to_owned();
    let nobody = "0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b";
    let beyond = (lines.len() + 50).to_string();
    let speakers = SPEAKERS.join(",");
    for (arguments, code) in [
        (vec!["show", nobody], 1),
        (vec!["show", nobody, "--json"], 1),
        (vec!["show", "zz"], 1),
        (vec!["show", "ffff"], 1),
        (vec!["history", nobody], 1),
        (vec!["history", nobody, "--json"], 1),
        (vec!["watch", nobody], 1),
        (vec!["watch", &id, "--after", &beyond], 1),
        (vec!["verify", nobody], 1),
        (vec!["pause", &id], 1),
        (vec!["resume", &id], 1),
        (vec!["cancel", &id], 1),
        (vec!["pause", nobody], 1),
        (vec!["debate", "Why?", "--personas", "edda-tolvane,nobody-here"], 1),
        (vec!["compare", &id, "--from", &beyond], 1),
        (vec!["compare", &id, "--with", nobody], 1),
        (vec!["what-if", &id, "--remove", "a99"], 1),
        (vec!["what-if", nobody, "--remove", "a1", "--json"], 1),
        (vec!["debate", "Why?", "--engine", "parliament", "--personas", &speakers, "--provider", "scripted"], 1),
        (vec!["debate", "Why?", "--personas", &speakers, "--set", "speed=3", "--provider", "scripted"], 1),
        (vec!["debate", " ", "--personas", &speakers, "--provider", "scripted"], 1),
        (vec!["debate", "Why?", "--personas", &speakers, "--provider", "oracle"], 1),
        (vec!["serve", "--listen", "0.0.0.0:0"], 1),
        (vec![], 2),
        (vec!["frobnicate"], 2),
        (vec!["show"], 2),
        (vec!["compare", &id], 2),
        (vec!["what-if", &id], 2),
        (vec!["what-if", &id, "--remove", "everything"], 2),
        (vec!["completions", "tcsh"], 2),
        (vec!["show", &id, "--at", "0"], 2),
        (vec!["show", &id, "--at", "x"], 2),
        (vec!["watch", &id, "--after", "-1"], 2),
        (vec!["list", "--first", "0"], 2),
        (vec!["list", "--status", "lost"], 2),
        (vec!["list", "--persona", "Not A Name"], 2),
        (vec!["debate", "Why?"], 2),
        (vec!["debate", "Why?", "--personas", &speakers, "--set", "speed"], 2),
        (vec!["debate", "Why?", "--personas", &speakers, "--set", "limits.speed=3"], 2),
        (vec!["serve", "--listen", "nowhere"], 2),
    ] {
        let output = run_command(&variables, &arguments).await;
        assert_eq!((output.code, output.stdout.as_str()), (Some(code), ""), "{arguments:?}: {}", output.stderr);
        assert!(!output.stderr.trim().is_empty(), "{arguments:?} prints no error");
        if code == 1 {
            assert!(
                output.stderr.starts_with("faultline: ") && output.stderr.lines().count() == 1,
                "{arguments:?}: {}",
                output.stderr
            );
        }
    }
    // A topic of one's own without a model: why, what can be played, and how to use a model.
    let output = run_command(&variables, &["debate", "Why?", "--personas", &speakers]).await;
    let lines: Vec<&str> = output.stderr.lines().map(str::trim).collect();
    assert_eq!((output.code, lines.len()), (Some(1), 3), "{}", output.stderr);
    assert!(lines[0].starts_with("faultline: no model is configured"), "{}", output.stderr);
    assert!(lines[1].contains("can be played offline") && lines[2].contains("OPENAI_BASE_URL="), "{}", output.stderr);
    assert_eq!(
        run_json_command(&variables, &["list", "--json"]).await[0].as_array().map(Vec::len),
        Some(1),
        "no debate was opened"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failed_start_is_explained_in_one_line() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let variables = home.environment(&database.options, &scripted_replies(0));
    let serve = &["serve", "--listen", "127.0.0.1:0"][..];
    let taken = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = taken.local_addr().expect("an address").to_string();
    let no_such_database = variables[0].1.replace("faultline_test_", "faultline_none_");
    let nowhere = with_variable(&with_variable(&variables, "DATABASE_URL", ""), "FAULTLINE_HOME", "/dev/null/home");
    let refused = with_variable(&variables, "DATABASE_URL", "postgres://nobody@127.0.0.1:1/none");
    for (variables, arguments, code, wanted) in [
        (with_variable(&variables, "DATABASE_URL", "nonsense"), serve, 2, "DATABASE_URL"),
        (with_variable(&variables, "DATABASE_URL", "mysql://here/there"), &["list"], 3, "DATABASE_URL"),
        (with_variable(&variables, "DATABASE_URL", &no_such_database), serve, 3, "DATABASE_URL"),
        (refused.clone(), serve, 3, "127.0.0.1:1"),
        (refused, &["list", "--json"], 3, "127.0.0.1:1"),
        (nowhere.clone(), serve, 1, "/dev/null/home"),
        (nowhere, &["list"], 1, "/dev/null/home"),
        (variables.clone(), &["serve", "--listen", &port], 1, "--listen"),
        (variables.clone(), &["demo", "--listen", &port], 1, "--listen"),
        (with_variable(&variables, "FAULTLINE_SCRIPT", "/nowhere.json"), serve, 2, "FAULTLINE_SCRIPT"),
        (with_variable(&variables, "FAULTLINE_SCRIPT", &home.file(&json!([1]))), serve, 2, "FAULTLINE_SCRIPT"),
        (with_variable(&variables, "FAULTLINE_PERSONAS", "/nowhere"), serve, 1, "/nowhere"),
        (with_variable(&variables, "FAULTLINE_PRICES", "/nowhere.toml"), serve, 2, "FAULTLINE_PRICES"),
        (with_variable(&variables, "FAULTLINE_RUNNERS", "many"), serve, 2, "FAULTLINE_RUNNERS"),
        (with_variable(&variables, "FAULTLINE_LEASE_SECONDS", "0"), serve, 2, "FAULTLINE_LEASE_SECONDS"),
        (with_variable(&variables, "FAULTLINE_LOG", "a=b=c"), serve, 2, "FAULTLINE_LOG"),
    ] {
        let output = run_command(&variables, arguments).await;
        assert_eq!((output.code, output.stdout.as_str()), (Some(code), ""), "{wanted}: {}", output.stderr);
        assert!(
            output.stderr.starts_with("faultline: ") && output.stderr.contains(wanted),
            "{wanted}: {}",
            output.stderr
        );
        assert_eq!(output.stderr.lines().count(), 1, "{wanted}: {}", output.stderr);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_closed_output_pipe_ends_a_command_quietly() {
    let (_database, _home, variables, lines) = database_with_finished_debate().await;
    let id = lines[0]["debateId"].as_str().expect("an id");
    // More than a pipe buffers, so the command cannot have written everything before the reader is dropped.
    assert!(lines.iter().map(|line| line.to_string().len()).sum::<usize>() > 100_000);
    for arguments in [&["history", id, "--json"][..], &["watch", id, "--json"], &["show", id, "--json"], &["schema"]] {
        let mut command = command(&variables, arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("run");
        let mut reader = BufReader::new(child.stdout.take().expect("stdout is piped"));
        if arguments[0] == "history" {
            let mut first = String::new();
            with_timeout("a line", reader.read_line(&mut first)).await.expect("read");
            assert_eq!(serde_json::from_str::<Value>(&first).expect("JSON")["version"], 1);
        }
        drop(reader);
        let mut said = String::new();
        child.stderr.take().expect("stderr is piped").read_to_string(&mut said).await.expect("read");
        let status = with_timeout("the command ends", child.wait()).await.expect("wait");
        assert_eq!((status.code(), said.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn partial_ids_are_resolved_against_an_up_to_date_list() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let variables = home.environment(&database.options, &scripted_replies(0));
    let log = database.log().await;
    // No service runs: the list does not exist for the first debates, and is out of date for the others.
    for commands in [&["show", "history"][..], &["verify", "export", "pause"]] {
        for command in commands {
            let mut builder = DebateBuilder::new(&["ada", "ben"]);
            builder.append_new(&log).await;
            let id = builder.id.to_string();
            let mut arguments = vec![*command, &id[24..]];
            if *command == "export" {
                arguments.extend(["--format", "jsonl"]);
            }
            let found = run_command(&variables, &arguments).await;
            assert_eq!(found.code, Some(0), "{arguments:?}: {}", found.stderr);
        }
    }
    let nobody = run_command(&variables, &["show", "ffffffffffff"]).await;
    assert!(nobody.code == Some(1) && nobody.stderr.contains("no debate id"), "{nobody:?}");
}
