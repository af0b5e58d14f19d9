//! Debates of repliers without good will: whatever they reply, wherever a debate is cut off and whatever fails, no verdict
//! says what the log does not, and no two sentences of a report contradict each other.
//!
//! `FAULTLINE_TRIALS=10000 cargo test --test pure adversar -- --nocapture` runs so many debates of each engine.
//! `FAULTLINE_FIRST_TRIAL` is the number of the first one, so that a long run can be divided or continued, and
//! `FAULTLINE_ENGINE` names the only engine to run.

use std::collections::{BTreeMap, BTreeSet};

use faultline_core::engines::registry::ENGINES;
use faultline_core::events::argument::ArgumentPart;
use faultline_core::events::dispute::Side;
use faultline_core::events::event::Event;
use faultline_core::events::ids::{PersonaId, TurnId};
use faultline_core::events::lifecycle::{DebateLimits, DebateOutcome};
use faultline_core::export::report::build::report;
use faultline_core::projections::proposals::Proposal;
use faultline_core::questions::wording::says_the_same;
use faultline_core::verdicts::audit::audit_verdict::AuditState;
use faultline_core::verdicts::audit::items::AuditSubject;
use faultline_core::verdicts::crux::{Crux, CruxOrigin, PositionBasis, PositionSide};
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_core::verdicts::regime::RegimeKind;
use faultline_core::verdicts::verdict::Verdict;
use faultline_terminal::text::style::TerminalStyle;
use faultline_terminal::verdict::card::card;
use faultline_terminal::verdict::report::report as terminal_report;

use crate::laws::consistency::{contradictions, contradictions_of_picture};
use crate::laws::room_faults::room_faults;
use crate::laws::support::script;
use crate::rehearsal::{Log, Script, perform};
use crate::support::adversary::Adversary;

#[test]
fn no_verdict_of_adversaries_says_what_the_log_does_not() {
    let (n, first) = (setting("FAULTLINE_TRIALS", 60), setting("FAULTLINE_FIRST_TRIAL", 0));
    let only = std::env::var("FAULTLINE_ENGINE").ok();
    let is_run = |engine: &str| only.as_ref().is_none_or(|only| only == engine);
    for engine in ENGINES.iter().filter(|engine| !engine.is_external() && is_run(engine.name)) {
        let mut counts = Counts::default();
        for number in first..first + n {
            let log = perform(adversarial(engine.name, number), interruption(number));
            let read_model = DebateReadModel::of(&log.0);
            let verdict = read_model.verdict();
            let mut faults = faults(&log, &read_model, &verdict);
            faults.extend(contradictions(&report(&read_model, &log.0)));
            let look = TerminalStyle { width: 120, colour: false, unicode: true };
            faults.extend(contradictions_of_picture(&card(&read_model, look)));
            faults.extend(contradictions_of_picture(&terminal_report(&read_model, &[], look)));
            assert!(faults.is_empty(), "{} {number}: {faults:#?}\n{}", engine.name, log.lines());
            counts.add(&log, &read_model, &verdict);
        }
        println!("{}: {n} debates from {first}, {counts:?}", engine.name);
        assert!(counts.stances > 0, "{}: no stance was counted", engine.name);
        let has_rooms = ["crux_rooms", "forum"].contains(&engine.name);
        assert!(!has_rooms || counts.cards > 0, "{}: no room was closed with a card", engine.name);
    }
}

/// Figures of the debates of one engine.
#[derive(Debug, Default)]
struct Counts {
    events: usize,
    failures: usize,
    stances: usize,
    concessions: usize,
    rooms: usize,
    cards: usize,
    regimes: BTreeMap<&'static str, usize>,
    outcomes: BTreeMap<&'static str, usize>,
}

