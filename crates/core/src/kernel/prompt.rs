//! Prompts: sections of a Markdown file with their slots filled, and the request data that goes with them.
//!
//! Providers remember the beginning of a prompt that they have read before, and read it again at a fraction of its cost.
//! A section therefore begins with what all speakers share at that moment. A line `---` separates it from the part of
//! the one speaker: the description of the persona, its passages and the task.

use serde_json::Value;

use crate::kernel::safety::foreign_text::without_fenced;
use crate::kernel::task::Task;

/// Request to a provider.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// System instructions: the rules of the engine, shared by all of its speakers.
    pub system: String,
    /// Text of the request; a [`DIVIDER`] may separate the part that all speakers share from that of the one speaker.
    pub text: String,
    /// JSON Schema of the reply, in the strict subset that providers accept.
    pub schema: Value,
    /// Name of the schema: letters, digits and underscores.
    pub schema_name: &'static str,
    /// Maximum number of tokens in the reply.
    pub max_tokens: u32,
    /// The same request as data.
    pub task: Task,
}

/// Separates the shared part of a request from the speaker's own part. It contains a control character, which no text of
/// others in a prompt contains.
pub const DIVIDER: &str = "\n\u{1d}\n";
/// Separates the description of the persona from the instructions that follow it.
const INSTRUCTIONS: &str = "\n\u{1e}\n";
/// Line of a template that becomes the [`DIVIDER`].
const DIVIDING_LINE: &str = "\n---\n";

impl Prompt {
    /// Returns the part of the request that all speakers share, and the speaker's own part. The first is empty if the
    /// request is not divided.
    pub fn parts(&self) -> (String, String) {
        let (shared, own) = self.text.split_once(DIVIDER).unwrap_or(("", &self.text));
        (shared.to_owned(), own.replacen(INSTRUCTIONS, "\n\n", 1))
    }

    /// Returns the whole text of the request.
    pub fn joined(&self) -> String {
        self.text.replacen(DIVIDER, "\n\n", 1).replacen(INSTRUCTIONS, "\n\n", 1)
    }

    /// Returns the instructions: the system's, the headings of the description of the persona, and those that follow it,
    /// without the words of others and of the speaker that they show.
    pub fn instructions(&self) -> String {
        let own = self.text.split_once(DIVIDER).map_or(self.text.as_str(), |(_, own)| own);
        let (persona, task) = own.split_once(INSTRUCTIONS).unwrap_or(("", own));
        let headings = persona.lines().filter(|line| line.ends_with(':'));
        let task = without_fenced(task);
        std::iter::once(self.system.as_str()).chain(headings).chain([task.as_str()]).collect::<Vec<_>>().join("\n")
    }
}

/// Inserts the description of a persona at the beginning of the speaker's own part of a request.
pub fn with_persona(request: &str, persona: &str) -> String {
    let (shared, own) = request.split_once(DIVIDER).unwrap_or(("", request));
    let divider = if shared.is_empty() { "" } else { DIVIDER };
    format!("{shared}{divider}{persona}{INSTRUCTIONS}{own}")
}

/// Inserts a text at the beginning of the speaker's own part of a request.
pub fn in_own_part(request: &str, text: &str) -> String {
    match request.split_once(DIVIDER) {
        Some((shared, own)) => format!("{shared}{DIVIDER}{text}\n\n{own}"),
        None => format!("{text}\n\n{request}"),
    }
}

