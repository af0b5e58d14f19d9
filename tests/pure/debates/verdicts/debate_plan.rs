//! Random plans of debates, and verdicts without names and numbers, for the laws of verdicts.

use std::collections::{BTreeMap, BTreeSet};

use faultline_argumentation::labelling::Label;
use faultline_core::events::argument::ArgumentPart::{Assumption, Claim, Premise};
use faultline_core::events::argument::AttackKind::{Rebut, Undercut, Undermine};
use faultline_core::events::argument::{ArgumentPart, AttackKind};
use faultline_core::events::dispute::Side;
use faultline_core::events::ids::{ArgumentId, PersonaId};
use faultline_core::events::lifecycle::DebateOutcome;
use faultline_core::verdicts::coverage::Coverage;
use faultline_core::verdicts::crux::{Crux, CruxOrigin};
use faultline_core::verdicts::crux_id::CruxKey;
use faultline_core::verdicts::regime::RegimeKind;

use crate::debates::verdicts::verdict_debate::{VerdictDebate, exhausted};
use crate::support::random::Random;

// The metamorphic laws.

/// Plan of a debate that can be held in any order of speakers and under any names.
#[derive(Clone, Debug)]
pub struct DebatePlan {
    pub speakers: Vec<String>,
    pub arguments: Vec<Planned>,
    pub attacks: Vec<PlannedAttack>,
    pub disputes: Vec<PlannedDispute>,
    /// Pairs of arguments of different speakers that were compared, with no conflict found.
    pub compared: Vec<(usize, usize)>,
    /// Whether the debate ends at a limit, otherwise because nothing new comes.
    pub limited: bool,
}

#[derive(Clone, Debug)]
pub struct Planned {
    pub speaker: usize,
    pub claim: String,
    pub premises: Vec<String>,
    pub assumptions: Vec<String>,
    pub answers_topic: bool,
}

#[derive(Clone, Debug)]
pub struct PlannedAttack {
    pub source: usize,
    pub target: usize,
    pub kind: AttackKind,
    pub component: ArgumentPart,
    pub judged: Option<bool>,
}

#[derive(Clone, Debug)]
pub struct PlannedDispute {
    pub question: String,
    pub is_topic: bool,
    pub retired: bool,
    /// Stances in order: speaker and side.
    pub stances: Vec<(usize, Side)>,
}

impl Planned {
    /// Returns the claim or any other component.
    pub fn any_component(&self, chance: &mut Random) -> ArgumentPart {
        let number = |n: usize| u32::try_from(n).expect("few components");
        let premises = (0..number(self.premises.len())).map(Premise);
        let assumptions = (0..number(self.assumptions.len())).map(Assumption);
        let components: Vec<ArgumentPart> = premises.chain(assumptions).collect();
        if components.is_empty() || chance.below(3) == 0 { Claim } else { chance.choose(&components) }
    }
}

impl PlannedDispute {
    fn several(n_speakers: usize, chance: &mut Random) -> Vec<PlannedDispute> {
        let sides = [Side::Yes, Side::No, Side::Nuanced, Side::Undecided];
        let asks_topic = chance.below(4) > 0;
        let planned = (0..chance.below(5)).map(|n| {
            let all = sides[chance.below(2)];
            let agreed: Vec<(usize, Side)> = (0..n_speakers).map(|speaker| (speaker, all)).collect();
            let is_topic = n == 0 && asks_topic;
            let any = |chance: &mut Random| (chance.below(n_speakers), chance.choose(&sides));
            let mixed: Vec<(usize, Side)> = (0..chance.below(2 * n_speakers + 1)).map(|_| any(chance)).collect();
            let split = (0..n_speakers).map(|speaker| (speaker, chance.choose(&sides[..2]))).collect();
            let negates = n > 1 && chance.below(2) == 0;
            PlannedDispute {
                question: if negates { format!("not question {}", n - 1) } else { format!("question {n}") },
                is_topic,
                retired: !is_topic && chance.below(5) == 0,
                stances: match chance.below(4) {
                    0 if is_topic => split,
                    0 | 1 => agreed,
                    _ => mixed,
                },
            }
        });
        planned.collect()
    }
}

