//! Queries about one debate: explanations, what-if analysis, extensions under every semantics, concessions.

use faultline_core::events::dispute::Side;
use serde_json::{Value, json};

use crate::support::client::start_debate_input;
use crate::support::debate_builder::DebateBuilder;
use crate::support::environment::project_path;
use crate::support::phase_events::new_debate_id;
use crate::support::test_home::scripted_replies;
use crate::support::test_server::TestServer;
use crate::support::view_waits::wait_for_views;
use crate::support::websocket_client::WebSocketClient;

/// Records a debate in which Ada and Ben rebut each other once, and Ben undercuts her second argument and changes his
/// stance on winter.
async fn record_sample_debate(server: &TestServer) -> DebateBuilder {
    let mut builder = DebateBuilder::new(&["ada", "ben"]);
    let one = builder.add_argument("ada", "The ferry pays", "The crews are rested.");
    let other = builder.add_argument("ben", "The ferry loses", "Nobody travels");
    builder.add_mutual_attack("ben", other, one);
    let third = builder.add_argument("ada", "The ferry is loved", "Surveys are right");
    let fourth = builder.add_argument("ben", "Nobody was asked", "The survey was a joke");
    builder.add_attack("ben", fourth, third);
    let dispute = builder.raise_dispute("Is winter rough?", &[("ada", Side::Yes), ("ben", Side::No)]);
    builder.take_side("ben", dispute, Side::Yes);
    builder.append_new(&server.log).await;
    builder
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn arguments_explain_their_labels_and_concessions_are_listed() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let actual = record_sample_debate(&server).await;
    let query = "query ($id: ID!) { debate(id: $id) { arguments { id: shortId label explanation {
        label sentences defenderIds defeaterIds cycleIds omittedSteps
        steps { kind argumentIds minMaxNumber attackerId defeatedAttackers { attackerId defeaterId } }
    } } concessions { kind personaId turnId words disputeId argumentId from to effect } } }";
    let data = server.client.data(query, json!({ "id": actual.id })).await;
    let arguments = data["debate"]["arguments"].as_array().expect("arguments");
    assert!(arguments.iter().all(|argument| argument["label"] == argument["explanation"]["label"]), "{arguments:#?}");
    let cycle = json!({
        "label": "UNDEC",
        "sentences": ["a1 is undecided: a1 and a2 attack each other, and nothing outside decides it."],
        "defenderIds": [], "defeaterIds": [], "cycleIds": ["a1", "a2"], "omittedSteps": 0,
        "steps": [{
            "kind": "CYCLE", "argumentIds": ["a1", "a2"], "minMaxNumber": null, "attackerId": null,
            "defeatedAttackers": [],
        }],
    });
    assert_eq!(arguments[0]["explanation"], cycle);
    let defeated = json!({
        "label": "OUT",
        "sentences": ["a3 is defeated by a4, which nothing attacks."],
        "defenderIds": [], "defeaterIds": ["a4"], "cycleIds": [], "omittedSteps": 0,
        "steps": [
            {
                "kind": "DEFEATED", "argumentIds": ["a3"], "minMaxNumber": 2, "attackerId": "a4",
                "defeatedAttackers": [],
            },
            {
                "kind": "ACCEPTED", "argumentIds": ["a4"], "minMaxNumber": 1, "attackerId": null,
                "defeatedAttackers": [],
            },
        ],
    });
    assert_eq!(arguments[2]["explanation"], defeated);
    assert_eq!(
        data["debate"]["concessions"],
        json!([{ "kind": "STANCE", "personaId": "ben", "turnId": "t9", "words": "I say yes.", "disputeId": "d1",
            "argumentId": null, "from": "NO", "to": "YES", "effect": "SETTLED" }])
    );
    server.stop().await;
}

