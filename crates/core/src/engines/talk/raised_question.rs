//! Questions that a clerk raises: only those that yes or no answers, and that are about the matter.

use crate::engines::shared::view_prompts;
use crate::engines::talk::question_matching::{asks_about_people, is_open_question};
use crate::engines::talk::replies::decode;
use crate::engines::talk::state::Talk;
use crate::kernel::degenerate::is_crux_of_instructions;

/// Instructions whose words are no question of a debate.
const INSTRUCTIONS: [&str; 2] = [include_str!("dispute_clerk/dispute_clerk.md"), include_str!("rooms/rooms.md")];

/// Checks that a text is a yes-or-no question about the matter, in a talk.
///
/// # Errors
/// A message that describes the problem.
pub fn question(talk: &Talk, given: &str) -> Result<String, String> {
    let names = talk.participants.iter().map(|participant| participant.name.as_str());
    question_about_the_matter(given, names, &INSTRUCTIONS)
}

/// Checks that a text is a yes-or-no question about the matter: neither about people with these names, nor one that repeats
/// the instructions that it answers.
///
/// # Errors
/// A message that describes the problem.
pub fn question_about_the_matter<'a>(
    given: &str,
    names: impl Iterator<Item = &'a str>,
    instructions: &[&str],
) -> Result<String, String> {
    let question = decode::statement("question", given)?;
    if is_open_question(&question) {
        return Err(format!("raises {}, which is not a yes-or-no question", view_prompts::excerpt(&question)));
    }
    if instructions.iter().any(|instructions| is_crux_of_instructions(&question, instructions)) {
        return Err(format!("raises {}, which repeats the instructions", view_prompts::excerpt(&question)));
    }
    if asks_about_people(&question, names) {
        let asked = view_prompts::excerpt(&question);
        return Err(format!("asks about participants, and not about the matter: {asked}"));
    }
    Ok(question)
}