impl Counts {
    fn add(&mut self, log: &Log, read_model: &DebateReadModel, verdict: &Verdict) {
        self.events += log.0.len();
        self.failures += log.0.iter().filter(|it| matches!(it.event, Event::EffectFailed(_))).count();
        self.stances += read_model.disputes.disputes.values().map(|dispute| dispute.history.len()).sum::<usize>();
        self.concessions += read_model.concessions.concessions.len();
        let cards = read_model.rooms.rooms.values().filter_map(|room| room.closed.as_ref()?.closed.card.as_ref());
        self.rooms += read_model.rooms.rooms.len();
        self.cards += cards.count();
        *self.regimes.entry(verdict.regime.kind.name()).or_default() += 1;
        let outcome = read_model.summary.outcome.as_ref().map_or("none", DebateOutcome::kind);
        *self.outcomes.entry(outcome).or_default() += 1;
    }
}

fn setting(name: &str, usually: u64) -> u64 {
    std::env::var(name)
        .map_or(usually, |value| value.parse().unwrap_or_else(|_| panic!("{name} is not a number: {value}")))
}

/// Returns the debate of this number: each fourth one is cut off at one of its calls.
fn adversarial(engine: &str, number: u64) -> Script {
    let calls = if number % 4 == 3 { 1 + (number / 4 % 45) as u32 } else { 60 };
    let limits = DebateLimits { calls, attempts: 2, turns: 30, ..DebateLimits::default() };
    let mut script = Script { adversary: Some(Adversary::numbered(number)), ..script(engine, limits, &[]) };
    if engine == "crux_rooms" {
        script.options["room_style"] = ["exchange", "staged", "panel"][(number / 5 % 3) as usize].into();
    }
    script
}

/// Returns the append after which the runner of the debate of this number is killed; each fifth one is.
fn interruption(number: u64) -> Option<usize> {
    (number % 5 == 4).then_some(2 + (number / 5 % 40) as usize)
}

/// Returns the statements of a verdict that the log does not support, computed from the events alone if possible.
fn faults(log: &Log, read_model: &DebateReadModel, verdict: &Verdict) -> Vec<String> {
    let mut faults = Vec::new();
    if verdict.regime.kind == RegimeKind::Consensus {
        faults.extend(false_consensus(log, read_model, verdict));
    }
    faults.extend(forged(read_model, verdict));
    faults.extend(misquoted(read_model, verdict));
    faults.extend(contradictory_ground(read_model, verdict));
    faults.extend(counted_though_contested(verdict));
    faults.extend(room_faults(log, read_model));
    let topic = read_model.disputes.topic().map(|(id, _)| id);
    for crux in verdict.all_cruxes() {
        if matches!(crux.origin, CruxOrigin::Dispute { dispute } if Some(dispute) == topic) {
            faults.push("the topic is a crux".to_owned());
        }
        if crux.open
            && matches!(crux.origin, CruxOrigin::Dispute { .. } | CruxOrigin::Structure { .. })
            && !divides(crux)
        {
            faults.push(format!("{} divides nobody", crux.key));
        }
    }
    for (persona, turn) in verdict.all_cruxes().flat_map(|crux| &crux.positions).map(|it| (&it.persona, it.turn)) {
        let speaker = read_model.transcript.turn(turn).and_then(|turn| turn.speaker.as_ref());
        if speaker != Some(persona) {
            faults.push(format!("a position of {persona} cites {turn}, a turn of {speaker:?}"));
        }
    }
    for (one, other) in read_model.arguments.opposed_theses() {
        let both = |set: &[_]| set.contains(&one) && set.contains(&other);
        if verdict.camps.iter().any(|camp| both(&camp.arguments)) {
            faults.push(format!("a camp holds both {one} and {other}, which answer the topic oppositely"));
        }
    }
    let ended = log.0.iter().rev().find_map(|recorded| match &recorded.event {
        Event::DebateConcluded(concluded) => Some(&concluded.outcome),
        _ => None,
    });
    let no_crux = verdict.cruxes.is_empty() && verdict.resolved.is_empty();
    if matches!(ended, Some(DebateOutcome::Settled { .. })) && no_crux && !all_accept(read_model) {
        faults.push("settled, but no crux was agreed on, no dispute settled and no proposal accepted".to_owned());
    }
    faults
}

