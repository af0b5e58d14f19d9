//! Rounds: everybody speaks once, the sides in turn, and the clerk reads the speeches.

use crate::engines::pro_con::claims::WordsToCheck;
use crate::engines::pro_con::decode;
use crate::engines::pro_con::pro_con::{ProCon, SpeechResult, SpeechUse};
use crate::engines::pro_con::requests::SpeechAsked;
use crate::engines::talk::state::TURN;
use crate::events::checks::drafts::TurnRejected;
use crate::events::checks::sides::{MotionSide, SidesAssigned};
use crate::events::event::Event;
use crate::events::ids::{CheckId, PersonaId};
use crate::events::persona::Persona;
use crate::events::turn::Move;
use crate::kernel::effect::effect_key;
use crate::kernel::engine::Plan;
use crate::projections::fact_checks::FactChecks;
use crate::projections::motion::Draft;

impl ProCon {
    /// Returns the next step of the present round; `None` once everybody has spoken and all checks are done.
    pub(super) fn round_step(&self, sides: &SidesAssigned) -> Option<Plan> {
        sides.speaking_order().find_map(|(id, side)| {
            let speaker = self.talk.participants.iter().find(|participant| participant.id == *id)?;
            self.speech_step(speaker, side)
        })
    }

    /// Returns the next step of a speaker in this round; `None` once they have spoken or were passed over.
    fn speech_step(&self, speaker: &Persona, side: MotionSide) -> Option<Plan> {
        match self.results.get(&speaker.id) {
            Some(SpeechResult::Spoke) => self.checks_after(speaker),
            Some(SpeechResult::NothingNew | SpeechResult::Failed) => None,
            None => Some(match self.drafts_of(&speaker.id).last() {
                Some(draft) if draft.rejected.is_none() => self.draft_step(draft),
                last => self.speech_due(speaker, side, last),
            }),
        }
    }

    /// Asks for a speech. If no other draft came after a rejected one, that one is taken: a checker alone takes nobody's
    /// turn.
    fn speech_due(&self, speaker: &Persona, side: MotionSide, rejected: Option<&Draft>) -> Plan {
        let attempt = u32::try_from(self.drafts_of(&speaker.id).count()).unwrap_or(u32::MAX).saturating_add(1);
        let ordinal = self.ordinal(attempt);
        if let Some(draft) = rejected.filter(|_| !self.talk.is_missing(&effect_key(TURN, &speaker.id, ordinal))) {
            return Plan::Record(self.taken(draft, self.violations(draft.drafted.draft)));
        }
        let asked = SpeechAsked { speaker, side, round: self.round, ordinal, rejected };
        Plan::Ask(vec![self.requests().speech(asked)])
    }

    /// Checks a draft, and then takes or rejects it.
    fn draft_step(&self, draft: &Draft) -> Plan {
        let (id, turn) = (draft.drafted.draft, &draft.drafted.turn);
        let words = WordsToCheck { turn: turn.turn, draft: Some(id), speaker: &turn.speaker, text: &turn.text };
        if let Some(plan) = self.checks_due(words) {
            return plan;
        }
        let violations = self.violations(id);
        if violations.is_empty() || draft.drafted.attempt > self.options.retries {
            return Plan::Record(self.taken(draft, violations));
        }
        let reason = rejection(&self.checks, &violations);
        Plan::Record(vec![Event::TurnRejected(TurnRejected { draft: id, checks: violations, reason })])
    }

    /// Checks what a speaker has said in this round, unless it was checked as a draft.
    fn checks_after(&self, speaker: &Persona) -> Option<Plan> {
        let said = self.speech_of(&speaker.id)?;
        let is_checked = self.motion.drafts.values().any(|draft| draft.said_in == Some(said.turn));
        let words = WordsToCheck { turn: said.turn, draft: None, speaker: &speaker.id, text: &said.text };
        if is_checked { None } else { self.checks_due(words) }
    }

    /// Returns the events by which a draft is taken: its turn, and what the speech states.
    fn taken(&self, draft: &Draft, violations: Vec<CheckId>) -> Vec<Event> {
        let mut turn = (*draft.drafted.turn).clone();
        if let Some(preparation) = &mut turn.preparation {
            preparation.violations = violations;
        }
        let reply = self.replies.get(&draft.drafted.draft);
        let facts = reply.map(|reply| self.speech(&turn.speaker, reply, SpeechUse::Take));
        match facts {
            Some(Ok(facts)) => decode::taken(facts, &turn),
            // The reply was read when it was drafted. Should it not be readable now, its words are taken, and what it states is not.
            Some(Err(_)) | None => {
                turn.refused.push("the reply could not be read again when the draft was taken".to_owned());
                turn.moves.retain(|talk_move| *talk_move != Move::ProposeCrux);
                turn.turn = self.talk.transcript.next_turn();
                vec![Event::TurnTaken(turn)]
            }
        }
    }

    /// Returns the drafts of a speaker in this round, in order.
    pub(super) fn drafts_of<'a>(&'a self, speaker: &'a PersonaId) -> impl DoubleEndedIterator<Item = &'a Draft> {
        let round = Some(self.round);
        let drafts = self.motion.drafts.values();
        drafts.filter(move |it| it.drafted.turn.speaker == *speaker && it.drafted.turn.round == round)
    }
}

/// Describes why a draft is rejected.
fn rejection(checks: &FactChecks, violations: &[CheckId]) -> String {
    let claims = violations.iter().filter_map(|check| checks.checks.get(check));
    let claims: Vec<String> = claims.map(|check| format!("\"{}\"", check.checked.claim)).collect();
    match claims.as_slice() {
        [one] => format!("a claim was found false: {one}"),
        many => format!("{} claims were found false: {}", many.len(), many.join("; ")),
    }
}
