//! Models of rooms, threads, tables, sides and fact checks in a report.

use crate::events::crux::RoomKind;
use crate::events::ids::{RoomId, TurnId};
use crate::export::report::model::statement::Statement;

/// Table of a blackboard debate.
#[derive(Clone, Debug)]
pub struct TableReport {
    /// Kind and number.
    pub title: String,
    /// Names of the participants.
    pub participants: Vec<String>,
    /// Reason for the seating.
    pub reason: String,
    /// State after the last measurement, with its reason.
    pub state: String,
    /// Measurements, in order.
    pub rounds: Vec<TableRound>,
}

/// Measurement of a table after a round.
#[derive(Clone, Debug)]
pub struct TableRound {
    /// The round.
    pub title: String,
    /// Measures of each dispute, in words.
    pub disputes: Vec<String>,
}

/// Agenda with the time at which it was set.
#[derive(Clone, Debug)]
pub struct AgendaReport {
    /// Latest turn before it; `None` before the first.
    pub after: Option<TurnId>,
    /// Time of day at which it was set.
    pub at: String,
    /// Questions in focus with the ids of their disputes, the most divisive first.
    pub questions: Vec<String>,
    /// Reason for the choice.
    pub reason: String,
}

/// Crux with the places in which it was worked out.
#[derive(Clone, Debug)]
pub struct CruxPlacesReport {
    /// Question of the crux.
    pub question: String,
    /// Rooms and threads, in words.
    pub places: String,
}

/// Room or thread with its result.
#[derive(Clone, Debug)]
pub struct RoomReport {
    /// Id of the room.
    pub id: RoomId,
    /// Kind of the room.
    pub kind: RoomKind,
    /// Question discussed in the room.
    pub question: String,
    /// Status in one or two words.
    pub status: &'static str,
    /// Participants whose disagreement it is about, by index in speaking order.
    pub speakers: Vec<usize>,
    /// Participants who joined a thread, by index in speaking order, in the order of their first turns.
    pub joined: Vec<usize>,
    /// Final stances in the room, with quotations that show them.
    pub stances: Vec<Statement>,
    /// Labelled notes: why the room was opened and closed, and the content of its card.
    pub notes: Vec<(&'static str, String)>,
    /// Aspects of the question of a panel, with what its members hold on them.
    pub aspects: Vec<AspectReport>,
    /// Turns taken in the room.
    pub turns: Vec<TurnId>,
    /// Disagreement that led to the room, as it was seen before; `None` if no detector saw one.
    pub candidate: Option<CandidateReport>,
    /// Judgements of participants on statements of their positions, in order.
    pub steelmen: Vec<Statement>,
    /// Exit checks, in order.
    pub exit_checks: Vec<ExitCheckReport>,
}

/// Aspect of the question of a room, as its summary tells it.
#[derive(Clone, Debug)]
pub struct AspectReport {
    /// Name of the aspect and its question.
    pub title: String,
    /// Sides of the members.
    pub positions: Vec<Statement>,
    /// Remark on the sides, such as that all members answer yes.
    pub remark: &'static str,
    /// Reasons of the members.
    pub reasons: Vec<Statement>,
    /// Observations that would settle the question.
    pub criteria: Vec<String>,
}

/// Disagreement of two participants as a detector saw it.
#[derive(Clone, Debug)]
pub struct CandidateReport {
    /// The question.
    pub question: String,
    /// Windows in which it was seen, and the confidence, in words.
    pub seen: String,
    /// Words of both participants in the latest of these windows.
    pub words: Vec<Statement>,
}

/// Exit check of a room.
#[derive(Clone, Debug)]
pub struct ExitCheckReport {
    /// Last turn that was read.
    pub turn: TurnId,
    /// Finding, with the reason.
    pub finding: String,
    /// Words that state what divides the participants.
    pub words: Vec<Statement>,
}

/// Claim that was checked; `said.what` is the rating and who gave it.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// The claim.
    pub said: Statement,
    /// Explanation of how the sources bear on the claim.
    pub explanation: Option<String>,
    /// Sources that were found.
    pub sources: Vec<String>,
}

/// Debate on a motion: its sides, and drafts that were not taken.
#[derive(Clone, Debug)]
pub struct MotionReport {
    /// Sentence on the assignment of the sides.
    pub assigned: String,
    /// The sides: for the motion, against it.
    pub teams: Vec<TeamReport>,
    /// Drafts that were not taken, in order.
    pub untaken: Vec<UntakenDraftReport>,
    /// Turns that were taken although a claim in them was found false, each with a sentence.
    pub violations: Vec<(TurnId, String)>,
    /// Claims without a result, and words in which no claims were looked for, each with a sentence.
    pub unchecked: Vec<String>,
}

/// Side of a motion.
#[derive(Clone, Debug)]
pub struct TeamReport {
    /// Title: `For the motion`.
    pub title: String,
    /// Names of its participants.
    pub participants: Vec<String>,
    /// Figures, each with its name.
    pub figures: Vec<(&'static str, String)>,
}

/// Draft that was not taken.
#[derive(Clone, Debug)]
pub struct UntakenDraftReport {
    /// Title: name of the draft, speaker, round, attempt, and why it was not taken.
    pub title: String,
    /// Text of the draft.
    pub text: String,
    /// Checks that found a claim in it false.
    pub checks: Vec<CheckReport>,
}
