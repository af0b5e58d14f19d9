//! Tables of a debate in rounds: who sits where, who wants to speak next, and how far the stances at a table have come together.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::events::ids::{DisputeId, PersonaId};
use crate::events::summary::{Summarize, short};

/// A table was seated. Its participants hear one another, and nobody who sits elsewhere. Whoever is seated again has left the
/// table before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TableSeated {
    /// Number of the table, from 1.
    pub table: u32,
    /// Participants at the table, in speaking order.
    pub participants: Vec<PersonaId>,
    /// The disputes under discussion besides the topic; empty if all are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disputes: Vec<DisputeId>,
    /// True for the table that takes up what divided several tables.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_final: bool,
    /// Reason for the seating.
    pub reason: String,
}

impl Summarize for TableSeated {
    fn summary(&self) -> String {
        let participants: Vec<&str> = self.participants.iter().map(PersonaId::as_str).collect();
        let kind = if self.is_final { "final table" } else { "table" };
        format!("{kind} {}: {} ({})", self.table, participants.join(", "), short(&self.reason))
    }
}

/// A participant said whether they want to speak next. Intents decide who is given the floor; they are no turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IntentStated {
    /// The participant.
    pub speaker: PersonaId,
    /// Number of the round for whose turn it was stated, from 1.
    pub round: u32,
    /// Action that the participant wants.
    pub action: IntendedAction,
    /// Urgency, from 0 to 1.
    pub urgency: f64,
    /// Purpose of the turn, in a few words; empty for one who listens.
    pub intent: String,
}

impl Summarize for IntentStated {
    fn summary(&self) -> String {
        format!("{} {}, urgency {:.2}: {}", self.speaker, self.action.name(), self.urgency, short(&self.intent))
    }
}

/// Action that a participant wants next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IntendedAction {
    /// Speak.
    Speak,
    /// Answer at once what was just said. At the same urgency, it comes before `speak`.
    Interrupt,
    /// Listen.
    Listen,
}

impl IntendedAction {
    /// Returns the wire name: `speak`, `interrupt` or `listen`.
    pub fn name(self) -> &'static str {
        match self {
            IntendedAction::Speak => "speak",
            IntendedAction::Interrupt => "interrupt",
            IntendedAction::Listen => "listen",
        }
    }
}

/// The stances at a table were measured at the end of a round. It decides whether the table goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConvergenceMeasured {
    /// Number of the table.
    pub table: u32,
    /// Number of the round; 0 for the first stances.
    pub round: u32,
    /// Measures of the disputes under discussion, in the order of their numbers; the topic included.
    pub disputes: Vec<MeasuredDispute>,
    /// Mean normalised entropy of the disputes on which somebody took a stance, from 0 to 1; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entropy: Option<f64>,
    /// Mean distance of two positions over the disputes on which at least two took a stance, from 0 to 2; absent if there is
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<f64>,
    /// Number of disputes to which one participant at the table says yes and another no.
    pub divided: u32,
    /// Number of disputes raised and of cruxes proposed at the table since the measurement before.
    pub new_points: u32,
    /// Number of changes of sides at the table since the measurement before.
    #[serde(default)]
    pub moved: u32,
    /// State of the table.
    pub state: TableState,
    /// Reason for the state.
    pub reason: String,
}

impl Summarize for ConvergenceMeasured {
    fn summary(&self) -> String {
        let share = |share: Option<f64>| share.map_or_else(|| "none".to_owned(), |share| format!("{share:.2}"));
        format!(
            "table {}, round {}: {}, {} divided, entropy {}, distance {} ({})",
            self.table,
            self.round,
            self.state.name(),
            self.divided,
            share(self.entropy),
            share(self.distance),
            short(&self.reason)
        )
    }
}

/// Measures of one dispute at a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MeasuredDispute {
    /// The dispute.
    pub dispute: DisputeId,
    /// Share of the confidence on yes, from 0 to 1.
    pub yes: f64,
    /// Share of the confidence on no.
    pub no: f64,
    /// Share of the confidence on neither: nuanced and undecided stances.
    pub neither: f64,
    /// Entropy of the three shares, divided by ln 3, from 0 to 1; absent if nobody took a stance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entropy: Option<f64>,
    /// Mean distance of two positions, from 0 to 2, where yes is the confidence and no is minus the confidence; absent for
    /// fewer than two stances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<f64>,
    /// Number of participants at the table without a stance.
    pub without: u32,
}

/// State of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
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

impl TableState {
    /// Returns the wire name: `open`, `converged`, `diverged` or `silent`.
    pub fn name(self) -> &'static str {
        match self {
            TableState::Open => "open",
            TableState::Converged => "converged",
            TableState::Diverged => "diverged",
            TableState::Silent => "silent",
        }
    }

    /// Describes the state as what a table did: "diverged". Convergence is told as the majority that it is.
    pub fn in_words(self) -> &'static str {
        match self {
            TableState::Open => "was left open",
            TableState::Converged => "came to a majority on each question",
            TableState::Diverged => "diverged",
            TableState::Silent => "fell silent",
        }
    }
}
