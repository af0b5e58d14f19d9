//! Arguments and attacks, and what Dung makes of them.
//!
//! What enters the framework is law (VERDICTS of the design): an argument that carries an attack lives only while that
//! attack is judged valid; an attack that nobody judged is not valid; a rebuttal between two claims is mutual; undermining
//! and undercutting are directed; what was withdrawn takes its attacks with it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::argumentation::framework::Framework;
use crate::argumentation::labelling::{Label, grounded};
use crate::events::argument::{
    ArgumentAdvanced, ArgumentRevised, ArgumentWithdrawn, AttackJudged, AttackKind, AttackRaised, AttackWithdrawn,
    Component,
};
use crate::events::distil::Comparison;
use crate::events::event::{Event, Recorded};
use crate::events::ids::{ArgumentId, AttackId, PersonaId, Point, TurnId};
use crate::projections::projection::Projection;

/// Arguments and attacks of a debate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ArgumentGraph {
    /// Every argument ever advanced, live or not.
    pub arguments: BTreeMap<ArgumentId, Argument>,
    /// Every attack ever raised, valid or not.
    pub attacks: BTreeMap<AttackId, Attack>,
    /// Every comparison of two arguments, whatever was found.
    #[serde(default)]
    pub comparisons: Vec<Comparison>,
}

/// An argument as it stands now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Argument {
    /// What was advanced, in the words of its last revision.
    #[serde(flatten)]
    pub advanced: ArgumentAdvanced,
    /// The version of the event that recorded it.
    pub version: i64,
    /// How it was narrowed, in order.
    #[serde(default)]
    pub revisions: Vec<Revision>,
    /// How it was given up; `None` while it was not.
    #[serde(default)]
    pub withdrawn: Option<ArgumentWithdrawn>,
}

/// A revision of an argument, and what it changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Revision {
    /// What was revised.
    pub revised: ArgumentRevised,
    /// The claim before it; `None` where the claim stayed.
    pub before: Option<String>,
    /// The version of the event that recorded it.
    pub version: i64,
}

/// An attack as it was raised, and what was made of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attack {
    /// What was raised.
    #[serde(flatten)]
    pub raised: AttackRaised,
    /// The judge's word; `None` while nobody judged it.
    pub judged: Option<AttackJudged>,
    /// How it was withdrawn; `None` while it was not.
    #[serde(default)]
    pub withdrawn: Option<AttackWithdrawn>,
    /// The version of the event that recorded it.
    pub version: i64,
}

impl Attack {
    /// How it works, the judge's correction taken.
    pub fn kind(&self) -> AttackKind {
        self.judged.as_ref().and_then(|it| it.kind).unwrap_or(self.raised.kind)
    }

    /// What it hits, the judge's correction taken.
    pub fn component(&self) -> Component {
        self.judged.as_ref().and_then(|it| it.component).unwrap_or(self.raised.component)
    }

    /// Whether it was judged and found to tell against its target, and was not withdrawn since.
    pub fn is_valid(&self) -> bool {
        self.withdrawn.is_none() && self.judged.as_ref().is_some_and(|it| it.valid)
    }

    /// Whether source and target tell against each other alike.
    pub fn is_mutual(&self) -> bool {
        self.kind() == AttackKind::Rebut && self.component() == Component::Claim
    }
}

impl Argument {
    fn revise(&mut self, revised: &ArgumentRevised, version: i64) {
        let before = revised.claim.as_ref().map(|it| std::mem::replace(&mut self.advanced.claim, it.clone()));
        self.advanced.assumptions.extend(revised.assumptions.iter().cloned());
        self.revisions.push(Revision { revised: revised.clone(), before, version });
    }
}

/// The framework of the live arguments: dense indices, and the names behind them.
#[derive(Clone, Debug)]
pub struct Framed {
    /// Arguments and attacks by index.
    pub framework: Framework,
    /// The argument at each index, ascending.
    pub ids: Vec<ArgumentId>,
}

impl Framed {
    /// The index of an argument; `None` where it is not live.
    pub fn index(&self, id: ArgumentId) -> Option<u32> {
        self.ids.binary_search(&id).ok().and_then(|it| u32::try_from(it).ok())
    }

    /// The argument at an index.
    pub fn id(&self, index: u32) -> ArgumentId {
        self.ids[index as usize]
    }
}

impl ArgumentGraph {
    /// Whether an argument counts: it was not withdrawn, and carries no attack or a valid one.
    pub fn is_live(&self, id: ArgumentId) -> bool {
        self.arguments.get(&id).is_some_and(|it| match it.advanced.carries {
            _ if it.withdrawn.is_some() => false,
            None => true,
            Some(attack) => self.attacks.get(&attack).is_some_and(Attack::is_valid),
        })
    }

    /// The arguments that count, in order.
    pub fn live(&self) -> impl Iterator<Item = (ArgumentId, &Argument)> {
        self.arguments.iter().map(|(id, it)| (*id, it)).filter(|(id, _)| self.is_live(*id))
    }

