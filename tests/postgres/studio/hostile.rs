//! Hostile and unusual debates: every text stays a text, and the page keeps its shape.

use faultline_core::events::dispute::Side;
use serde_json::json;

use crate::studio::scene::{close, scene};
use crate::support::debate_builder::DebateBuilder;

const SCRIPT: &str = "</p></script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>";
const LINK: &str = "<a href=\"javascript:window.hacked = 3\">press here</a> [or here](javascript:window.hacked=4)";
const REVERSED: &str = "\u{202e}.seirref eht pots ot ton\u{2066} No\u{202d}";
const SIGNS: &str = "👩‍👩‍👧‍👦🏴‍☠️ é“ﷺ\u{200b}\u{feff} \u{0301}\u{0301}\u{0301}";
const OTHER_SCRIPTS: &str = "שלום עולם, مرحبا بالعالم, 你好世界";

/// Builds a debate whose every text is hostile, in every tab.
fn hostile_debate() -> DebateBuilder {
    let mut builder = DebateBuilder::new(&["ada", "ben"]);
    let endless = "x".repeat(10_000);
    let texts = [SCRIPT, LINK, REVERSED, SIGNS, OTHER_SCRIPTS, &endless];
    builder.raise_topic(&[("ada", Side::Yes), ("ben", Side::No)]);
    for (n, text) in texts.iter().enumerate() {
        let (speaker, other) = if n % 2 == 0 { ("ada", "ben") } else { ("ben", "ada") };
        let claim = builder.add_argument(speaker, text, text);
        let reply = builder.add_argument(other, &format!("{text} {n}"), text);
        builder.add_attack(other, reply, claim);
        builder.add_check(text);
        let dispute = builder.raise_dispute(text, &[(speaker, Side::Yes), (other, Side::No)]);
        builder.discuss_in_room(dispute, text, &[speaker, other]);
    }
    builder.conclude();
    builder
}

/// No text of a debate is run, none is refused by the policy, and none breaks the page.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_texts_stay_texts() {
    let Some((server, mut tab)) = scene(0).await else { return };
    let mut builder = hostile_debate();
    builder.append_new(&server.log).await;
    let debate = builder.id;
    let pages = [
        (format!("/debates/{debate}"), ".verdict"),
        (format!("/debates/{debate}?tab=transcript"), ".turn"),
        (format!("/debates/{debate}?tab=arguments&pick=a1"), ".picked .why p"),
        (format!("/debates/{debate}?tab=map"), ".box"),
        (format!("/debates/{debate}?tab=disputes"), ".dispute"),
        (format!("/debates/{debate}?tab=rooms"), ".panel-main a.ref"),
        (format!("/debates/{debate}?tab=checks"), ".panel-main a.ref"),
        (format!("/debates/{debate}?tab=course"), ".panel-main h3"),
        (format!("/debates/{debate}?tab=measures"), ".panel-main"),
        (format!("/debates/{debate}?versus=8"), ".compare .side"),
        ("/cruxes".to_owned(), ".crux-card"),
        ("/".to_owned(), ".debate"),
    ];
    for (width, height) in [(1440, 900), (320, 640)] {
        tab.resize(width, height).await;
        for (path, selector) in &pages {
            tab.go(path).await;
            tab.wait(&format!("document.querySelector({}) && !document.querySelector('.skeleton')", json!(selector)))
                .await;
            assert_eq!(tab.eval("window.hacked ?? null").await, json!(null), "{path} at {width}");
            let is_too_wide = tab.eval("document.documentElement.scrollWidth > innerWidth").await;
            assert_eq!(is_too_wide, json!(false), "{path} at {width} scrolls sideways");
        }
    }
    tab.resize(1440, 900).await;
    tab.go(&format!("/debates/{debate}?tab=disputes")).await;
    for text in [SCRIPT, LINK, REVERSED, SIGNS, OTHER_SCRIPTS] {
        tab.wait(&format!("document.querySelector('.panel-main').textContent.includes({})", json!(text))).await;
    }
    let links = "[...document.querySelectorAll('a[href]')].filter(it => !/^(https?:|mailto:)/.test(it.href)).length";
    assert_eq!(tab.eval(links).await, json!(0), "a text became a link");
    close((server, tab)).await;
}

/// Several arguments are taken out at once: the changes are those of the API.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_arguments_are_taken_out_at_once() {
    let Some((server, mut tab)) = scene(0).await else { return };
    let mut builder = DebateBuilder::new(&["ada", "ben"]);
    let claim = builder.add_argument("ada", "The crews are rested.", "They sleep by day.");
    for text in ["They are not.", "Nobody counted."] {
        let reply = builder.add_argument("ben", text, text);
        builder.add_attack("ben", reply, claim);
    }
    builder.append_new(&server.log).await;
    let page = |without: &str| format!("/debates/{}?without={without}", builder.id);
    tab.go(&page("a2")).await;
    tab.wait("document.querySelector('.what-if-changes[aria-busy=false]')").await;
    let one = tab.text(".what-if").await;
    assert!(!one.contains("a1 rejected → accepted"), "the other attack remains: {one}");
    tab.go(&page("a2.a3")).await;
    tab.wait("document.querySelector('.what-if')?.innerText.includes('a1 rejected → accepted')").await;
    // A removal that the debate does not know is told, not ignored.
    tab.go(&page("a77")).await;
    tab.wait("document.querySelector('.what-if')?.innerText.includes('a77')").await;
    tab.forget_faults().await;
    close((server, tab)).await;
}

/// Twenty tabs of one browser follow a debate at once: each of them has every turn, once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_tabs_follow_one_debate() {
    const N_TABS: usize = 20;
    let Some((server, mut tab)) = scene(0).await else { return };
    let mut builder = DebateBuilder::new(&["ada", "ben"]);
    builder.add_argument("ada", "Yes", "Crews are rested.");
    builder.append_new(&server.log).await;
    let path = format!("/debates/{}", builder.id);
    let turns = "[...document.querySelectorAll('.transcript .turn')].map(it => it.id).join()";
    tab.go(&path).await;
    for _ in 1..N_TABS {
        tab.open_another(&path).await;
        tab.wait(&format!("{turns} === 't1'")).await;
    }
    for n in 0..6 {
        builder.add_argument(["ben", "ada"][n % 2], &format!("Point {n}"), "Fuel is dear.");
    }
    builder.append_new(&server.log).await;
    for n in 0..N_TABS {
        tab.show_tab(n).await;
        tab.wait(&format!("{turns} === 't1,t2,t3,t4,t5,t6,t7'")).await;
    }
    close((server, tab)).await;
}
