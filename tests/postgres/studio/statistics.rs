//! Statistics across debates: every picture has the values of the API, every choice is in the address, and the measures of
//! a debate lead to their turns.

use faultline_core::events::ids::DebateId;
use serde_json::{Value, json};

use crate::studio::axe::Axe;
use crate::studio::browser::Tab;
use crate::studio::scene::{close, of_debate, offline_debate, scene};
use crate::support::example_debates::append_debates;
use crate::support::test_server::TestServer;
use crate::support::waiting::poll_until;

/// Debates that are recorded beside the one that is played.
const RECORDED: usize = 3;
/// Cells of the table with the values of a picture, by row.
const VALUES: &str =
    "[...document.querySelectorAll('.values tbody tr')].map(row => [...row.cells].map(it => it.textContent)).sort()";
/// Groups by month and engine, with their verdicts.
const VERDICTS: &str =
    "{ debateStats(by: [ENGINE, MONTH]) { groups { properties { value } debateCount regimes { regime count } } } }";
/// Verdicts in the order in which a column shows them.
const KINDS: [&str; 4] = ["CONSENSUS", "PARTIAL", "POLARIZED", "UNDETERMINED"];

/// Records debates and plays one, and waits until the statistics have all of them.
async fn debates(server: &TestServer) -> (DebateId, Vec<DebateId>) {
    let recorded: Vec<DebateId> = append_debates(server, RECORDED).await.iter().map(|it| it.id).collect();
    let played = offline_debate(server).await;
    let query = "{ debateStats(measures: [\"novelty\"]) { groups { debateCount figures { key count } } } }";
    poll_until("the statistics have every debate", async || {
        let group = server.client.data(query, json!({})).await["debateStats"]["groups"][0].take();
        let measured = list(&group["figures"]).iter().any(|it| it["key"] == "novelty" && it["count"] == json!(1));
        (group["debateCount"] == json!(RECORDED + 1) && measured).then_some(())
    })
    .await;
    (played, recorded)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

/// Figure of a group.
fn figure<'a>(group: &'a Value, key: &str) -> &'a Value {
    list(&group["figures"]).iter().find(|it| it["key"] == key).expect("a figure")
}

/// Asserts that a text begins with a number, as it is rounded on the page.
fn assert_shows(text: &str, value: &Value, what: &str) {
    let value = value.as_f64().expect("a number");
    let (value, allowed) = if text.contains('%') { (value * 100.0, 0.051) } else { (value, 0.0051) };
    let digits: String = text.chars().take_while(|it| it.is_ascii_digit() || *it == '.').collect();
    let shown: f64 = digits.parse().unwrap_or_else(|_| panic!("{what}: \"{text}\" begins with no number"));
    assert!((shown - value).abs() < allowed, "{what}: {text} instead of {value}");
}

/// Opens a picture and waits until it is drawn.
async fn show(tab: &mut Tab, query: &str, selector: &str) {
    tab.go(&format!("/statistics{query}")).await;
    drawn(tab, selector).await;
}

