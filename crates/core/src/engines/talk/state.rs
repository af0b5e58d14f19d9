//! State shared by all talk engines, and queries on it.

use std::collections::{BTreeMap, BTreeSet};

use crate::engines::shared::view_prompts;
use crate::engines::shared::view_prompts::DisplayNames;
use crate::engines::talk::common_options::TalkOptions;
use crate::events::distillation::Repetition;
use crate::events::event::{Event, Recorded};
use crate::events::ids::{CruxId, DisputeId, PersonaId, RoomId, TurnId};
use crate::events::lifecycle::DebateOpened;
use crate::events::persona::Persona;
use crate::events::receipt::{CRYSTALLIZE, EffectKey, FailureKind};
use crate::events::turn::HintGiven;
use crate::kernel::effect::effect_key;
use crate::kernel::quotations::turn_quotes;
use crate::kernel::quotations::turn_quotes::MAX_QUOTE_BYTES;
use crate::projections::concessions::Concessions;
use crate::projections::crux_proposals::CruxProposals;
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::projections::flip_conditions::FlipConditions;
use crate::projections::progress::TalkProgress;
use crate::projections::projection::Projection;
use crate::projections::transcript::{Transcript, Turn};
use crate::questions::stated_answer::only_thanks;
use crate::questions::wording::says_the_same;

/// Id of the dispute about the debate's topic.
pub const TOPIC: DisputeId = DisputeId(1);

/// Purpose of opening statements.
pub const OPEN: &str = "open";
/// Purpose of turns.
pub const TURN: &str = "turn";
/// Purpose of closing statements.
pub const CLOSE: &str = "close";
/// Purpose of comparisons.
pub const COMPARE: &str = "compare";

/// Maximum number of bytes of a turn, unless the engine sets another; longer ones make the reply unreadable.
pub const MAX_SPEECH_BYTES: usize = 4_000;

/// State of a talk.
#[derive(Clone)]
pub struct Talk {
    /// Topic of the debate.
    pub topic: String,
    /// Seed of all choices made by the code.
    pub seed: u64,
    /// Participants, in speaking order.
    pub participants: Vec<Persona>,
    /// Display names of the participants.
    pub names: DisplayNames,
    /// Options of the talk.
    pub options: TalkOptions,
    /// The turns.
    pub transcript: Transcript,
    /// Disputes and stances.
    pub disputes: DisputeGraph,
    /// Cruxes proposed by participants.
    pub cruxes: CruxProposals,
    /// Concessions.
    pub concessions: Concessions,
    /// Conditions that participants stated for a change of their mind.
    pub flip_conditions: FlipConditions,
    /// Progress measurements.
    pub progress: TalkProgress,
    /// The present phase; `None` before the first.
    pub phase: Option<TalkPhase>,
    /// Speaking slots in order: opening statements and turns, taken or missed. Closing statements take no slot.
    pub slots: Vec<Slot>,
    /// Number of slots before the present phase.
    pub slots_before: usize,
    /// Hints given, each with the index of its slot.
    pub hints: Vec<(usize, HintGiven)>,
    /// Number of distillations attempted, successful or not.
    pub crystallizations: u32,
    /// True if the last distillation was abandoned.
    pub gave_up: bool,
    /// Results of the comparisons after each distillation, by its number: true for those that succeeded.
    pub compared: BTreeMap<u32, Vec<bool>>,
    /// True if turns were distilled and no measurement has followed.
    pub is_unmeasured: bool,
    /// Semantic repetition of the latest turns at the last distillation, with the last turn at that time; `None` if no
    /// embedder measured it.
    pub repetition: Option<(TurnId, Repetition)>,
    /// Disputes under discussion in each open room.
    in_rooms: BTreeMap<RoomId, Vec<DisputeId>>,
    /// Maximum number of bytes of a turn.
    pub max_speech_bytes: usize,
    /// Id of the next crux; `None` if it follows from those proposed so far.
    pub next_crux: Option<CruxId>,
    distilled: BTreeSet<TurnId>,
    /// The last turn at the time of the last distillation, successful or not.
    seen: TurnId,
    /// The last turn when a distillation was last requested: later turns were not shown to the clerk.
    shown: Option<TurnId>,
    answered: BTreeSet<EffectKey>,
    abandoned: BTreeSet<EffectKey>,
    /// Calls whose latest attempt failed because the reply only repeated a turn.
    echoed: BTreeSet<EffectKey>,
}

