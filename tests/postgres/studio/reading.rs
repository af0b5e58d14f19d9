//! The page of a debate: what it turns on comes first, and everything on it is what the API says.

use serde_json::{Value, json};

use crate::studio::scene::{close, each, of_debate, offline_debate, scene};
use crate::support::example_debates::append_debates;

/// Without scrolling: the question, one word and why, what it turns on, and how much was examined.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn question_verdict_crux_and_coverage_are_above_the_fold() {
    let Some((server, mut tab)) = scene(0).await else { return };
    let debate = offline_debate(&server).await;
    let fields = "topic regime { kind reason exact coverage { examined pairs } } cruxes { question open }";
    let known = of_debate(&server, debate, fields).await;
    let crux = known["cruxes"].as_array().expect("cruxes").iter().find(|it| it["open"] == json!(true)).expect("a crux");
    for (width, height) in [(1440, 900), (390, 844)] {
        tab.resize(width, height).await;
        tab.go(&format!("/debates/{debate}")).await;
        for (selector, text) in [
            (".debate-page h1", known["topic"].as_str().expect("a topic")),
            (".regime-kind", known["regime"]["kind"].as_str().expect("a kind")),
            (".crux h4", crux["question"].as_str().expect("a question")),
        ] {
            assert_eq!(tab.text(selector).await.to_lowercase(), text.to_lowercase(), "{width} x {height}");
        }
        let reason = known["regime"]["reason"].as_str().expect("a reason").to_lowercase();
        assert!(tab.text(".regime-reason").await.to_lowercase().starts_with(&reason));
        let coverage = &known["regime"]["coverage"];
        let examined = format!("{} of {} pairs of claims compared", coverage["examined"], coverage["pairs"]);
        let exact = if known["regime"]["exact"] == json!(true) { ", exact" } else { "not exact" };
        let looked = tab.text(".looked-share").await;
        assert!(looked.contains(&examined) && looked.contains(exact), "{looked}");
        let seen = "h1, .regime-kind, .regime-reason, .looked-share, .crux h4";
        let low = format!(
            "[...document.querySelectorAll('.debate-page :is({seen})')].slice(0, 5).filter(it => it.getBoundingClientRect().bottom > innerHeight).map(it => it.className || it.tagName)"
        );
        assert_eq!(tab.eval(&low).await, json!([]), "below the fold at {width} x {height}");
        let wide = tab.eval("document.documentElement.scrollWidth > innerWidth").await;
        assert_eq!(wide, json!(false), "{width} x {height} scrolls sideways");
    }
    close((server, tab)).await;
}

/// A turn shows who speaks, the moves, the turn that it answers, and every word of it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn turns_are_shown_word_for_word_with_speaker_and_answered_turn() {
    let Some((server, mut tab)) = scene(0).await else { return };
    let debate = offline_debate(&server).await;
    let fields =
        "participants { personaId name } turns(first: 100) { nodes { shortId speakerId text repliesToTurnId moves } }";
    let known = of_debate(&server, debate, fields).await;
    tab.go(&format!("/debates/{debate}")).await;
    let turns = known["turns"]["nodes"].as_array().expect("turns");
    let first = turns[0]["shortId"].as_str().expect("an id");
    let earlier =
        format!("!!document.getElementById('{first}') || (document.querySelector('.earlier button')?.click(), false)");
    tab.wait(&earlier).await;
    let names: Vec<(&Value, &Value)> =
        known["participants"].as_array().expect("a list").iter().map(|it| (&it["personaId"], &it["name"])).collect();
    for turn in turns {
        let id = turn["shortId"].as_str().expect("an id");
        let words = format!(
            "(words => {{ words.querySelectorAll('button').forEach(it => it.remove()); return words.textContent; }})(document.querySelector('#{id} > .words').cloneNode(true))"
        );
        assert_eq!(tab.eval(&words).await, turn["text"], "{id}");
        let head = tab.text(&format!("#{id} > header")).await;
        let name = names.iter().find(|(persona, _)| **persona == turn["speakerId"]).expect("a participant").1;
        assert!(head.contains(name.as_str().expect("a name")), "{id}: {head}");
        let n_moves = turn["moves"].as_array().expect("moves").len();
        assert_eq!(tab.texts(&format!("#{id} > header .move")).await.len(), n_moves, "{id}");
        if let Some(answered) = turn["repliesToTurnId"].as_str() {
            assert!(head.contains(&format!("in {answered}")), "{id}: {head}");
        }
    }
    close((server, tab)).await;
}

