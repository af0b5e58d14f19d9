//! Rooms beside the main channel.

use std::sync::Arc;

use async_graphql::{ComplexObject, Context, ID, Result, SimpleObject};
use chrono::{DateTime, Utc};

use crate::api::paging::Asked;
use crate::api::stream_pages;
use crate::api::types::debate::{Debate, listed};
use crate::api::types::dispute::{Dispute, Stance};
use crate::api::types::participant::Participant;
use crate::api::types::scalars::{DisagreementKind, RoomOutcome, RoomStatus};
use crate::api::types::turns::TurnConnection;
use crate::events::crux;
use crate::events::ids::{RoomId, TurnId};
use crate::projections::crux_rooms::{self, CruxRooms};

/// A room in which some participants talk one question out, beside the main channel. It is a place and no finding: nothing is
/// a crux or common ground because of it.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Room {
    /// Its name in the debate: `m1`.
    id: ID,
    /// What is talked out in it.
    question: String,
    /// The dispute that asks this, where one does.
    dispute_id: Option<ID>,
    /// Who may speak in it beside a moderator.
    participant_ids: Vec<ID>,
    /// Where it is in its life.
    status: RoomStatus,
    /// The turns that led to it.
    source_turn_ids: Vec<ID>,
    /// Why it was opened, and when it was.
    opened_because: Option<String>,
    /// When it was opened.
    opened_at: DateTime<Utc>,
    /// The version of the event that opened it.
    opened_version: i64,
    /// When it was closed; none while it was not.
    closed_at: Option<DateTime<Utc>>,
    /// The version of the event that closed it.
    closed_version: Option<i64>,
    /// How it ended, by the word of whoever closed it; none while it was not closed.
    outcome: Option<RoomOutcome>,
    /// Why it was closed.
    reason: Option<String>,
    /// The card that it dealt; none where none was drawn from it.
    card: Option<Card>,
    /// How many turns were taken in it, a moderator's as well.
    n_turns: usize,
    /// Those turns.
    turn_ids: Vec<ID>,
    /// Where each stood last on the room's dispute, as they said in the room. What they said elsewhere, and since, is told
    /// by the dispute.
    stances: Vec<Stance>,
    #[graphql(skip)]
    room: RoomId,
    #[graphql(skip)]
    debate: Arc<Debate>,
}

/// What was drawn from a room when it was closed: the word of whoever drew it. Positions are stances, and no part of it.
#[derive(SimpleObject, Clone)]
pub struct Card {
    /// What kind of disagreement it was.
    kind: Option<DisagreementKind>,
    /// Why they disagree.
    diagnosis: String,
    /// What resolved it, where something did.
    resolution: Option<String>,
    /// What would change whose mind.
    falsifiers: Vec<Falsifier>,
}

/// What would change somebody's mind.
#[derive(SimpleObject, Clone)]
pub struct Falsifier {
    /// Whose.
    persona_id: ID,
    /// What would.
    text: String,
}

impl From<&crux::Card> for Card {
    fn from(card: &crux::Card) -> Self {
        let falsifier =
            |it: &crux::Falsifier| Falsifier { persona_id: ID(it.speaker.to_string()), text: it.text.clone() };
        Card {
            kind: card.kind.map(DisagreementKind::from),
            diagnosis: card.diagnosis.clone(),
            resolution: card.resolution.clone(),
            falsifiers: card.falsifiers.iter().map(falsifier).collect(),
        }
    }
}

fn ids(turns: &[TurnId]) -> Vec<ID> {
    turns.iter().map(|it| ID(it.to_string())).collect()
}

impl Room {
    /// All rooms of a debate, in the order in which they were opened.
    pub fn all(rooms: &CruxRooms, debate: &Arc<Debate>) -> Vec<Room> {
        rooms.rooms.iter().map(|(id, it)| Room::new(*id, it, rooms.status(it).into(), debate)).collect()
    }

    fn new(id: RoomId, room: &crux_rooms::Room, status: RoomStatus, debate: &Arc<Debate>) -> Room {
        let (opened, closed) = (&room.opened, room.closed.as_ref());
        let stances = room.stances.iter().map(|(persona, it)| Stance {
            persona_id: ID(persona.to_string()),
            side: it.side.into(),
            turn_id: ID(it.turn.to_string()),
        });
        Room {
            id: ID(id.to_string()),
            question: opened.question.clone(),
            dispute_id: opened.dispute.map(|it| ID(it.to_string())),
            participant_ids: opened.participants.iter().map(|it| ID(it.to_string())).collect(),
            status,
            source_turn_ids: ids(&opened.turns),
            opened_because: opened.reason.clone(),
            opened_at: room.at,
            opened_version: room.version,
            closed_at: closed.map(|it| it.at),
            closed_version: closed.map(|it| it.version),
            outcome: closed.map(|it| it.closed.outcome.into()),
            reason: closed.map(|it| it.closed.reason.clone()),
            card: closed.and_then(|it| it.closed.card.as_ref()).map(Card::from),
            n_turns: room.turns.len(),
            turn_ids: ids(&room.turns),
            stances: stances.collect(),
            room: id,
            debate: Arc::clone(debate),
        }
    }
}

/// What it leads to. The debate is folded already where there is a room to ask.
#[ComplexObject]
impl Room {
    /// Who may speak in it beside a moderator.
    #[graphql(complexity = "child_complexity")]
    async fn participants(&self) -> Vec<Participant> {
        let inside =
            self.debate.cast.iter().filter(|it| self.participant_ids.iter().any(|id| **id == it.persona.as_str()));
        inside.map(|it| Participant::new(it, Arc::clone(&self.debate))).collect()
    }

    /// The dispute that asks its question, where one does: where everybody stands on it now.
    #[graphql(complexity = "child_complexity")]
    async fn dispute(&self, context: &Context<'_>) -> Result<Option<Dispute>> {
        let board = self.debate.board(context).await?;
        let asked = board.rooms.rooms.get(&self.room).and_then(|it| it.opened.dispute);
        Ok(asked.and_then(|it| Dispute::of(board, it)))
    }

    /// The turns taken in it, in order.
    #[graphql(complexity = "listed(first.or(last)) * child_complexity")]
    async fn turns(
        &self,
        context: &Context<'_>,
        #[graphql(
            desc = "So many from the first turn, or from `after`: 1 to 100; 20 where neither first nor last is given."
        )]
        first: Option<i32>,
        #[graphql(desc = "Only turns behind this cursor. Goes with first.")] after: Option<String>,
        #[graphql(desc = "So many before the end, or before `before`: 1 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only turns before this cursor. Goes with last.")] before: Option<String>,
    ) -> Result<TurnConnection> {
        let page = Asked { first, after, last, before }.page()?;
        let turns = &self.debate.board(context).await?.transcript.turns;
        let inside: Vec<_> = turns.iter().filter(|it| it.room == Some(self.room)).cloned().collect();
        stream_pages::turns(&inside, &page)
    }
}