/// Phase of a talk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TalkPhase {
    /// Opening statements, taken concurrently.
    Opening,
    /// Exchange of turns.
    Exchange,
    /// Search for the crux of the disagreement.
    CruxSeeking,
    /// Closing statements, taken concurrently.
    Resolution,
}

impl TalkPhase {
    /// Returns the phase's name in the log.
    pub fn name(self) -> &'static str {
        match self {
            TalkPhase::Opening => "opening",
            TalkPhase::Exchange => "exchange",
            TalkPhase::CruxSeeking => "crux_seeking",
            TalkPhase::Resolution => "resolution",
        }
    }

    /// Returns the phase with the given name in the log.
    pub fn named(name: &str) -> Option<TalkPhase> {
        [TalkPhase::Opening, TalkPhase::Exchange, TalkPhase::CruxSeeking, TalkPhase::Resolution]
            .into_iter()
            .find(|phase| phase.name() == name)
    }
}

/// Speaking slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Participant to whom it belongs.
    pub speaker: PersonaId,
    /// The turn taken; `None` if it was skipped or the call was abandoned.
    pub turn: Option<TurnId>,
    /// True if the speaker had nothing new to say: the turn was skipped, or the call was abandoned because its replies only
    /// repeated turns.
    pub is_echo: bool,
    /// True if the speaker skipped the turn.
    pub is_skipped: bool,
}

impl Talk {
    /// Creates the state of an opened debate.
    pub fn new(opened: &DebateOpened, options: TalkOptions) -> Talk {
        Talk {
            topic: opened.topic.clone(),
            seed: opened.seed,
            names: DisplayNames::new(&opened.participants),
            participants: opened.participants.clone(),
            options,
            transcript: Transcript::default(),
            disputes: DisputeGraph::default(),
            cruxes: CruxProposals::default(),
            concessions: Concessions::default(),
            flip_conditions: FlipConditions::default(),
            progress: TalkProgress::default(),
            phase: None,
            slots: Vec::new(),
            slots_before: 0,
            hints: Vec::new(),
            crystallizations: 0,
            gave_up: false,
            compared: BTreeMap::new(),
            is_unmeasured: false,
            repetition: None,
            in_rooms: BTreeMap::new(),
            max_speech_bytes: MAX_SPEECH_BYTES,
            next_crux: None,
            distilled: BTreeSet::new(),
            seen: TurnId(0),
            shown: None,
            answered: BTreeSet::new(),
            abandoned: BTreeSet::new(),
            echoed: BTreeSet::new(),
        }
    }

    /// Returns the talk without the turns that somebody has not heard, and without the cruxes that were proposed in them.
    pub fn heard(&self, is_heard: impl Fn(&Turn) -> bool) -> Talk {
        let mut talk = self.clone();
        talk.next_crux = Some(self.next_crux.unwrap_or_else(|| self.cruxes.next_crux()));
        talk.transcript.turns.retain(|turn| is_heard(turn));
        let Talk { transcript, cruxes, .. } = &mut talk;
        cruxes.cruxes.retain(|_, crux| transcript.get(crux.proposed.turn).is_some());
        talk
    }

    /// Describes a name that is none of the talk's, where only what somebody has heard is known: `is not a turn`.
    pub fn unknown(&self, what: &str) -> String {
        match self.next_crux {
            Some(_) => format!("is not {what} that the speaker has heard"),
            None => format!("is not {what}"),
        }
    }

    /// Returns true if a dispute is under discussion in an open room.
    pub fn is_in_room(&self, dispute: DisputeId) -> bool {
        self.in_rooms.values().flatten().any(|discussed| *discussed == dispute)
    }

    /// Returns the hint already given for the upcoming turn.
    pub fn current_hint(&self) -> Option<&HintGiven> {
        self.hints.last().filter(|(slot, _)| *slot == self.slots.len()).map(|(_, hint)| hint)
    }

