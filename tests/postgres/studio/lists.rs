//! The list of debates: in order, page by page, filtered through the address, and alive.

use serde_json::json;

use crate::studio::scene::{close, each, scene, scripted_debate};
use crate::support::debate_builder::DebateBuilder;

/// Newest first, the next page on scroll, and filters that live in the address.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn debates_are_listed_newest_first_page_by_page() {
    let Some((server, mut tab)) = scene(0).await else { return };
    for _ in 0..45 {
        DebateBuilder::new(&["ada", "ben"]).append_new(&server.log).await;
    }
    tab.go("/").await;
    let rows = "document.querySelectorAll('.debates > li').length";
    tab.wait(&format!("scrollTo(0, document.body.scrollHeight), {rows} === 45")).await;
    let shown =
        tab.eval("[...document.querySelectorAll('.debates h2 a')].map(it => it.pathname.split('/').at(-1))").await;
    let known = server.client.data("{ debates(first: 50) { nodes { id } } }", json!({})).await;
    assert_eq!(shown, json!(each(&known["debates"]["nodes"], "id")));
    assert_eq!(tab.eval("document.documentElement.scrollWidth > innerWidth").await, json!(false));

    tab.fill("select[name=engine]", "forum").await;
    tab.wait("location.search === '?engine=forum' && document.body.innerText.includes('No debate matches')").await;
    tab.eval("history.back()").await;
    tab.wait(&format!("location.search === '' && {rows} >= 20")).await;
    // The list is that of the API.
    let found = "{ debates(first: 20, filter: { search: \"ferry RUN\" }) { nodes { id } } }";
    let found = server.client.data(found, json!({})).await["debates"]["nodes"].take();
    assert_eq!(found.as_array().map(Vec::len), Some(20));
    tab.fill("input[name=q]", "ferry RUN").await;
    tab.wait("location.search === '?q=ferry+RUN'").await;
    tab.wait(&format!("{rows} >= 20")).await;
    tab.fill("input[name=q]", "zeppelin").await;
    tab.wait_for_text("No debate matches").await;
    tab.click("button", "Clear the filters").await;
    tab.wait(&format!("location.search === '' && {rows} >= 20")).await;
    close((server, tab)).await;
}

/// The row of a running debate follows it, and a debate that is opened meanwhile appears.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_running_debate_changes_its_row_without_a_reload() {
    let Some((server, mut tab)) = scene(150).await else { return };
    tab.go("/").await;
    tab.eval("window.isSame = true").await;
    tab.wait_for_text("No debates yet").await;
    let debate = scripted_debate(&server).await;
    let row = format!(".debate:has(a[href='/debates/{debate}'])");
    tab.wait(&format!("document.querySelector(\"{row}\")")).await;
    server.wait_for_end(debate).await;
    let known = server.client.data("query ($id: ID!) { debate(id: $id) { turnCount } }", json!({ "id": debate })).await;
    let turns = format!("{} turns", known["debate"]["turnCount"]);
    tab.wait(&format!(
        "(it => it.includes('{turns}') && !it.includes('running'))(document.querySelector(\"{row}\").innerText)"
    ))
    .await;
    assert_eq!(tab.eval("window.isSame").await, json!(true));
    close((server, tab)).await;
}
