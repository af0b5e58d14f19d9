//! Argumentation framework of a debate: arguments, attacks, and their labels.
//!
//! The design fixes which of them are active: an argument that carries an attack is live only while that attack is
//! judged valid; an unjudged attack is not valid; a rebuttal between two claims is mutual; undermining and undercutting
//! are directed; withdrawing an argument deactivates its attacks.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::events::argument::{
    ArgumentAdvanced, ArgumentPart, ArgumentRevised, ArgumentWithdrawn, AttackJudged, AttackKind, AttackRaised,
    AttackWithdrawn,
};
use crate::events::audit::{AuditQuestion, WordsReading};
use crate::events::dispute::{DisputeRaised, Side, StanceTaken};
use crate::events::distillation::Comparison;
use crate::events::event::{Event, Recorded};
use crate::events::ids::{ArgumentId, AttackId, PersonaId, PointId, TurnId};
use crate::events::imported::TurnBasis;
use crate::events::turn::ConcessionEffect;
use crate::projections::projection::Projection;
use crate::questions::stated_answer::{can_state, says_otherwise};
use crate::questions::wording::says_the_same;
use faultline_argumentation::framework::Framework;
use faultline_argumentation::labelling::{Label, grounded};

/// Arguments and attacks of a debate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ArgumentGraph {
    /// Every argument ever advanced, live or not.
    pub arguments: BTreeMap<ArgumentId, Argument>,
    /// Every attack ever raised, valid or not.
    pub attacks: BTreeMap<AttackId, Attack>,
    /// Every comparison of two arguments, with any result.
    #[serde(default)]
    pub comparisons: Vec<Comparison>,
    /// Current side of each participant on the topic.
    #[serde(default)]
    pub topic_sides: BTreeMap<PersonaId, Side>,
    /// Dispute over the topic; `None` before it was raised.
    #[serde(default)]
    pub topic: Option<DisputeRaised>,
    /// Stances on the topic, in order.
    #[serde(default)]
    topic_stances: Vec<TopicStance>,
    /// Arguments that concessions withdrew, by the version of the concession.
    #[serde(default)]
    conceded: BTreeMap<i64, ArgumentId>,
    #[serde(default)]
    spoken: BTreeMap<TurnId, PersonaId>,
}

/// Stance on the topic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct TopicStance {
    version: i64,
    persona: PersonaId,
    side: Side,
    is_contested: bool,
}

/// Argument in its current form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Argument {
    /// The argument, with the claim and assumptions of its last revision.
    #[serde(flatten)]
    pub advanced: ArgumentAdvanced,
    /// Version of the event that advanced it.
    pub version: i64,
    /// Revisions, in order.
    #[serde(default)]
    pub revisions: Vec<Revision>,
    /// Withdrawal; `None` if the argument was not withdrawn.
    #[serde(default)]
    pub withdrawn: Option<ArgumentWithdrawn>,
    /// Withdrawal by a concession in which a qualified auditor found no concession: shown, and without effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contested_withdrawal: Option<ArgumentWithdrawn>,
    /// Basis on which the argument is attributed to its turn.
    #[serde(default)]
    pub turn_basis: TurnBasis,
    /// Reading of its words by a qualified auditor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<WordsReading>,
    /// True if a qualified auditor read that the speaker's words do not say the claim, or that a thesis takes the other
    /// side than its speaker. A contested argument is shown, and is in no set.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_contested: bool,
}

/// Revision of an argument, and its effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Revision {
    /// The revision.
    pub revised: ArgumentRevised,
    /// Claim before the revision; `None` if it did not change.
    pub before: Option<String>,
    /// Version of the event that recorded it.
    pub version: i64,
}

/// Attack, with its judgement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attack {
    /// The attack as it was raised.
    #[serde(flatten)]
    pub raised: AttackRaised,
    /// Judgement; `None` if the attack was not judged.
    pub judged: Option<AttackJudged>,
    /// Version of the event with the judgement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged_version: Option<i64>,
    /// Withdrawal; `None` if the attack was not withdrawn.
    #[serde(default)]
    pub withdrawn: Option<AttackWithdrawn>,
    /// Version of the event that raised it.
    pub version: i64,
    /// True if the attacking claim says the same as the attacked one. Equal statements do not conflict, so such an attack
    /// is never valid, whatever a judge rules.
    #[serde(default)]
    pub is_between_equals: bool,
}

