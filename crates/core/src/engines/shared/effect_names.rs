//! Names of calls in the reasons of endings.

use crate::events::persona::Persona;
use crate::events::receipt::EffectKey;

/// Names calls by their participants, or as the clerk's: `Ada Quill's attack and the judgement`. `None` for no calls.
pub fn named<'a>(participants: &[Persona], calls: impl Iterator<Item = &'a EffectKey>) -> Option<String> {
    let name = |key: &EffectKey| {
        let purpose = key.purpose_in_words();
        let subject = participants.iter().find(|participant| participant.id.as_str() == key.subject);
        subject.map_or_else(|| format!("the {purpose}"), |participant| format!("{}'s {purpose}", participant.name))
    };
    let names: Vec<String> = calls.map(name).collect();
    match names.as_slice() {
        [] => None,
        [one] => Some(format!("{one} was")),
        [most @ .., last] => Some(format!("{} and {last} were", most.join(", "))),
    }
}
