//! The board, as a prompt shows it: the disputes with the stances of those at a table, and what would change their minds.

use std::fmt::Write;

use crate::engines::shared::bounded_lines::{fitting, newest, told};
use crate::engines::talk::prompts;
use crate::engines::talk::state::Talk;
use crate::events::dispute::Side;
use crate::events::ids::{DisputeId, PersonaId};
use crate::kernel::safety::foreign_text::flat;
use crate::kernel::task::TalkInput;
use crate::projections::disputes::dispute_state::Dispute;
use crate::projections::tables::Table;
use crate::verdicts::disagreement::tracked_conditions::{TrackedCondition, tracked_conditions};

/// Maximum number of bytes of the disputes on a board.
const MAX_BOARD_BYTES: usize = 8_000;
/// Maximum number of bytes of the conditions for a change of mind.
const MAX_CONDITION_BYTES: usize = 3_000;

/// Board of a table.
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
        let (topic, others): (Vec<_>, Vec<_>) = self.disputes().enumerate().partition(|(at, _)| *at == 0);
        let disputes = topic.into_iter().chain(others.into_iter().rev());
        let (shown, left_out) = fitting(disputes, |(id, dispute)| self.line(id, dispute), MAX_BOARD_BYTES);
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
        let tracked = tracked_conditions(&self.talk.flip_conditions, &self.talk.disputes);
        let line = |TrackedCondition { stated, changed_in, .. }: &TrackedCondition| {
            let about = stated.dispute.map(|dispute| format!(" on {dispute}")).unwrap_or_default();
            let moved = changed_in.map(|turn| format!(" (changed sides in {turn})")).unwrap_or_default();
            format!("{}{about}, {}: {}{moved}\n", self.talk.names.of(&stated.speaker), stated.turn, flat(&stated.quote))
        };
        let here = tracked.iter().filter(|it| self.seats(&it.stated.speaker));
        newest(here.map(line).collect(), MAX_CONDITION_BYTES, "condition", "nothing yet")
    }
}
