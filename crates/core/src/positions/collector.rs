//! Subject of a check and its collected findings.

use std::collections::{BTreeMap, BTreeSet};

use crate::events::ids::PersonaId;
use crate::positions::finding::{FindingKind, PositionsFinding};
use crate::positions::model::{AnnotatedClaim, ClaimRef, Positions, TopicPositions};

/// Positions of other personas, by id.
pub type OtherPositions = BTreeMap<PersonaId, Positions>;

/// Topic under check, with the positions of others, and the findings so far.
pub struct Collector<'a> {
    /// Persona whose positions are checked.
    pub persona: &'a PersonaId,
    /// Topic that is checked.
    pub topic: &'a TopicPositions,
    /// Positions of other personas.
    pub others: &'a OtherPositions,
    /// Personas that are named but have no positions.
    pub absent: BTreeSet<PersonaId>,
    /// Findings, in the order in which they were found.
    pub findings: Vec<PositionsFinding>,
}

impl<'a> Collector<'a> {
    /// Adds a finding about an entry of the topic. `key` is relative to the topic; empty for the topic itself.
    pub fn find(&mut self, kind: FindingKind, line: usize, key: &str, what: String) {
        let slash = if key.is_empty() { "" } else { "/" };
        let key = format!("{}{slash}{key}", self.topic.name);
        self.findings.push(PositionsFinding { line: Some(line), key, kind, what });
    }

    /// Returns the other personas that have positions on the topic.
    pub fn others_on_topic(&self) -> impl Iterator<Item = (&'a PersonaId, &'a TopicPositions)> + use<'a> {
        let (persona, name, others) = (self.persona, &self.topic.name, self.others);
        others.iter().filter(move |(id, _)| *id != persona).filter_map(move |(id, all)| Some((id, all.topic(name)?)))
    }

    /// Returns the claim of another persona that a reference names, with the positions that contain it. Otherwise
    /// reports why there is no such claim; a persona without positions is reported once. `prefix` begins the report.
    pub fn claim_of_other(
        &mut self,
        to: &ClaimRef,
        line: usize,
        key: &str,
        prefix: &str,
    ) -> Option<(&'a TopicPositions, &'a AnnotatedClaim)> {
        let persona = &to.persona;
        let all = self.others.get(persona);
        let topic = all.and_then(|all| all.topic(&self.topic.name));
        let claim = topic.and_then(|topic| Some((topic, topic.claim(&to.claim)?)));
        let what = match (all, topic, claim) {
            _ if persona == self.persona => {
                format!("{to} is a claim of the persona itself; name a claim of another persona")
            }
            (_, _, Some(found)) => return Some(found),
            (_, Some(topic), None) => {
                let names: Vec<&str> = topic.claims.iter().map(|claim| claim.name.as_str()).collect();
                format!("{persona} has no claim {:?}; it has: {}", to.claim, names.join(", "))
            }
            (Some(_), None, _) => format!("{persona} has no positions on the topic {:?}", self.topic.name),
            (None, ..) if !self.absent.insert(persona.clone()) => return None,
            (None, ..) => {
                format!(
                    "{persona} has no positions file that can be read; write or fix it, or remove what refers to it"
                )
            }
        };
        self.find(FindingKind::Reference, line, key, format!("{prefix}{what}"));
        None
    }

    /// Reports a short name that is no claim of the persona on the topic.
    pub fn own_claim(&mut self, name: &str, line: usize, key: &str) {
        if self.topic.claim(name).is_none() {
            let names: Vec<&str> = self.topic.claims.iter().map(|claim| claim.name.as_str()).collect();
            let what = format!("there is no own claim {name:?}; the topic has: {}", names.join(", "));
            self.find(FindingKind::Reference, line, key, what);
        }
    }
}
