//! Builder of debates without turns of phrase, and short reads of their verdicts.

use std::collections::BTreeMap;

use faultline_argumentation::labelling::Label;
use faultline_core::events::argument::ArgumentPart::Claim;
use faultline_core::events::argument::AttackKind::{Rebut, Undercut, Undermine};
use faultline_core::events::argument::{ArgumentAdvanced, ArgumentPart, AttackJudged, AttackKind, AttackRaised};
use faultline_core::events::dispute::{DisputeRaised, DisputeRetired, Side, StanceTaken};
use faultline_core::events::distillation::{ClaimsCompared, Comparison, ComparisonFinding};
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::{ArgumentId, AttackId, DisputeId, PersonaId, PointId, TurnId};
use faultline_core::events::lifecycle::{DebateConcluded, DebateLimits, DebateOpened, DebateOutcome};
use faultline_core::events::turn::{
    ConcessionEffect, ConcessionExtent, ConcessionMade, GrantedPoint, Move, StatementSource, TurnTaken,
};
use faultline_core::verdicts::crux::{Crux, CruxOrigin};
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_core::verdicts::regime::RegimeKind;
use faultline_core::verdicts::verdict::Verdict;
use serde_json::json;

use crate::rehearsal::Log;
use crate::support::personas::{persona, persona_id};

// Builder of debates.

/// Builder of a debate from the events that matter to a verdict.
#[derive(Clone)]
pub struct VerdictDebate {
    pub events: Vec<Event>,
    pub turns: Vec<PersonaId>,
    pub speakers: BTreeMap<ArgumentId, PersonaId>,
    pub n_attacks: u32,
    pub n_disputes: u32,
}

impl VerdictDebate {
    /// Creates a debate that requires no audit.
    pub fn new(speakers: &[&str]) -> VerdictDebate {
        let opened = DebateOpened {
            topic: TOPIC.into(),
            engine: "graph".into(),
            engine_revision: 1,
            options: json!({ "audit": "off" }),
            participants: speakers.iter().map(|speaker| persona(speaker)).collect(),
            limits: DebateLimits::default(),
            models: std::collections::BTreeMap::new(),
            seed: 1,
            provider: "script".into(),
            sentence_revision: None,
        };
        VerdictDebate {
            events: vec![Event::DebateOpened(Box::new(opened))],
            turns: Vec::new(),
            speakers: BTreeMap::new(),
            n_attacks: 0,
            n_disputes: 0,
        }
    }

    /// Builds a debate in consensus on nothing but the topic: all say yes to it, each spoke a second time, and nothing new
    /// came. Whatever is added to it must not add an obstacle to a consensus.
    pub fn in_consensus(speakers: &[&str]) -> VerdictDebate {
        let mut debate = VerdictDebate::new(speakers);
        let all: Vec<String> = speakers.iter().map(|speaker| format!("{speaker} yes")).collect();
        debate.ask_topic(&all.join(", "));
        for speaker in speakers {
            debate.turn(speaker);
        }
        debate.conclude(exhausted());
        debate
    }

    pub fn turn(&mut self, speaker: &str) -> TurnId {
        self.say(speaker, "...")
    }

    /// Takes a turn with this text.
    pub fn say(&mut self, speaker: &str, text: &str) -> TurnId {
        let speaker = persona_id(speaker);
        self.turns.push(speaker.clone());
        let turn = TurnId(self.turns.len() as u32);
        self.events.push(Event::TurnTaken(TurnTaken {
            preparation: None,
            turn,
            speaker,
            round: None,
            room: None,
            moves: vec![Move::Claim],
            move_quotes: Vec::new(),
            answers: None,
            text: text.into(),
            citations: vec![],
            refused: vec![],
            dangling: 0,
        }));
        turn
    }

    pub fn add_argument(
        &mut self,
        speaker: &str,
        claim: &str,
        change: impl FnOnce(&mut ArgumentAdvanced),
    ) -> ArgumentId {
        let turn = self.turn(speaker);
        let argument = ArgumentId(self.speakers.len() as u32 + 1);
        let mut advanced = ArgumentAdvanced {
            argument,
            speaker: persona_id(speaker),
            turn,
            claim: claim.into(),
            premises: vec![],
            assumptions: vec![],
            evidence: vec![],
            carries: None,
            answers_topic: false,
            distilled: false,
            paraphrased: false,
        };
        change(&mut advanced);
        self.speakers.insert(argument, advanced.speaker.clone());
        self.events.push(Event::ArgumentAdvanced(advanced));
        argument
    }

