//! State of one thread, and its next step.
//!
//! The two whose disagreement it is about enter with a statement. A thread closes when all who take part in it have come to
//! one side (convergence), when none of them has anything new to say or their calls fail (a stall), or when its turns are
//! used up; then a clerk distils it into a card.

use crate::engines::talk::rooms::room_slots::{RoomSlots, SlotKind};
use crate::events::crux::RoomOutcome;
use crate::events::dispute::Side;
use crate::events::ids::PersonaId;
use crate::projections::crux_rooms::Room;
use crate::projections::disputes::dispute_state::Dispute;

/// Next step of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ThreadStep {
    /// One of these enters: participants whose disagreement the thread is about, who have not spoken in it.
    Enter(Vec<PersonaId>),
    /// Somebody speaks.
    Speak,
    /// A clerk distils the thread.
    Extract(ThreadEnding),
    /// The thread closes without a card, for this reason.
    Fail(String),
    /// The thread is closed.
    Done,
}

/// Reason for which a thread ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadEnding {
    /// All members came to this side.
    Converged(Side),
    /// None of the members had anything new to say.
    NothingNew,
    /// The latest calls of the members failed.
    Silent,
    /// The turns of the thread are used up.
    Limit(usize),
}

impl ThreadEnding {
    /// Describes the ending.
    pub fn reason(self) -> String {
        match self {
            ThreadEnding::Converged(side) => format!("all who took part came to the answer {}", side.name()),
            ThreadEnding::NothingNew => "none of those who took part had anything new to say".to_owned(),
            ThreadEnding::Silent => "the latest calls failed".to_owned(),
            ThreadEnding::Limit(turns) => format!("the limit of {turns} turns was reached"),
        }
    }

    /// Returns the outcome of a thread whose members still stand on different sides.
    pub fn outcome(self) -> RoomOutcome {
        RoomOutcome::Exhausted
    }
}

/// Returns the next step of a thread; `most` is the maximum number of slots.
pub fn step(room: &Room, slots: &RoomSlots, dispute: Option<&Dispute>, most: usize) -> ThreadStep {
    if slots.is_closed {
        return ThreadStep::Done;
    }
    if let Some(reason) = &slots.lost_card {
        return ThreadStep::Fail(format!("no card could be drawn from it: {reason}"));
    }
    let has_slot = |persona: &&PersonaId| slots.slots.iter().any(|slot| slot.speaker == **persona);
    let missing: Vec<PersonaId> =
        room.opened.participants.iter().filter(|persona| !has_slot(persona)).cloned().collect();
    if !missing.is_empty() {
        return ThreadStep::Enter(missing);
    }
    let members: Vec<&PersonaId> = room.members().collect();
    let has_turns = slots.slots.iter().any(|slot| slot.kind == SlotKind::Taken);
    match ending(slots, dispute, &members, most) {
        Some(_) if !has_turns => ThreadStep::Fail("nobody said anything in it".to_owned()),
        Some(ending) => ThreadStep::Extract(ending),
        None => ThreadStep::Speak,
    }
}

fn ending(slots: &RoomSlots, dispute: Option<&Dispute>, members: &[&PersonaId], most: usize) -> Option<ThreadEnding> {
    let n = members.len();
    if let Some(side) = dispute.and_then(|dispute| agreed_side(dispute, members)) {
        return Some(ThreadEnding::Converged(side));
    }
    if slots.latest_are(n, &[SlotKind::NothingNew]) {
        return Some(ThreadEnding::NothingNew);
    }
    if slots.latest_are(n, &[SlotKind::NothingNew, SlotKind::Lost]) {
        return Some(ThreadEnding::Silent);
    }
    (slots.slots.len() >= most).then_some(ThreadEnding::Limit(most))
}

