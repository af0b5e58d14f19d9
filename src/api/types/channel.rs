//! GraphQL types of the main channel and its rooms: candidates for rooms, the floor, skipped turns, attention, the agenda,
//! and exit checks of rooms.

use std::sync::Arc;

use async_graphql::{ID, SimpleObject};
use chrono::{DateTime, Utc};

use crate::api::types::debate::debate::Debate;
use crate::api::types::debate::debate_ref::ParticipantSource;
use crate::api::types::debate_object::DebateObject;
use faultline_core::events::channel;
use faultline_core::events::channel::{AttentionScored, ExitChecked, SteelmanJudged};
use faultline_core::events::ids::{CandidateId, DisputeId};
use faultline_core::projections::agenda;
use faultline_core::projections::floor::Floor;
use faultline_core::projections::room_candidates;
use faultline_core::projections::room_candidates::{RoomCandidates, Sighting};

/// A disagreement of two participants about one question, as a detector saw it. If it is seen in several consecutive
/// windows, a room or a thread can open for it. By itself it makes nothing a crux.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct RoomCandidate {
    /// Unique id, also accepted by `node`.
    pub(crate) id: ID,
    /// Short id within the debate, such as `n1`. Fields that refer to objects of the same debate contain short ids.
    short_id: ID,
    /// Question, as it was worded first.
    question: String,
    /// Ids of the two participants. A candidate for a thread is a question; these are the two in whom it was seen first.
    pub(crate) participant_ids: Vec<ID>,
    /// Number of consecutive windows up to the latest one in which it was seen; 0 if it is not in the latest one.
    streak: u32,
    /// Number of windows since it was last seen.
    unseen_count: u32,
    /// True if it was not seen for three windows and no room was opened for it: the same disagreement seen again is a new
    /// candidate.
    is_expired: bool,
    /// Id of the room that was opened for it; null if there is none.
    room_id: Option<ID>,
    /// Windows in which it was seen, in order.
    sightings: Vec<CandidateSighting>,
    #[graphql(skip)]
    pub(crate) debate: Arc<Debate>,
}

/// A window of turns in which a detector saw a candidate.
#[derive(SimpleObject, Clone)]
pub struct CandidateSighting {
    /// Number of the window, from 1.
    window: u32,
    /// Question, as it was worded in this window.
    question: String,
    /// Confidence of the detector, from 0 to 1.
    confidence: f64,
    /// Words that answer yes.
    yes: StatedWords,
    /// Words of the other participant that answer no.
    no: StatedWords,
    /// Version of the event that recorded it.
    version: i64,
    /// Time at which it was recorded.
    at: DateTime<Utc>,
}

/// Words of a participant's turn.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct StatedWords {
    /// Id of the participant.
    pub(crate) speaker_id: ID,
    /// Id of the participant's turn that contains the words.
    turn_id: ID,
    /// The words, exactly as the turn contains them.
    quote: String,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

/// An occasion on which a participant was given the floor of the main channel or of a room.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct FloorEntry {
    /// Id of the participant.
    pub(crate) speaker_id: ID,
    /// Id of the room; null for the main channel.
    room_id: Option<ID>,
    /// Reason for which this participant spoke next.
    reason: String,
    /// The participant's attention to this place, from 0 to 1: the highest score that they gave to one of its latest turns.
    /// Null if it was not measured, or is 0.
    attention: Option<f64>,
    /// Id of the turn taken; null if there is none yet, or the participant skipped it or gave no answer.
    turn_id: Option<ID>,
    /// Version of the event that recorded it.
    version: i64,
    /// Time at which it was recorded.
    at: DateTime<Utc>,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

/// A turn that a participant skipped. A skip takes no side.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct SkippedTurn {
    /// Id of the participant.
    pub(crate) speaker_id: ID,
    /// Id of the room; null in the main channel.
    room_id: Option<ID>,
    /// Reason, as the participant stated it.
    reason: String,
    /// Id of the latest turn before it; null before the first.
    after_turn_id: Option<ID>,
    /// Version of the event that recorded it.
    version: i64,
    /// Time at which it was recorded.
    at: DateTime<Utc>,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

