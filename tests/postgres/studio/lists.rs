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

/// A list that is read again because of a change, and whose answer is late, does not appear under another filter.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_late_answer_does_not_show_under_a_filter_chosen_meanwhile() {
    let Some((server, mut tab)) = scene(0).await else { return };
    DebateBuilder::new(&["ada", "ben"]).append_new(&server.log).await;
    tab.go("/").await;
    let rows = "document.querySelectorAll('.debates > li').length";
    tab.wait(&format!("{rows} === 1")).await;
    tab.eval(
        "(() => {
            const real = window.fetch;
            const isHeld = options => /query DebateList/.test(options?.body) && !/forum/.test(options.body);
            window.fetch = async (url, options) => {
                if (!isHeld(options)) return real(url, options);
                window.nHeld = (window.nHeld ?? 0) + 1;
                // Late, and no longer to be stopped.
                const answer = await real(url, { ...options, signal: null });
                await new Promise(end => { window.release = end; });
                return answer;
            };
        })()",
    )
    .await;
    DebateBuilder::new(&["ada", "ben"]).append_new(&server.log).await;
    tab.wait("window.release !== undefined").await;
    assert_eq!(tab.eval("window.nHeld").await, json!(1));
    tab.fill("select[name=engine]", "forum").await;
    tab.wait_for_text("No debate matches").await;
    tab.eval("release(), new Promise(end => setTimeout(end, 100))").await;
    assert_eq!(tab.eval(rows).await, json!(0), "debates of another engine");
    tab.eval("history.back()").await;
    // The list under the former filter is read anew.
    tab.wait(&format!("release(), {rows} === 2")).await;
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