const WHAT_IF: &str = "query ($id: ID!, $remove: [ID!], $add: [WhatIfAttack!]) { debate(id: $id) {
    whatIf(remove: $remove, add: $add) {
        labelChanges { argumentId from to }
        cruxesGained { id statement rank } cruxesLost { statement open debate { id } }
        before { campCount extensionCount cruxCount regime { kind } }
        after { campCount extensionCount cruxCount regime { kind } } exact
    }
} }";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_if_reports_changed_labels_and_cruxes() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let actual = record_sample_debate(&server).await;
    let ask = async |remove: Value, add: Value| {
        let mut data = server.client.data(WHAT_IF, json!({ "id": actual.id, "remove": remove, "add": add })).await;
        data["debate"]["whatIf"].take()
    };
    let without = ask(json!(["a2", "a2"]), Value::Null).await;
    assert_eq!(
        without["labelChanges"],
        json!([{ "argumentId": "a1", "from": "UNDEC", "to": "IN" }, { "argumentId": "a2", "from": "UNDEC", "to": null }])
    );
    assert_eq!(json!([without["before"]["extensionCount"], without["after"]["extensionCount"]]), json!(["2", "1"]));
    let lost: Vec<&Value> =
        without["cruxesLost"].as_array().expect("cruxes").iter().map(|crux| &crux["statement"]).collect();
    assert_eq!(lost, ["The ferry pays"]);
    assert!(
        without["cruxesLost"]
            .as_array()
            .expect("cruxes")
            .iter()
            .all(|crux| crux["debate"]["id"] == actual.id.to_string())
    );
    let mutual = ask(Value::Null, json!([{ "sourceId": "a3", "targetId": "a4", "mutual": true }])).await;
    assert_eq!(mutual["after"]["extensionCount"], "4");
    let gained: Vec<&Value> =
        mutual["cruxesGained"].as_array().expect("cruxes").iter().map(|crux| &crux["statement"]).collect();
    assert_eq!((gained.len(), &mutual["cruxesLost"], &mutual["exact"]), (1, &json!([]), &json!(true)));
    let nothing = ask(json!([]), json!([])).await;
    assert_eq!((&nothing["labelChanges"], &nothing["before"]), (&json!([]), &nothing["after"]));
    let data = server
        .client
        .data("query ($id: ID!) { debate(id: $id) { arguments { id: shortId } version } }", json!({ "id": actual.id }));
    assert_eq!(
        data.await["debate"]["arguments"].as_array().map(Vec::len),
        Some(4),
        "a what-if query does not change the debate"
    );

    let attack = |source: &str, target: &str| json!([{ "sourceId": source, "targetId": target }]);
    for (remove, add, code, words) in [
        (json!(["a9"]), Value::Null, "INVALID", "there is no argument a9 in this debate; the last is a4"),
        (json!(["b1"]), Value::Null, "INVALID", "\"b1\" is not an id such as a1"),
        (json!(["a4294967296"]), Value::Null, "INVALID", "a4294967296"),
        (Value::Null, attack("a1", "a9"), "INVALID", "a9"),
        (Value::Null, attack("a1", ""), "INVALID", "\"\""),
        (json!(["a1"]), attack("a1", "a2"), "INVALID", "argument a1 is both withdrawn and part of an added attack"),
        (json!(vec!["a1"; 101]), Value::Null, "LIMIT", "at most 100 arguments"),
        (Value::Null, Value::Array(vec![attack("a1", "a2")[0].clone(); 101]), "LIMIT", "100 attacks"),
    ] {
        let asked = json!({ "id": actual.id, "remove": remove, "add": add });
        let response = server.client.query(WHAT_IF, asked.clone()).await;
        let error = &response["errors"][0];
        assert_eq!(error["extensions"]["code"], code, "{asked}: {response}");
        assert!(error["message"].as_str().is_some_and(|message| message.contains(words)), "{asked}: {response}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn extensions_and_labels_are_returned_under_every_semantics() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let actual = record_sample_debate(&server).await;
    const EXTENSIONS: &str = "query ($id: ID!, $of: Semantics! = PREFERRED, $limit: Int! = 100) { debate(id: $id) {
        extensions(semantics: $of, limit: $limit) { sets count countExact exact limit }
        labelling(semantics: $of) { argumentId value exact }
    } }";
    for (semantics, sets, labels) in [
        ("GROUNDED", json!([["a4"]]), ["UNDEC", "UNDEC", "OUT", "IN"]),
        ("IDEAL", json!([["a4"]]), ["UNDEC", "UNDEC", "OUT", "IN"]),
        ("COMPLETE", json!([["a1", "a4"], ["a2", "a4"], ["a4"]]), ["UNDEC", "UNDEC", "OUT", "IN"]),
        ("PREFERRED", json!([["a1", "a4"], ["a2", "a4"]]), ["UNDEC", "UNDEC", "OUT", "IN"]),
        ("STABLE", json!([["a1", "a4"], ["a2", "a4"]]), ["UNDEC", "UNDEC", "OUT", "IN"]),
        ("SEMI_STABLE", json!([["a1", "a4"], ["a2", "a4"]]), ["UNDEC", "UNDEC", "OUT", "IN"]),
        ("STAGE", json!([["a1", "a4"], ["a2", "a4"]]), ["UNDEC", "UNDEC", "OUT", "IN"]),
    ] {
        let data = server.client.data(EXTENSIONS, json!({ "id": actual.id, "of": semantics })).await;
        let found = &data["debate"]["extensions"];
        let n = sets.as_array().map(Vec::len).unwrap_or_default().to_string();
        assert_eq!(*found, json!({ "sets": sets, "count": n, "countExact": true, "exact": true, "limit": null }));
        let found: Vec<&Value> =
            data["debate"]["labelling"].as_array().expect("labels").iter().map(|label| &label["value"]).collect();
        assert_eq!(found, labels, "{semantics}");
    }
    let cut = server.client.data(EXTENSIONS, json!({ "id": actual.id, "limit": 1 })).await;
    let cut = &cut["debate"]["extensions"];
    assert_eq!(json!([cut["count"], cut["countExact"], cut["exact"], cut["limit"]]), json!(["2", true, false, "sets"]));
    for limit in [0, -1, 1_001, 1_000_000_000] {
        assert_eq!(
            server.client.error_code(EXTENSIONS, json!({ "id": actual.id, "limit": limit })).await,
            "INVALID",
            "{limit}"
        );
    }
    let none = server.client.data(EXTENSIONS, json!({ "id": new_debate_id() })).await;
    assert_eq!(none, json!({ "debate": null }));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_topic_is_reported_apart_from_the_cruxes() {
    const TOPIC: &str = "query ($id: ID!, $at: Int) { debate(id: $id, at: $at) {
        topicVerdict {
            disputeId question agreedSide
            positions { personaId participant { personaId } firstSide side moved turnId words }
        }
        cruxes(resolved: true) { id } regime { kind reason coverage { examined pairs share answered asked } }
    } }";
    let server = TestServer::start(&scripted_replies(0)).await;
    let mut builder = DebateBuilder::new(&["ada", "ben", "cleo"]);
    let topic = builder.raise_topic(&[("ada", Side::Yes), ("ben", Side::No)]);
    builder.append_new(&server.log).await;
    let ask =
        async |at: Option<i64>| server.client.data(TOPIC, json!({ "id": builder.id, "at": at })).await["debate"].take();
    let opened = ask(Some(1)).await;
    assert_eq!(opened["topicVerdict"], Value::Null);
    assert_eq!(
        opened["regime"]["coverage"],
        json!({ "examined": 0, "pairs": 0, "share": null, "answered": 0, "asked": 0 })
    );
    let split = ask(None).await;
    assert_eq!(
        json!([split["topicVerdict"]["agreedSide"], split["cruxes"], split["regime"]["kind"]]),
        json!([null, [], "POLARIZED"])
    );
    assert_eq!(split["regime"]["reason"], "opposite sides on the topic; no answer is agreed upon");
    let coverage = &split["regime"]["coverage"];
    assert_eq!(json!([coverage["pairs"], coverage["answered"], coverage["asked"]]), json!([0, 2, 3]));

    builder.take_side("ben", topic, Side::Yes);
    builder.append_new(&server.log).await;
    let now = server.client.data(TOPIC, json!({ "id": builder.id })).await["debate"].take();
    let position = |persona: &str, first: &str, side: &str, turn: Option<&str>, words: &str| {
        json!({
            "personaId": persona, "participant": { "personaId": persona }, "firstSide": first, "side": side,
            "moved": first != side, "turnId": turn, "words": words,
        })
    };
    assert_eq!(
        now["topicVerdict"],
        json!({
            "disputeId": "d1", "question": "Should the ferry run at night?", "agreedSide": null,
            "positions": [
                position("ada", "YES", "YES", Some("t1"), "I say yes."),
                position("ben", "NO", "YES", Some("t3"), "I say yes."),
                position("cleo", "UNDECIDED", "UNDECIDED", None, ""),
            ],
        })
    );
    assert_eq!(now["cruxes"], json!([]), "nor is the topic a resolved crux");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_premise_that_decides_no_thesis_is_contested_and_no_crux() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let mut builder = DebateBuilder::new(&["ada", "ben"]);
    let own = builder.add_argument("ada", "The ferry pays", "The crews are rested.");
    let theirs = builder.add_argument("ben", "Crews sleep at the wheel", "The log is right.");
    builder.undermine("ben", theirs, own);
    let version = builder.append_new(&server.log).await;
    const PREMISES: &str = "query ($id: ID!) { debate(id: $id) {
        cruxes { id } contestedPremises { id rank origin statement pivotality positions { personaId side } }
    } }";
    let data = server.client.data(PREMISES, json!({ "id": builder.id })).await["debate"].take();
    let premise = &data["contestedPremises"][0];
    assert_eq!(json!([data["cruxes"], data["contestedPremises"].as_array().map(Vec::len)]), json!([[], 1]));
    assert_eq!(
        json!([premise["rank"], premise["origin"], premise["statement"], premise["pivotality"], premise["positions"]]),
        json!([
            1, "ASSUMPTION", "The crews are rested.", 0.0,
            [{ "personaId": "ada", "side": "RESTS_ON" }, { "personaId": "ben", "side": "ATTACKS" }],
        ])
    );
    let by_id = "query ($id: ID!) { crux(id: $id) { statement } }";
    let by_id = server.client.data(by_id, json!({ "id": premise["id"] })).await;
    assert_eq!(by_id["crux"]["statement"], premise["statement"]);
    wait_for_views(&server, &[(&builder, version)]).await;
    let listed = server.client.data("{ cruxes { totalCount } }", json!({})).await;
    assert_eq!(listed["cruxes"]["totalCount"], 0, "contested premises are not listed across debates");
    server.stop().await;
}

