//! Drafts on the page of a debate: words that a model is writing, until they are said or discarded.

use std::collections::BTreeMap;

use faultline::api::admission::tokens::AccessControl;
use serde_json::{Value, json};

use crate::studio::browser::Tab;
use crate::studio::scene::{close, each, of_debate};
use crate::support::client::start_debate_input;
use crate::support::environment::project_path;
use crate::support::test_home::{ENDS_EARLY, paced_replies};
use crate::support::test_server::TestServer;

/// Notes each draft that the page shows, whenever it changes: who is writing, and the words.
const NOTE_DRAFTS: &str = "(() => {
    window.noted = [];
    const note = () => document.querySelectorAll('.turn.draft').forEach((draft) => {
        const seen = [draft.querySelector('header').textContent, draft.querySelector('.words').textContent];
        if (String(window.noted.at(-1)) !== String(seen)) window.noted.push(seen);
    });
    new MutationObserver(note).observe(document, { subtree: true, childList: true, characterData: true });
})()";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn drafts_grow_while_they_are_written_and_give_way_to_what_is_said() {
    let (corpus, access) = (project_path("corpus"), AccessControl::default());
    // The page takes longer to open where other tests run beside it.
    let server = TestServer::start_with_pages(&paced_replies(10_000), &corpus, access).await;
    let Some(mut tab) = Tab::open(&server.client).await else { return server.stop().await };
    let debate = server.client.start(&start_debate_input("graph", json!({ "rounds": 1 }))).await;
    tab.go(&format!("/debates/{debate}")).await;
    tab.eval(NOTE_DRAFTS).await;
    server.wait_for_end(debate).await;
    let told = of_debate(&server, debate, "turns(first: 100) { nodes { shortId text } }").await;
    let (ids, texts) = (each(&told["turns"]["nodes"], "shortId"), each(&told["turns"]["nodes"], "text"));
    tab.wait(&format!(
        "[...document.querySelectorAll('.transcript .turn')].map((it) => it.id).join() === '{}'",
        ids.join(",")
    ))
    .await;

    let noted = tab.eval("window.noted").await;
    let noted: Vec<[&str; 2]> = noted.as_array().expect("a list").iter().map(pair).collect();
    let mut n_states: BTreeMap<&str, usize> = BTreeMap::new();
    for [header, words] in &noted {
        assert!(header.contains("is writing; not said yet"), "{header}");
        let of = texts.iter().map(String::as_str).chain([ENDS_EARLY]).find(|text| text.starts_with(words));
        let of = of.unwrap_or_else(|| panic!("nobody was to say {words:?}"));
        *n_states.entry(of).or_default() += 1;
    }
    assert!(
        texts.iter().any(|text| n_states.get(text.as_str()).is_some_and(|n| *n > 3)),
        "no draft grew: {n_states:?}"
    );
    assert!(noted.iter().any(|[_, words]| *words == ENDS_EARLY), "{noted:?}");
    assert!(noted.iter().any(|[header, _]| header.contains("attempt 2")), "{noted:?}");
    close((server, tab)).await;
}

fn pair(noted: &Value) -> [&str; 2] {
    [0, 1].map(|at| noted[at].as_str().expect("a text"))
}
