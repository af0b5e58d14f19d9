//! Degenerate replies: spoken texts that say nothing, run in a loop, or repeat the instructions or a list of the prompt, and
//! fields that repeat their own description.
//!
//! Weak models produce them, and every model does now and then. Such a reply is no turn: it is requested again with the
//! reason, and after the last attempt its speaker is passed over. Replies that repeat a turn are found by the engines.

use std::collections::HashSet;

use serde_json::Value;

use crate::kernel::prompt::Prompt;
use crate::kernel::reply::{self, Unreadable};
use crate::kernel::spoken_text::{SpokenText, spoken_field};

/// Maximum number of words of a phrase that is looked for in a loop.
const MAX_PHRASE: usize = 60;
/// Minimum number of words that a loop repeats after its first phrase.
const MIN_LOOPED: usize = 12;
/// Share of the words of a text that makes a loop or an echo.
const SHARE: f64 = 0.6;
/// Minimum number of words of an echo of the instructions.
const MIN_ECHO: usize = 8;
/// Minimum number of words of a crux that repeats the instructions.
const MIN_CRUX_ECHO: usize = 5;
/// Minimum number of words of a description that a reply cannot contain by chance.
const MIN_DESCRIPTION: usize = 3;

/// Marks before the names of those on a side, in a list of questions that a prompt shows.
const LISTED_SIDES: [&str; 4] = [" | yes: ", " | no: ", " | nuanced: ", " | undecided: "];

/// Returns why a reply cannot be used: one of its fields repeats the description of a field, or its spoken text cannot be a
/// turn. Cost: words of the text times the longer of a phrase and the words of the instructions.
pub fn fault(prompt: &Prompt, reply: &str) -> Option<Unreadable> {
    copied_description(&prompt.schema, reply).or_else(|| spoken_fault(prompt, reply))
}

/// Refuses a reply that has a description of the schema for a value: what a model writes that completes the schema
/// instead of the request.
fn copied_description(schema: &Value, reply: &str) -> Option<Unreadable> {
    let reply = reply::read::<Value>(reply).ok()?.value;
    let descriptions: Vec<_> = nodes(schema)
        .filter(|(_, node)| node.get("const").is_none())
        .filter_map(|(_, node)| Some(words(node.get("description")?.as_str()?)))
        .filter(|description| description.len() >= MIN_DESCRIPTION)
        .collect();
    let (name, text) = nodes(&reply)
        .filter_map(|(name, node)| Some((name.unwrap_or("the reply"), node.as_str()?)))
        .find(|(_, text)| descriptions.contains(&words(text)))?;
    let reason = format!("`{name}` repeats the description of the field ({text:?})");
    Some(Unreadable::because(reason).advise("write its value there, or null where that is allowed"))
}

/// Returns a value and all values within it, each with the name of the nearest field that contains it.
fn nodes(value: &Value) -> impl Iterator<Item = (Option<&str>, &Value)> {
    let mut pending = vec![(None, value)];
    std::iter::from_fn(move || {
        let (name, value) = pending.pop()?;
        match value {
            Value::Array(items) => pending.extend(items.iter().rev().map(|item| (name, item))),
            Value::Object(fields) => {
                pending.extend(fields.iter().rev().map(|(name, value)| (Some(name.as_str()), value)));
            }
            _ => {}
        }
        Some((name, value))
    })
}

