//! The value of information: how much less is open about a thesis once one knows whether an argument fails.
//!
//! A *world* is what may turn out: each argument fails, for reasons outside the debate, with the chance that its
//! credence leaves; what does not fail is left to the arguments against it, and the grounded labels follow. These are
//! the induced subgraphs of probabilistic argumentation (Li, Oren and Norman 2011), with independent chances. The
//! uncertainty about the thesis is the entropy of its label, in bits; the information an argument gives is what is gone
//! of it on average when it is known whether the argument fails, H(status) − E H(status | fails or not): never less
//! than nothing.
//!
//! Worlds are sampled, not counted (that is #P-hard), 512 at a time; the same seed gives the same answer.

use std::error::Error;
use std::fmt;

use crate::argumentation::bits::Bits;
use crate::argumentation::cancellation::is_cancelled;
use crate::argumentation::counterfactual::chance::Chance;
use crate::argumentation::counterfactual::cone::Cone;
use crate::argumentation::counterfactual::lanes::{Labels, Lanes};
use crate::argumentation::framework::Framework;

/// The most worlds that are sampled.
pub const MAX_WORLDS: u64 = 1 << 24;

/// How many worlds suit most: what is told is then right to about 0.01 bits.
pub const WORLDS: u64 = 100_000;

/// How many words of worlds are tried at a time.
const W: usize = 8;

/// What is open about a thesis, and what each argument would tell.
#[derive(Clone, Debug, PartialEq)]
pub struct Information {
    /// How many worlds were sampled: those asked for, rounded up to whole steps.
    pub worlds: u64,
    /// The share of them in which the thesis is IN.
    pub inside: f64,
    /// The share of them in which the thesis is OUT.
    pub out: f64,
    /// How uncertain its label is, in bits: from 0 to log₂ 3.
    pub entropy: f64,
    /// For each argument, by index, the bits that knowing whether it fails takes off. 0 for the thesis, for what cannot
    /// reach it and for what is certain.
    pub gains: Vec<f64>,
}

/// Why nothing can be sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InformationError {
    /// There is no such thesis.
    UnknownThesis {
        /// The thesis.
        thesis: u32,
        /// How many arguments there are.
        arguments: usize,
    },
    /// Not one credence an argument.
    Credences {
        /// How many were given.
        given: usize,
        /// How many arguments there are.
        arguments: usize,
    },
    /// A credence that is not from 0 to 1.
    Credence {
        /// Whose.
        argument: usize,
        /// The credence.
        credence: f64,
    },
    /// No worlds, or more than [`MAX_WORLDS`].
    Worlds {
        /// How many were asked for.
        worlds: u64,
    },
}

