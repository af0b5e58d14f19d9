//! Endings of blackboard debates.

use crate::engines::blackboard::blackboard::{Blackboard, Stage, TurnResult};
use crate::engines::shared::effect_names;
use crate::engines::talk::state::TURN;
use crate::events::dispute::Side;
use crate::events::lifecycle::DebateOutcome;
use crate::events::receipt::EffectKey;
use crate::events::table::TableState;
use crate::kernel::effect::effect_key;
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
            let reason = "everybody came to one side of the topic and of every question".to_owned();
            return DebateOutcome::Settled { reason };
        }
        DebateOutcome::Exhausted { reason: self.reasons(&tables) }
    }

    /// Returns the outcome after the last round.
    fn spent(&self, stage: Stage) -> DebateOutcome {
        let failed: Vec<EffectKey> = self
            .results
            .iter()
            .filter(|(_, result)| **result == TurnResult::Failed)
            .map(|(speaker, _)| effect_key(TURN, speaker, self.round))
            .collect();
        let is_lost = !failed.is_empty() && failed.len() == self.results.len();
        if is_lost && let Some(missed) = effect_names::named(&self.talk.participants, failed.iter()) {
            let reason = format!("in round {}, {missed} abandoned, and no round is left", self.round);
            return DebateOutcome::Failed { reason };
        }
        let (name, held, most) = match stage {
            Stage::FinalTable => {
                ("final_rounds", self.round.saturating_sub(self.final_after), self.options.final_rounds)
            }
            _ => ("rounds", self.round, self.options.rounds),
        };
        let open: Vec<&Table> = self.open().collect();
        let reason = format!("{held} of {most} rounds held; {}", self.reasons(&open));
        DebateOutcome::Limit { limit: name.to_owned(), reason }
    }

    /// Tells the reasons for the states of tables.
    fn reasons(&self, tables: &[&Table]) -> String {
        let told = tables.iter().filter_map(|table| {
            let latest = &table.measured.last()?.measured;
            let is_only = self.tables.tables.len() == 1;
            let name = match (is_only, table.seated.is_final) {
                (true, _) => "the table".to_owned(),
                (_, true) => "the final table".to_owned(),
                _ => format!("table {}", table.seated.table),
            };
            Some(format!("{name} {}: {}", latest.state.in_words(), latest.reason))
        });
        told.collect::<Vec<_>>().join("; ")
    }

    /// Returns true if all who take part are on one side of the topic and of every other dispute.
    fn is_unanimous(&self) -> bool {
        self.talk.disputes.not_retired().all(|(_, dispute)| {
            let is_on = |side: Side| {
                self.speakers().all(|speaker| dispute.stances.get(&speaker.id).is_some_and(|it| it.side == side))
            };
            is_on(Side::Yes) || is_on(Side::No)
        })
    }
}
