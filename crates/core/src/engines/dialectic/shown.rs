//! Proposals as prompts show them.

use crate::engines::shared::view_prompts;
use crate::kernel::quotations::turn_quotes;
use crate::kernel::safety::foreign_text::{fenced, flat};
use crate::kernel::task::{IssueInput, ProposalInput};

/// Returns a rejected proposal with its issues, for a prompt.
pub fn draft_lines(rejected: &ProposalInput) -> String {
    let (text, issues) = (view_prompts::text_lines(&rejected.text), view_prompts::issue_lines(rejected));
    format!("{}:\n{text}\n{issues}", rejected.alias)
}

/// Formats a proposal's issues for a prompt, with their sentences numbered; empty if it has none.
pub fn numbered_issue_lines(told: &ProposalInput) -> String {
    let mut lines = Vec::new();
    for issue in &told.issues {
        lines.push(format!("{} ({}):", issue.alias, issue.severity));
        let sentences = turn_quotes::sentences(&issue.text).into_iter();
        lines.extend(
            sentences
                .zip(names_of_sentences(issue))
                .map(|(sentence, name)| format!("    {name}: {}", flat(&issue.text[sentence]))),
        );
    }
    if lines.is_empty() { String::new() } else { fenced(&lines.join("\n")) }
}

/// Returns the names of an issue's sentences, such as `i3.2`.
pub fn names_of_sentences(issue: &IssueInput) -> impl Iterator<Item = String> {
    (1..=turn_quotes::sentences(&issue.text).len()).map(move |number| format!("{}.{number}", issue.alias))
}

/// Returns a proposal with its texts as a prompt shows them.
pub fn shown(told: &ProposalInput) -> ProposalInput {
    let (text, reasoning) = (view_prompts::text_lines(&told.text), view_prompts::text_lines(&told.reasoning));
    ProposalInput { text, reasoning, ..told.clone() }
}

/// Returns the texts of a proposal's issues, for a passage query.
pub fn issue_texts(told: &ProposalInput) -> String {
    told.issues.iter().map(|issue| issue.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// Returns true if two texts differ at most in white space.
pub fn says_word_for_word(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
}
