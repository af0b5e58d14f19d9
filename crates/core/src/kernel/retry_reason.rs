//! Reason why a reply is requested again, in words that help a model: no provider names, status codes or request ids.

use serde_json::Value;

use crate::events::receipt::FailureKind;
use crate::kernel::ledger::{EffectRecord, FailedReply};
use crate::kernel::prompt::Prompt;

/// Maximum number of characters of a reason.
const MAX_REASON_CHARS: usize = 600;
/// Largest factor by which the token limit of a reply grows after replies that were cut off.
const MAX_GROWTH: u32 = 4;
/// Largest token limit to which a limit grows.
const MAX_TOKENS: u32 = 32_000;

/// Returns the token limit of the next reply: doubled for each reply that was cut off, up to four times the limit of the
/// engine and to 32,000. A provider may allow less.
pub fn token_limit(limit: u32, truncations: u32) -> u32 {
    let growth = 1_u32.checked_shl(truncations).unwrap_or(MAX_GROWTH).clamp(1, MAX_GROWTH);
    limit.saturating_mul(growth).min(MAX_TOKENS.max(limit))
}

/// Returns the reason why the last reply was not used, addressed to the model; `None` if there was no reply or its author
/// could not have done better.
pub fn reason(record: &EffectRecord, prompt: &Prompt) -> Option<String> {
    let failure = record.last_failure.as_ref()?;
    let reply = record.last_reply.as_ref();
    let reason = match failure.kind {
        FailureKind::Truncated => too_long(reply, prompt),
        FailureKind::Unreadable
            if reply.is_some_and(|reply| !reply.by.is_empty() && failure.message.starts_with(&reply.by)) =>
        {
            // The provider reports it, in words for people.
            let is_empty = reply.is_none_or(|reply| reply.text.trim().is_empty());
            if is_empty { "it was empty." } else { "it contained no complete JSON object." }.to_owned()
        }
        FailureKind::Unreadable | FailureKind::Repeated | FailureKind::Overlong => match &failure.advice {
            Some(advice) => format!("{}; {advice}", failure.message),
            None => failure.message.clone(),
        },
        FailureKind::Declined | FailureKind::Unavailable | FailureKind::TimedOut | FailureKind::Hopeless => {
            return None;
        }
    };
    Some(reason.chars().take(MAX_REASON_CHARS).collect())
}

fn too_long(reply: Option<&FailedReply>, prompt: &Prompt) -> String {
    let cut = match reply.map(|reply| reply.output_tokens).filter(|tokens| *tokens > 0) {
        Some(tokens) => format!("it was too long: it was cut off after {tokens} tokens."),
        None => "it was too long and was cut off.".to_owned(),
    };
    let lists = lists(&prompt.schema);
    let less = if lists.is_empty() { String::new() } else { format!("at most two {}, and ", lists.join(" and two ")) };
    format!("{cut} Write less: {less}shorter texts. The limit is {} tokens.", prompt.max_tokens)
}

/// Returns the fields of a reply that are lists of objects.
fn lists(schema: &Value) -> Vec<&str> {
    let fields = schema["properties"].as_object().into_iter().flatten();
    let is_list = |field: &Value| field["items"].get("properties").is_some();
    fields.filter(|(_, field)| is_list(field)).map(|(name, _)| name.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::events::receipt::Failure;
    use crate::kernel::task::{Task, TaskKind};

    fn prompt(schema: Value) -> Prompt {
        let (topic, participants) = (String::new(), Vec::new());
        let task = Task { topic, seed: 0, speaker: None, participants, work: TaskKind::OpenTalk };
        Prompt { system: String::new(), text: String::new(), schema, schema_name: "turn", max_tokens: 800, task }
    }

    fn failed(kind: FailureKind, message: &str, text: &str) -> EffectRecord {
        let by = "openai/some-model".to_owned();
        let last_reply = Some(FailedReply { by, text: text.to_owned(), output_tokens: 400 });
        EffectRecord { last_failure: Some(Failure::new(kind, message)), last_reply, ..EffectRecord::default() }
    }

    #[test]
    fn a_reply_that_was_cut_off_is_told_how_to_be_shorter() {
        let message = "openai/some-model was cut off (length) after 400 tokens; request chatcmpl-1";
        let check = |schema, expected: &str| {
            let told = reason(&failed(FailureKind::Truncated, message, "{"), &prompt(schema)).expect("a reason");
            assert_eq!(told, format!("it was too long: it was cut off after 400 tokens. {expected}"));
        };
        let list = json!({ "type": "array", "items": { "properties": {} } });
        let names = json!({ "type": "array", "items": { "type": "string" } });
        check(
            json!({ "properties": { "arguments": list, "passages": names } }),
            "Write less: at most two arguments, and shorter texts. The limit is 800 tokens.",
        );
        check(json!({ "properties": { "text": {} } }), "Write less: shorter texts. The limit is 800 tokens.");
    }

    #[test]
    fn words_for_people_do_not_reach_the_model() {
        let told = |kind, message: &str, text: &str| reason(&failed(kind, message, text), &prompt(json!({})));
        let unreadable = |message: &str, text: &str| told(FailureKind::Unreadable, message, text).expect("a reason");
        assert_eq!(unreadable("openai/some-model sent an empty reply; request req_1", " "), "it was empty.");
        let stopped = "openai/some-model stopped for \"tool_calls\"";
        assert_eq!(unreadable(stopped, "{"), "it contained no complete JSON object.");
        assert_eq!(unreadable("the reply contains no JSON object", "no"), "the reply contains no JSON object");
        assert_eq!(told(FailureKind::Declined, "openai/some-model refused", ""), None);
        assert_eq!(told(FailureKind::Unavailable, "openai answered 500", ""), None);
    }

    #[test]
    fn the_limit_grows_with_each_reply_that_was_cut_off() {
        let limits = |limit| [0, 1, 2, 3, 99].map(|truncations| token_limit(limit, truncations));
        assert_eq!(limits(400), [400, 800, 1_600, 1_600, 1_600]);
        assert_eq!(limits(20_000), [20_000, 32_000, 32_000, 32_000, 32_000]);
        assert_eq!(limits(40_000), [40_000; 5]);
    }
}