    pub fn add_claim(&mut self, speaker: &str, claim: &str) -> ArgumentId {
        self.add_argument(speaker, claim, |_| {})
    }

    pub fn add_assuming_argument(&mut self, speaker: &str, claim: &str, assumptions: &[&str]) -> ArgumentId {
        self.add_argument(speaker, claim, |argument| {
            argument.assumptions = assumptions.iter().map(|assumption| (*assumption).to_owned()).collect()
        })
    }

    /// Adds an attack that is not judged.
    pub fn raise_attack(
        &mut self,
        source: ArgumentId,
        target: ArgumentId,
        kind: AttackKind,
        component: ArgumentPart,
    ) -> AttackId {
        let speaker = self.speakers[&source].clone();
        let turn = self.turn(speaker.as_str());
        self.n_attacks += 1;
        let attack = AttackId(self.n_attacks);
        self.events.push(Event::AttackRaised(AttackRaised {
            attack,
            speaker,
            turn,
            source,
            target,
            component,
            kind,
            rationale: "...".into(),
            quote: None,
            confidence: 0.5,
        }));
        attack
    }

    pub fn judge_attack(&mut self, attack: AttackId, valid: bool) {
        self.judge_attack_as(attack, valid, None, None);
    }

    pub fn judge_attack_as(
        &mut self,
        attack: AttackId,
        valid: bool,
        kind: Option<AttackKind>,
        component: Option<ArgumentPart>,
    ) {
        let reason = "...".into();
        self.events.push(Event::AttackJudged(AttackJudged { attack, valid, strength: 0.5, reason, kind, component }));
    }

    /// Adds a valid attack in one direction.
    pub fn add_attack(&mut self, source: ArgumentId, target: ArgumentId) {
        let attack = self.raise_attack(source, target, Undercut, Claim);
        self.judge_attack(attack, true);
    }

    /// Adds a valid attack in both directions.
    pub fn add_mutual_attack(&mut self, source: ArgumentId, target: ArgumentId) {
        let attack = self.raise_attack(source, target, Rebut, Claim);
        self.judge_attack(attack, true);
    }

    /// Adds a counter-argument and the attack that it carries, which is not judged.
    pub fn add_counterargument(&mut self, speaker: &str, target: ArgumentId, claim: &str) -> (ArgumentId, AttackId) {
        let attack = AttackId(self.n_attacks + 1);
        let source = self.add_argument(speaker, claim, |argument| argument.carries = Some(attack));
        (source, self.raise_attack(source, target, Rebut, Claim))
    }

    /// Adds an attack on a component that was judged valid, in one direction.
    pub fn undermine(&mut self, source: ArgumentId, target: ArgumentId, component: ArgumentPart) {
        let attack = self.raise_attack(source, target, Undermine, component);
        self.judge_attack(attack, true);
    }

    /// Compares arguments in pairs, and finds no conflict.
    pub fn compare(&mut self, pairs: &[(ArgumentId, ArgumentId)]) {
        let compared = |(one, other): &(ArgumentId, ArgumentId)| Comparison {
            one: PointId::Argument(*one),
            other: PointId::Argument(*other),
            finding: ComparisonFinding::Compatible,
            reason: "...".into(),
        };
        let pairs = pairs.iter().map(compared).collect();
        self.events.push(Event::ClaimsCompared(ClaimsCompared { pairs, refused: vec![] }));
    }

    /// Grants a statement in a turn that says so.
    pub fn grant(&mut self, speaker: &str, statement: &str, source: StatementSource) -> TurnId {
        let words = format!("I grant that: {statement}");
        let turn = self.say(speaker, &words);
        self.events.push(Event::ConcessionMade(ConcessionMade {
            turn,
            speaker: persona_id(speaker),
            kind: ConcessionExtent::Full,
            what: statement.into(),
            quote: Some(words),
            effect: ConcessionEffect::Said,
            granted: Some(GrantedPoint { statement: statement.into(), source }),
        }));
        turn
    }

    /// Grants a part of an argument.
    pub fn grant_part(&mut self, speaker: &str, argument: ArgumentId, component: ArgumentPart) -> TurnId {
        let read_model = self.read_model();
        let text = read_model.arguments.component_text(argument, component).expect("the part").to_owned();
        self.grant(speaker, &text, StatementSource::Argument { argument, component })
    }

    pub fn raise_dispute(&mut self, question: &str) -> DisputeId {
        self.raise(|dispute| DisputeRaised::bare(dispute, question, false))
    }

