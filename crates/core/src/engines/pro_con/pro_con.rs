//! The engine `pro_con`: a formal debate on a motion.
//!
//! ```text
//! opening     everybody: an opening statement                                              (concurrently)
//! sides       as the options name them, and for all others by their opening statements
//! round r     the moderator announces the round and its rules, without a model
//!             for, against, for, ...: reflection, critique and speech, one after the other
//!               off       the speech is taken
//!               standard  the speech is taken; a clerk points at its claims, and each is checked (concurrently)
//!               strict    the same before the speech is taken: with a false claim the draft is rejected, with the results,
//!                         at most `retries` times; the next draft is taken all the same, and marked
//!             a clerk distils the speeches
//! closing     everybody: last words, and an answer to the crux that they agreed on
//! ```
//!
//! The speakers of a side speak in turn with those of the other. A side is a role: the verdict rests on what its members say, and no
//! side wins. A checker that fails rejects nothing, and unchecked claims are reported. A claim that was checked before takes over
//! the result. If no other draft comes after a rejected one, that one is taken.
//!
//! For n participants, r rounds, c claims of a speech and t retries, there are at most `3n + rn(1 + t)(2 + c)` effects, besides one
//! reading of the clerk for each window of speeches, four comparisons, and repetitions.

use std::collections::BTreeMap;

use crate::engines::closing::closing_phase::ClosingPhase;
use crate::engines::pro_con::claims;
use crate::engines::pro_con::claims::WordsToCheck;
use crate::engines::pro_con::decode as reading;
use crate::engines::pro_con::decode::SpeechRules;
use crate::engines::pro_con::requests::ProConRequests;
use crate::engines::pro_con::schema::{CheckReply, ClaimsReply, SpeechReply};
use crate::engines::pro_con::settings::{FactCheckMode, OPTIONS, ProConOptions, check_sides, read};
use crate::engines::shared::options;
use crate::engines::talk::dispute_clerk::clerk_steps::ClerkSteps;
use crate::engines::talk::dispute_clerk::dispute_clerk::DisputeClerk;
use crate::engines::talk::replies::decode;
use crate::engines::talk::replies::decode::TalkContext;
use crate::engines::talk::replies::schema::OpeningStatementReply;
use crate::engines::talk::state::{COMPARE, OPEN, TOPIC, TURN, Talk};
use crate::engines::talk::talk::Distiller;
use crate::events::dispute::DisputeRaised;
use crate::events::event::{Event, Recorded};
use crate::events::ids::{DraftId, PersonaId, TurnId};
use crate::events::lifecycle::{DebateOpened, DebateOutcome, PhaseEntered};
use crate::events::persona::Persona;
use crate::events::receipt::{CHECK_PURPOSE, CRYSTALLIZE, EXTRACTION_PURPOSE, EffectKey, FailureKind, PassageRef};
use crate::kernel::engine::{Driver, Engine, EngineRegistration, EngineReply, Plan};
use crate::kernel::reply;
use crate::kernel::reply::Unreadable;
use crate::projections::fact_checks::FactChecks;
use crate::projections::motion::Motion;
use crate::projections::projection::Projection;
use crate::projections::transcript::Turn;
use crate::questions::wording::says_the_same;

/// Registration of the engine.
pub const REGISTRATION: EngineRegistration = EngineRegistration {
    name: "pro_con",
    about: "two sides speak for and against a motion, in rounds of reflected speeches whose facts are checked",
    revision: 2,
    participants: (2, 12),
    driver: Driver::Service,
    options: OPTIONS,
    normalize: |given| read(given).map(|options| options::with_defaults(&options)),
    start: |opened| {
        let options = read(&opened.options)?;
        let participants: Vec<PersonaId> = opened.participants.iter().map(|it| it.id.clone()).collect();
        check_sides(&options, &participants)?;
        Ok(Box::new(ProCon::new(opened, options)))
    },
};

/// Name of the phase of opening statements.
pub(super) const OPENING: &str = "opening";
/// Name of the phase of a round.
pub(super) const ROUND: &str = "speeches";
/// Factor of the round in the ordinals of a speaker's calls; more than the drafts of a speech.
const ATTEMPTS: u32 = 10;
/// Maximum number of bytes of a speech.
const MAX_SPEECH_BYTES: usize = 12_000;
/// Maximum number of speeches in one distillation.
const MAX_DISTILLED: usize = 3;

