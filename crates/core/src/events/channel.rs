//! The main channel and its rooms: who is given the floor and why, who skips a turn, how much attention turns get, the agenda,
//! the disagreements that a detector sees, the aspects and stages of rooms, and exit checks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::events::ids::{CandidateId, DisputeId, PersonaId, RoomId, TurnId};
use crate::events::summary::{Summarize, in_room, refused_parts, short};

/// A participant was given the floor of the main channel or of a room. The participant's next turn, skip or missed call there
/// follows from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FloorGiven {
    /// The participant.
    pub speaker: PersonaId,
    /// The room; absent for the main channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<RoomId>,
    /// Reason for which this participant speaks next.
    pub reason: String,
    /// The participant's attention to this place, from 0 to 1: the highest score that they gave to one of its latest turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attention: Option<f64>,
}

impl Summarize for FloorGiven {
    fn summary(&self) -> String {
        format!("{}{}: {}", self.speaker, in_room(self.room), short(&self.reason))
    }
}

/// The attention of participants to a turn of somebody else was scored. It decides who speaks where next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AttentionScored {
    /// The turn.
    pub turn: TurnId,
    /// Scores of the participants, in speaking order.
    pub scores: Vec<AttentionScore>,
    /// The embedder that measured the similarities; absent if they are shares of common content words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

impl Summarize for AttentionScored {
    fn summary(&self) -> String {
        let scores: Vec<String> =
            self.scores.iter().map(|score| format!("{} {:.2}", score.participant, score.score)).collect();
        format!("{}: {}", self.turn, scores.join(", "))
    }
}

/// Attention of a participant to a turn, with what it consists of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AttentionScore {
    /// The participant.
    pub participant: PersonaId,
    /// The attention, from 0 to 1: the weighted sum of the parts below.
    pub score: f64,
    /// Similarity of the turn to the participant's own stances, from 0 to 1: the highest of them.
    pub similarity: f64,
    /// True if the turn addresses the participant.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_addressed: bool,
    /// True if the turn was taken in a thread in which the participant takes part.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_member: bool,
    /// True if the turn was taken in a thread whose question is on the agenda.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_in_focus: bool,
}

/// The agenda was set: the open questions that divide the participants most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgendaSet {
    /// The disputes in focus, the most divisive first; empty if none is open.
    pub disputes: Vec<DisputeId>,
    /// Reason for the choice.
    pub reason: String,
}

impl Summarize for AgendaSet {
    fn summary(&self) -> String {
        let disputes: Vec<String> = self.disputes.iter().map(ToString::to_string).collect();
        let disputes = if disputes.is_empty() { "nothing".to_owned() } else { disputes.join(", ") };
        format!("{disputes}: {}", short(&self.reason))
    }
}

/// A participant who had the floor said nothing. A skip is no turn, and takes no side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnSkipped {
    /// The participant.
    pub speaker: PersonaId,
    /// The room; absent in the main channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<RoomId>,
    /// Reason, as the participant stated it.
    pub reason: String,
}

impl Summarize for TurnSkipped {
    fn summary(&self) -> String {
        format!("{}{}: {}", self.speaker, in_room(self.room), short(&self.reason))
    }
}

/// A detector read a window of turns, and told who opposes whom about which question. What it saw
/// establishes no crux: a room opens only for a disagreement that was seen in several consecutive windows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DisagreementsDetected {
    /// The turns of the window.
    pub turns: Vec<TurnId>,
    /// Disagreements that were seen; empty if there were none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<DetectedDisagreement>,
    /// Parts of the reply that were rejected, each with the reason; the rest was accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
}

impl Summarize for DisagreementsDetected {
    fn summary(&self) -> String {
        let window = match self.turns.as_slice() {
            [first, .., last] => format!("{first} to {last}"),
            [only] => only.to_string(),
            [] => "no turns".to_owned(),
        };
        let found: Vec<String> = self.found.iter().map(DetectedDisagreement::line).collect();
        let found = if found.is_empty() { "none".to_owned() } else { found.join("; ") };
        format!("{window}: {found}{}", refused_parts(&self.refused))
    }
}

/// Disagreement of two participants about one question, with the words of both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DetectedDisagreement {
    /// The candidate for a room: the same for the same question and, unless rooms are threads, the same two participants.
    pub candidate: CandidateId,
    /// The question, answerable with yes or no.
    pub question: String,
    /// Words that answer yes.
    pub yes: StatedWords,
    /// Words that answer no, of another participant.
    pub no: StatedWords,
    /// Confidence of the detector, from 0 to 1.
    pub confidence: f64,
}

impl DetectedDisagreement {
    fn line(&self) -> String {
        let (yes, no) = (&self.yes.speaker, &self.no.speaker);
        format!("{} {yes} against {no}, {:.2}, {}", self.candidate, self.confidence, short(&self.question))
    }
}

/// Words of a participant's turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatedWords {
    /// The participant.
    pub speaker: PersonaId,
    /// The participant's turn that contains the words.
    pub turn: TurnId,
    /// The words, exactly as the turn contains them.
    pub quote: String,
}

/// A clerk read a room after an exchange and told whether its participants had stated what divides them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExitChecked {
    /// The room.
    pub room: RoomId,
    /// The last turn that was read.
    pub turn: TurnId,
    /// True if what divides the participants was stated, by each in the quoted words.
    pub surfaced: bool,
    /// Words of each participant that state what divides them; empty if it was not stated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<StatedWords>,
    /// Reason, as stated by the clerk.
    pub reason: String,
    /// Parts of the reply that were rejected, each with the reason; the rest was accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
}

