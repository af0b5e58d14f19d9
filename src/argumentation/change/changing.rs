//! The framework that changes: arguments come and go, attacks come and go, and the grounded labels are up to date.

use std::error::Error;
use std::fmt;

use crate::argumentation::change::ranked::Ranked;
use crate::argumentation::framework::{Framework, MAX_ARGUMENTS};
use crate::argumentation::labelling::{Label, Labelling};

/// A framework that is changed in place. Arguments are numbered from 0 as they come; a number is not given twice.
#[derive(Clone, Debug, Default)]
pub struct ChangingFramework {
    labels: Ranked,
    len: usize,
}

/// Why a framework cannot be changed so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeError {
    /// There is no such argument, or it was withdrawn.
    UnknownArgument {
        /// The argument.
        argument: u32,
    },
    /// [`MAX_ARGUMENTS`] were added already, those withdrawn counted.
    TooManyArguments,
}

impl ChangingFramework {
    /// A framework as it stands; its arguments keep their numbers. Linear time.
    pub fn of(framework: &Framework) -> Self {
        Self { labels: Ranked::of(framework), len: framework.len() }
    }

    /// Adds an argument that nobody attacks, and tells its number.
    ///
    /// # Errors
    ///
    /// When [`MAX_ARGUMENTS`] were added already.
    pub fn add(&mut self) -> Result<u32, ChangeError> {
        if self.labels.next() as usize == MAX_ARGUMENTS {
            return Err(ChangeError::TooManyArguments);
        }
        self.len += 1;
        Ok(self.labels.add())
    }

    /// Withdraws an argument, its attacks and the attacks on it.
    ///
    /// # Errors
    ///
    /// When it is not there.
    pub fn withdraw(&mut self, argument: u32) -> Result<(), ChangeError> {
        self.check(argument)?;
        self.labels.withdraw(argument);
        self.len -= 1;
        Ok(())
    }

    /// Adds an attack; false if it was there already.
    ///
    /// # Errors
    ///
    /// When one of the two arguments is not there.
    pub fn attack(&mut self, attacker: u32, target: u32) -> Result<bool, ChangeError> {
        self.check(attacker)?;
        self.check(target)?;
        Ok(self.labels.attack(attacker, target))
    }

    /// Withdraws an attack; false if there was none.
    ///
    /// # Errors
    ///
    /// When one of the two arguments is not there.
    pub fn retract(&mut self, attacker: u32, target: u32) -> Result<bool, ChangeError> {
        self.check(attacker)?;
        self.check(target)?;
        Ok(self.labels.retract(attacker, target))
    }

    /// The grounded label of an argument; `None` where it is not there.
    pub fn label(&self, argument: u32) -> Option<Label> {
        self.labels.label(argument)
    }

    /// The arguments whose labels the last change changed, ascending. What was added or withdrawn itself is not among
    /// them.
    pub fn changed(&self) -> Vec<u32> {
        self.labels.changed()
    }

    /// The arguments that are there, ascending.
    pub fn arguments(&self) -> impl Iterator<Item = u32> {
        (0..self.labels.next()).filter(|&argument| self.label(argument).is_some())
    }

    /// How many arguments there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no arguments.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The framework of this moment, and the argument that each of its indices stands for. Linear time.
    pub fn snapshot(&self) -> (Framework, Vec<u32>) {
        let arguments: Vec<u32> = self.arguments().collect();
        let mut places = vec![0; self.labels.next() as usize];
        arguments.iter().zip(0..).for_each(|(&argument, place)| places[argument as usize] = place);
        let place = |argument: u32| places[argument as usize];
        let attacks = arguments.iter().flat_map(|&attacker| {
            self.labels.attacked(attacker).iter().map(move |&target| (place(attacker), place(target)))
        });
        let framework = Framework::new(arguments.len(), attacks).expect("every attack is between arguments there are");
        (framework, arguments)
    }

    /// The grounded labels of this moment, by the indices of [`ChangingFramework::snapshot`].
    pub fn labelling(&self) -> Labelling {
        Labelling(self.arguments().filter_map(|argument| self.label(argument)).collect())
    }

    fn check(&self, argument: u32) -> Result<(), ChangeError> {
        self.label(argument).map(|_| ()).ok_or(ChangeError::UnknownArgument { argument })
    }
}

impl fmt::Display for ChangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownArgument { argument } => {
                write!(
                    f,
                    "a change of argument {argument}, which is not in the framework: it never was, or was withdrawn"
                )
            }
            Self::TooManyArguments => write!(f, "one more argument after {MAX_ARGUMENTS}, which is the limit"),
        }
    }
}

impl Error for ChangeError {}
