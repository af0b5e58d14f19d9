//! Reply types of participants in a talk, and of comparisons.

use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::engines::shared::reply_schema::SideReply;
use crate::events::turn::Move;

/// Reply to `open`.
#[derive(Deserialize, JsonSchema)]
pub struct OpeningStatementReply {
    /// The words said aloud, in the voice of the speaker.
    pub text: String,
    /// The words of `text` that state the stance on the topic, copied exactly.
    pub stance_words: String,
    /// Stance on the topic.
    pub stance: SideReply,
    /// Aliases of the passages used.
    #[serde(default)]
    pub passages: Vec<String>,
}

/// Reply to `turn`.
#[derive(Deserialize, JsonSchema)]
pub struct TurnReply {
    /// The words said aloud, in the voice of the speaker.
    pub text: String,
    /// Alias of the turn that it answers.
    #[serde(default)]
    pub answers: Option<String>,
    /// Moves of the turn, one or more, each with its words.
    #[serde(deserialize_with = "moves_with_or_without_words")]
    pub moves: Vec<MoveReply>,
    /// Stances that the speaker takes in this turn.
    #[serde(default)]
    pub stances: Vec<StanceReply>,
    /// The words of `text` that agree with another participant's crux, copied exactly.
    #[serde(default)]
    pub agreement_words: Option<String>,
    /// Alias of that crux.
    #[serde(default)]
    pub agrees_with: Option<String>,
    /// With `propose_crux`: the point on which the disagreement turns, in one sentence.
    #[serde(default)]
    pub crux: Option<String>,
    /// The words of `text` that say what would change the speaker's mind, copied exactly.
    #[serde(default)]
    pub would_change: Option<String>,
    /// Aliases of the passages used.
    #[serde(default)]
    pub passages: Vec<String>,
}

impl TurnReply {
    /// Returns a reply that only makes one move.
    pub fn only(text: String, made: MoveReply) -> TurnReply {
        TurnReply {
            text,
            answers: None,
            moves: vec![made],
            stances: Vec::new(),
            agreement_words: None,
            agrees_with: None,
            crux: None,
            would_change: None,
            passages: Vec::new(),
        }
    }
}

/// Reply to `close`.
#[derive(Deserialize, JsonSchema)]
pub struct ClosingReply {
    /// The words said aloud, in the voice of the speaker.
    pub text: String,
    /// Stances of the speaker at the end.
    #[serde(default)]
    pub stances: Vec<StanceReply>,
    /// The words of `text` that agree with another participant's crux, copied exactly.
    #[serde(default)]
    pub agreement_words: Option<String>,
    /// Alias of that crux.
    #[serde(default)]
    pub agrees_with: Option<String>,
    /// The words of `text` that say what it comes down to, copied exactly.
    #[serde(default)]
    pub core_words: Option<String>,
    /// The core question according to the speaker, in one sentence, if it is not yet among the cruxes.
    #[serde(default)]
    pub core_question: Option<String>,
    /// The words of `text` that say what would change the speaker's mind, copied exactly.
    #[serde(default)]
    pub would_change: Option<String>,
    /// Aliases of the passages used.
    #[serde(default)]
    pub passages: Vec<String>,
}

/// Stance of a speaker.
#[derive(Deserialize, JsonSchema)]
pub struct StanceReply {
    /// The words of `text` that state it, copied exactly.
    pub words: String,
    /// Alias of the dispute.
    pub dispute: String,
    /// Side taken.
    pub side: SideReply,
    /// Confidence in the side, from 0 to 1; null if the speaker does not say.
    #[serde(default)]
    pub confidence: Option<f64>,
    /// The words of `text` that say what would settle the question, copied exactly; null if they do not say it.
    #[serde(default)]
    pub settled_by: Option<String>,
}

/// Move of a turn, with the words that make it.
#[derive(Deserialize, JsonSchema)]
pub struct MoveReply {
    /// The words of `text` that make the move, copied exactly; null for a claim that the whole turn makes.
    #[serde(default)]
    pub words: Option<String>,
    /// The move.
    #[serde(rename = "move")]
    pub kind: MoveMade,
}

