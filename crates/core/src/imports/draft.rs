//! Debate under construction: its events so far, and the ids that the file's own names map to.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::events::event::Event;
use crate::events::ids::{ArgumentId, AttackId, CruxId, DisputeId, PersonaId, RoomId, TurnId};
use crate::events::imported::{RecordKept, VerdictImported};
use crate::events::lifecycle::PhaseEntered;
use crate::events::turn::{Move, TurnTaken};
use crate::imports::cast::Cast;
use crate::imports::import_error::ImportError;
use crate::imports::limits::{MAX_ARGUMENTS, MAX_ATTACKS, MAX_EVENTS, MAX_TOLD, MAX_TURNS};
use crate::imports::outcome::ImportOutcome;
use crate::imports::report::{ImportCounts, SetAside};
use crate::imports::reported_results::StatedResults;
use crate::kernel::quotations::turn_quotes;

/// Debate under construction.
#[derive(Debug)]
pub struct ImportDraft {
    /// Participants.
    pub cast: Cast,
    /// Ending of the debate, as far as known.
    pub ending: ImportOutcome,
    /// Results that the file states.
    pub claimed: StatedResults,
    /// Numbers of records read and of events made from them.
    pub counts: ImportCounts,
    /// Records that were set aside, with reasons; only the first [`MAX_TOLD`].
    pub set_aside: Vec<SetAside>,
    /// Further remarks on the import.
    pub notes: Vec<String>,
    /// Arguments by their names in the file.
    pub arguments: BTreeMap<String, KnownArgument>,
    /// Attacks by their names in the file.
    pub attacks: BTreeMap<String, KnownAttack>,
    /// Disputes by their names in the file, and by their questions.
    pub disputes: BTreeMap<String, DisputeId>,
    /// Recorded stances: speaker, dispute, round.
    pub stances: BTreeSet<(PersonaId, DisputeId, Option<u32>)>,
    /// Turns that contain a concession.
    pub conceding: BTreeSet<TurnId>,
    /// Turns by their names in the file.
    pub turns: BTreeMap<String, TurnId>,
    /// Rooms by their names in the file.
    pub rooms: BTreeMap<String, KnownRoom>,
    /// Question of the disagreement that a detector reported last, with its confidence.
    pub detected: Option<(String, f64)>,
    events: Vec<(Event, Option<DateTime<Utc>>)>,
    speakers: Vec<(Option<PersonaId>, String)>,
    place: String,
    clock: Option<DateTime<Utc>>,
    phase: Option<(String, Option<u32>)>,
    crystallized: TurnId,
    n_disputes: u32,
    n_cruxes: u32,
    n_rooms: u32,
    n_tables: u32,
}

/// Argument of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownArgument {
    /// Id in the imported debate.
    pub argument: ArgumentId,
    /// Speaker of the argument.
    pub speaker: PersonaId,
    /// Turn in which it was advanced; `t0` if it is unknown.
    pub turn: TurnId,
    /// Original claim.
    pub claim: String,
    /// Number of premises.
    pub n_premises: u32,
    /// Assumptions, including those added by revisions.
    pub assumptions: Vec<String>,
}

/// Room of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownRoom {
    /// Id in the imported debate.
    pub room: RoomId,
    /// Participants of the room.
    pub members: Vec<PersonaId>,
    /// True if the file states that the crux surfaced in the room.
    pub surfaced: bool,
    /// True if the room was closed.
    pub closed: bool,
}

/// Attack of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownAttack {
    /// Id in the imported debate.
    pub attack: AttackId,
    /// Argument that is attacked.
    pub target: KnownArgument,
}

impl KnownArgument {
    /// Turn in which it was advanced; `None` if it is unknown.
    pub fn known_turn(&self) -> Option<TurnId> {
        (self.turn != TurnId(0)).then_some(self.turn)
    }
}

impl ImportDraft {
    /// Starts an empty debate with these participants.
    pub fn of(cast: Cast) -> ImportDraft {
        ImportDraft {
            cast,
            ending: ImportOutcome::default(),
            claimed: StatedResults::default(),
            counts: ImportCounts::default(),
            set_aside: Vec::new(),
            notes: Vec::new(),
            arguments: BTreeMap::new(),
            attacks: BTreeMap::new(),
            disputes: BTreeMap::new(),
            stances: BTreeSet::new(),
            conceding: BTreeSet::new(),
            turns: BTreeMap::new(),
            rooms: BTreeMap::new(),
            detected: None,
            events: Vec::new(),
            speakers: Vec::new(),
            place: String::new(),
            clock: None,
            phase: None,
            crystallized: TurnId(0),
            n_disputes: 0,
            n_cruxes: 0,
            n_rooms: 0,
            n_tables: 0,
        }
    }

