//! Proposals as prompts show them.

use crate::engines::shared::view_prompts;
use crate::kernel::task::ProposalInput;

/// Returns a rejected proposal with its issues, for a prompt.
pub fn draft_lines(rejected: &ProposalInput) -> String {
    let (text, issues) = (view_prompts::text_lines(&rejected.text), view_prompts::issue_lines(rejected));
    format!("{}:\n{text}\n{issues}", rejected.alias)
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
