//! Inspection of logs: numbering, references, sizes, stored form and end of a debate.

use std::collections::{BTreeMap, BTreeSet};

use faultline_core::events::channel::RoomAspectsNamed;
use faultline_core::events::checks::check::CheckVerdict;
use faultline_core::events::distillation::Comparison;
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::{CheckId, DisputeId, PersonaId, PointId, ReasonId};
use faultline_core::events::receipt::EffectKey;
use faultline_core::events::wire;
use faultline_core::verdicts::read_model::DebateReadModel;

use crate::laws::support::short;
use crate::rehearsal::Log;

/// Checks what holds for every debate that has ended.
pub fn assert_sound(what: &str, log: &Log) {
    let mut seen = Inspection::default();
    log.0.iter().for_each(|recorded| seen.see(recorded));
    let faults = [seen.faults.clone(), seen.faults_at_end()].concat();
    assert!(faults.is_empty(), "{}:\n{}\n{}", short(what), faults.join("\n"), short(&log.lines()));
}

/// Greatest size in the log, in bytes, of a fact derived from one reply.
const MAX_FACT_BYTES: usize = 50_000;

/// Inspection of a log, event by event.
#[derive(Clone, Default)]
pub struct Inspection {
    read_model: DebateReadModel,
    requests: BTreeMap<EffectKey, u32>,
    /// Latest number given with each letter.
    numbers: BTreeMap<&'static str, u32>,
    n_ends: usize,
    pub faults: Vec<String>,
}

impl Inspection {
    /// Inspects the next event.
    pub fn see(&mut self, recorded: &Recorded) {
        let (version, event) = (recorded.version, &recorded.event);
        if version != self.read_model.summary.version + 1 {
            self.faults.push(format!("version {version} follows {}", self.read_model.summary.version));
        }
        if self.n_ends > 0 {
            self.faults.push(format!("event {version} follows the end"));
        }
        for (letter, number) in named(event) {
            let last = self.numbers.insert(letter, number).unwrap_or(0);
            if number != last + 1 {
                self.faults.push(format!("{letter}{number} follows {letter}{last}"));
            }
        }
        let stored = wire::encode(event);
        if wire::decode(&stored.kind, stored.schema, &stored.body).ok().as_ref() != Some(event) {
            self.faults.push(format!("event {version} does not read back"));
        }
        match event {
            Event::EffectRequested(it) => *self.requests.entry(it.key.clone()).or_default() += 1,
            Event::EffectAnswered(_) | Event::EffectFailed(_) => {}
            _ if stored.body.len() > MAX_FACT_BYTES => {
                self.faults.push(format!("event {version}, a {}, has {} bytes", event.kind(), stored.body.len()));
            }
            Event::DebateConcluded(_) => self.n_ends += 1,
            _ => {}
        }
        self.faults.extend(dangling(event, &self.read_model));
        self.read_model.apply(recorded);
    }

    fn faults_at_end(&self) -> Vec<String> {
        let attempts = self.read_model.summary.limits.attempts;
        let too_often = self.requests.iter().filter(|(_, n)| **n > attempts);
        let mut faults: Vec<String> = too_often.map(|(key, n)| format!("{key} was asked {n} times")).collect();
        if self.n_ends != 1 {
            faults.push(format!("{} ends", self.n_ends));
        }
        faults
    }
}

/// Returns the names that an event introduces.
fn named(event: &Event) -> Vec<(&'static str, u32)> {
    match event {
        Event::TurnTaken(it) => vec![("t", it.turn.0)],
        Event::Interjected(it) => vec![("t", it.turn.0)],
        Event::ArgumentAdvanced(it) => vec![("a", it.argument.0)],
        Event::AttackRaised(it) => vec![("k", it.attack.0)],
        Event::DisputeRaised(it) => vec![("d", it.dispute.0)],
        Event::ReasonGiven(it) => vec![("r", it.reason.0)],
        Event::CruxProposed(it) => vec![("c", it.crux.0)],
        Event::RoomOpened(it) => vec![("m", it.room.0)],
        Event::ClaimsExtracted(it) => it.claims.iter().map(|claim| ("f", claim.check.0)).collect(),
        Event::TurnDrafted(it) => vec![("w", it.draft.0)],
        Event::ProposalDrafted(it) => vec![("p", it.proposal.0)],
        Event::ProposalSynthesized(it) => vec![("p", it.proposal.0)],
        Event::ProposalCriticized(it) => it.issues.iter().map(|criticism| ("i", criticism.issue.0)).collect(),
        _ => vec![],
    }
}

