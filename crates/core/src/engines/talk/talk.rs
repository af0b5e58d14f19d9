//! The talk that the engines `dialogue`, `disputes`, `crux_rooms` and `forum` share. They differ in the structure that their
//! clerk distills from it, and in what runs beside it.
//!
//! ```text
//! opening      everyone's opening statement, concurrently; distilled; all pairs of claims compared
//! exchange     one speaker at a time; distilled after a decisive move or when enough turns are pending
//! crux_seeking the same; in addition, a moderator asks for the crux of the disagreement
//! resolution   everyone's closing statement, concurrently; distilled; the remaining pairs compared
//! ```
//!
//! Turn-taking is described in [`crate::engines::talk::turn_taking`], the end of phases in [`crate::engines::talk::phases`],
//! hints in [`crate::engines::talk::hints`]. An abandoned call uses up its slot, so the number of effects is bounded:
//! with n participants, t turns and a distillation after at least p of them, at most 2n + t turns, t / p + 2 + n
//! distillations, as many comparisons and six more, not counting retries.

use crate::engines::talk::common_options::TalkOptions;
use crate::engines::talk::hints;
use crate::engines::talk::model_request::ModelRequest;
use crate::engines::talk::phases;
use crate::engines::talk::phases::{StructureSummary, TalkEnding};
use crate::engines::talk::repetition as circling;
use crate::engines::talk::replies::decode;
use crate::engines::talk::replies::schema::{ClosingReply, OpeningStatementReply, TurnReply};
use crate::engines::talk::speeches::Speeches;
use crate::engines::talk::state::{CLOSE, COMPARE, OPEN, TOPIC, TURN, Talk, TalkPhase, Window};
use crate::engines::talk::turn_taking as floor;
use crate::engines::talk::wording as words;
use crate::events::dispute::DisputeRaised;
use crate::events::distillation::ProgressMeasured;
use crate::events::event::{Event, Recorded};
use crate::events::ids::{DisputeId, PersonaId, TurnId};
use crate::events::lifecycle::{DebateOpened, DebateOutcome, PhaseEntered};
use crate::events::persona::Persona;
use crate::events::receipt::{CRYSTALLIZE, EffectKey, Tier};
use crate::kernel::effect::{Effect, effect_key};
use crate::kernel::engine::{Engine, EngineReply, Plan};
use crate::kernel::reply;
use crate::kernel::reply::Unreadable;

/// Maximum number of comparisons after one distillation, while pairs are left.
const MAX_COMPARISONS: usize = 4;
/// Subject of the clerk's effect keys.
const CLERK: &str = "clerk";

/// Extracts structure from a talk and holds its state.
pub trait Distiller: Send {
    /// Applies an event.
    fn evolve(&mut self, recorded: &Recorded);

    /// Summarizes the distilled structure.
    fn summary(&self, talk: &Talk) -> StructureSummary;

    /// Returns the maximum number of opening statements in one distillation.
    fn openings(&self) -> usize;

    /// Returns the disputes on which the speaker's stance is missing, the most important first.
    fn missing(&self, talk: &Talk, speaker: &PersonaId) -> Vec<DisputeId>;

    /// Prepares the clerk's request to distill the turns of a window.
    fn crystallization(&self, talk: &Talk, window: &Window) -> ModelRequest;

    /// Prepares the clerk's request to compare unexamined pairs of claims.
    fn comparison(&self, talk: &Talk) -> ModelRequest;

    /// Decodes a distillation into events.
    ///
    /// # Errors
    /// [`Unreadable`] if nothing in the reply could be used.
    fn crystallized(&self, talk: &Talk, window: &Window, reply: &EngineReply) -> Result<Vec<Event>, Unreadable>;

    /// Returns the texts whose semantic similarity is needed to decode a reply to [`Distiller::crystallization`].
    fn similarity_inputs(&self, _talk: &Talk, _text: &str) -> Vec<String> {
        Vec::new()
    }

    /// Decodes a comparison into events.
    ///
    /// # Errors
    /// [`Unreadable`] if nothing in the reply could be used.
    fn compared(&self, talk: &Talk, text: &str) -> Result<Vec<Event>, Unreadable>;
}

