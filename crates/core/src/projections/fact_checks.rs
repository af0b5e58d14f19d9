//! Fact checks of claims.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::events::checks::check::{CheckVerdict, ClaimChecked};
use crate::events::checks::claims::{ClaimsExtracted, ExtractedClaim};
use crate::events::event::{Event, Recorded};
use crate::events::ids::{CheckId, DraftId, PersonaId, TurnId};
use crate::events::receipt::{CHECK_PURPOSE, EXTRACTION_PURPOSE, EffectKey};
use crate::projections::projection::Projection;

/// All checks of a debate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FactChecks {
    /// Checks by id, in the order in which they were made.
    pub checks: BTreeMap<CheckId, FactCheck>,
    /// Claims that were extracted and have no result: their check is under way, or was given up.
    pub unchecked: BTreeMap<CheckId, UncheckedClaim>,
    /// Turns and drafts in which no claims were looked for, because the call was given up: name and reason.
    pub unread: Vec<(String, String)>,
    speakers: BTreeMap<TurnId, PersonaId>,
    /// Speakers of drafts.
    authors: BTreeMap<DraftId, PersonaId>,
    /// Turns that drafts became.
    said: BTreeMap<DraftId, TurnId>,
    /// Drafts that turns were.
    drafts: BTreeMap<TurnId, DraftId>,
    /// Index of the checks of turns, without those of drafts.
    by_turn: BTreeMap<TurnId, BTreeSet<CheckId>>,
    /// Index of the checks of drafts.
    by_draft: BTreeMap<DraftId, BTreeSet<CheckId>>,
    latest: Option<CheckId>,
}

/// Fact check of a claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactCheck {
    /// The claim and the result.
    #[serde(flatten)]
    pub checked: ClaimChecked,
    /// Speaker of the claim; `None` for a moderator.
    pub speaker: Option<PersonaId>,
    /// Version of the event that recorded it.
    pub version: i64,
    /// Time at which it was recorded.
    pub at: DateTime<Utc>,
}

/// Claim without a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UncheckedClaim {
    /// The claim, with the id of its check.
    #[serde(flatten)]
    pub claim: ExtractedClaim,
    /// The turn; for a draft, the turn that it becomes if it is accepted.
    pub turn: TurnId,
    /// The draft in which it was made, if it was checked before it was said.
    pub draft: Option<DraftId>,
    /// Speaker of the claim.
    pub speaker: PersonaId,
    /// Reason for which the check was given up; `None` while it is under way.
    pub reason: Option<String>,
    /// Version of the event that recorded the claim.
    pub version: i64,
}

/// Results of the checks of one participant's claims in what they said; rejected drafts are left out. A claim that was
/// made in two turns counts twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Factuality {
    /// Number of claims rated true.
    pub n_true: u32,
    /// Number of claims rated false.
    pub n_false: u32,
    /// Number of claims that the sources did not decide.
    pub n_unverifiable: u32,
    /// Number of claims that were extracted, and whose check was given up or is under way.
    pub n_unchecked: u32,
    /// Share of true claims among those decided, from 0 to 1; `None` if none was decided.
    pub share: Option<f64>,
}

impl FactChecks {
    /// Next unused check id.
    pub fn next_check(&self) -> CheckId {
        CheckId(self.latest.map_or(1, |latest| latest.0 + 1))
    }

    /// Results of the checks of what a participant said.
    pub fn of(&self, persona: &PersonaId) -> Factuality {
        self.factuality(|speaker| speaker == persona)
    }

    /// Results of the checks of what some participants said.
    pub fn factuality(&self, is_speaker: impl Fn(&PersonaId) -> bool) -> Factuality {
        let said = || self.checks.values().filter(|check| self.is_said(check.checked.draft));
        let theirs = || said().filter(|check| check.speaker.as_ref().is_some_and(&is_speaker));
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let [n_true, n_false, n_unverifiable] = [CheckVerdict::True, CheckVerdict::False, CheckVerdict::Unverifiable]
            .map(|wanted| count(theirs().filter(|check| check.checked.verdict == wanted).count()));
        let unchecked = self.unchecked.values().filter(|claim| is_speaker(&claim.speaker) && self.is_said(claim.draft));
        let decided = f64::from(n_true) + f64::from(n_false);
        let share = (decided > 0.0).then(|| f64::from(n_true) / decided);
        Factuality { n_true, n_false, n_unverifiable, n_unchecked: count(unchecked.count()), share }
    }

    /// Counts the checked claims in what some participants said that repeat a claim checked before, by whomever it was made.
    pub fn repeated(&self, is_speaker: impl Fn(&PersonaId) -> bool) -> usize {
        let said = self.checks.values().filter(|check| self.is_said(check.checked.draft));
        let repeated = said.filter(|check| check.checked.same_as.is_some());
        repeated.filter(|check| check.speaker.as_ref().is_some_and(&is_speaker)).count()
    }

    /// Returns true if words were said: those of a turn, or of a draft that became one.
    pub fn is_said(&self, draft: Option<DraftId>) -> bool {
        draft.is_none_or(|draft| self.said.contains_key(&draft))
    }

    /// Returns the turn that contains the claim of a check; `None` if it was made in a draft that became no turn.
    pub fn turn_of(&self, check: &FactCheck) -> Option<TurnId> {
        self.turn_with(check.checked.turn, check.checked.draft)
    }

    /// Returns the turn that some words became: the turn itself, or that of the draft; `None` if the draft became none.
    pub fn turn_with(&self, turn: TurnId, draft: Option<DraftId>) -> Option<TurnId> {
        match draft {
            Some(draft) => self.said.get(&draft).copied(),
            None => Some(turn),
        }
    }