/// Returns true if the aspects of an open room are named once, and each is another dispute besides the topic and its question.
fn are_narrower(it: &RoomAspectsNamed, before: &DebateReadModel) -> bool {
    let Some(room) = before.rooms.rooms.get(&it.room) else { return false };
    let is_narrower = |id: &DisputeId| {
        let dispute = before.disputes.disputes.get(id);
        room.opened.dispute != Some(*id) && dispute.is_some_and(|dispute| !dispute.is_topic)
    };
    let named: BTreeSet<DisputeId> = it.aspects.iter().map(|aspect| aspect.dispute).collect();
    let is_first = room.closed.is_none() && room.aspects.is_none() && room.stages.is_empty();
    is_first && named.len() == it.aspects.len() && named.iter().all(is_narrower)
}

/// Returns a reference of an event to something that did not exist before it.
fn dangling(event: &Event, before: &DebateReadModel) -> Option<String> {
    let own = |turn, speaker: &PersonaId| before.transcript.speaker(turn) == Some(speaker);
    let graph = &before.arguments;
    let mine =
        |turn, argument| graph.is_live(argument) && graph.speaker(argument).is_some_and(|speaker| own(turn, speaker));
    let counted = |dispute| before.disputes.not_retired().any(|(id, _)| id == dispute);
    let stands = match event {
        Event::TurnTaken(it) => {
            let inside = |room| before.rooms.rooms.get(&room).is_some_and(|room| room.closed.is_none());
            it.answers.is_none_or(|turn| before.transcript.get(turn).is_some()) && it.room.is_none_or(inside)
        }
        Event::ArgumentAdvanced(it) => own(it.turn, &it.speaker),
        Event::AttackRaised(it) => {
            let source = graph.arguments.get(&it.source);
            let carried =
                source.is_some_and(|source| source.advanced.carries.is_none_or(|carried| carried == it.attack));
            let others = graph.speaker(it.target).is_some_and(|whose| *whose != it.speaker);
            own(it.turn, &it.speaker) && carried && others && graph.component_text(it.target, it.component).is_some()
        }
        Event::AttackJudged(it) => graph.attacks.get(&it.attack).is_some_and(|attack| {
            let hit = it.component.is_none_or(|part| graph.component_text(attack.raised.target, part).is_some());
            attack.judged.is_none() && hit && (0.0..=1.0).contains(&it.strength)
        }),
        Event::ArgumentRevised(it) => mine(it.turn, it.argument),
        Event::ArgumentWithdrawn(it) => {
            let replaced =
                |by| graph.is_live(by) && graph.speaker(by) == graph.speaker(it.argument) && by != it.argument;
            mine(it.turn, it.argument) && it.superseded_by.is_none_or(replaced)
        }
        Event::AttackWithdrawn(it) => {
            before.transcript.get(it.turn).is_some() && graph.active().any(|(id, _)| id == it.attack)
        }
        Event::ConcessionMade(it) => own(it.turn, &it.speaker) && !it.what.is_empty(),
        Event::StanceTaken(it) => own(it.turn, &it.speaker) && counted(it.dispute),
        Event::DisputeRaised(it) => it.turns.iter().all(|turn| before.transcript.get(*turn).is_some()),
        Event::DisputeRetired(it) => counted(it.dispute),
        Event::DisputeLinked(it) => counted(it.dispute),
        Event::DisputeRevised(it) => counted(it.dispute),
        Event::ReasonGiven(it) => {
            let there = before.disputes.disputes.get(&it.dispute);
            let held = there.is_some_and(|dispute| dispute.on_side(it.side).next().is_some());
            let answered = |reason: &ReasonId| there.is_some_and(|dispute| dispute.reasons.contains_key(reason));
            own(it.turn, &it.speaker) && held && it.attacks.iter().all(answered)
        }
        Event::ReasonWithdrawn(it) => {
            let reason = before.disputes.live_reasons().find(|(id, _)| *id == it.reason);
            reason.is_some_and(|(_, reason)| own(it.turn, &reason.given.speaker))
        }
        Event::CruxProposed(it) => own(it.turn, &it.speaker) && !it.statement.is_empty(),
        Event::CruxAcknowledged(it) => before.crux_proposals.cruxes.get(&it.crux).is_some_and(|crux| {
            own(it.turn, &it.speaker) && crux.proposed.speaker != it.speaker && crux.proposed.turn == it.cites
        }),
        Event::RoomOpened(it) => {
            let asked = it.dispute.is_none_or(counted);
            let seen = |id| before.candidates.candidates.get(&id).is_some_and(|candidate| candidate.room.is_none());
            let led = it.candidate.is_none_or(seen);
            asked
                && led
                && it.participants.len() > 1
                && it.turns.iter().all(|turn| before.transcript.get(*turn).is_some())
        }
        Event::TurnSkipped(it) => {
            it.room.is_none_or(|id| before.rooms.rooms.get(&id).is_some_and(|room| room.closed.is_none()))
        }
        Event::DisagreementsDetected(it) => it.found.iter().all(|seen| {
            own(seen.yes.turn, &seen.yes.speaker)
                && own(seen.no.turn, &seen.no.speaker)
                && seen.yes.speaker != seen.no.speaker
        }),
        Event::RoomStageEntered(it) => before
            .rooms
            .rooms
            .get(&it.room)
            .is_some_and(|room| room.closed.is_none() && room.next_stages().contains(&(it.stage, it.aspect))),
        Event::RoomAspectsNamed(it) => are_narrower(it, before),
        Event::SteelmanJudged(it) => {
            let other = before.transcript.get(it.steelman).and_then(|turn| turn.speaker.as_ref());
            own(it.turn, &it.speaker) && other.is_some_and(|other| *other != it.speaker)
        }
        Event::ExitChecked(it) => {
            let open = before.rooms.rooms.get(&it.room).is_some_and(|room| room.closed.is_none());
            open && it.words.iter().all(|words| own(words.turn, &words.speaker))
        }
        Event::RoomClosed(it) => before.rooms.rooms.get(&it.room).is_some_and(|room| room.closed.is_none()),
        Event::TurnsCrystallized(it) => it.turns.iter().all(|turn| before.transcript.get(*turn).is_some()),
        Event::ClaimsCompared(it) => it.pairs.iter().all(|pair| compares(pair, before)),
        Event::HintGiven(it) => it.about.is_none_or(|turn| before.transcript.get(turn).is_some()),
        Event::ProposalDrafted(it) => own(it.turn, &it.speaker) && (0.0..=1.0).contains(&it.confidence),
        Event::ProposalCriticized(it) => own(it.turn, &it.speaker) && before.proposals.get(it.proposal).is_some(),
        Event::ProposalAccepted(it) => {
            let said = before.transcript.get(it.turn).map_or("", |turn| turn.text.as_str());
            let words = [Some(&it.words), Some(&it.reason), it.change_of_mind.as_ref()];
            let open = before.proposals.get(it.proposal).is_some_and(|proposal| !proposal.is_accepted_by(&it.speaker));
            own(it.turn, &it.speaker) && open && words.into_iter().flatten().all(|words| said.contains(words.as_str()))
        }
        Event::ProposalSynthesized(it) => own(it.turn, &it.speaker) && before.proposals.get(it.from).is_some(),
        _ => stands_in_motion(event, before),
    };
    (!stands).then(|| format!("dangles: {} {}", event.kind(), event.summary()))
}