impl Summarize for ExitChecked {
    fn summary(&self) -> String {
        let found = if self.surfaced { "surfaced" } else { "not surfaced" };
        format!("{} after {}, {found}: {}{}", self.room, self.turn, short(&self.reason), refused_parts(&self.refused))
    }
}

/// The aspects of a room's question were named: narrower questions, each of them a dispute. Whether the participants divide
/// on one is told by their stances alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RoomAspectsNamed {
    /// The room.
    pub room: RoomId,
    /// The aspects, in the order in which the room discusses them; empty if none could be named.
    pub aspects: Vec<RoomAspect>,
    /// Parts of the reply that were rejected, each with the reason; the rest was accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
}

impl Summarize for RoomAspectsNamed {
    fn summary(&self) -> String {
        let line = |aspect: &RoomAspect| format!("{} {}", aspect.dispute, short(&aspect.label));
        let aspects: Vec<String> = self.aspects.iter().map(line).collect();
        let aspects = if aspects.is_empty() { "none".to_owned() } else { aspects.join(", ") };
        format!("{}: {aspects}{}", self.room, refused_parts(&self.refused))
    }
}

/// Aspect of a room's question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RoomAspect {
    /// The dispute that asks about it.
    pub dispute: DisputeId,
    /// Name of the aspect, in a few words.
    pub label: String,
}

/// Stage of a room in which the participants take the same step, after their entry statements. A staged room has the first
/// five; a panel has three for each aspect of its question, then a clash and a closing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RoomStage {
    /// Each states the position of the other in its strongest form.
    Steelman,
    /// Each says whether the other has stated their position fairly.
    Confirmation,
    /// Each says why they disagree.
    Diagnosis,
    /// Each says what would change their mind.
    Falsifiers,
    /// Each says where they stand at the end, and what is settled.
    Resolution,
    /// Each says where they stand on an aspect, at the same time.
    Takes,
    /// Each replies to the take of the other.
    Replies,
    /// Each whose take was challenged answers the challenge.
    Rejoinders,
    /// They take turns on what divides them.
    Clash,
    /// Each says where they stand at the end of a panel.
    Closing,
}

impl RoomStage {
    /// Stages of a staged room, in order.
    pub const STAGED: [RoomStage; 5] = [
        RoomStage::Steelman,
        RoomStage::Confirmation,
        RoomStage::Diagnosis,
        RoomStage::Falsifiers,
        RoomStage::Resolution,
    ];

    /// Stages of a panel for each aspect, in order.
    pub const OF_ASPECT: [RoomStage; 3] = [RoomStage::Takes, RoomStage::Replies, RoomStage::Rejoinders];

    /// Returns the wire name: `steelman`, `confirmation`, `diagnosis`, `falsifiers`, `resolution`, `takes`, `replies`,
    /// `rejoinders`, `clash` or `closing`.
    pub fn name(self) -> &'static str {
        match self {
            RoomStage::Steelman => "steelman",
            RoomStage::Confirmation => "confirmation",
            RoomStage::Diagnosis => "diagnosis",
            RoomStage::Falsifiers => "falsifiers",
            RoomStage::Resolution => "resolution",
            RoomStage::Takes => "takes",
            RoomStage::Replies => "replies",
            RoomStage::Rejoinders => "rejoinders",
            RoomStage::Clash => "clash",
            RoomStage::Closing => "closing",
        }
    }

    /// Returns the stages of a room in order, each with its aspect: those of a panel if its aspects were named, otherwise
    /// those of a staged room.
    pub fn in_order(aspects: Option<&[RoomAspect]>) -> Vec<(RoomStage, Option<DisputeId>)> {
        let Some(aspects) = aspects else { return RoomStage::STAGED.map(|stage| (stage, None)).to_vec() };
        let of_aspect = |aspect: &RoomAspect| RoomStage::OF_ASPECT.map(|stage| (stage, Some(aspect.dispute)));
        let last = [RoomStage::Clash, RoomStage::Closing].map(|stage| (stage, None));
        aspects.iter().flat_map(of_aspect).chain(last).collect()
    }

    /// Returns true if a room may go on without this stage, because nobody has a step to take in it.
    pub fn is_optional(self) -> bool {
        matches!(self, RoomStage::Replies | RoomStage::Rejoinders)
    }
}

/// A room entered a stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RoomStageEntered {
    /// The room.
    pub room: RoomId,
    /// The stage.
    pub stage: RoomStage,
    /// The dispute of the aspect that it is about; absent for stages on the question of the room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aspect: Option<DisputeId>,
}

impl Summarize for RoomStageEntered {
    fn summary(&self) -> String {
        let on = self.aspect.map(|aspect| format!(" on {aspect}")).unwrap_or_default();
        format!("{} {}{on}", self.room, self.stage.name())
    }
}

/// A participant said whether the other participant of a room has stated their position fairly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SteelmanJudged {
    /// The room.
    pub room: RoomId,
    /// The turn in which the other participant stated the position.
    pub steelman: TurnId,
    /// The participant whose position it is.
    pub speaker: PersonaId,
    /// Their turn that judges it.
    pub turn: TurnId,
    /// True if they accept it as a fair statement of their position.
    pub accepted: bool,
    /// Words of the turn that say so, exactly as it contains them.
    pub quote: String,
}

impl Summarize for SteelmanJudged {
    fn summary(&self) -> String {
        let found = if self.accepted { "accepts" } else { "rejects" };
        format!("{} {} {found} {} in {}: {}", self.room, self.speaker, self.steelman, self.turn, short(&self.quote))
    }
}
