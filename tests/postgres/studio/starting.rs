//! The form that starts a debate: what is wrong is told at its field, and what it starts is followed at once.

use serde_json::json;

use crate::studio::scene::{close, of_debate, scene};

/// Refused input is told at its field, before it is sent and after; then the debate opens and is followed to its end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_debate_is_started_and_followed() {
    let Some((server, mut tab)) = scene(0).await else { return };
    tab.go("/start").await;
    tab.click("button", "Start the debate").await;
    tab.wait("document.querySelector('textarea[name=topic][aria-invalid=true]')").await;
    tab.wait("document.querySelector('[aria-label=\"Participants in speaking order\"][aria-invalid=true]')").await;
    tab.click(".chip", "Should the city close its centre").await;
    tab.wait("document.querySelectorAll('.chosen li').length >= 2").await;
    tab.wait("!document.querySelector('textarea[name=topic][aria-invalid=true]')").await;
    let before = tab.texts(".chosen li b").await;
    tab.click(".cast button", "Reverse the order").await;
    let reversed: Vec<String> = before.iter().rev().cloned().collect();
    tab.wait(&format!(
        "JSON.stringify([...document.querySelectorAll('.chosen li b')].map(it => it.textContent)) === {}",
        json!(json!(reversed).to_string())
    ))
    .await;
    tab.fill("select[name=provider]", "offline").await;
    tab.fill("input[name=seed]", "many").await;
    tab.click("button", "Start the debate").await;
    tab.wait("document.querySelector('input[name=seed][aria-invalid=true]')").await;
    tab.fill("input[name=seed]", "7").await;
    // A draft is an address.
    tab.wait("location.search.includes('seed=7') && location.search.includes('topic=')").await;
    tab.click("button", "Start the debate").await;
    tab.wait("location.pathname.startsWith('/debates/')").await;
    let debate = tab.eval("location.pathname.split('/').at(-1)").await.as_str().expect("an id").parse().expect("an id");
    tab.wait("document.querySelector('#t1')").await;
    server.wait_for_end(debate).await;
    let known = of_debate(&server, debate, "version turnCount participants { name } seed").await;
    tab.wait(&format!("document.querySelector('.where').textContent.includes('{} / {0}')", known["version"])).await;
    tab.wait("document.querySelector('.facts .tag').textContent.startsWith('concluded')").await;
    assert_eq!(known["seed"].to_string().trim_matches('"'), "7");
    let names: Vec<&str> = known["participants"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| it["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(names, reversed);
    close((server, tab)).await;
}
