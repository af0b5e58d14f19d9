//! GraphQL types of tables: seats, intents and measurements.

use std::sync::Arc;

use async_graphql::{Enum, ID, SimpleObject};
use chrono::{DateTime, Utc};

use crate::api::types::debate::debate::Debate;
use crate::api::types::debate::debate_ref::ParticipantSource;
use faultline_core::events::table;
use faultline_core::projections::tables;
use faultline_core::projections::tables::{Measurement, StatedIntent, Tables};

/// States of a table, as measured at the end of a round.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "table::TableState")]
pub enum TableState {
    /// It goes on.
    Open,
    /// On every dispute, everybody took a stance, and the share of the confidence on one side that the engine asks for is reached.
    Converged,
    /// Some dispute divides it, and nothing has changed for several rounds.
    Diverged,
    /// Nobody wanted to speak or had anything new to say, or fewer than two are left.
    Silent,
}

/// Actions that a participant can want next.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "table::IntendedAction")]
pub enum IntendedAction {
    /// Speak.
    Speak,
    /// Answer at once what was just said. At the same urgency, it comes before `SPEAK`.
    Interrupt,
    /// Listen.
    Listen,
}

/// A table: participants who hear one another, and nobody who sits elsewhere.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Table {
    /// Number of the table, from 1.
    number: u32,
    /// Ids of the participants, in speaking order.
    pub(crate) participant_ids: Vec<ID>,
    /// Ids of the disputes under discussion besides the topic; empty if all are.
    dispute_ids: Vec<ID>,
    /// True for the table that takes up what divided several tables.
    is_final: bool,
    /// Reason for the seating.
    reason: String,
    /// State after the last measurement.
    state: TableState,
    /// Ids of the turns taken at the table, in order.
    turn_ids: Vec<ID>,
    /// Intents stated at the table, in order. They decide who is given the floor.
    intents: Vec<IntentEntry>,
    /// Measurements of the stances at the table, in order.
    measurements: Vec<ConvergenceMeasurement>,
    /// Version of the event that recorded it.
    version: i64,
    /// Time at which it was recorded.
    at: DateTime<Utc>,
    #[graphql(skip)]
    pub(crate) debate: Arc<Debate>,
}

/// Action that a participant wanted next.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct IntentEntry {
    /// Id of the participant.
    pub(crate) speaker_id: ID,
    /// Number of the round for whose turn it was stated, from 1.
    round: u32,
    /// The action.
    action: IntendedAction,
    /// Urgency, from 0 to 1.
    urgency: f64,
    /// Purpose of the turn; empty for one who listens.
    intent: String,
    /// Version of the event that recorded it.
    version: i64,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

/// Measures of the stances at a table at the end of a round.
#[derive(SimpleObject, Clone)]
pub struct ConvergenceMeasurement {
    /// Number of the round; 0 for the first stances.
    round: u32,
    /// Measures of the disputes under discussion, the topic included.
    disputes: Vec<MeasuredDispute>,
    /// Mean normalised entropy of the disputes on which somebody took a stance, from 0 to 1; null if there is none.
    entropy: Option<f64>,
    /// Mean distance of two positions over the disputes on which at least two took a stance, from 0 to 2; null if there is none.
    distance: Option<f64>,
    /// Number of disputes to which one participant at the table says yes and another no.
    divided_count: u32,
    /// Number of disputes raised and of cruxes proposed at the table since the measurement before.
    new_point_count: u32,
    /// Number of changes of sides at the table since the measurement before.
    side_change_count: u32,
    /// State of the table.
    state: TableState,
    /// Reason for the state.
    reason: String,
    /// Version of the event that recorded it.
    version: i64,
    /// Time at which it was recorded.
    at: DateTime<Utc>,
}

/// Measures of one dispute at a table.
#[derive(SimpleObject, Clone)]
pub struct MeasuredDispute {
    /// Id of the dispute.
    dispute_id: ID,
    /// Share of the confidence on yes, from 0 to 1; a stance without a stated confidence counts as 1.
    yes: f64,
    /// Share of the confidence on no.
    no: f64,
    /// Share of the confidence on neither: nuanced and undecided stances.
    neither: f64,
    /// Entropy of the three shares, divided by ln 3, from 0 to 1; null if nobody took a stance.
    entropy: Option<f64>,
    /// Mean distance of two positions, from 0 to 2, where yes is the confidence and no is minus the confidence; null for fewer
    /// than two stances.
    distance: Option<f64>,
    /// Number of participants at the table without a stance.
    without_count: u32,
}

impl Table {
    /// Returns all tables of a debate, in order.
    pub fn all(tables: &Tables, debate: &Arc<Debate>) -> Vec<Table> {
        tables.tables.iter().map(|table| Table::new(table, debate)).collect()
    }

    fn new(table: &tables::Table, debate: &Arc<Debate>) -> Table {
        let participants = ParticipantSource::from(debate);
        let seated = &table.seated;
        Table {
            number: seated.table,
            participant_ids: seated.participants.iter().map(|participant| ID(participant.to_string())).collect(),
            dispute_ids: seated.disputes.iter().map(|dispute| ID(dispute.to_string())).collect(),
            is_final: seated.is_final,
            reason: seated.reason.clone(),
            state: table.state().into(),
            turn_ids: table.turns.iter().map(|turn| ID(turn.to_string())).collect(),
            intents: table.intents.iter().map(|intent| IntentEntry::new(intent, &participants)).collect(),
            measurements: table.measured.iter().map(ConvergenceMeasurement::new).collect(),
            version: table.version,
            at: table.at,
            debate: Arc::clone(debate),
        }
    }
}

impl IntentEntry {
    fn new(intent: &StatedIntent, participants: &ParticipantSource) -> IntentEntry {
        let stated = &intent.stated;
        IntentEntry {
            speaker_id: ID(stated.speaker.to_string()),
            round: stated.round,
            action: stated.action.into(),
            urgency: stated.urgency,
            intent: stated.intent.clone(),
            version: intent.version,
            participants: participants.clone(),
        }
    }
}

impl ConvergenceMeasurement {
    fn new(it: &Measurement) -> ConvergenceMeasurement {
        let measured = &it.measured;
        ConvergenceMeasurement {
            round: measured.round,
            disputes: measured.disputes.iter().map(MeasuredDispute::new).collect(),
            entropy: measured.entropy,
            distance: measured.distance,
            divided_count: measured.divided,
            new_point_count: measured.new_points,
            side_change_count: measured.moved,
            state: measured.state.into(),
            reason: measured.reason.clone(),
            version: it.version,
            at: it.at,
        }
    }
}

impl MeasuredDispute {
    fn new(it: &table::MeasuredDispute) -> MeasuredDispute {
        MeasuredDispute {
            dispute_id: ID(it.dispute.to_string()),
            yes: it.yes,
            no: it.no,
            neither: it.neither,
            entropy: it.entropy,
            distance: it.distance,
            without_count: it.without,
        }
    }
}
