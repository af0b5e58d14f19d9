//! The board, as a prompt shows it: the disputes with the stances of those at a table, and what would change their minds.

use std::fmt::Write;

use crate::engines::shared::bounded_lines::{fitting, newest, told};
use crate::engines::talk::prompts;
use crate::engines::talk::state::Talk;
use crate::events::dispute::Side;
use crate::events::ids::{DisputeId, PersonaId};
use crate::events::turn::FlipConditionStated;
use crate::kernel::safety::foreign_text::flat;
use crate::kernel::task::TalkInput;
use crate::projections::disputes::dispute_state::Dispute;
use crate::projections::tables::Table;

/// Maximum number of bytes of the disputes on a board.
const MAX_BOARD_BYTES: usize = 8_000;
/// Maximum number of bytes of the conditions for a change of mind.
const MAX_CONDITION_BYTES: usize = 3_000;

/// What is on the board of a table.
#[derive(Clone, Copy)]
pub struct Board<'a> {
    /// The talk.
    pub talk: &'a Talk,
    /// The table; `None` before tables are seated.
    pub table: Option<&'a Table>,
}

impl<'a> Board<'a> {
    /// Returns the disputes under discussion: the topic, and those of the table or all others.
    pub fn disputes(self) -> impl Iterator<Item = (DisputeId, &'a Dispute)> {
        let only = self.table.map_or(&[][..], |table| &table.seated.disputes);
        let is_discussed = move |id: DisputeId, is_topic: bool| only.is_empty() || is_topic || only.contains(&id);
        self.talk.disputes.not_retired().filter(move |(id, dispute)| is_discussed(*id, dispute.is_topic))
    }

    /// Returns true if somebody sits at the table; everybody does before tables are seated.
    pub fn seats(self, participant: &PersonaId) -> bool {
        self.table.is_none_or(|table| table.seated.participants.contains(participant))
    }

    /// Returns the talk at the table as data for a speaker: the turns of those who sit there and of the moderator.
    pub fn told(self) -> TalkInput {
        let mut told = prompts::talk(self.talk);
        told.turns.retain(|turn| turn.speaker.as_ref().is_none_or(|speaker| self.seats(speaker)));
        let discussed: Vec<String> = self.disputes().map(|(id, _)| id.to_string()).collect();
        told.disputes.retain(|dispute| discussed.contains(&dispute.alias));
        told.cruxes.retain(|crux| self.seats(&crux.speaker));
        told
    }

    /// Formats the disputes with the stances of those at the table: who, which side, and how sure.
    pub fn lines(self) -> String {
        let lines = self.disputes().map(|(id, dispute)| self.line(id, dispute)).enumerate();
        let (topic, others): (Vec<_>, Vec<_>) = lines.partition(|(at, _)| *at == 0);
        let (shown, left_out) = fitting(topic.into_iter().chain(others.into_iter().rev()), MAX_BOARD_BYTES);
        told(&shown, left_out, "question", "none")
    }

    fn line(self, id: DisputeId, dispute: &Dispute) -> String {
        let horizon = dispute.horizon.as_ref().map(|horizon| format!(" ({})", flat(horizon))).unwrap_or_default();
        let mut line = format!("{id}: {}{horizon}", flat(&dispute.question));
        for side in [Side::Yes, Side::No, Side::Nuanced, Side::Undecided] {
            let held = dispute.stances.iter().filter(|(persona, stance)| stance.side == side && self.seats(persona));
            let held = held.map(|(persona, stance)| {
                let sure = stance.confidence.map(|share| format!(" {share:.2}")).unwrap_or_default();
                format!("{}{sure}", self.talk.names.of(persona))
            });
            let held: Vec<String> = held.collect();
            if !held.is_empty() {
                let _ = write!(line, " | {}: {}", side.name(), held.join(", "));
            }
        }
        line + "\n"
    }

    /// Formats what would change minds, as those at the table said it, with a mark where the speaker has changed sides since.
    pub fn condition_lines(self) -> String {
        let stated = self.talk.flip_conditions.stated.iter().filter(|stated| self.seats(&stated.speaker));
        let line = |stated: &FlipConditionStated| {
            let about = stated.dispute.map(|dispute| format!(" on {dispute}")).unwrap_or_default();
            let moved = if self.has_moved(stated) { " (has changed sides since)" } else { "" };
            format!("{}{about}, {}: {}{moved}\n", self.talk.names.of(&stated.speaker), stated.turn, flat(&stated.quote))
        };
        newest(stated.map(line).collect(), MAX_CONDITION_BYTES, "condition", "nothing yet")
    }

    /// Returns true if the speaker of a condition has taken another side of its dispute after it.
    fn has_moved(self, stated: &FlipConditionStated) -> bool {
        let Some(dispute) = stated.dispute.and_then(|id| self.talk.disputes.disputes.get(&id)) else { return false };
        let own = || dispute.history.iter().filter(|(persona, _)| *persona == stated.speaker).map(|(_, stance)| stance);
        let held = own().rfind(|stance| stance.turn <= stated.turn).map(|stance| stance.side);
        held.is_some_and(|held| own().any(|stance| stance.turn > stated.turn && stance.side != held))
    }
}
