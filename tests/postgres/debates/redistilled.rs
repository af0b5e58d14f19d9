//! Talks that are distilled anew: the same turns, read once more by the clerk of an engine.

use std::collections::BTreeSet;

use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::{DebateId, PersonaId, TurnId};
use faultline_core::export::jsonl::jsonl;
use faultline_core::imports::import::read;
use faultline_service::catalog::Catalog;
use faultline_service::erase::EraseRequest;
use faultline_service::service::DebateService;
use faultline_store::erasure::erasure::{ErasureOrder, Subject};
use serde_json::{Value, json};

use crate::support::client::start_debate_input;
use crate::support::database::migrated_database;
use crate::support::environment::project_path;
use crate::support::log_reads::read_all_events;
use crate::support::service_process::{run_command, run_json_command};
use crate::support::test_home::scripted_replies;
use crate::support::test_server::TestServer;

const REDISTIL: &str = "mutation ($input: RedistillDebateInput!) { redistillDebate(input: $input) { debate {
    id engine topic provider seed participants { personaId }
} } }";

const ERASE: &str = "mutation ($input: EraseDebateInput!) { eraseDebate(input: $input) { erasures { debateId } } }";

async fn redistill(server: &TestServer, of: DebateId, clerk: &str) -> (DebateId, Value) {
    let input = json!({ "debateId": of, "clerk": clerk });
    let mut data = server.client.data(REDISTIL, json!({ "input": input })).await;
    let debate = data["redistillDebate"]["debate"].take();
    (debate["id"].as_str().expect("an id").parse().expect("a debate's id"), debate)
}

/// Speaker and words of each turn.
fn said(events: &[Recorded]) -> Vec<(TurnId, Option<PersonaId>, String)> {
    let turn = |event: &Recorded| match &event.event {
        Event::TurnTaken(taken) => Some((taken.turn, Some(taken.speaker.clone()), taken.text.clone())),
        Event::Interjected(it) => Some((it.turn, it.speaker.clone(), it.text.clone())),
        _ => None,
    };
    events.iter().filter_map(turn).collect()
}