/// What the arguments tell about a thesis. The credence of an argument is the chance that it does not fail, from 0 to 1,
/// rounded to 1/256; that of the thesis plays no part, for what is asked is what becomes of it.
///
/// For every 512 worlds one pass over the cone of the thesis, and up to 8 random words for 64 worlds and argument. With
/// n worlds and no information at all, some 3/n bits are found by chance.
///
/// # Errors
///
/// When there is no such thesis, when the credences are not one an argument and from 0 to 1, and when there are no
/// worlds or more than [`MAX_WORLDS`].
pub fn information(
    framework: &Framework,
    thesis: u32,
    credences: &[f64],
    worlds: u64,
    seed: u64,
) -> Result<Information, InformationError> {
    check(framework, thesis, credences, worlds)?;
    let cone = Cone::of(framework, &[thesis]);
    let last = cone.members().len() - 1;
    let fails = |place: usize| 256 - (credences[cone.members()[place] as usize] * 256.0).round() as u32;
    let mut lanes = Lanes::<W>::new(&cone);
    // Those of which it is open whether they fail.
    let mut open: Vec<(usize, u8, Counts)> = Vec::with_capacity(last);
    for place in 0..last {
        match u8::try_from(fails(place)) {
            Ok(0) => {}
            Ok(parts) => open.push((place, parts, Counts::default())),
            Err(_) => lanes.settle_all(place, Labels { inside: Bits::EMPTY, out: Bits::below(64 * W) }),
        }
    }
    let mut chance = Chance::<W>::new(seed);
    let mut whole = Counts::default();
    for _ in 0..worlds.div_ceil(64 * W as u64) {
        if is_cancelled() {
            break;
        }
        for &(place, parts, _) in &open {
            lanes.settle_all(place, Labels { inside: Bits::EMPTY, out: Bits::of_words(chance.bits(parts)) });
        }
        lanes.spread();
        let labels = *lanes.labels(last);
        whole.add(&Bits::below(64 * W), &labels);
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

/// In how many worlds of a kind the thesis has which label.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    worlds: u64,
    inside: u64,
    out: u64,
}

impl Counts {
    #[inline]
    fn add(&mut self, those: &Bits<W>, thesis: &Labels<W>) {
        self.worlds += u64::from(those.len());
        self.inside += u64::from(those.and(&thesis.inside).len());
        self.out += u64::from(those.and(&thesis.out).len());
    }

    fn minus(&self, other: &Self) -> Self {
        let Self { worlds, inside, out } = *self;
        Self { worlds: worlds - other.worlds, inside: inside - other.inside, out: out - other.out }
    }

    /// The uncertainty of the label, in bits; none of no worlds.
    fn entropy(&self) -> f64 {
        let of = |part: u64| match part {
            0 => 0.0,
            part => part as f64 / self.worlds as f64 * (self.worlds as f64 / part as f64).log2(),
        };
        of(self.inside) + of(self.out) + of(self.worlds - self.inside - self.out)
    }

    /// How much of the uncertainty is gone when it is known whether a world is one of `those`.
    fn gain(&self, those: &Self) -> f64 {
        let weighed = |counts: &Self| counts.worlds as f64 / self.worlds as f64 * counts.entropy();
        (self.entropy() - weighed(those) - weighed(&self.minus(those))).max(0.0)
    }
}

impl fmt::Display for InformationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the value of information was asked for ")?;
        match self {
            Self::UnknownThesis { thesis, arguments } => {
                write!(f, "about argument {thesis} of a framework of {arguments}, which count from 0")
            }
            Self::Credences { given, arguments } => {
                write!(f, "with {given} credences for {arguments} arguments: give one an argument")
            }
            Self::Credence { argument, credence } => {
                write!(f, "with a credence of {credence} in argument {argument}: give one from 0 to 1")
            }
            Self::Worlds { worlds } => write!(f, "over {worlds} worlds: ask for 1 to {MAX_WORLDS}"),
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
    fn what_is_open_and_what_would_be_told() {
        fn check(attacks: &[(u32, u32)], credences: [f64; 4], inside: f64, entropy: f64, gains: [f64; 4]) {
            let found = information(&framework(4, attacks), 0, &credences, WORLDS, 3).expect("it can be sampled");
            let near = |a: f64, b: f64| (a - b).abs() < 0.01;
            assert!(near(found.inside, inside) && near(found.entropy, entropy), "{found:?}");
            assert!(found.gains.iter().zip(gains).all(|(&gain, due)| near(gain, due)), "{found:?}");
            assert_eq!(found.worlds, 100_352);
        }
        // Nothing is open.
        check(&[(1, 0)], [0.5, 1.0, 0.5, 0.5], 0.0, 0.0, [0.0; 4]);
        check(&[(1, 0)], [0.5, 0.0, 0.5, 0.5], 1.0, 0.0, [0.0; 4]);
        // One even chance decides all.
        check(&[(1, 0)], [1.0, 0.5, 1.0, 1.0], 0.5, 1.0, [0.0, 1.0, 0.0, 0.0]);
        // Two attackers: 0 is IN one time in four.
        check(&[(1, 0), (2, 0)], [1.0, 0.5, 0.5, 0.5], 0.25, 0.811, [0.0, 0.311, 0.311, 0.0]);
        // 2 matters only if 1 does not fail anyway; either way it is known most of the time.
        check(&[(1, 0), (2, 1)], [1.0, 0.5, 0.5, 0.5], 0.75, 0.811, [0.0, 0.311, 0.311, 0.0]);
        // 1 and 2 contradict each other: all three labels.
        check(&[(1, 0), (1, 2), (2, 1)], [1.0, 0.5, 0.5, 0.5], 0.5, 1.5, [0.0, 1.0, 0.5, 0.0]);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        fn check(thesis: u32, credences: &[f64], worlds: u64, words: &str) {
            let error = information(&framework(2, &[(0, 1)]), thesis, credences, worlds, 0).expect_err("refused");
            assert_eq!(error.to_string(), format!("the value of information was asked for {words}"));
        }
        check(2, &[1.0, 1.0], 1, "about argument 2 of a framework of 2, which count from 0");
        check(0, &[1.0], 1, "with 1 credences for 2 arguments: give one an argument");
        check(0, &[1.0, 1.5], 1, "with a credence of 1.5 in argument 1: give one from 0 to 1");
        check(0, &[f64::NAN, 1.0], 1, "with a credence of NaN in argument 0: give one from 0 to 1");
        check(0, &[1.0, 1.0], 0, "over 0 worlds: ask for 1 to 16777216");
        check(0, &[1.0, 1.0], MAX_WORLDS + 1, "over 16777217 worlds: ask for 1 to 16777216");
    }
}
