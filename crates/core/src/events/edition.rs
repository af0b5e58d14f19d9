//! Persona versions, and the differences between two of them.
//!
//! The version number in a persona's file is raised by hand and can be forgotten. Contract and voice therefore have
//! versions of their own: the first [`DIGITS`] hexadecimal digits of the SHA-256 of their JSON. They are computed from
//! the persona a debate pinned and are stored in no event, so they exist for debates of any age; two equal versions
//! mean equal texts.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::events::persona::Persona;

/// Digits of a version: enough to make accidental collisions between versions of one persona negligible.
pub const DIGITS: usize = 12;

/// Version of a persona: `3-0f1e2d3c4b5a-a5b4c3d2e1f0`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Edition {
    /// The number raised by hand.
    pub number: i32,
    /// Version of the contract. It covers the name, the description and the contract.
    pub contract: String,
    /// Version of the voice.
    pub voice: String,
}

impl Edition {
    /// Computes the version of a persona. Linear in its size.
    pub fn of(persona: &Persona) -> Edition {
        let Persona { name, about, version, contract, voice, .. } = persona;
        Edition { number: *version, contract: digits(&(name, about, contract)), voice: digits(voice) }
    }

    /// Returns true if contract and voice are equal, regardless of the numbers.
    pub fn has_same_texts(&self, other: &Edition) -> bool {
        (&self.contract, &self.voice) == (&other.contract, &other.voice)
    }
}

impl fmt::Display for Edition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.number, self.contract, self.voice)
    }
}

fn digits(value: &impl Serialize) -> String {
    // Strings, lists and maps with string keys always serialize.
    let json = serde_json::to_vec(value).unwrap_or_default();
    let mut digits: String = Sha256::digest(json).iter().map(|byte| format!("{byte:02x}")).collect();
    digits.truncate(DIGITS);
    digits
}

/// Difference between two versions of a persona in one field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldDiff {
    /// Path of the field in the persona's file: `contract.stakes`, `voice.examples.opening`.
    pub field: String,
    /// Texts only in the earlier version.
    pub removed: Vec<String>,
    /// Texts only in the later version.
    pub added: Vec<String>,
}

/// Lists the differences between two versions of a persona, field by field in file order. A list that was only
/// reordered does not differ.
pub fn diff(before: &Persona, after: &Persona) -> Vec<FieldDiff> {
    let (earlier, later) = (fields(before), fields(after));
    let names: Vec<&String> = later.iter().map(|(name, _)| name).collect();
    let gone = earlier.iter().map(|(name, _)| name).filter(|name| !names.contains(name));
    let of = |fields: &[(String, Vec<String>)], name: &String| -> Vec<String> {
        fields.iter().find(|(field, _)| field == name).map(|(_, texts)| texts.clone()).unwrap_or_default()
    };
    let without = |texts: &[String], others: &[String]| -> Vec<String> {
        let others: BTreeSet<&String> = others.iter().collect();
        texts.iter().filter(|text| !others.contains(text)).cloned().collect()
    };
    let changed = names.iter().copied().chain(gone).map(|name| {
        let (was, is) = (of(&earlier, name), of(&later, name));
        FieldDiff { field: name.clone(), removed: without(&was, &is), added: without(&is, &was) }
    });
    changed.filter(|change| !change.removed.is_empty() || !change.added.is_empty()).collect()
}

/// Returns all texts of a persona by field, in file order.
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
        many("contract.anchors", &contract.anchors),
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
    fn contract_and_voice_are_versioned_separately() {
        let edition = Edition::of(&ada());
        // The digests must never change: stored versions are compared with them.
        assert_eq!(edition.to_string(), "3-9e2059a40d6e-f55a7616dc98");
        let voiced = Persona { voice: Voice::default(), ..ada() };
        let told = Persona { about: "Retired".into(), ..ada() };
        assert_eq!(Edition::of(&voiced).contract, edition.contract);
        assert_ne!(Edition::of(&voiced).voice, edition.voice);
        assert_ne!(Edition::of(&told).contract, edition.contract);
        let raised = Edition::of(&Persona { version: 4, ..ada() });
        assert!(raised.has_same_texts(&edition) && raised != edition);
    }

    #[test]
    fn changes_are_listed_by_field() {
        let mut after = ada();
        after.contract.flip_conditions = vec!["If it fell.".into(), "If it were paid.".into()];
        after.voice.examples.insert("opening".into(), vec!["The wall first.".into()]);
        let told: Vec<String> = diff(&ada(), &after)
            .iter()
            .map(|change| format!("{} -{:?} +{:?}", change.field, change.removed, change.added))
            .collect();
        assert_eq!(
            told,
            [
                "contract.flip_conditions -[\"If it stood.\"] +[\"If it were paid.\"]",
                "voice.examples.opening -[] +[\"The wall first.\"]",
            ]
        );
        assert_eq!(diff(&after, &ada()).len(), 2);
        after = ada();
        after.contract.flip_conditions.reverse();
        assert_eq!(diff(&ada(), &after), []);
    }
}