/// Stage of the debate before its closing phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Opening statements.
    Opening,
    /// Rounds.
    Rounds,
}

/// Result of asking a participant for a speech.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpeechResult {
    /// A speech.
    Spoke,
    /// Nothing new to say: replies that only repeated turns.
    NothingNew,
    /// The call was abandoned.
    Failed,
}

/// Use of the reply to a request for a speech.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpeechUse {
    /// It becomes a draft, or the speech itself if drafts are not checked.
    Draft {
        /// True if a speech that is too long is cut instead of refused.
        may_cut: bool,
    },
    /// It was read before, and its draft is taken now.
    Take,
}

/// Reply that became a draft.
pub(super) struct DraftedReply {
    text: String,
    grounds: Vec<PassageRef>,
}

/// State of a formal debate.
pub struct ProCon {
    pub(super) options: ProConOptions,
    pub(super) talk: Talk,
    pub(super) motion: Motion,
    pub(super) checks: FactChecks,
    clerk: DisputeClerk,
    closing: ClosingPhase,
    stage: Option<Stage>,
    /// The present round; 0 before the first.
    pub(super) round: u32,
    is_closing: bool,
    /// Results of the speeches asked for in the present round.
    pub(super) results: BTreeMap<PersonaId, SpeechResult>,
    /// Replies that became drafts.
    pub(super) replies: BTreeMap<DraftId, DraftedReply>,
    /// The latest answered speech, until its draft is recorded.
    answered: Option<DraftedReply>,
    /// Passages supplied with the request of each speech.
    supplied: BTreeMap<EffectKey, Vec<PassageRef>>,
    /// Failed attempts of each speech: their number, and whether one was too long.
    failed: BTreeMap<EffectKey, (u32, bool)>,
    /// Maximum number of attempts at a call.
    attempts: u32,
}

impl Engine for ProCon {
    fn evolve(&mut self, recorded: &Recorded) {
        self.talk.evolve(recorded);
        self.closing.evolve(recorded);
        self.motion.apply(recorded);
        self.checks.apply(recorded);
        match &recorded.event {
            Event::PhaseEntered(entered) => self.enter(entered),
            Event::EffectRequested(it) if it.key.purpose == TURN => {
                self.supplied.insert(it.key.clone(), it.grounds.clone());
            }
            Event::EffectAnswered(it) if it.key.purpose == TURN && !it.ignored => {
                let mut grounds = self.supplied.remove(&it.key).unwrap_or_default();
                grounds.extend(it.answer.grounds.iter().cloned());
                self.answered = Some(DraftedReply { text: it.answer.text.clone(), grounds });
            }
            Event::TurnDrafted(drafted) => {
                self.replies.extend(self.answered.take().map(|reply| (drafted.draft, reply)));
            }
            // Last words have the number of the last round.
            Event::TurnTaken(taken) if !self.is_closing && taken.round == Some(self.round) && self.round > 0 => {
                self.results.insert(taken.speaker.clone(), SpeechResult::Spoke);
            }
            Event::EffectFailed(it) if it.key.purpose == TURN => {
                let (n, is_overlong) = self.failed.entry(it.key.clone()).or_default();
                *n += 1;
                *is_overlong |= it.failure.kind == FailureKind::Overlong;
            }
            Event::EffectAbandoned(it) if it.key.purpose == TURN => self.note_abandoned(&it.key),
            _ => {}
        }
    }

    fn plan(&self) -> Plan {
        match self.stage {
            None => Plan::Record(vec![
                Event::PhaseEntered(PhaseEntered::new(OPENING, None, None)),
                Event::DisputeRaised(DisputeRaised::bare(TOPIC, self.talk.topic.clone(), true)),
            ]),
            Some(Stage::Opening) => self.open(),
            Some(Stage::Rounds) => self.hold_rounds(),
        }
    }

