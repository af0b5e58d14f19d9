//! What a debate answers when it is asked: why, what if, under which semantics, who gave ground.

use faultline_core::events::dispute::Side;
use serde_json::{Value, json};

use crate::client::{Socket, input, script};
use crate::house::House;
use crate::support::{below_manifest, debate};
use crate::told::Told;

/// Ada and Ben rebut each other once, Ben undercuts her second argument, and comes round on winter.
async fn debated(house: &House) -> Told {
    let mut told = Told::between(&["ada", "ben"]);
    let one = told.assumes("ada", "The ferry pays", "The crews are rested.");
    let other = told.assumes("ben", "The ferry loses", "Nobody travels");
    told.rebuts("ben", other, one);
    let third = told.assumes("ada", "The ferry is loved", "Surveys are right");
    let fourth = told.assumes("ben", "Nobody was asked", "The survey was a joke");
    told.undercuts("ben", fourth, third);
    let dispute = told.asks("Is winter rough?", &[("ada", Side::Yes), ("ben", Side::No)]);
    told.stands("ben", dispute, Side::Yes);
    told.record(&house.log).await;
    told
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_debate_says_why() {
    let house = House::open(&script(0)).await;
    let told = debated(&house).await;
    let query = "query ($id: ID!) { debate(id: $id) { arguments { id label why {
        label sentences defenderIds defeaterIds cycleIds omitted
        steps { kind argumentIds number attackerId answers { attackerId defeaterId } }
    } } concessions { kind personaId turnId words disputeId argumentId from to effect } } }";
    let data = house.client.data(query, json!({ "id": told.id })).await;
    let arguments = data["debate"]["arguments"].as_array().expect("arguments");
    assert!(arguments.iter().all(|it| it["label"] == it["why"]["label"]), "{arguments:#?}");
    let cycle = json!({
        "label": "UNDEC",
        "sentences": ["a1 is undecided: a1 and a2 attack each other, and nothing outside decides it."],
        "defenderIds": [], "defeaterIds": [], "cycleIds": ["a1", "a2"], "omitted": 0,
        "steps": [{ "kind": "CYCLE", "argumentIds": ["a1", "a2"], "number": null, "attackerId": null, "answers": [] }],
    });
    assert_eq!(arguments[0]["why"], cycle);
    let falls = json!({
        "label": "OUT",
        "sentences": ["a3 is defeated by a4, which nothing attacks."],
        "defenderIds": [], "defeaterIds": ["a4"], "cycleIds": [], "omitted": 0,
        "steps": [
            { "kind": "FALLS", "argumentIds": ["a3"], "number": 2, "attackerId": "a4", "answers": [] },
            { "kind": "STANDS", "argumentIds": ["a4"], "number": 1, "attackerId": null, "answers": [] },
        ],
    });
    assert_eq!(arguments[2]["why"], falls);
    assert_eq!(
        data["debate"]["concessions"],
        json!([{ "kind": "STANCE", "personaId": "ben", "turnId": "t9", "words": "I say yes.", "disputeId": "d1",
            "argumentId": null, "from": "NO", "to": "YES", "effect": "SETTLED" }])
    );
    house.close().await;
}

