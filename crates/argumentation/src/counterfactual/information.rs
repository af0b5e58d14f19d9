//! Value of information: the reduction of the uncertainty about a thesis by learning if an argument fails.
//!
//! A *world* is a possible outcome: each argument fails, for reasons outside the debate, with a probability of one
//! minus its credence; those that do not fail depend on their attackers, and the grounded labels follow. These are the
//! induced subgraphs of probabilistic argumentation (Li, Oren and Norman 2011), with independent probabilities. The
//! uncertainty about the thesis is the entropy of its label, in bits; the information of an argument is the mean
//! reduction of the entropy by learning if the argument fails, H(status) − E H(status | fails or not), which is never
//! negative.
//!
//! Worlds are sampled, 512 at a time, because exact counting is #P-hard; equal seeds give equal results.

use std::error::Error;
use std::fmt;

use crate::cancellation::is_cancelled;
use crate::counterfactual::ancestors::Ancestors;
use crate::counterfactual::bit_sliced::{BitSlicedLabels, LaneLabels};
use crate::framework::Framework;
use crate::structures::bitset::BitSet;
use crate::structures::random_bits::RandomBits;

/// Maximum number of worlds to sample.
pub const MAX_WORLDS: u64 = 1 << 24;

/// Recommended number of worlds; results are then accurate to about 0.01 bits.
pub const WORLDS: u64 = 100_000;

/// Number of words of worlds per step.
const W: usize = 8;

/// Uncertainty about a thesis, and the information of each argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Information {
    /// Number of worlds sampled: the requested number, rounded up to whole steps.
    pub worlds: u64,
    /// Share of the worlds in which the thesis is IN.
    pub inside: f64,
    /// Share of the worlds in which the thesis is OUT.
    pub out: f64,
    /// Entropy of the label of the thesis, in bits: from 0 to log₂ 3.
    pub entropy: f64,
    /// Information of each argument, by index, in bits. 0 for the thesis, for arguments that cannot affect it and for
    /// arguments with a certain outcome.
    pub gains: Vec<f64>,
}

/// Error of [`information`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InformationError {
    /// The thesis is not in the framework.
    UnknownThesis {
        /// The thesis.
        thesis: u32,
        /// Number of arguments in the framework.
        arguments: usize,
    },
    /// The number of credences is not the number of arguments.
    Credences {
        /// Number of credences given.
        given: usize,
        /// Number of arguments in the framework.
        arguments: usize,
    },
    /// A credence is not between 0 and 1.
    Credence {
        /// The argument.
        argument: usize,
        /// The credence.
        credence: f64,
    },
    /// The number of worlds is 0 or greater than [`MAX_WORLDS`].
    Worlds {
        /// Number of worlds requested.
        worlds: u64,
    },
}

/// Estimates the information of each argument about a thesis. The credence of an argument is the probability that it
/// does not fail, from 0 to 1, rounded to 1/256; that of the thesis is ignored.
///
/// For every 512 worlds, one pass over the cone of the thesis, and up to 8 random words per 64 worlds and argument.
/// With n worlds, some 3/n bits are found by chance for an argument without any information.
///
/// # Errors
///
/// [`InformationError::UnknownThesis`] if the thesis is not in the framework, [`InformationError::Credences`] if there
/// is not one credence per argument, [`InformationError::Credence`] if one is not between 0 and 1, and
/// [`InformationError::Worlds`] if the number of worlds is 0 or greater than [`MAX_WORLDS`].
pub fn information(
    framework: &Framework,
    thesis: u32,
    credences: &[f64],
    worlds: u64,
    seed: u64,
) -> Result<Information, InformationError> {
    check(framework, thesis, credences, worlds)?;
    let cone = Ancestors::of(framework, &[thesis]);
    let last = cone.members().len() - 1;
    let fails = |place: usize| 256 - (credences[cone.members()[place] as usize] * 256.0).round() as u32;
    let mut lanes = BitSlicedLabels::<W>::new(&cone);
    // Places that may or may not fail.
    let mut open: Vec<(usize, u8, Counts)> = Vec::with_capacity(last);
    for place in 0..last {
        match u8::try_from(fails(place)) {
            Ok(0) => {}
            Ok(parts) => open.push((place, parts, Counts::default())),
            Err(_) => lanes.intervene_all(place, LaneLabels { inside: BitSet::EMPTY, out: BitSet::below(64 * W) }),
        }
    }
    let mut chance = RandomBits::<W>::new(seed);
    let mut whole = Counts::default();
    for _ in 0..worlds.div_ceil(64 * W as u64) {
        if is_cancelled() {
            break;
        }
        for &(place, parts, _) in &open {
            lanes.intervene_all(
                place,
                LaneLabels { inside: BitSet::EMPTY, out: BitSet::from_words(chance.bits(parts)) },
            );
        }
        lanes.propagate();
        let labels = *lanes.labels(last);
        whole.add(&BitSet::below(64 * W), &labels);
        for (place, _, counts) in &mut open {
            counts.add(&lanes.settled(*place).out, &labels);
        }
    }
    let mut gains = vec![0.0; framework.len()];
    for (place, _, counts) in &open {
        gains[cone.members()[*place] as usize] = whole.gain(counts);
    }
    let share = |part: u64| part as f64 / whole.worlds as f64;
    let (inside, out) = (share(whole.inside), share(whole.out));
    Ok(Information { worlds: whole.worlds, inside, out, entropy: whole.entropy(), gains })
}

