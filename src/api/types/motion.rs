//! GraphQL types of debates on a motion: sides with what they have used, announcements, and drafts.

use async_graphql::{ID, SimpleObject};
use chrono::{DateTime, Utc};

use crate::api::types::debate::debate_ref::ParticipantSource;
use crate::api::types::speech::fact_check::{FactCheck, Factuality};
use crate::api::types::speech::preparation::TurnPreparation;
use faultline_core::events::checks::sides::MotionSide;
use faultline_core::events::ids::PersonaId;
use faultline_core::projections::fact_checks::FactChecks;
use faultline_core::projections::motion;
use faultline_core::verdicts::read_model::DebateReadModel;

/// Debate on a motion: who speaks for it and who against it. No side wins: a verdict tells what the participants hold, and which
/// questions divide them.
#[derive(SimpleObject, Clone)]
pub struct Motion {
    /// Side for the motion.
    pro: MotionTeam,
    /// Side against it.
    con: MotionTeam,
    /// Reason for the assignment of the sides.
    reason: String,
    /// Announcements of the moderator, in order. No model words them.
    announcements: Vec<Announcement>,
    /// Drafts of speeches that were checked before they were taken, in order. Empty unless facts are checked strictly.
    drafts: Vec<CheckedDraft>,
}

/// One side of a motion, with the sums over its participants.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct MotionTeam {
    /// Ids of its participants, in speaking order.
    pub(crate) persona_ids: Vec<ID>,
    /// Number of turns.
    turn_count: u32,
    /// Number of words in them.
    word_count: u64,
    /// Fact checks of what they said; rejected drafts are left out.
    factuality: Factuality,
    /// Number of drafts that were rejected because a claim was found false.
    rejected_draft_count: u32,
    /// Number of turns that were taken although a claim in them was found false.
    violation_count: u32,
    /// Number of answered calls, unusable answers included.
    call_count: u32,
    /// Number of tokens read and written.
    tokens: u64,
    /// Cost in millionths of a US dollar.
    cost_micros: u64,
    /// Milliseconds from request to reply, summed over the calls.
    millis: u64,
    #[graphql(skip)]
    pub(crate) source: ParticipantSource,
}

/// Announcement of the moderator.
#[derive(SimpleObject, Clone)]
pub struct Announcement {
    /// Phase that it begins.
    phase: String,
    /// Round that it begins, if the phase has rounds.
    round: Option<u32>,
    /// Text.
    text: String,
    /// Id of the latest turn before it; null before the first.
    after_turn_id: Option<ID>,
    /// Version of the event that recorded it.
    version: i64,
    /// Time at which it was recorded.
    at: DateTime<Utc>,
}

/// Draft of a speech that was checked before it was taken.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct CheckedDraft {
    /// Short id within the debate, such as `w1`.
    short_id: ID,
    /// Id of the participant who wrote it.
    pub(crate) speaker_id: ID,
    /// Round for which it was written.
    round: Option<u32>,
    /// Number of the attempt at this speech, from 1.
    attempt: u32,
    /// Text of the speech. Nobody else has heard it unless it was taken.
    text: String,
    /// Reflection and critique.
    preparation: Option<TurnPreparation>,
    /// Checks of its claims.
    fact_checks: Vec<FactCheck>,
    /// Reason for which it was rejected; null if it was not.
    rejection: Option<String>,
    /// Id of the turn that it became; null if it became none.
    turn_id: Option<ID>,
    /// Version of the event that recorded it.
    version: i64,
    /// Time at which it was recorded.
    at: DateTime<Utc>,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

impl Motion {
    /// Builds the motion of a debate; `None` without sides.
    pub fn of(read_model: &DebateReadModel, participants: &ParticipantSource) -> Option<Motion> {
        let (motion, checks) = (&read_model.motion, &read_model.fact_checks);
        let sides = motion.sides.as_ref()?;
        let team = |side: MotionSide| {
            let members = sides.of(side);
            let used = read_model.speaker_use.of_all(members);
            MotionTeam {
                persona_ids: members.iter().map(|id| ID(id.to_string())).collect(),
                turn_count: used.turns,
                word_count: used.words,
                factuality: checks.factuality(|speaker: &PersonaId| members.contains(speaker)).into(),
                rejected_draft_count: used.rejections,
                violation_count: used.violations,
                call_count: used.calls,
                tokens: used.tokens,
                cost_micros: used.cost_micros,
                millis: used.millis,
                source: participants.clone(),
            }
        };
        Some(Motion {
            pro: team(MotionSide::Pro),
            con: team(MotionSide::Con),
            reason: sides.reason.clone(),
            announcements: motion.announcements.iter().map(Announcement::from).collect(),
            drafts: motion.drafts.values().map(|draft| CheckedDraft::new(draft, checks, participants)).collect(),
        })
    }
}

impl From<&motion::Announcement> for Announcement {
    fn from(it: &motion::Announcement) -> Announcement {
        Announcement {
            phase: it.phase.clone(),
            round: it.round,
            text: it.text.clone(),
            after_turn_id: it.after.map(|turn| ID(turn.to_string())),
            version: it.version,
            at: it.at,
        }
    }
}

impl CheckedDraft {
    fn new(draft: &motion::Draft, checks: &FactChecks, participants: &ParticipantSource) -> CheckedDraft {
        let (id, turn) = (draft.drafted.draft, &draft.drafted.turn);
        CheckedDraft {
            short_id: ID(id.to_string()),
            speaker_id: ID(turn.speaker.to_string()),
            round: turn.round,
            attempt: draft.drafted.attempt,
            text: turn.text.clone(),
            preparation: turn.preparation.as_ref().map(TurnPreparation::from),
            fact_checks: checks.of_draft(id).map(|check| FactCheck::new(check, checks, participants)).collect(),
            rejection: draft.rejected.as_ref().map(|rejected| rejected.reason.clone()),
            turn_id: draft.said_in.map(|turn| ID(turn.to_string())),
            version: draft.version,
            at: draft.at,
            participants: participants.clone(),
        }
    }
}
