//! Mutable framework: arguments and attacks are added and withdrawn, and the grounded labels stay current.

use std::error::Error;
use std::fmt;

use crate::change::dynamic_grounded::DynamicGrounded;
use crate::framework::{Framework, MAX_ARGUMENTS};
use crate::labelling::{Label, Labelling};

/// Framework that is changed in place. Arguments are numbered from 0 as they are added; numbers are not reused.
#[derive(Clone, Debug, Default)]
pub struct DynamicFramework {
    labels: DynamicGrounded,
    len: usize,
}

/// Error of a change to a framework.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeError {
    /// The argument does not exist or was withdrawn.
    UnknownArgument {
        /// The argument.
        argument: u32,
    },
    /// [`MAX_ARGUMENTS`] were added already, including those withdrawn.
    TooManyArguments,
}

impl DynamicFramework {
    /// Copies a framework; its arguments keep their numbers. Linear time.
    pub fn of(framework: &Framework) -> Self {
        Self { labels: DynamicGrounded::of(framework), len: framework.len() }
    }

    /// Adds an argument that nothing attacks, and returns its number.
    ///
    /// # Errors
    ///
    /// [`ChangeError::TooManyArguments`] if [`MAX_ARGUMENTS`] were added already.
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
    /// [`ChangeError::UnknownArgument`] if it does not exist.
    pub fn withdraw(&mut self, argument: u32) -> Result<(), ChangeError> {
        self.check(argument)?;
        self.labels.withdraw(argument);
        self.len -= 1;
        Ok(())
    }

    /// Adds an attack; returns false if it existed already.
    ///
    /// # Errors
    ///
    /// [`ChangeError::UnknownArgument`] if one of the two arguments does not exist.
    pub fn attack(&mut self, attacker: u32, target: u32) -> Result<bool, ChangeError> {
        self.check(attacker)?;
        self.check(target)?;
        Ok(self.labels.attack(attacker, target))
    }

    /// Withdraws an attack; returns false if there was none.
    ///
    /// # Errors
    ///
    /// [`ChangeError::UnknownArgument`] if one of the two arguments does not exist.
    pub fn retract(&mut self, attacker: u32, target: u32) -> Result<bool, ChangeError> {
        self.check(attacker)?;
        self.check(target)?;
        Ok(self.labels.retract(attacker, target))
    }

    /// Returns the grounded label of an argument; `None` if it does not exist.
    pub fn label(&self, argument: u32) -> Option<Label> {
        self.labels.label(argument)
    }

    /// Returns the arguments whose labels the last change changed, ascending, except those that were added or
    /// withdrawn.
    pub fn changed(&self) -> Vec<u32> {
        self.labels.changed()
    }

    /// Returns the existing arguments, ascending.
    pub fn arguments(&self) -> impl Iterator<Item = u32> {
        (0..self.labels.next()).filter(|&argument| self.label(argument).is_some())
    }

    /// Returns the number of arguments.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there are no arguments.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the current framework, and the argument of each of its indices. Linear time.
    pub fn snapshot(&self) -> (Framework, Vec<u32>) {
        let arguments: Vec<u32> = self.arguments().collect();
        let mut places = vec![0; self.labels.next() as usize];
        arguments.iter().zip(0..).for_each(|(&argument, place)| places[argument as usize] = place);
        let place = |argument: u32| places[argument as usize];
        let attacks = arguments.iter().flat_map(|&attacker| {
            self.labels.attacked(attacker).iter().map(move |&target| (place(attacker), place(target)))
        });
        let framework = Framework::new(arguments.len(), attacks).expect("every attack is between existing arguments");
        (framework, arguments)
    }

    /// Returns the current grounded labels, by the indices of [`DynamicFramework::snapshot`].
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
                write!(f, "unknown argument {argument}: it was never added, or it was withdrawn")
            }
            Self::TooManyArguments => {
                write!(f, "cannot add an argument: there are {MAX_ARGUMENTS}, which is the maximum")
            }
        }
    }
}

impl Error for ChangeError {}
