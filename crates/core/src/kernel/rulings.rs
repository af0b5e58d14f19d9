//! Reasons of rulings on attacks, conflicts and proposals, held against the rulings themselves.

/// Words that deny what follows them closely.
const DENIALS: &[&str] = &["not", "no", "never", "nor", "neither", "nothing"];
/// Names of what a ruling is about.
const TARGETS: &[&str] = &["target", "claim", "claims", "argument", "arguments", "attacked", "proposal"];

/// Returns true if a reason says that one side supports or agrees with the other. It contradicts a ruling by which they are
/// in conflict, so such a ruling is not counted.
pub fn speaks_for_the_target(reason: &str) -> bool {
    let words: Vec<String> = reason
        .split(|letter: char| !letter.is_alphanumeric())
        .map(str::to_lowercase)
        .filter(|word| !word.is_empty())
        .collect();
    let is_one_of = |at: usize, list: &[&str]| words.get(at).is_some_and(|word| list.contains(&word.as_str()));
    let is_denied = |at: usize| (at.saturating_sub(3)..at).any(|before| is_one_of(before, DENIALS));
    let agrees = |at: usize| match words[at].as_str() {
        "agrees" => is_one_of(at + 1, &["with"]),
        "supports" => is_one_of(at + 1, &["the"]) && is_one_of(at + 2, TARGETS),
        _ => false,
    };
    (0..words.len()).any(|at| agrees(at) && !is_denied(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_that_supports_or_agrees_speaks_for_the_target() {
        for (reason, expected) in [
            ("It agrees with the target.", true),
            ("This supports the claim.", true),
            ("In truth it supports the proposal as it stands.", true),
            ("It does not agree with the target.", false),
            ("Nothing in it supports the claim.", false),
            ("It supports a claim that nobody made.", false),
            ("They cannot both hold.", false),
            ("", false),
        ] {
            assert_eq!(speaks_for_the_target(reason), expected, "{reason}");
        }
    }
}