    /// Applies an event.
    pub fn evolve(&mut self, recorded: &Recorded) {
        self.transcript.apply(recorded);
        self.disputes.apply(recorded);
        self.cruxes.apply(recorded);
        self.concessions.apply(recorded);
        self.flip_conditions.apply(recorded);
        self.progress.apply(recorded);
        match &recorded.event {
            Event::PhaseEntered(entered) => {
                self.phase = TalkPhase::named(&entered.phase);
                self.slots_before = self.slots.len();
                self.gave_up = false;
            }
            Event::TurnTaken(taken) if taken.room.is_none() && self.phase != Some(TalkPhase::Resolution) => {
                self.slots.push(Slot {
                    speaker: taken.speaker.clone(),
                    turn: Some(taken.turn),
                    is_echo: false,
                    is_skipped: false,
                });
            }
            // Who skips a turn has nothing new to say.
            Event::TurnSkipped(skipped) if skipped.room.is_none() => {
                self.slots.push(Slot { speaker: skipped.speaker.clone(), turn: None, is_echo: true, is_skipped: true });
            }
            Event::RoomOpened(_) | Event::RoomAspectsNamed(_) | Event::RoomClosed(_) => self.discuss(&recorded.event),
            Event::HintGiven(hint) => self.hints.push((self.slots.len(), hint.clone())),
            Event::TurnsCrystallized(it) => {
                // Progress is that of the channel.
                let is_of_channel = |turn: &TurnId| self.transcript.get(*turn).is_none_or(|turn| turn.room.is_none());
                self.is_unmeasured |= it.turns.iter().any(is_of_channel);
                self.distilled.extend(&it.turns);
                let last = self.channel_turns().next_back().map(|turn| turn.turn);
                self.repetition = last.zip(it.repetition.clone());
            }
            Event::ProgressMeasured(_) => self.is_unmeasured = false,
            // Asking again about pairs of which nothing is known would lead nowhere.
            Event::ClaimsCompared(it) if it.pairs.is_empty() => {
                let last = self.compared.last_entry().and_then(|mut results| results.get_mut().pop());
                if last.is_some()
                    && let Some(mut results) = self.compared.last_entry()
                {
                    results.get_mut().push(false);
                }
            }
            Event::EffectRequested(it) if it.key.purpose == CRYSTALLIZE => {
                self.shown = self.transcript.turns.last().map(|turn| turn.turn);
            }
            Event::EffectAnswered(it) if !it.ignored => {
                self.answered.insert(it.key.clone());
                self.settled(&it.key, true);
            }
            Event::EffectFailed(it) => {
                if it.failure.kind == FailureKind::Repeated {
                    self.echoed.insert(it.key.clone());
                } else {
                    self.echoed.remove(&it.key);
                }
            }
            Event::EffectAbandoned(it) => {
                self.abandoned.insert(it.key.clone());
                self.settled(&it.key, false);
            }
            _ => {}
        }
    }

    /// Notes which disputes open rooms discuss.
    fn discuss(&mut self, event: &Event) {
        match event {
            Event::RoomOpened(it) => {
                self.in_rooms.insert(it.room, it.dispute.into_iter().collect());
            }
            Event::RoomAspectsNamed(it) => {
                let aspects = it.aspects.iter().map(|aspect| aspect.dispute);
                self.in_rooms.entry(it.room).or_default().extend(aspects);
            }
            Event::RoomClosed(it) => {
                self.in_rooms.remove(&it.room);
            }
            _ => {}
        }
    }

    fn settled(&mut self, key: &EffectKey, answered: bool) {
        match key.purpose.as_str() {
            OPEN | TURN if !answered => {
                if let Some(speaker) =
                    self.participants.iter().find(|participant| participant.id.as_str() == key.subject)
                {
                    let is_echo = self.echoed.contains(key);
                    self.slots.push(Slot { speaker: speaker.id.clone(), turn: None, is_echo, is_skipped: false });
                }
            }
            CRYSTALLIZE => {
                self.crystallizations += 1;
                self.gave_up = !answered;
                self.seen = self.transcript.turns.last().map_or(self.seen, |turn| turn.turn);
                self.shown = None;
            }
            COMPARE => self.compared.entry(key.ordinal).or_default().push(answered),
            _ => {}
        }
    }

    /// Returns true if an effect is neither answered nor abandoned.
    pub fn is_missing(&self, key: &EffectKey) -> bool {
        !self.answered.contains(key) && !self.abandoned.contains(key)
    }

    /// Returns the active speakers: all participants in the opening, later those who opened.
    pub fn speakers(&self) -> impl Iterator<Item = &Persona> {
        self.participants.iter().filter(|participant| !self.abandoned.contains(&effect_key(OPEN, &participant.id, 0)))
    }

