//! Debates as documents: complete, traceable, and without markup from participants.

use std::collections::BTreeSet;
use std::fs;

use faultline_core::events::event::Recorded;
use faultline_core::export::json::json;
use faultline_core::export::jsonl::{ExportedEvent, jsonl};
use faultline_core::export::report::html::html;
use faultline_core::export::report::markdown::markdown;
use faultline_core::imports::import::{Imported, read};
use faultline_core::verdicts::read_model::DebateReadModel;
use serde_json::Value;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/legacy");

/// Text of a participant who intends harm.
const HARM: &str = "</style></title><script>alert(1)</script><img src=x onerror=alert(2)>\" onload=\"x' javascript:alert(3) \
    ]]> --> <!-- &lt;script&gt; [x](javascript:alert(4)) `code` **b** \u{202e}gnal <a id=t1>";

fn imports() -> Vec<(String, Imported)> {
    let entries = fs::read_dir(FIXTURES).expect("fixtures");
    let mut names: Vec<String> =
        entries.map(|it| it.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| name != "README.md");
    names.sort();
    let imported = |name: String| {
        let bytes = fs::read(format!("{FIXTURES}/{name}")).expect("a fixture");
        let imported = read(&bytes).expect("a debate");
        (name, imported)
    };
    names.into_iter().map(imported).collect()
}

/// Returns the same debate with every spoken text and every name replaced by `by`.
fn with_every_text(events: &[Recorded], by: &str) -> Vec<Recorded> {
    const SAID: &[&str] = &[
        "topic",
        "name",
        "about",
        "text",
        "claim",
        "question",
        "statement",
        "phase",
        "rationale",
        "reason",
        "what",
        "diagnosis",
        "resolution",
        "title",
        "address",
        "excerpt",
        "by",
        "explanation",
    ];
    /// Fields with lists of names, and with words of a closed list.
    const NAMES: &[&str] = &["moves", "turns", "participants"];
    /// Returns true for names such as `t17`.
    fn is_name(text: &str) -> bool {
        text.len() > 1 && text.bytes().skip(1).all(|byte| byte.is_ascii_digit())
    }
    fn spoil(value: &mut Value, by: &str) {
        match value {
            Value::Object(fields) => {
                for (key, value) in fields {
                    match value {
                        Value::String(said) if SAID.contains(&key.as_str()) && !is_name(said) => *said = by.to_owned(),
                        Value::Array(items) if items.iter().all(Value::is_string) && !NAMES.contains(&key.as_str()) => {
                            items.iter_mut().for_each(|element| *element = Value::from(by));
                        }
                        other => spoil(other, by),
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|element| spoil(element, by)),
            _ => {}
        }
    }
    let lines = events.iter().map(|recorded| {
        let mut line = serde_json::to_value(ExportedEvent::of(recorded)).expect("a line");
        if line["kind"] != "verdict_imported" && line["kind"] != "record_kept" {
            spoil(&mut line["body"], by);
        }
        let line: ExportedEvent = serde_json::from_value(line).expect("a line");
        line.recorded().expect("an event")
    });
    lines.collect()
}

/// Returns the values of an attribute, in any quoting.
fn values<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    let named = format!(" {attribute}=");
    let found = page.match_indices(&named).map(|(at, _)| {
        let rest = &page[at + named.len()..];
        match rest.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next().unwrap_or_default(),
            None => rest.split([' ', '>']).next().unwrap_or_default(),
        }
    });
    found.collect()
}

#[test]
fn a_page_loads_nothing_and_its_links_resolve() {
    for (name, imported) in imports() {
        let read_model = DebateReadModel::of(&imported.events);
        let page = html(&read_model, &imported.events, Some("<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>"));
        let ids = values(&page, "id");
        let distinct: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!(ids.len(), distinct.len(), "{name}: an id occurs twice");
        let links = values(&page, "href");
        assert!(links.len() > 10, "{name}");
        for link in links {
            let place = link.strip_prefix('#').unwrap_or_else(|| panic!("{name}: {link} leads out of the page"));
            assert!(distinct.contains(place), "{name}: {link} leads nowhere");
        }
        for foreign in ["<script", "<link", "<img", "<iframe", "@import", "url(", " src=", " onload", "javascript:"] {
            assert!(!page.contains(foreign), "{name}: {foreign}");
        }
        for turn in &read_model.transcript.turns {
            assert!(distinct.contains(turn.turn.to_string().as_str()), "{name}: {}", turn.turn);
        }
        assert!(page.contains("default-src 'none'") && page.starts_with("<!doctype html>"), "{name}");
    }
}

