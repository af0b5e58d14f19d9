//! A debate under construction: the events so far, and what the file's own names stand for among them.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::events::event::Event;
use crate::events::ids::{ArgumentId, AttackId, CruxId, DisputeId, PersonaId, RoomId, TurnId};
use crate::events::imported::{RecordKept, VerdictImported};
use crate::events::lifecycle::PhaseEntered;
use crate::events::turn::{Move, TurnTaken};
use crate::imports::cast::Cast;
use crate::imports::claimed::Claimed;
use crate::imports::ending::Ending;
use crate::imports::fault::ImportError;
use crate::imports::limits::{ARGUMENTS, ATTACKS, EVENTS, TOLD, TURNS};
use crate::imports::report::{Counts, SetAside};

/// A debate under construction.
#[derive(Debug)]
pub struct Draft {
    /// Who takes part.
    pub cast: Cast,
    /// How it ended, as far as that is known yet.
    pub ending: Ending,
    /// What the file concluded.
    pub claimed: Claimed,
    /// What was read and made of it.
    pub counts: Counts,
    /// What was set aside, and why: the first [`TOLD`].
    pub set_aside: Vec<SetAside>,
    /// What else should be known of the import.
    pub notes: Vec<String>,
    /// Arguments by the file's names.
    pub arguments: BTreeMap<String, Known>,
    /// Attacks by the file's names.
    pub attacks: BTreeMap<String, Struck>,
    /// Disputes by the file's names, and by their questions.
    pub disputes: BTreeMap<String, DisputeId>,
    /// Stances that were recorded: whose, on what, in which round.
    pub stances: BTreeSet<(PersonaId, DisputeId, Option<u32>)>,
    /// Turns that give ground.
    pub conceding: BTreeSet<TurnId>,
    /// Turns by the file's names.
    pub turns: BTreeMap<String, TurnId>,
    /// Rooms by the file's names.
    pub rooms: BTreeMap<String, Talked>,
    /// The question of the disagreement that a detector saw last, and how surely.
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
}

/// An argument that the file named.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// Its name here.
    pub argument: ArgumentId,
    /// Whose it is.
    pub speaker: PersonaId,
    /// The turn in which it was advanced.
    pub turn: TurnId,
    /// What it concludes, as it was first said.
    pub claim: String,
    /// How many premises it has.
    pub n_premises: u32,
    /// What it takes for granted, revisions included.
    pub assumptions: Vec<String>,
}

/// A room that the file named.
#[derive(Clone, Debug, PartialEq)]
pub struct Talked {
    /// Its name here.
    pub room: RoomId,
    /// Who is in it.
    pub members: Vec<PersonaId>,
    /// Whether it said of itself that the crux surfaced.
    pub surfaced: bool,
    /// Whether it was closed.
    pub closed: bool,
}

/// An attack that the file named.
#[derive(Clone, Debug, PartialEq)]
pub struct Struck {
    /// Its name here.
    pub attack: AttackId,
    /// What it strikes.
    pub target: Known,
}

impl Draft {
    /// A debate of these participants in which nothing has happened.
    pub fn of(cast: Cast) -> Draft {
        Draft {
            cast,
            ending: Ending::default(),
            claimed: Claimed::default(),
            counts: Counts::default(),
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
        }
    }

    /// Goes on to the next record of the file.
    ///
    /// # Errors
    /// [`ImportError::Limit`] where the debate has grown beyond what may be imported.
    pub fn begin(&mut self, place: &str) -> Result<(), ImportError> {
        place.clone_into(&mut self.place);
        self.counts.read += 1;
        ImportError::within(place, "events made of the file so far", EVENTS, self.events.len())?;
        ImportError::within(place, "turns so far", TURNS, self.speakers.len())?;
        ImportError::within(place, "arguments so far", ARGUMENTS, self.arguments.len())?;
        ImportError::within(place, "attacks so far", ATTACKS, self.attacks.len())
    }

    /// What happens from here on happened at this time, or as soon after the last event as no time is known; never
    /// before it.
    pub fn at(&mut self, time: Option<DateTime<Utc>>) {
        self.clock = self.clock.max(time);
    }

    /// Records an event.
    pub fn record(&mut self, event: Event) {
        self.events.push((event, self.clock));
    }

    /// The participant of a name.
    ///
    /// # Errors
    /// Why there is none, in words.
    pub fn speaker(&self, name: Option<&str>) -> Result<PersonaId, String> {
        let name = name.ok_or_else(|| "it names no speaker".to_owned())?;
        let found = self.cast.find(name).cloned();
        found.ok_or_else(|| format!("{:?} does not take part; {} do", excerpt(name), self.cast.listed()))
    }

    /// Lets somebody speak.
    pub fn turn(&mut self, speaker: &PersonaId, round: Option<u32>, does: Move, text: &str) -> TurnId {
        self.answer(speaker, (round, None), does, None, text)
    }

