//! The pro_con engine: a formal debate on a motion.
//!
//! ```text
//! opening     everybody: an opening statement                                              (concurrently)
//! sides       as the options name them, and for all others by their opening statements
//! round r     the moderator announces the round and its rules, without a model
//!             for, against, for, ...: reflection, critique and speech, one after the other
//!               off       the speech is taken
//!               standard  the speech is taken; a clerk points at its claims, and each is checked (concurrently)
//!               strict    the same before the speech is taken: with a false claim it is sent back, with the results,
//!                         at most `retries` times; the next one is taken all the same, and marked
//!             a clerk distils the speeches
//! closing     everybody: last words, and an answer to the crux that they agreed on
//! ```
//!
//! The speakers of a side speak in turn with those of the other. A side is a role: the verdict rests on what its members say, and no
//! side wins. A checker that fails rejects nothing, and what it did not check is told. A claim that was checked before takes over
//! the result. If no other draft comes after one that was sent back, that one is taken.
//!
//! For n participants, r rounds, c claims of a speech and t retries, there are at most `3n + rn(1 + t)(2 + c)` effects, besides one
//! reading of the clerk for each window of speeches, four comparisons, and repetitions.

use std::collections::BTreeMap;

use crate::engines::closing::closing_phase::ClosingPhase;
use crate::engines::pro_con::claims;
use crate::engines::pro_con::claims::WordsToCheck;
use crate::engines::pro_con::decode as reading;
use crate::engines::pro_con::decode::SpeechRules;
use crate::engines::pro_con::moderator::announcement;
use crate::engines::pro_con::requests::{CLERK_EXTRACTS, ProConRequests};
use crate::engines::pro_con::schema::{CheckReply, ClaimsReply, SpeechReply};
use crate::engines::pro_con::settings::{FactCheckMode, OPTIONS, ProConOptions, check_sides, read};
use crate::engines::pro_con::sides::assign;
use crate::engines::shared::options;
use crate::engines::talk::dispute_clerk::dispute_clerk::DisputeClerk;
use crate::engines::talk::model_request::ModelRequest;
use crate::engines::talk::replies::decode;
use crate::engines::talk::replies::decode::TalkContext;
use crate::engines::talk::replies::schema::OpeningStatementReply;
use crate::engines::talk::speeches::Speeches;
use crate::engines::talk::state::{COMPARE, OPEN, TOPIC, TURN, Talk, Window};
use crate::engines::talk::talk::Distiller;
use crate::events::dispute::{DisputeRaised, Side};
use crate::events::event::{Event, Recorded};
use crate::events::ids::{DraftId, PersonaId};
use crate::events::lifecycle::{DebateOpened, DebateOutcome, PhaseEntered};
use crate::events::persona::Persona;
use crate::events::receipt::{CHECK_PURPOSE, CRYSTALLIZE, EffectKey, FailureKind, PassageRef, Tier};
use crate::kernel::effect::{Effect, effect_key};
use crate::kernel::engine::{Driver, Engine, EngineRegistration, EngineReply, Plan};
use crate::kernel::reply;
use crate::kernel::reply::Unreadable;
use crate::projections::fact_checks::FactChecks;
use crate::projections::motion::Motion;
use crate::projections::projection::Projection;
use crate::projections::transcript::Turn;

