//! Reasons, signals, hints, proposed cruxes and stance shifts of a debate, as the service returns them.

use std::fs;

use serde_json::{Map, Value, json};

use crate::support::client::{SPEAKERS, start_debate_input};
use crate::support::environment::fixture_path;
use crate::support::test_server::TestServer;

/// Turns the script of a rehearsal between Ada and Ben into one for two personas of the service. The second persona
/// opens and closes later, so that turns have the same numbers as in the rehearsal.
fn rehearsal_script(name: &str) -> Value {
    let text = fs::read_to_string(fixture_path(&format!("rehearsals/{name}.txt"))).expect("a rehearsal");
    let (asked, _) = text.split_once("\n= log").expect("a script, then a log");
    let mut script = Map::new();
    for block in asked.split("\n> ").skip(1) {
        let (key, reply) = block.split_once('\n').expect("a key, then a reply");
        let key = key.replace("/ada/", &format!("/{}/", SPEAKERS[0])).replace("/ben/", &format!("/{}/", SPEAKERS[1]));
        let reply: Value = serde_json::from_str(reply).expect("JSON");
        let after_millis = if key.contains(SPEAKERS[1]) { 300 } else { 0 };
        script.insert(key, json!([{ "$after_millis": after_millis, "$reply": reply }]));
    }
    Value::Object(script)
}

const TALK: &str = "query ($id: ID!) { debate(id: $id) {
    turns(first: 100) { nodes { id: shortId repliesToTurnId addresseeId hint { kind } } }
    phases { name round reason fromTurnId fromVersion }
    progress {
        version phase turnId liveCount attackCount frontierIds examined pairs novelty repetition concessionRate exact
    }
    hints { personaId kind text turnId aboutTurnId disputeId cruxProposalId }
    cruxProposals { id: shortId speakerId turnId statement acknowledgedBy { personaId turnId citedTurnId } version }
    stanceShifts { personaId disputeId question kind firstSide firstTurnId lastSide lastTurnId changeCount }
    arguments {
        id: shortId revisions { turnId claim previousClaim assumptions version } withdrawal { turnId reason supersededBy }
    }
    attacks { id: shortId withdrawal { turnId reason } }
    disputes {
        id: shortId status turnIds openedTurnId settledTurnId horizon criteria
        wordings { question negates similarity turnIds }
        stanceHistory { personaId from side turnId quote }
        reasons {
            id: shortId speakerId turnId side polarity supportedSide claim assumptions evidence { text } attackedReasonIds
            withdrawal { turnId reason } label strength version
        }
    }
} }";

/// Plays a rehearsal on a service. Returns its view of the debate.
async fn play_rehearsal(engine: &str, name: &str) -> Value {
    play(engine, TestServer::start(&rehearsal_script(name)).await).await
}

