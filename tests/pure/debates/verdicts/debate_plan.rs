//! Random plans of debates, and verdicts without names and numbers, for the laws of verdicts.

use std::collections::{BTreeMap, BTreeSet};

use faultline_argumentation::labelling::Label;
use faultline_core::events::argument::ArgumentPart::Claim;
use faultline_core::events::argument::AttackKind;
use faultline_core::events::argument::AttackKind::{Rebut, Undercut, Undermine};
use faultline_core::events::dispute::Side;
use faultline_core::events::ids::{ArgumentId, PersonaId};
use faultline_core::verdicts::coverage::Coverage;
use faultline_core::verdicts::crux_id::CruxKey;
use faultline_core::verdicts::cruxes::{Crux, CruxOrigin};
use faultline_core::verdicts::regime::RegimeKind;

use crate::debates::verdicts::verdict_debate::VerdictDebate;
use crate::support::random::Random;

// The metamorphic laws.

/// Plan of a debate that can be held in any order of speakers and under any names.
#[derive(Clone, Debug)]
pub struct DebatePlan {
    pub speakers: Vec<String>,
    pub arguments: Vec<Planned>,
    pub attacks: Vec<PlannedAttack>,
    pub disputes: Vec<PlannedDispute>,
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
    pub judged: Option<bool>,
}

#[derive(Clone, Debug)]
pub struct PlannedDispute {
    pub question: String,
    pub retired: bool,
    /// Stances in order: speaker and side.
    pub stances: Vec<(usize, Side)>,
}

impl DebatePlan {
    fn by(chance: &mut Random) -> DebatePlan {
        let n_speakers = 2 + chance.below(3);
        let n_arguments = if chance.below(3) == 0 { chance.below(3) } else { chance.below(9) };
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
                answers_topic: chance.below(4) == 0,
            })
            .collect();
        let n_attacks = if n_arguments < 2 { 0 } else { chance.below(2 * n_arguments) };
        let attack = |chance: &mut Random| PlannedAttack {
            source: chance.below(n_arguments),
            target: chance.below(n_arguments),
            kind: [Rebut, Rebut, Undermine, Undercut][chance.below(4)],
            judged: [None, Some(false), Some(true), Some(true), Some(true)][chance.below(5)],
        };
        let attacks = (0..n_attacks).map(|_| attack(chance)).filter(|attack| attack.source != attack.target).collect();
        let sides = [Side::Yes, Side::No, Side::Nuanced, Side::Undecided];
        let disputes = (0..chance.below(4)).map(|n| {
            let all = sides[chance.below(2)];
            let agreed = (0..n_speakers).map(|speaker| (speaker, all)).collect();
            let any = |chance: &mut Random| (chance.below(n_speakers), sides[chance.below(sides.len())]);
            let mixed = (0..chance.below(2 * n_speakers + 1)).map(|_| any(chance)).collect();
            PlannedDispute {
                question: format!("question {n}"),
                retired: chance.below(5) == 0,
                stances: if chance.below(2) == 0 { agreed } else { mixed },
            }
        });
        let disputes = disputes.collect();
        let speakers = ["ada", "ben", "cleo", "dora"][..n_speakers].iter().map(|name| (*name).to_owned()).collect();
        DebatePlan { speakers, arguments, attacks, disputes }
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
                let attack = debate.raise_attack(ids[&it.source], ids[&it.target], it.kind, Claim);
                it.judged.iter().for_each(|valid| debate.judge_attack(attack, *valid));
            }
        }
        for it in &self.disputes {
            let dispute = debate.raise_dispute(&it.question);
            for speaker in order {
                for (_, side) in it.stances.iter().filter(|(who, _)| who == speaker) {
                    debate.take_side(&self.speakers[*speaker], dispute, *side);
                }
            }
            if it.retired {
                debate.retire_argument(dispute);
            }
        }
        debate
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
    pub cruxes: BTreeSet<String>,
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
        let words: Vec<String> = crux.statement.split_whitespace().map(str::to_lowercase).collect();
        let positions: BTreeSet<String> = crux
            .positions
            .iter()
            .map(|position| format!("{} {}", name(position.persona.as_str()), position.side.name()))
            .collect();
        let (statement, dependents) = (words.join(" "), claims(&crux.dependents));
        format!("{origin}: {} | {dependents:?} | {positions:?}", statement.trim_end_matches('.'))
    };
    NormalizedVerdict {
        regime: verdict.regime.kind,
        coverage: verdict.regime.coverage,
        exact: verdict.regime.exact,
        cruxes: verdict.cruxes.iter().map(crux).collect(),
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
                    ground.holders.iter().map(|(who, _)| name(who.as_str())).collect(),
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

/// Runs a check on a few hundred plots, each with further random numbers.
pub fn debate_plans(mut check: impl FnMut(&DebatePlan, &mut Random)) {
    let mut chance = Random(0x0dd_ba11);
    for _ in 0..300 {
        let plot = DebatePlan::by(&mut chance);
        check(&plot, &mut chance);
    }
}
