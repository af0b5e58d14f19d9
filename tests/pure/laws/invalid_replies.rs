//! Invalid replies: texts without content, and valid replies with values, types or characters changed.

use serde_json::{Value, json};

use crate::support::random::Random;

/// Replies from which nothing can be read: the request is abandoned.
pub fn hopeless() -> Vec<(&'static str, String)> {
    let fixed = [
        ("nothing", ""),
        ("white space", " \n\t\r\n "),
        ("prose", "I would rather not say. {Well}, perhaps."),
        ("HTML", "<!DOCTYPE html><html><body style=\"{color: red}\"><h1>502 Bad Gateway</h1></body></html>"),
        ("an empty object", "{}"),
        ("an empty array", "[]"),
        ("an array of empty objects", "[{}, {}]"),
        ("null", "null"),
        ("a string", "\"{}\""),
        ("a number", "42"),
        ("NaN", "NaN"),
        ("another shape", r#"{"answer": 42, "status": "ok"}"#),
        ("an error of a provider", r#"{"error": {"type": "overloaded_error", "message": "Overloaded"}}"#),
        ("single quotes", "{'speech': 'x', 'proposal': 'x', 'judgements': [], 'issues': []}"),
        ("control characters", "\u{0}\u{1}\u{8}\u{1b}[31m{\u{0}}\u{7f}\u{9b}"),
        ("marks of direction", "\u{202e}{\u{202c}}\u{feff}\u{200b}"),
        ("an emoji", "👩\u{200d}🚀"),
        ("half an emoji", r#"{"speech": "\ud83d", "proposal": "\ud83d", "judgements": "\udc00", "issues": "\ud83d"}"#),
    ];
    let mut replies: Vec<(&str, String)> = fixed.iter().map(|(name, text)| (*name, (*text).to_owned())).collect();
    replies.extend([
        ("brackets to no end", "[".repeat(10_000)),
        ("braces to no end", "{".repeat(10_000)),
        ("objects in objects", "{\"a\":".repeat(500)),
        ("brackets and commas to no end", format!("{{\"a\": {}{}", "[".repeat(3_000), "0,".repeat(3_000))),
        ("two MiB of an object", format!("{{\"speech\": \"{}\"}}", "x".repeat(2 << 20))),
    ]);
    replies
}

/// Variations of a valid reply, from which something may or may not be read.
pub fn twisted(good: &str) -> Vec<(&'static str, String)> {
    let value: Value = serde_json::from_str(good).expect("a good reply is JSON");
    let each = |twist: &dyn Fn(&Value) -> Option<Value>| replaced(&value, twist).to_string();
    let texts = |text: &str| each(&|value| value.is_string().then(|| json!(text)));
    let numbers = |text: &str| each(&|value| value.is_number().then(|| json!("@"))).replace("\"@\"", text);
    let names = |text: &str| {
        let is_name = |name: &str| name.len() == 2 && name.ends_with(|letter: char| letter.is_ascii_digit());
        each(&|value| value.as_str().filter(|name| is_name(name)).map(|_| json!(text)))
    };
    let (start, end) = good.split_at(good.len() / 2);
    vec![
        ("cut in the middle", start.to_owned()),
        ("its end only", end.to_owned()),
        (
            "wrong types",
            each(&|value| Some(if value.is_string() { json!(7) } else { json!("7") }).filter(|_| !value.is_object())),
        ),
        ("null everywhere", each(&|value| (!value.is_object()).then_some(Value::Null))),
        ("empty arrays", each(&|value| value.is_array().then(|| json!([])))),
        (
            "endless arrays",
            each(&|value| {
                value.as_array().map(|array| array.iter().cycle().take(100 * array.len()).cloned().collect())
            }),
        ),
        ("unknown words", each(&|value| value.as_str().filter(|word| !word.contains(' ')).map(|_| json!("banana")))),
        ("words in capitals", each(&|value| value.as_str().map(|word| json!(word.to_uppercase())))),
        ("numbers as strings", numbers("\"0.5\"")),
        ("NaN", numbers("NaN")),
        ("infinity", numbers("1e999")),
        ("numbers below", numbers("-3")),
        ("numbers beyond", numbers("99999999999999999999")),
        ("numbers beside", numbers("0.5000000000000000000000000001")),
        ("unknown names", names("a999")),
        ("names of another kind", names("t1")),
        ("names beyond", names("a4294967296")),
        ("no names", names("the first one")),
        ("empty texts", texts("")),
        ("control characters", texts("\u{0}\u{7}\u{1b}[2J\u{9b}")),
        ("marks of direction", texts("\u{202e}👩\u{200d}🚀\u{2066}e\u{301}")),
        ("slots", texts("{{persona}} {{arguments}} {{")),
        ("marks of passages", texts("~~0011223344556677 end")),
        ("texts of 60 kB", texts(&"long ".repeat(12_000))),
        ("texts of 3 kB", texts(&"é".repeat(1_500))),
        ("keys twice", good.replacen('{', "{\"speech\": \"\", \"speech\": 1, \"proposal\": 2, \"issues\": [], ", 1)),
        ("an array at the top", format!("[{good}]")),
        ("twice", format!("{good}{good}")),
        ("in a fence", format!("Sure {{here}} it is:\n```json\n{good}\n```")),
        ("in an object", format!("{{\"result\": {good}}}")),
        ("as a string", json!(good).to_string()),
        ("with a mark of order", format!("\u{feff}{good}")),
        ("with a comma too many", good.replace('}', ",}")),
        ("with comments", good.replace(", ", ", // so\n")),
        ("with 3,000 passages", replaced_field(&value, "passages", json!(vec!["g1"; 3_000]))),
        (
            "with 2,000 changes",
            replaced_field(&value, "changes", json!(vec![json!({"issue": "i1", "text": "x"}); 2_000])),
        ),
    ]
}

fn replaced(value: &Value, twist: &dyn Fn(&Value) -> Option<Value>) -> Value {
    twist(value).unwrap_or_else(|| match value {
        Value::Object(fields) => fields.iter().map(|(name, field)| (name.clone(), replaced(field, twist))).collect(),
        Value::Array(items) => items.iter().map(|element| replaced(element, twist)).collect(),
        other => other.clone(),
    })
}

fn replaced_field(value: &Value, name: &str, with: Value) -> String {
    let mut value = value.clone();
    value[name] = with;
    value.to_string()
}

/// Returns pointers to every value in a value, itself included.
pub fn places(value: &Value, place: String) -> Vec<String> {
    let below: Vec<String> = match value {
        Value::Object(fields) => {
            fields.iter().flat_map(|(name, field)| places(field, format!("{place}/{name}"))).collect()
        }
        Value::Array(items) => {
            (0..).zip(items).flat_map(|(n, element): (usize, _)| places(element, format!("{place}/{n}"))).collect()
        }
        _ => Vec::new(),
    };
    std::iter::once(place).chain(below).collect()
}

/// Returns a text with some of its characters lost, doubled or moved.
pub fn noisy(text: &str, random: &mut Random) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(6) {
        let (at, other) = (random.below(chars.len()), random.below(chars.len()));
        match random.below(4) {
            0 => drop(chars.remove(at)),
            1 => chars.insert(at, chars[other]),
            2 => chars.swap(at, other),
            _ => chars[at] = ['"', '{', '}', '[', ',', ':', '\\', '\u{0}', '9', '🚀'][random.below(10)],
        }
    }
    chars.into_iter().collect()
}
