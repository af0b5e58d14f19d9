//! Measure of a debate: its definition, and its value with the parts behind it.

use serde::{Deserialize, Serialize};

use crate::events::ids::{PersonaId, TurnId};
use crate::measures::inputs::MeasureInputs;

/// Definition of a measure.
#[derive(Clone, Copy, Debug)]
pub struct MeasureDefinition {
    /// Key, such as `novelty`: the same in every output.
    pub key: &'static str,
    /// Name for people.
    pub name: &'static str,
    /// Subject of the measure.
    pub group: MeasureGroup,
    /// Unit of the value.
    pub unit: MeasureUnit,
    /// Formula in words: what is counted, out of what.
    pub formula: &'static str,
    /// True if the measure takes the timeline of the debate: it is computed on request, and not stored for statistics.
    pub needs_timeline: bool,
    /// Computes the measure.
    pub compute: fn(&MeasureInputs<'_>) -> MeasureValue,
}

/// Subject of a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MeasureGroup {
    /// Tokens, money and failures of calls.
    Cost,
    /// Fact checks.
    Facts,
    /// Citations and quotations.
    Grounding,
    /// Sides that participants take, and changes of them.
    Stances,
    /// Cruxes.
    Cruxes,
    /// The exchange: novelty, answers, balance.
    Talk,
    /// Style of the personas.
    Voice,
    /// Judges, auditors and clerks.
    Judgement,
}

impl MeasureGroup {
    /// All subjects, in the order in which they are shown.
    pub const ALL: [MeasureGroup; 8] = [
        MeasureGroup::Cruxes,
        MeasureGroup::Stances,
        MeasureGroup::Talk,
        MeasureGroup::Grounding,
        MeasureGroup::Facts,
        MeasureGroup::Voice,
        MeasureGroup::Judgement,
        MeasureGroup::Cost,
    ];

    /// Name of the subject: `cost`, `facts`, `grounding`, `stances`, `cruxes`, `talk`, `voice`, `judgement`.
    pub fn name(self) -> &'static str {
        match self {
            MeasureGroup::Cost => "cost",
            MeasureGroup::Facts => "facts",
            MeasureGroup::Grounding => "grounding",
            MeasureGroup::Stances => "stances",
            MeasureGroup::Cruxes => "cruxes",
            MeasureGroup::Talk => "talk",
            MeasureGroup::Voice => "voice",
            MeasureGroup::Judgement => "judgement",
        }
    }
}

/// Unit of a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MeasureUnit {
    /// Share from 0 to 1.
    Share,
    /// Number of things.
    Count,
    /// Mean number of turns, or the number of a turn.
    Turns,
    /// US dollars.
    UsDollars,
    /// Tokens, read and written.
    Tokens,
    /// Seconds.
    Seconds,
    /// Number whose range the formula states.
    Number,
}

impl MeasureUnit {
    /// Name of the unit: `share`, `count`, `turns`, `us_dollars`, `tokens`, `seconds`, `number`.
    pub fn name(self) -> &'static str {
        match self {
            MeasureUnit::Share => "share",
            MeasureUnit::Count => "count",
            MeasureUnit::Turns => "turns",
            MeasureUnit::UsDollars => "us_dollars",
            MeasureUnit::Tokens => "tokens",
            MeasureUnit::Seconds => "seconds",
            MeasureUnit::Number => "number",
        }
    }
}

/// Value of a measure in one debate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeasureValue {
    /// The value; `None` if there is nothing to measure.
    pub value: Option<f64>,
    /// Reason why there is no value, as a sentence; `None` if there is one.
    pub absent: Option<String>,
    /// Numerator and denominator, if the value is their quotient.
    pub quotient: Option<Quotient>,
    /// Parts behind the value, such as one for each participant or event.
    pub parts: Vec<MeasurePart>,
}

/// Numerator and denominator of a measure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quotient {
    /// Numerator.
    pub count: f64,
    /// Denominator.
    pub total: f64,
}

/// Part of a measure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeasurePart {
    /// Label of the part, such as a claim or an attack.
    pub label: String,
    /// Participant whom it concerns, if it is one.
    pub persona: Option<PersonaId>,
    /// Value of the part, in the unit of the measure unless the formula says otherwise; `None` for a part that only points
    /// at turns.
    pub value: Option<f64>,
    /// Turns behind it.
    pub turns: Vec<TurnId>,
}

/// Measure with its value in one debate.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Definition of the measure.
    pub definition: &'static MeasureDefinition,
    /// Value in the debate.
    pub measurement: MeasureValue,
}

impl MeasureValue {
    /// Value without a quotient.
    pub fn of(value: f64) -> MeasureValue {
        MeasureValue { value: Some(rounded(value)), ..MeasureValue::default() }
    }

    /// No value, for a reason.
    pub fn absent(reason: &str) -> MeasureValue {
        MeasureValue { absent: Some(reason.to_owned()), ..MeasureValue::default() }
    }

    /// Quotient of two numbers; no value, for this reason, if the denominator is 0.
    pub fn quotient(count: f64, total: f64, absent: &str) -> MeasureValue {
        if total <= 0.0 {
            return MeasureValue::absent(absent);
        }
        let quotient = Quotient { count: rounded(count), total: rounded(total) };
        MeasureValue { quotient: Some(quotient), ..MeasureValue::of(count / total) }
    }

    /// Share of the things for which a condition holds; no value, for this reason, if there are no things.
    pub fn share(count: usize, total: usize, absent: &str) -> MeasureValue {
        MeasureValue::quotient(count as f64, total as f64, absent)
    }

    /// Mean of numbers; no value, for this reason, if there are none.
    pub fn mean(numbers: &[f64], absent: &str) -> MeasureValue {
        match numbers.len() {
            0 => MeasureValue::absent(absent),
            n => MeasureValue::of(numbers.iter().sum::<f64>() / n as f64),
        }
    }

    /// The same value with its parts.
    #[must_use]
    pub fn with_parts(self, parts: impl IntoIterator<Item = MeasurePart>) -> MeasureValue {
        MeasureValue { parts: parts.into_iter().collect(), ..self }
    }
}

impl MeasurePart {
    /// Part of a participant.
    pub fn of(persona: &PersonaId, value: Option<f64>, turns: impl IntoIterator<Item = TurnId>) -> MeasurePart {
        let (label, turns) = (persona.to_string(), turns.into_iter().collect());
        MeasurePart { label, persona: Some(persona.clone()), value: value.map(rounded), turns }
    }

    /// Part with a label.
    pub fn labelled(
        label: impl Into<String>,
        value: Option<f64>,
        turns: impl IntoIterator<Item = TurnId>,
    ) -> MeasurePart {
        let turns = turns.into_iter().collect();
        MeasurePart { label: label.into(), persona: None, value: value.map(rounded), turns }
    }
}

/// Rounds to four decimal places, so that a value is the same on every machine.
pub fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0 + 0.0
}