/// Sends every GraphQL request of the README to a service.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_of_the_readme_succeed() {
    // Debates that name no provider are played from the annotated writings.
    let server = TestServer::start_with_corpus(&scripted_replies(0), &project_path("corpus")).await;
    let debate = server.client.start(&start_debate_input("graph", json!({ "rounds": 2 }))).await;
    server.wait_for_end(debate).await;
    let readme = std::fs::read_to_string(project_path("README.md")).expect("the README");
    let blocks: Vec<&str> = readme.split("```graphql\n").skip(1).filter_map(|part| part.split("```").next()).collect();
    assert!(blocks.len() >= 3, "{}", blocks.len());
    for block in blocks {
        let request = block.replace("\"...\"", &format!("\"{debate}\""));
        if request.starts_with("subscription") {
            let mut socket = WebSocketClient::open(&server.client).await;
            let payload = json!({ "query": request });
            socket.send(&json!({ "id": "1", "type": "subscribe", "payload": payload })).await;
            assert_eq!(socket.next_event().await.expect("an event")["version"], 1);
        } else {
            server.client.data(&request, json!({})).await;
        }
    }
    server.stop().await;
}

/// Ids of the objects of a debate that caches of clients store: the debate, its cruxes and its participants.
fn identities(debate: &Value) -> Vec<String> {
    let lists = [&debate["cruxes"], &debate["participants"]];
    let listed = lists.iter().flat_map(|list| list.as_array().expect("a list")).map(|object| &object["id"]);
    let all = std::iter::once(&debate["id"]).chain(listed);
    all.map(|id| id.as_str().expect("an id").to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_debate_at_a_version_is_an_object_of_its_own() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let mut builder = record_sample_debate(&server).await;
    let before =
        server.client.data("query ($id: ID!) { debate(id: $id) { version } }", json!({ "id": builder.id })).await;
    let at = before["debate"]["version"].as_i64().expect("a version");
    builder.add_argument("ada", "The ferry is safe", "The bar is calm");
    builder.append_new(&server.log).await;
    let (client, id) = (&server.client, builder.id.to_string());
    let pinned = format!("{id}@{at}");

    let query = "query ($id: ID!, $at: Int!) {
        before: debate(id: $id, at: $at) { ...F } now: debate(id: $id) { ...F }
        compare(debateId: $id, from: $at, to: $at) { from { ...F } to { ...F } }
    } fragment F on Debate { id version cruxes { id rank } participants { id } }";
    let data = client.data(query, json!({ "id": id, "at": at })).await;
    let (old, now) = (identities(&data["before"]), identities(&data["now"]));
    assert_eq!((&old[0], &now[0]), (&pinned, &id));
    assert!(old.len() > 3 && old.iter().all(|it| it.starts_with(&pinned) && !now.contains(it)), "{old:?} {now:?}");
    assert_eq!(data["compare"]["from"], data["before"], "the same version is the same object");

    let crux = data["before"]["cruxes"][0]["id"].as_str().expect("a crux").to_owned();
    let query = "query ($debate: ID!, $crux: ID!) {
        debate(id: $debate) { id version } later: debate(id: $debate, at: 1) { id }
        crux(id: $crux) { id } node(id: $debate) { __typename id }
        nodes(ids: [$crux, $debate]) { __typename id ... on Debate { version } }
    }";
    let data = client.data(query, json!({ "debate": pinned, "crux": crux })).await;
    assert_eq!(
        data,
        json!({
            "debate": { "id": pinned, "version": at }, "later": { "id": format!("{id}@1") }, "crux": { "id": crux },
            "node": { "__typename": "Debate", "id": pinned },
            "nodes": [
                { "__typename": "Crux", "id": crux }, { "__typename": "Debate", "id": pinned, "version": at },
            ],
        })
    );
    let cancel = "mutation ($id: ID!) { cancelDebate(input: { debateId: $id }) { debate { id status } } }";
    let data = client.data(cancel, json!({ "id": pinned })).await;
    assert_eq!(
        data["cancelDebate"]["debate"],
        json!({ "id": id, "status": "CANCELLED" }),
        "a command is for the present"
    );
    assert_eq!(
        client.error_code("query ($id: ID!) { debate(id: $id) { id } }", json!({ "id": format!("{id}@x") })).await,
        "INVALID"
    );
    let ahead = json!({ "id": format!("{id}@999") });
    assert_eq!(client.error_code("query ($id: ID!) { debate(id: $id) { id } }", ahead).await, "INVALID");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_parts_of_a_disagreement_name_what_shows_them() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let builder = record_sample_debate(&server).await;
    let query = "query ($id: ID!) { debate(id: $id) { disagreement {
        faultLines {
            disputeId one { personaIds argumentIds reasonIds turnIds participants { name } } other { personaIds argumentIds }
            category categoryMissing cruxIds
        }
        evidenceLedgers { personaId offered { pointId evidence { text } } contested { pointId } }
        flipConditions { personaId argumentId label refutedIds becomes participant { name } }
        resolutionPaths { cruxId question criteria changedThesisCount }
    } cruxes { id question } } }";
    let data = server.client.data(query, json!({ "id": builder.id })).await;
    let found = &data["debate"]["disagreement"];
    let conditions: Vec<Value> = found["flipConditions"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|condition| {
            json!([
                condition["personaId"],
                condition["argumentId"],
                condition["label"],
                condition["refutedIds"],
                condition["becomes"]
            ])
        })
        .collect();
    assert_eq!(conditions, [json!(["ada", "a3", "OUT", ["a4"], "IN"]), json!(["ben", "a2", "UNDEC", ["a1"], "IN"])]);
    let line = &found["faultLines"][0];
    assert_eq!(json!([line["one"]["personaIds"], line["other"]["personaIds"]]), json!([["ada"], ["ben"]]), "{found:#}");
    assert_eq!(json!([line["one"]["argumentIds"], line["other"]["argumentIds"]]), json!([["a1"], ["a2"]]));
    assert_eq!(json!([line["disputeId"], line["one"]["reasonIds"]]), json!([null, []]), "a line between camps");
    assert_eq!(line["category"].is_null(), line["categoryMissing"].is_string(), "{line:#}");
    let (paths, cruxes) = (found["resolutionPaths"].as_array(), data["debate"]["cruxes"].as_array());
    let pairs = |list: Option<&Vec<Value>>, key: &str| -> Vec<Value> {
        list.expect("a list").iter().map(|it| json!([it[key], it["question"]])).collect()
    };
    assert_eq!(pairs(paths, "cruxId"), pairs(cruxes, "id"), "each open crux has a path");
    assert_eq!(found["evidenceLedgers"].as_array().map(Vec::len), Some(2));
    server.stop().await;
}