/// A picked argument lights its attackers and its victims, and tells why it has its label.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_picked_argument_shows_its_neighbours_and_why() {
    let Some((server, mut tab)) = scene(0).await else { return };
    let debate = offline_debate(&server).await;
    let fields = "attacks { sourceId targetId mutual judgement { valid } withdrawal { turnId } } \
                  arguments { shortId explanation { sentences } } camps { argumentIds }";
    let known = of_debate(&server, debate, fields).await;
    let counts = |it: &&Value| it["judgement"]["valid"] == json!(true) && it["withdrawal"].is_null();
    let attacks: Vec<&Value> = known["attacks"].as_array().expect("attacks").iter().filter(counts).collect();
    let target = attacks.first().expect("a valid attack")["targetId"].as_str().expect("an id");
    tab.go(&format!("/debates/{debate}")).await;
    tab.click(&format!("[data-arg={target}]"), target).await;
    let mut attackers: Vec<&str> = attacks
        .iter()
        .flat_map(|it| {
            let ends = (it["sourceId"].as_str().expect("an id"), it["targetId"].as_str().expect("an id"));
            let back = (ends.1 != target && it["mutual"] == json!(true) && ends.0 == target).then_some(ends.1);
            (ends.1 == target).then_some(ends.0).into_iter().chain(back)
        })
        .collect();
    attackers.sort_unstable();
    attackers.dedup();
    tab.wait("document.querySelector('.picked .why p:not(.soft)')").await;
    // Only boxes in view are drawn.
    let lit = "[...document.querySelectorAll('.box.attacker')].map(it => it.dataset.arg).sort()";
    let drawn = format!("{}.filter(id => document.querySelector(`[data-arg=${{id}}]`))", json!(attackers));
    assert_eq!(tab.eval(lit).await, tab.eval(&drawn).await);
    let listed = tab.texts(".picked .attacks").await.join("\n");
    assert!(attackers.iter().all(|id| listed.contains(&format!("{id} "))), "{listed} lacks one of {attackers:?}");
    let of_it = known["arguments"].as_array().expect("arguments").iter().find(|it| it["shortId"] == json!(target));
    let sentences = of_it.expect("the argument")["explanation"]["sentences"].as_array().expect("sentences");
    let why = tab.text(".picked .why").await.to_lowercase();
    for sentence in sentences {
        let sentence = sentence.as_str().expect("a sentence").to_lowercase();
        assert!(why.contains(&sentence), "{why} lacks {sentence}");
    }
    let named = tab.eval("new URLSearchParams(location.search).get('pick')").await;
    assert_eq!(named, json!(target));

    // A camp dims what is outside of it.
    tab.go(&format!("/debates/{debate}?tab=arguments&camp=1")).await;
    let inside: Vec<String> = serde_json::from_value(known["camps"][0]["argumentIds"].clone()).expect("ids");
    let mut outside = each(&known["arguments"], "shortId");
    outside.retain(|it| !inside.contains(it));
    outside.sort();
    tab.wait("document.querySelector('.box')").await;
    let dim = "[...document.querySelectorAll('.box.dim')].map(it => it.dataset.arg).sort()";
    assert_eq!(tab.eval(dim).await, json!(outside));
    close((server, tab)).await;
}

/// A crux shows its question, the sides with the words that take them, and the turns of these words.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crux_shows_who_says_what_in_which_turn() {
    let Some((server, mut tab)) = scene(0).await else { return };
    let debate = offline_debate(&server).await;
    let known = of_debate(&server, debate, "cruxes { shortId question open positions { turnId quote words } }").await;
    tab.go(&format!("/debates/{debate}")).await;
    tab.wait("document.querySelector('.crux')").await;
    tab.eval("document.querySelectorAll('.verdict details').forEach(it => { it.open = true; })").await;
    for crux in known["cruxes"].as_array().expect("cruxes") {
        let shown = tab.text(&format!("#{}", crux["shortId"].as_str().expect("an id"))).await;
        assert!(shown.contains(crux["question"].as_str().expect("a question")), "{shown}");
        for position in crux["positions"].as_array().expect("positions") {
            let words = position["quote"].as_str().or(position["words"].as_str()).expect("words");
            assert!(shown.contains(words), "{shown} lacks {words}");
            assert!(position["turnId"].as_str().is_none_or(|turn| shown.contains(turn)), "{shown}");
        }
    }
    close((server, tab)).await;
}

/// Each part of a debate has its tab, with the turns that it rests on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn disputes_rooms_checks_and_cost_have_their_tabs() {
    let Some((server, mut tab)) = scene(0).await else { return };
    let debate = append_debates(&server, 1).await[0].id;
    let fields = "disputes { question } rooms { question } factChecks { claim }";
    let known = of_debate(&server, debate, fields).await;
    for (name, texts) in [
        ("disputes", each(&known["disputes"], "question")),
        ("rooms", each(&known["rooms"], "question")),
        ("checks", each(&known["factChecks"], "claim")),
    ] {
        tab.go(&format!("/debates/{debate}?tab={name}")).await;
        for text in texts {
            tab.wait(&format!("document.querySelector('.panel-main').innerText.includes({})", json!(text))).await;
        }
        tab.wait("document.querySelector('.panel-main a.ref')").await;
    }
    tab.go(&format!("/debates/{debate}?tab=course")).await;
    tab.wait("document.querySelector('.panel-main').innerText.toLowerCase().includes('cost')").await;
    close((server, tab)).await;
}
