//! Plan of an experiment: its topics, arms and seeds, and the debate that each combination stands for.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::events::ids::{DebateId, PersonaId};
use crate::events::lifecycle::DebateLimits;

/// Namespace of the ids of an experiment's debates.
const NAMESPACE: Uuid = Uuid::from_u128(0x5f1c_2b0a_4e8d_5c3a_9b7e_6d21_f04c_a8e3);

/// Plan of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Name of the experiment, the title of its report.
    pub name: String,
    /// Question that it is to answer, shown in the report.
    #[serde(default)]
    pub about: String,
    /// Seeds; each combination of topic and arm is debated once with each.
    pub seeds: Vec<u64>,
    /// Measures that are compared, by their keys.
    pub measures: Vec<String>,
    /// Name of the arm that the others are compared with; the first one by default.
    #[serde(default)]
    pub baseline: Option<String>,
    /// Number of debates that run at once.
    #[serde(default = "one_at_a_time")]
    pub at_once: usize,
    /// Limits of each debate.
    #[serde(default)]
    pub limits: DebateLimits,
    /// Topics, each with its participants.
    pub topics: Vec<ExperimentTopic>,
    /// Ways of debating that are compared.
    pub arms: Vec<Arm>,
}

fn one_at_a_time() -> usize {
    1
}

/// Topic of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExperimentTopic {
    /// The topic.
    pub topic: String,
    /// Participants in speaking order.
    pub personas: Vec<PersonaId>,
}

/// Way of debating that is compared with others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arm {
    /// Name of the arm.
    pub name: String,
    /// Engine.
    pub engine: String,
    /// Options of the engine.
    #[serde(default)]
    pub options: BTreeMap<String, serde_json::Value>,
    /// Provider.
    pub provider: String,
    /// Models of participants at the provider, by persona.
    #[serde(default)]
    pub models: BTreeMap<PersonaId, String>,
}

/// Debate of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct ExperimentCell<'a> {
    /// Topic, with its participants.
    pub topic: &'a ExperimentTopic,
    /// The arm.
    pub arm: &'a Arm,
    /// The seed.
    pub seed: u64,
    /// Id of the debate: the same for the same topic, arm and seed, so that a run that was interrupted is resumed, and debates
    /// are shared between experiments that contain them.
    pub debate: DebateId,
}

impl Experiment {
    /// Lists all debates: by seed, then by topic, then by arm, so that an interrupted run has compared all arms on some seeds.
    pub fn cells(&self) -> Vec<ExperimentCell<'_>> {
        let seeds = self.seeds.iter();
        seeds
            .flat_map(|seed| self.topics.iter().map(move |topic| (seed, topic)))
            .flat_map(|(seed, topic)| self.arms.iter().map(move |arm| (*seed, topic, arm)))
            .map(|(seed, topic, arm)| ExperimentCell { topic, arm, seed, debate: self.debate(topic, arm, seed) })
            .collect()
    }

    /// Name of the arm that the others are compared with.
    pub fn baseline(&self) -> &str {
        let first = || self.arms.first().map_or("", |arm| arm.name.as_str());
        self.baseline.as_deref().unwrap_or_else(first)
    }

    fn debate(&self, topic: &ExperimentTopic, arm: &Arm, seed: u64) -> DebateId {
        // Without the arm's name, which decides nothing in the debate.
        let settings = (&arm.engine, &arm.options, &arm.provider, &arm.models);
        let identity = serde_json::to_vec(&(settings, topic, &self.limits, seed)).unwrap_or_default();
        DebateId(Uuid::new_v5(&NAMESPACE, &identity))
    }
}
