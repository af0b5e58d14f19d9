//! Changes of a dialogue's graph that the old engine sent together, as the result of one crystallization.
//!
//! A batch ends with an event that changes neither the graph nor the disputes, so the old events depend on the log
//! alone: a client that reconnects receives the same ones.

use serde_json::{Value, json};

use crate::events::event::Event;
use crate::events::turn::ConcessionMade;
use crate::export::legacy::legacy_debate::{LegacyDebate, argument_name, attack_name};

/// Changes that are not sent yet.
#[derive(Clone, Debug, Default)]
pub struct CrystalBatch {
    new_arguments: Vec<Value>,
    updated_arguments: Vec<Value>,
    removed_arguments: Vec<String>,
    new_attacks: Vec<Value>,
    removed_attacks: Vec<String>,
    /// Concessions, which follow the crystallization.
    pub concessions: Vec<ConcessionMade>,
}

impl CrystalBatch {
    /// True if an event belongs to a crystallization: it changes the graph, or is recorded along with such changes.
    pub fn includes(event: &Event) -> bool {
        matches!(
            event,
            Event::TurnsCrystallized(_)
                | Event::ClaimsCompared(_)
                | Event::ArgumentAdvanced(_)
                | Event::ArgumentAttributed(_)
                | Event::ArgumentRevised(_)
                | Event::ArgumentWithdrawn(_)
                | Event::AttackRaised(_)
                | Event::AttackJudged(_)
                | Event::AttackWithdrawn(_)
                | Event::ConcessionMade(_)
                | Event::DisputeRaised(_)
                | Event::DisputeLinked(_)
                | Event::DisputeRetired(_)
                | Event::StanceTaken(_)
                | Event::ReasonGiven(_)
                | Event::ReasonWithdrawn(_)
        )
    }

    /// Adds the change that an event makes, if it makes one. An attack is added once it is valid.
    pub fn add(&mut self, legacy: &LegacyDebate, event: &Event) {
        let graph = &legacy.read_model.arguments;
        match event {
            Event::ArgumentAdvanced(advanced) => self.new_arguments.push(legacy.argument(advanced)),
            Event::ArgumentRevised(revised) => {
                let now = graph.arguments.get(&revised.argument).map(|argument| &argument.advanced);
                let id = argument_name(revised.argument);
                let updated = now.map(|now| json!({ "id": id, "claim": now.claim, "assumptions": now.assumptions }));
                self.updated_arguments.extend(updated);
            }
            Event::ArgumentWithdrawn(withdrawn) => self.removed_arguments.push(argument_name(withdrawn.argument)),
            Event::AttackJudged(judged) if judged.valid => {
                let attack = graph.attacks.get(&judged.attack).map(|attack| legacy.attack(&attack.raised));
                self.new_attacks.extend(attack);
            }
            Event::AttackJudged(judged) => self.removed_attacks.push(attack_name(judged.attack)),
            Event::AttackWithdrawn(withdrawn) => self.removed_attacks.push(attack_name(withdrawn.attack)),
            Event::ConcessionMade(made) => self.concessions.push(made.clone()),
            _ => {}
        }
    }

    /// Returns the crystallization; `None` if nothing changed.
    pub fn crystallization(&self) -> Option<Value> {
        let is_empty = self.new_arguments.is_empty()
            && self.updated_arguments.is_empty()
            && self.removed_arguments.is_empty()
            && self.new_attacks.is_empty()
            && self.removed_attacks.is_empty();
        let result = json!({
            "newArgs": self.new_arguments,
            "updatedArgs": self.updated_arguments,
            "removedArgIds": self.removed_arguments,
            "newAttacks": self.new_attacks,
            "removedAttackIds": self.removed_attacks,
        });
        (!is_empty).then(|| json!({ "type": "crystallization", "result": result }))
    }
}
