//! Words in which a speaker agrees with themselves by name: what a weak model writes that lost track of whose turn it is.

use crate::engines::talk::state::Talk;
use crate::engines::talk::wording::mentions_name;
use crate::events::ids::PersonaId;
use crate::events::persona::Persona;

/// Returns true if words name their speaker, and no other participant: "I agree with Ada's point", said by Ada, gives ground
/// to nobody.
pub fn names_only_the_speaker(talk: &Talk, speaker: &PersonaId, words: &str) -> bool {
    let (own, others): (Vec<_>, Vec<_>) = talk.participants.iter().partition(|participant| participant.id == *speaker);
    let is_named =
        |participants: &[&Persona]| participants.iter().any(|participant| mentions_name(words, &participant.name));
    is_named(&own) && !is_named(&others)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::talk::sample::talk;

    #[test]
    fn who_names_only_themselves_gives_ground_to_nobody() {
        let talk = talk(&["ada", "ben"], &["ada: The crew is nine."]);
        let ada = talk.participants[0].id.clone();
        let [own, other] = [0, 1].map(|index| talk.participants[index].name.clone());
        let check = |words: String, expected: bool| {
            assert_eq!(names_only_the_speaker(&talk, &ada, &words), expected, "{words}");
        };
        check(format!("I agree with {own}'s point."), true);
        check(format!("I agree with {other}'s point."), false);
        check(format!("{other} and {own} are both right."), false);
        check("I agree.".to_owned(), false);
    }
}
