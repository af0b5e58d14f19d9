//! Citations: the passage opens with exactly the checked bytes marked, and what it does not contain is told apart.

use faultline_core::events::citation::{ByteRange, Citation, Quote, QuoteCheck};
use serde_json::json;
use uuid::Uuid;

use faultline::api::admission::tokens::AccessControl;

use crate::studio::browser::Tab;
use crate::studio::scene::close;
use crate::support::corpus_folders::{CorpusFolders, PERSONA};
use crate::support::debate_builder::DebateBuilder;
use crate::support::test_home::scripted_replies;
use crate::support::test_server::TestServer;

const AUTHOR: &str = "edda-tolvane";
/// Letters of one to four bytes before and in the quotation.
const PASSAGE: &str = "Zoë noted 🙂 in the café: “the ferry was full é“ on forty days of the year, and half empty on the others. \
                       Nobody else counted that winter, and nobody has counted since.";
const QUOTED: &str = "“the ferry was full é“";
const FORGED: &str = "the ferry was empty";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_passage_opens_with_exactly_the_checked_bytes_marked() {
    let folders = CorpusFolders::new(AUTHOR, PERSONA);
    folders.write_document("notebook", &[PASSAGE]);
    let corpus = folders.at("corpus");
    let server = TestServer::start_with_pages(&scripted_replies(0), &corpus, AccessControl::default()).await;
    let Some(mut tab) = Tab::open(&server.client).await else { return server.stop().await };
    // The first search ingests the documents.
    server.client.data("{ passages(search: \"ferries\", first: 1) { chunkId } }", json!({})).await;
    let query = "query ($id: ID!) { persona(id: $id) { documents(first: 1) { nodes { passages(first: 1) { nodes { id text } } } } } }";
    let known = server.client.data(query, json!({ "id": AUTHOR })).await;
    let passage = &known["persona"]["documents"]["nodes"][0]["passages"]["nodes"][0];
    let text = passage["text"].as_str().unwrap_or_else(|| panic!("no passage: {known}"));
    let from = text.find(QUOTED).unwrap_or_else(|| panic!("{text} lacks {QUOTED}"));
    let range = ByteRange { from: from as u32, to: (from + QUOTED.len()) as u32 };
    let chunk: Uuid = passage["id"].as_str().expect("an id").rsplit(':').next().expect("an id").parse().expect("an id");
    let quotes = vec![
        Quote { text: QUOTED.into(), check: QuoteCheck::Verbatim, ranges: vec![range] },
        Quote { text: FORGED.into(), check: QuoteCheck::Unverified, ranges: vec![] },
    ];
    let mut builder = DebateBuilder::new(&[AUTHOR, "ben"]);
    builder.cite(
        AUTHOR,
        &format!("I wrote {QUOTED}, and {FORGED}."),
        vec![Citation { quotes, ..Citation::new("g1", chunk) }],
    );
    builder.append_new(&server.log).await;

    tab.go(&format!("/debates/{}", builder.id)).await;
    tab.wait("document.querySelector('#t1 .cite')").await;
    // Words that are in the passage and words that are not differ in class, sign and text.
    assert!(tab.text("#t1 .quoted.VERBATIM").await.contains(QUOTED));
    assert!(tab.text("#t1 .quoted.UNVERIFIED").await.contains(FORGED));
    let told = tab.text("#t1 .sources .unverified").await;
    assert!(told.starts_with("⚠ Passage 1 does not contain these words") && told.contains(FORGED), "{told}");
    let look = "(() => { const [one, other] = ['VERBATIM', 'UNVERIFIED'].map(it => getComputedStyle(document.querySelector(`#t1 .quoted.${it}`))); \
                return one.textDecoration !== other.textDecoration || one.color !== other.color || one.background !== other.background; })()";
    assert_eq!(tab.eval(look).await, json!(true));

    tab.click("#t1 .cite", "1").await;
    tab.wait("document.querySelector('dialog blockquote')").await;
    assert_eq!(tab.texts("dialog blockquote mark").await, [QUOTED]);
    assert_eq!(tab.text("dialog blockquote").await, text);
    let checks = tab.texts("dialog .quote-check").await;
    assert!(checks.iter().any(|it| it.contains(FORGED) && it.contains('⚠')), "{checks:?}");
    tab.press("Escape").await;
    tab.wait("!document.querySelector('dialog')").await;
    close((server, tab)).await;
}
