//! A debate as a map: what counts, who said it, who attacks whom, and what stands.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use crate::argumentation::labelling::Label;
use crate::events::argument::{AttackKind, Component};
use crate::events::ids::{ArgumentId, AttackId, DebateId, PersonaId, TurnId};
use crate::projections::argument_graph::Attack;
use crate::verdicts::board::Board;

/// What counts of a debate, in the order of its names.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// The debate.
    pub debate: Option<DebateId>,
    /// As of which version.
    pub version: i64,
    /// When its last event was recorded.
    pub at: Option<DateTime<Utc>>,
    /// What is debated.
    pub topic: String,
    /// Whoever advanced an argument that counts, in speaking order.
    pub speakers: Vec<Speaker>,
    /// The live arguments, ascending.
    pub arguments: Vec<Stated>,
    /// The valid attacks between them, ascending.
    pub attacks: Vec<Strike>,
    /// Arguments that were advanced and do not count.
    pub n_idle_arguments: usize,
    /// Attacks that were raised and do not count.
    pub n_idle_attacks: usize,
}

/// Who speaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Speaker {
    /// The persona.
    pub persona: PersonaId,
    /// Its name for people; the id where there is none.
    pub name: String,
}

/// An argument that counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Stated {
    /// The argument.
    pub id: ArgumentId,
    /// Whose it is: a place in [`Map::speakers`].
    pub speaker: usize,
    /// The turn in which it was advanced.
    pub turn: TurnId,
    /// What it concludes.
    pub claim: String,
    /// What it is concluded from.
    pub premises: Vec<String>,
    /// What it takes for granted.
    pub assumptions: Vec<String>,
    /// What becomes of it.
    pub label: Label,
    /// Whether it answers the topic.
    pub is_thesis: bool,
}

/// An attack that counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Strike {
    /// The attack.
    pub id: AttackId,
    /// Who attacks: a place in [`Map::arguments`].
    pub source: usize,
    /// Who is attacked: a place in [`Map::arguments`].
    pub target: usize,
    /// The turn in which it was raised.
    pub turn: TurnId,
    /// How it works.
    pub kind: AttackKind,
    /// What it hits.
    pub component: Component,
    /// Whether the target attacks back by it.
    pub is_mutual: bool,
    /// Why the one tells against the other.
    pub rationale: String,
}

/// All that goes on between two arguments, as one line of a drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The argument from which the first attack came: a place in [`Map::arguments`].
    pub source: usize,
    /// The other one.
    pub target: usize,
    /// Whether there are attacks in both directions.
    pub is_mutual: bool,
    /// The attacks: places in [`Map::attacks`].
    pub attacks: Vec<usize>,
    /// How the most direct of them works.
    pub kind: AttackKind,
}

impl Map {
    /// The map of a debate.
    pub fn of(board: &Board) -> Self {
        let graph = &board.arguments;
        let labels = graph.labels();
        let mut speakers: Vec<Speaker> = Vec::new();
        for participant in &board.summary.participants {
            if graph.live().any(|(_, it)| it.advanced.speaker == participant.persona) {
                speakers.push(Speaker { persona: participant.persona.clone(), name: participant.name.clone() });
            }
        }
        let mut arguments = Vec::new();
        for (id, argument) in graph.live() {
            let said = &argument.advanced;
            let speaker = speakers.iter().position(|it| it.persona == said.speaker).unwrap_or_else(|| {
                speakers.push(Speaker { persona: said.speaker.clone(), name: said.speaker.to_string() });
                speakers.len() - 1
            });
            arguments.push(Stated {
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
        let places: BTreeMap<ArgumentId, usize> = arguments.iter().zip(0..).map(|(it, place)| (it.id, place)).collect();
        let attacks: Vec<Strike> = graph.active().filter_map(|(id, it)| strike(id, it, &places)).collect();
        Self {
            debate: board.summary.debate,
            version: board.summary.version,
            at: board.summary.updated_at,
            topic: board.summary.topic.clone(),
            n_idle_arguments: graph.arguments.len() - arguments.len(),
            n_idle_attacks: graph.attacks.len() - attacks.len(),
            speakers,
            arguments,
            attacks,
        }
    }

    /// The attacks, those between the same two arguments as one line; those on themselves apart.
    pub fn lines(&self) -> Vec<Line> {
        let mut lines: Vec<Line> = Vec::new();
        let mut places: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for (number, attack) in self.attacks.iter().enumerate() {
            let pair = (attack.source.min(attack.target), attack.source.max(attack.target));
            let place = *places.entry(pair).or_insert_with(|| {
                let (source, target) = (attack.source, attack.target);
                lines.push(Line { source, target, is_mutual: false, attacks: Vec::new(), kind: attack.kind });
                lines.len() - 1
            });
            let line = &mut lines[place];
            line.attacks.push(number);
            line.is_mutual |= line.source != line.target && (attack.is_mutual || attack.source != line.source);
            line.kind = line.kind.min(attack.kind);
        }
        lines
    }

    /// What is in it and what is not, in words.
    pub fn told(&self) -> String {
        let mut told =
            format!("{}, {}", counted(self.arguments.len(), "argument"), counted(self.attacks.len(), "attack"));
        if self.n_idle_arguments + self.n_idle_attacks > 0 {
            let idle = (counted(self.n_idle_arguments, "argument"), counted(self.n_idle_attacks, "attack"));
            told += &format!(" that count; {} and {} do not and are left out", idle.0, idle.1);
        }
        told
    }
}

fn strike(id: AttackId, attack: &Attack, places: &BTreeMap<ArgumentId, usize>) -> Option<Strike> {
    Some(Strike {
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

/// The word for a label.
pub fn label_name(label: Label) -> &'static str {
    match label {
        Label::In => "IN",
        Label::Out => "OUT",
        Label::Undec => "UNDEC",
    }
}

/// The word for a kind of attack.
pub fn kind_name(kind: AttackKind) -> &'static str {
    match kind {
        AttackKind::Rebut => "rebut",
        AttackKind::Undermine => "undermine",
        AttackKind::Undercut => "undercut",
    }
}