fn check(framework: &Framework, thesis: u32, credences: &[f64], worlds: u64) -> Result<(), InformationError> {
    let arguments = framework.len();
    if thesis as usize >= arguments {
        return Err(InformationError::UnknownThesis { thesis, arguments });
    }
    if credences.len() != arguments {
        return Err(InformationError::Credences { given: credences.len(), arguments });
    }
    if let Some(argument) = credences.iter().position(|credence| !(0.0..=1.0).contains(credence)) {
        return Err(InformationError::Credence { argument, credence: credences[argument] });
    }
    if worlds == 0 || worlds > MAX_WORLDS {
        return Err(InformationError::Worlds { worlds });
    }
    Ok(())
}

/// Number of worlds of a kind, and the labels of the thesis in them.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    worlds: u64,
    inside: u64,
    out: u64,
}

impl Counts {
    #[inline]
    fn add(&mut self, those: &BitSet<W>, thesis: &LaneLabels<W>) {
        self.worlds += u64::from(those.len());
        self.inside += u64::from(those.and(&thesis.inside).len());
        self.out += u64::from(those.and(&thesis.out).len());
    }

    fn minus(&self, other: &Self) -> Self {
        let Self { worlds, inside, out } = *self;
        Self { worlds: worlds - other.worlds, inside: inside - other.inside, out: out - other.out }
    }

    /// Returns the entropy of the label, in bits; 0 without worlds.
    fn entropy(&self) -> f64 {
        let of = |part: u64| match part {
            0 => 0.0,
            part => part as f64 / self.worlds as f64 * (self.worlds as f64 / part as f64).log2(),
        };
        of(self.inside) + of(self.out) + of(self.worlds - self.inside - self.out)
    }

    /// Returns the reduction of the entropy by learning if a world is one of `those`.
    fn gain(&self, those: &Self) -> f64 {
        let weighed = |counts: &Self| counts.worlds as f64 / self.worlds as f64 * counts.entropy();
        (self.entropy() - weighed(those) - weighed(&self.minus(those))).max(0.0)
    }
}

impl fmt::Display for InformationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cannot compute the value of information: ")?;
        match self {
            Self::UnknownThesis { thesis, arguments } => {
                write!(f, "unknown argument {thesis}: there are {arguments} arguments, numbered from 0")
            }
            Self::Credences { given, arguments } => {
                write!(f, "{given} credences for {arguments} arguments; give one per argument")
            }
            Self::Credence { argument, credence } => {
                write!(f, "the credence {credence} of argument {argument} is not between 0 and 1")
            }
            Self::Worlds { worlds } => {
                write!(f, "{worlds} worlds requested; the number must be from 1 to {MAX_WORLDS}")
            }
        }
    }
}

impl Error for InformationError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn framework(arguments: usize, attacks: &[(u32, u32)]) -> Framework {
        Framework::new(arguments, attacks.iter().copied()).expect("in range")
    }

    #[test]
    fn entropy_and_information_are_estimated() {
        fn check(attacks: &[(u32, u32)], credences: [f64; 4], inside: f64, entropy: f64, gains: [f64; 4]) {
            let found = information(&framework(4, attacks), 0, &credences, WORLDS, 3).expect("valid input");
            let near = |a: f64, b: f64| (a - b).abs() < 0.01;
            assert!(near(found.inside, inside) && near(found.entropy, entropy), "{found:?}");
            assert!(found.gains.iter().zip(gains).all(|(&gain, due)| near(gain, due)), "{found:?}");
            assert_eq!(found.worlds, 100_352);
        }
        // Nothing is uncertain.
        check(&[(1, 0)], [0.5, 1.0, 0.5, 0.5], 0.0, 0.0, [0.0; 4]);
        check(&[(1, 0)], [0.5, 0.0, 0.5, 0.5], 1.0, 0.0, [0.0; 4]);
        // One even chance decides everything.
        check(&[(1, 0)], [1.0, 0.5, 1.0, 1.0], 0.5, 1.0, [0.0, 1.0, 0.0, 0.0]);
        // Two attackers: 0 is IN one time in four.
        check(&[(1, 0), (2, 0)], [1.0, 0.5, 0.5, 0.5], 0.25, 0.811, [0.0, 0.311, 0.311, 0.0]);
        // 2 matters only if 1 does not fail; in most worlds the label is the same.
        check(&[(1, 0), (2, 1)], [1.0, 0.5, 0.5, 0.5], 0.75, 0.811, [0.0, 0.311, 0.311, 0.0]);
        // 1 and 2 attack each other: all three labels occur.
        check(&[(1, 0), (1, 2), (2, 1)], [1.0, 0.5, 0.5, 0.5], 0.5, 1.5, [0.0, 1.0, 0.5, 0.0]);
    }

    #[test]
    fn invalid_input_is_refused() {
        fn check(thesis: u32, credences: &[f64], worlds: u64, words: &str) {
            let error = information(&framework(2, &[(0, 1)]), thesis, credences, worlds, 0).expect_err("refused");
            assert_eq!(error.to_string(), format!("cannot compute the value of information: {words}"));
        }
        check(2, &[1.0, 1.0], 1, "unknown argument 2: there are 2 arguments, numbered from 0");
        check(0, &[1.0], 1, "1 credences for 2 arguments; give one per argument");
        check(0, &[1.0, 1.5], 1, "the credence 1.5 of argument 1 is not between 0 and 1");
        check(0, &[f64::NAN, 1.0], 1, "the credence NaN of argument 0 is not between 0 and 1");
        check(0, &[1.0, 1.0], 0, "0 worlds requested; the number must be from 1 to 16777216");
        check(0, &[1.0, 1.0], MAX_WORLDS + 1, "16777217 worlds requested; the number must be from 1 to 16777216");
    }
}
