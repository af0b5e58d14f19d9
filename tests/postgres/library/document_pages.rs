//! Documents of personas and shared corpora, their passages in order, and single passages, by GraphQL.

use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::corpus_folders::{CorpusFolders, PERSONA};
use crate::support::test_home::scripted_replies;
use crate::support::test_server::TestServer;

const OWNER: &str = "edda-tolvane";

/// Returns a paragraph that becomes a passage of its own.
fn paragraph(about: &str) -> String {
    format!(
        "The notebook on {about} begins here. {}",
        format!("It counts {about} on every day of the year. ").repeat(10)
    )
}

/// Creates a corpus with three documents of a persona, one with five passages, and a shared one.
fn corpus() -> CorpusFolders {
    let folders = CorpusFolders::new(OWNER, PERSONA);
    let passages: Vec<String> = ["ferries", "tolls", "bridges", "winds", "tides"].map(paragraph).into();
    folders.write_document("alpha", &passages.iter().map(String::as_str).collect::<Vec<_>>());
    folders.write_document("beta", &[&paragraph("trams")]);
    folders.write_document("gamma", &[&paragraph("stairs")]);
    folders.write("corpus/harbour-survey/shared.toml", "name = \"Harbour survey\"\nabout = \"Counts\"\n");
    let front = "---\ntitle: Counts\nsource: The harbour\ndate: 2025-02-20\nkind: article\n---\n\n";
    folders.write("corpus/harbour-survey/counts.md", format!("{front}{}", paragraph("sailings")));
    folders
}

const DOCUMENTS: &str = "query ($id: ID!, $first: Int, $after: String, $last: Int, $before: String) {
    persona(id: $id) { documents(first: $first, after: $after, last: $last, before: $before) {
        totalCount
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        nodes { id name title source date kind passageCount personaId persona { id } sharedCorpus { id } }
    } }
}";

const PASSAGES: &str = "query ($id: ID!, $first: Int, $after: String) {
    node(id: $id) { ... on Document { name passages(first: $first, after: $after) {
        totalCount
        pageInfo { hasNextPage hasPreviousPage endCursor }
        nodes { id ordinal text document { id } }
    } } }
}";

const PASSAGE: &str = "query ($id: ID!) { passage(id: $id) {
    id ordinal title personaId previousId nextId document { id passageCount } persona { id } sharedCorpus { id }
} }";