    fn decide(&self, key: &EffectKey, reply: &EngineReply) -> Result<Vec<Event>, Unreadable> {
        let speaker = self.talk.participants.iter().find(|persona| persona.id.as_str() == key.subject);
        match (key.purpose.as_str(), speaker) {
            (OPEN, Some(speaker)) => {
                // Everybody opens at the same moment, and has heard nobody.
                let heard = self.talk.heard(|turn| turn.speaker.is_none());
                let turn = self.talk.transcript.next_turn();
                let at = TalkContext { talk: &heard, turn, speaker: &speaker.id, grounds: &reply.grounds, room: None };
                decode::opened(&at, reply::read::<OpeningStatementReply>(reply.text)?.value)
            }
            (TURN, Some(speaker)) => {
                let given = DraftedReply { text: reply.text.to_owned(), grounds: reply.grounds.clone() };
                let (n_failed, was_overlong) = self.failed.get(key).copied().unwrap_or_default();
                let is_last = n_failed + 1 >= self.attempts;
                let used = SpeechUse::Draft { may_cut: was_overlong || is_last };
                let facts = self.speech(&speaker.id, &given, used)?;
                if self.options.fact_check != FactCheckMode::Strict {
                    return Ok(facts);
                }
                self.refuse_rejected(&speaker.id, &facts)?;
                Ok(reading::drafted(facts, self.motion.next_draft(), key.ordinal % ATTEMPTS))
            }
            (EXTRACTION_PURPOSE, _) => self.extracted(key, reply),
            (CHECK_PURPOSE, _) => self.checked(key, reply),
            (_, Some(speaker)) if ClosingPhase::owns(key) => self.closing.decide(key, &speaker.id, self.round, reply),
            (CRYSTALLIZE, _) => self.clerk.crystallized(&self.talk, &self.clerk_steps().window(), reply),
            (COMPARE, _) => self.clerk.compared(&self.talk, reply.text),
            _ => Err(Unreadable::because(format!("{key} is not an effect of this engine"))),
        }
    }

    fn similarity_inputs(&self, key: &EffectKey, text: &str) -> Vec<String> {
        match key.purpose.as_str() {
            CRYSTALLIZE => self.clerk.similarity_inputs(&self.talk, text),
            _ => Vec::new(),
        }
    }
}

impl ProCon {
    fn new(opened: &DebateOpened, options: ProConOptions) -> ProCon {
        let mut talk = Talk::new(opened, options.talk());
        talk.max_speech_bytes = MAX_SPEECH_BYTES;
        ProCon {
            talk,
            motion: Motion::default(),
            checks: FactChecks::default(),
            clerk: DisputeClerk { options: options.clerk() },
            closing: ClosingPhase::new(opened, TOPIC),
            stage: None,
            round: 0,
            is_closing: false,
            results: BTreeMap::new(),
            replies: BTreeMap::new(),
            answered: None,
            supplied: BTreeMap::new(),
            failed: BTreeMap::new(),
            attempts: opened.limits.attempts,
            options,
        }
    }

    fn enter(&mut self, entered: &PhaseEntered) {
        self.is_closing = ClosingPhase::is_entered_by(entered);
        match entered.phase.as_str() {
            OPENING => self.stage = Some(Stage::Opening),
            ROUND => {
                (self.stage, self.round) = (Some(Stage::Rounds), entered.round.unwrap_or(0));
                self.results.clear();
            }
            _ => {}
        }
    }

    fn note_abandoned(&mut self, key: &EffectKey) {
        let Some(speaker) = self.talk.participants.iter().find(|it| it.id.as_str() == key.subject) else { return };
        let id = speaker.id.clone();
        // After a rejected draft, the draft is taken.
        if self.drafts_of(&id).next().is_none() {
            let is_echo = self.talk.slots.last().is_some_and(|slot| slot.is_echo);
            self.results.insert(id, if is_echo { SpeechResult::NothingNew } else { SpeechResult::Failed });
        }
    }

    /// Returns the index of a call of a speaker in the present round.
    pub(super) fn ordinal(&self, attempt: u32) -> u32 {
        self.round.saturating_mul(ATTEMPTS).saturating_add(attempt)
    }

