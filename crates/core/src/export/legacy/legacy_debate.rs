//! A debate as the old formats describe it: names, rounds, and the objects that both formats share.

use serde_json::{Map, Value, json};

use crate::events::argument::{ArgumentAdvanced, ArgumentPart, AttackJudged, AttackKind, AttackRaised};
use crate::events::ids::{ArgumentId, AttackId, PersonaId, TurnId};
use crate::verdicts::read_model::DebateReadModel;
use crate::verdicts::verdict::Verdict;
use faultline_argumentation::labelling::Label;

/// Debate so far, with the state that the old formats carry from one event to the next.
#[derive(Debug, Default)]
pub struct LegacyDebate {
    /// Read model of the debate so far.
    pub read_model: DebateReadModel,
    /// Number of the current phase of a dialogue; 0 before the first.
    pub phase: u32,
    /// Hint that was given to the next speaker.
    pub hint: Option<String>,
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
        let kind = match it.kind {
            AttackKind::Rebut => "rebut",
            AttackKind::Undermine => "undermine",
            AttackKind::Undercut => "undercut",
        };
        let claim =
            self.read_model.arguments.arguments.get(&it.source).map(|argument| argument.advanced.claim.as_str());
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

    /// Validation of an attack in the form common to the old systems.
    pub fn validation(&self, it: &AttackJudged) -> Value {
        json!({
            "attackId": attack_name(it.attack),
            "valid": it.valid,
            "attackStrength": it.strength,
            "corrections": null,
        })
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

/// Old id of an argument, counted from 0.
pub fn argument_name(id: ArgumentId) -> String {
    format!("arg-{}", id.0.saturating_sub(1))
}

/// Old id of an attack, counted from 0.
pub fn attack_name(id: AttackId) -> String {
    format!("atk-{}", id.0.saturating_sub(1))
}

/// Number of preferred extensions: a number if it fits into 64 bits, a string otherwise. The old systems knew no other
/// semantics.
pub fn preferred(verdict: &Verdict) -> Value {
    verdict.n_extensions.parse::<u64>().map_or_else(|_| Value::from(verdict.n_extensions.as_str()), Value::from)
}
