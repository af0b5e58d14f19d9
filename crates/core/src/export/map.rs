//! Argument map of a debate: live arguments, their speakers, valid attacks, and labels.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use crate::events::argument::{ArgumentPart, AttackKind};
use crate::events::ids::{ArgumentId, AttackId, DebateId, PersonaId, TurnId};
use crate::projections::argument_graph::Attack;
use crate::verdicts::read_model::DebateReadModel;
use faultline_argumentation::labelling::Label;

/// Live part of a debate, ordered by ids.
#[derive(Clone, Debug, PartialEq)]
pub struct ArgumentMap {
    /// Id of the debate.
    pub debate: Option<DebateId>,
    /// Version that the map shows.
    pub version: i64,
    /// Time at which the last event was recorded.
    pub at: Option<DateTime<Utc>>,
    /// Topic of the debate.
    pub topic: String,
    /// Speakers of live arguments, in speaking order.
    pub speakers: Vec<MapSpeaker>,
    /// The live arguments, ascending.
    pub arguments: Vec<MapArgument>,
    /// The valid attacks between them, ascending.
    pub attacks: Vec<MapAttack>,
    /// Number of arguments that are not live.
    pub n_inactive_arguments: usize,
    /// Number of attacks that are not valid or whose source or target is not live.
    pub n_inactive_attacks: usize,
}

/// Speaker of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapSpeaker {
    /// Id of the persona.
    pub persona: PersonaId,
    /// Display name; the id if there is none.
    pub name: String,
}

/// Live argument.
#[derive(Clone, Debug, PartialEq)]
pub struct MapArgument {
    /// Id of the argument.
    pub id: ArgumentId,
    /// Speaker of the argument: an index into [`ArgumentMap::speakers`].
    pub speaker: usize,
    /// The turn in which it was advanced.
    pub turn: TurnId,
    /// Conclusion of the argument.
    pub claim: String,
    /// Premises of the argument.
    pub premises: Vec<String>,
    /// Assumptions of the argument.
    pub assumptions: Vec<String>,
    /// Grounded label of the argument.
    pub label: Label,
    /// True if the argument answers the topic.
    pub is_thesis: bool,
}

/// Valid attack between live arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct MapAttack {
    /// Id of the attack.
    pub id: AttackId,
    /// Attacking argument: an index into [`ArgumentMap::arguments`].
    pub source: usize,
    /// Attacked argument: an index into [`ArgumentMap::arguments`].
    pub target: usize,
    /// The turn in which it was raised.
    pub turn: TurnId,
    /// Kind of attack.
    pub kind: AttackKind,
    /// Component of the target that is attacked.
    pub component: ArgumentPart,
    /// True if the target attacks the source as well.
    pub is_mutual: bool,
    /// Reason given for the attack.
    pub rationale: String,
}

/// All attacks between two arguments, drawn as one edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapEdge {
    /// Source of the first attack: an index into [`ArgumentMap::arguments`].
    pub source: usize,
    /// Other argument: an index into [`ArgumentMap::arguments`].
    pub target: usize,
    /// True if there are attacks in both directions.
    pub is_mutual: bool,
    /// Attacks: indices into [`ArgumentMap::attacks`].
    pub attacks: Vec<usize>,
    /// Kind of the most direct attack.
    pub kind: AttackKind,
}

impl ArgumentMap {
    /// Builds the map of a debate.
    pub fn of(read_model: &DebateReadModel) -> Self {
        let graph = &read_model.arguments;
        let labels = graph.labels();
        let mut speakers: Vec<MapSpeaker> = Vec::new();
        for participant in &read_model.summary.participants {
            if graph.live().any(|(_, argument)| argument.advanced.speaker == participant.persona) {
                speakers.push(MapSpeaker { persona: participant.persona.clone(), name: participant.name.clone() });
            }
        }
        let mut arguments = Vec::new();
        for (id, argument) in graph.live() {
            let said = &argument.advanced;
            let speaker = speakers.iter().position(|speaker| speaker.persona == said.speaker).unwrap_or_else(|| {
                speakers.push(MapSpeaker { persona: said.speaker.clone(), name: said.speaker.to_string() });
                speakers.len() - 1
            });
            arguments.push(MapArgument {
                id,
                speaker,
                turn: said.turn,
                claim: said.claim.clone(),
                premises: said.premises.clone(),
                assumptions: said.assumptions.clone(),
                label: labels.get(&id).copied().unwrap_or(Label::Undec),
                is_thesis: said.answers_topic,
            });
        }
        let places: BTreeMap<ArgumentId, usize> =
            arguments.iter().zip(0..).map(|(argument, place)| (argument.id, place)).collect();
        let attacks: Vec<MapAttack> = graph.active().filter_map(|(id, attack)| strike(id, attack, &places)).collect();
        Self {
            debate: read_model.summary.debate,
            version: read_model.summary.version,
            at: read_model.summary.updated_at,
            topic: read_model.summary.topic.clone(),
            n_inactive_arguments: graph.arguments.len() - arguments.len(),
            n_inactive_attacks: graph.attacks.len() - attacks.len(),
            speakers,
            arguments,
            attacks,
        }
    }

    /// Groups the attacks between the same two arguments into one edge. Self-attacks get an edge of their own.
    pub fn edges(&self) -> Vec<MapEdge> {
        let mut lines: Vec<MapEdge> = Vec::new();
        let mut places: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for (number, attack) in self.attacks.iter().enumerate() {
            let pair = (attack.source.min(attack.target), attack.source.max(attack.target));
            let place = *places.entry(pair).or_insert_with(|| {
                let (source, target) = (attack.source, attack.target);
                lines.push(MapEdge { source, target, is_mutual: false, attacks: Vec::new(), kind: attack.kind });
                lines.len() - 1
            });
            let line = &mut lines[place];
            line.attacks.push(number);
            line.is_mutual |= line.source != line.target && (attack.is_mutual || attack.source != line.source);
            line.kind = line.kind.min(attack.kind);
        }
        lines
    }

    /// Summary of the map's contents and of what it omits, in words.
    pub fn summary(&self) -> String {
        let mut told =
            format!("{}, {}", counted(self.arguments.len(), "argument"), counted(self.attacks.len(), "attack"));
        if self.n_inactive_arguments + self.n_inactive_attacks > 0 {
            let idle = (counted(self.n_inactive_arguments, "argument"), counted(self.n_inactive_attacks, "attack"));
            told += &format!("; omitted as inactive: {} and {}", idle.0, idle.1);
        }
        told
    }
}

fn strike(id: AttackId, attack: &Attack, places: &BTreeMap<ArgumentId, usize>) -> Option<MapAttack> {
    Some(MapAttack {
        id,
        source: *places.get(&attack.raised.source)?,
        target: *places.get(&attack.raised.target)?,
        turn: attack.raised.turn,
        kind: attack.kind(),
        component: attack.component(),
        is_mutual: attack.is_mutual(),
        rationale: attack.raised.rationale.clone(),
    })
}

fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Name of a label.
pub fn label_name(label: Label) -> &'static str {
    match label {
        Label::In => "IN",
        Label::Out => "OUT",
        Label::Undec => "UNDEC",
    }
}

/// Name of a kind of attack.
pub fn kind_name(kind: AttackKind) -> &'static str {
    match kind {
        AttackKind::Rebut => "rebut",
        AttackKind::Undermine => "undermine",
        AttackKind::Undercut => "undercut",
    }
}