    /// Moves to the next record of the file.
    ///
    /// # Errors
    /// [`ImportError::Limit`] if the debate has grown beyond an import limit.
    pub fn begin(&mut self, place: &str) -> Result<(), ImportError> {
        place.clone_into(&mut self.place);
        self.counts.read += 1;
        ImportError::within(place, "events so far", MAX_EVENTS, self.events.len())?;
        ImportError::within(place, "turns so far", MAX_TURNS, self.speakers.len())?;
        ImportError::within(place, "arguments so far", MAX_ARGUMENTS, self.arguments.len())?;
        ImportError::within(place, "attacks so far", MAX_ATTACKS, self.attacks.len())
    }

    /// Sets the time of the following events. `None` or an earlier time leaves the clock unchanged.
    pub fn at(&mut self, time: Option<DateTime<Utc>>) {
        self.clock = self.clock.max(time);
    }

    /// Appends an event at the current time.
    pub fn record(&mut self, event: Event) {
        self.events.push((event, self.clock));
    }

    /// Finds the participant with this name.
    ///
    /// # Errors
    /// The reason as text, if the name is missing or is no participant's.
    pub fn speaker(&self, name: Option<&str>) -> Result<PersonaId, String> {
        let name = name.ok_or_else(|| "it names no speaker".to_owned())?;
        let found = self.cast.find(name).cloned();
        found.ok_or_else(|| {
            format!("{:?} is not a participant; the participants are {}", excerpt(name), self.cast.listed())
        })
    }

    /// Records a turn.
    pub fn turn(&mut self, speaker: &PersonaId, round: Option<u32>, does: Move, text: &str) -> TurnId {
        self.answer(speaker, (round, None), does, None, text)
    }

    /// Records a turn that answers an earlier one, in a round or in a room.
    pub fn answer(
        &mut self,
        speaker: &PersonaId,
        (round, room): (Option<u32>, Option<RoomId>),
        does: Move,
        answers: Option<TurnId>,
        text: &str,
    ) -> TurnId {
        self.speakers.push((Some(speaker.clone()), text.to_owned()));
        let turn = self.last_turn();
        self.counts.turns += 1;
        self.record(Event::TurnTaken(TurnTaken {
            preparation: None,
            turn,
            speaker: speaker.clone(),
            round,
            room,
            moves: vec![does],
            move_quotes: Vec::new(),
            answers,
            text: text.to_owned(),
            citations: Vec::new(),
            refused: Vec::new(),
            dangling: 0,
        }));
        turn
    }

    /// Reserves a turn id for the moderator.
    pub fn turn_of_moderator(&mut self) -> TurnId {
        self.speakers.push((None, String::new()));
        self.last_turn()
    }

    /// Latest turn of a participant.
    pub fn latest_turn(&self, speaker: &PersonaId) -> Option<TurnId> {
        self.turns_of(speaker).last().map(|(turn, _)| turn)
    }

