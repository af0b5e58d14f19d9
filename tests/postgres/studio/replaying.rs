//! Replay, hypotheses and comparison: each version is shown as the API tells it, and no box ever moves.

use serde_json::{Value, json};

use crate::studio::scene::{close, each, of_debate, offline_debate, scene};

const AT: &str = "query ($id: ID!, $at: Int!) { debate(id: $id, at: $at) { \
                  regime { kind } arguments { shortId label } turnCount cruxes { open question } } }";

/// Name of a label on the page.
fn word(label: &Value) -> &'static str {
    match label.as_str() {
        Some("IN") => "accepted",
        Some("OUT") => "rejected",
        Some(_) => "undecided",
        None => "does not count",
    }
}

/// The slider, the arrow keys, Home and End lead to versions that are those of the API, with what each changed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_version_is_shown_as_the_api_tells_it() {
    let Some((server, mut tab)) = scene(0).await else { return };
    let debate = offline_debate(&server).await;
    let known = of_debate(&server, debate, "version timeline { version labelChanges { argumentId } }").await;
    let last = known["version"].as_i64().expect("a version");
    // A client that has the first changes asks for those after them.
    let entries = known["timeline"].as_array().expect("a timeline");
    let after = entries[entries.len() / 2]["version"].as_i64().expect("a version");
    let rest =
        of_debate(&server, debate, &format!("timeline(after: {after}) {{ version labelChanges {{ argumentId }} }}"))
            .await;
    assert_eq!(rest["timeline"], json!(entries[entries.len() / 2 + 1..]));
    tab.go(&format!("/debates/{debate}")).await;
    tab.wait("document.querySelector('.box') && document.querySelector('.where b')?.textContent").await;
    let places =
        "Object.fromEntries([...document.querySelectorAll('.box')].map(it => [it.dataset.arg, it.style.transform]))";
    let at_the_end = tab.eval(places).await;
    // Versions that change labels, and some of the others; each is reached from the one before by a key.
    let mut version = last;
    let mut n_flips = 0;
    while version > (last - 60).max(1) {
        tab.press("ArrowLeft").await;
        version -= 1;
        tab.wait(&format!("document.querySelector('.where b').textContent === '{version}'")).await;
        let changed =
            known["timeline"].as_array().expect("a timeline").iter().find(|it| it["version"] == json!(version));
        let flips = changed.map_or_else(Vec::new, |it| each(&it["labelChanges"], "argumentId"));
        if flips.is_empty() && version % 7 != 0 {
            continue;
        }
        tab.wait("document.querySelector('.verdict').getAttribute('aria-busy') !== 'true'").await;
        let told = server.client.data(AT, json!({ "id": debate, "at": version })).await["debate"].take();
        let kind = told["regime"]["kind"].as_str().expect("a kind").to_lowercase();
        tab.wait(&format!("document.querySelector('.verdict').classList.contains('{kind}')")).await;
        let boxes = tab
            .eval("[...document.querySelectorAll('.box')].map(it => [it.dataset.arg, it.querySelector('.box-label').textContent, it.style.transform])")
            .await;
        for shown in boxes.as_array().expect("boxes") {
            let argument = told["arguments"].as_array().expect("arguments").iter().find(|it| it["shortId"] == shown[0]);
            let label = word(&argument.unwrap_or_else(|| panic!("{shown} is not there at {version}"))["label"]);
            assert!(shown[1].as_str().expect("a label").ends_with(label), "{shown} at {version}, not {label}");
            let id = shown[0].as_str().expect("an id");
            assert!(at_the_end[id].is_null() || at_the_end[id] == shown[2], "{id} moved at {version}");
        }
        if !flips.is_empty() {
            let line = tab.text(".told b").await;
            for id in &flips {
                assert!(line.contains(&format!("{id} ")), "{line} lacks {id} at {version}");
                tab.wait(&format!("document.querySelector('[data-arg={id}]')?.classList.contains('changed') ?? true"))
                    .await;
            }
            n_flips += flips.len();
        }
        let n_turns = told["turnCount"].as_u64().expect("a number");
        // The earlier ones of them follow once the reader pauses; none is later than the version.
        let (compared, least) = if n_turns < 24 { ("===", n_turns) } else { (">=", 24) };
        tab.wait(&format!("document.querySelectorAll('.transcript .turn:not(.draft)').length {compared} {least}"))
            .await;
    }
    assert!(n_flips > 0, "no label changed");
    tab.press("Home").await;
    tab.wait("document.querySelector('.where b').textContent === '1'").await;
    tab.click(".time button", "").await; // Replay
    tab.wait("Number(document.querySelector('.where b').textContent) > 3").await;
    tab.eval("document.activeElement.blur()").await;
    tab.press("End").await;
    tab.wait(&format!("document.querySelector('.where b').textContent === '{last}'")).await;
    close((server, tab)).await;
}

