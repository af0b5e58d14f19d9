//! GraphQL types of rooms and threads: discussions beside the main channel.

use std::sync::Arc;

use async_graphql::{ID, SimpleObject};
use chrono::{DateTime, Utc};

use crate::api::types::channel::{ExitCheck, SteelmanJudgement};
use crate::api::types::debate::debate::Debate;
use crate::api::types::debate::debate_ref::ParticipantSource;
use crate::api::types::debate_object::DebateObject;
use crate::api::types::dispute::dispute::Stance;
use crate::api::types::room_summary::RoomAspect;
use crate::api::types::scalars::{DisagreementKind, RoomKind, RoomOutcome, RoomStage, RoomStatus};
use faultline_core::events::crux;
use faultline_core::events::ids::{RoomId, TurnId};
use faultline_core::projections::crux_rooms;
use faultline_core::projections::crux_rooms::CruxRooms;

/// A room for the discussion of one question beside the main channel: a private one for some participants, or a thread, in
/// which all participants of the debate may speak. A room by itself makes nothing a crux or common ground.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Room {
    /// Unique id, also accepted by `node`.
    pub(crate) id: ID,
    /// Short id within the debate, such as `m1`. Fields that refer to objects of the same debate contain short ids.
    short_id: ID,
    /// Kind of the room: who may speak in it.
    pub(crate) kind: RoomKind,
    /// Id of the thread from which a thread was split; null for one that was split from the main channel, and for a private
    /// room.
    parent_id: Option<ID>,
    /// Question under discussion.
    question: String,
    /// Id of the dispute with this question, if there is one.
    dispute_id: Option<ID>,
    /// Ids of the participants whose disagreement it is about. In a private room, only they may speak, beside a moderator.
    pub(crate) participant_ids: Vec<ID>,
    /// Ids of its members: the participants whose disagreement it is about, then those who joined by speaking in it.
    pub(crate) member_ids: Vec<ID>,
    /// Status.
    status: RoomStatus,
    /// Ids of the turns that led to it.
    source_turn_ids: Vec<ID>,
    /// Id of the candidate for which it was opened; null if there was none.
    candidate_id: Option<ID>,
    /// Reason for opening it.
    opened_reason: Option<String>,
    /// Time at which it was opened.
    opened_at: DateTime<Utc>,
    /// Version of the event that opened it.
    opened_version: i64,
    /// Time at which it was closed; null while it is open.
    closed_at: Option<DateTime<Utc>>,
    /// Version of the event that closed it.
    closed_version: Option<i64>,
    /// Outcome, as judged when it was closed; null while it is open.
    outcome: Option<RoomOutcome>,
    /// Reason for closing it.
    closed_reason: Option<String>,
    /// Summary card; null if none was drawn up.
    card: Option<RoomCard>,
    /// Number of turns taken in it, including a moderator's.
    turn_count: usize,
    /// Ids of these turns.
    turn_ids: Vec<ID>,
    /// Last stance of each member on the room's dispute, as stated in the room. The dispute itself has the stances
    /// taken elsewhere or later.
    stances: Vec<Stance>,
    /// Aspects of its question, in the order in which they are discussed; null unless the room is a panel whose aspects were
    /// named.
    aspects: Option<Vec<RoomAspect>>,
    /// Stages that it entered, in order, those on aspects included; none in a free exchange.
    stages: Vec<RoomStage>,
    /// Judgements on turns in which one participant stated the position of the other, in order.
    steelman_judgements: Vec<SteelmanJudgement>,
    /// Exit checks, in order: readings that tell whether the participants stated what divides them.
    exit_checks: Vec<ExitCheck>,
    #[graphql(skip)]
    pub(crate) room: RoomId,
    #[graphql(skip)]
    pub(crate) debate: Arc<Debate>,
}

/// Summary of a room, drawn up when it was closed. It contains no stances.
#[derive(SimpleObject, Clone)]
pub struct RoomCard {
    /// Kind of disagreement.
    kind: Option<DisagreementKind>,
    /// Diagnosis of the disagreement.
    diagnosis: String,
    /// Resolution, if there was one.
    resolution: Option<String>,
    /// Conditions under which participants would change their minds.
    falsifiers: Vec<Falsifier>,
}

/// A condition under which a participant would change its mind.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Falsifier {
    /// Id of the participant.
    pub(crate) persona_id: ID,
    /// Condition.
    text: String,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

impl RoomCard {
    fn new(card: &crux::Card, participants: &ParticipantSource) -> Self {
        let falsifier = |falsifier: &crux::Falsifier| Falsifier {
            persona_id: ID(falsifier.speaker.to_string()),
            text: falsifier.text.clone(),
            participants: participants.clone(),
        };
        RoomCard {
            kind: card.kind.map(DisagreementKind::from),
            diagnosis: card.diagnosis.clone(),
            resolution: card.resolution.clone(),
            falsifiers: card.falsifiers.iter().map(falsifier).collect(),
        }
    }
}

fn ids(turns: &[TurnId]) -> Vec<ID> {
    turns.iter().map(|turn| ID(turn.to_string())).collect()
}

impl Room {
    /// Returns all rooms of a debate, in the order of opening.
    pub fn all(rooms: &CruxRooms, debate: &Arc<Debate>) -> Vec<Room> {
        rooms.rooms.iter().map(|(id, room)| Room::new(*id, room, rooms.status(room).into(), debate)).collect()
    }

    fn new(id: RoomId, room: &crux_rooms::Room, status: RoomStatus, debate: &Arc<Debate>) -> Room {
        let (opened, closed) = (&room.opened, room.closed.as_ref());
        let participants = ParticipantSource::from(debate);
        let stances = room.stances.iter().map(|(persona, stance)| Stance {
            persona_id: ID(persona.to_string()),
            side: stance.side.into(),
            turn_id: ID(stance.turn.to_string()),
            quote: stance.quote.clone(),
            confidence: stance.confidence,
            participants: participants.clone(),
        });
        Room {
            id: participants.object_id(DebateObject::Room(id)),
            short_id: ID(id.to_string()),
            kind: opened.kind.into(),
            parent_id: opened.parent.map(|parent| ID(parent.to_string())),
            question: opened.question.clone(),
            dispute_id: opened.dispute.map(|dispute| ID(dispute.to_string())),
            participant_ids: opened.participants.iter().map(|participant| ID(participant.to_string())).collect(),
            member_ids: room.members().map(|member| ID(member.to_string())).collect(),
            status,
            source_turn_ids: ids(&opened.turns),
            candidate_id: opened.candidate.map(|candidate| ID(candidate.to_string())),
            opened_reason: opened.reason.clone(),
            opened_at: room.at,
            opened_version: room.version,
            closed_at: closed.map(|closing| closing.at),
            closed_version: closed.map(|closing| closing.version),
            outcome: closed.map(|closing| closing.closed.outcome.into()),
            closed_reason: closed.map(|closing| closing.closed.reason.clone()),
            card: closed
                .and_then(|closing| closing.closed.card.as_ref())
                .map(|card| RoomCard::new(card, &participants)),
            turn_count: room.turns.len(),
            turn_ids: ids(&room.turns),
            stances: stances.collect(),
            aspects: RoomAspect::all(room),
            stages: room.stages.iter().map(|entered| entered.stage.into()).collect(),
            steelman_judgements: room.steelmen.iter().map(|it| SteelmanJudgement::new(it, &participants)).collect(),
            exit_checks: room.exit_checks.iter().map(|checked| ExitCheck::new(checked, &participants)).collect(),
            room: id,
            debate: Arc::clone(debate),
        }
    }
}