const WHAT_IF: &str = "query ($id: ID!, $remove: [ID!], $add: [WhatIfAttack!]) { debate(id: $id) {
    whatIf(remove: $remove, add: $add) {
        labels { argumentId from to } cruxesGained { id statement rank } cruxesLost { statement open debate { id } }
        before { nCamps nExtensions nCruxes regime { kind } } after { nCamps nExtensions nCruxes regime { kind } } exact
    }
} }";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_debate_says_what_would_be() {
    let house = House::open(&script(0)).await;
    let told = debated(&house).await;
    let ask = async |remove: Value, add: Value| {
        let mut data = house.client.data(WHAT_IF, json!({ "id": told.id, "remove": remove, "add": add })).await;
        data["debate"]["whatIf"].take()
    };
    let without = ask(json!(["a2", "a2"]), Value::Null).await;
    assert_eq!(
        without["labels"],
        json!([{ "argumentId": "a1", "from": "UNDEC", "to": "IN" }, { "argumentId": "a2", "from": "UNDEC", "to": null }])
    );
    assert_eq!(json!([without["before"]["nExtensions"], without["after"]["nExtensions"]]), json!(["2", "1"]));
    let lost: Vec<&Value> =
        without["cruxesLost"].as_array().expect("cruxes").iter().map(|it| &it["statement"]).collect();
    assert_eq!(lost, ["The crews are rested.", "Nobody travels"]);
    assert!(
        without["cruxesLost"].as_array().expect("cruxes").iter().all(|it| it["debate"]["id"] == told.id.to_string())
    );
    let mutual = ask(Value::Null, json!([{ "sourceId": "a3", "targetId": "a4", "mutual": true }])).await;
    assert_eq!(mutual["after"]["nExtensions"], "4");
    let gained: Vec<&Value> =
        mutual["cruxesGained"].as_array().expect("cruxes").iter().map(|it| &it["statement"]).collect();
    assert_eq!((gained.len(), &mutual["cruxesLost"], &mutual["exact"]), (2, &json!([]), &json!(true)));
    let nothing = ask(json!([]), json!([])).await;
    assert_eq!((&nothing["labels"], &nothing["before"]), (&json!([]), &nothing["after"]));
    let data = house
        .client
        .data("query ($id: ID!) { debate(id: $id) { arguments { id } version } }", json!({ "id": told.id }));
    assert_eq!(data.await["debate"]["arguments"].as_array().map(Vec::len), Some(4), "nothing was changed by it");

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
        let asked = json!({ "id": told.id, "remove": remove, "add": add });
        let response = house.client.ask(WHAT_IF, asked.clone()).await;
        let error = &response["errors"][0];
        assert_eq!(error["extensions"]["code"], code, "{asked}: {response}");
        assert!(error["message"].as_str().is_some_and(|it| it.contains(words)), "{asked}: {response}");
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_debate_answers_under_every_semantics() {
    let house = House::open(&script(0)).await;
    let told = debated(&house).await;
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
        let data = house.client.data(EXTENSIONS, json!({ "id": told.id, "of": semantics })).await;
        let found = &data["debate"]["extensions"];
        let n = sets.as_array().map(Vec::len).unwrap_or_default().to_string();
        assert_eq!(*found, json!({ "sets": sets, "count": n, "countExact": true, "exact": true, "limit": null }));
        let found: Vec<&Value> =
            data["debate"]["labelling"].as_array().expect("labels").iter().map(|it| &it["value"]).collect();
        assert_eq!(found, labels, "{semantics}");
    }
    let cut = house.client.data(EXTENSIONS, json!({ "id": told.id, "limit": 1 })).await;
    let cut = &cut["debate"]["extensions"];
    assert_eq!(json!([cut["count"], cut["countExact"], cut["exact"], cut["limit"]]), json!(["2", true, false, "sets"]));
    for limit in [0, -1, 1_001, 1_000_000_000] {
        assert_eq!(house.client.code(EXTENSIONS, json!({ "id": told.id, "limit": limit })).await, "INVALID", "{limit}");
    }
    let none = house.client.data(EXTENSIONS, json!({ "id": debate() })).await;
    assert_eq!(none, json!({ "debate": null }));
    house.close().await;
}

/// What the README shows is what the service grants.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_requests_of_the_readme_are_granted() {
    let house = House::open(&script(0)).await;
    let debate = house.client.start(&input("graph", json!({ "rounds": 2 }))).await;
    house.ended(debate).await;
    let readme = std::fs::read_to_string(below_manifest("README.md")).expect("the README");
    let blocks: Vec<&str> = readme.split("```graphql\n").skip(1).filter_map(|it| it.split("```").next()).collect();
    assert!(blocks.len() >= 3, "{}", blocks.len());
    for block in blocks {
        let request = block.replace("\"...\"", &format!("\"{debate}\""));
        if request.starts_with("subscription") {
            let mut socket = Socket::open(&house.client).await;
            let payload = json!({ "query": request });
            socket.say(&json!({ "id": "1", "type": "subscribe", "payload": payload })).await;
            assert_eq!(socket.event().await.expect("an event")["version"], 1);
        } else {
            house.client.data(&request, json!({})).await;
        }
    }
    house.close().await;
}
