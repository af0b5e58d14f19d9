//! Accessibility: axe finds nothing on any page at four pairs of window and scheme, and nothing scrolls sideways at 320 px.

use serde_json::json;

use crate::studio::axe::Axe;
use crate::studio::scene::{close, offline_debate, scene};
use crate::support::example_debates::append_debates;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn axe_finds_nothing_on_any_page() {
    let Some(axe) = Axe::read("the accessibility of the studio") else { return };
    let Some((server, mut tab)) = scene(0).await else { return };
    let argued = offline_debate(&server).await;
    let built = append_debates(&server, 1).await[0].id;
    let pages = [
        ("/".to_owned(), ".debate"),
        ("/start".to_owned(), ".start"),
        ("/cruxes".to_owned(), ".crux-card"),
        ("/cruxes?view=recurring".to_owned(), "main h1"),
        ("/personas".to_owned(), "main a[href^='/personas/']"),
        ("/personas/edda-tolvane".to_owned(), "main h2"),
        ("/projections".to_owned(), ".projection"),
        ("/cost".to_owned(), "main h1"),
        (format!("/debates/{argued}?tab=verdict"), ".verdict"),
        (format!("/debates/{argued}?tab=transcript"), ".turn"),
        (format!("/debates/{argued}?tab=arguments&pick=a1"), ".box"),
        (format!("/debates/{argued}?tab=map"), ".box"),
        (format!("/debates/{argued}?tab=course"), "table"),
        (format!("/debates/{argued}?versus=8"), ".compare .side"),
        (format!("/debates/{built}?tab=disputes"), ".dispute"),
        (format!("/debates/{built}?tab=rooms"), ".panel-main a.ref"),
        (format!("/debates/{built}?tab=checks"), ".panel-main a.ref"),
    ];
    let mut faults = Vec::new();
    for (width, height) in [(1440, 900), (390, 844)] {
        tab.resize(width, height).await;
        for (path, selector) in &pages {
            tab.prefer("light").await;
            tab.go(path).await;
            tab.wait(&format!("document.querySelector({}) && !document.querySelector('.skeleton')", json!(selector)))
                .await;
            faults.extend(axe.violations(&mut tab).await.into_iter().map(|it| format!("{width} {path}: {it}")));
        }
    }
    tab.resize(320, 640).await;
    for (path, selector) in &pages {
        tab.go(path).await;
        tab.wait(&format!("document.querySelector({}) && !document.querySelector('.skeleton')", json!(selector))).await;
        if tab.eval("document.documentElement.scrollWidth > innerWidth").await == json!(true) {
            faults.push(format!("{path} scrolls sideways at 320"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    close((server, tab)).await;
}

/// With reduced motion nothing is animated, and the keyboard alone reaches an argument, picks it and lets go of it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_keyboard_picks_an_argument_and_nothing_moves_for_those_who_want_rest() {
    let Some((server, mut tab)) = scene(0).await else { return };
    let debate = offline_debate(&server).await;
    let features = json!([{ "name": "prefers-reduced-motion", "value": "reduce" }]);
    tab.send("Emulation.setEmulatedMedia", json!({ "features": features })).await;
    tab.go(&format!("/debates/{debate}")).await;
    tab.wait("document.querySelector('.box')").await;
    assert_eq!(tab.eval("document.getAnimations().filter(it => it.playState === 'running').length").await, json!(0));
    for _ in 0..200 {
        tab.press("Tab").await;
        if tab.eval("document.activeElement.classList.contains('box')").await == json!(true) {
            break;
        }
    }
    let first = tab.eval("document.activeElement.dataset.arg").await;
    assert!(first.is_string(), "no argument is reached by Tab");
    tab.press("ArrowDown").await;
    tab.wait(&format!("document.activeElement.dataset.arg && document.activeElement.dataset.arg !== {first}")).await;
    tab.eval("document.activeElement.click()").await;
    tab.wait("document.querySelector('.picked')").await;
    tab.press("Escape").await;
    tab.wait("!document.querySelector('.picked')").await;
    close((server, tab)).await;
}
