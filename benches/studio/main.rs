//! The studio in a browser: the time until a debate is shown, and the cost of replaying and following it.
//!
//! `cargo bench --bench studio` starts the service as a process of its own, and Chromium. It shows a debate that was played
//! without a model, and one of 300 arguments and about 5,000 events; moves the slider to 150 random versions of each; and
//! follows a debate to which 50 events a second are appended. It uses the server in `DATABASE_URL`, or else a private one
//! under `.faultline/bench-postgres`, and creates and deletes a database of its own. Times are those of the page: they
//! begin with its navigation.

use std::path::Path;
use std::time::Duration;

use faultline_core::events::ids::DebateId;
use serde_json::{Value, json};
use tokio::time::{Instant, interval, sleep};

use bench_database::{BenchDatabase, home_dir};
use bench_service::start_service;
use browser::Tab;
use client::{Client, start_debate_input};
use long_debate::LongDebate;
use waiting::poll_until;

#[path = "../shared/bench_database.rs"]
mod bench_database;
#[path = "../shared/bench_service.rs"]
mod bench_service;
#[expect(dead_code, reason = "the tests use more of it")]
#[path = "../../tests/postgres/studio/browser.rs"]
mod browser;
#[path = "../../tests/postgres/studio/browser_process.rs"]
mod browser_process;
#[expect(dead_code, reason = "the tests use more of it")]
#[path = "../../tests/postgres/support/client.rs"]
mod client;
#[expect(dead_code, reason = "the tests use more of it")]
#[path = "../../tests/postgres/support/environment.rs"]
mod environment;
mod long_debate;
#[expect(dead_code, reason = "the tests use more of it")]
#[path = "../../tests/postgres/support/waiting.rs"]
mod waiting;

/// Names by which the shared modules know one another.
mod support {
    pub(crate) use crate::{client, environment, waiting};
}
mod studio {
    pub(crate) use crate::browser_process;
}

const BUDGET: &str = "
budget                         first paint    300 ms
                          116 events shown    800 ms, 5,007 events 1,500 ms
                       scrub, median / p95    17 / 40 ms, of 5,007 events 33 / 100 ms
                       heap, 300 arguments    15 MB
                              layout shift    0.05
                  frames longer than 50 ms    1 % at 50 events a second
";

/// Number of versions to which the slider is moved.
const N_VERSIONS: usize = 150;
/// Events a second that are appended to the followed debate, and for how long.
const RATE: u64 = 50;
const SECONDS: u64 = 8;

/// Observes the page from its beginning: the time at which it shows everything, layout shifts, and long frames.
const OBSERVER: &str = "
window.seen = { shift: 0, shown: null, gaps: [] };
new PerformanceObserver(list => { for (const it of list.getEntries()) if (!it.hadRecentInput) seen.shift += it.value; })
    .observe({ type: 'layout-shift', buffered: true });
let before = performance.now();
(function frame(now) {
    seen.gaps.push(now - before);
    before = now;
    const [at, head] = (document.querySelector('.where .number')?.textContent ?? '').split(' / ');
    const verdict = document.querySelector('.verdict');
    if (seen.shown === null && head && at === head && Number(head) >= WANTED && document.querySelector('.box')
        && verdict && verdict.getAttribute('aria-busy') !== 'true')
        seen.shown = performance.now();
    requestAnimationFrame(frame);
})(before);";

/// Moves the slider to random versions and returns the time until each is drawn, in milliseconds.
const SCRUB: &str = "(async () => {
    const slider = document.querySelector('.track input');
    const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
    const drawn = () => new Promise(done => requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = done;
        channel.port2.postMessage(0);
    }));
    let seed = 7;
    const times = [];
    for (let n = 0; n < COUNT; n += 1) {
        seed = (seed * 1103515245 + 12345) % 2147483648;
        const version = 1 + seed % Number(slider.max);
        const began = performance.now();
        set.call(slider, String(version));
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        await drawn();
        while (document.querySelector('.where b').textContent !== String(version)) await drawn();
        times.push(performance.now() - began);
    }
    return times;
})()";

#[tokio::main]
async fn main() {
    let database = BenchDatabase::create("faultline_bench_studio").await;
    let below_manifest = |path: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let variables = [
        ("FAULTLINE_HOME", home_dir()),
        ("FAULTLINE_PERSONAS", below_manifest("personas")),
        ("FAULTLINE_CORPUS", below_manifest("corpus")),
    ];
    let (mut service, address) = start_service(&database.options, &variables).await;
    let client = Client::new(&address);
    println!(
        "debate     events   first paint ms   shown ms   layout shift   scrub p50 / p95 / max ms   heap MB   boxes"
    );
    let played = played_debate(&client).await;
    show(&client, "played", played).await;
    let mut long = LongDebate::start(&client).await;
    long.append(&client, 4_200, 300, 90).await;
    show(&client, "long", long.id).await;
    follow(&client).await;
    println!("{BUDGET}");
    service.kill().await.expect("kill");
    database.delete().await;
}

