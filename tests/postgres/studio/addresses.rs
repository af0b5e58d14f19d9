//! Every state is an address: it is restored by it, Back leaves it, and the printed report holds everything.

use serde_json::json;

use crate::studio::scene::{close, each, of_debate, offline_debate, scene};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_state_is_restored_by_its_address_and_left_by_back() {
    let Some((server, mut tab)) = scene(0).await else { return };
    let debate = offline_debate(&server).await;
    let known = of_debate(&server, debate, "version arguments { shortId }").await;
    let ids = each(&known["arguments"], "shortId");
    let (id, version) = (&ids[0], known["version"].as_i64().expect("a version") - 3);
    tab.go(&format!("/debates/{debate}?at={version}&tab=arguments&pick={id}&without={id}")).await;
    tab.wait(&format!("document.querySelector('.where b')?.textContent === '{version}'")).await;
    tab.wait(&format!(
        "document.querySelector('[data-arg={id}][aria-pressed=true]') && document.querySelector('.what-if')"
    ))
    .await;
    tab.click(".what-if button", "Leave").await;
    tab.wait("!document.querySelector('.what-if')").await;
    tab.eval("history.back()").await;
    tab.wait("document.querySelector('.what-if')").await;
    tab.click(".tabs a", "Map").await;
    tab.wait("location.search.includes('tab=map') && document.querySelector('.box')").await;
    tab.eval("history.back()").await;
    tab.wait("location.search.includes('tab=arguments')").await;
    // An address of something that is not there is told in words.
    tab.go("/debates/0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b").await;
    tab.wait_for_text("does not exist").await;
    tab.go(&format!("/debates/{debate}?at=999999&pick=a999&without=a999&camp=77&around=x")).await;
    tab.wait("document.querySelector('.verdict')").await;
    close((server, tab)).await;
}

/// Printing gives the whole report: verdict, arguments, and every turn.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn printing_gives_the_whole_report() {
    let Some((server, mut tab)) = scene(0).await else { return };
    let debate = offline_debate(&server).await;
    let known =
        of_debate(&server, debate, "topic turns(first: 100) { nodes { text } } arguments { shortId claim }").await;
    tab.go(&format!("/debates/{debate}")).await;
    tab.wait("document.querySelector('.box') && (window.print = () => { window.printedText = document.querySelector('.printed').textContent; }, true)")
        .await;
    tab.click("summary", "Export").await;
    tab.click(".menu-list button", "Print this page").await;
    let printed = tab.wait("window.printedText").await;
    let printed = printed.as_str().expect("a text");
    assert!(printed.contains(known["topic"].as_str().expect("a topic")));
    for claim in each(&known["arguments"], "claim") {
        assert!(printed.contains(&claim), "the report lacks {claim}");
    }
    for text in each(&known["turns"]["nodes"], "text") {
        let begin: String = text.chars().take(30).collect();
        assert!(printed.contains(&begin), "the report lacks {begin}");
    }
    tab.send("Emulation.setEmulatedMedia", json!({ "media": "print" })).await;
    assert_eq!(tab.eval("document.querySelector('.time')?.checkVisibility() ?? false").await, json!(false));
    close((server, tab)).await;
}