/// Counted stances, acknowledgements, concessions and agreements whose words are not in their speaker's turn.
fn forged(read_model: &DebateReadModel, verdict: &Verdict) -> Vec<String> {
    let disputes = read_model.disputes.disputes.values();
    let stances = disputes.flat_map(|dispute| &dispute.history);
    let stances = stances.map(|(persona, stance)| (persona, stance.turn, &stance.quote));
    let acknowledged = read_model.crux_proposals.cruxes.values().flat_map(|crux| &crux.acknowledged);
    let acknowledged = acknowledged.map(|by| (&by.speaker, by.turn, &by.quote));
    let conceded = read_model.concessions.concessions.iter().map(|it| &it.made);
    let conceded = conceded.map(|made| (&made.speaker, made.turn, &made.quote));
    let common = verdict.common_ground.iter().flat_map(|ground| &ground.holders);
    let common = common.map(|holder| (&holder.persona, holder.turn, &holder.quote));
    let all = stances.chain(acknowledged).chain(conceded).chain(common);
    let is_true = |persona: &PersonaId, turn: TurnId, quote: &Option<String>| {
        let turn = read_model.transcript.get(turn);
        let own = turn.is_some_and(|turn| turn.speaker.as_ref() == Some(persona));
        own && turn.zip(quote.as_ref()).is_some_and(|(turn, quote)| turn.text.contains(quote.as_str()))
    };
    all.filter(|(persona, turn, quote)| !is_true(persona, *turn, quote))
        .map(|(persona, turn, quote)| format!("{turn} of {persona} does not contain {quote:?}"))
        .collect()
}

/// Positions on cruxes whose quotation is not in the turn, or whose basis is another; and structural ones that rest on a
/// statement by other words than it.
fn misquoted(read_model: &DebateReadModel, verdict: &Verdict) -> Vec<String> {
    let mut faults = Vec::new();
    for crux in verdict.all_cruxes().chain(&verdict.contested) {
        for position in &crux.positions {
            let text = read_model.transcript.turn(position.turn).map_or("", |turn| turn.text.as_str());
            let is_said = position.quote.as_ref().is_some_and(|quote| text.contains(quote.as_str()));
            let is_right = match position.basis {
                PositionBasis::Said => is_said,
                PositionBasis::Unquoted => position.quote.is_none() && position.side != PositionSide::RestsOn,
                PositionBasis::Written => position.quote.is_none() && position.argument.is_some(),
                PositionBasis::Assumed => position.quote.is_none() && !text.contains(crux.statement.as_str()),
            };
            let quote = position.quote.as_deref().filter(|_| position.side == PositionSide::RestsOn);
            let rests_on_it = quote.is_none_or(|quote| says_the_same(quote, &crux.statement));
            if !is_right || !rests_on_it {
                faults.push(format!("{} on {:?}: {position:?}, but the turn says {text:?}", crux.key, crux.statement));
            }
        }
    }
    faults
}

/// Items of common ground of which one denies a wording that another affirms, or which are the ends of a valid attack.
fn contradictory_ground(read_model: &DebateReadModel, verdict: &Verdict) -> Vec<String> {
    let mut sides: Vec<(String, String, bool)> = Vec::new();
    for ground in &verdict.common_ground {
        let worded = read_model.disputes.disputes[&ground.dispute].worded();
        let is_affirmed = |negates: bool| (ground.side == Side::Yes) != negates;
        let worded = worded.map(|(text, negates)| (ground.dispute.to_string(), text.to_owned(), is_affirmed(negates)));
        sides.extend(worded);
    }
    sides.extend(verdict.granted.iter().map(|it| (it.statement.clone(), it.statement.clone(), true)));
    let mut faults = Vec::new();
    for (one, text, affirms) in &sides {
        for (other, second, affirms_too) in &sides {
            if one != other && affirms != affirms_too && says_the_same(text, second) {
                faults.push(format!("{one} and {other} are common ground and answer {text:?} differently"));
            }
        }
    }
    let graph = &read_model.arguments;
    let affirms = |text: Option<&str>| -> Vec<&String> {
        let found = sides.iter().filter(|(_, wording, affirms)| *affirms && says_the_same(wording, text.unwrap_or("")));
        found.map(|(item, ..)| item).collect()
    };
    for (id, attack) in graph.active() {
        let source = affirms(graph.component_text(attack.raised.source, ArgumentPart::Claim));
        let target = affirms(graph.component_text(attack.raised.target, attack.component()));
        if source.iter().any(|one| target.iter().any(|other| one != other)) {
            faults.push(format!("{source:?} and {target:?} are common ground and the ends of {id}"));
        }
    }
    faults
}

