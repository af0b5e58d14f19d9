//! Pages across debates: cruxes by meaning and by recurrence, personas with their writings, projections, and cost.

use serde_json::json;

use crate::studio::scene::{close, each, offline_debate, scene};
use crate::support::example_debates::append_debates;

/// A search says why something was found; a question of several debates is one cluster that names them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cruxes_are_found_and_recur_across_debates() {
    let Some((server, mut tab)) = scene(0).await else { return };
    let debates = append_debates(&server, 3).await;
    tab.go("/cruxes").await;
    tab.wait("document.querySelectorAll('.crux-card').length > 3").await;
    tab.fill("input[name=q]", "rough winter").await;
    tab.wait("location.search === '?q=rough+winter'").await;
    tab.wait("document.querySelector('.crux-card .why-found')?.textContent.length > 5").await;
    assert!(tab.text(".crux-card h2").await.contains("rough"));
    tab.go("/cruxes?view=recurring").await;
    let cluster =
        "[...document.querySelectorAll('.cards > li')].find(it => it.innerText.includes('Is the ferry late?'))";
    tab.wait(cluster).await;
    let links =
        tab.eval(&format!("[...new Set([...({cluster}).querySelectorAll('a')].map(it => it.pathname))].sort()")).await;
    for debate in debates {
        let path = format!("/debates/{}", debate.id);
        assert!(links.as_array().expect("links").contains(&json!(path)), "{links} lacks {path}");
    }
    close((server, tab)).await;
}

/// A persona's page shows contract, voice, versions, documents with their passages, and debates.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_persona_shows_contract_documents_and_debates() {
    let Some((server, mut tab)) = scene(0).await else { return };
    let debate = offline_debate(&server).await;
    let query =
        "{ persona(id: \"edda-tolvane\") { name contract { stakes } documents(first: 50) { nodes { title } } } }";
    let known = server.client.data(query, json!({})).await["persona"].take();
    tab.go("/personas").await;
    tab.wait_for_text(known["name"].as_str().expect("a name")).await;
    tab.go("/personas/edda-tolvane").await;
    assert_eq!(tab.text("main h1").await, known["name"].as_str().expect("a name"));
    for text in [known["contract"]["stakes"].as_str().expect("stakes"), "Contract", "Voice", "Documents", "Debates"] {
        tab.wait(&format!(
            "document.querySelector('main').innerText.toLowerCase().includes({}.toLowerCase())",
            json!(text)
        ))
        .await;
    }
    let titles = each(&known["documents"]["nodes"], "title");
    assert!(!titles.is_empty());
    tab.wait_for_text(&titles[0]).await;
    tab.wait(&format!("document.querySelector(\"a[href='/debates/{debate}']\")")).await;
    close((server, tab)).await;
}

/// A rebuild waits for approval with the differences in sight, and is served once it is approved.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rebuild_is_compared_and_approved() {
    let Some((server, mut tab)) = scene(0).await else { return };
    append_debates(&server, 2).await;
    let served = "{ projections { name served { number } } }";
    let before = server.client.data(served, json!({})).await["projections"][0].take();
    tab.go("/projections").await;
    tab.click(".projection button", "Rebuild").await;
    tab.click("dialog button[type=submit]", "Rebuild").await;
    tab.click(".approval button", "Show what would change").await;
    tab.wait_for_text("No debate would change.").await;
    tab.click(".approval button", "Approve").await;
    tab.click("dialog .dialog-foot button", "Approve").await;
    let next = before["served"]["number"].as_i64().expect("a number") + 1;
    tab.wait(&format!("document.querySelector('.projection .figures dd').textContent === '{next}'")).await;
    let after = server.client.data(served, json!({})).await["projections"][0].take();
    assert_eq!(after["served"]["number"], json!(next));
    tab.go("/cost").await;
    tab.wait("document.querySelector('main h1')").await;
    close((server, tab)).await;
}