    /// Returns true if every speaker's latest slot in this phase was abandoned, and not only because nobody had anything
    /// new to say.
    pub fn is_silent(&self) -> bool {
        let n_speakers = self.speakers().count();
        let is_lost = |slot: &Slot| slot.turn.is_none();
        self.latest_slots(n_speakers)
            .is_some_and(|slots| slots.iter().all(is_lost) && !slots.iter().all(|it| it.is_echo))
    }

    /// Returns true if every speaker had nothing new to say twice in a row in this phase.
    pub fn has_nothing_new(&self) -> bool {
        self.latest_slots(2 * self.speakers().count()).is_some_and(|slots| slots.iter().all(|slot| slot.is_echo))
    }

    /// Returns the latest slots of this phase; `None` while there are fewer than `n`, or if `n` is 0.
    fn latest_slots(&self, n: usize) -> Option<&[Slot]> {
        let slots = &self.slots[self.slots_before..];
        slots.len().checked_sub(n).filter(|_| n > 0).map(|from| &slots[from..])
    }

    /// Returns true if the given share of the turn budget is used up.
    pub fn has_spent(&self, share: f64) -> bool {
        self.slots.len() as f64 >= share * f64::from(self.options.turn_budget)
    }

    /// Returns the turns taken by participants, in order, without interjections.
    pub fn participant_turns(&self) -> impl DoubleEndedIterator<Item = &Turn> {
        self.transcript.turns.iter().filter(|turn| !turn.moves.is_empty())
    }

    /// Returns the turns taken by participants in the main channel, in order.
    pub fn channel_turns(&self) -> impl DoubleEndedIterator<Item = &Turn> {
        self.participant_turns().filter(|turn| turn.room.is_none())
    }

    /// Returns the turns taken in the main channel since the last distillation.
    pub fn pending(&self) -> Vec<&Turn> {
        self.channel_turns().filter(|turn| turn.turn > self.seen).collect()
    }

    /// Returns the undistilled turns of participants in the main channel, interjections in their names included, in order.
    /// Turns in a room are distilled when it closes.
    pub fn undistilled(&self) -> Vec<&Turn> {
        let said = self.transcript.turns.iter().filter(|turn| turn.speaker.is_some() && turn.room.is_none());
        said.filter(|turn| !self.distilled.contains(&turn.turn)).collect()
    }

    /// Returns the turns for the next distillation: at most `most` new ones, the oldest first, preceded by older ones
    /// up to the configured minimum.
    pub fn window(&self, most: usize) -> Window<'_> {
        let shown = |turn: &&Turn| self.shown.is_none_or(|shown| turn.turn <= shown);
        let fresh: Vec<&Turn> = self.undistilled().into_iter().filter(shown).take(most).collect();
        let wanted = (self.options.fewest_distilled as usize).saturating_sub(fresh.len());
        let first = fresh.first().map_or(TurnId(0), |turn| turn.turn);
        let before = self.transcript.turns.iter().filter(|turn| turn.turn < first && turn.room.is_none());
        let before: Vec<&Turn> = before.collect();
        let older = before[before.len().saturating_sub(wanted)..].to_vec();
        Window { older, fresh }
    }
}

/// Turns shown to the clerk for a distillation.
#[derive(Clone, Debug)]
pub struct Window<'a> {
    /// Context: turns that were distilled before, or are the moderator's.
    pub older: Vec<&'a Turn>,
    /// New turns to distill.
    pub fresh: Vec<&'a Turn>,
}