/// Stances that a qualified auditor read otherwise, and that the verdict counts nevertheless.
fn counted_though_contested(verdict: &Verdict) -> Vec<String> {
    let contested = verdict.audit.contested().filter_map(|words| match words.subject {
        AuditSubject::Stance { dispute } => Some((dispute, &words.persona, words.turn)),
        _ => None,
    });
    let on_topic = verdict
        .topic
        .iter()
        .flat_map(|topic| topic.positions.iter().filter_map(|it| Some((topic.dispute, &it.persona, it.turn?))));
    let common = verdict
        .common_ground
        .iter()
        .flat_map(|ground| ground.holders.iter().map(|holder| (ground.dispute, &holder.persona, holder.turn)));
    let cruxes = verdict.all_cruxes().flat_map(|crux| {
        let dispute = match crux.origin {
            CruxOrigin::Dispute { dispute } => Some(dispute),
            _ => None,
        };
        crux.positions.iter().filter_map(move |it| Some((dispute?, &it.persona, it.turn)))
    });
    let counted: BTreeSet<_> = on_topic.chain(common).chain(cruxes).collect();
    contested.filter(|it| counted.contains(it)).map(|it| format!("{it:?} is contested and counts")).collect()
}

/// True if there are proposals, and every participant but the author accepted the last one in words.
fn all_accept(read_model: &DebateReadModel) -> bool {
    let last = read_model.proposals.proposals.last();
    let accepts = |proposal: &Proposal| {
        read_model.summary.present().all(|participant| proposal.is_accepted_by(&participant.persona))
    };
    last.is_some_and(accepts)
}

fn divides(crux: &Crux) -> bool {
    let on = |takes: fn(&_) -> bool| crux.positions.iter().filter(takes).map(|it| &it.persona);
    let affirming: BTreeSet<_> = on(|position| position.side.affirms()).collect();
    on(|position| position.side.denies()).any(|persona| !affirming.contains(persona)) && !affirming.is_empty()
}

/// Conditions of a consensus that the events do not meet.
fn false_consensus(log: &Log, read_model: &DebateReadModel, verdict: &Verdict) -> Vec<String> {
    let mut faults = Vec::new();
    let ended_by_itself = log.0.iter().any(|recorded| {
        matches!(&recorded.event, Event::DebateConcluded(concluded)
            if matches!(concluded.outcome, DebateOutcome::Settled { .. } | DebateOutcome::Exhausted { .. }))
    });
    if !ended_by_itself {
        faults.push("consensus of a debate that did not end by itself".to_owned());
    }
    if !verdict.regime.coverage.is_complete() {
        faults.push("consensus without full coverage".to_owned());
    }
    if verdict.audit.state() != AuditState::Complete {
        faults.push("consensus without an audit of every statement".to_owned());
    }
    if !read_model.proposals.proposals.is_empty() && !all_accept(read_model) {
        faults.push("consensus on a proposal that not all accepted in words".to_owned());
    }
    let topic = read_model.disputes.topic().map(|(_, dispute)| dispute);
    for participant in read_model.summary.present() {
        let spoken =
            read_model.transcript.turns.iter().filter(|turn| turn.speaker.as_ref() == Some(&participant.persona));
        if spoken.filter(|turn| turn.phase.as_deref() != Some("opening")).count() == 0 {
            faults.push(format!("consensus, but {} said nothing after the opening", participant.persona));
        }
        let side = topic.and_then(|topic| topic.stances.get(&participant.persona)).map(|stance| stance.side);
        if !matches!(side, Some(Side::Yes | Side::No)) {
            faults.push(format!("consensus, but {} takes no side on the topic", participant.persona));
        }
    }
    if verdict.has_open_agreed_crux() {
        faults.push("consensus, but the question agreed on as the crux is open".to_owned());
    }
    if topic.is_some_and(|topic| topic.is_split()) || verdict.cruxes.iter().any(divides) {
        faults.push("consensus over a split".to_owned());
    }
    faults
}
