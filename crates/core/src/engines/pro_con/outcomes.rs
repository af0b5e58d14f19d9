//! Endings of the rounds.

use crate::engines::pro_con::pro_con::{ProCon, SpeechResult};
use crate::engines::shared::effect_names;
use crate::engines::talk::state::TURN;
use crate::events::lifecycle::DebateOutcome;
use crate::kernel::effect::effect_key;

impl ProCon {
    /// Returns the outcome if no further round follows the present one; `None` if one does.
    pub(super) fn outcome(&self) -> Option<DebateOutcome> {
        let results: Vec<SpeechResult> = self.results.values().copied().collect();
        let has_nobody_spoken = !results.contains(&SpeechResult::Spoke);
        if has_nobody_spoken && results.contains(&SpeechResult::NothingNew) {
            let reason = format!("nobody who was heard in round {} had anything new to say", self.round);
            return Some(DebateOutcome::Exhausted { reason });
        }
        if has_nobody_spoken {
            let keys: Vec<_> = self.results.keys().map(|id| effect_key(TURN, id, self.ordinal(1))).collect();
            let missed = effect_names::named(&self.talk.participants, keys.iter()).unwrap_or_default();
            return Some(DebateOutcome::Failed { reason: format!("in round {}, {missed} abandoned", self.round) });
        }
        (self.round >= self.options.rounds).then(|| DebateOutcome::Limit {
            limit: "rounds".to_owned(),
            reason: format!("{} of {} rounds held", self.round.min(self.options.rounds), self.options.rounds),
        })
    }
}
