//! Reply of a model that suggests questions.
//!
//! Sides, authors and passages are read as text: a wrong one costs its own suggestion, not the whole reply.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Reply of the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SuggestionsReply {
    /// Questions on which the two authors differ.
    pub questions: Vec<ProposedQuestion>,
}

/// Question that a model proposes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProposedQuestion {
    /// Question that yes or no answers.
    pub question: String,
    /// Positions of both authors, one each.
    pub positions: Vec<ProposedPosition>,
}

/// Position that a model attributes to an author.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProposedPosition {
    /// Author who takes the side: a or b.
    pub author: String,
    /// Name of a passage of this author: a3.
    pub passage: String,
    /// Sentence of the passage that takes the side, word for word.
    pub quote: String,
    /// Side that the sentence takes: yes or no.
    pub side: String,
}
