//! Tables of a debate: who sits where, what is said there, who wanted to speak, and how far the stances have come together.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::events::event::{Event, Recorded};
use crate::events::ids::{PersonaId, TurnId};
use crate::events::lifecycle::is_after_rounds;
use crate::events::table::{ConvergenceMeasured, IntentStated, TableSeated, TableState};
use crate::projections::projection::Projection;

/// The tables of a debate, in the order in which they were seated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tables {
    /// Tables; the number of each is its place, from 1.
    pub tables: Vec<Table>,
    /// Tables at which participants sit, as places in the list.
    seats: BTreeMap<PersonaId, usize>,
    /// True after the rounds, when everybody speaks to all.
    is_over: bool,
}

/// Table with what happened there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Its seating.
    #[serde(flatten)]
    pub seated: TableSeated,
    /// Turns taken at the table, in order.
    pub turns: Vec<TurnId>,
    /// Intents stated at the table, in order.
    pub intents: Vec<StatedIntent>,
    /// Measurements, in order; the last one gives its state.
    pub measured: Vec<Measurement>,
    /// Version of the event that recorded it.
    pub version: i64,
    /// Time at which it was recorded.
    pub at: DateTime<Utc>,
}

/// Intent with its place in the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StatedIntent {
    /// The intent.
    #[serde(flatten)]
    pub stated: IntentStated,
    /// Version of the event that recorded it.
    pub version: i64,
}

/// Measurement with its place in the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// The measures.
    #[serde(flatten)]
    pub measured: ConvergenceMeasured,
    /// Version of the event that recorded it.
    pub version: i64,
    /// Time at which it was recorded.
    pub at: DateTime<Utc>,
}

impl Table {
    /// Returns the state after the last measurement.
    pub fn state(&self) -> TableState {
        self.measured.last().map_or(TableState::Open, |latest| latest.measured.state)
    }
}

impl Tables {
    /// Returns the table at which a participant sits, if they sit at one.
    pub fn of(&self, participant: &PersonaId) -> Option<&Table> {
        self.tables.get(*self.seats.get(participant)?)
    }

    /// Returns the tables at which somebody sits, in the order of their numbers.
    pub fn in_use(&self) -> impl Iterator<Item = &Table> {
        let is_used = |place: usize| self.seats.values().any(|seat| *seat == place);
        self.tables.iter().enumerate().filter(move |(place, _)| is_used(*place)).map(|(_, table)| table)
    }

    /// Returns the table with this number.
    pub fn table(&self, number: u32) -> Option<&Table> {
        self.tables.get(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    /// Returns the number of the next table.
    pub fn next_table(&self) -> u32 {
        u32::try_from(self.tables.len() + 1).unwrap_or(u32::MAX)
    }

    fn seat_of(&mut self, participant: &PersonaId) -> Option<&mut Table> {
        self.tables.get_mut(*self.seats.get(participant)?)
    }

    fn seat(&mut self, seated: &TableSeated, recorded: &Recorded) {
        if seated.is_final {
            self.seats.clear();
        }
        let place = self.tables.len();
        self.seats.extend(seated.participants.iter().map(|participant| (participant.clone(), place)));
        self.tables.push(Table {
            seated: seated.clone(),
            turns: Vec::new(),
            intents: Vec::new(),
            measured: Vec::new(),
            version: recorded.version,
            at: recorded.at,
        });
    }
}

impl Projection for Tables {
    fn apply(&mut self, recorded: &Recorded) {
        let (version, at) = (recorded.version, recorded.at);
        match &recorded.event {
            Event::TableSeated(seated) => self.seat(seated, recorded),
            Event::PhaseEntered(entered) => self.is_over = is_after_rounds(&entered.phase),
            Event::TurnTaken(taken) if taken.room.is_none() && !self.is_over => {
                if let Some(table) = self.seat_of(&taken.speaker) {
                    table.turns.push(taken.turn);
                }
            }
            Event::IntentStated(stated) => {
                if let Some(table) = self.seat_of(&stated.speaker) {
                    table.intents.push(StatedIntent { stated: stated.clone(), version });
                }
            }
            Event::ConvergenceMeasured(measured) => {
                let place = usize::try_from(measured.table).ok().and_then(|number| number.checked_sub(1));
                if let Some(table) = place.and_then(|place| self.tables.get_mut(place)) {
                    table.measured.push(Measurement { measured: measured.clone(), version, at });
                }
            }
            _ => {}
        }
    }
}