impl DebatePlan {
    fn by(chance: &mut Random) -> DebatePlan {
        let n_speakers = 2 + chance.below(3);
        let n_arguments = if chance.below(3) == 0 { chance.below(3) } else { 2 + chance.below(7) };
        let text = |chance: &mut Random, word: &str| match chance.below(3) {
            0 => format!("{word} {}", chance.below(4)),
            1 => format!("{}  {}.", word.to_uppercase(), chance.below(4)),
            _ => format!("text {}", chance.below(3)), // an assumption of one, a premise of another
        };
        let arguments: Vec<Planned> = (0..n_arguments)
            .map(|n| Planned {
                speaker: chance.below(n_speakers),
                claim: format!("claim {n}"),
                premises: (0..chance.below(3)).map(|_| text(chance, "premise")).collect(),
                assumptions: (0..chance.below(3)).map(|_| text(chance, "assumption")).collect(),
                answers_topic: chance.below(2) == 0,
            })
            .collect();
        let n_attacks = if n_arguments < 2 { 0 } else { chance.below(2 * n_arguments) };
        let attack = |chance: &mut Random| {
            let target = chance.below(n_arguments);
            PlannedAttack {
                source: chance.below(n_arguments),
                target,
                kind: [Rebut, Rebut, Undermine, Undercut][chance.below(4)],
                component: arguments[target].any_component(chance),
                judged: [None, Some(false), Some(true), Some(true), Some(true)][chance.below(5)],
            }
        };
        let attacks = (0..n_attacks).map(|_| attack(chance)).filter(|attack| attack.source != attack.target).collect();
        let speakers = ["ada", "ben", "cleo", "dora"][..n_speakers].iter().map(|name| (*name).to_owned()).collect();
        let disputes = PlannedDispute::several(n_speakers, chance);
        let compares = chance.below(2) == 0;
        let pairs = (0..n_arguments).flat_map(|one| (one + 1..n_arguments).map(move |other| (one, other)));
        let compared = pairs.filter(|(one, other)| compares && arguments[*one].speaker != arguments[*other].speaker);
        let compared = compared.collect();
        DebatePlan { speakers, attacks, disputes, compared, limited: chance.below(6) == 0, arguments }
    }

    /// Holds the debate with the turns of the speakers in this order.
    pub fn held(&self, order: &[usize]) -> VerdictDebate {
        let names: Vec<&str> = order.iter().map(|it| self.speakers[*it].as_str()).collect();
        let mut debate = VerdictDebate::new(&names);
        let mut ids = BTreeMap::new();
        for speaker in order {
            for (n, it) in self.arguments.iter().enumerate().filter(|(_, argument)| argument.speaker == *speaker) {
                let id = debate.add_argument(&self.speakers[*speaker], &it.claim, |advanced| {
                    advanced.premises.clone_from(&it.premises);
                    advanced.assumptions.clone_from(&it.assumptions);
                    advanced.answers_topic = it.answers_topic;
                });
                ids.insert(n, id);
            }
        }
        for speaker in order {
            for it in self.attacks.iter().filter(|attack| self.arguments[attack.source].speaker == *speaker) {
                let attack = debate.raise_attack(ids[&it.source], ids[&it.target], it.kind, it.component);
                it.judged.iter().for_each(|valid| debate.judge_attack(attack, *valid));
            }
        }
        let compared = self.compared.iter().map(|(one, other)| (ids[one], ids[other]));
        debate.compare(&compared.collect::<Vec<_>>());
        for it in &self.disputes {
            let dispute = if it.is_topic { debate.ask_topic("") } else { debate.raise_dispute(&it.question) };
            // Whether a dispute was ever open depends on the order of changes, so only the first stances change places.
            let first = |speaker: &usize| it.stances.iter().position(|(who, _)| who == speaker);
            let firsts: Vec<usize> = order.iter().filter_map(first).collect();
            let later = (0..it.stances.len()).filter(|place| !firsts.contains(place));
            for (speaker, side) in firsts.iter().copied().chain(later).map(|place| it.stances[place]) {
                debate.take_side(&self.speakers[speaker], dispute, side);
            }
            if it.retired {
                debate.retire_argument(dispute);
            }
        }
        for speaker in order.iter().chain(order) {
            debate.turn(&self.speakers[*speaker]);
        }
        let limit = || DebateOutcome::Limit { limit: "turns".into(), reason: "all are spent".into() };
        debate.conclude(if self.limited { limit() } else { exhausted() });
        debate
    }

    /// Returns the last side of a speaker on the topic.
    pub fn side_on_topic(&self, speaker: usize) -> Option<Side> {
        let topic = self.disputes.iter().find(|dispute| dispute.is_topic)?;
        topic.stances.iter().rfind(|(who, _)| *who == speaker).map(|(_, side)| *side)
    }