/// Manner of the turns between opening and closing statements: who speaks next, and what they are asked for.
pub trait TurnManner: Send {
    /// Returns the next speaker. `wanted` are participants whose stance is missing, in any order.
    fn next_speaker<'a>(&self, talk: &'a Talk, wanted: &[&PersonaId]) -> Option<&'a Persona>;

    /// Requests the turn of a speaker.
    fn turn(&self, talk: &Talk, speaker: &Persona) -> Effect;

    /// Returns true if a participant is discussing a dispute elsewhere, so that nobody asks them about it here.
    fn discusses_elsewhere(&self, _speaker: &PersonaId, _dispute: DisputeId) -> bool {
        false
    }
}

/// Manner of a talk without rooms.
pub struct PlainManner;

impl TurnManner for PlainManner {
    fn next_speaker<'a>(&self, talk: &'a Talk, wanted: &[&PersonaId]) -> Option<&'a Persona> {
        floor::next(talk, wanted)
    }

    fn turn(&self, talk: &Talk, speaker: &Persona) -> Effect {
        Speeches { talk }.turn(speaker)
    }
}

/// Engine that consists of a talk and a distiller.
pub struct Conversation<D, M = PlainManner> {
    /// State of the talk.
    pub talk: Talk,
    /// Manner of its turns.
    pub manner: M,
    distiller: D,
    /// Reason for which the talk came to its closing statements; `None` before.
    ending: Option<TalkEnding>,
}

impl<D: Distiller> Conversation<D> {
    /// Creates the engine for an opened debate.
    pub fn new(opened: &DebateOpened, options: TalkOptions, distiller: D) -> Conversation<D> {
        Conversation::in_manner(opened, options, distiller, PlainManner)
    }
}

impl<D: Distiller, M: TurnManner> Conversation<D, M> {
    /// Creates the engine for an opened debate, with the manner of its turns.
    pub fn in_manner(opened: &DebateOpened, options: TalkOptions, distiller: D, manner: M) -> Conversation<D, M> {
        Conversation { talk: Talk::new(opened, options), manner, distiller, ending: None }
    }
}

impl<D: Distiller, M: TurnManner> Engine for Conversation<D, M> {
    fn evolve(&mut self, recorded: &Recorded) {
        if let Event::PhaseEntered(entered) = &recorded.event
            && entered.phase == TalkPhase::Resolution.name()
        {
            self.ending = phases::ending(&self.talk, &self.distiller.summary(&self.talk));
        }
        self.talk.evolve(recorded);
        self.distiller.evolve(recorded);
    }

    fn plan(&self) -> Plan {
        let talk = &self.talk;
        let Some(phase) = talk.phase else {
            let topic = Event::DisputeRaised(DisputeRaised::bare(TOPIC, talk.topic.clone(), true));
            return Plan::Record(vec![entered(TalkPhase::Opening, None), topic]);
        };
        let side_by_side = self.side_by_side(phase);
        if !side_by_side.is_empty() {
            return Plan::Ask(side_by_side);
        }
        if let Some(reason) = self.stalled(phase) {
            return Plan::Conclude(DebateOutcome::Stalled { reason });
        }
        if self.is_crystallization_due(phase) {
            return Plan::Ask(vec![self.crystallization()]);
        }
        let summary = self.distiller.summary(talk);
        if self.is_comparison_due(phase, &summary) {
            return Plan::Ask(vec![comparison(talk, &self.distiller)]);
        }
        if talk.is_unmeasured {
            return Plan::Record(vec![Event::ProgressMeasured(self.measured(&summary))]);
        }
        if phase == TalkPhase::Resolution {
            return Plan::Conclude(self.ending.as_ref().unwrap_or(&TalkEnding::Spent).outcome(talk));
        }
        if let Some((next, reason)) = phases::next(talk, &summary) {
            return Plan::Record(vec![entered(next, Some(reason))]);
        }
        self.turn()
    }