/// Purposes of the requests that were made.
fn requested(events: &[Recorded]) -> BTreeSet<&str> {
    events
        .iter()
        .filter_map(|event| match &event.event {
            Event::EffectRequested(it) => Some(it.key.purpose.as_str()),
            _ => None,
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_talk_is_distilled_anew_by_another_clerk() {
    let server = TestServer::start_with_corpus(&scripted_replies(0), &project_path("corpus")).await;
    let mut asked = start_debate_input("graph", json!({ "rounds": 1, "passages": 4 }));
    asked["provider"] = json!("offline");
    let origin = server.client.start(&asked).await;
    let before = server.wait_for_end(origin).await;

    for clerk in ["DISPUTES", "DIALOGUE"] {
        let (anew, opened) = redistill(&server, origin, clerk).await;
        assert_eq!(
            json!([opened["engine"], opened["topic"], opened["provider"]]),
            json!(["baseline", asked["topic"], "offline"])
        );
        let events = server.wait_for_end(anew).await;
        assert_eq!(said(&events), said(&before), "{clerk}: the same turns under the same ids");
        let allowed = BTreeSet::from(["audit", "compare", "crystallize"]);
        assert!(requested(&events).is_subset(&allowed), "{clerk}: {:?}", requested(&events));
        let distilled = events.iter().filter_map(|event| match &event.event {
            Event::TurnsCrystallized(it) => Some(it.turns.len()),
            _ => None,
        });
        let spoken = said(&before).iter().filter(|(_, speaker, _)| speaker.is_some()).count();
        assert_eq!(distilled.sum::<usize>(), spoken, "{clerk}: each turn is read once");
        let found = |kind: &str| events.iter().filter(|event| event.event.kind() == kind).count();
        match clerk {
            "DISPUTES" => assert!(assert_words_are_those_of_turns(&events) > 1, "both take sides"),
            _ => assert!(found("argument_advanced") > 1 && found("attack_raised") > 0, "arguments, and an attack"),
        }
    }
    server.stop().await;
}

/// Checks that every stance quotes its turn, and returns the number of stances.
fn assert_words_are_those_of_turns(events: &[Recorded]) -> usize {
    let (turns, mut n_stances) = (said(events), 0);
    for event in events {
        let Event::StanceTaken(stance) = &event.event else { continue };
        let (_, speaker, text) = turns.iter().find(|(turn, ..)| *turn == stance.turn).expect("a turn");
        assert_eq!(speaker.as_ref(), Some(&stance.speaker));
        assert!(stance.quote.as_ref().is_some_and(|quote| text.contains(quote)), "{stance:?} in {text}");
        n_stances += 1;
    }
    n_stances
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_distilled_anew_is_refused() {
    let server = TestServer::start_with_corpus(&scripted_replies(0), &project_path("corpus")).await;
    let mut asked = start_debate_input("baseline", json!({}));
    asked["provider"] = json!("offline");
    asked["options"] = json!({ "of": { "debate": "0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b", "version": 3 } });
    let start = "mutation ($input: StartDebateInput!) { startDebate(input: $input) { debate { id } } }";
    let response = server.client.query(start, json!({ "input": asked })).await;
    let refused = &response["errors"][0];
    assert!(refused["message"].as_str().is_some_and(|it| it.contains("faultline redistill ID")), "{response}");
    assert_eq!(refused["extensions"]["option"], "of");

    let mut asked = start_debate_input("graph", json!({ "rounds": 1 }));
    asked["provider"] = json!("offline");
    let origin = server.client.start(&asked).await;
    let code = |input: Value| {
        let client = &server.client;
        async move { client.error_code(REDISTIL, json!({ "input": input })).await }
    };
    assert_eq!(code(json!({ "debateId": origin, "at": 1 })).await, "CONFLICT", "it has no turns yet");
    server.wait_for_end(origin).await;
    let unknown = "0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b";
    assert_eq!(code(json!({ "debateId": unknown })).await, "NOT_FOUND");
    assert_eq!(code(json!({ "debateId": origin, "provider": "nobody" })).await, "NOT_FOUND");
    assert_eq!(code(json!({ "debateId": origin, "options": { "rounds": 2 } })).await, "INVALID");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_talk_is_erased_with_the_debates_that_have_its_words() {
    let server = TestServer::start_with_corpus(&scripted_replies(0), &project_path("corpus")).await;
    let mut asked = start_debate_input("graph", json!({ "rounds": 1 }));
    asked["provider"] = json!("offline");
    let origin = server.client.start(&asked).await;
    server.wait_for_end(origin).await;
    let (anew, _) = redistill(&server, origin, "DISPUTES").await;
    server.wait_for_end(anew).await;
    let (again, _) = redistill(&server, anew, "DIALOGUE").await;
    server.wait_for_end(again).await;

    assert_imported_talk_is_erased(&server, origin, anew).await;
    let input =
        |with_forks: bool| json!({ "input": { "debateId": origin, "reason": "asked", "withForks": with_forks } });
    let refused = server.client.query(ERASE, input(false)).await.to_string();
    assert!([anew, again].iter().all(|debate| refused.contains(&debate.to_string())), "{refused}");
    let erased = server.client.data(ERASE, input(true)).await;
    assert_eq!(erased["eraseDebate"]["erasures"].as_array().map(Vec::len), Some(3), "{erased}");
    server.stop().await;
}

/// Checks that elsewhere, too, the imported talk is erased with the imported debate that has its words.
async fn assert_imported_talk_is_erased(server: &TestServer, origin: DebateId, anew: DebateId) {
    let elsewhere = migrated_database().await;
    let service = DebateService::new(elsewhere.log().await, Catalog::default().into());
    // The debate with the words may come first.
    for debate in [anew, origin] {
        let export = jsonl(&read_all_events(&server.log, debate).await);
        service.import(&read(export.as_bytes()).expect("an export")).await.expect("recorded");
    }
    let order = ErasureOrder { asked_by: "a test".to_owned(), reason: "asked".to_owned() };
    let alone = EraseRequest { order, with_forks: false, hide_plain: false };
    let refused = service.erase(origin, &alone).await.expect_err("another debate has its words");
    assert!(refused.to_string().contains(&anew.to_string()), "{refused}");
    let erased = service.erase(origin, &EraseRequest { with_forks: true, ..alone }).await.expect("erased");
    assert_eq!(
        erased.iter().map(|record| record.subject.clone()).collect::<Vec<_>>(),
        [Subject::Debate(anew), Subject::Debate(origin)]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_shows_the_new_verdict_and_names_the_comparison() {
    let server = TestServer::start_with_corpus(&scripted_replies(0), &project_path("corpus")).await;
    let mut asked = start_debate_input("graph", json!({ "rounds": 1 }));
    asked["provider"] = json!("offline");
    let origin = server.client.start(&asked).await;
    server.wait_for_end(origin).await;
    let mut variables = server.environment();
    variables.retain(|(name, _)| *name != "FAULTLINE_CORPUS");
    variables.push(("FAULTLINE_CORPUS", project_path("corpus").display().to_string()));
    let id = origin.to_string();
    let output = run_command(&variables, &["redistill", &id, "--clerk", "dialogue"]).await;
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(output.stdout.contains(&format!("faultline compare {id} --with ")), "{output:?}");
    assert!(output.stdout.contains("The clerk  takes notes on t1 to"), "{output:?}");
    let lines = run_json_command(&variables, &["redistill", &id, "--json"]).await;
    assert!(lines.last().is_some_and(|debate| debate["debate"]["engine"] == "baseline"), "{lines:?}");
    let refused = run_command(&variables, &["redistill", &id, "--clerk", "graph"]).await;
    assert_eq!(refused.code, Some(2), "{refused:?}");
    server.stop().await;
}
