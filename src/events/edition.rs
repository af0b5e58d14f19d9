//! Which version of a persona this is, and what differs between two.
//!
//! The number in a persona's file is raised by hand, and hands forget. So contract and voice have versions of their own: the
//! first [`DIGITS`] hexadecimal digits of the SHA-256 of their JSON. They are computed from what a debate pinned, and stand in
//! no event: debates of any age have them, and two that are equal were held with the same words.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::events::persona::Persona;

/// Digits of a version: enough that two versions of one persona never meet by chance.
pub const DIGITS: usize = 12;

/// Which version of a persona this is: `3-0f1e2d3c4b5a-a5b4c3d2e1f0`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Edition {
    /// The number that is raised by hand.
    pub number: i32,
    /// The version of the contract: of the name, the line about the persona, and what it holds.
    pub contract: String,
    /// The version of the voice.
    pub voice: String,
}

impl Edition {
    /// The version of this persona. Linear in it.
    pub fn of(persona: &Persona) -> Edition {
        let Persona { name, about, version, contract, voice, .. } = persona;
        Edition { number: *version, contract: digits(&(name, about, contract)), voice: digits(voice) }
    }

    /// Whether contract and voice are the same, whatever the numbers say.
    pub fn says_the_same(&self, other: &Edition) -> bool {
        (&self.contract, &self.voice) == (&other.contract, &other.voice)
    }
}

impl fmt::Display for Edition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.number, self.contract, self.voice)
    }
}

fn digits(value: &impl Serialize) -> String {
    // Texts, lists and maps by text always have a JSON.
    let json = serde_json::to_vec(value).unwrap_or_default();
    let mut digits: String = Sha256::digest(json).iter().map(|byte| format!("{byte:02x}")).collect();
    digits.truncate(DIGITS);
    digits
}

/// What differs in one field between two versions of a persona.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The field, as its file has it: `contract.stakes`, `voice.examples.opening`.
    pub field: String,
    /// What only the earlier one says.
    pub removed: Vec<String>,
    /// What only the later one says.
    pub added: Vec<String>,
}

/// What differs between two versions of a persona, field by field, in the order of its file. A list that only changed its
/// order does not differ.
pub fn changes(before: &Persona, after: &Persona) -> Vec<Change> {
    let (earlier, later) = (fields(before), fields(after));
    let names: Vec<&String> = later.iter().map(|(name, _)| name).collect();
    let gone = earlier.iter().map(|(name, _)| name).filter(|it| !names.contains(it));
    let of = |fields: &[(String, Vec<String>)], name: &String| -> Vec<String> {
        fields.iter().find(|(it, _)| it == name).map(|(_, texts)| texts.clone()).unwrap_or_default()
    };
    let without = |texts: &[String], others: &[String]| -> Vec<String> {
        let others: BTreeSet<&String> = others.iter().collect();
        texts.iter().filter(|it| !others.contains(it)).cloned().collect()
    };
    let changed = names.iter().copied().chain(gone).map(|name| {
        let (was, is) = (of(&earlier, name), of(&later, name));
        Change { field: name.clone(), removed: without(&was, &is), added: without(&is, &was) }
    });
    changed.filter(|it| !it.removed.is_empty() || !it.added.is_empty()).collect()
}

/// All texts of a persona by field, in the order of its file.
pub fn fields(persona: &Persona) -> Vec<(String, Vec<String>)> {
    let Persona { name, about, version, contract, voice, .. } = persona;
    let one = |field: &str, text: &String| (field.to_owned(), vec![text.clone()]);
    let many = |field: &str, texts: &[String]| (field.to_owned(), texts.to_vec());
    let mut fields = vec![
        one("name", name),
        one("about", about),
        one("version", &version.to_string()),
        one("contract.personality", &contract.personality),
        one("contract.bias", &contract.bias),
        one("contract.stakes", &contract.stakes),
        one("contract.epistemology", &contract.epistemology),
        one("contract.time_horizon", &contract.time_horizon),
        many("contract.flip_conditions", &contract.flip_conditions),
        one("contract.evidence_policy", &contract.evidence_policy),
        many("voice.speech_patterns", &voice.speech_patterns),
        many("voice.vocabulary", &voice.vocabulary),
        many("voice.forbidden_phrases", &voice.forbidden_phrases),
    ];
    fields.extend(voice.examples.iter().map(|(situation, lines)| many(&format!("voice.examples.{situation}"), lines)));
    fields.extend(voice.registers.iter().map(|(turn, how)| one(&format!("voice.registers.{turn}"), how)));
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::persona::{Contract, Voice};

    fn ada() -> Persona {
        Persona {
            id: "ada".parse().expect("a name"),
            name: "Ada".into(),
            about: "Clerk".into(),
            version: 3,
            contract: Contract {
                flip_conditions: vec!["If it stood.".into(), "If it fell.".into()],
                ..Contract::default()
            },
            voice: Voice { vocabulary: vec!["lime".into()], ..Voice::default() },
        }
    }

    #[test]
    fn contract_and_voice_have_versions_of_their_own() {
        let edition = Edition::of(&ada());
        // What is computed once must be computed for ever: stored versions are compared with it.
        assert_eq!(edition.to_string(), "3-9e2059a40d6e-f55a7616dc98");
        let voiced = Persona { voice: Voice::default(), ..ada() };
        let told = Persona { about: "Retired".into(), ..ada() };
        assert_eq!(Edition::of(&voiced).contract, edition.contract);
        assert_ne!(Edition::of(&voiced).voice, edition.voice);
        assert_ne!(Edition::of(&told).contract, edition.contract);
        let raised = Edition::of(&Persona { version: 4, ..ada() });
        assert!(raised.says_the_same(&edition) && raised != edition);
    }

    #[test]
    fn changes_are_told_field_by_field() {
        let mut after = ada();
        after.contract.flip_conditions = vec!["If it fell.".into(), "If it were paid.".into()];
        after.voice.examples.insert("opening".into(), vec!["The wall first.".into()]);
        let told: Vec<String> = changes(&ada(), &after)
            .iter()
            .map(|it| format!("{} -{:?} +{:?}", it.field, it.removed, it.added))
            .collect();
        assert_eq!(
            told,
            [
                "contract.flip_conditions -[\"If it stood.\"] +[\"If it were paid.\"]",
                "voice.examples.opening -[] +[\"The wall first.\"]",
            ]
        );
        assert_eq!(changes(&after, &ada()).len(), 2);
        after = ada();
        after.contract.flip_conditions.reverse();
        assert_eq!(changes(&ada(), &after), []);
    }
}
