//! Random frameworks, and the definitions evaluated on all subsets.

use faultline_argumentation::framework::Framework;
use faultline_argumentation::labelling::{Label, Labelling};
use faultline_argumentation::semantics::Semantics;

use crate::support::random::Random;

impl Random {
    /// Draws a framework of up to `most` arguments, sparse or dense, with a varying share of mutual attacks.
    pub fn framework(&mut self, most: u64) -> Framework {
        let size = self.below(most + 1);
        let (thickness, mutual, alone) = (1 + self.below(45), self.below(100), self.below(15));
        let mut attacks = Vec::new();
        for a in 0..size {
            for b in 0..size {
                let likely = if a == b { alone } else { thickness };
                if self.below(100) < likely {
                    attacks.push((a as u32, b as u32));
                    if self.below(100) < mutual {
                        attacks.push((b as u32, a as u32));
                    }
                }
            }
        }
        Framework::new(size as usize, attacks).expect("in range")
    }

    /// Draws a debate in which each argument answers an earlier one, some of them mutually, with some attacks across.
    pub fn debate(&mut self, size: u64) -> Framework {
        let mutual = self.below(60);
        let mut attacks = Vec::new();
        for reply in 1..size + size / 5 {
            let (a, b) = if reply < size { (reply, self.below(reply)) } else { (self.below(size), self.below(size)) };
            attacks.push((a as u32, b as u32));
            if self.below(100) < mutual {
                attacks.push((b as u32, a as u32));
            }
        }
        Framework::new(size as usize, attacks).expect("in range")
    }

    pub fn permutation(&mut self, size: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..).take(size).collect();
        self.shuffle(&mut order);
        order
    }
}

/// Evaluation of the definitions on sets of arguments as bit masks.
pub struct Oracle {
    attackers: Vec<u32>,
    attacked: Vec<u32>,
}

impl Oracle {
    pub fn new(framework: &Framework) -> Self {
        let bits = |row: &[u32]| row.iter().fold(0, |bits, argument| bits | 1 << argument);
        let attackers = framework.arguments().map(|a| bits(framework.attackers(a))).collect();
        Self { attackers, attacked: framework.arguments().map(|a| bits(framework.attacked(a))).collect() }
    }

    pub fn attacked_by(&self, set: u32) -> u32 {
        members(set).fold(0, |out, argument| out | self.attacked[argument])
    }

    /// Returns the arguments that the set defends.
    pub fn defended_by(&self, set: u32) -> u32 {
        let out = self.attacked_by(set);
        let defended = (0..self.attackers.len()).filter(|&argument| self.attackers[argument] & !out == 0);
        defended.fold(0, |bits, argument| bits | 1 << argument)
    }

    pub fn preferred(&self) -> Vec<Vec<u32>> {
        let admissible = |&set: &u32| self.attacked_by(set) & set == 0 && set & !self.defended_by(set) == 0;
        let admissible: Vec<u32> = (0..1 << self.attackers.len()).filter(admissible).collect();
        let maximal = |&&set: &&u32| !admissible.iter().any(|&other| other != set && set & !other == 0);
        let mut sets: Vec<Vec<u32>> = admissible.iter().filter(maximal).map(|&set| member_list(set)).collect();
        sets.sort_unstable();
        sets
    }

    /// Returns the extensions as bit masks, ascending, computed from the definitions alone over all subsets.
    pub fn extensions(&self, semantics: Semantics) -> Vec<u32> {
        let sets = 1_usize << self.attackers.len();
        let (mut out, mut against) = (vec![0_u32; sets], vec![0_u32; sets]);
        for set in 1..sets {
            let (first, rest) = (set.trailing_zeros() as usize, set & (set - 1));
            out[set] = out[rest] | self.attacked[first];
            against[set] = against[rest] | self.attackers[first];
        }
        let among = |kept: &dyn Fn(usize) -> bool| -> Vec<u32> {
            (0..sets).filter(|&set| out[set] & set as u32 == 0 && kept(set)).map(|set| set as u32).collect()
        };
        let admissible = |set: usize| against[set] & !out[set] == 0;
        let complete = |set: usize| {
            let holds = |argument: usize| set >> argument & 1 == 1;
            admissible(set)
                && (0..self.attackers.len())
                    .all(|argument| holds(argument) || self.attackers[argument] & !out[set] != 0)
        };
        let largest = |sets: Vec<u32>, size: &dyn Fn(u32) -> u32| -> Vec<u32> {
            let within = |a: u32, b: u32| size(a) & !size(b) == 0 && size(a) != size(b);
            sets.iter().copied().filter(|&a| !sets.iter().any(|&b| within(a, b))).collect()
        };
        let itself = |set: u32| set;
        let range = |set: u32| set | out[set as usize];
        let all = (sets - 1) as u32;
        match semantics {
            Semantics::Complete => among(&complete),
            Semantics::Grounded => {
                let every = among(&complete).into_iter().fold(all, |every, set| every & set);
                vec![every]
            }
            Semantics::Preferred => largest(among(&admissible), &itself),
            Semantics::Stable => among(&|set| range(set as u32) == all),
            Semantics::SemiStable => largest(among(&complete), &range),
            Semantics::Stage => largest(among(&|_| true), &range),
            Semantics::Ideal => {
                let preferred = largest(among(&admissible), &itself);
                let every = preferred.into_iter().fold(all, |every, set| every & set);
                largest(among(&|set| admissible(set) && set as u32 & !every == 0), &itself)
            }
        }
    }

    pub fn grounded(&self) -> Labelling {
        let mut set = 0;
        while self.defended_by(set) != set {
            set = self.defended_by(set);
        }
        let out = self.attacked_by(set);
        let label = |argument: usize| match (set >> argument & 1, out >> argument & 1) {
            (1, _) => Label::In,
            (_, 1) => Label::Out,
            _ => Label::Undec,
        };
        Labelling((0..self.attackers.len()).map(label).collect())
    }
}

fn members(set: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |argument| set >> argument & 1 == 1)
}

pub fn member_list(set: u32) -> Vec<u32> {
    (0..32).filter(|argument| set >> argument & 1 == 1).collect()
}