/// Runs a debate to its end. Returns the service's view of it.
async fn play(engine: &str, server: TestServer) -> Value {
    let mut asked = start_debate_input(engine, json!({}));
    asked["seed"] = json!(1);
    let debate = server.client.start(&asked).await;
    server.wait_for_end(debate).await;
    let mut data = server.client.data(TALK, json!({ "id": debate })).await;
    server.stop().await;
    data["debate"].take()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reasons_are_listed_per_dispute() {
    let (ada, ben) = (SPEAKERS[0], SPEAKERS[1]);
    let actual = play_rehearsal("disputes", "disputes_settles").await;
    let crew = &actual["disputes"][1];
    assert_eq!(crew["status"], "SETTLED", "{actual:#}");
    assert_eq!((&crew["openedTurnId"], &crew["settledTurnId"]), (&json!("t2"), &json!("t6")));
    assert_eq!(
        crew["stanceHistory"],
        json!([
            { "personaId": ada, "from": null, "side": "YES", "turnId": "t1", "quote": "Run the ferry at night." },
            { "personaId": ben, "from": null, "side": "NO", "turnId": "t2", "quote": "There is one crew, and by ten they have been up since four." },
            { "personaId": ben, "from": "NO", "side": "YES", "turnId": "t6", "quote": "Then I was wrong about the crew, and with a crew I will sail." },
        ])
    );
    let reasons = crew["reasons"].as_array().expect("reasons");
    let brief = |reason: &Value| {
        json!([
            reason["id"],
            reason["speakerId"],
            reason["supportedSide"],
            reason["label"],
            reason["strength"],
            reason["withdrawal"]
        ])
    };
    assert_eq!(
        reasons.iter().map(brief).collect::<Vec<_>>(),
        [
            json!(["r1", ada, "YES", "IN", 0.5, null]),
            json!(["r2", ben, "NO", null, null, { "turnId": "t6", "reason": "There are six with papers." }]),
        ]
    );
    let moved = actual["stanceShifts"].as_array().expect("shifts").iter().filter(|shift| shift["personaId"] == ben);
    let moved: Vec<Value> = moved
        .map(|shift| {
            json!([shift["disputeId"], shift["kind"], shift["firstSide"], shift["lastSide"], shift["lastTurnId"]])
        })
        .collect();
    assert_eq!(moved, [json!(["d1", "REVERSED", "NO", "YES", "t6"]), json!(["d2", "REVERSED", "NO", "YES", "t6"])]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_debate_reports_phases_signals_hints_and_proposed_cruxes() {
    let (ada, ben) = (SPEAKERS[0], SPEAKERS[1]);
    let actual = play_rehearsal("dialogue", "dialogue_crux").await;
    let crux = &actual["cruxProposals"][0];
    assert_eq!(
        (&crux["id"], &crux["speakerId"], &crux["turnId"]),
        (&json!("c1"), &json!(ada), &json!("t5")),
        "{actual:#}"
    );
    assert_eq!(crux["acknowledgedBy"], json!([{ "personaId": ben, "turnId": "t6", "citedTurnId": "t5" }]));
    let hint = &actual["hints"][0];
    assert_eq!((&hint["kind"], &hint["personaId"], &hint["turnId"]), (&json!("REFRAMED"), &json!(ben), &json!("t6")));
    assert_eq!(hint["aboutTurnId"], "t5");
    let turn = &actual["turns"]["nodes"][5];
    assert_eq!(
        (&turn["repliesToTurnId"], &turn["addresseeId"], &turn["hint"]["kind"]),
        (&json!("t5"), &json!(ada), &json!("REFRAMED"))
    );
    let phases = actual["phases"].as_array().expect("phases");
    let begun: Vec<Value> = phases.iter().map(|phase| json!([phase["name"], phase["fromTurnId"]])).collect();
    assert_eq!(begun, [json!(["opening", "t1"]), json!(["exchange", "t3"]), json!(["resolution", "t7"])]);
    let versions: Vec<i64> = phases.iter().filter_map(|phase| phase["fromVersion"].as_i64()).collect();
    assert!(versions.is_sorted() && versions[0] == 2, "{versions:?}");
    let signals = actual["progress"].as_array().expect("signals");
    let live: Vec<Value> = signals
        .iter()
        .map(|signal| json!([signal["liveCount"], signal["examined"], signal["pairs"], signal["exact"]]))
        .collect();
    assert_eq!(live[0], json!([2, 1, 1, true]));
    assert_eq!(live.last(), Some(&json!([4, 4, 4, true])));
    assert_eq!(signals[0]["frontierIds"], json!(["a1", "a2"]));
    let kept = actual["stanceShifts"]
        .as_array()
        .expect("shifts")
        .iter()
        .all(|shift| shift["kind"] == "KEPT" && shift["changeCount"] == 0);
    assert!(kept, "{actual:#}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn withdrawals_are_reported() {
    let actual = play_rehearsal("dialogue", "dialogue_concedes").await;
    let given_up = json!({ "turnId": "t5", "reason": "She would not put the nurses on it.", "supersededBy": null });
    assert_eq!(actual["arguments"][0]["withdrawal"], given_up, "{actual:#}");
    assert_eq!(actual["arguments"][1]["withdrawal"], Value::Null);
    assert_eq!(actual["arguments"][0]["revisions"], json!([]));
    assert_eq!(actual["attacks"][0]["withdrawal"], Value::Null);
}

/// With sentence embeddings, the clerk's rephrased question is matched to the existing one; without them, it is a new
/// question.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rephrased_question_is_matched_to_the_existing_one() {
    let mut script = rehearsal_script("disputes_settles");
    let again = json!({
        "name": "n2", "question": "Is the port able to man a second crew by April?", "horizon": null,
        "criteria": ["Six papers."], "turns": ["t5"],
    });
    script["crystallize/clerk/2"][0]["$reply"]["disputes"] = json!([again]);
    for (sentences, n_disputes) in [(true, 2), (false, 3)] {
        let actual = play("disputes", TestServer::start_with_embedder(&script, sentences).await).await;
        let disputes = actual["disputes"].as_array().expect("disputes");
        assert_eq!(disputes.len(), n_disputes, "{actual:#}");
        let wordings = disputes[1]["wordings"].as_array().expect("wordings");
        if sentences {
            assert_eq!((&wordings[0]["question"], &wordings[0]["negates"]), (&again["question"], &json!(false)));
            assert!(
                wordings[0]["similarity"].as_f64().is_some_and(|similarity| similarity > 0.77 && similarity <= 1.0),
                "{wordings:?}"
            );
        } else {
            assert!(wordings.is_empty(), "{wordings:?}");
        }
    }
}
