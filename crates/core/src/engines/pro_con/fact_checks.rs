//! Steps of fact checks: a clerk points at the claims of a speech, and each is checked, all at once.

use crate::engines::pro_con::claims;
use crate::engines::pro_con::claims::WordsToCheck;
use crate::engines::pro_con::pro_con::ProCon;
use crate::engines::pro_con::requests::check_key;
use crate::engines::pro_con::settings::FactCheckMode;
use crate::events::checks::check::CheckVerdict;
use crate::events::event::Event;
use crate::events::ids::{CheckId, DraftId};
use crate::events::receipt::EXTRACTION_PURPOSE;
use crate::kernel::effect::{Effect, effect_key};
use crate::kernel::engine::Plan;
use crate::projections::fact_checks::UncheckedClaim;

impl ProCon {
    /// Returns the next step of the checks of some words; `None` once all claims have a result or their checks were given up. A
    /// checker that fails rejects nothing.
    pub(super) fn checks_due(&self, words: WordsToCheck) -> Option<Plan> {
        if self.options.fact_check == FactCheckMode::Off {
            return None;
        }
        let extraction = effect_key(EXTRACTION_PURPOSE, words.alias(), 0);
        if self.talk.is_missing(&extraction) {
            return Some(Plan::Ask(vec![self.requests().extraction(extraction, words, self.options.claims)]));
        }
        let open: Vec<&UncheckedClaim> = self.unchecked(words).collect();
        let known: Vec<Event> = open.iter().filter_map(|claim| self.known_result(claim)).collect();
        if !known.is_empty() {
            return Some(Plan::Record(known));
        }
        let asked: Vec<Effect> = open
            .iter()
            .filter(|claim| self.talk.is_missing(&check_key(claim.claim.check)))
            .map(|claim| self.requests().check(claim, self.options.evidence))
            .collect();
        (!asked.is_empty()).then_some(Plan::Ask(asked))
    }

    /// Returns the result that a claim takes over from an earlier check.
    fn known_result(&self, claim: &UncheckedClaim) -> Option<Event> {
        let earlier = self.checks.checks.get(&claim.claim.same_as?)?;
        Some(claims::taken_over(claim, &earlier.checked))
    }

    fn unchecked<'a>(&'a self, words: WordsToCheck<'a>) -> impl Iterator<Item = &'a UncheckedClaim> {
        self.checks.unchecked.values().filter(move |claim| match words.draft {
            Some(draft) => claim.draft == Some(draft),
            None => claim.draft.is_none() && claim.turn == words.turn,
        })
    }

    /// Returns the checks that found a claim of a draft false.
    pub(super) fn violations(&self, draft: DraftId) -> Vec<CheckId> {
        let is_false = |verdict: CheckVerdict| verdict == CheckVerdict::False;
        let checks = self.checks.of_draft(draft).filter(|check| is_false(check.checked.verdict));
        checks.map(|check| check.checked.check).collect()
    }
}