    /// Turns of a participant with their texts.
    pub fn turns_of<'a>(&'a self, speaker: &'a PersonaId) -> impl Iterator<Item = (TurnId, &'a str)> {
        let numbered = (1..).map(TurnId).zip(&self.speakers);
        numbered
            .filter(move |(_, (persona, _))| persona.as_ref() == Some(speaker))
            .map(|(turn, (_, text))| (turn, text.as_str()))
    }

    /// Words of a turn that the file gives separately; `None` if the turn does not contain them byte for byte.
    pub fn quote(&self, turn: TurnId, words: Option<&str>) -> Option<String> {
        let place = usize::try_from(turn.0).ok()?.checked_sub(1)?;
        let (_, text) = self.speakers.get(place)?;
        words.map(str::trim).filter(|words| turn_quotes::is_quoted(text, words)).map(str::to_owned)
    }

    /// Speaker of a turn; `None` for the moderator.
    pub fn speaker_of(&self, turn: TurnId) -> Option<&PersonaId> {
        let place = usize::try_from(turn.0).ok()?.checked_sub(1)?;
        self.speakers.get(place).and_then(|(speaker, _)| speaker.as_ref())
    }

    /// Latest turn; `t0` if there is none.
    pub fn last_turn(&self) -> TurnId {
        TurnId(u32::try_from(self.speakers.len()).unwrap_or(u32::MAX))
    }

    /// Records the start of a phase, unless it is the current one.
    pub fn phase(&mut self, phase: &str, round: Option<u32>) {
        self.phase_because(phase, round, None);
    }

    /// Records the start of a phase with its reason, unless it is the current one.
    pub fn phase_because(&mut self, phase: &str, round: Option<u32>, reason: Option<String>) {
        let entered = (phase.to_owned(), round);
        if self.phase.as_ref() != Some(&entered) {
            self.phase = Some(entered);
            self.counts.phases += 1;
            self.record(Event::PhaseEntered(PhaseEntered::new(phase, round, reason)));
        }
    }

    /// Next unused argument id.
    pub fn next_argument(&self) -> ArgumentId {
        ArgumentId(u32::try_from(self.arguments.len() + 1).unwrap_or(u32::MAX))
    }

    /// Next unused attack id.
    pub fn next_attack(&self) -> AttackId {
        AttackId(u32::try_from(self.attacks.len() + 1).unwrap_or(u32::MAX))
    }

    /// Takes the next dispute id.
    pub fn next_dispute(&mut self) -> DisputeId {
        self.n_disputes += 1;
        DisputeId(self.n_disputes)
    }

    /// Takes the next crux id.
    pub fn next_crux(&mut self) -> CruxId {
        self.n_cruxes += 1;
        CruxId(self.n_cruxes)
    }

    /// Takes the number of the next table.
    pub fn next_table(&mut self) -> u32 {
        self.n_tables += 1;
        self.n_tables
    }

    /// Takes the next room id.
    pub fn next_room(&mut self) -> RoomId {
        self.n_rooms += 1;
        RoomId(self.n_rooms)
    }

    /// Returns the turns since the last call: those that a crystallizer reads next.
    pub fn uncrystallized(&mut self) -> Vec<TurnId> {
        let last = self.last_turn();
        let from = std::mem::replace(&mut self.crystallized, last);
        (from.0 + 1..=self.crystallized.0).map(TurnId).collect()
    }

    /// Sets aside a record that cannot be imported. The record is stored in the debate with the reason.
    pub fn quarantine(&mut self, name: &str, reason: impl Into<String>, record: &Value) {
        let reason = reason.into();
        self.counts.quarantined += 1;
        if self.set_aside.len() < MAX_TOLD {
            let (place, name, reason) = (self.place.clone(), name.to_owned(), reason.clone());
            self.set_aside.push(SetAside { place, name, reason });
        }
        self.keep_as(name, Some(reason), record);
    }

    /// Stores a record that has no counterpart here.
    pub fn keep(&mut self, name: &str, record: &Value) {
        self.counts.opaque += 1;
        self.keep_as(name, None, record);
    }

    fn keep_as(&mut self, name: &str, set_aside: Option<String>, record: &Value) {
        self.record(Event::RecordKept(RecordKept { name: excerpt(name), set_aside, record: record.clone() }));
    }

    /// Stores results that the file states.
    pub fn record_result(&mut self, name: &str, said: &Value) {
        self.counts.verdicts += 1;
        self.claimed.collect(name, said);
        self.record(Event::VerdictImported(VerdictImported { name: excerpt(name), said: said.clone() }));
    }

    /// Adds a remark, once.
    pub fn note(&mut self, note: &str) {
        if !self.notes.iter().any(|remark| remark == note) && self.notes.len() < MAX_TOLD {
            self.notes.push(note.to_owned());
        }
    }

    /// Returns the events, each with its time if the file contains any. Events before the first known time get that
    /// time.
    pub fn into_events(self) -> Vec<(Event, Option<DateTime<Utc>>)> {
        let first = self.events.iter().find_map(|(_, at)| *at);
        self.events.into_iter().map(|(event, at)| (event, at.or(first))).collect()
    }
}

/// First 64 characters of a name in the file.
pub fn excerpt(text: &str) -> String {
    text.chars().take(64).collect()
}