/// Attention of the other participants to a turn. It decides who speaks where next; verdicts do not depend on it.
#[derive(SimpleObject, Clone)]
pub struct TurnAttention {
    /// Name of the embedder that measured the similarities; null if they are shares of common content words.
    embedder: Option<String>,
    /// Scores of the participants, in speaking order.
    scores: Vec<AttentionScore>,
}

/// Attention of a participant to a turn of somebody else.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct AttentionScore {
    /// Id of the participant.
    pub(crate) participant_id: ID,
    /// The attention, from 0 to 1: the weighted sum of the parts below.
    score: f64,
    /// Similarity of the turn to the participant's own stances, from 0 to 1: the highest of them.
    similarity: f64,
    /// True if the turn addresses the participant.
    is_addressed: bool,
    /// True if the turn was taken in a thread in which the participant takes part.
    is_member: bool,
    /// True if the turn was taken in a thread whose question is on the agenda.
    is_in_focus: bool,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

/// An agenda: the open questions that divided the participants most when it was set.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Agenda {
    /// Ids of the disputes in focus, the most divisive first; empty if none was open.
    dispute_ids: Vec<ID>,
    /// Reason for the choice.
    reason: String,
    /// Version of the event that recorded it.
    version: i64,
    /// Time at which it was recorded.
    at: DateTime<Utc>,
    #[graphql(skip)]
    pub(crate) in_focus: Vec<DisputeId>,
    #[graphql(skip)]
    pub(crate) debate: Arc<Debate>,
}

/// A participant's judgement on a turn in which the other participant of a room stated their position.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct SteelmanJudgement {
    /// Id of the turn that states the position.
    steelman_turn_id: ID,
    /// Id of the participant whose position it is.
    pub(crate) speaker_id: ID,
    /// Id of the participant's turn that judges it.
    turn_id: ID,
    /// True if the participant accepts it as a fair statement of their position.
    accepted: bool,
    /// Words of the turn that say so.
    quote: String,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

/// A clerk's reading of a room: whether its participants stated what divides them.
#[derive(SimpleObject, Clone)]
pub struct ExitCheck {
    /// Id of the last turn that was read.
    turn_id: ID,
    /// True if what divides the participants was stated.
    surfaced: bool,
    /// Words of each participant that state what divides them; empty if it was not stated.
    words: Vec<StatedWords>,
    /// Reason, as stated by the clerk.
    reason: String,
    /// Parts of the reply that were rejected, each with the reason; the rest was accepted.
    rejected_parts: Vec<String>,
}

impl RoomCandidate {
    /// Returns all candidates of a debate, in the order in which they were first seen.
    pub fn all(candidates: &RoomCandidates, debate: &Arc<Debate>) -> Vec<RoomCandidate> {
        candidates.candidates.iter().map(|(id, candidate)| RoomCandidate::new(*id, candidate, debate)).collect()
    }

    fn new(id: CandidateId, candidate: &room_candidates::RoomCandidate, debate: &Arc<Debate>) -> RoomCandidate {
        let participants = ParticipantSource::from(debate);
        let pair = candidate.pair().into_iter().flatten();
        RoomCandidate {
            id: participants.object_id(DebateObject::RoomCandidate(id)),
            short_id: ID(id.to_string()),
            question: candidate.question.clone(),
            participant_ids: pair.map(|participant| ID(participant.to_string())).collect(),
            streak: candidate.streak,
            unseen_count: candidate.unseen,
            is_expired: candidate.is_expired,
            room_id: candidate.room.map(|room| ID(room.to_string())),
            sightings: candidate
                .sightings
                .iter()
                .map(|sighting| CandidateSighting::new(sighting, &participants))
                .collect(),
            debate: Arc::clone(debate),
        }
    }
}

