//! Endings of blackboard debates.

use crate::engines::blackboard::blackboard::{Blackboard, Stage, TurnResult};
use crate::engines::blackboard::requests::INTENT;
use crate::engines::blackboard::speaking_order::SpeakingOrder;
use crate::engines::shared::effect_names;
use crate::engines::talk::state::TURN;
use crate::events::dispute::Side;
use crate::events::lifecycle::DebateOutcome;
use crate::events::receipt::EffectKey;
use crate::events::table::TableState;
use crate::kernel::effect::effect_key;
use crate::projections::disputes::dispute_state::{Dispute, DisputeStatus};
use crate::projections::tables::Table;

impl Blackboard {
    /// Returns the outcome of a debate whose last stage has ended: how the tables ended. It is settled only if, last words included,
    /// everybody is on one side of everything.
    pub(super) fn outcome(&self, stage: Stage) -> DebateOutcome {
        if self.open().next().is_some() {
            return self.spent(stage);
        }
        let tables: Vec<&Table> = self.tables.in_use().collect();
        if tables.iter().all(|table| table.state() == TableState::Converged) && self.is_unanimous() {
            return self.unanimous();
        }
        DebateOutcome::Exhausted { reason: self.reasons(&tables) }
    }

    /// Returns the outcome if everybody is on one side of everything. Only a question that once divided them can be settled.
    fn unanimous(&self) -> DebateOutcome {
        let was_settled = |dispute: &Dispute| dispute.status() == DisputeStatus::Settled;
        if self.talk.disputes.not_retired().any(|(_, dispute)| was_settled(dispute)) {
            let reason = "everybody came to one side of the topic and of every question".to_owned();
            return DebateOutcome::Settled { reason };
        }
        let reason = "no question divided the participants: everybody was on one side of each from the beginning";
        DebateOutcome::Exhausted { reason: reason.to_owned() }
    }

    /// Returns the outcome after the last round.
    fn spent(&self, stage: Stage) -> DebateOutcome {
        if let Some(missed) = self.lost_calls() {
            let reason = format!("in round {}, {missed} abandoned, and no round is left", self.round);
            return DebateOutcome::Failed { reason };
        }
        let (name, held, most, what) = match stage {
            Stage::FinalTable => {
                let held = self.round.saturating_sub(self.final_after);
                ("final_rounds", held, self.options.final_rounds, "rounds of the final table")
            }
            _ => ("rounds", self.round, self.options.rounds, "rounds"),
        };
        let open: Vec<&Table> = self.open().collect();
        let reason = format!("{held} of {most} {what} held; {}", self.reasons(&open));
        DebateOutcome::Limit { limit: name.to_owned(), reason }
    }

    /// Names the calls of the present round if all of them failed: the turns of all, or the intents where one has the floor.
    fn lost_calls(&self) -> Option<String> {
        let seated = || self.open().flat_map(|table| self.seated(table));
        let has_intents = self.open().flat_map(|table| &table.intents).any(|intent| intent.stated.round == self.round);
        let (purpose, is_lost) = match self.order {
            SpeakingOrder::AllAtOnce => {
                (TURN, seated().all(|speaker| self.results.get(&speaker.id) == Some(&TurnResult::Failed)))
            }
            SpeakingOrder::ByUrgency => (INTENT, !has_intents),
        };
        let lost: Vec<EffectKey> = seated().map(|speaker| effect_key(purpose, &speaker.id, self.round)).collect();
        effect_names::named(&self.talk.participants, lost.iter().filter(|_| is_lost && self.round > 0))
    }

    /// Tells the reasons for the states of tables.
    fn reasons(&self, tables: &[&Table]) -> String {
        let told = tables.iter().filter_map(|table| {
            let latest = &table.measured.last()?.measured;
            let is_only = self.tables.in_use().count() == 1;
            let name = match (table.seated.is_final, is_only) {
                (true, _) => "the final table".to_owned(),
                (_, true) => "the table".to_owned(),
                _ => format!("table {}", table.seated.table),
            };
            let when = match latest.round {
                0 => "after the first stances".to_owned(),
                round => format!("after round {round}"),
            };
            Some(format!("{name} {} {when}: {}", latest.state.in_words(), latest.reason))
        });
        told.collect::<Vec<_>>().join("; ")
    }

    /// Returns true if all participants are on one side of the topic and of every other dispute; those who never spoke are on none.
    fn is_unanimous(&self) -> bool {
        let all = &self.talk.participants;
        self.talk.disputes.not_retired().all(|(_, dispute)| {
            let is_on =
                |side: Side| all.iter().all(|it| dispute.stances.get(&it.id).is_some_and(|stance| stance.side == side));
            is_on(Side::Yes) || is_on(Side::No)
        })
    }
}