impl Attack {
    /// Kind of attack, as corrected by the judge.
    pub fn kind(&self) -> AttackKind {
        self.judged.as_ref().and_then(|judgement| judgement.kind).unwrap_or(self.raised.kind)
    }

    /// Attacked component, as corrected by the judge.
    pub fn component(&self) -> ArgumentPart {
        self.judged.as_ref().and_then(|judgement| judgement.component).unwrap_or(self.raised.component)
    }

    /// True if the attack [was valid](Self::was_valid) and was not withdrawn.
    pub fn is_valid(&self) -> bool {
        self.withdrawn.is_none() && self.was_valid()
    }

    /// True if the attack was judged valid and is not between equal claims, be it withdrawn since or not.
    pub fn was_valid(&self) -> bool {
        !self.is_between_equals && self.judged.as_ref().is_some_and(|it| it.valid)
    }

    /// True if the attack denies that a claim follows from the reasons for it, and not the claim itself.
    pub fn is_on_inference(&self) -> bool {
        self.kind() == AttackKind::Undercut && self.component() == ArgumentPart::Claim
    }

    /// True if the attack works in both directions: a rebuttal of a claim.
    pub fn is_mutual(&self) -> bool {
        self.kind() == AttackKind::Rebut && self.component() == ArgumentPart::Claim
    }
}

impl Argument {
    /// Turn in which the argument was advanced; `None` if it is unknown.
    pub fn turn(&self) -> Option<TurnId> {
        (self.turn_basis != TurnBasis::Unknown).then_some(self.advanced.turn)
    }

    /// Turns whose words make up the argument: the one in which it was advanced, and those of its revisions. Empty if the
    /// first is unknown.
    pub fn turns(&self) -> impl Iterator<Item = TurnId> + '_ {
        let revised = self.revisions.iter().map(|revision| revision.revised.turn);
        self.turn().into_iter().flat_map(move |turn| std::iter::once(turn).chain(revised.clone()))
    }

    /// Parts of the argument with their texts: the claim, the premises, and the assumptions.
    pub fn parts(&self) -> impl Iterator<Item = (ArgumentPart, &str)> {
        let premises = (0..).zip(&self.advanced.premises).map(|(index, text)| (ArgumentPart::Premise(index), text));
        let assumptions = (0..).zip(&self.advanced.assumptions).map(|(at, text)| (ArgumentPart::Assumption(at), text));
        let claim = std::iter::once((ArgumentPart::Claim, &self.advanced.claim));
        claim.chain(premises).chain(assumptions).map(|(component, text)| (component, text.as_str()))
    }

    fn revise(&mut self, revised: &ArgumentRevised, version: i64) {
        let before = revised.claim.as_ref().map(|wording| std::mem::replace(&mut self.advanced.claim, wording.clone()));
        self.advanced.assumptions.extend(revised.assumptions.iter().cloned());
        self.revisions.push(Revision { revised: revised.clone(), before, version });
        (self.reading, self.is_contested) = (None, false);
    }
}

/// Argumentation framework of the live arguments, with dense indices and the ids behind them.
#[derive(Clone, Debug)]
pub struct ArgumentFramework {
    /// Arguments and attacks by index.
    pub framework: Framework,
    /// Argument id at each index, ascending.
    pub ids: Vec<ArgumentId>,
}

impl ArgumentFramework {
    /// Index of an argument; `None` if it is not live.
    pub fn index(&self, id: ArgumentId) -> Option<u32> {
        self.ids.binary_search(&id).ok().and_then(|place| u32::try_from(place).ok())
    }

    /// Argument at an index.
    pub fn id(&self, index: u32) -> ArgumentId {
        self.ids[index as usize]
    }
}

impl ArgumentGraph {
    /// True if an argument was neither withdrawn nor contested, and carries no attack or a valid one.
    pub fn is_live(&self, id: ArgumentId) -> bool {
        self.arguments.get(&id).is_some_and(|argument| match argument.advanced.carries {
            _ if argument.withdrawn.is_some() || argument.is_contested => false,
            None => true,
            Some(attack) => self.attacks.get(&attack).is_some_and(Attack::is_valid),
        })
    }

    /// Live arguments, in order.
    pub fn live(&self) -> impl Iterator<Item = (ArgumentId, &Argument)> {
        self.arguments.iter().map(|(id, argument)| (*id, argument)).filter(|(id, _)| self.is_live(*id))
    }

