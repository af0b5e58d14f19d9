//! Words that give no ground although they were reported as a concession: what a weak model writes that lost track of whose
//! turn it is, or of what it means.

use crate::engines::talk::state::Talk;
use crate::engines::talk::wording::mentions_name;
use crate::events::ids::PersonaId;
use crate::events::persona::Persona;

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
pub fn check(talk: &Talk, speaker: &PersonaId, words: &str) -> Result<(), &'static str> {
    if names_only(talk, speaker, words) {
        return Err("which names nobody else");
    }
    if only_refuses(words) {
        return Err("which grants nothing");
    }
    Ok(())
}

fn names_only(talk: &Talk, speaker: &PersonaId, words: &str) -> bool {
    let (own, others): (Vec<_>, Vec<_>) = talk.participants.iter().partition(|participant| participant.id == *speaker);
    let is_named =
        |participants: &[&Persona]| participants.iter().any(|participant| mentions_name(words, &participant.name));
    is_named(&own) && !is_named(&others)
}

/// Returns true if words refuse and grant nothing.
pub fn only_refuses(words: &str) -> bool {
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
            assert_eq!(check(&talk, &ada, words), expected, "{words}");
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
}