    /// Raises the dispute about the topic with stances in order. It has a criterion, so that two stances on it count as
    /// an examined pair.
    pub fn ask_topic(&mut self, stances: &str) -> DisputeId {
        let topic = self.raise(|dispute| DisputeRaised {
            criteria: vec!["a winter of timetables".into()],
            ..DisputeRaised::bare(dispute, TOPIC, true)
        });
        self.take_sides(topic, stances);
        topic
    }

    fn raise(&mut self, raised: impl FnOnce(DisputeId) -> DisputeRaised) -> DisputeId {
        self.n_disputes += 1;
        let dispute = DisputeId(self.n_disputes);
        self.events.push(Event::DisputeRaised(raised(dispute)));
        dispute
    }

    pub fn take_side(&mut self, speaker: &str, dispute: DisputeId, side: Side) {
        let turn = self.turn(speaker);
        self.take_side_in_turn(speaker, dispute, side, turn);
    }

    pub fn take_side_in_turn(&mut self, speaker: &str, dispute: DisputeId, side: Side, turn: TurnId) {
        let speaker = persona_id(speaker);
        self.events.push(Event::StanceTaken(StanceTaken {
            dispute,
            speaker,
            side,
            turn,
            statement: None,
            confidence: None,
            quote: Some("...".into()),
        }));
    }

    /// Raises a dispute with stances in order, such as `ada yes, ben no`.
    pub fn raise_dispute_with_stances(&mut self, question: &str, stances: &str) -> DisputeId {
        let dispute = self.raise_dispute(question);
        self.take_sides(dispute, stances);
        dispute
    }

    fn take_sides(&mut self, dispute: DisputeId, stances: &str) {
        for (speaker, side) in parse_stances(stances) {
            self.take_side(speaker, dispute, side);
        }
    }

    pub fn retire_argument(&mut self, dispute: DisputeId) {
        self.events.push(Event::DisputeRetired(DisputeRetired { dispute, reason: "gone".into() }));
    }

    pub fn conclude(&mut self, outcome: DebateOutcome) {
        self.events.push(Event::DebateConcluded(DebateConcluded { outcome }));
    }

    /// Events with their versions, as the log would have them.
    pub fn recorded(&self) -> Vec<Recorded> {
        let mut log = Log::default();
        log.append(self.events.clone());
        log.0
    }

    pub fn read_model(&self) -> DebateReadModel {
        DebateReadModel::of(&self.recorded())
    }

    pub fn verdict(&self) -> Verdict {
        self.read_model().verdict()
    }

    pub fn regime(&self) -> RegimeKind {
        self.verdict().regime.kind
    }
}

/// Parses `ada yes, ben no` into speakers and sides.
fn parse_stances(stances: &str) -> Vec<(&str, Side)> {
    let side = |word: &str| match word {
        "yes" => Side::Yes,
        "no" => Side::No,
        "nuanced" => Side::Nuanced,
        "undecided" => Side::Undecided,
        other => panic!("{other} is not a side"),
    };
    let pairs = stances.split(',').filter_map(|stance| stance.trim().split_once(' '));
    pairs.map(|(speaker, word)| (speaker, side(word))).collect()
}

/// Ending without a limit or a failure.
pub fn exhausted() -> DebateOutcome {
    DebateOutcome::Exhausted { reason: "nothing new came".into() }
}

pub const TOPIC: &str = "Should the ferry run at night?";
pub const THREE: &[&str] = &["ada", "ben", "cleo"];
pub const TWO: &[&str] = &["ada", "ben"];

pub fn labels(debate: &VerdictDebate) -> Vec<Label> {
    debate.verdict().labels.into_values().collect()
}

pub fn structural(verdict: &Verdict) -> impl Iterator<Item = &Crux> {
    verdict.cruxes.iter().filter(|crux| matches!(crux.origin, CruxOrigin::Structure { .. }))
}

pub fn statements(verdict: &Verdict) -> Vec<&str> {
    structural(verdict).map(|crux| crux.statement.as_str()).collect()
}

/// Statements of the contested premises.
pub fn contested(verdict: &Verdict) -> Vec<&str> {
    verdict.contested.iter().map(|premise| premise.statement.as_str()).collect()
}

/// Positions on a crux, as `ada rests_on`.
pub fn positions(crux: &Crux) -> Vec<String> {
    crux.positions.iter().map(|position| format!("{} {}", position.persona, position.side.name())).collect()
}