    /// Active attacks: valid ones between live arguments.
    pub fn active(&self) -> impl Iterator<Item = (AttackId, &Attack)> {
        self.attacks.iter().map(|(id, attack)| (*id, attack)).filter(|(_, attack)| {
            attack.is_valid() && self.is_live(attack.raised.source) && self.is_live(attack.raised.target)
        })
    }

    /// Pairs of live theses that exclude each other, the smaller id first: both claims answer the topic, and one speaker
    /// says yes to it while the other says no. Such a pair attacks each other without a recorded attack, for as long as
    /// the speakers stay on opposite sides.
    pub fn opposed_theses(&self) -> Vec<(ArgumentId, ArgumentId)> {
        let on = |side| self.live().filter(move |(_, it)| self.answers_for(&it.advanced, side)).map(|(id, _)| id);
        let denying: Vec<ArgumentId> = on(Side::No).collect();
        let pairs = on(Side::Yes).flat_map(|one| denying.iter().map(move |no| (one.min(*no), one.max(*no))));
        pairs.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Returns true if an argument is a thesis of a speaker of this side, and does not itself say the opposite: its speaker may
    /// have changed sides since, or never have stated this one.
    fn answers_for(&self, thesis: &ArgumentAdvanced, side: Side) -> bool {
        let topic = self.topic.as_ref().filter(|it| !says_otherwise(&thesis.claim, &it.question, side.answer()));
        topic.is_some() && thesis.answers_topic && self.topic_sides.get(&thesis.speaker) == Some(&side)
    }

    /// Pairs of arguments that were examined for conflict, the smaller id first: an attack between them was judged, they
    /// were compared, or they are opposed theses.
    pub fn examined(&self) -> BTreeSet<(ArgumentId, ArgumentId)> {
        let judged =
            self.attacks.values().filter(|it| it.judged.is_some()).map(|it| (it.raised.source, it.raised.target));
        let compared = self.comparisons.iter().filter_map(|comparison| match (comparison.one, comparison.other) {
            (PointId::Argument(one), PointId::Argument(other)) => Some((one, other)),
            _ => None,
        });
        let opposed = self.opposed_theses();
        judged.chain(compared).chain(opposed).map(|(one, other)| (one.min(other), one.max(other))).collect()
    }

    /// Pairs of live arguments of different speakers, the smaller id first.
    pub fn pairs(&self) -> Vec<(ArgumentId, ArgumentId)> {
        let live: Vec<_> = self.live().collect();
        let pairs = live.iter().enumerate().flat_map(|(index, (one, argument))| {
            let speaker = &argument.advanced.speaker;
            let others = live[index + 1..].iter().filter(|(_, other)| other.advanced.speaker != *speaker);
            others.map(|(other, _)| (*one, *other))
        });
        pairs.collect()
    }

    /// Builds the argumentation framework of the live arguments, the active attacks, and the mutual attacks of opposed
    /// theses.
    pub fn framework(&self) -> ArgumentFramework {
        let ids: Vec<ArgumentId> = self.live().map(|(id, _)| id).collect();
        let index = |id: ArgumentId| ids.binary_search(&id).ok().and_then(|place| u32::try_from(place).ok());
        let mut pairs = Vec::new();
        for (_, attack) in self.active() {
            if let (Some(source), Some(target)) = (index(attack.raised.source), index(attack.raised.target)) {
                pairs.push((source, target));
                pairs.extend(attack.is_mutual().then_some((target, source)));
            }
        }
        for (one, other) in self.opposed_theses() {
            if let (Some(one), Some(other)) = (index(one), index(other)) {
                pairs.extend([(one, other), (other, one)]);
            }
        }
        let framework = Framework::new(ids.len(), pairs).expect("every index comes from the list of ids");
        ArgumentFramework { framework, ids }
    }

    /// Computes the grounded label of every live argument.
    pub fn labels(&self) -> BTreeMap<ArgumentId, Label> {
        let framed = self.framework();
        framed.ids.iter().copied().zip(grounded(&framed.framework).0).collect()
    }

    /// Text of a component of an argument.
    pub fn component_text(&self, id: ArgumentId, component: ArgumentPart) -> Option<&str> {
        let argument = &self.arguments.get(&id)?.advanced;
        match component {
            ArgumentPart::Claim => Some(argument.claim.as_str()),
            ArgumentPart::Premise(index) => argument.premises.get(index as usize).map(String::as_str),
            ArgumentPart::Assumption(index) => argument.assumptions.get(index as usize).map(String::as_str),
        }
    }

    /// True if the claims of two different arguments say the same: they differ in white space, case and punctuation only.
    pub fn claim_equally(&self, one: ArgumentId, other: ArgumentId) -> bool {
        let claim = |id: ArgumentId| self.arguments.get(&id).map(|argument| argument.advanced.claim.as_str());
        one != other && claim(one).zip(claim(other)).is_some_and(|(one, other)| says_the_same(one, other))
    }

    /// Applies a stance on the topic. It counts only in words of a turn of its speaker that can state its side.
    fn take_side(&mut self, taken: &StanceTaken, version: i64) {
        let Some(topic) = self.topic.as_ref().filter(|topic| topic.dispute == taken.dispute) else { return };
        let (held, given) = (self.topic_sides.get(&taken.speaker) == Some(&taken.side), taken.side.answer());
        let is_answer = taken.quote.as_ref().is_some_and(|words| can_state(words, &topic.question, given, held));
        if is_answer && self.spoken.get(&taken.turn) == Some(&taken.speaker) {
            let (persona, side) = (taken.speaker.clone(), taken.side);
            self.topic_sides.insert(persona.clone(), side);
            self.topic_stances.push(TopicStance { version, persona, side, is_contested: false });
        }
    }

    /// Applies the readings of a qualified auditor.
    fn read_again(&mut self, readings: &[WordsReading]) {
        for it in readings {
            for stance in self.topic_stances.iter_mut().filter(|stance| stance.version == it.event) {
                stance.is_contested = !it.reading.confirms_side(stance.side);
            }
        }
        self.topic_sides.clear();
        for stance in &self.topic_stances {
            match stance.is_contested {
                true => self.topic_sides.remove(&stance.persona),
                false => self.topic_sides.insert(stance.persona.clone(), stance.side),
            };
        }
        for it in readings {
            for argument in self.arguments.values_mut().filter(|argument| argument.version == it.event) {
                argument.reading = Some(*it);
            }
            if let Some(argument) = self.conceded.get(&it.event).and_then(|id| self.arguments.get_mut(id)) {
                let is_confirmed = match it.asked {
                    AuditQuestion::Grant => it.reading.confirms_assent(),
                    _ => it.reading.confirms_concession(),
                };
                let (from, to) = match is_confirmed {
                    true => (&mut argument.contested_withdrawal, &mut argument.withdrawn),
                    false => (&mut argument.withdrawn, &mut argument.contested_withdrawal),
                };
                let withdrawal = from.take().or_else(|| to.take());
                *to = withdrawal;
            }
        }
        self.contest_claims();
    }

    /// Determines again which arguments are contested. The side that a thesis is read to take is compared with the
    /// stances that its speaker has taken on the topic.
    fn contest_claims(&mut self) {
        for argument in self.arguments.values_mut() {
            let Some(it) = argument.reading else { continue };
            let speaker = &argument.advanced.speaker;
            let taken = self.topic_stances.iter().filter(|stance| stance.persona == *speaker && !stance.is_contested);
            let mut sides = taken.map(|stance| stance.side).peekable();
            argument.is_contested = match it.asked {
                AuditQuestion::Side => sides.peek().is_some() && sides.all(|side| !it.reading.confirms_thesis(side)),
                _ => !it.reading.confirms_assent(),
            };
        }
    }

    /// Determines again which attacks by and on an argument are between equal claims, after its claim changed.
    fn compare_claims_of_attacks(&mut self, argument: ArgumentId) {
        let of_it = |attack: &Attack| attack.raised.source == argument || attack.raised.target == argument;
        let attacks = self.attacks.iter().filter(|(_, attack)| of_it(attack));
        let equal: Vec<(AttackId, bool)> =
            attacks.map(|(id, attack)| (*id, self.claim_equally(attack.raised.source, attack.raised.target))).collect();
        for (id, is_between_equals) in equal {
            if let Some(attack) = self.attacks.get_mut(&id) {
                attack.is_between_equals = is_between_equals;
            }
        }
    }

    /// Speaker of an argument.
    pub fn speaker(&self, id: ArgumentId) -> Option<&PersonaId> {
        self.arguments.get(&id).map(|argument| &argument.advanced.speaker)
    }

    /// Turn in which an argument was advanced; `None` if there is no such argument, or its turn is unknown.
    pub fn turn(&self, id: ArgumentId) -> Option<TurnId> {
        self.arguments.get(&id).and_then(Argument::turn)
    }

    /// Next unused argument id.
    pub fn next_argument(&self) -> ArgumentId {
        ArgumentId(self.arguments.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// Next unused attack id.
    pub fn next_attack(&self) -> AttackId {
        AttackId(self.attacks.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }
}

impl Projection for ArgumentGraph {
    fn apply(&mut self, recorded: &Recorded) {
        let version = recorded.version;
        match &recorded.event {
            Event::TurnTaken(taken) => drop(self.spoken.insert(taken.turn, taken.speaker.clone())),
            Event::Interjected(said) => {
                self.spoken.extend(said.speaker.clone().map(|speaker| (said.turn, speaker)));
            }
            Event::DisputeRaised(it) if it.is_topic && self.topic.is_none() => self.topic = Some(it.clone()),
            Event::StanceTaken(taken) => self.take_side(taken, version),
            Event::ConcessionMade(made) => {
                if let ConcessionEffect::Withdrew { argument } = made.effect {
                    self.conceded.insert(version, argument);
                }
            }
            Event::WordsAudited(audited) if audited.auditor.qualified => self.read_again(&audited.readings),
            Event::ArgumentAdvanced(advanced) => {
                let argument = Argument {
                    advanced: advanced.clone(),
                    version,
                    revisions: Vec::new(),
                    withdrawn: None,
                    contested_withdrawal: None,
                    turn_basis: TurnBasis::Stated,
                    reading: None,
                    is_contested: false,
                };
                self.arguments.insert(advanced.argument, argument);
            }
            Event::ArgumentAttributed(it) => {
                self.arguments.entry(it.argument).and_modify(|argument| argument.turn_basis = it.basis);
            }
            Event::AttackRaised(raised) => {
                let is_between_equals = self.claim_equally(raised.source, raised.target);
                let attack = Attack {
                    raised: raised.clone(),
                    judged: None,
                    judged_version: None,
                    withdrawn: None,
                    version,
                    is_between_equals,
                };
                self.attacks.insert(raised.attack, attack);
            }
            Event::AttackJudged(judged) => {
                self.attacks.entry(judged.attack).and_modify(|attack| {
                    (attack.judged, attack.judged_version) = (Some(judged.clone()), Some(version));
                });
            }
            Event::ArgumentRevised(revised) => {
                if let Some(argument) = self.arguments.get_mut(&revised.argument) {
                    argument.revise(revised, version);
                }
                self.compare_claims_of_attacks(revised.argument);
            }
            Event::ArgumentWithdrawn(it) => {
                self.arguments.entry(it.argument).and_modify(|argument| argument.withdrawn = Some(it.clone()));
            }
            Event::AttackWithdrawn(it) => {
                self.attacks.entry(it.attack).and_modify(|attack| attack.withdrawn = Some(it.clone()));
            }
            Event::ClaimsCompared(compared) => {
                let of_arguments = compared.pairs.iter().filter(|pair| matches!(pair.one, PointId::Argument(_)));
                self.comparisons.extend(of_arguments.cloned());
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::talk::replies::decode::noted;
    use crate::engines::talk::sample::{persona, thesis};
    use crate::events::ids::DisputeId;

    #[test]
    fn a_thesis_that_says_the_opposite_of_its_speakers_side_opposes_none() {
        let close = "The port should close its gates by night.";
        for (claim, expected) in [
            ("The port should keep its gates open by night.", vec![(ArgumentId(1), ArgumentId(2))]),
            ("Watchmen are tired.", vec![(ArgumentId(1), ArgumentId(2))]),
            (close, Vec::new()),
        ] {
            let question = "Should the port close its gates by night?".to_owned();
            let mut graph = ArgumentGraph {
                topic: Some(DisputeRaised::bare(DisputeId(1), question, true)),
                topic_sides: BTreeMap::from([(persona("ada"), Side::Yes), (persona("ben"), Side::No)]),
                ..ArgumentGraph::default()
            };
            for (id, speaker, claim) in [(1, "ada", close), (2, "ben", claim)] {
                graph.apply(&noted(&thesis(id, speaker, claim)));
            }
            assert_eq!(graph.opposed_theses(), expected, "{claim}");
        }
    }
}