/// Returns why the spoken text of a reply cannot be a turn; `None` if it can, or if nothing of the reply is spoken.
fn spoken_fault(prompt: &Prompt, reply: &str) -> Option<Unreadable> {
    prompt.task.speaker.as_ref()?;
    let text = SpokenText::new(spoken_field(&prompt.schema)?).push(reply);
    let spoken = words(&text);
    if spoken.is_empty() && !text.trim().is_empty() {
        return Some(Unreadable::because("the text has no words").advise("say what you think"));
    }
    let phrase = looped(&spoken).map(|phrase| spoken[phrase].to_vec()).or_else(|| repeated_sentence(&text));
    if let Some(phrase) = phrase {
        let phrase: Vec<&str> = phrase.iter().take(8).map(String::as_str).collect();
        let reason = format!("the text repeats the same words over and over ({:?})", phrase.join(" "));
        return Some(Unreadable::repeated(reason).advise("say it once"));
    }
    let copied = if LISTED_SIDES.iter().any(|mark| text.contains(mark)) {
        "the list of questions"
    } else if repeats(&spoken, &prompt.instructions(), MIN_ECHO) {
        "the instructions"
    } else {
        return None;
    };
    let advice = "say in your own words what you think about the topic";
    Some(Unreadable::repeated(format!("the text repeats {copied}")).advise(advice))
}

/// Words of the first person, and those with which instructions address their reader instead.
const ADDRESSED: [(&str, &str); 5] =
    [("i", "you"), ("me", "you"), ("my", "your"), ("mine", "yours"), ("myself", "yourself")];

/// Returns true if most of a crux is a run of words of the instructions: a model gave what it was asked for as its answer.
/// "What would change my mind?" repeats "what would change your mind".
pub fn is_crux_of_instructions(crux: &str, instructions: &str) -> bool {
    let addressed = |word: String| match ADDRESSED.iter().find(|(own, _)| *own == word) {
        Some((_, addressed)) => (*addressed).to_owned(),
        None => word,
    };
    let crux: Vec<String> = words(crux).into_iter().map(addressed).collect();
    repeats(&crux, instructions, MIN_CRUX_ECHO)
}

/// Returns true if most of a text is a run of words of the instructions, of at least so many words.
fn repeats(text: &[String], instructions: &str, least: usize) -> bool {
    let run = longest_run(text, &words(instructions));
    run >= least && run as f64 >= text.len() as f64 * SHARE
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.filter(|word| word.chars().any(char::is_alphabetic)).map(str::to_lowercase).collect()
}

/// Returns the first phrase of a loop that makes up most of a text, as a range of its words.
fn looped(words: &[String]) -> Option<std::ops::Range<usize>> {
    (1..=MAX_PHRASE.min(words.len() / 3)).find_map(|length| {
        let mut run = 0;
        for at in length..words.len() {
            run = if words[at] == words[at - length] { run + 1 } else { 0 };
            let is_loop = run >= MIN_LOOPED.max(2 * length) && (run + length) as f64 >= words.len() as f64 * SHARE;
            if is_loop {
                let start = at + 1 - run - length;
                return Some(start..start + length);
            }
        }
        None
    })
}

/// Returns the first repeated sentence of a text that mostly says sentences again: a loop of several sentences whose order
/// changes, in which no phrase returns at a fixed distance.
fn repeated_sentence(text: &str) -> Option<Vec<String>> {
    let sentences = text.split(['.', '!', '?', ';', '\n']).map(words).filter(|sentence| !sentence.is_empty());
    let (mut said, mut first) = (HashSet::new(), None);
    let (mut total, mut repeated) = (0, 0);
    for sentence in sentences {
        total += sentence.len();
        if said.contains(&sentence) {
            repeated += sentence.len();
            first.get_or_insert(sentence);
        } else {
            said.insert(sentence);
        }
    }
    first.filter(|_| repeated >= MIN_LOOPED && repeated as f64 >= total as f64 * SHARE)
}