impl CandidateSighting {
    fn new(sighting: &Sighting, participants: &ParticipantSource) -> CandidateSighting {
        let seen = &sighting.seen;
        CandidateSighting {
            window: sighting.window,
            question: seen.question.clone(),
            confidence: seen.confidence,
            yes: StatedWords::new(&seen.yes, participants),
            no: StatedWords::new(&seen.no, participants),
            version: sighting.version,
            at: sighting.at,
        }
    }
}

impl StatedWords {
    fn new(words: &channel::StatedWords, participants: &ParticipantSource) -> StatedWords {
        StatedWords {
            speaker_id: ID(words.speaker.to_string()),
            turn_id: ID(words.turn.to_string()),
            quote: words.quote.clone(),
            participants: participants.clone(),
        }
    }
}

impl FloorEntry {
    /// Returns all occasions on which somebody was given the floor, in order.
    pub fn all(floor: &Floor, participants: &ParticipantSource) -> Vec<FloorEntry> {
        let entries = floor.given.iter().map(|entry| FloorEntry {
            speaker_id: ID(entry.given.speaker.to_string()),
            room_id: entry.given.room.map(|room| ID(room.to_string())),
            reason: entry.given.reason.clone(),
            attention: entry.given.attention,
            turn_id: entry.turn.map(|turn| ID(turn.to_string())),
            version: entry.version,
            at: entry.at,
            participants: participants.clone(),
        });
        entries.collect()
    }
}

impl SkippedTurn {
    /// Returns all skipped turns, in order.
    pub fn all(floor: &Floor, participants: &ParticipantSource) -> Vec<SkippedTurn> {
        let skips = floor.skips.iter().map(|skip| SkippedTurn {
            speaker_id: ID(skip.speaker.to_string()),
            room_id: skip.room.map(|room| ID(room.to_string())),
            reason: skip.reason.clone(),
            after_turn_id: skip.after.map(|turn| ID(turn.to_string())),
            version: skip.version,
            at: skip.at,
            participants: participants.clone(),
        });
        skips.collect()
    }
}

impl TurnAttention {
    /// Builds the attention to a turn of a debate with these participants.
    pub fn new(scored: &AttentionScored, participants: &ParticipantSource) -> TurnAttention {
        let score = |score: &channel::AttentionScore| AttentionScore {
            participant_id: ID(score.participant.to_string()),
            score: score.score,
            similarity: score.similarity,
            is_addressed: score.is_addressed,
            is_member: score.is_member,
            is_in_focus: score.is_in_focus,
            participants: participants.clone(),
        };
        TurnAttention { embedder: scored.by.clone(), scores: scored.scores.iter().map(score).collect() }
    }
}

impl Agenda {
    /// Returns all agendas of a debate, in order.
    pub fn all(agenda: &agenda::Agenda, debate: &Arc<Debate>) -> Vec<Agenda> {
        let entries = agenda.set.iter().map(|entry| Agenda {
            dispute_ids: entry.agenda.disputes.iter().map(|dispute| ID(dispute.to_string())).collect(),
            reason: entry.agenda.reason.clone(),
            version: entry.version,
            at: entry.at,
            in_focus: entry.agenda.disputes.clone(),
            debate: Arc::clone(debate),
        });
        entries.collect()
    }
}

impl SteelmanJudgement {
    /// Builds a judgement of a debate with these participants.
    pub fn new(judged: &SteelmanJudged, participants: &ParticipantSource) -> SteelmanJudgement {
        SteelmanJudgement {
            steelman_turn_id: ID(judged.steelman.to_string()),
            speaker_id: ID(judged.speaker.to_string()),
            turn_id: ID(judged.turn.to_string()),
            accepted: judged.accepted,
            quote: judged.quote.clone(),
            participants: participants.clone(),
        }
    }
}

impl ExitCheck {
    /// Builds an exit check of a debate with these participants.
    pub fn new(checked: &ExitChecked, participants: &ParticipantSource) -> ExitCheck {
        ExitCheck {
            turn_id: ID(checked.turn.to_string()),
            surfaced: checked.surfaced,
            words: checked.words.iter().map(|words| StatedWords::new(words, participants)).collect(),
            reason: checked.reason.clone(),
            rejected_parts: checked.refused.clone(),
        }
    }
}
