//! Prompts: sections of a Markdown file with their slots filled, and the request data that goes with them.

use serde_json::Value;

use crate::kernel::task::Task;

/// Request to a provider.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// System instructions: the speaker's role and rules, shared by all prompts of a speaker.
    pub system: String,
    /// Text of the request.
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
        let mut rest = self.section(section).unwrap_or_else(|| panic!("the prompt file has no section {section:?}"));
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
    fn inserted_values_are_not_searched_for_slots() {
        assert_eq!(WORDS.fill("one", &[("name", "{{name}}")]), "Hello {{name}}, {{name}}.");
    }
}
