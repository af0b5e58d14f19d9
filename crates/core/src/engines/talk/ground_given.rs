//! Words that give no ground although they were reported as a concession, or take no side: what a weak model writes that lost
//! track of whose turn it is, or of what it means.

use crate::engines::shared::view_prompts::DisplayNames;
use crate::engines::talk::wording::mentions_name;
use crate::events::ids::PersonaId;

/// Phrases that refuse, in lower case.
const REFUSING: &[&str] = &["not convinced", "unconvinced", "disagree", "not agree", "n't agree"];
/// Words that grant something, in lower case. Beside one of them, a refusal may be about the rest.
const GRANTING: &[&str] = &[
    "accept",
    "acknowledge",
    "admit",
    "concede",
    "correct",
    "fair",
    "grant",
    "granted",
    "granting",
    "right",
    "true",
    "valid",
];

/// Checks that words can be a concession of their speaker to somebody.
///
/// # Errors
/// The reason why they are none, as a clause: they name their speaker and no other participant ("I agree with Ada's point",
/// said by Ada), or only refuse ("I understand your points, but I am not convinced").
pub fn check(names: &DisplayNames, speaker: &PersonaId, words: &str) -> Result<(), &'static str> {
    if names_only(names, speaker, words) {
        return Err("which names nobody else");
    }
    if only_refuses(words) {
        return Err("which grants nothing");
    }
    Ok(())
}

/// Checks that words can take a side for their speaker.
///
/// # Errors
/// The reason why they cannot, as a clause: they agree or disagree with their speaker ("I disagree with Ada's argument", said by
/// Ada), so nobody knows whose side they take.
pub fn check_address(names: &DisplayNames, speaker: &PersonaId, words: &str) -> Result<(), &'static str> {
    let own = names.of(speaker);
    let mut answered = answered(words).filter_map(|rest| rest.split_whitespace().next());
    if answered.any(|word| mentions_name(word, &own)) && names_only(names, speaker, words) {
        return Err("which answers its own speaker");
    }
    Ok(())
}

/// Returns the text behind each "agree with" and "disagree with".
pub fn answered(words: &str) -> impl Iterator<Item = &str> {
    words.split("agree with ").skip(1)
}

fn names_only(names: &DisplayNames, speaker: &PersonaId, words: &str) -> bool {
    let is_named = |name: &str| mentions_name(words, name);
    is_named(&names.of(speaker)) && !names.of_others(speaker).any(is_named)
}

/// Returns true if words refuse and grant nothing.
fn only_refuses(words: &str) -> bool {
    let lower = words.to_lowercase().replace('\u{2019}', "'");
    let mut spoken = lower.split(|letter: char| !letter.is_alphabetic());
    REFUSING.iter().any(|phrase| lower.contains(phrase)) && !spoken.any(|word| GRANTING.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::talk::sample::talk;

    #[test]
    fn words_to_oneself_and_refusals_give_no_ground() {
        let talk = talk(&["ada", "ben"], &["ada: The crew is nine."]);
        let ada = talk.participants[0].id.clone();
        let check = |words: &str, expected: Result<(), &'static str>| {
            assert_eq!(check(&talk.names, &ada, words), expected, "{words}");
        };
        let (to_nobody, of_nothing) = (Err("which names nobody else"), Err("which grants nothing"));
        check("I agree with ada's point.", to_nobody);
        check("I agree with ben's point.", Ok(()));
        check("Both ben and ada are right.", Ok(()));
        check("I agree.", Ok(()));
        check("I understand your points, but I am not convinced.", of_nothing);
        check("I don\u{2019}t agree with you, ben.", of_nothing);
        check("That is true, but I am not convinced of the rest.", Ok(()));
        check("The register is right; on the crew I disagree.", Ok(()));
    }

    #[test]
    fn words_to_oneself_take_no_side() {
        let talk = talk(&["ada", "ben"], &["ada: The crew is nine."]);
        let ada = talk.participants[0].id.clone();
        for (words, expected) in [
            ("I disagree with Ada's argument about the crew.", Err("which answers its own speaker")),
            ("I agree with Ada Quill.", Err("which answers its own speaker")),
            ("I disagree with Ben's argument about the crew.", Ok(())),
            ("I agree with Ada and Ben.", Ok(())),
            ("I, Ada, disagree with the crew.", Ok(())),
            ("The crew is nine.", Ok(())),
        ] {
            assert_eq!(check_address(&talk.names, &ada, words), expected, "{words}");
        }
    }
}