/// Registration of the engine.
pub const REGISTRATION: EngineRegistration = EngineRegistration {
    name: "pro_con",
    about: "two sides speak for and against a motion, in rounds of reflected speeches whose facts are checked",
    revision: 1,
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
const OPENING: &str = "opening";
/// Name of the phase of a round.
const ROUND: &str = "speeches";
/// Subject of the clerk's effect keys.
const CLERK: &str = "clerk";
/// Factor of the round in the ordinals of a speaker's calls; more than the drafts of a speech.
const ATTEMPTS: u32 = 10;
/// Maximum number of bytes of a speech.
const MAX_SPEECH_BYTES: usize = 12_000;
/// Maximum number of speeches in one distillation.
const MAX_DISTILLED: usize = 3;
/// Maximum number of comparisons at the end of the rounds, while pairs of reasons are left.
const MAX_COMPARISONS: usize = 4;

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
    /// Number of attempts of each speech that were too long.
    overlong: BTreeMap<EffectKey, u32>,
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
            Event::EffectFailed(it) if it.failure.kind == FailureKind::Overlong => {
                *self.overlong.entry(it.key.clone()).or_default() += 1;
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
                let may_cut = self.overlong.get(key).is_some_and(|times| *times > 0);
                let facts = self.speech(&speaker.id, &given, may_cut)?;
                if self.options.fact_check != FactCheckMode::Strict {
                    return Ok(facts);
                }
                Ok(reading::drafted(facts, self.motion.next_draft(), key.ordinal % ATTEMPTS))
            }
            (CLERK_EXTRACTS, Some(speaker)) => self.extracted(&speaker.id, key.ordinal % ATTEMPTS, reply),
            (CHECK_PURPOSE, _) => self.checked(key, reply),
            (_, Some(speaker)) if ClosingPhase::owns(key) => self.closing.decide(key, &speaker.id, self.round, reply),
            (CRYSTALLIZE, _) => self.clerk.crystallized(&self.talk, &self.window(), reply),
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
            overlong: BTreeMap::new(),
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
        // After a draft that was sent back, the draft is taken.
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
            rounds: self.options.rounds,
            words: self.options.words,
        }
    }

    /// Decodes a speech into its turn and what it states.
    pub(super) fn speech(
        &self,
        speaker: &PersonaId,
        reply: &DraftedReply,
        may_cut: bool,
    ) -> Result<Vec<Event>, Unreadable> {
        let turn = self.talk.transcript.next_turn();
        let at = TalkContext { talk: &self.talk, turn, speaker, grounds: &reply.grounds, room: None };
        let rules = SpeechRules { round: self.round, most_words: self.options.words as usize, may_cut };
        reading::speech(&at, reply::read::<SpeechReply>(&reply.text)?.value, rules)
    }

    /// Asks for opening statements, and then assigns the sides.
    fn open(&self) -> Plan {
        let speeches = Speeches { talk: &self.talk };
        let missing = self.talk.participants.iter().filter(|it| self.talk.is_missing(&effect_key(OPEN, &it.id, 0)));
        let asked: Vec<Effect> = missing.map(|speaker| speeches.opening(speaker)).collect();
        if !asked.is_empty() {
            return Plan::Ask(asked);
        }
        let stances = self.talk.disputes.disputes.get(&TOPIC).map(|topic| &topic.stances);
        let side = |id: &PersonaId| stances.and_then(|it| it.get(id)).map_or(Side::Undecided, |stance| stance.side);
        let stated: Vec<(PersonaId, Side)> =
            self.talk.speakers().map(|speaker| (speaker.id.clone(), side(&speaker.id))).collect();
        match assign(&self.options, &stated) {
            Err(reason) => Plan::Conclude(DebateOutcome::Stalled { reason }),
            Ok(sides) => {
                let announcement = Some(announcement(&self.options, 1, &sides, |id| self.talk.names.of(id)));
                let entered = PhaseEntered { announcement, ..PhaseEntered::new(ROUND, Some(1), None) };
                Plan::Record(vec![Event::SidesAssigned(sides), Event::PhaseEntered(entered)])
            }
        }
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
        if !self.is_closing && self.has_unread() {
            return Plan::Ask(vec![self.distillation()]);
        }
        match self.outcome() {
            Some(outcome) => self.close(outcome),
            None => {
                let round = self.round + 1;
                let announcement = Some(announcement(&self.options, round, sides, |id| self.talk.names.of(id)));
                let entered = PhaseEntered { announcement, ..PhaseEntered::new(ROUND, Some(round), None) };
                Plan::Record(vec![Event::PhaseEntered(entered)])
            }
        }
    }

    /// Returns the next step of the closing phase. Once all last words are said, the clerk reads them, and compares the reasons.
    fn close(&self, outcome: DebateOutcome) -> Plan {
        let requests = self.requests();
        let has_side =
            |speaker: &&Persona| self.motion.sides.as_ref().is_some_and(|sides| sides.side_of(&speaker.id).is_some());
        let speakers = self.talk.participants.iter().filter(has_side);
        let plan = self.closing.plan(outcome, speakers, |speaker, asked| requests.last_words(speaker, asked));
        if !matches!(plan, Plan::Conclude(_)) {
            return plan;
        }
        let reading = self.has_unread().then(|| self.distillation());
        reading.or_else(|| self.comparison_due()).map_or(plan, |effect| Plan::Ask(vec![effect]))
    }

    /// Returns the speech of a participant in the present round.
    pub(super) fn speech_of(&self, speaker: &PersonaId) -> Option<&Turn> {
        let is_speech = |turn: &&Turn| turn.speaker.as_ref() == Some(speaker) && turn.round == Some(self.round);
        self.talk.participant_turns().rev().find(is_speech)
    }

    fn has_unread(&self) -> bool {
        !self.talk.gave_up && !self.talk.undistilled().is_empty()
    }

    fn window(&self) -> Window<'_> {
        self.talk.window(MAX_DISTILLED)
    }

    fn distillation(&self) -> Effect {
        let asked = self.clerk.crystallization(&self.talk, &self.window());
        self.clerk_effect(CRYSTALLIZE, CLERK, Tier::Deep, asked)
    }

    fn comparison_due(&self) -> Option<Effect> {
        let summary = self.clerk.summary(&self.talk);
        let here = self.talk.compared.get(&self.talk.crystallizations).map_or(&[][..], Vec::as_slice);
        let is_due = summary.examined < summary.pairs
            && here.len() < MAX_COMPARISONS
            && here.last().is_none_or(|succeeded| *succeeded);
        let subject = match here.len() {
            0 => CLERK.to_owned(),
            n => format!("{CLERK}-{}", n + 1),
        };
        is_due.then(|| self.clerk_effect(COMPARE, &subject, Tier::Quick, self.clerk.comparison(&self.talk)))
    }

    fn clerk_effect(&self, purpose: &str, subject: &str, tier: Tier, asked: ModelRequest) -> Effect {
        Speeches { talk: &self.talk }.clerk(effect_key(purpose, subject, self.talk.crystallizations), tier, asked)
    }

    fn extracted(&self, speaker: &PersonaId, attempt: u32, reply: &EngineReply) -> Result<Vec<Event>, Unreadable> {
        let draft = self.drafts_of(speaker).find(|draft| draft.drafted.attempt == attempt);
        let words = match draft {
            Some(draft) => {
                let turn = &draft.drafted.turn;
                WordsToCheck { turn: turn.turn, draft: Some(draft.drafted.draft), speaker, text: &turn.text }
            }
            None => {
                let turn = self.speech_of(speaker);
                let turn =
                    turn.ok_or_else(|| Unreadable::because(format!("{speaker} has not spoken in this round")))?;
                WordsToCheck { turn: turn.turn, draft: None, speaker, text: &turn.text }
            }
        };
        let reply = reply::read::<ClaimsReply>(reply.text)?.value;
        Ok(vec![claims::extracted(words, &self.checks, self.options.claims as usize, reply)])
    }

    fn checked(&self, key: &EffectKey, reply: &EngineReply) -> Result<Vec<Event>, Unreadable> {
        let claim = key.subject.parse().ok().and_then(|check| Some((check, self.checks.unchecked.get(&check)?)));
        let (check, claim) = claim.ok_or_else(|| Unreadable::because(format!("{key} checks no open claim")))?;
        Ok(vec![claims::checked(claim, check, reply::read::<CheckReply>(reply.text)?.value, reply)?])
    }
}