    /// Returns the checks of a turn, without those of rejected drafts, in order. Cost: logarithmic in all checks for each
    /// one returned.
    pub fn of_turn(&self, turn: TurnId) -> impl Iterator<Item = &FactCheck> {
        let draft = self.drafts.get(&turn).filter(|draft| self.said.get(draft) == Some(&turn));
        let drafted = draft.and_then(|draft| self.by_draft.get(draft));
        let ids: BTreeSet<CheckId> = self.by_turn.get(&turn).into_iter().chain(drafted).flatten().copied().collect();
        ids.into_iter().filter_map(|id| self.checks.get(&id))
    }

    /// Returns the checks of a draft, in order, at the same cost.
    pub fn of_draft(&self, draft: DraftId) -> impl Iterator<Item = &FactCheck> {
        self.by_draft.get(&draft).into_iter().flatten().filter_map(|id| self.checks.get(id))
    }

    /// Returns the earliest check of the same claim. One in the first person is the same only if the same participant made it.
    pub fn same_claim(&self, claim: &str, speaker: &PersonaId) -> Option<&FactCheck> {
        let is_personal = claim
            .split(|letter: char| !letter.is_alphanumeric())
            .any(|word| FIRST_PERSON.contains(&word.to_lowercase().as_str()));
        let may_be_same = |check: &&FactCheck| !is_personal || check.speaker.as_ref() == Some(speaker);
        self.checks.values().filter(may_be_same).find(|check| is_same_claim(&check.checked.claim, claim))
    }

    fn extracted(&mut self, extracted: &ClaimsExtracted, version: i64) {
        for claim in &extracted.claims {
            self.latest = self.latest.max(Some(claim.check));
            let (turn, draft, speaker) = (extracted.turn, extracted.draft, extracted.speaker.clone());
            let unchecked = UncheckedClaim { claim: claim.clone(), turn, draft, speaker, reason: None, version };
            self.unchecked.entry(claim.check).or_insert(unchecked);
        }
    }

    fn abandoned(&mut self, key: &EffectKey, reason: &str) {
        if key.purpose == EXTRACTION_PURPOSE {
            self.unread.push((key.subject.clone(), reason.to_owned()));
        }
        let check = (key.purpose == CHECK_PURPOSE).then(|| key.subject.parse().ok()).flatten();
        if let Some(unchecked) = check.and_then(|check: CheckId| self.unchecked.get_mut(&check)) {
            unchecked.reason = Some(reason.to_owned());
        }
    }

    fn checked(&mut self, checked: &ClaimChecked, recorded: &Recorded) {
        self.latest = self.latest.max(Some(checked.check));
        self.unchecked.remove(&checked.check);
        let author = checked.draft.and_then(|draft| self.authors.get(&draft));
        let speaker = author.or_else(|| self.speakers.get(&checked.turn)).cloned();
        let check = FactCheck { checked: checked.clone(), speaker, version: recorded.version, at: recorded.at };
        let Entry::Vacant(free) = self.checks.entry(checked.check) else { return };
        free.insert(check);
        let index = match checked.draft {
            Some(draft) => self.by_draft.entry(draft).or_default(),
            None => self.by_turn.entry(checked.turn).or_default(),
        };
        index.insert(checked.check);
    }
}

/// Words of the first person.
const FIRST_PERSON: &[&str] = &["i", "me", "my", "mine", "we", "us", "our", "ours"];

/// Returns true if two claims are the same but for case, white space, and the marks at their ends. Signs and units within them matter.
pub fn is_same_claim(one: &str, other: &str) -> bool {
    normalized(one) == normalized(other)
}

fn normalized(claim: &str) -> String {
    let claim = claim.trim().trim_end_matches(['.', '!', '?']).to_lowercase();
    claim.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Projection for FactChecks {
    fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::TurnTaken(taken) => {
                self.speakers.insert(taken.turn, taken.speaker.clone());
                let draft = taken.preparation.as_ref().and_then(|preparation| preparation.draft);
                self.said.extend(draft.map(|draft| (draft, taken.turn)));
                self.drafts.extend(draft.map(|draft| (taken.turn, draft)));
            }
            Event::Interjected(said) => {
                self.speakers.extend(said.speaker.clone().map(|speaker| (said.turn, speaker)));
            }
            Event::TurnDrafted(drafted) => {
                self.authors.insert(drafted.draft, drafted.turn.speaker.clone());
            }
            Event::ClaimsExtracted(extracted) => self.extracted(extracted, recorded.version),
            Event::ClaimChecked(checked) => self.checked(checked, recorded),
            Event::EffectAbandoned(it) => self.abandoned(&it.key, &it.reason),
            Event::DebateConcluded(_) | Event::DebateAborted(_) => {
                for unchecked in self.unchecked.values_mut().filter(|unchecked| unchecked.reason.is_none()) {
                    unchecked.reason = Some("the debate ended before".to_owned());
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_the_same_whatever_their_case_and_final_mark() {
        for (one, other) in
            [("Takings fell 19 percent.", "takings  fell 19 PERCENT"), ("It took 4,800 cars!", "It took 4,800 cars")]
        {
            assert!(is_same_claim(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("It took 4,800 cars", "It took 4 800 cars"),
            ("It fell 1.9 percent", "It fell 19 percent"),
            ("It grew by 5 percent", "It grew by -5 percent"),
            ("It costs $5 million", "It costs €5 million"),
            ("It is 1/2", "It is 1 2"),
        ] {
            assert!(!is_same_claim(one, other), "{one} {other}");
        }
    }
}
