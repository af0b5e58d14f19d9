//! Typed contents in GraphQL: every recorded body is shown completely by the type of its kind.

use std::fs;

use async_graphql::{Context, EmptyMutation, EmptySubscription, Object, Request, Schema};
use faultline::api::types::event_content::content::EventContent;
use faultline::api::types::event_content::shape::{FieldShape, FieldType, SHAPES};
use faultline_core::events::event::Event;
use serde_json::{Value, json};

/// Fragment that queries may use.
const FRAGMENT: &str = "fragment Attack on AttackRaised { source component { part } }";

/// Root of a schema with one content.
struct Root;

/// Kind and body of the content.
struct Recorded(&'static str, Value);

#[Object]
impl Root {
    async fn content(&self, context: &Context<'_>) -> Option<EventContent> {
        let Recorded(kind, body) = context.data_unchecked::<Recorded>();
        EventContent::read(kind, body.to_string().as_bytes()).expect("JSON")
    }
}

async fn shown(kind: &'static str, body: &Value, selection: &str) -> Value {
    let schema = Schema::new(Root, EmptyMutation, EmptySubscription);
    let fragment = if selection.contains("...Attack") { FRAGMENT } else { "" };
    let query = format!("{{ content {{ {selection} }} }} {fragment}");
    let response = schema.execute(Request::new(&query).data(Recorded(kind, body.clone()))).await;
    assert!(response.errors.is_empty(), "{kind}: {query}: {:?}", response.errors);
    response.data.into_json().expect("JSON")["content"].take()
}

/// Returns a selection of all fields of a type.
fn all_fields(name: &str) -> String {
    let field = |shape: &FieldShape| {
        let mut of = &shape.field_type;
        while let FieldType::List(item) = of {
            of = item;
        }
        match of {
            FieldType::Object(name) => format!("{} {{ __typename {} }}", shape.name, all_fields(name)),
            _ => shape.name.clone(),
        }
    };
    SHAPES.objects[name].fields.iter().map(field).collect::<Vec<_>>().join(" ")
}

/// Returns the first value of a body that its content lacks, with its path.
fn missing(body: &Value, content: &Value, path: &str) -> Option<String> {
    let camel = |key: &str| {
        let mut words = key.split('_');
        let first = words.next().unwrap_or_default().to_owned();
        words.fold(first, |name, word| format!("{name}{}{}", word[..1].to_uppercase(), &word[1..]))
    };
    match (body, content) {
        (Value::Object(fields), Value::Object(shown)) => fields.iter().find_map(|(key, value)| {
            let names = [camel(key), key.clone(), "personaId".to_owned()];
            let found = names.iter().find_map(|name| shown.get(name)).unwrap_or(&Value::Null);
            missing(value, found, &format!("{path}.{key}"))
        }),
        (Value::Array(items), Value::Array(shown)) if items.len() == shown.len() => {
            let mut pairs = items.iter().zip(shown).enumerate();
            pairs.find_map(|(at, (item, shown))| missing(item, shown, &format!("{path}[{at}]")))
        }
        (Value::String(text), Value::String(shown)) if text.eq_ignore_ascii_case(shown) => None,
        (Value::Number(number), Value::String(shown)) if number.to_string() == *shown => None,
        (Value::Number(number), Value::Number(shown)) if number.as_f64() == shown.as_f64() => None,
        (body, content) if body == content => None,
        (body, content) => Some(format!("{path} is {body} in the body, and {content} in the content")),
    }
}

#[tokio::test]
async fn the_content_of_every_kind_has_all_of_its_body() {
    for kind in Event::KINDS {
        let path = format!("{}/tests/fixtures/wire/{}.{}.json", env!("CARGO_MANIFEST_DIR"), kind.name, kind.schema);
        let body: Value = serde_json::from_str(&fs::read_to_string(path).expect("a fixture")).expect("JSON");
        let name = &SHAPES.kinds[kind.name];
        let selection = format!("eventKind ... on {name} {{ __typename {} }}", all_fields(name));
        let content = shown(kind.name, &body, &selection).await;
        assert_eq!(content["eventKind"], kind.name);
        assert_eq!(missing(&body, &content, kind.name), None);
    }
}

#[tokio::test]
async fn fragments_and_fields_selected_twice_are_merged() {
    let body = json!({
        "attack": "k1", "speaker": "ada", "turn": "t2", "source": "a2", "target": "a1", "kind": "rebut",
        "component": { "part": "premise", "index": 1 }, "rationale": "no", "confidence": 0.5,
    });
    let selection =
        "__typename ...Attack ... on AttackRaised { component { index } mark: kind } ... on TurnTaken { text }";
    let content = shown("attack_raised", &body, selection).await;
    assert_eq!(
        content,
        json!({
            "__typename": "AttackRaised", "source": "a2", "component": { "part": "PREMISE", "index": 1 }, "mark": "REBUT",
        })
    );
}

#[tokio::test]
async fn an_omitted_field_has_its_default() {
    let body = json!({ "turn": "t1", "speaker": "ada", "moves": ["claim"], "text": "So it is." });
    let content = shown("turn_taken", &body, "... on TurnTaken { text answers citations { alias } }").await;
    assert_eq!(content, json!({ "text": "So it is.", "answers": null, "citations": [] }));
}