    /// Lets somebody speak to an earlier turn, in a round or in a room.
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
            turn,
            speaker: speaker.clone(),
            round,
            room,
            moves: vec![does],
            answers,
            text: text.to_owned(),
            citations: Vec::new(),
            refused: Vec::new(),
            dangling: 0,
        }));
        turn
    }

    /// The turn of something that the moderator is about to say.
    pub fn turn_of_moderator(&mut self) -> TurnId {
        self.speakers.push((None, String::new()));
        self.last_turn()
    }

    /// The latest turn of somebody.
    pub fn latest_turn(&self, speaker: &PersonaId) -> Option<TurnId> {
        self.turns_of(speaker).last().map(|(turn, _)| turn)
    }

    /// The turns of somebody, and what was said in them.
    pub fn turns_of<'a>(&'a self, speaker: &'a PersonaId) -> impl Iterator<Item = (TurnId, &'a str)> {
        let numbered = (1..).map(TurnId).zip(&self.speakers);
        numbered.filter(move |(_, (it, _))| it.as_ref() == Some(speaker)).map(|(turn, (_, text))| (turn, text.as_str()))
    }

    /// Whose a turn is.
    pub fn speaker_of(&self, turn: TurnId) -> Option<&PersonaId> {
        let place = usize::try_from(turn.0).ok()?.checked_sub(1)?;
        self.speakers.get(place).and_then(|(speaker, _)| speaker.as_ref())
    }

    /// The latest turn of all; the one before the first, where nobody has spoken.
    pub fn last_turn(&self) -> TurnId {
        TurnId(u32::try_from(self.speakers.len()).unwrap_or(u32::MAX))
    }

    /// A phase began; nothing, where it is the present one.
    pub fn phase(&mut self, phase: &str, round: Option<u32>) {
        self.phase_because(phase, round, None);
    }

    /// A phase began for a reason; nothing, where it is the present one.
    pub fn phase_because(&mut self, phase: &str, round: Option<u32>, reason: Option<String>) {
        let entered = (phase.to_owned(), round);
        if self.phase.as_ref() != Some(&entered) {
            self.phase = Some(entered);
            self.counts.phases += 1;
            self.record(Event::PhaseEntered(PhaseEntered { phase: phase.to_owned(), round, reason }));
        }
    }

    /// The name of the next argument.
    pub fn next_argument(&self) -> ArgumentId {
        ArgumentId(u32::try_from(self.arguments.len() + 1).unwrap_or(u32::MAX))
    }

    /// The name of the next attack.
    pub fn next_attack(&self) -> AttackId {
        AttackId(u32::try_from(self.attacks.len() + 1).unwrap_or(u32::MAX))
    }

    /// The name of the next dispute, which is then taken.
    pub fn next_dispute(&mut self) -> DisputeId {
        self.n_disputes += 1;
        DisputeId(self.n_disputes)
    }

    /// The name of the next proposed crux, which is then taken.
    pub fn next_crux(&mut self) -> CruxId {
        self.n_cruxes += 1;
        CruxId(self.n_cruxes)
    }

    /// The name of the next room, which is then taken.
    pub fn next_room(&mut self) -> RoomId {
        self.n_rooms += 1;
        RoomId(self.n_rooms)
    }

    /// The turns since it was last asked for them: what a crystallizer reads.
    pub fn uncrystallized(&mut self) -> Vec<TurnId> {
        let last = self.last_turn();
        let from = std::mem::replace(&mut self.crystallized, last);
        (from.0 + 1..=self.crystallized.0).map(TurnId).collect()
    }

    /// Sets a record aside: it could not be taken. It is kept all the same.
    pub fn quarantine(&mut self, name: &str, reason: impl Into<String>, record: &Value) {
        let reason = reason.into();
        self.counts.quarantined += 1;
        if self.set_aside.len() < TOLD {
            let (place, name, reason) = (self.place.clone(), name.to_owned(), reason.clone());
            self.set_aside.push(SetAside { place, name, reason });
        }
        self.keep_as(name, Some(reason), record);
    }

    /// Keeps a record that has no counterpart here.
    pub fn keep(&mut self, name: &str, record: &Value) {
        self.counts.opaque += 1;
        self.keep_as(name, None, record);
    }

    fn keep_as(&mut self, name: &str, set_aside: Option<String>, record: &Value) {
        self.record(Event::RecordKept(RecordKept { name: excerpt(name), set_aside, record: record.clone() }));
    }

    /// Keeps what the file concluded, as its word.
    pub fn said(&mut self, name: &str, said: &Value) {
        self.counts.verdicts += 1;
        self.claimed.hear(name, said);
        self.record(Event::VerdictImported(VerdictImported { name: excerpt(name), said: said.clone() }));
    }

    /// Something that should be known; once.
    pub fn note(&mut self, note: &str) {
        if !self.notes.iter().any(|it| it == note) && self.notes.len() < TOLD {
            self.notes.push(note.to_owned());
        }
    }

    /// The events so far, each with its time if the file has any. What came before the first time that the file tells
    /// has that one.
    pub fn into_events(self) -> Vec<(Event, Option<DateTime<Utc>>)> {
        let first = self.events.iter().find_map(|(_, at)| *at);
        self.events.into_iter().map(|(event, at)| (event, at.or(first))).collect()
    }
}

/// The first characters of a foreign name.
pub fn excerpt(text: &str) -> String {
    text.chars().take(64).collect()
}