/// Returns the side on which all members stand, yes or no.
fn agreed_side(dispute: &Dispute, members: &[&PersonaId]) -> Option<Side> {
    let is_on = |side: Side| members.iter().all(|id| dispute.stances.get(*id).is_some_and(|it| it.side == side));
    [Side::Yes, Side::No].into_iter().find(|side| members.len() > 1 && is_on(*side))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::talk::replies::decode::{StatedSide, noted, stance};
    use crate::engines::talk::rooms::room_slots::{EXTRACT, ROOM_TURN};
    use crate::engines::talk::sample::persona;
    use crate::events::channel::TurnSkipped;
    use crate::events::crux::{RoomKind, RoomOpened};
    use crate::events::dispute::DisputeRaised;
    use crate::events::event::Event;
    use crate::events::ids::{DisputeId, RoomId, TurnId};
    use crate::events::receipt::EffectAbandoned;
    use crate::events::turn::{Move, TurnTaken};
    use crate::projections::crux_rooms::CruxRooms;
    use crate::projections::disputes::dispute_graph::DisputeGraph;
    use crate::projections::projection::Projection;

    const MOST: usize = 6;

    /// Plays a thread of ada and ben, who say yes and no: `ada` takes a turn, `-ada` misses one, `~ada` skips one, `ada+`
    /// takes a turn that says yes, `ada!` one that says no, `x` is an abandoned extraction.
    fn thread(steps: &str) -> ThreadStep {
        let (mut rooms, mut disputes) = (CruxRooms::default(), DisputeGraph::default());
        let names = ["ada", "ben", "cleo"].map(persona);
        let mut slots = RoomSlots::new(RoomId(1), names.to_vec());
        let dispute = DisputeId(1);
        disputes.apply(&noted(&Event::DisputeRaised(DisputeRaised::bare(dispute, "Is it so?", false))));
        rooms.apply(&noted(&Event::RoomOpened(RoomOpened {
            room: RoomId(1),
            kind: RoomKind::Thread,
            parent: None,
            question: "Is it so?".to_owned(),
            dispute: Some(dispute),
            participants: names[..2].to_vec(),
            turns: vec![],
            candidate: None,
            reason: None,
        })));
        let take = |disputes: &mut DisputeGraph, speaker: &PersonaId, turn: u32, side: Side| {
            let position = StatedSide { dispute, side, confidence: None, words: "so".to_owned() };
            let events = stance(disputes, speaker, TurnId(turn), position);
            events.iter().for_each(|event| disputes.apply(&noted(event)));
        };
        for (name, turn, side) in [("ada", 1, Side::Yes), ("ben", 2, Side::No)] {
            disputes.apply(&noted(&taken(name, turn, None)));
            take(&mut disputes, &persona(name), turn, side);
        }
        for (turn, step) in (3..).zip(steps.split_whitespace()) {
            let name = step.trim_matches(['-', '~', '+', '!']);
            let lost = |key| Event::EffectAbandoned(EffectAbandoned { key, attempts: 3, reason: "no answer".into() });
            let event = match step {
                "x" => lost(slots.key(EXTRACT, "m1", 0)),
                _ if step.starts_with('-') => lost(slots.key(ROOM_TURN, name, slots.slots.len())),
                _ if step.starts_with('~') => {
                    let (speaker, reason) = (persona(name), String::new());
                    Event::TurnSkipped(TurnSkipped { speaker, room: Some(RoomId(1)), reason })
                }
                _ => taken(name, turn, Some(RoomId(1))),
            };
            rooms.apply(&noted(&event));
            disputes.apply(&noted(&event));
            slots.evolve(&noted(&event));
            match step.chars().last() {
                Some('+') => take(&mut disputes, &persona(name), turn, Side::Yes),
                Some('!') => take(&mut disputes, &persona(name), turn, Side::No),
                _ => {}
            }
        }
        super::step(&rooms.rooms[&RoomId(1)], &slots, disputes.disputes.get(&dispute), MOST)
    }

    fn taken(name: &str, turn: u32, room: Option<RoomId>) -> Event {
        Event::TurnTaken(TurnTaken {
            preparation: None,
            turn: TurnId(turn),
            speaker: persona(name),
            round: None,
            room,
            moves: vec![Move::Claim],
            move_quotes: vec![],
            answers: None,
            text: "so".to_owned(),
            citations: vec![],
            refused: vec![],
            dangling: 0,
        })
    }

    #[test]
    fn a_thread_goes_from_entry_to_card() {
        let enter = |names: &[&str]| ThreadStep::Enter(names.iter().map(|name| persona(name)).collect());
        let lost = |reason: &str| ThreadStep::Fail(reason.to_owned());
        for (steps, expected) in [
            ("", enter(&["ada", "ben"])),
            ("ben", enter(&["ada"])),
            ("ben ada", ThreadStep::Speak),
            ("ben -ada", ThreadStep::Speak),
            ("ben ada cleo", ThreadStep::Speak),
            ("ben ada ada!", ThreadStep::Extract(ThreadEnding::Converged(Side::No))),
            ("ben ada ben+", ThreadStep::Extract(ThreadEnding::Converged(Side::Yes))),
            // Whoever joined counts, too.
            ("ben ada cleo ben+", ThreadStep::Speak),
            ("ben ada cleo ben+ cleo+", ThreadStep::Extract(ThreadEnding::Converged(Side::Yes))),
            ("ben ada ~ben ~ada", ThreadStep::Extract(ThreadEnding::NothingNew)),
            ("ben ada cleo ~ben ~ada", ThreadStep::Speak),
            ("ben ada ~ben -ada", ThreadStep::Extract(ThreadEnding::Silent)),
            ("ben ada ben ada ben ada", ThreadStep::Extract(ThreadEnding::Limit(MOST))),
            ("-ben -ada", lost("nobody said anything in it")),
            ("ben ada ada! x", lost("no card could be drawn from it: no answer")),
        ] {
            assert_eq!(thread(steps), expected, "{steps}");
        }
    }
}
