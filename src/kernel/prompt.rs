//! Prompts: prose from an `.md` file with its slots filled, and what goes with it.

use serde_json::Value;

use crate::kernel::task::Task;

/// What a provider is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// Who the provider is to be and which rules hold: shared by all prompts of a speaker.
    pub system: String,
    /// The question.
    pub text: String,
    /// The JSON Schema of the reply, in the strict subset that providers take.
    pub schema: Value,
    /// The schema's name: letters, digits and underscores.
    pub schema_name: &'static str,
    /// The most tokens that the reply may have.
    pub max_tokens: u32,
    /// The same question as data.
    pub task: Task,
}

/// The prompts of one engine: a Markdown file with one `## section` a purpose and `{{slot}}` where the debate is
/// poured in.
#[derive(Clone, Copy, Debug)]
pub struct Words(pub &'static str);

impl Words {
    /// The names of all sections, in order.
    pub fn sections(&self) -> impl Iterator<Item = &'static str> {
        self.0.lines().filter_map(|line| line.strip_prefix("## ")).map(str::trim)
    }

    /// The text of a section, slots unfilled.
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

    /// The slots of a section, each once, in order of appearance.
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

    /// A section with its slots filled, in one pass: what is poured in is never read for slots again.
    ///
    /// # Panics
    /// Where the section or a slot's value is missing: a programmer's error, which a test of every engine excludes.
    pub fn fill(&self, section: &str, values: &[(&str, &str)]) -> String {
        let mut rest = self.section(section).unwrap_or_else(|| panic!("no section {section:?} among the words"));
        let mut filled = String::with_capacity(rest.len() * 2);
        while let Some((before, after)) = rest.split_once("{{") {
            let (slot, after) = after.split_once("}}").unwrap_or_else(|| panic!("{section:?} has an open slot"));
            let value = values.iter().find(|(name, _)| *name == slot);
            let (_, value) = value.unwrap_or_else(|| panic!("{section:?} has a slot {slot:?} that nothing fills"));
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

    const WORDS: Words =
        Words("# Title\n\nnot a section\n\n## one\nHello {{name}}, {{name}}.\n\n## two\n{{a}} and {{b}}\n");

    #[test]
    fn sections_and_slots_are_found() {
        assert_eq!(WORDS.sections().collect::<Vec<_>>(), ["one", "two"]);
        assert_eq!(WORDS.section("two"), Some("{{a}} and {{b}}"));
        assert_eq!(WORDS.section("three"), None);
        assert_eq!(WORDS.slots("one"), ["name"]);
    }

    #[test]
    fn what_is_poured_in_is_not_read_again() {
        assert_eq!(WORDS.fill("one", &[("name", "{{name}}")]), "Hello {{name}}, {{name}}.");
    }
}
