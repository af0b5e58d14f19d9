//! Reply types of blackboard debates.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::engines::talk::replies::schema::StanceReply;
use crate::events::table::IntendedAction;

/// Reply to `decompose`.
#[derive(Deserialize, JsonSchema)]
pub struct DecompositionReply {
    /// The questions into which the topic was decomposed.
    #[serde(alias = "claims")]
    pub questions: Vec<QuestionReply>,
}

/// Question into which the topic was decomposed.
#[derive(Deserialize, JsonSchema)]
pub struct QuestionReply {
    /// The question, answerable with yes or no.
    pub question: String,
    /// Time that it is about, in a few words.
    #[serde(default)]
    pub horizon: Option<String>,
}

/// Reply to `stance`.
#[derive(Deserialize, JsonSchema)]
pub struct StancesReply {
    /// The words said aloud, in the voice of the speaker.
    pub text: String,
    /// Stances of the speaker.
    #[serde(default)]
    pub stances: Vec<StanceReply>,
    /// Aliases of the passages used.
    #[serde(default)]
    pub passages: Vec<String>,
}

/// Reply to `intent`.
#[derive(Deserialize, JsonSchema)]
pub struct IntentReply {
    /// Action that the speaker wants.
    pub action: ActionReply,
    /// Urgency, from 0 to 1.
    pub urgency: f64,
    /// Purpose of the turn, in a few words.
    #[serde(default)]
    pub intent: String,
}

/// Action that a speaker wants.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActionReply {
    /// Speak.
    #[serde(alias = "SPEAK", alias = "Speak", alias = "talk")]
    Speak,
    /// Interrupt.
    #[serde(alias = "INTERRUPT", alias = "Interrupt")]
    Interrupt,
    /// Listen.
    #[serde(alias = "LISTEN", alias = "Listen", alias = "silence", alias = "pass")]
    Listen,
}

impl From<ActionReply> for IntendedAction {
    fn from(action: ActionReply) -> IntendedAction {
        match action {
            ActionReply::Speak => IntendedAction::Speak,
            ActionReply::Interrupt => IntendedAction::Interrupt,
            ActionReply::Listen => IntendedAction::Listen,
        }
    }
}
