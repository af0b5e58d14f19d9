//! A debate as the old formats describe it: names, rounds, and the objects that both formats share.

use serde_json::{Map, Value, json};

use crate::events::argument::{ArgumentAdvanced, ArgumentPart, AttackJudged, AttackKind, AttackRaised};
use crate::events::dispute::Side;
use crate::events::ids::{ArgumentId, AttackId, DisputeId, PersonaId, TurnId};
use crate::verdicts::read_model::DebateReadModel;
use crate::verdicts::verdict::Verdict;
use faultline_argumentation::labelling::Label;

/// Beginning of the question that an imported claim becomes.
pub const CLAIM_AS_QUESTION: &str = "Does this hold: ";

/// Debate so far, with the state that the old formats carry from one event to the next.
#[derive(Debug, Default)]
pub struct LegacyDebate {
    /// Read model of the debate so far.
    pub read_model: DebateReadModel,
    /// Number of the current phase of a dialogue, or of the current round of the graph engine; 0 before the first.
    pub phase: u32,
    /// Hint that was given to the next speaker.
    pub hint: Option<String>,
    /// Maximum number of rounds, if the engine has rounds.
    pub rounds: Option<u64>,
}

impl LegacyDebate {
    /// Display name of a participant.
    pub fn name<'a>(&'a self, persona: &'a PersonaId) -> &'a str {
        let found = self.read_model.summary.participants.iter().find(|participant| participant.persona == *persona);
        found.map_or(persona.as_str(), |participant| participant.name.as_str())
    }

    /// Display names of all participants.
    pub fn names(&self) -> Vec<&str> {
        self.read_model.summary.participants.iter().map(|participant| participant.name.as_str()).collect()
    }

    /// Round of a turn; 0 if the engine has no rounds.
    pub fn round(&self, turn: TurnId) -> u32 {
        let mut turns = self.read_model.transcript.turns.iter().rev();
        turns.find(|taken| taken.turn == turn).and_then(|taken| taken.round).unwrap_or(0)
    }

    /// Argument in the form common to the old systems.
    pub fn argument(&self, it: &ArgumentAdvanced) -> Value {
        let evidence: Vec<&str> = it.evidence.iter().map(|piece| piece.text.as_str()).collect();
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

    /// Attack in the form common to the old systems.
    pub fn attack(&self, it: &AttackRaised) -> Value {
        let (component, index) = match it.component {
            ArgumentPart::Claim => ("claim", 0),
            ArgumentPart::Premise(index) => ("premise", index),
            ArgumentPart::Assumption(index) => ("assumption", index),
        };
        let claim =
            self.read_model.arguments.arguments.get(&it.source).map(|argument| argument.advanced.claim.as_str());
        json!({
            "id": attack_name(it.attack),
            "fromArgId": argument_name(it.source),
            "toArgId": argument_name(it.target),
            "type": kind_name(it.kind),
            "target": { "argId": argument_name(it.target), "component": component, "index": index },
            "counterProposition": claim,
            "rationale": it.rationale,
            "evidence": [],
            "confidence": it.confidence,
            "speakerId": self.name(&it.speaker),
            "round": self.round(it.turn),
        })
    }

    /// Validation of an attack in the form common to the old systems. Corrections are the kind and the component that the
    /// judge put right.
    pub fn validation(&self, it: &AttackJudged) -> Value {
        let component = it.component.map(|component| match component {
            ArgumentPart::Claim => json!({ "component": "claim", "index": 0 }),
            ArgumentPart::Premise(index) => json!({ "component": "premise", "index": index }),
            ArgumentPart::Assumption(index) => json!({ "component": "assumption", "index": index }),
        });
        let kind = it.kind.map(kind_name);
        let corrections = (kind.is_some() || component.is_some()).then(|| json!({ "type": kind, "target": component }));
        json!({
            "attackId": attack_name(it.attack),
            "valid": it.valid,
            "attackStrength": it.strength,
            "corrections": corrections,
        })
    }

    /// Stance on a dispute in the form common to the old systems: a side, and the confidence that its words express, if any.
    pub fn stance(
        &self,
        persona: &PersonaId,
        dispute: DisputeId,
        (side, confidence): (Side, Option<f64>),
        round: u32,
    ) -> Value {
        let stance = match side {
            Side::Yes => "pro",
            Side::No => "con",
            Side::Nuanced | Side::Undecided => "uncertain",
        };
        json!({
            "personaId": self.name(persona),
            "claimId": claim_name(dispute),
            "stance": stance,
            "confidence": confidence,
            "round": round,
        })
    }

    /// Current stance of a participant on the topic; `None` if they took none in words of their own.
    pub fn topic_stance(&self, persona: &PersonaId, round: u32) -> Option<Value> {
        let (id, topic) = self.read_model.disputes.topic()?;
        topic.stances.get(persona).map(|stance| self.stance(persona, id, (stance.side, stance.confidence), round))
    }

    /// Display names of these participants.
    pub fn names_of<'a>(&'a self, personas: impl IntoIterator<Item = &'a PersonaId>) -> Vec<&'a str> {
        personas.into_iter().map(|persona| self.name(persona)).collect()
    }

    /// Number of accepted, rejected and undecided arguments.
    pub fn counts(verdict: &Verdict) -> [usize; 3] {
        [Label::In, Label::Out, Label::Undec]
            .map(|wanted| verdict.labels.values().filter(|label| **label == wanted).count())
    }

    /// Label of every live argument.
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

/// Old name of a kind of attack.
pub fn kind_name(kind: AttackKind) -> &'static str {
    match kind {
        AttackKind::Rebut => "rebut",
        AttackKind::Undermine => "undermine",
        AttackKind::Undercut => "undercut",
    }
}

/// Old id of an argument, counted from 0.
pub fn argument_name(id: ArgumentId) -> String {
    format!("arg-{}", id.0.saturating_sub(1))
}

/// Old id of an attack, counted from 0.
pub fn attack_name(id: AttackId) -> String {
    format!("atk-{}", id.0.saturating_sub(1))
}

/// Old id of a dispute as a claim of the topic, counted from 1.
pub fn claim_name(id: DisputeId) -> String {
    format!("claim-{}", id.0)
}

/// Old id of a dispute, counted from 0.
pub fn dispute_name(id: DisputeId) -> String {
    format!("d-{}", id.0.saturating_sub(1))
}

/// Old id of a table, counted from 0.
pub fn table_name(number: u32) -> u32 {
    number.saturating_sub(1)
}

/// Old index of a turn, counted from 0.
pub fn turn_index(turn: TurnId) -> u32 {
    turn.0.saturating_sub(1)
}

/// Number of preferred extensions: a number if it fits into 64 bits, a string otherwise. The old systems knew no other
/// semantics.
pub fn preferred(verdict: &Verdict) -> Value {
    verdict.n_extensions.parse::<u64>().map_or_else(|_| Value::from(verdict.n_extensions.as_str()), Value::from)
}
