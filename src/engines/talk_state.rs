//! What a talk has come to: the state that both engines of talk share, and what can be read off it.

use std::collections::{BTreeMap, BTreeSet};

use crate::engines::brief::{self, Names};
use crate::engines::talk_options::TalkOptions;
use crate::engines::talk_phases::Phase;
use crate::events::distil::Repetition;
use crate::events::event::{Event, Recorded};
use crate::events::ids::{DisputeId, PersonaId, TurnId};
use crate::events::lifecycle::DebateOpened;
use crate::events::persona::Persona;
use crate::events::receipt::EffectKey;
use crate::events::turn::HintGiven;
use crate::kernel::effect::key;
use crate::projections::concessions::Concessions;
use crate::projections::crux_proposals::CruxProposals;
use crate::projections::dispute_graph::DisputeGraph;
use crate::projections::progress::Progress;
use crate::projections::projection::Projection;
use crate::projections::transcript::{Transcript, Turn};

/// The debate's topic as a dispute.
pub const TOPIC: DisputeId = DisputeId(1);

/// First words.
pub const OPEN: &str = "open";
/// A turn.
pub const TURN: &str = "turn";
/// Last words.
pub const CLOSE: &str = "close";
/// Turns distilled.
pub const CRYSTALLIZE: &str = "crystallize";
/// Claims held against each other.
pub const COMPARE: &str = "compare";

/// A talk.
pub struct Talk {
    /// What is debated.
    pub topic: String,
    /// The seed of its choices.
    pub seed: u64,
    /// Who takes part, in speaking order.
    pub participants: Vec<Persona>,
    /// What they are called.
    pub names: Names,
    /// The numbers.
    pub options: TalkOptions,
    /// The turns.
    pub transcript: Transcript,
    /// Questions and stances.
    pub disputes: DisputeGraph,
    /// What was proposed as the crux.
    pub cruxes: CruxProposals,
    /// Who gave ground.
    pub concessions: Concessions,
    /// What was measured.
    pub progress: Progress,
    /// The present phase; `None` before the first.
    pub phase: Option<Phase>,
    /// Who had the floor, slot by slot: openings and turns, taken or missed. Last words take no slot.
    pub slots: Vec<Slot>,
    /// The slots that were gone when the present phase began.
    pub slots_before: usize,
    /// The hints given, each with the slot that it was given for.
    pub hints: Vec<(usize, HintGiven)>,
    /// How often turns were to be distilled, successfully or not.
    pub crystallizations: u32,
    /// Whether the last crystallization was given up.
    pub gave_up: bool,
    /// After which crystallization claims were to be compared, and each time whether they were.
    pub compared: BTreeMap<u32, Vec<bool>>,
    /// Whether turns were distilled that nothing was measured after.
    pub is_unmeasured: bool,
    /// How far the latest turns repeated those before them in what they mean, when turns were last distilled, and the last
    /// turn then; `None` where no embedder told it.
    pub repetition: Option<(TurnId, Repetition)>,
    distilled: BTreeSet<TurnId>,
    /// The last turn when turns were last to be distilled.
    seen: TurnId,
    /// The last turn when a crystallization was last asked for: what was said since was not shown.
    shown: Option<TurnId>,
    answered: BTreeSet<EffectKey>,
    abandoned: BTreeSet<EffectKey>,
}

/// A time to speak.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Whose.
    pub speaker: PersonaId,
    /// The turn that was taken; `None` where the call was given up.
    pub turn: Option<TurnId>,
}

impl Talk {
    /// A talk that was opened.
    pub fn new(opened: &DebateOpened, options: TalkOptions) -> Talk {
        Talk {
            topic: opened.topic.clone(),
            seed: opened.seed,
            names: Names::new(&opened.participants),
            participants: opened.participants.clone(),
            options,
            transcript: Transcript::default(),
            disputes: DisputeGraph::default(),
            cruxes: CruxProposals::default(),
            concessions: Concessions::default(),
            progress: Progress::default(),
            phase: None,
            slots: Vec::new(),
            slots_before: 0,
            hints: Vec::new(),
            crystallizations: 0,
            gave_up: false,
            compared: BTreeMap::new(),
            is_unmeasured: false,
            repetition: None,
            distilled: BTreeSet::new(),
            seen: TurnId(0),
            shown: None,
            answered: BTreeSet::new(),
            abandoned: BTreeSet::new(),
        }
    }

    /// Takes note of what happened.
    pub fn evolve(&mut self, recorded: &Recorded) {
        self.transcript.apply(recorded);
        self.disputes.apply(recorded);
        self.cruxes.apply(recorded);
        self.concessions.apply(recorded);
        self.progress.apply(recorded);
        match &recorded.event {
            Event::PhaseEntered(entered) => {
                self.phase = Phase::named(&entered.phase);
                self.slots_before = self.slots.len();
                self.gave_up = false;
            }
            Event::TurnTaken(taken) if self.phase != Some(Phase::Resolution) => {
                self.slots.push(Slot { speaker: taken.speaker.clone(), turn: Some(taken.turn) });
            }
            Event::HintGiven(hint) => self.hints.push((self.slots.len(), hint.clone())),
            Event::TurnsCrystallized(it) => {
                self.is_unmeasured = true;
                self.distilled.extend(&it.turns);
                let last = self.taken().next_back().map(|it| it.turn);
                self.repetition = last.zip(it.repetition.clone());
            }
            Event::ProgressMeasured(_) => self.is_unmeasured = false,
            Event::EffectRequested(it) if it.key.purpose == CRYSTALLIZE => {
                self.shown = self.transcript.turns.last().map(|it| it.turn);
            }
            Event::EffectAnswered(it) if !it.ignored => {
                self.answered.insert(it.key.clone());
                self.settled(&it.key, true);
            }
            Event::EffectAbandoned(it) => {
                self.abandoned.insert(it.key.clone());
                self.settled(&it.key, false);
            }
            _ => {}
        }
    }