/// Reads moves. One without words may be given by its name alone.
///
/// # Errors
/// The error of the deserializer.
pub fn moves_with_or_without_words<'de, D: Deserializer<'de>>(reply: D) -> Result<Vec<MoveReply>, D::Error> {
    let given: Vec<Value> = Deserialize::deserialize(reply)?;
    let moves = given.into_iter().map(|given| match given {
        Value::String(_) => serde_json::from_value(given).map(|kind| MoveReply { words: None, kind }),
        _ => serde_json::from_value(given),
    });
    moves.collect::<Result<_, _>>().map_err(D::Error::custom)
}

/// Move that a turn makes.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MoveMade {
    /// Makes a new claim.
    #[serde(alias = "CLAIM", alias = "Claim", alias = "assert")]
    Claim,
    /// Disputes another participant's statement.
    #[serde(alias = "CHALLENGE", alias = "Challenge", alias = "attack", alias = "rebut")]
    Challenge,
    /// Asks for or gives a clarification.
    #[serde(alias = "CLARIFY", alias = "Clarify", alias = "ask", alias = "question")]
    Clarify,
    /// Grants a point.
    #[serde(alias = "CONCEDE", alias = "Concede", alias = "concession", alias = "grant")]
    Concede,
    /// Reframes the question.
    #[serde(alias = "REFRAME", alias = "Reframe")]
    Reframe,
    /// Names the point on which the disagreement turns.
    #[serde(alias = "PROPOSE_CRUX", alias = "ProposeCrux", alias = "crux")]
    ProposeCrux,
}

impl From<MoveMade> for Move {
    fn from(made: MoveMade) -> Move {
        match made {
            MoveMade::Claim => Move::Claim,
            MoveMade::Challenge => Move::Challenge,
            MoveMade::Clarify => Move::Clarify,
            MoveMade::Concede => Move::Concede,
            MoveMade::Reframe => Move::Reframe,
            MoveMade::ProposeCrux => Move::ProposeCrux,
        }
    }
}

/// Concession found by a clerk.
#[derive(Deserialize, JsonSchema)]
pub struct Conceding {
    /// Name of the sentence that concedes the point, such as t3.2.
    pub sentence: String,
    /// Extent of the concession.
    pub kind: Extent,
    /// Name of the sentence of another participant that it grants, such as t2.1, or of the argument whose claim it grants,
    /// such as a3; null if it grants neither.
    #[serde(default)]
    pub grants: Option<String>,
}

/// Extent of a concession.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Extent {
    /// The point is given up.
    #[serde(alias = "FULL", alias = "Full")]
    Full,
    /// A narrower point is maintained.
    #[serde(alias = "PARTIAL", alias = "Partial")]
    Partial,
    /// The point is maintained under a condition.
    #[serde(alias = "SCOPE", alias = "Scope", alias = "scope_narrowing")]
    Scope,
}

/// Reply to `compare`.
#[derive(Deserialize, JsonSchema)]
pub struct ComparisonReply {
    /// One finding for each pair.
    pub pairs: Vec<PairJudged>,
}

/// Finding on one pair.
#[derive(Deserialize, JsonSchema)]
pub struct PairJudged {
    /// Alias of the first claim.
    pub one: String,
    /// Alias of the second claim.
    pub other: String,
    /// Reason, in a sentence.
    pub reason: String,
    /// Result of the comparison.
    pub finding: Found,
    /// Strength of a conflict, from 0 to 1.
    #[serde(default)]
    pub strength: f64,
}

/// Result of comparing two claims.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// They cannot both be true.
    #[serde(alias = "CONFLICT", alias = "Conflict", alias = "contradiction", alias = "conflicts")]
    Conflict,
    /// They say the same.
    #[serde(alias = "AGREEMENT", alias = "Agreement", alias = "same", alias = "agree")]
    Agreement,
    /// Both may be true.
    #[serde(alias = "COMPATIBLE", alias = "Compatible", alias = "none", alias = "unrelated", alias = "independent")]
    Compatible,
    /// Nothing is known of the pair, so it stays unexamined. Not offered to models, which can read both claims.
    #[schemars(skip)]
    Unknown,
}