    fn decide(&self, key: &EffectKey, reply: &EngineReply) -> Result<Vec<Event>, Unreadable> {
        let talk = &self.talk;
        let speaker = talk
            .participants
            .iter()
            .find(|participant| participant.id.as_str() == key.subject)
            .map(|participant| &participant.id);
        let turn = talk.transcript.next_turn();
        let place =
            speaker.map(|speaker| decode::TalkContext { talk, turn, speaker, grounds: &reply.grounds, room: None });
        match (key.purpose.as_str(), place) {
            (OPEN, Some(at)) => decode::opened(&at, reply::read::<OpeningStatementReply>(reply.text)?.value),
            (TURN, Some(at)) => decode::spoken(&at, reply::read::<TurnReply>(reply.text)?.value),
            (CLOSE, Some(at)) => decode::closed(&at, reply::read::<ClosingReply>(reply.text)?.value),
            (CRYSTALLIZE, _) => self.crystallized(reply),
            (COMPARE, _) => self.distiller.compared(talk, reply.text),
            _ => Err(Unreadable::because(format!("{key} is not an effect of this engine"))),
        }
    }

    fn similarity_inputs(&self, key: &EffectKey, text: &str) -> Vec<String> {
        if key.purpose != CRYSTALLIZE {
            return Vec::new();
        }
        [circling::texts(&self.talk), self.distiller.similarity_inputs(&self.talk, text)].concat()
    }
}

impl<D: Distiller, M: TurnManner> Conversation<D, M> {
    /// Returns the missing opening or closing statements, which run concurrently.
    fn side_by_side(&self, phase: TalkPhase) -> Vec<Effect> {
        let purpose = match phase {
            TalkPhase::Opening => OPEN,
            TalkPhase::Resolution => CLOSE,
            TalkPhase::Exchange | TalkPhase::CruxSeeking => return Vec::new(),
        };
        let speakers =
            self.talk.speakers().filter(|speaker| self.talk.is_missing(&effect_key(purpose, &speaker.id, 0)));
        let speeches = Speeches { talk: &self.talk };
        speakers
            .map(|speaker| if purpose == OPEN { speeches.opening(speaker) } else { speeches.closing(speaker) })
            .collect()
    }

    fn stalled(&self, phase: TalkPhase) -> Option<String> {
        if self.talk.speakers().count() < 2 {
            return Some("fewer than two participants opened the talk".to_owned());
        }
        let talks = matches!(phase, TalkPhase::Exchange | TalkPhase::CruxSeeking);
        let n = self.talk.speakers().count();
        (talks && self.talk.is_silent()).then(|| format!("the latest {n} turns were abandoned"))
    }

    fn is_crystallization_due(&self, phase: TalkPhase) -> bool {
        match phase {
            // Turns that could not be distilled at the start or end of the talk are not retried there.
            TalkPhase::Opening | TalkPhase::Resolution => !self.talk.gave_up && !self.talk.undistilled().is_empty(),
            TalkPhase::Exchange | TalkPhase::CruxSeeking => phases::is_distillation_due(&self.talk),
        }
    }

    /// Returns true if pairs are left to compare and a comparison is due. At the start and end of the talk it is due
    /// repeatedly, while the last one succeeded. In between it is due once after a distillation if nothing is
    /// contested, unless the last comparison was abandoned.
    fn is_comparison_due(&self, phase: TalkPhase, summary: &StructureSummary) -> bool {
        match phase {
            TalkPhase::Opening | TalkPhase::Resolution => is_compared_further(&self.talk, summary),
            TalkPhase::Exchange | TalkPhase::CruxSeeking => {
                let last = self.talk.compared.last_key_value().and_then(|(_, results)| results.last());
                let due = comparisons(&self.talk).is_empty() && summary.frontier.is_empty();
                due && last.is_none_or(|succeeded| *succeeded) && summary.examined < summary.pairs
            }
        }
    }