/// Returns the tags of a page in order, with the names of attributes but without their values.
fn tags(page: &str) -> Vec<String> {
    let mut tags = Vec::new();
    let body = page.split_once("</style>").map_or(page, |(_, body)| body);
    for piece in body.split('<').skip(1) {
        let tag = piece.split('>').next().unwrap_or_default();
        let name = tag.split_whitespace().next().unwrap_or_default();
        let attributes =
            tag.split_whitespace().skip(1).filter_map(|attribute| attribute.split_once('=')).map(|(name, _)| name);
        tags.push(format!("{name} {}", attributes.collect::<Vec<_>>().join(" ")));
    }
    tags
}

#[test]
fn spoken_text_is_never_markup() {
    for (name, imported) in imports() {
        let (plain, harmful) =
            (with_every_text(&imported.events, "plain words."), with_every_text(&imported.events, HARM));
        let page = |events: &[Recorded]| html(&DebateReadModel::of(events), events, None);
        let (harmless, spoilt) = (page(&plain), page(&harmful));
        assert_eq!(tags(&harmless), tags(&spoilt), "{name}: spoken text changed the structure of the page");
        assert!(!spoilt.contains("<script") && !spoilt.contains("<img") && !spoilt.contains('\u{202e}'), "{name}");
        let text = markdown(&DebateReadModel::of(&harmful), &harmful);
        let unescaped = |mark: &str| text.match_indices(mark).any(|(at, _)| !text[..at].ends_with('\\'));
        assert!(!unescaped("<script") && !unescaped("<img") && !unescaped("[x]") && !unescaped("`code"), "{name}");
    }
}

#[test]
fn a_report_contains_verdict_cruxes_and_transcript() {
    let (_, imported) = imports().into_iter().find(|(name, _)| name == "v2-o1-mutual.result.json").expect("a fixture");
    let read_model = DebateReadModel::of(&imported.events);
    let text = markdown(&read_model, &imported.events);
    for wanted in [
        "# Is harbour scrip money?",
        "- **Stella Brandt**",
        "**Polarized**: camps of arguments that conflict with each other; no answer is agreed upon.",
        "> The debate ended because a limit was reached (turns), not because the discussion was finished.",
        "The system of origin called it \"consensus\"; the verdict here does not use that.",
        "1. **Is this true: “Adoption of scrip stops where the treasury frowns on it”?** (a claim, settling it can change the status of all 7 claims in conflict that do not rest on it)",
        "   - Hugo Lerman, rests on it (turn by matching words), [t6](#t6): \"Adoption of scrip stops where the treasury frowns on it\"",
        "- **Hugo Lerman**: a2, a4, a8",
        "- **a8** undecided: Adoption of scrip stops where the treasury frowns on it (Hugo Lerman, [t6 by matching words](#t6))",
        "<a id=\"t6\"></a>**Hugo Lerman** challenges · t6\n\n> Adoption of scrip stops where the treasury frowns on it.",
    ] {
        assert!(text.contains(wanted), "{wanted}\n{text}");
    }
}

#[test]
fn a_debate_reads_back_from_its_json() {
    for (name, imported) in imports() {
        let read_model = DebateReadModel::of(&imported.events);
        let whole = json(&read_model, &imported.events);
        let value: Value = serde_json::from_str(&whole).expect("JSON");
        assert_eq!(value["verdict"]["regime"]["kind"], read_model.verdict().regime.kind.name(), "{name}");
        let again = read(whole.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(again.events, imported.events, "{name}");
        assert_eq!(jsonl(&again.events), jsonl(&imported.events), "{name}");
        assert_eq!(json(&DebateReadModel::of(&again.events), &again.events), whole, "{name}");
    }
}

#[test]
fn an_empty_debate_is_exported_too() {
    let empty = DebateReadModel::default();
    assert!(html(&empty, &[], None).ends_with("</html>\n"));
    assert!(markdown(&empty, &[]).contains("## Verdict"));
    assert!(json(&empty, &[]).ends_with("}\n"));
}