impl Window<'_> {
    /// Resolves a participant's turn by its alias, and returns its speaker.
    ///
    /// # Errors
    /// A message if the turn was not shown or is the moderator's.
    pub fn turn(&self, alias: &str) -> Result<(TurnId, PersonaId), String> {
        let wanted: Option<TurnId> = alias.trim().trim_matches(['[', ']']).parse().ok();
        let turn = self.older.iter().chain(&self.fresh).find(|turn| Some(turn.turn) == wanted);
        let told = turn.and_then(|turn| Some((turn.turn, turn.speaker.clone()?)));
        told.ok_or_else(|| {
            format!("names {}, which is not a participant's turn among those shown", view_prompts::excerpt(alias))
        })
    }

    /// Resolves a new turn by its alias, and returns its speaker. New items cannot come from turns that were distilled
    /// before.
    ///
    /// # Errors
    /// A message if the turn is not a new turn of the window.
    pub fn new_turn(&self, alias: &str) -> Result<(TurnId, PersonaId), String> {
        let (turn, speaker) = self.turn(alias)?;
        if self.fresh.iter().any(|fresh_turn| fresh_turn.turn == turn) {
            return Ok((turn, speaker));
        }
        Err(format!("draws something new from {turn}, which was distilled before"))
    }

    /// Resolves a sentence of a new turn by its name, such as `t3.2`. Returns the turn, its speaker and the words of the
    /// sentence.
    ///
    /// # Errors
    /// A message if the turn is not a new turn of the window, or has no such sentence, or if the sentence only thanks somebody.
    pub fn new_sentence(&self, name: &str) -> Result<(TurnId, PersonaId, String), String> {
        self.new_turn(sentence_turn(name))?;
        let found = self.shown_sentence(name)?;
        let thanks = || format!("points to {}, which only thanks", view_prompts::excerpt(&found.2));
        if only_thanks(&found.2) { Err(thanks()) } else { Ok(found) }
    }

    /// Resolves a sentence of any participant's turn of the window by its name. Returns the turn, its speaker and the words
    /// of the sentence.
    ///
    /// # Errors
    /// A message if the turn was not shown or is the moderator's, or it has no such sentence.
    pub fn shown_sentence(&self, name: &str) -> Result<(TurnId, PersonaId, String), String> {
        let number = name.trim().trim_matches(['[', ']']).split_once('.').map_or("", |(_, number)| number);
        let (turn, speaker) = self.turn(sentence_turn(name))?;
        let text = self.older.iter().chain(&self.fresh).find(|shown| shown.turn == turn).map(|shown| &shown.text);
        let words = text.zip(number.parse().ok()).and_then(|(text, number)| turn_quotes::sentence(text, number));
        match words.filter(|words| words.len() <= MAX_QUOTE_BYTES) {
            Some(words) => Ok((turn, speaker, words)),
            None => Err(format!("names {}, which is not a sentence of {turn}", view_prompts::excerpt(name))),
        }
    }

    /// Resolves a sentence of a given new turn that is to be another part of the same argument.
    ///
    /// # Errors
    /// A message if it is not a sentence of this turn, or repeats one of `others`.
    pub fn sentence_of(&self, turn: TurnId, name: &str, others: &[&String]) -> Result<String, String> {
        let (of, _, words) = self.new_sentence(name)?;
        if of != turn {
            return Err(format!("uses {}, which is not a sentence of {turn}", view_prompts::excerpt(name)));
        }
        if others.iter().any(|other| says_the_same(other, &words)) {
            return Err(format!("uses {} twice in one argument", view_prompts::excerpt(name)));
        }
        Ok(words)
    }

    /// Returns the aliases of the participants' turns, the new ones last.
    pub fn turn_names(&self) -> Vec<String> {
        let turns = self.older.iter().chain(&self.fresh).filter(|turn| turn.speaker.is_some());
        turns.map(|turn| turn.turn.to_string()).collect()
    }

    /// Returns the names of the sentences of the new turns.
    pub fn sentence_names(&self) -> Vec<String> {
        self.fresh.iter().flat_map(|turn| names_of_sentences(turn)).collect()
    }

    /// Returns the names of the sentences of all participants' turns, the new ones last.
    pub fn shown_sentence_names(&self) -> Vec<String> {
        let turns = self.older.iter().chain(&self.fresh).filter(|turn| turn.speaker.is_some());
        turns.flat_map(|turn| names_of_sentences(turn)).collect()
    }

    /// Returns the ids of the new turns.
    pub fn names(&self) -> Vec<TurnId> {
        self.fresh.iter().map(|turn| turn.turn).collect()
    }
}

/// Returns the turn in the name of a sentence: `t3` in `t3.2`.
fn sentence_turn(name: &str) -> &str {
    let name = name.trim().trim_matches(['[', ']']);
    name.split_once('.').map_or(name, |(turn, _)| turn)
}

fn names_of_sentences(turn: &Turn) -> impl Iterator<Item = String> + use<> {
    let alias = turn.turn;
    (1..=turn_quotes::sentences(&turn.text).len()).map(move |number| format!("{alias}.{number}"))
}