    fn window(&self) -> Window<'_> {
        let most = self.talk.options.most_distilled as usize;
        let openings = if self.talk.phase == Some(TalkPhase::Opening) { self.distiller.openings() } else { most };
        self.talk.window(most.min(openings).max(1))
    }

    fn crystallization(&self) -> Effect {
        self.clerk(CRYSTALLIZE, CLERK, Tier::Deep, self.distiller.crystallization(&self.talk, &self.window()))
    }

    fn crystallized(&self, reply: &EngineReply) -> Result<Vec<Event>, Unreadable> {
        let mut facts = self.distiller.crystallized(&self.talk, &self.window(), reply)?;
        if let Some(Event::TurnsCrystallized(it)) = facts.first_mut() {
            it.repetition = reply.likeness.and_then(|likeness| circling::repetition(&self.talk, likeness));
        }
        Ok(facts)
    }

    fn turn(&self) -> Plan {
        let talk = &self.talk;
        let missing = |speaker: &PersonaId| {
            let open = self.distiller.missing(talk, speaker).into_iter();
            let is_askable = |dispute: &DisputeId| {
                !hints::was_asked(talk, speaker, *dispute) && !self.manner.discusses_elsewhere(speaker, *dispute)
            };
            open.filter(is_askable).collect::<Vec<_>>()
        };
        let wanted: Vec<&PersonaId> =
            talk.speakers().map(|speaker| &speaker.id).filter(|id| !missing(id).is_empty()).collect();
        let hinted = talk.current_hint().map(|hint| &hint.speaker);
        let hinted = talk.speakers().find(|speaker| Some(&speaker.id) == hinted);
        let Some(speaker) = hinted.or_else(|| self.manner.next_speaker(talk, &wanted)) else {
            return Plan::Conclude(DebateOutcome::Stalled { reason: "nobody is left to speak".to_owned() });
        };
        match hints::next_hint(talk, &speaker.id, &missing(&speaker.id)) {
            Some(hint) => Plan::Record(vec![Event::HintGiven(hint)]),
            None => Plan::Ask(vec![self.manner.turn(talk, speaker)]),
        }
    }

    fn measured(&self, summary: &StructureSummary) -> ProgressMeasured {
        let talk = &self.talk;
        let since = talk.progress.signals.last().map(|signal| signal.measured.turn);
        let taken = |new: bool| {
            let turns = talk.participant_turns().filter(move |turn| since.is_none_or(|since| turn.turn > since) == new);
            turns.flat_map(|turn| words::content_words(&turn.text)).collect()
        };
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let turns = talk.participant_turns().count();
        let (circling, circling_by) =
            circling::circling(talk).map(|finding| (rounded(finding.share), finding.by)).unzip();
        ProgressMeasured {
            turn: talk.participant_turns().next_back().map_or(TurnId(0), |turn| turn.turn),
            live: count(summary.live),
            attacks: count(summary.attacks),
            frontier: summary.frontier.clone(),
            examined: count(summary.examined),
            pairs: count(summary.pairs),
            novelty: rounded(words::novelty(&taken(false), &taken(true))),
            circling,
            circling_by: circling_by.flatten(),
            concession_rate: rounded(talk.concessions.concessions.len() as f64 / turns.max(1) as f64),
            exact: summary.exact,
        }
    }

    fn clerk(&self, purpose: &str, subject: &str, tier: Tier, asked: ModelRequest) -> Effect {
        Speeches { talk: &self.talk }.clerk(effect_key(purpose, subject, self.talk.crystallizations), tier, asked)
    }
}

/// Returns the next comparison of a talk that has ended, as at the start and end of a conversation; `None` if none is due.
pub fn next_comparison(talk: &Talk, distiller: &dyn Distiller) -> Option<Effect> {
    is_compared_further(talk, &distiller.summary(talk)).then(|| comparison(talk, distiller))
}

/// Returns true if pairs are left to compare, and the comparisons since the last distillation are few and succeeded.
fn is_compared_further(talk: &Talk, summary: &StructureSummary) -> bool {
    let here = comparisons(talk);
    let due = here.len() < MAX_COMPARISONS && here.last().is_none_or(|succeeded| *succeeded);
    due && summary.examined < summary.pairs
}

fn comparison(talk: &Talk, distiller: &dyn Distiller) -> Effect {
    let subject = match comparisons(talk).len() {
        0 => CLERK.to_owned(),
        n => format!("{CLERK}-{}", n + 1),
    };
    let asked = distiller.comparison(talk);
    Speeches { talk }.clerk(effect_key(COMPARE, &subject, talk.crystallizations), Tier::Quick, asked)
}

/// Returns the comparisons since the last distillation; true for those that succeeded.
fn comparisons(talk: &Talk) -> &[bool] {
    talk.compared.get(&talk.crystallizations).map_or(&[], Vec::as_slice)
}

fn entered(phase: TalkPhase, reason: Option<String>) -> Event {
    Event::PhaseEntered(PhaseEntered::new(phase.name(), None, reason))
}

/// Rounds to four decimal places, because people compare measurements.
fn rounded(share: f64) -> f64 {
    (share * 10_000.0).round() / 10_000.0
}
