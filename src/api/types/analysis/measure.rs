//! GraphQL types of the measures of a debate.

use std::sync::Arc;

use async_graphql::{ComplexObject, Context, Enum, ID, Result, SimpleObject};

use crate::api::error::{from_panic, invalid};
use crate::api::types::debate::debate::Debate;
use crate::api::types::debate::debate_ref::ParticipantSource;
use crate::api::types::persona::participant::Participant;
use faultline_core::measures::measure;
use faultline_core::measures::measure::MeasureDefinition as Definition;
use faultline_core::measures::registry;
use faultline_core::measures::registry::measures_with_timeline;
use faultline_core::verdicts::diff::timeline::TimelineEntry;
use faultline_service::compute::compute;

/// A measure: its name, unit and formula.
#[derive(SimpleObject, Clone)]
pub struct MeasureDefinition {
    /// Key of the measure, such as `novelty`: the same in every output.
    key: String,
    /// Name for people.
    name: String,
    /// Subject of the measure.
    group: MeasureGroup,
    /// Unit of the value.
    unit: MeasureUnit,
    /// Formula in words.
    formula: String,
    /// True if it takes the timeline of a debate: it is computed for one debate if it is requested by its key, and not
    /// summarized over debates.
    needs_timeline: bool,
}

/// A measure of a debate with its value and the parts behind it.
#[derive(SimpleObject)]
pub struct Measure {
    /// Key, name, unit and formula.
    definition: MeasureDefinition,
    /// The value; null if there is nothing to measure.
    value: Option<f64>,
    /// Reason why there is no value; null if there is one.
    absent_reason: Option<String>,
    /// Numerator, if the value is a quotient.
    numerator: Option<f64>,
    /// Denominator, if the value is a quotient.
    denominator: Option<f64>,
    /// Parts behind the value, such as one for each participant or event.
    parts: Vec<MeasurePart>,
}

/// A part of a measure.
#[derive(SimpleObject)]
#[graphql(complex)]
pub struct MeasurePart {
    /// Label of the part, such as a claim, an attack or a participant.
    label: String,
    /// Id of the participant whom it concerns; null if it is none.
    persona_id: Option<ID>,
    /// Value of the part; null for a part that only points at turns.
    value: Option<f64>,
    /// Ids of the turns behind it.
    turn_ids: Vec<ID>,
    #[graphql(skip)]
    participants: ParticipantSource,
}

/// Subjects of measures.
#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(remote = "faultline_core::measures::measure::MeasureGroup")]
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

/// Units of measures.
#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(remote = "faultline_core::measures::measure::MeasureUnit")]
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

#[ComplexObject]
impl MeasurePart {
    /// The participant whom it concerns; null if it is none.
    async fn participant(&self, context: &Context<'_>) -> Result<Option<Participant>> {
        match &self.persona_id {
            Some(id) => self.participants.find(context, id).await,
            None => Ok(None),
        }
    }
}

impl From<&Definition> for MeasureDefinition {
    fn from(definition: &Definition) -> Self {
        MeasureDefinition {
            key: definition.key.to_owned(),
            name: definition.name.to_owned(),
            group: definition.group.into(),
            unit: definition.unit.into(),
            formula: definition.formula.to_owned(),
            needs_timeline: definition.needs_timeline,
        }
    }
}

/// Finds the measures with these keys.
///
/// # Errors
/// `INVALID` if a key is unknown; the message lists those that exist.
pub fn known_measures(keys: &[String]) -> Result<Vec<&'static Definition>> {
    keys.iter().map(|key| registry::measure(key).ok_or_else(|| invalid(&registry::unknown_measure(key)))).collect()
}

impl Measure {
    /// Computes the selected measures of a debate, all if none are selected, with its timeline, if one of them takes it.
    ///
    /// # Errors
    /// The codes of `Debate::read_model` if the debate cannot be folded, and of [`from_panic`] if a computation panicked.
    pub async fn of(
        context: &Context<'_>,
        debate: &Debate,
        selected: Option<&[&'static Definition]>,
        timeline: Option<Vec<TimelineEntry>>,
    ) -> Result<Vec<Measure>> {
        let (read_model, verdict) =
            (Arc::clone(debate.read_model(context).await?), debate.verdict(context).await?.clone());
        let computed = compute(move || measures_with_timeline(&read_model, &verdict, timeline.as_deref()));
        let computed = computed.await.map_err(|error| from_panic(&error))?;
        let is_wanted =
            |it: &measure::Measured| selected.is_none_or(|keys| keys.iter().any(|key| key.key == it.definition.key));
        let participants = ParticipantSource::from(&Arc::new(debate.clone()));
        Ok(computed.into_iter().filter(is_wanted).map(|it| Measure::new(it, &participants)).collect())
    }

    /// Converts a measure of the debate with these participants.
    fn new(measured: measure::Measured, participants: &ParticipantSource) -> Measure {
        let measure::MeasureValue { value, absent, quotient, parts } = measured.measurement;
        let part = |part: measure::MeasurePart| MeasurePart {
            label: part.label,
            persona_id: part.persona.map(|persona| ID(persona.to_string())),
            value: part.value,
            turn_ids: part.turns.iter().map(|turn| ID(turn.to_string())).collect(),
            participants: participants.clone(),
        };
        Measure {
            definition: measured.definition.into(),
            value,
            absent_reason: absent,
            numerator: quotient.map(|quotient| quotient.count),
            denominator: quotient.map(|quotient| quotient.total),
            parts: parts.into_iter().map(part).collect(),
        }
    }
}