    /// The attacks that count: valid, between live arguments.
    pub fn active(&self) -> impl Iterator<Item = (AttackId, &Attack)> {
        self.attacks
            .iter()
            .map(|(id, it)| (*id, it))
            .filter(|(_, it)| it.is_valid() && self.is_live(it.raised.source) && self.is_live(it.raised.target))
    }

    /// The pairs of arguments that were examined for conflict, the smaller name first: an attack between the two was
    /// judged, or the two were compared.
    pub fn examined(&self) -> BTreeSet<(ArgumentId, ArgumentId)> {
        let judged = self.attacks.values().filter(|it| it.judged.is_some());
        let judged = judged.map(|it| (it.raised.source, it.raised.target));
        let compared = self.comparisons.iter().filter_map(|it| match (it.one, it.other) {
            (Point::Argument(one), Point::Argument(other)) => Some((one, other)),
            _ => None,
        });
        judged.chain(compared).map(|(one, other)| (one.min(other), one.max(other))).collect()
    }

    /// The pairs of live arguments of different speakers, the smaller name first.
    pub fn pairs(&self) -> Vec<(ArgumentId, ArgumentId)> {
        let live: Vec<_> = self.live().collect();
        let pairs = live.iter().enumerate().flat_map(|(index, (one, argument))| {
            let others = live[index + 1..].iter();
            let others = others.filter(|(_, it)| it.advanced.speaker != argument.advanced.speaker);
            others.map(|(other, _)| (*one, *other))
        });
        pairs.collect()
    }

    /// The framework of what counts.
    pub fn framed(&self) -> Framed {
        let ids: Vec<ArgumentId> = self.live().map(|(id, _)| id).collect();
        let index = |id: ArgumentId| ids.binary_search(&id).ok().and_then(|it| u32::try_from(it).ok());
        let mut pairs = Vec::new();
        for (_, attack) in self.active() {
            if let (Some(source), Some(target)) = (index(attack.raised.source), index(attack.raised.target)) {
                pairs.push((source, target));
                if attack.is_mutual() {
                    pairs.push((target, source));
                }
            }
        }
        let framework = Framework::new(ids.len(), pairs).expect("every index comes from the list of ids");
        Framed { framework, ids }
    }

    /// The grounded label of every live argument.
    pub fn labels(&self) -> BTreeMap<ArgumentId, Label> {
        let framed = self.framed();
        let labelling = grounded(&framed.framework);
        framed.ids.iter().copied().zip(labelling.0).collect()
    }

    /// The text of a component of an argument.
    pub fn component_text(&self, id: ArgumentId, component: Component) -> Option<&str> {
        let argument = &self.arguments.get(&id)?.advanced;
        match component {
            Component::Claim => Some(argument.claim.as_str()),
            Component::Premise(index) => argument.premises.get(index as usize).map(String::as_str),
            Component::Assumption(index) => argument.assumptions.get(index as usize).map(String::as_str),
        }
    }

    /// Whose an argument is.
    pub fn speaker(&self, id: ArgumentId) -> Option<&PersonaId> {
        self.arguments.get(&id).map(|it| &it.advanced.speaker)
    }

    /// The turn in which an argument was advanced.
    pub fn turn(&self, id: ArgumentId) -> Option<TurnId> {
        self.arguments.get(&id).map(|it| it.advanced.turn)
    }

    /// The name of the next argument.
    pub fn next_argument(&self) -> ArgumentId {
        ArgumentId(self.arguments.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// The name of the next attack.
    pub fn next_attack(&self) -> AttackId {
        AttackId(self.attacks.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }
}

impl Projection for ArgumentGraph {
    const NAME: &'static str = "argument_graph";
    const REVISION: i32 = 2;

    fn apply(&mut self, recorded: &Recorded) {
        let version = recorded.version;
        match &recorded.event {
            Event::ArgumentAdvanced(advanced) => {
                let argument = Argument { advanced: advanced.clone(), version, revisions: Vec::new(), withdrawn: None };
                self.arguments.insert(advanced.argument, argument);
            }
            Event::AttackRaised(raised) => {
                let attack = Attack { raised: raised.clone(), judged: None, withdrawn: None, version };
                self.attacks.insert(raised.attack, attack);
            }
            Event::AttackJudged(judged) => {
                if let Some(attack) = self.attacks.get_mut(&judged.attack) {
                    attack.judged = Some(judged.clone());
                }
            }
            Event::ArgumentRevised(revised) => {
                if let Some(argument) = self.arguments.get_mut(&revised.argument) {
                    argument.revise(revised, version);
                }
            }
            Event::ArgumentWithdrawn(withdrawn) => {
                if let Some(argument) = self.arguments.get_mut(&withdrawn.argument) {
                    argument.withdrawn = Some(withdrawn.clone());
                }
            }
            Event::AttackWithdrawn(withdrawn) => {
                if let Some(attack) = self.attacks.get_mut(&withdrawn.attack) {
                    attack.withdrawn = Some(withdrawn.clone());
                }
            }
            Event::ClaimsCompared(compared) => {
                let of_arguments = compared.pairs.iter().filter(|it| matches!(it.one, Point::Argument(_)));
                self.comparisons.extend(of_arguments.cloned());
            }
            _ => {}
        }
    }
}
