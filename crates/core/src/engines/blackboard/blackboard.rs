//! Blackboard debates: the topic is decomposed into questions, and tables debate them in rounds.
//!
//! ```text
//! decomposition   a clerk decomposes the topic into up to four questions; each becomes a dispute
//! stances         everybody: a stance on the topic and on each question, with confidence          (concurrently)
//! round r         at each table, everybody speaks at once, or whoever wants it most                (tables concurrently)
//!                 a clerk distils the turns; the stances of each table are measured
//!                 a table ends when it has converged or diverged, or when nobody has anything new to say
//! final table     with several tables: representatives of both sides take up what divides the tables
//! closing         everybody: last words, and an answer to the crux that they agreed on
//! ```
//!
//! The requests of a round are made from the state at its start. The board that they show is the fold of the log; no model
//! summarizes it. Which disputes the turns raise beyond those of the decomposition, and which reasons and concessions they
//! contain, is read by the clerk of the disputes engine. Measures are defined in
//! [`crate::engines::blackboard::convergence`], seats in [`crate::engines::blackboard::seating`].
//!
//! A participant who joins with a fork gets a seat at the smallest table.
//!
//! For n participants and r rounds, those of the final table included, there are at most `1 + 3n + r(n + 1)` effects if all
//! speak at once, and `1 + 3n + r(n + t + 1)` with t tables if one speaks at each, besides at most as many readings of the
//! clerk as there are windows of turns, four comparisons, and repetitions.

use std::collections::{BTreeMap, BTreeSet};

use crate::engines::blackboard::decomposition;
use crate::engines::blackboard::intents;
use crate::engines::blackboard::requests::{BlackboardRequests, DECOMPOSE, INTENT, STANCE};
use crate::engines::blackboard::schema::{DecompositionReply, StancesReply};
use crate::engines::blackboard::seating;
use crate::engines::blackboard::settings::BlackboardOptions;
use crate::engines::blackboard::speaking_order::SpeakingOrder;
use crate::engines::closing::closing_phase::ClosingPhase;
use crate::engines::talk::dispute_clerk::clerk_steps::CLERK;
use crate::engines::talk::dispute_clerk::dispute_clerk::DisputeClerk;
use crate::engines::talk::question_matching::QuestionMatcher;
use crate::engines::talk::replies::decode;
use crate::engines::talk::replies::decode::TalkContext;
use crate::engines::talk::replies::schema::{MoveMade, MoveReply, TurnReply};
use crate::engines::talk::rooms::messages;
use crate::engines::talk::state::{COMPARE, TOPIC, TURN, Talk};
use crate::engines::talk::talk::Distiller;
use crate::events::dispute::{DisputeRaised, StanceTaken};
use crate::events::event::{Event, Recorded};
use crate::events::ids::PersonaId;
use crate::events::lifecycle::{DebateOpened, PhaseEntered};
use crate::events::persona::Persona;
use crate::events::receipt::{CRYSTALLIZE, EffectKey};
use crate::events::table::TableSeated;
use crate::kernel::effect::effect_key;
use crate::kernel::engine::{Engine, EngineReply, Plan};
use crate::kernel::reply;
use crate::kernel::reply::Unreadable;
use crate::projections::projection::Projection;
use crate::projections::tables::{Table, Tables};
use crate::projections::transcript::Turn;

/// Stage of a blackboard debate before its closing phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The topic is decomposed.
    Decomposition,
    /// First stances.
    Stances,
    /// Rounds at the first tables.
    Rounds,
    /// Rounds at the final table.
    FinalTable,
}

impl Stage {
    /// Name of its phase in the log.
    pub(super) fn phase(self) -> &'static str {
        match self {
            Stage::Decomposition => "decomposition",
            Stage::Stances => "stances",
            Stage::Rounds => "tables",
            Stage::FinalTable => "final_table",
        }
    }

    fn named(name: &str) -> Option<Stage> {
        let all = [Stage::Decomposition, Stage::Stances, Stage::Rounds, Stage::FinalTable];
        all.into_iter().find(|stage| stage.phase() == name)
    }
}