async fn names(client: &Client, mut variables: Value) -> (Vec<String>, Value) {
    variables["id"] = json!(OWNER);
    let page = client.data(DOCUMENTS, variables).await["persona"]["documents"].take();
    let nodes = page["nodes"].as_array().expect("nodes");
    let names = nodes.iter().map(|node| node["name"].as_str().expect("a name").to_owned()).collect();
    (names, page)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn documents_and_their_passages_are_read_in_order_and_in_pages() {
    let corpus = corpus();
    let server = TestServer::start_with_corpus(&scripted_replies(0), &corpus.at("corpus")).await;
    let client = &server.client;
    let (none, page) = names(client, json!({})).await;
    assert_eq!((none.len(), &page["totalCount"]), (0, &json!(0)), "nothing is ingested yet");
    // The first search ingests the documents.
    client.data("{ passages(search: \"ferries\", first: 1) { chunkId } }", json!({})).await;

    let (all, page) = names(client, json!({})).await;
    assert_eq!((all.join(" ").as_str(), &page["totalCount"]), ("alpha beta gamma", &json!(3)));
    let document = json!({
        "id": "document:edda-tolvane/alpha", "name": "alpha", "title": "alpha", "source": "a drawer",
        "date": "2025-02-20", "kind": "letter", "passageCount": 5, "personaId": OWNER,
        "persona": { "id": OWNER }, "sharedCorpus": null,
    });
    assert_eq!(page["nodes"][0], document);
    let (first, page) = names(client, json!({ "first": 2 })).await;
    let info = |page: &Value| json!([page["pageInfo"]["hasPreviousPage"], page["pageInfo"]["hasNextPage"]]);
    assert_eq!((first.join(" ").as_str(), info(&page)), ("alpha beta", json!([false, true])));
    let (rest, page) = names(client, json!({ "first": 2, "after": page["pageInfo"]["endCursor"] })).await;
    assert_eq!((rest.join(" ").as_str(), info(&page)), ("gamma", json!([true, false])));
    let (last, page) = names(client, json!({ "last": 1, "before": page["pageInfo"]["startCursor"] })).await;
    assert_eq!((last.join(" ").as_str(), info(&page)), ("beta", json!([true, true])));

    let read = async |variables: Value| client.data(PASSAGES, variables).await["node"]["passages"].take();
    let page = read(json!({ "id": "document:edda-tolvane/alpha", "first": 3 })).await;
    assert_eq!((&page["totalCount"], info(&page)), (&json!(5), json!([false, true])));
    let ordinals = |page: &Value| {
        page["nodes"].as_array().expect("nodes").iter().map(|node| node["ordinal"].clone()).collect::<Vec<Value>>()
    };
    assert_eq!(json!(ordinals(&page)), json!([0, 1, 2]));
    assert_eq!(page["nodes"][1]["document"]["id"], "document:edda-tolvane/alpha");
    let text = page["nodes"][1]["text"].as_str().expect("text");
    assert!(text.starts_with("The notebook on tolls begins here."), "{text}");
    let after = page["pageInfo"]["endCursor"].clone();
    let rest = read(json!({ "id": "document:edda-tolvane/alpha", "first": 3, "after": after })).await;
    assert_eq!((json!(ordinals(&rest)), info(&rest)), (json!([3, 4]), json!([true, false])));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_passage_names_its_document_and_its_neighbors() {
    let corpus = corpus();
    let server = TestServer::start_with_corpus(&scripted_replies(0), &corpus.at("corpus")).await;
    let client = &server.client;
    let search =
        "{ passages(search: \"sailings\", sharedCorpusId: \"harbour-survey\", first: 1) { chunkId documentId } }";
    client.data("{ passages(search: \"ferries\", first: 1) { chunkId } }", json!({})).await;
    let shared = client.data(search, json!({})).await["passages"][0].take();
    assert_eq!(shared["documentId"], "document:harbour-survey/counts");

    let page = client.data(PASSAGES, json!({ "id": "document:edda-tolvane/alpha" })).await;
    let nodes = &page["node"]["passages"]["nodes"];
    let ids: Vec<&Value> = (0..5).map(|at| &nodes[at]["id"]).collect();
    for (at, id) in ids.iter().enumerate() {
        let passage = client.data(PASSAGE, json!({ "id": id })).await["passage"].take();
        let (previous, next) = (at.checked_sub(1).map(|at| ids[at].clone()), ids.get(at + 1).copied().cloned());
        let expected = json!({
            "id": id, "ordinal": at, "title": "alpha", "personaId": OWNER, "previousId": previous, "nextId": next,
            "document": { "id": "document:edda-tolvane/alpha", "passageCount": 5 },
            "persona": { "id": OWNER }, "sharedCorpus": null,
        });
        assert_eq!(passage, expected);
    }
    let passage = client.data(PASSAGE, json!({ "id": shared["chunkId"] })).await["passage"].take();
    assert_eq!(json!([passage["persona"], passage["sharedCorpus"]["id"]]), json!([null, "harbour-survey"]));
    assert_eq!(json!([passage["previousId"], passage["nextId"]]), json!([null, null]));
    for unknown in ["edda-tolvane", "0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b"] {
        assert_eq!(client.data(PASSAGE, json!({ "id": unknown })).await["passage"], json!(null), "{unknown}");
    }

    let listed = "{ sharedCorpora { documentCount documents { nodes { id sharedCorpus { name } persona { id } } } } }";
    let corpora = client.data(listed, json!({})).await["sharedCorpora"].take();
    let documents = json!({ "nodes": [
        { "id": "document:harbour-survey/counts", "sharedCorpus": { "name": "Harbour survey" }, "persona": null },
    ] });
    assert_eq!(corpora, json!([{ "documentCount": 1, "documents": documents }]));
    assert_eq!(client.data(PASSAGES, json!({ "id": "document:edda-tolvane/delta" })).await["node"], json!(null));
    let cursor = json!({ "id": "document:edda-tolvane/alpha", "after": "document.alpha" });
    assert_eq!(client.error_code(PASSAGES, cursor).await, "INVALID");
    assert_eq!(client.error_code(DOCUMENTS, json!({ "id": OWNER, "after": "passage.1" })).await, "INVALID");
    server.stop().await;
}
