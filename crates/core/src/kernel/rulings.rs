//! Reasons of rulings on attacks, conflicts and proposals, held against the rulings themselves.

/// Words that deny what follows them closely.
const DENIALS: &[&str] = &["not", "no", "never", "nor", "neither", "nothing"];
/// Names of what a ruling is about.
const TARGETS: &[&str] = &["target", "claim", "claims", "argument", "arguments", "attacked", "proposal"];

/// Returns true if a reason says that one side supports or agrees with the other. It contradicts a ruling by which they are
/// in conflict, so such a ruling is not counted.
pub fn speaks_for_the_target(reason: &str) -> bool {
    let words = words(reason);
    let is_one_of = |at: usize, list: &[&str]| words.get(at).is_some_and(|word| list.contains(&word.as_str()));
    let is_denied = |at: usize| (at.saturating_sub(3)..at).any(|before| is_one_of(before, DENIALS));
    let agrees = |at: usize| match words[at].as_str() {
        "agrees" => is_one_of(at + 1, &["with"]),
        "supports" => is_one_of(at + 1, &["the"]) && is_one_of(at + 2, TARGETS),
        _ => false,
    };
    (0..words.len()).any(|at| agrees(at) && !is_denied(at))
}

/// Returns true if a sentence of a reason tells an attack the wrong way round: "A attacks B", where B attacked A. A ruling for
/// such a reason is about another attack, or about none, so it is not counted. Names are known by their first word.
pub fn swaps_attacker_and_target(reason: &str, attacker: &str, target: &str) -> bool {
    let first = |name: &str| words(name).into_iter().next();
    let (Some(attacker), Some(target)) = (first(attacker), first(target)) else { return false };
    let is_about = |part: &[String], one: &String, other: &String| part.contains(one) && !part.contains(other);
    reason.split(['.', '!', '?', ';']).map(words).any(|sentence| {
        let verb = sentence.iter().position(|word| word == "attacks");
        verb.is_some_and(|at| {
            is_about(&sentence[..at], &target, &attacker) && is_about(&sentence[at + 1..], &attacker, &target)
        })
    })
}

fn words(text: &str) -> Vec<String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .map(str::to_lowercase)
        .filter(|word| !word.is_empty())
        .collect()
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

    #[test]
    fn a_reason_may_not_tell_the_attack_the_wrong_way_round() {
        for (reason, expected) in [
            ("Edda Tolvane attacks Gus Ormerand's claim.", true),
            ("It is valid. Here Edda attacks what Gus says!", true),
            ("Gus Ormerand attacks Edda Tolvane's claim.", false),
            ("Gus shows that Edda attacks nothing that Gus says.", false),
            ("Edda's count is attacked by Gus.", false),
            ("Edda attacks the council.", false),
            ("Edda counts cars. Nobody attacks Gus.", false),
            ("", false),
        ] {
            assert_eq!(swaps_attacker_and_target(reason, "Gus Ormerand", "Edda Tolvane"), expected, "{reason}");
        }
        assert!(swaps_attacker_and_target("a1 attacks a2.", "a2", "a1"));
        assert!(!swaps_attacker_and_target("Ada attacks Ada.", "Ada", "Ada"));
    }
}
