//! Rounds of a blackboard debate: who is asked, when the clerk reads, and when tables are measured.

use crate::engines::blackboard::blackboard::{Blackboard, Stage, TurnResult, entered};
use crate::engines::blackboard::board::Board;
use crate::engines::blackboard::convergence::{ConvergenceRules, MeasuredTable, measure};
use crate::engines::blackboard::intents;
use crate::engines::blackboard::requests::{INTENT, STANCE};
use crate::engines::blackboard::seating;
use crate::engines::blackboard::speaking_order::SpeakingOrder;
use crate::engines::talk::dispute_clerk::clerk_steps::ClerkSteps;
use crate::engines::talk::state::TURN;
use crate::events::channel::FloorGiven;
use crate::events::event::Event;
use crate::events::ids::PersonaId;
use crate::events::lifecycle::DebateOutcome;
use crate::events::persona::Persona;
use crate::events::table::{ConvergenceMeasured, IntendedAction, IntentStated, TableSeated, TableState};
use crate::kernel::effect::{Effect, effect_key};
use crate::kernel::engine::Plan;
use crate::projections::tables::Table;

/// Number of quiet rounds in a row that end a table at which one speaks a round.
const MOST_QUIET: u32 = 3;

impl Blackboard {
    /// Returns the next step of a round.
    pub(super) fn round(&self, stage: Stage) -> Plan {
        if let Some(seated) = self.seat_due(stage) {
            return Plan::Record(vec![seated]);
        }
        let floors: Vec<Event> = self.open().filter_map(|table| self.floor_due(stage, table)).collect();
        if !floors.is_empty() {
            return Plan::Record(floors);
        }
        let stances = self.stances_due();
        if !stances.is_empty() {
            return Plan::Ask(stances);
        }
        let tables = self.open().filter(|table| stage != Stage::Stances && !self.is_measured(table));
        let asked: Vec<Effect> = tables.flat_map(|table| self.due_at(table)).collect();
        if !asked.is_empty() {
            return Plan::Ask(asked);
        }
        if self.speakers().count() < 2 {
            let reason = "fewer than two participants took first stances".to_owned();
            return Plan::Conclude(DebateOutcome::Stalled { reason });
        }
        if self.is_distillation_due(stage) {
            return Plan::Ask(vec![self.clerk_steps().distillation()]);
        }
        let measured: Vec<ConvergenceMeasured> =
            self.open().filter(|table| !self.is_measured(table)).map(|table| self.measured(table)).collect();
        if measured.is_empty() {
            return self.after(stage);
        }
        // No table ends before its turns were read.
        if measured.iter().any(|it| it.state != TableState::Open) && self.clerk_steps().has_unread() {
            return Plan::Ask(vec![self.clerk_steps().distillation()]);
        }
        Plan::Record(measured.into_iter().map(Event::ConvergenceMeasured).collect())
    }

    /// Returns the event that gives participants a seat who have none, because they joined with a fork: at the smallest table.
    fn seat_due(&self, stage: Stage) -> Option<Event> {
        let has_seat = |speaker: &&Persona| self.tables.of(&speaker.id).is_some();
        let new: Vec<PersonaId> = self.speakers().filter(|it| !has_seat(it)).map(|it| it.id.clone()).collect();
        if stage == Stage::FinalTable || new.is_empty() {
            return None;
        }
        let smallest = self.open().min_by_key(|table| self.seated(table).count())?;
        let names: Vec<&str> = new.iter().map(PersonaId::as_str).collect();
        let reason = format!("{} joined table {}", names.join(", "), smallest.seated.table);
        // All move, so that the former table is out of use: also those who left, or whose first stances could not be had.
        let participants = [smallest.seated.participants.clone(), new].concat();
        let (table, disputes, is_final) = (self.tables.next_table(), Vec::new(), false);
        Some(Event::TableSeated(TableSeated { table, participants, disputes, is_final, reason }))
    }

    /// Returns the step after a round in which all tables were measured.
    fn after(&self, stage: Stage) -> Plan {
        if !self.is_ending(stage) {
            let next = if stage == Stage::Stances { Stage::Rounds } else { stage };
            return Plan::Record(vec![entered(next, Some(self.round + 1), None)]);
        }
        if let Some(events) = self.final_table(stage) {
            return Plan::Record(events);
        }
        self.close(stage)
    }