/// Plays a debate without a model, and returns its id once it has ended.
async fn played_debate(client: &Client) -> DebateId {
    let mut asked = start_debate_input("graph", json!({ "rounds": 2, "passages": 4 }));
    asked["provider"] = json!("offline");
    let debate = client.start(&asked).await;
    let status = "query ($id: ID!) { debate(id: $id) { status } }";
    poll_until("the debate ends", async || {
        let found = client.data(status, json!({ "id": debate })).await;
        (found["debate"]["status"] != "RUNNING").then_some(())
    })
    .await;
    debate
}

/// Opens a browser that observes the page of a debate, and waits until the page shows everything.
async fn open(client: &Client, debate: DebateId) -> (Tab, i64) {
    let found = client.data("query ($id: ID!) { debate(id: $id) { version } }", json!({ "id": debate })).await;
    let version = found["debate"]["version"].as_i64().expect("a version");
    let mut tab = Tab::open(client).await.expect("Chromium is installed");
    // The second page has the scripts of the first in its cache, as a reader's browser usually has.
    tab.go("/").await;
    let source = OBSERVER.replace("WANTED", &version.to_string());
    tab.send("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source })).await;
    tab.go(&format!("/debates/{debate}")).await;
    tab.wait("window.seen.shown").await;
    (tab, version)
}

async fn show(client: &Client, name: &str, debate: DebateId) {
    let (mut tab, version) = open(client, debate).await;
    let paint = number(&tab.eval("performance.getEntriesByName('first-contentful-paint')[0].startTime").await);
    let shown = number(&tab.eval("seen.shown").await);
    sleep(Duration::from_secs(1)).await;
    let shift = number(&tab.eval("seen.shift").await);
    let times = sorted(&tab.eval(&SCRUB.replace("COUNT", &N_VERSIONS.to_string())).await);
    tab.send("HeapProfiler.collectGarbage", json!({})).await;
    let heap = number(&tab.send("Runtime.getHeapUsage", json!({})).await["usedSize"]) / 1e6;
    let boxes = number(&tab.eval("document.querySelectorAll('.box').length").await);
    println!(
        "{name:<10} {version:>6} {paint:>16.0} {shown:>10.0} {shift:>14.3} {:>12.1} / {:>4.1} / {:>5.1} {heap:>9.1} {boxes:>7}",
        at(&times, 0.5),
        at(&times, 0.95),
        at(&times, 1.0),
    );
    tab.close().await;
}

/// Follows a debate that grows, and prints the frames that took long.
async fn follow(client: &Client) {
    let mut debate = LongDebate::start(client).await;
    debate.append(client, 20, 6, 90).await;
    let (mut tab, _) = open(client, debate.id).await;
    tab.eval("seen.gaps.length = 0").await;
    let began = Instant::now();
    let mut beat = interval(Duration::from_millis(1_000 * 10 / RATE));
    while began.elapsed() < Duration::from_secs(SECONDS) {
        beat.tick().await;
        debate.append(client, 5, 2, 10).await;
    }
    let told = debate.version;
    let appended = Instant::now();
    tab.wait(&format!("document.querySelector('.where b').textContent === '{told}'")).await;
    let late = appended.elapsed().as_millis();
    let gaps = sorted(&tab.eval("seen.gaps").await);
    let long = gaps.iter().filter(|gap| **gap > 50.0).count();
    println!(
        "followed: {told} events, the last one shown {late} ms after its acknowledgement; frames p50 {:.1} ms, p95 {:.1}, longest \
         {:.0}; longer than 50 ms: {long} of {}",
        at(&gaps, 0.5),
        at(&gaps, 0.95),
        at(&gaps, 1.0),
        gaps.len()
    );
    tab.close().await;
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

fn sorted(values: &Value) -> Vec<f64> {
    let mut numbers: Vec<f64> = values.as_array().into_iter().flatten().map(number).collect();
    numbers.sort_by(f64::total_cmp);
    numbers
}

/// The value below which this share of the sorted values lies.
fn at(sorted: &[f64], share: f64) -> f64 {
    let index = ((sorted.len() as f64 * share) as usize).min(sorted.len().saturating_sub(1));
    sorted.get(index).copied().unwrap_or(f64::NAN)
}