    pub(super) fn requests(&self) -> ProConRequests<'_> {
        ProConRequests {
            talk: &self.talk,
            sides: self.motion.sides.as_ref(),
            checks: &self.checks,
            is_checked: self.options.fact_check != FactCheckMode::Off,
            rounds: self.options.rounds,
            words: self.options.words,
        }
    }

    /// Refuses a draft that says again what a rejected one said.
    fn refuse_rejected(&self, speaker: &PersonaId, facts: &[Event]) -> Result<(), Unreadable> {
        let Some(Event::TurnTaken(turn)) = facts.first() else { return Ok(()) };
        let mut rejected = self.drafts_of(speaker).filter(|draft| draft.rejected.is_some());
        match rejected.find(|draft| says_the_same(&draft.drafted.turn.text, &turn.text)) {
            Some(draft) => {
                let reason = format!("the text is that of the draft {}, which was rejected", draft.drafted.draft);
                Err(Unreadable::repeated(reason).advise("leave out or correct what was found false"))
            }
            None => Ok(()),
        }
    }

    /// Decodes a speech into its turn and what it states.
    pub(super) fn speech(
        &self,
        speaker: &PersonaId,
        reply: &DraftedReply,
        used: SpeechUse,
    ) -> Result<Vec<Event>, Unreadable> {
        let turn = self.talk.transcript.next_turn();
        let at = TalkContext { talk: &self.talk, turn, speaker, grounds: &reply.grounds, room: None };
        let (may_cut, is_draft_taken) = match used {
            SpeechUse::Draft { may_cut } => (may_cut, false),
            SpeechUse::Take => (true, true),
        };
        let most_words = self.options.words as usize;
        let rules = SpeechRules { round: self.round, most_words, may_cut, is_draft_taken };
        reading::speech(&at, reply::read::<SpeechReply>(&reply.text)?.value, rules)
    }

    fn hold_rounds(&self) -> Plan {
        let Some(sides) = &self.motion.sides else {
            return Plan::Conclude(DebateOutcome::Failed { reason: "no sides were assigned".to_owned() });
        };
        if !self.is_closing
            && let Some(step) = self.round_step(sides)
        {
            return step;
        }
        if !self.is_closing && self.clerk_steps().has_unread() {
            return Plan::Ask(vec![self.clerk_steps().distillation()]);
        }
        match self.outcome() {
            Some(outcome) => self.close(outcome),
            None => self.enter_round(self.round + 1),
        }
    }

    /// Returns the next step of the closing phase. Once all last words are said, the clerk reads them, and compares the reasons.
    fn close(&self, outcome: DebateOutcome) -> Plan {
        let has_side =
            |speaker: &&Persona| self.motion.sides.as_ref().is_some_and(|sides| sides.side_of(&speaker.id).is_some());
        let speakers = self.talk.participants.iter().filter(has_side);
        let plan = self.closing.plan(outcome, speakers, |speaker, asked| asked.effect(&self.talk, speaker));
        self.clerk_steps().before_end(plan)
    }

    fn clerk_steps(&self) -> ClerkSteps<'_> {
        ClerkSteps { talk: &self.talk, clerk: &self.clerk, most_distilled: MAX_DISTILLED }
    }

    /// Returns the speech of a participant in the present round.
    pub(super) fn speech_of(&self, speaker: &PersonaId) -> Option<&Turn> {
        let is_speech = |turn: &&Turn| turn.speaker.as_ref() == Some(speaker) && turn.round == Some(self.round);
        self.talk.participant_turns().rev().find(is_speech)
    }

    /// Decodes the claims of a turn or of a draft, which the key names.
    fn extracted(&self, key: &EffectKey, reply: &EngineReply) -> Result<Vec<Event>, Unreadable> {
        let draft = key.subject.parse().ok().and_then(|id: DraftId| self.motion.drafts.get(&id));
        let turn = key.subject.parse().ok().and_then(|id: TurnId| self.talk.transcript.get(id));
        let words = match (draft, turn) {
            (Some(draft), _) => {
                let turn = &draft.drafted.turn;
                let id = Some(draft.drafted.draft);
                Some(WordsToCheck { turn: turn.turn, draft: id, speaker: &turn.speaker, text: &turn.text })
            }
            (None, Some(turn)) => turn.speaker.as_ref().map(|speaker| WordsToCheck {
                turn: turn.turn,
                draft: None,
                speaker,
                text: &turn.text,
            }),
            (None, None) => None,
        };
        let words = words.ok_or_else(|| Unreadable::because(format!("{key} names no turn and no draft")))?;
        let reply = reply::read::<ClaimsReply>(reply.text)?.value;
        Ok(vec![claims::extracted(words, &self.checks, self.options.claims as usize, reply)])
    }

    fn checked(&self, key: &EffectKey, reply: &EngineReply) -> Result<Vec<Event>, Unreadable> {
        let claim = key.subject.parse().ok().and_then(|check| Some((check, self.checks.unchecked.get(&check)?)));
        let (check, claim) = claim.ok_or_else(|| Unreadable::because(format!("{key} checks no open claim")))?;
        Ok(vec![claims::checked(claim, check, reply::read::<CheckReply>(reply.text)?.value, reply)?])
    }
}