/// Returns true unless an event about drafts, checks or sides names something that did not exist before it.
fn stands_in_motion(event: &Event, before: &DebateReadModel) -> bool {
    match event {
        Event::ClaimChecked(it) => match it.draft {
            Some(draft) => before.motion.drafts.contains_key(&draft),
            None => before.transcript.get(it.turn).is_some(),
        },
        Event::ClaimsExtracted(it) => match it.draft {
            Some(draft) => before.motion.drafts.contains_key(&draft),
            None => before.transcript.speaker(it.turn) == Some(&it.speaker),
        },
        Event::SidesAssigned(it) => {
            it.pro.iter().chain(&it.con).all(|id| before.summary.present().any(|present| present.persona == *id))
        }
        Event::TurnRejected(it) => {
            let is_false = |check: &CheckId| {
                let check = before.fact_checks.checks.get(check);
                check.is_some_and(|check| check.checked.verdict == CheckVerdict::False)
            };
            before.motion.drafts.get(&it.draft).is_some_and(|draft| draft.said_in.is_none())
                && !it.checks.is_empty()
                && it.checks.iter().all(is_false)
        }
        _ => true,
    }
}

/// Returns true if both claims exist, are of one kind, and belong to different speakers.
fn compares(pair: &Comparison, before: &DebateReadModel) -> bool {
    let speaker = |point| match point {
        PointId::Argument(it) => before.arguments.speaker(it).map(|speaker| ("a", speaker)),
        PointId::Reason(it) => before.disputes.reason(it).map(|(_, reason)| ("r", &reason.given.speaker)),
        PointId::Dispute(_) => None,
    };
    let (one, other) = (speaker(pair.one), speaker(pair.other));
    one.zip(other).is_some_and(|(one, other)| one.0 == other.0 && one.1 != other.1)
}