/// Returns the length of the longest run of words that both texts contain.
fn longest_run(one: &[String], other: &[String]) -> usize {
    let (mut before, mut longest) = (vec![0; other.len() + 1], 0);
    for word in one {
        let mut now = vec![0; other.len() + 1];
        for (at, candidate) in other.iter().enumerate() {
            if word == candidate {
                now[at + 1] = before[at] + 1;
                longest = longest.max(now[at + 1]);
            }
        }
        before = now;
    }
    longest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::kernel::prompt::with_persona;
    use crate::kernel::task::{Task, TaskKind};

    const TASK: &str = "It is your turn: two to four sentences. Say in one plain sentence what you take for granted here \
                        that they do not.";

    fn check(text: &str, expected: Option<&str>) {
        check_reply(&json!({ "text": text }).to_string(), expected);
    }

    fn check_reply(text: &str, expected: Option<&str>) {
        let speaker = Some("ada".parse().expect("an id"));
        let (topic, participants) = (String::new(), Vec::new());
        let task = Task { topic, seed: 0, speaker, participants, work: TaskKind::OpenTalk };
        let persona = "You are Ada. You would change your mind if the harbour paid for all nine of the crew.\n\
                       You have written (stand by it; do not repeat these lines):\n- A boat needs nine of a crew to sail.";
        let prompt = Prompt {
            system: "Straight to whoever you answer, about what they just said. Take their words up.".to_owned(),
            text: with_persona(TASK, persona),
            schema: json!({ "properties": {
                "text": { "type": "string" },
                "sides": { "items": { "properties": { "words": {
                    "type": "string", "description": "Sentence that states the side."
                } } } },
            } }),
            schema_name: "turn",
            max_tokens: 1,
            task,
        };
        let found = fault(&prompt, text).map(|unreadable| unreadable.to_string());
        match expected {
            None => assert_eq!(found, None, "{text}"),
            Some(part) => assert!(found.as_ref().is_some_and(|reason| reason.contains(part)), "{text}: {found:?}"),
        }
    }

    #[test]
    fn a_text_without_words_says_nothing() {
        check("... 12 !!", Some("has no words"));
        check("No.", None);
        check("", None);
    }

    #[test]
    fn a_line_of_the_list_of_questions_is_no_turn() {
        check("Should the port close? | yes: Ada | no: Ben", Some("repeats the list of questions"));
        check("Should the port close? I say yes, Ben says no.", None);
    }

    #[test]
    fn loops_are_found_whatever_the_length_of_their_phrase() {
        check(&"a rule, ".repeat(100), Some("over and over (\"a rule\")"));
        check(&"word ".repeat(20), Some("over and over"));
        let sentence = "The centre belongs to those who live in it and not to those who drive through. ";
        check(&sentence.repeat(3), Some("over and over"));
        check(&format!("I begin well. {}", sentence.repeat(4)), Some("over and over"));
        check(&sentence.repeat(2), None);
        check("No, no, no, a thousand times no: the boat needs nine, and the harbour pays for six.", None);
        check(&"Never, never, never again shall a ferry sail at night without its nine. ".repeat(2), None);
    }

    #[test]
    fn sentences_said_again_in_another_order_are_a_loop() {
        let sentences = [
            "The centre is easy to cross.",
            "It has room for cars.",
            "It is not easy to cross.",
            "I would not close it.",
        ];
        let in_order = |order: &[usize]| order.iter().map(|at| sentences[*at]).collect::<Vec<_>>().join(" ");
        check(&in_order(&[0, 3, 1, 3, 2, 0, 3, 2, 1, 3, 0, 2, 1]), Some("over and over (\"i would not close it\")"));
        check(&in_order(&[0, 3, 1, 3, 2]), None);
    }

    #[test]
    fn a_field_that_repeats_the_description_of_a_field_has_no_value() {
        let reply = |words: &str| json!({ "text": "The boat sails.", "sides": [{ "words": words }] }).to_string();
        check_reply(&reply("sentence that states the side"), Some("`words` repeats the description of the field"));
        check_reply(&reply("The sentence that states the side is in t3."), None);
        check_reply("no JSON at all", None);
    }

    #[test]
    fn a_text_that_repeats_the_instructions_is_no_turn() {
        check("Say in one plain sentence what you take for granted here that they do not.", Some("the instructions"));
        check("Straight to whoever you answer, about what they just said. Take it.", Some("the instructions"));
        check("I have written (stand by it; do not repeat these lines):", Some("the instructions"));
        check("A boat needs nine of a crew to sail.", None);
        check("I would change my mind if the harbour paid for all nine of the crew.", None);
        check("You ask what I take for granted here that they do not: that the boat sails at all.", None);
    }
}
