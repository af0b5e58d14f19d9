//! Content of a file, and its attacks while it is parsed.

use crate::formats::file_limits::FileLimits;
use crate::formats::names::ArgumentNames;
use crate::formats::parse_error::{ParseProblem, ProblemAt};
use crate::framework::Framework;

/// Content of a file: arguments with their names, and attacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFramework {
    /// Name of each argument.
    pub names: ArgumentNames,
    /// Arguments and attacks by index.
    pub framework: Framework,
}

/// Attacks collected by a parser, up to a limit.
#[derive(Debug)]
pub struct AttackCollector {
    pairs: Vec<(u32, u32)>,
    most: usize,
}

impl AttackCollector {
    /// Creates an empty collection with capacity for a file with about `line_bytes` bytes per line.
    pub fn new(content: &[u8], line_bytes: usize, limits: &FileLimits) -> Self {
        Self { pairs: Vec::with_capacity((content.len() / line_bytes).min(1 << 20)), most: limits.attacks }
    }

    /// Adds an attack that is written at byte `at`.
    ///
    /// # Errors
    /// [`ParseProblem::Beyond`] at this byte if the limit is exceeded.
    #[inline]
    pub fn push(&mut self, attack: (u32, u32), at: usize) -> Result<(), ProblemAt> {
        if self.pairs.len() >= self.most {
            return Err(ProblemAt { at, flaw: ParseProblem::Beyond { what: "attacks", most: self.most } });
        }
        self.pairs.push(attack);
        Ok(())
    }

    /// Builds the framework of these attacks.
    pub fn framework(self, arguments: usize) -> Framework {
        Framework::new(arguments, self.pairs).expect("parsers respect the limits and number arguments from 0")
    }

    /// Renumbers the arguments of the attacks.
    pub fn renumbered(mut self, numbers: &[u32]) -> Self {
        self.pairs.iter_mut().for_each(|(a, b)| (*a, *b) = (numbers[*a as usize], numbers[*b as usize]));
        self
    }
}