/// A hypothesis shows the changes that the API computes, under a banner, until Escape.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hypothesis_is_that_of_the_api_and_escape_leaves_it() {
    let Some((server, mut tab)) = scene(0).await else { return };
    let debate = offline_debate(&server).await;
    let arguments = of_debate(&server, debate, "arguments { shortId } version").await;
    let query = "query ($id: ID!, $remove: [ID!]!) { debate(id: $id) { whatIf(remove: $remove) { \
                 labelChanges { argumentId from to } cruxesLost { question } cruxesGained { question } } } }";
    let mut found = None;
    for id in each(&arguments["arguments"], "shortId") {
        let told = server.client.data(query, json!({ "id": debate, "remove": [id] })).await["debate"]["whatIf"].take();
        let others: Vec<Value> = told["labelChanges"]
            .as_array()
            .expect("changes")
            .iter()
            .filter(|it| it["argumentId"] != json!(id))
            .cloned()
            .collect();
        if !others.is_empty() {
            found = Some((id, others, told));
            break;
        }
    }
    let (id, others, told) = found.expect("an argument on which others depend");
    tab.go(&format!("/debates/{debate}?pick={id}")).await;
    tab.click(".picked button", &format!("What if {id} were withdrawn?")).await;
    tab.wait("document.querySelector('.what-if-changes[aria-busy=false]')").await;
    let banner = tab.text(".what-if").await;
    assert!(banner.starts_with("Not what happened."), "{banner}");
    for change in others {
        let expected = format!(
            "{} {} → {}",
            change["argumentId"].as_str().expect("an id"),
            word(&change["from"]),
            word(&change["to"])
        );
        assert!(banner.contains(&expected), "{banner} lacks {expected}");
    }
    for crux in told["cruxesLost"].as_array().into_iter().chain(told["cruxesGained"].as_array()).flatten() {
        assert!(banner.contains(crux["question"].as_str().expect("a question")), "{banner}");
    }
    assert_eq!(tab.eval("new URLSearchParams(location.search).get('without')").await, json!(id));
    tab.eval("document.activeElement.blur()").await;
    tab.press("Escape").await;
    tab.wait("!document.querySelector('.what-if') && !location.search.includes('without')").await;
    close((server, tab)).await;
}

/// Two versions stand side by side, with the differences that the API tells.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_versions_are_compared_as_the_api_tells_it() {
    let Some((server, mut tab)) = scene(0).await else { return };
    let debate = offline_debate(&server).await;
    let last = of_debate(&server, debate, "version").await["version"].as_i64().expect("a version");
    let middle = last / 2;
    let query = "query ($id: ID!, $from: Int!, $to: Int!) { compare(debateId: $id, from: $from, to: $to) { \
                 before { regime { kind } } after { regime { kind } } labelChanges { argumentId } cruxesGained { question } } }";
    let told = server.client.data(query, json!({ "id": debate, "from": middle, "to": last })).await["compare"].take();
    tab.go(&format!("/debates/{debate}?versus={middle}")).await;
    tab.wait("document.querySelectorAll('.compare .side').length === 2 && !!document.querySelector('.differences')")
        .await;
    for (place, state) in ["before", "after"].into_iter().enumerate() {
        let kind = told[state]["regime"]["kind"].as_str().expect("a kind").to_lowercase();
        let shown = tab
            .eval(&format!("document.querySelectorAll('.compare .side')[{place}].classList.contains('{kind}')"))
            .await;
        assert_eq!(shown, json!(true), "{state}: {kind}");
    }
    let text = tab.text(".compare").await;
    for id in each(&told["labelChanges"], "argumentId") {
        assert!(text.contains(&id), "{text} lacks {id}");
    }
    for question in each(&told["cruxesGained"], "question") {
        assert!(text.contains(&question), "{text} lacks {question}");
    }
    tab.press("Escape").await;
    tab.wait("!document.querySelector('.compare')").await;
    close((server, tab)).await;
}