/// Prompt templates of one engine: a Markdown file with one `## section` for each purpose and `{{slot}}` placeholders.
#[derive(Clone, Copy, Debug)]
pub struct PromptTemplates(pub &'static str);

impl PromptTemplates {
    /// Returns the names of all sections, in order.
    pub fn sections(&self) -> impl Iterator<Item = &'static str> {
        self.0.lines().filter_map(|line| line.strip_prefix("## ")).map(str::trim)
    }

    /// Returns the text of a section, slots unfilled.
    pub fn section(&self, name: &str) -> Option<&'static str> {
        let from = self.0.match_indices("## ").find(|(at, mark)| {
            let starts_line = *at == 0 || self.0.as_bytes()[at - 1] == b'\n';
            let title = self.0[at + mark.len()..].lines().next().unwrap_or_default();
            starts_line && title.trim() == name
        })?;
        let body = &self.0[from.0..];
        let body = &body[body.find('\n').unwrap_or(body.len())..];
        let end = body.find("\n## ").unwrap_or(body.len());
        Some(body[..end].trim())
    }

    /// Returns the slots of a section, each once, in order of appearance.
    pub fn slots(&self, section: &str) -> Vec<&'static str> {
        let mut slots = Vec::new();
        let mut rest = self.section(section).unwrap_or_default();
        while let Some((_, after)) = rest.split_once("{{") {
            let Some((slot, after)) = after.split_once("}}") else {
                break;
            };
            if !slots.contains(&slot) {
                slots.push(slot);
            }
            rest = after;
        }
        slots
    }

    /// Fills the slots of a section in one pass: inserted values are not searched for slots.
    ///
    /// # Panics
    /// Panics if the section or the value of a slot is missing: a programming error that a test of every engine
    /// excludes.
    pub fn fill(&self, section: &str, values: &[(&str, &str)]) -> String {
        let template = self.section(section).unwrap_or_else(|| panic!("the prompt file has no section {section:?}"));
        let template = template.replacen(DIVIDING_LINE, DIVIDER, 1);
        let mut rest = template.as_str();
        let mut filled = String::with_capacity(rest.len() * 2);
        while let Some((before, after)) = rest.split_once("{{") {
            let (slot, after) =
                after.split_once("}}").unwrap_or_else(|| panic!("the section {section:?} has an unclosed slot"));
            let value = values.iter().find(|(name, _)| *name == slot);
            let (_, value) =
                value.unwrap_or_else(|| panic!("the section {section:?} has a slot {slot:?} without a value"));
            filled.push_str(before);
            filled.push_str(value);
            rest = after;
        }
        filled.push_str(rest);
        filled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::task::TaskKind;

    const WORDS: PromptTemplates =
        PromptTemplates("# Title\n\nnot a section\n\n## one\nHello {{name}}, {{name}}.\n\n## two\n{{a}} and {{b}}\n");

    #[test]
    fn sections_and_slots_are_found() {
        assert_eq!(WORDS.sections().collect::<Vec<_>>(), ["one", "two"]);
        assert_eq!(WORDS.section("two"), Some("{{a}} and {{b}}"));
        assert_eq!(WORDS.section("three"), None);
        assert_eq!(WORDS.slots("one"), ["name"]);
    }

    #[test]
    fn a_line_divides_the_shared_part_from_the_speakers_own() {
        let words = PromptTemplates("## turn\nThe topic: {{topic}}\n---\nIt is your turn.\n\n## alone\nA word.\n");
        let request = words.fill("turn", &[("topic", "a\n---\nb")]);
        let prompt = |text: String| Prompt {
            system: "Rules.".to_owned(),
            text,
            schema: Value::Null,
            schema_name: "turn",
            max_tokens: 1,
            task: Task {
                topic: String::new(),
                seed: 0,
                speaker: None,
                participants: Vec::new(),
                work: TaskKind::OpenTalk,
            },
        };
        let divided = prompt(in_own_part(&with_persona(&request, "You are Ada."), "Passages."));
        let (shared, own) = divided.parts();
        assert_eq!(shared, "The topic: a\n---\nb");
        assert_eq!(own, "Passages.\n\nYou are Ada.\n\nIt is your turn.");
        assert_eq!(divided.joined(), format!("{shared}\n\n{own}"));
        assert_eq!(divided.instructions(), "Rules.\nIt is your turn.");
        let headed = prompt(with_persona(&request, "You are Ada.\nYou hold:\n- A rule."));
        assert_eq!(headed.instructions(), "Rules.\nYou hold:\nIt is your turn.");
        let whole = prompt(with_persona(&words.fill("alone", &[]), "You are Ada."));
        assert_eq!(whole.parts(), (String::new(), "You are Ada.\n\nA word.".to_owned()));
        assert_eq!(whole.instructions(), "Rules.\nA word.");
    }

    #[test]
    fn inserted_values_are_not_searched_for_slots() {
        assert_eq!(WORDS.fill("one", &[("name", "{{name}}")]), "Hello {{name}}, {{name}}.");
    }
}