/// Result of asking a participant for a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TurnResult {
    /// A turn.
    Spoke,
    /// Nothing new to say: a skip, or replies that only repeated turns.
    NothingNew,
    /// The call was abandoned.
    Failed,
}

/// State of a blackboard debate.
pub struct Blackboard {
    pub(super) options: BlackboardOptions,
    pub(super) order: SpeakingOrder,
    pub(super) clerk: DisputeClerk,
    pub(super) talk: Talk,
    /// The talk at the start of the present round, as shown to its speakers.
    pub(super) before: Talk,
    pub(super) tables: Tables,
    pub(super) closing: ClosingPhase,
    /// The present stage; `None` before the first.
    pub(super) stage: Option<Stage>,
    /// The present round; 0 before the first.
    pub(super) round: u32,
    /// The last round before the final table.
    pub(super) final_after: u32,
    /// True in the closing phase.
    is_closing: bool,
    /// Participants whose first stances could not be had: they take no part.
    absent: BTreeSet<PersonaId>,
    /// Results of the turns asked for in the present round.
    pub(super) results: BTreeMap<PersonaId, TurnResult>,
    /// Participants who were given the floor in the present round.
    pub(super) floor: Vec<PersonaId>,
    /// Number of quiet rounds in a row, by table.
    pub(super) quiet: BTreeMap<u32, u32>,
    /// Participants who had the floor in vain, with the result, until somebody at their table speaks.
    pub(super) yielding: BTreeMap<PersonaId, TurnResult>,
    /// Rounds in which nobody at a table was heard, because the calls failed: table and round.
    pub(super) unheard: BTreeSet<(u32, u32)>,
    /// Number of points raised since the last measurement, by table.
    pub(super) points: BTreeMap<u32, u32>,
    /// Number of changes of sides since the last measurement, by table.
    pub(super) moves: BTreeMap<u32, u32>,
}

impl Engine for Blackboard {
    fn evolve(&mut self, recorded: &Recorded) {
        if let Event::ConvergenceMeasured(measured) = &recorded.event {
            self.note_round(measured);
        }
        if let Event::StanceTaken(taken) = &recorded.event {
            self.note_stance(taken);
        }
        self.talk.evolve(recorded);
        self.closing.evolve(recorded);
        self.note(&recorded.event);
        self.tables.apply(recorded);
        if let Event::PhaseEntered(entered) = &recorded.event {
            self.is_closing = ClosingPhase::is_entered_by(entered);
            if let Some(stage) = Stage::named(&entered.phase) {
                self.enter(stage, entered.round.unwrap_or(0));
            }
        }
    }

    fn plan(&self) -> Plan {
        match self.stage {
            None => Plan::Record(vec![
                entered(Stage::Decomposition, None, None),
                Event::DisputeRaised(DisputeRaised::bare(TOPIC, self.talk.topic.clone(), true)),
            ]),
            Some(Stage::Decomposition) => self.decompose(),
            Some(stage) if self.is_closing && self.is_ending(stage) => self.close(stage),
            // A fork with more rounds continues after last words.
            Some(stage) if self.is_closing => {
                let next = if stage == Stage::Stances { Stage::Rounds } else { stage };
                Plan::Record(vec![entered(next, Some(self.round + 1), None)])
            }
            Some(stage) => self.round(stage),
        }
    }

    fn decide(&self, key: &EffectKey, reply: &EngineReply) -> Result<Vec<Event>, Unreadable> {
        match (key.purpose.as_str(), self.participant(&key.subject)) {
            (DECOMPOSE, _) => {
                let same = QuestionMatcher { words: self.options.alike, likeness: reply.likeness };
                let read = reply::read::<DecompositionReply>(reply.text)?.value;
                decomposition::decomposed(&self.talk, read, self.options.questions as usize, same)
            }
            (INTENT, Some(speaker)) => {
                let stated = intents::stated(&speaker.id, key.ordinal, reply::read(reply.text)?.value)?;
                Ok(vec![stated])
            }
            (STANCE | TURN, Some(speaker)) => self.spoken(key, &speaker.id, reply),
            (_, Some(speaker)) if ClosingPhase::owns(key) => self.closing.decide(key, &speaker.id, self.round, reply),
            (CRYSTALLIZE, _) => self.clerk.crystallized(&self.talk, &self.clerk_steps().window(), reply),
            (COMPARE, _) => self.clerk.compared(&self.talk, reply.text),
            _ => Err(Unreadable::because(format!("{key} is not an effect of this engine"))),
        }
    }

