//! A debate's events under the names of the systems before this one, for clients that know only those.
//!
//! What the graph engine told is spoken for debates of the engine `graph`, what the dialogue ("v2") told for all others. One
//! event of ours is none, one or several of theirs; what they had no word for is not told. What they concluded is told as
//! it is computed here: labels are never empty, and a regime never says more than the verdict.

use serde_json::{Map, Value, json};

use crate::argumentation::labelling::Label;
use crate::events::argument::{ArgumentAdvanced, AttackJudged, AttackKind, AttackRaised, Component};
use crate::events::event::{Event, Recorded};
use crate::events::ids::{ArgumentId, AttackId, PersonaId, TurnId};
use crate::export::{legacy_dialogue, legacy_graph};
use crate::verdicts::board::Board;
use crate::verdicts::verdict::Verdict;

/// Whoever tells a debate in the old names. Tell it every event, from the first on.
#[derive(Debug, Default)]
pub struct Legacy {
    /// The debate so far.
    pub board: Board,
    /// The number of the present phase of a dialogue; 0 before the first.
    pub phase: u32,
    /// What was whispered to the next speaker.
    pub hint: Option<String>,
    speaks_graph: bool,
}

impl Legacy {
    /// The next event, in the old names.
    ///
    /// Cost: that of a verdict where a phase or the debate ends.
    pub fn tell(&mut self, recorded: &Recorded) -> Vec<Value> {
        if let Some(opened) = recorded.event.opening() {
            self.speaks_graph = opened.engine == "graph";
        }
        // A phase tells of the graph as the one before it left it.
        let before = matches!(recorded.event, Event::PhaseEntered(_)).then(|| self.board.verdict());
        self.board.apply(recorded);
        if self.speaks_graph {
            legacy_graph::tell(self, recorded, before.as_ref())
        } else {
            legacy_dialogue::tell(self, recorded, before.as_ref())
        }
    }

    /// A participant, by its name for people.
    pub fn name<'a>(&'a self, persona: &'a PersonaId) -> &'a str {
        let found = self.board.summary.participants.iter().find(|it| it.persona == *persona);
        found.map_or(persona.as_str(), |it| it.name.as_str())
    }

    /// All participants, by their names for people.
    pub fn names(&self) -> Vec<&str> {
        self.board.summary.participants.iter().map(|it| it.name.as_str()).collect()
    }

    /// The round of a turn; 0 where the engine has none.
    pub fn round(&self, turn: TurnId) -> u32 {
        let mut turns = self.board.transcript.turns.iter().rev();
        turns.find(|it| it.turn == turn).and_then(|it| it.round).unwrap_or(0)
    }

    /// An argument as all the old systems wrote it.
    pub fn argument(&self, it: &ArgumentAdvanced) -> Value {
        let evidence: Vec<&str> = it.evidence.iter().map(|it| it.text.as_str()).collect();
        json!({
            "id": argument_name(it.argument),
            "speakerId": self.name(&it.speaker),
            "claim": it.claim,
            "premises": it.premises,
            "assumptions": it.assumptions,
            "evidence": evidence,
            "round": self.round(it.turn),
        })
    }

    /// An attack as all the old systems wrote it.
    pub fn attack(&self, it: &AttackRaised) -> Value {
        let (component, index) = match it.component {
            Component::Claim => ("claim", 0),
            Component::Premise(index) => ("premise", index),
            Component::Assumption(index) => ("assumption", index),
        };
        let kind = match it.kind {
            AttackKind::Rebut => "rebut",
            AttackKind::Undermine => "undermine",
            AttackKind::Undercut => "undercut",
        };
        let claim = self.board.arguments.arguments.get(&it.source).map(|it| it.advanced.claim.as_str());
        json!({
            "id": attack_name(it.attack),
            "fromArgId": argument_name(it.source),
            "toArgId": argument_name(it.target),
            "type": kind,
            "target": { "argId": argument_name(it.target), "component": component, "index": index },
            "counterProposition": claim,
            "rationale": it.rationale,
            "evidence": [],
            "confidence": it.confidence,
            "speakerId": self.name(&it.speaker),
            "round": self.round(it.turn),
        })
    }

    /// A validation as all the old systems wrote it.
    pub fn validation(&self, it: &AttackJudged) -> Value {
        json!({
            "attackId": attack_name(it.attack),
            "valid": it.valid,
            "attackStrength": it.strength,
            "corrections": null,
        })
    }

    /// How many arguments stand, fall and are open.
    pub fn counts(verdict: &Verdict) -> [usize; 3] {
        [Label::In, Label::Out, Label::Undec]
            .map(|wanted| verdict.labels.values().filter(|label| **label == wanted).count())
    }

    /// The label of every argument that counts.
    pub fn labels(verdict: &Verdict) -> Value {
        let word = |label: Label| match label {
            Label::In => "IN",
            Label::Out => "OUT",
            Label::Undec => "UNDEC",
        };
        let labels = verdict.labels.iter().map(|(id, label)| (argument_name(*id), Value::from(word(*label))));
        json!({ "labels": labels.collect::<Map<_, _>>() })
    }
}

/// The old name of an argument: they counted from 0.
pub fn argument_name(id: ArgumentId) -> String {
    format!("arg-{}", id.0.saturating_sub(1))
}

/// The old name of an attack.
pub fn attack_name(id: AttackId) -> String {
    format!("atk-{}", id.0.saturating_sub(1))
}

/// The number of preferred extensions, where it fits; the old systems knew no others.
pub fn preferred(verdict: &Verdict) -> Value {
    verdict.n_extensions.parse::<u64>().map_or_else(|_| Value::from(verdict.n_extensions.as_str()), Value::from)
}