async fn drawn(tab: &mut Tab, selector: &str) {
    let selector = json!(selector);
    tab.wait(&format!(
        "document.querySelector({selector}) && !document.querySelector('.skeleton, .statistics.is-loading')"
    ))
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn verdicts_and_trends_have_the_values_of_the_api() {
    let Some((server, mut tab)) = scene(0).await else { return };
    debates(&server).await;
    let known = server.client.data(VERDICTS, json!({})).await["debateStats"]["groups"].take();
    let count = |group: &Value, kind: &str| {
        let found = list(&group["regimes"]).iter().find(|it| it["regime"] == kind);
        found.map_or(0, |it| it["count"].as_i64().expect("a count"))
    };
    let mut rows: Vec<Vec<String>> = Vec::new();
    for group in list(&known) {
        let names = list(&group["properties"]).iter().map(|it| it["value"].as_str().expect("a name").to_owned());
        let counts = KINDS.iter().map(|kind| count(group, kind).to_string());
        rows.push(names.chain([group["debateCount"].to_string()]).chain(counts).collect());
    }
    rows.sort();
    show(&mut tab, "", ".column .mix").await;
    assert_eq!(tab.eval(VALUES).await, json!(rows));
    for kind in KINDS {
        let total: i64 = list(&known).iter().map(|group| count(group, kind)).sum();
        let parts = format!(
            "[...document.querySelectorAll('.column .{kind}')].reduce((sum, it) => sum + Number(it.style.flexGrow), 0)"
        );
        assert_eq!(tab.eval(&parts).await, json!(total), "{kind} in the columns");
    }
    tab.click(".view-switch a", "Shares").await;
    tab.wait("location.search === '?scale=share'").await;
    let full =
        "[...document.querySelectorAll('.column .mix')].every(it => it.style.getPropertyValue('--size') === '100%')";
    tab.wait(full).await;

    let query = "{ debateStats(by: [MONTH], measures: [\"novelty\", \"circling\"]) { groups { properties { value } figures { key count mean } } } }";
    let known = server.client.data(query, json!({})).await["debateStats"]["groups"].take();
    show(&mut tab, "?view=trends", ".plot .dot").await;
    for (name, key) in [("Novelty", "novelty"), ("Circling", "circling")] {
        for group in list(&known) {
            let month = &group["properties"][0]["value"];
            let row = format!("{VALUES}.find(row => row[0] === '{name}' && row[1] === {month})");
            let row: Vec<String> = serde_json::from_value(tab.wait(&row).await).expect("cells");
            assert_shows(&row[2], &figure(group, key)["mean"], key);
            assert!(row[3].ends_with(&format!("n = {}", figure(group, key)["count"])), "{row:?}");
        }
    }
    close((server, tab)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn groups_and_measures_are_chosen_and_every_choice_is_in_the_address() {
    let Some((server, mut tab)) = scene(0).await else { return };
    debates(&server).await;
    show(&mut tab, "?view=groups&measures=turns.novelty", "td[data-of=novelty]").await;
    tab.fill("select[name=by0]", "PROVIDER").await;
    tab.wait("location.search.includes('by=provider')").await;
    tab.wait_for_text("elsewhere").await;
    let query = "{ debateStats(by: [PROVIDER], measures: [\"novelty\", \"circling\"]) { groups { properties { value } figures { key count mean low high } } } }";
    let known = server.client.data(query, json!({})).await["debateStats"]["groups"].take();
    tab.click(".statistics summary", "2 measures").await;
    tab.wait("(it => it && (it.click(), true))(document.querySelector('input[name=circling]'))").await;
    tab.wait("location.search.includes('turns.novelty.circling')").await;
    drawn(&mut tab, "td[data-of=circling] .dot").await;
    for group in list(&known) {
        let name = &group["properties"][0]["value"];
        for key in ["turns", "novelty", "circling"] {
            let cell = format!(
                "[...[...document.querySelectorAll('.groups tbody tr')].find(it => it.cells[0].textContent === {name}).querySelectorAll('[data-of={key}] :is(b, small)')].map(it => it.textContent)"
            );
            let shown: Vec<String> = serde_json::from_value(tab.eval(&cell).await).expect("texts");
            let known = figure(group, key);
            if known["mean"].is_null() {
                assert_eq!(shown, [""; 0], "{name} {key}");
                continue;
            }
            assert_shows(&shown[0], &known["mean"], key);
            assert!(shown[1].ends_with(&format!("n = {}", known["count"])), "{shown:?}");
            if !known["low"].is_null() {
                assert_shows(&shown[1], &known["low"], key);
            }
        }
    }
    // One debate of the provider has no interval, and no whiskers.
    let whiskers = "[...document.querySelectorAll('.groups tbody tr')].map(it => it.querySelectorAll('[data-of=turns] path').length).sort()";
    assert_eq!(tab.eval(whiskers).await, json!([2, 3]));
    tab.click("th a", "Turns").await;
    tab.wait("document.querySelector('th[aria-sort=descending]')?.textContent.startsWith('Turns')").await;
    assert_eq!(tab.eval("location.search.includes('sort=turns')").await, json!(true));
    tab.fill("select[name=engine]", "forum").await;
    tab.wait_for_text("No debates with these filters").await;
    tab.eval("history.back()").await;
    tab.wait("!location.search.includes('engine=') && document.querySelector('.groups')").await;
    tab.fill("input[name=since]", "2999-01-31").await;
    tab.wait("location.search.includes('since=2999-01-31')").await;
    tab.wait_for_text("No debates with these filters").await;
    tab.click(".statistics button", "Clear the filters").await;
    tab.wait("!location.search.includes('since=') && document.querySelector('.groups')").await;
    close((server, tab)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn questions_lead_to_their_debates_and_pairs_agree_as_the_api_says() {
    let Some((server, mut tab)) = scene(0).await else { return };
    let (_, recorded) = debates(&server).await;
    show(&mut tab, "?view=cruxes", ".heat td a").await;
    let row = "[...document.querySelectorAll('.heat tbody tr')].find(it => it.cells[0].textContent.includes('Is the ferry late?'))";
    let cells = tab.wait(&format!("[...{row}.querySelectorAll('td a')].map(it => it.pathname).sort()")).await;
    let mut paths: Vec<String> = recorded.iter().map(|id| format!("/debates/{id}")).collect();
    paths.sort();
    assert_eq!(cells, json!(paths));
    assert_eq!(tab.eval(&format!("{row}.querySelector('td a').innerText.trim()")).await, json!("1:1"));
    let query = "{ recurringCruxes { question members(first: 100) { nodes { debateId pivotality } } } }";
    let known = server.client.data(query, json!({})).await["recurringCruxes"].take();
    assert_eq!(tab.eval("document.querySelectorAll('.heat tbody tr').length").await, json!(list(&known).len()));
    tab.click(".view-switch a", "Pivotality").await;
    tab.wait("location.search.includes('cells=pivotality')").await;
    for cluster in list(&known) {
        let shares: Vec<f64> =
            list(&cluster["members"]["nodes"]).iter().filter_map(|it| it["pivotality"].as_f64()).collect();
        let shaded = format!(
            "[...[...document.querySelectorAll('.heat tbody tr')].find(it => it.cells[0].textContent.includes({})).querySelectorAll('td a')].filter(it => it.innerText.includes('%')).length",
            cluster["question"]
        );
        let shaded = tab.wait(&format!("({shaded}) + 1")).await.as_u64().expect("a number") - 1;
        assert!(shaded as usize <= shares.len() && (shaded > 0) != shares.is_empty(), "{cluster}: {shaded}");
    }
    tab.eval(&format!("{row}.querySelector('td a').click()")).await;
    tab.wait("location.pathname.startsWith('/debates/') && document.querySelector('.crux')").await;

    let query = "{ personaAgreements(first: 500) { oneName otherName questionCount agreedCount opposedCount debateCount agreement } }";
    let known = server.client.data(query, json!({})).await["personaAgreements"].take();
    show(&mut tab, "?view=agreement", ".heat td small").await;
    let rows: Vec<Vec<String>> = serde_json::from_value(tab.eval(VALUES).await).expect("cells");
    assert_eq!(rows.len(), list(&known).len());
    for pair in list(&known) {
        let (one, other) = (pair["oneName"].as_str().expect("a name"), pair["otherName"].as_str().expect("a name"));
        let row = rows.iter().find(|row| row[0] == one && row[1] == other).expect("a row");
        let share = pair["agreement"].as_f64().expect("a share") * 100.0;
        let counts = ["questionCount", "agreedCount", "opposedCount", "debateCount"].map(|it| pair[it].to_string());
        assert_eq!(row[3..], counts);
        for (from, to) in [(one, other), (other, one)] {
            let cell = format!(
                "(() => {{ const rows = [...document.querySelectorAll('.heat tr')]; const at = [...rows[0].cells].findIndex(it => it.textContent === {to}); return rows.find(it => it.cells[0].textContent === {from}).cells[at].textContent; }})()",
                from = json!(from),
                to = json!(to)
            );
            let shown = tab.eval(&cell).await;
            let (shown, questions) = shown.as_str().and_then(|it| it.split_once(" %")).expect("a share and a number");
            assert!((shown.parse::<f64>().expect("a number") - share).abs() < 0.51, "{from} and {to}: {shown} %");
            assert_eq!(questions, counts[0]);
        }
    }
    close((server, tab)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_measures_of_a_debate_lead_to_their_turns() {
    let Some((server, mut tab)) = scene(0).await else { return };
    let debate = offline_debate(&server).await;
    let fields = "measures { value absentReason definition { key unit formula } parts { turnIds } }";
    let mut known = of_debate(&server, debate, fields).await["measures"].take();
    // Those that take the timeline have values if they are requested by their keys, as the page does.
    let keys: Vec<&str> = ["crux_persistence", "crux_turnover", "label_changes"].to_vec();
    let requested = fields.replace("measures", &format!("measures(keys: {})", json!(keys)));
    let requested = of_debate(&server, debate, &requested).await["measures"].take();
    for measure in known.as_array_mut().into_iter().flatten() {
        let same = |it: &&Value| it["definition"]["key"] == measure["definition"]["key"];
        if let Some(found) = list(&requested).iter().find(same) {
            *measure = found.clone();
        }
    }
    tab.go(&format!("/debates/{debate}?tab=measures")).await;
    tab.wait("document.querySelector('#measure-novelty')").await;
    for measure in list(&known) {
        let id = format!("#measure-{}", measure["definition"]["key"].as_str().expect("a key"));
        let text = tab.text(&id).await;
        assert!(text.contains(measure["definition"]["formula"].as_str().expect("a formula")), "{text}");
        let shown = tab.text(&format!("{id} .number")).await;
        match measure["absentReason"].as_str() {
            Some(reason) => assert!(shown == "–" && text.contains(reason), "{text}"),
            None => assert_shows(&shown.replace(['$', ','], ""), &measure["value"], &id),
        }
        let turns: usize = list(&measure["parts"]).iter().map(|part| list(&part["turnIds"]).len()).sum();
        let links = tab.eval(&format!("document.querySelectorAll('{id} .refs a').length")).await;
        assert_eq!(links, json!(turns), "turns behind {id}");
    }
    // The charts end with the counts of the latest version.
    tab.wait("document.querySelectorAll('.section .chart').length > 1").await;
    let turns = of_debate(&server, debate, "turnCount").await["turnCount"].take();
    let label = tab.eval("document.querySelector('.section .chart').getAttribute('aria-label')").await;
    assert!(label.as_str().is_some_and(|it| it.contains(&format!("{turns} turns"))), "{turns} turns: {label}");
    tab.click("#measure-circling summary", "").await;
    let turn = tab.text("#measure-circling .refs a").await;
    tab.click("#measure-circling .refs a", &turn).await;
    tab.wait(&format!("location.hash === '#{turn}' && document.getElementById('{turn}')")).await;
    close((server, tab)).await;
}

/// Pictures and measures at three widths and in both schemes, without sideways scrolling.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn axe_finds_nothing_on_any_picture() {
    let Some(axe) = Axe::read("the accessibility of statistics") else { return };
    let Some((server, mut tab)) = scene(0).await else { return };
    let (played, _) = debates(&server).await;
    let pages = [
        ("/statistics".to_owned(), ".column .mix"),
        ("/statistics?view=trends".to_owned(), ".plot .dot"),
        ("/statistics?view=groups&by=persona.provider&sort=turns".to_owned(), ".whiskers"),
        ("/statistics?view=cruxes".to_owned(), ".heat td a"),
        ("/statistics?view=cruxes&cells=pivotality".to_owned(), ".heat td a"),
        ("/statistics?view=agreement".to_owned(), ".heat td small"),
        ("/statistics?engine=forum".to_owned(), ".message"),
        (format!("/debates/{played}?tab=measures"), "#measure-novelty"),
    ];
    let mut faults = Vec::new();
    for (width, height) in [(1440, 900), (390, 844), (320, 640)] {
        tab.resize(width, height).await;
        for (path, selector) in &pages {
            tab.prefer("light").await;
            tab.go(path).await;
            drawn(&mut tab, selector).await;
            // Tables with values and lists of measures are folded away at first.
            tab.eval("document.querySelectorAll(':is(.statistics, .section) details').forEach(it => it.open = true)")
                .await;
            if tab.eval("document.documentElement.scrollWidth > innerWidth").await == json!(true) {
                faults.push(format!("{path} scrolls sideways at {width}"));
            }
            faults.extend(axe.violations(&mut tab).await.into_iter().map(|it| format!("{width} {path}: {it}")));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    close((server, tab)).await;
}
