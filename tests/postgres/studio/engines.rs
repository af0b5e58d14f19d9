//! Tabs that single engines add: tables, sides, threads and rooms of debates that were played without a model.

use serde_json::{Value, json};

use crate::studio::scene::{close, scene};
use crate::support::client::start_debate_input;

/// A played engine, a tab of its page, and the API's texts that the tab shows.
struct Shown {
    engine: &'static str,
    options: Value,
    tab: &'static str,
    fields: &'static str,
    texts: &'static [&'static [&'static str]],
}

/// Texts at a path of fields; lists are searched element by element.
fn texts(value: &Value, path: &[&str]) -> Vec<String> {
    match (value, path) {
        (Value::Array(elements), _) => elements.iter().flat_map(|element| texts(element, path)).collect(),
        (Value::String(text), []) => vec![text.clone()],
        (_, [field, rest @ ..]) => texts(&value[*field], rest),
        _ => Vec::new(),
    }
}

/// Each tab shows what the API tells, and nothing scrolls sideways on a narrow window.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_sides_threads_and_rooms_have_their_tabs() {
    let Some((server, mut tab)) = scene(0).await else { return };
    let played = [
        Shown {
            engine: "blitz",
            options: json!({ "rounds": 2 }),
            tab: "tables",
            fields: "tables { participantIds } disputes { question }",
            texts: &[&["disputes", "question"]],
        },
        Shown {
            engine: "classical",
            options: json!({ "rounds": 1 }),
            tab: "tables",
            fields: "tables { intents { intent } } disputes { question }",
            texts: &[&["disputes", "question"], &["tables", "intents", "intent"]],
        },
        Shown {
            engine: "pro_con",
            options: json!({ "rounds": 1, "fact_check": "strict" }),
            tab: "motion",
            fields: "motion { announcements { text } drafts { text } }",
            texts: &[&["motion", "announcements", "text"], &["motion", "drafts", "text"]],
        },
        Shown {
            engine: "dialectic",
            options: json!({ "rounds": 2 }),
            tab: "proposals",
            fields: "proposals { text criticism { issues { text } } }",
            texts: &[&["proposals", "text"], &["proposals", "criticism", "issues", "text"]],
        },
        Shown {
            engine: "crux_rooms",
            options: json!({}),
            tab: "rooms",
            fields: "rooms { question }",
            texts: &[&["rooms", "question"]],
        },
        Shown {
            engine: "forum",
            options: json!({}),
            tab: "rooms",
            fields: "rooms { question }",
            texts: &[&["rooms", "question"]],
        },
    ];
    for Shown { engine, options, tab: name, fields, texts: paths } in played {
        let mut asked = start_debate_input(engine, options);
        asked["provider"] = json!("offline");
        asked["personaIds"] = json!(["edda-tolvane", "gus-ormerand", "dara-velloway"]);
        let debate = server.client.start(&asked).await;
        server.wait_for_end(debate).await;
        let query = format!("query ($id: ID!) {{ debate(id: $id) {{ {fields} }} }}");
        let told = server.client.data(&query, json!({ "id": debate })).await["debate"].take();
        tab.resize(1440, 900).await;
        tab.go(&format!("/debates/{debate}?tab={name}")).await;
        for path in paths {
            let texts = texts(&told, path);
            assert!(!texts.is_empty(), "{engine} has none of {path:?}: {told}");
            for text in texts {
                tab.wait(&format!("document.querySelector('.panel-main')?.textContent.includes({})", json!(text)))
                    .await;
            }
        }
        tab.resize(320, 640).await;
        tab.go(&format!("/debates/{debate}?tab={name}")).await;
        tab.wait("document.querySelector('.panel-main') && !document.querySelector('.skeleton')").await;
        let is_too_wide = tab.eval("document.documentElement.scrollWidth > innerWidth").await;
        assert_eq!(is_too_wide, json!(false), "{engine} scrolls sideways at 320");
    }
    close((server, tab)).await;
}
