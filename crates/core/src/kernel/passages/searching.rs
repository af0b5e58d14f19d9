//! Searches in the middle of a debate: a speaker who is offered one may ask for it instead of answering.
//!
//! The kernel adds the field `search` to the schema of what a persona says, and reads it before the engine reads the reply.
//! A reply that asks for a search is recorded as such, and the effect is asked again with the passages that were found. Each
//! effect is offered one search, and each participant as many as the debate allows.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::events::ids::PersonaId;
use crate::events::lifecycle::DebateOpened;
use crate::kernel::effect::{Effect, PassageQuery, PassageScope, Responder};
use crate::kernel::ledger::Ledger;
use crate::kernel::prompt::{Prompt, PromptTemplates};
use crate::kernel::reply;
use crate::kernel::spoken_text::spoken_field;

const WORDS: PromptTemplates = PromptTemplates(include_str!("../kernel.md"));

/// Maximum number of passages of a search that a speaker asked for.
pub const MAX_FOUND: u32 = 4;
/// Maximum number of characters of a query; a longer one is cut.
pub const MAX_QUERY_CHARS: usize = 300;
/// Name of the field by which a reply asks for a search.
const FIELD: &str = "search";
/// Description of the field. A reply that repeats it asks for nothing.
const DESCRIPTION: &str = "Words to search for before you answer; null to answer now.";
/// Values by which models say that they want none.
const NO_QUERIES: &[&str] = &["null", "none", "no", "n/a", "nothing", "false"];

/// Settings of a debate about passages that are not a speaker's own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SharedSources {
    /// Number of searches that each participant may ask for.
    pub searches: u32,
    /// Corpus of which all participants are given passages; `None` for none.
    pub shared_corpus: Option<PersonaId>,
}

impl SharedSources {
    /// Returns the settings of a debate: its options `searches` and `shared_corpus`.
    pub fn of(opened: &DebateOpened) -> SharedSources {
        SharedSources { searches: opened.searches(), shared_corpus: opened.shared_corpus() }
    }

    /// Adds to an effect the queries that its engine knows nothing of: for passages of the shared corpus wherever a speaker is
    /// given some of their own, and for those of the search that was asked for.
    pub fn add_queries(&self, mut effect: Effect, ledger: &Ledger) -> Effect {
        let own = effect.ground.as_ref().filter(|query| matches!(query.scope, PassageScope::Writings(_)));
        effect.added.shared = self
            .shared_corpus
            .as_ref()
            .zip(own)
            .map(|(corpus, own)| PassageQuery { scope: PassageScope::Writings(corpus.clone()), ..own.clone() });
        let asked = ledger.of(&effect.key).search;
        effect.added.search = asked.map(|query| {
            let found = PassageQuery::evidence(&query, MAX_FOUND);
            match &effect.voice {
                Responder::Persona(speaker) => found.without(speaker),
                Responder::Clerk => found,
            }
        });
        effect
    }

    /// Returns the number of searches that the speaker of an effect may still ask for; 0 for effects that are offered none:
    /// those of a clerk, those that say nothing aloud, and those for which one was made.
    pub fn left(&self, effect: &Effect, ledger: &Ledger) -> u32 {
        let is_speech = matches!(effect.voice, Responder::Persona(_)) && spoken_field(&effect.prompt.schema).is_some();
        if !is_speech || ledger.of(&effect.key).search.is_some() {
            return 0;
        }
        self.searches.saturating_sub(ledger.searches_by(&effect.key.subject))
    }
}

/// Offers a search in a prompt: adds the field to the schema, before all others, and the explanation to the text.
pub fn offer(prompt: &mut Prompt, left: u32) {
    let Some(fields) = prompt.schema.get_mut("properties").and_then(Value::as_object_mut) else { return };
    fields.insert(FIELD.to_owned(), json!({ "type": ["string", "null"], "description": DESCRIPTION }));
    if let Some(required) = prompt.schema.get_mut("required").and_then(Value::as_array_mut) {
        required.insert(0, FIELD.into());
    }
    let left = if left == 1 { "1 search".to_owned() } else { format!("{left} searches") };
    prompt.text = format!("{}\n\n{}", prompt.text, WORDS.fill("search", &[("left", &left)]));
}

/// Returns true if a schema offers a search.
pub fn is_offered(schema: &Value) -> bool {
    schema.get("properties").is_some_and(|fields| fields.get(FIELD).is_some())
}

/// Returns the query of a reply that asks for a search, on one line; `None` if it asks for none.
pub fn query_of(reply: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Asking {
        search: String,
    }
    let asked = reply::read::<Asking>(reply).ok()?.value.search;
    let words = asked.split(|letter: char| letter.is_whitespace() || letter.is_control());
    let line: String = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let query: String = line.chars().take(MAX_QUERY_CHARS).collect();
    let said = query.trim_end_matches('.').to_lowercase();
    let is_none = NO_QUERIES.contains(&said.as_str()) || DESCRIPTION.to_lowercase().starts_with(&said);
    (query.chars().any(char::is_alphanumeric) && !is_none).then_some(query)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::task::{Task, TaskKind};

    fn query(reply: &str) -> Option<String> {
        query_of(reply)
    }

    #[test]
    fn a_reply_asks_for_a_search_by_words_in_its_field() {
        assert_eq!(query(r#"{"search": "cars\n at the  cordon", "text": ""}"#).as_deref(), Some("cars at the cordon"));
        assert_eq!(query(r#"{"search": "cars at the cordon", "text": "I th"#).as_deref(), Some("cars at the cordon"));
        assert_eq!(query(r#"{"search": 7, "text": "Yes."}"#), None);
        let long = query(&format!(r#"{{"search": "{}"}}"#, "ö".repeat(5_000))).expect("a query");
        assert_eq!(long.chars().count(), MAX_QUERY_CHARS);
    }

    #[test]
    fn a_reply_without_a_query_asks_for_none() {
        let described = format!(r#"{{"search": "{DESCRIPTION}"}}"#);
        for reply in [
            "",
            "no JSON",
            r#"{"text": "Yes."}"#,
            r#"{"search": null, "text": "Yes."}"#,
            r#"{"search": "", "text": "Yes."}"#,
            r#"{"search": " - ", "text": "Yes."}"#,
            r#"{"search": "None.", "text": "Yes."}"#,
            r#"{"search": "NULL", "text": "Yes."}"#,
            r#"{"search": "Words to search for", "text": "Yes."}"#,
            &described,
        ] {
            assert_eq!(query(reply), None, "{reply}");
        }
    }

    #[test]
    fn the_field_stands_before_all_others() {
        let task =
            Task { topic: String::new(), seed: 0, speaker: None, participants: Vec::new(), work: TaskKind::OpenTalk };
        let schema = json!({ "properties": { "text": { "type": "string" } }, "required": ["text"] });
        let (system, text) = (String::new(), "Speak.".to_owned());
        let mut prompt = Prompt { system, text, schema, schema_name: "turn", max_tokens: 1, task };
        assert!(!is_offered(&prompt.schema));
        offer(&mut prompt, 2);
        assert!(is_offered(&prompt.schema));
        assert_eq!(prompt.schema["required"], json!(["search", "text"]));
        assert!(prompt.text.starts_with("Speak.\n\n") && prompt.text.contains("2 searches"), "{}", prompt.text);
    }
}