    fn similarity_inputs(&self, key: &EffectKey, text: &str) -> Vec<String> {
        match key.purpose.as_str() {
            CRYSTALLIZE => self.clerk.similarity_inputs(&self.talk, text),
            DECOMPOSE => {
                let asked = reply::read::<DecompositionReply>(text).map(|reply| reply.value.questions);
                let asked = asked.unwrap_or_default().into_iter().map(|it| it.question.trim().to_owned());
                asked.chain([self.talk.topic.clone()]).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Blackboard {
    /// Creates the engine for an opened debate.
    pub fn new(opened: &DebateOpened, options: BlackboardOptions, order: SpeakingOrder) -> Blackboard {
        let talk = Talk::new(opened, options.talk());
        Blackboard {
            order,
            clerk: DisputeClerk { options: options.clerk() },
            before: talk.clone(),
            talk,
            tables: Tables::default(),
            closing: ClosingPhase::new(opened, TOPIC),
            stage: None,
            round: 0,
            final_after: 0,
            is_closing: false,
            absent: BTreeSet::new(),
            results: BTreeMap::new(),
            floor: Vec::new(),
            quiet: BTreeMap::new(),
            yielding: BTreeMap::new(),
            unheard: BTreeSet::new(),
            points: BTreeMap::new(),
            moves: BTreeMap::new(),
            options,
        }
    }

    fn enter(&mut self, stage: Stage, round: u32) {
        if stage == Stage::FinalTable && self.stage != Some(Stage::FinalTable) {
            self.final_after = self.round;
        }
        (self.stage, self.round) = (Some(stage), round);
        self.before = self.talk.clone();
        self.results.clear();
        self.floor.clear();
    }

    /// Notes who spoke, who has the floor, and which points were raised.
    fn note(&mut self, event: &Event) {
        match event {
            Event::TurnTaken(taken) if taken.round == Some(self.round) => {
                self.results.insert(taken.speaker.clone(), TurnResult::Spoke);
            }
            Event::TurnSkipped(skipped) => {
                self.results.insert(skipped.speaker.clone(), TurnResult::NothingNew);
            }
            Event::FloorGiven(given) => self.floor.push(given.speaker.clone()),
            Event::CruxProposed(proposed) => self.add_point(&proposed.speaker.clone()),
            Event::DisputeRaised(raised) => {
                let speaker = raised.turns.iter().find_map(|turn| self.talk.transcript.get(*turn)?.speaker.clone());
                if let Some(speaker) = speaker {
                    self.add_point(&speaker);
                }
            }
            Event::EffectAbandoned(it) => self.note_abandoned(&it.key),
            _ => {}
        }
    }

    /// Counts a stance as a change of sides, if its speaker was on another side.
    fn note_stance(&mut self, taken: &StanceTaken) {
        let before = self.talk.disputes.disputes.get(&taken.dispute).and_then(|it| it.stances.get(&taken.speaker));
        let has_moved = before.is_some_and(|held| held.side != taken.side);
        if let Some(table) = self.tables.of(&taken.speaker).filter(|_| has_moved) {
            *self.moves.entry(table.seated.table).or_default() += 1;
        }
    }

    fn note_abandoned(&mut self, key: &EffectKey) {
        let Some(speaker) = self.participant(&key.subject).map(|speaker| speaker.id.clone()) else { return };
        match key.purpose.as_str() {
            STANCE => drop(self.absent.insert(speaker)),
            TURN => {
                let is_echo = self.talk.slots.last().is_some_and(|slot| slot.is_echo);
                let result = if is_echo { TurnResult::NothingNew } else { TurnResult::Failed };
                self.results.insert(speaker, result);
            }
            _ => {}
        }
    }

    fn add_point(&mut self, speaker: &PersonaId) {
        if let Some(table) = self.tables.of(speaker) {
            *self.points.entry(table.seated.table).or_default() += 1;
        }
    }

    fn participant(&self, subject: &str) -> Option<&Persona> {
        self.talk.participants.iter().find(|persona| persona.id.as_str() == subject)
    }

    /// Returns the participants who take part: all but those whose first stances could not be had.
    pub(super) fn speakers(&self) -> impl Iterator<Item = &Persona> {
        self.talk.participants.iter().filter(|participant| !self.absent.contains(&participant.id))
    }

    /// Returns those who sit at a table and whose first stances could be had.
    pub(super) fn seated<'a>(&'a self, table: &'a Table) -> impl Iterator<Item = &'a Persona> {
        self.speakers().filter(|speaker| table.seated.participants.contains(&speaker.id))
    }

    /// Returns the requests of the present round.
    pub(super) fn requests(&self) -> BlackboardRequests<'_> {
        BlackboardRequests { talk: &self.before, order: self.order }
    }

    /// Decomposes the topic; if that fails, the topic alone is debated.
    fn decompose(&self) -> Plan {
        if self.talk.is_missing(&effect_key(DECOMPOSE, CLERK, 0)) {
            return Plan::Ask(vec![self.requests().decomposition(self.options.questions)]);
        }
        let all: Vec<PersonaId> = self.talk.participants.iter().map(|participant| participant.id.clone()).collect();
        let tables = seating::tables(&all, self.options.table_size as usize, self.talk.seed);
        let reason = match tables.len() {
            1 => "all sit together".to_owned(),
            n => format!("{} participants at {n} tables, drawn by the seed", all.len()),
        };
        let seated = (1..).zip(tables).map(|(table, participants)| {
            let (disputes, is_final, reason) = (Vec::new(), false, reason.clone());
            Event::TableSeated(TableSeated { table, participants, disputes, is_final, reason })
        });
        Plan::Record(std::iter::once(entered(Stage::Stances, None, None)).chain(seated).collect())
    }

    /// Decodes first stances, or a turn at a table.
    fn spoken(&self, key: &EffectKey, speaker: &PersonaId, reply: &EngineReply) -> Result<Vec<Event>, Unreadable> {
        // Nobody answers, repeats or agrees with what they have not heard: what was said at the same moment, or elsewhere.
        let before = self.before.transcript.next_turn();
        let heard = self.talk.heard(|turn| turn.turn < before && self.is_heard(speaker, turn));
        let turn = self.talk.transcript.next_turn();
        let at = TalkContext { talk: &heard, turn, speaker, grounds: &reply.grounds, room: None };
        let mut facts = if key.purpose == STANCE {
            let StancesReply { text, stances, passages } = reply::read(reply.text)?.value;
            let claim = MoveReply { words: None, kind: MoveMade::Claim };
            decode::said(&at, TurnReply { stances, passages, ..TurnReply::only(text, claim) })?
        } else {
            messages::message(&at, reply.text)?
        };
        for fact in &mut facts {
            if let Event::TurnTaken(taken) = fact {
                taken.round = Some(key.ordinal);
            }
        }
        Ok(facts)
    }

    /// Returns true if a turn was said by somebody who sits at the same table as the speaker, or by the moderator.
    fn is_heard(&self, speaker: &PersonaId, turn: &Turn) -> bool {
        let table = self.tables.of(speaker);
        let author = turn.speaker.as_ref();
        author.zip(table).is_none_or(|(author, table)| table.seated.participants.contains(author))
    }
}

/// Returns the event that enters a stage.
pub(super) fn entered(stage: Stage, round: Option<u32>, reason: Option<String>) -> Event {
    Event::PhaseEntered(PhaseEntered::new(stage.phase(), round, reason))
}