    fn settled(&mut self, key: &EffectKey, answered: bool) {
        match key.purpose.as_str() {
            OPEN | TURN if !answered => {
                if let Some(speaker) = self.participants.iter().find(|it| it.id.as_str() == key.subject) {
                    self.slots.push(Slot { speaker: speaker.id.clone(), turn: None });
                }
            }
            CRYSTALLIZE => {
                self.crystallizations += 1;
                self.gave_up = !answered;
                self.seen = self.transcript.turns.last().map_or(self.seen, |it| it.turn);
                self.shown = None;
            }
            COMPARE => self.compared.entry(key.ordinal).or_default().push(answered),
            _ => {}
        }
    }

    /// Whether a question is neither answered nor given up.
    pub fn is_missing(&self, key: &EffectKey) -> bool {
        !self.answered.contains(key) && !self.abandoned.contains(key)
    }

    /// Those who speak: all in the opening, later those who opened.
    pub fn speakers(&self) -> impl Iterator<Item = &Persona> {
        self.participants.iter().filter(|it| !self.abandoned.contains(&key(OPEN, &it.id, 0)))
    }

    /// Whether everybody's latest time to speak went by without a word.
    pub fn is_silent(&self) -> bool {
        let n_speakers = self.speakers().count();
        let latest = self.slots[self.slots_before..].iter().rev().take(n_speakers);
        latest.clone().count() == n_speakers && latest.clone().all(|it| it.turn.is_none())
    }

    /// Whether this share of the turns is spent.
    pub fn has_spent(&self, share: f64) -> bool {
        self.slots.len() as f64 >= share * f64::from(self.options.turn_budget)
    }

    /// The turns that participants took, in order; what was said in between is not among them.
    pub fn taken(&self) -> impl DoubleEndedIterator<Item = &Turn> {
        self.transcript.turns.iter().filter(|it| !it.moves.is_empty())
    }

    /// The turns taken since turns were last to be distilled.
    pub fn pending(&self) -> Vec<&Turn> {
        self.taken().filter(|it| it.turn > self.seen).collect()
    }

    /// What participants said that no crystallization has distilled, in order.
    pub fn undistilled(&self) -> Vec<&Turn> {
        let said = self.transcript.turns.iter().filter(|it| it.speaker.is_some());
        said.filter(|it| !self.distilled.contains(&it.turn)).collect()
    }

    /// The turns that the next crystallization sees: at most `most` new ones, the oldest first, and older ones before them
    /// until there are enough.
    pub fn window(&self, most: usize) -> Window<'_> {
        let shown = |it: &&Turn| self.shown.is_none_or(|shown| it.turn <= shown);
        let fresh: Vec<&Turn> = self.undistilled().into_iter().filter(shown).take(most).collect();
        let wanted = (self.options.fewest_distilled as usize).saturating_sub(fresh.len());
        let first = fresh.first().map_or(TurnId(0), |it| it.turn);
        let before: Vec<&Turn> = self.transcript.turns.iter().filter(|it| it.turn < first).collect();
        let older = before[before.len().saturating_sub(wanted)..].to_vec();
        Window { older, fresh }
    }
}

/// The turns that a crystallization sees.
#[derive(Clone, Debug)]
pub struct Window<'a> {
    /// Turns that were distilled before, or are the moderator's.
    pub older: Vec<&'a Turn>,
    /// Turns to be distilled.
    pub fresh: Vec<&'a Turn>,
}

impl Window<'_> {
    /// A turn of the window by its name, and whose it is.
    ///
    /// # Errors
    /// In words, where it was not shown or is the moderator's.
    pub fn turn(&self, alias: &str) -> Result<(TurnId, PersonaId), String> {
        let wanted: Option<TurnId> = alias.trim().trim_matches(['[', ']']).parse().ok();
        let turn = self.older.iter().chain(&self.fresh).find(|it| Some(it.turn) == wanted);
        let told = turn.and_then(|it| Some((it.turn, it.speaker.clone()?)));
        told.ok_or_else(|| format!("names {}, which is no participant's turn among those shown", brief::excerpt(alias)))
    }

    /// A new turn of the window by its name, and whose it is: something new comes from no turn that was distilled before.
    ///
    /// # Errors
    /// In words, where it is no such turn.
    pub fn new_turn(&self, alias: &str) -> Result<(TurnId, PersonaId), String> {
        let (turn, speaker) = self.turn(alias)?;
        if self.fresh.iter().any(|it| it.turn == turn) {
            return Ok((turn, speaker));
        }
        Err(format!("draws something new from {turn}, which was distilled before"))
    }

    /// The names of the new turns.
    pub fn names(&self) -> Vec<TurnId> {
        self.fresh.iter().map(|it| it.turn).collect()
    }
}