    /// Returns the next step of the closing phase. Once all last words are said, the clerk reads them, and compares the reasons.
    pub(super) fn close(&self, stage: Stage) -> Plan {
        let outcome = self.outcome(stage);
        let plan = self.closing.plan(outcome, self.speakers(), |speaker, asked| asked.effect(&self.before, speaker));
        self.clerk_steps().before_end(plan)
    }

    /// Returns the clerk, with the talk that it reads.
    pub(super) fn clerk_steps(&self) -> ClerkSteps<'_> {
        let most_distilled = self.talk.options.most_distilled as usize;
        ClerkSteps { talk: &self.talk, clerk: &self.clerk, most_distilled }
    }

    /// Returns the tables in use that go on.
    pub(super) fn open(&self) -> impl Iterator<Item = &Table> {
        self.tables.in_use().filter(|table| table.state() == TableState::Open)
    }

    /// Returns the number of the last round of a stage.
    pub(super) fn last_round(&self, stage: Stage) -> u32 {
        match stage {
            Stage::FinalTable => self.final_after.saturating_add(self.options.final_rounds),
            _ => self.options.rounds,
        }
    }

    /// Returns true if no round follows in this stage.
    pub(super) fn is_ending(&self, stage: Stage) -> bool {
        self.round >= self.last_round(stage) || self.open().next().is_none()
    }

    fn is_measured(&self, table: &Table) -> bool {
        table.measured.last().is_some_and(|latest| latest.measured.round == self.round)
    }

    fn stances_due(&self) -> Vec<Effect> {
        let missing = self.speakers().filter(|speaker| self.talk.is_missing(&effect_key(STANCE, &speaker.id, 0)));
        missing.map(|speaker| self.requests().stances(speaker)).collect()
    }

    /// Returns the requests that a table waits for.
    fn due_at<'a>(&'a self, table: &'a Table) -> Vec<Effect> {
        let is_missing =
            |purpose: &str, speaker: &Persona| self.talk.is_missing(&effect_key(purpose, &speaker.id, self.round));
        let (requests, round) = (self.requests(), self.round);
        let turns = |speaker: &&Persona| is_missing(TURN, speaker);
        match self.order {
            SpeakingOrder::AllAtOnce => {
                self.seated(table).filter(turns).map(|speaker| requests.turn(table, speaker, round)).collect()
            }
            SpeakingOrder::ByUrgency => {
                let intents = self.seated(table).filter(|speaker| is_missing(INTENT, speaker));
                let intents: Vec<Effect> = intents.map(|speaker| requests.intent(table, speaker, round)).collect();
                if !intents.is_empty() {
                    return intents;
                }
                let holder = self.seated(table).filter(|speaker| self.floor.contains(&speaker.id));
                holder.filter(turns).map(|speaker| requests.turn(table, speaker, round)).collect()
            }
        }
    }

    /// Returns the event that gives somebody at a table the floor, once all intents of the round are in.
    fn floor_due(&self, stage: Stage, table: &Table) -> Option<Event> {
        let is_by_urgency =
            self.order == SpeakingOrder::ByUrgency && matches!(stage, Stage::Rounds | Stage::FinalTable);
        let is_given = self.seated(table).any(|speaker| self.floor.contains(&speaker.id));
        let is_missing = |speaker: &Persona| self.talk.is_missing(&effect_key(INTENT, &speaker.id, self.round));
        if !is_by_urgency || is_given || self.is_measured(table) || self.seated(table).any(is_missing) {
            return None;
        }
        let n_turns = |speaker: &PersonaId| {
            let turns = table.turns.iter().filter_map(|turn| self.talk.transcript.get(*turn));
            turns.filter(|turn| turn.speaker.as_ref() == Some(speaker)).count()
        };
        let mut stated: Vec<(&IntentStated, usize)> =
            self.intents(table).map(|stated| (stated, n_turns(&stated.speaker))).collect();
        let order = |speaker: &PersonaId| table.seated.participants.iter().position(|seated| seated == speaker);
        stated.sort_by_key(|(stated, _)| order(&stated.speaker));
        // A speaker who had the floor in vain lets the others speak first.
        let others = stated
            .iter()
            .filter(|(stated, _)| !self.yielding.contains_key(&stated.speaker))
            .copied()
            .collect::<Vec<_>>();
        let chosen = intents::most_urgent(&others).or_else(|| intents::most_urgent(&stated))?;
        let (speaker, reason) = (chosen.speaker.clone(), intents::reason(chosen));
        Some(Event::FloorGiven(FloorGiven { speaker, room: None, reason, attention: None }))
    }

    /// Returns the intents stated at a table in the present round.
    fn intents<'a>(&'a self, table: &'a Table) -> impl Iterator<Item = &'a IntentStated> {
        table.intents.iter().map(|intent| &intent.stated).filter(|stated| stated.round == self.round)
    }

    fn is_distillation_due(&self, stage: Stage) -> bool {
        let reads_all = self.order == SpeakingOrder::AllAtOnce || stage == Stage::Stances || self.is_ending(stage);
        if reads_all {
            return self.clerk_steps().has_unread();
        }
        self.talk.pending().len() >= self.speakers().count()
    }

    fn measured(&self, table: &Table) -> ConvergenceMeasured {
        let (is_heard, silence) = (self.is_heard_in_round(table), self.silence(table));
        self.measures(table, is_heard, silence)
    }

    /// Measures a table. Nobody has spoken at a table that is being seated: it goes on, whatever happened in the round.
    fn measures(&self, table: &Table, is_heard: bool, silence: Option<String>) -> ConvergenceMeasured {
        let number = table.seated.table;
        let is_present = |id: &&PersonaId| self.talk.participants.iter().any(|participant| participant.id == **id);
        let seated: Vec<&PersonaId> = table.seated.participants.iter().filter(is_present).collect();
        let disputes: Vec<_> = Board { talk: &self.talk, table: Some(table) }.disputes().collect();
        let was_heard = |it: &&ConvergenceMeasured| !self.unheard.contains(&(number, it.round));
        let before: Vec<&ConvergenceMeasured> =
            table.measured.iter().map(|it| &it.measured).filter(was_heard).collect();
        let rounds = self.options.stable as usize;
        let stable = if self.order == SpeakingOrder::ByUrgency { rounds * seated.len() } else { rounds };
        let at = MeasuredTable {
            table: number,
            round: self.round,
            seated: &seated,
            disputes: &disputes,
            before: &before,
            new_points: self.points.get(&number).copied().unwrap_or_default(),
            moved: self.moves.get(&number).copied().unwrap_or_default(),
            is_heard,
            silence,
        };
        measure(&at, ConvergenceRules { converged: self.options.converged, stable })
    }

    /// Returns the reason for which nobody at a table speaks any more; `None` if somebody may.
    fn silence(&self, table: &Table) -> Option<String> {
        if self.seated(table).count() < 2 {
            return Some("fewer than two participants are left at the table".to_owned());
        }
        let n_quiet = self.quiet.get(&table.seated.table).copied().unwrap_or_default() + 1;
        match self.order {
            _ if !self.is_quiet(table) => None,
            SpeakingOrder::AllAtOnce => Some(format!("nobody had anything new to say in round {}", self.round)),
            SpeakingOrder::ByUrgency => (n_quiet >= MOST_QUIET)
                .then(|| format!("nobody wanted to speak, or had anything new to say, {n_quiet} times in a row")),
        }
    }

    /// Returns true if everybody at a table was asked in this round, and nobody had anything to say. Silence caused by failures is
    /// no sign of that.
    fn is_quiet(&self, table: &Table) -> bool {
        let has_nothing_new = |speaker: &Persona| self.result(speaker) == Some(TurnResult::NothingNew);
        match self.order {
            _ if self.round == 0 => false,
            SpeakingOrder::AllAtOnce => self.seated(table).all(has_nothing_new),
            SpeakingOrder::ByUrgency => {
                let wants = |stated: &IntentStated| stated.action != IntendedAction::Listen;
                let has_passed = |speaker: &PersonaId| self.yielding.get(speaker) == Some(&TurnResult::NothingNew);
                let mut waiting = self
                    .intents(table)
                    .filter(|it| wants(it) && !has_passed(&it.speaker) && !self.floor.contains(&it.speaker));
                let all_were_asked = self.intents(table).count() >= self.seated(table).count();
                all_were_asked && waiting.next().is_none() && self.holder(table).is_none_or(has_nothing_new)
            }
        }
    }

    /// Returns true if somebody at a table answered in this round: with a turn, a skip, or the wish to listen.
    fn is_heard_in_round(&self, table: &Table) -> bool {
        let is_heard = |speaker: &Persona| self.result(speaker).is_some_and(|result| result != TurnResult::Failed);
        let is_quiet = self.holder(table).is_none() && self.intents(table).next().is_some();
        self.round == 0 || is_quiet || self.seated(table).any(is_heard)
    }

    fn result(&self, speaker: &Persona) -> Option<TurnResult> {
        self.results.get(&speaker.id).copied()
    }

    /// Returns who has the floor at a table in this round.
    fn holder<'a>(&'a self, table: &'a Table) -> Option<&'a Persona> {
        self.seated(table).find(|speaker| self.floor.contains(&speaker.id))
    }

    /// Notes what a round was like that has ended: quiet or not, heard or not, and who passed.
    pub(super) fn note_round(&mut self, measured: &ConvergenceMeasured) {
        let number = measured.table;
        self.points.remove(&number);
        self.moves.remove(&number);
        let Some(table) = self.tables.table(number).filter(|_| measured.round == self.round) else { return };
        let (is_quiet, is_heard) = (self.is_quiet(table), self.is_heard_in_round(table));
        let holder = self.holder(table).map(|speaker| (speaker.id.clone(), self.result(speaker)));
        let seated = table.seated.participants.clone();
        let count = self.quiet.entry(number).or_default();
        *count = if is_quiet { *count + 1 } else { 0 };
        if !is_heard {
            self.unheard.insert((number, measured.round));
        }
        match holder {
            Some((_, Some(TurnResult::Spoke))) => self.yielding.retain(|speaker, _| !seated.contains(speaker)),
            Some((speaker, Some(result))) => drop(self.yielding.insert(speaker, result)),
            _ => {}
        }
    }

    /// Seats the final table, if several tables are done and some dispute divides the participants.
    fn final_table(&self, stage: Stage) -> Option<Vec<Event>> {
        if stage == Stage::FinalTable || self.tables.in_use().count() < 2 || self.options.final_rounds == 0 {
            return None;
        }
        let speakers: Vec<PersonaId> = self.speakers().map(|speaker| speaker.id.clone()).collect();
        let disputes = seating::dividing(self.talk.disputes.not_retired(), &speakers, self.options.focus as usize);
        let known: Vec<_> = disputes.iter().filter_map(|id| self.talk.disputes.disputes.get(id)).collect();
        let participants = seating::representatives(&known, &speakers);
        if participants.len() < 2 {
            return None;
        }
        let names: Vec<String> = disputes.iter().map(ToString::to_string).collect();
        let (table, names) = (self.tables.next_table(), names.join(", "));
        let reason = format!(
            "the questions most evenly divided between yes and no are {names}; for each in turn, one yes and one no \
             get a seat, the surest first where confidence was stated, five in all at most"
        );
        let seated = TableSeated { table, participants, disputes, is_final: true, reason };
        let merged = format!("{} tables are done", self.tables.in_use().count());
        // Later rounds are compared with the stances at the seating.
        let (version, at) = (0, chrono::DateTime::UNIX_EPOCH);
        let (turns, intents, measured) = (Vec::new(), Vec::new(), Vec::new());
        let new = Table { seated: seated.clone(), turns, intents, measured, version, at };
        let measured = self.measures(&new, false, None);
        let reason = match measured.state {
            TableState::Open => measured.reason.clone(),
            _ => "nobody has spoken there".to_owned(),
        };
        let measured = ConvergenceMeasured { state: TableState::Open, reason, ..measured };
        let next = entered(Stage::FinalTable, Some(self.round + 1), Some(merged));
        Some(vec![next, Event::TableSeated(seated), Event::ConvergenceMeasured(measured)])
    }
}