    pub fn in_order(&self) -> Vec<usize> {
        (0..self.speakers.len()).collect()
    }
}

/// Verdict without what depends on numbers and order: arguments by their claims, disputes by their questions.
#[derive(Clone, Debug, PartialEq)]
pub struct NormalizedVerdict {
    pub regime: RegimeKind,
    pub coverage: Coverage,
    pub exact: bool,
    pub topic: BTreeMap<String, (Side, Side)>,
    pub cruxes: BTreeSet<String>,
    pub contested: BTreeSet<String>,
    pub ranks: Vec<(Option<u64>, Option<u32>, usize, usize)>,
    pub keys: BTreeSet<CruxKey>,
    pub resolved: BTreeSet<String>,
    pub common_ground: BTreeSet<(String, Side, BTreeSet<String>)>,
    pub camps: BTreeSet<(BTreeSet<String>, BTreeSet<String>, BTreeSet<String>)>,
    pub labels: BTreeMap<String, Label>,
    pub n_extensions: String,
    pub last_word: (usize, usize),
}

pub fn normalize(debate: &VerdictDebate) -> NormalizedVerdict {
    normalize_as(debate, &str::to_owned)
}

/// Normalizes a verdict with its personas renamed.
pub fn normalize_as(debate: &VerdictDebate, name: &dyn Fn(&str) -> String) -> NormalizedVerdict {
    let read_model = debate.read_model();
    let verdict = read_model.verdict();
    let claim = |id: &ArgumentId| read_model.arguments.component_text(*id, Claim).expect("an argument").to_owned();
    let names = |those: &[PersonaId]| those.iter().map(|persona| name(persona.as_str())).collect::<BTreeSet<_>>();
    let claims = |those: &[ArgumentId]| those.iter().map(claim).collect::<BTreeSet<_>>();
    let crux = |crux: &Crux| {
        let origin = match crux.origin {
            CruxOrigin::Dispute { .. } => "dispute".to_owned(),
            CruxOrigin::Acknowledged { .. } => "acknowledged".to_owned(),
            CruxOrigin::Structure { level } => format!("{level:?}"),
        };
        let positions: BTreeSet<String> = crux
            .positions
            .iter()
            .map(|position| format!("{} {}", name(position.persona.as_str()), position.side.name()))
            .collect();
        let words = |text: &str| {
            let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
            words.join(" ").trim_end_matches('.').to_owned()
        };
        let others: Vec<String> = crux.other_statements.iter().map(|other| words(other)).collect();
        let (statement, dependents) = (words(&crux.statement), claims(&crux.dependents));
        format!("{origin}: {statement} with {others:?} | {dependents:?} | {positions:?}")
    };
    NormalizedVerdict {
        regime: verdict.regime.kind,
        coverage: verdict.regime.coverage,
        exact: verdict.regime.exact,
        topic: verdict
            .topic
            .iter()
            .flat_map(|topic| &topic.positions)
            .map(|position| (name(position.persona.as_str()), (position.first, position.side)))
            .collect(),
        cruxes: verdict.cruxes.iter().map(crux).collect(),
        contested: verdict.contested.iter().map(crux).collect(),
        ranks: verdict
            .cruxes
            .iter()
            .map(|crux| {
                let order = crux.consequence.and_then(|consequence| consequence.order);
                (crux.pivotality.map(f64::to_bits), order, crux.dependents.len(), crux.attack_degree)
            })
            .collect(),
        keys: verdict.cruxes.iter().map(|crux| crux.key).collect(),
        resolved: verdict.resolved.iter().map(crux).collect(),
        common_ground: verdict
            .common_ground
            .iter()
            .map(|ground| {
                (
                    ground.question.clone(),
                    ground.side,
                    ground.holders.iter().map(|holder| name(holder.persona.as_str())).collect(),
                )
            })
            .collect(),
        camps: verdict
            .camps
            .iter()
            .map(|camp| (claims(&camp.arguments), names(&camp.personas), names(&camp.tied)))
            .collect(),
        labels: verdict.labels.iter().map(|(id, label)| (claim(id), *label)).collect(),
        n_extensions: verdict.n_extensions,
        last_word: (verdict.last_word.standing, verdict.last_word.unanswered),
    }
}

/// Runs a check on several hundred plots, each with further random numbers.
pub fn debate_plans(mut check: impl FnMut(&DebatePlan, &mut Random)) {
    let mut chance = Random(0x0dd_ba11);
    for _ in 0..600 {
        let plot = DebatePlan::by(&mut chance);
        check(&plot, &mut chance);
    }
}
