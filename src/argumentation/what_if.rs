//! What if arguments were gone, and attacks were there: both labellings, and what differs.

use std::error::Error;
use std::fmt;

use crate::argumentation::framework::{Framework, FrameworkError};
use crate::argumentation::labelling::{Label, Labelling, grounded};

/// A framework before and after a change, each with its grounded labelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhatIf {
    /// The framework after the change. Arguments keep their numbers; one that is gone has no attacks any more.
    pub framework: Framework,
    /// The labels before.
    pub before: Labelling,
    /// The labels after, by the same numbers; `None` for an argument that is gone.
    pub after: Vec<Option<Label>>,
    /// The arguments whose labels differ, ascending; those that are gone among them.
    pub changed: Vec<Changed>,
}

/// An argument to which the change matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The argument.
    pub argument: u32,
    /// Its label before.
    pub from: Label,
    /// Its label after; `None` when it is gone.
    pub to: Option<Label>,
}

/// Why a change cannot be thought through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhatIfError {
    /// An argument is to be removed that is not there.
    UnknownArgument {
        /// The argument.
        argument: u32,
        /// How many arguments there are.
        arguments: usize,
    },
    /// An attack is to be added from or on an argument that is to be removed.
    AttackOnRemoved {
        /// The attack: who attacks, and whom.
        attack: (u32, u32),
    },
    /// With the attacks added there is no framework.
    Framework(FrameworkError),
}

/// What becomes of the labels when the arguments in `remove` are gone with their attacks, and those in `add` attack as
/// said there. What is removed twice or attacks already makes no difference. Linear time.
///
/// # Errors
///
/// When an argument is not in the framework, or when something removed is to attack or to be attacked.
pub fn what_if(framework: &Framework, remove: &[u32], add: &[(u32, u32)]) -> Result<WhatIf, WhatIfError> {
    let arguments = framework.len();
    let mut gone = vec![false; arguments];
    for &argument in remove {
        let slot = gone.get_mut(argument as usize);
        *slot.ok_or(WhatIfError::UnknownArgument { argument, arguments })? = true;
    }
    let is_gone = |argument: u32| gone.get(argument as usize).is_some_and(|gone| *gone);
    let hits = |&(attacker, target): &(u32, u32)| is_gone(attacker) || is_gone(target);
    if let Some(&attack) = add.iter().find(|attack| hits(attack)) {
        return Err(WhatIfError::AttackOnRemoved { attack });
    }
    let kept = framework.attacks().filter(|attack| !hits(attack));
    let framework_after = Framework::new(arguments, kept.chain(add.iter().copied())).map_err(WhatIfError::Framework)?;
    let before = grounded(framework);
    let labels = grounded(&framework_after);
    let present = |argument: u32| (!is_gone(argument)).then(|| labels.of(argument));
    let after: Vec<Option<Label>> = framework.arguments().map(present).collect();
    let both = framework.arguments().zip(before.0.iter().zip(&after));
    let differ = both.filter(|(_, (from, to))| Some(**from) != **to);
    let changed = differ.map(|(argument, (&from, &to))| Changed { argument, from, to }).collect();
    Ok(WhatIf { framework: framework_after, before, after, changed })
}

impl fmt::Display for WhatIfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownArgument { argument, arguments } => {
                write!(f, "argument {argument} is to be removed from a framework of {arguments}, which count from 0")
            }
            Self::AttackOnRemoved { attack: (a, b) } => {
                write!(
                    f,
                    "an attack of {a} on {b} is to be added, but one of the two is to be removed: do one or the other"
                )
            }
            Self::Framework(error) => error.fmt(f),
        }
    }
}

impl Error for WhatIfError {}

#[cfg(test)]
mod tests {
    use super::*;

    use Label::{In, Out, Undec};

    #[test]
    fn changes_have_consequences() {
        fn check(attacks: &[(u32, u32)], remove: &[u32], add: &[(u32, u32)], changed: &[(u32, Label, Option<Label>)]) {
            let framework = Framework::new(4, attacks.iter().copied()).expect("in range");
            let found = what_if(&framework, remove, add).expect("it can be thought through");
            let told: Vec<_> = found.changed.iter().map(|it| (it.argument, it.from, it.to)).collect();
            assert_eq!(told, changed, "{attacks:?} - {remove:?} + {add:?}");
            assert_eq!(found.before, grounded(&framework));
            for argument in framework.arguments() {
                let to = told.iter().find(|it| it.0 == argument).map_or(Some(found.before.of(argument)), |it| it.2);
                assert_eq!(found.after[argument as usize], to);
            }
        }
        let chain = [(0, 1), (1, 2), (2, 3)];
        check(&chain, &[], &[], &[]);
        check(&chain, &[0, 0], &[], &[(0, In, None), (1, Out, Some(In)), (2, In, Some(Out)), (3, Out, Some(In))]);
        check(&chain, &[3], &[], &[(3, Out, None)]);
        check(&chain, &[], &[(0, 1)], &[]);
        check(&chain, &[], &[(0, 2)], &[(2, In, Some(Out)), (3, Out, Some(In))]);
        check(&chain, &[], &[(0, 3)], &[]);
        check(&chain, &[0], &[(3, 2)], &[(0, In, None), (1, Out, Some(In)), (2, In, Some(Out)), (3, Out, Some(In))]);
        let undecided = |argument, from| (argument, from, Some(Undec));
        check(&chain, &[], &[(1, 0)], &[undecided(0, In), undecided(1, Out), undecided(2, In), undecided(3, Out)]);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        fn check(remove: &[u32], add: &[(u32, u32)], error: WhatIfError, words: &str) {
            let framework = Framework::new(2, [(0, 1)]).expect("in range");
            assert_eq!(what_if(&framework, remove, add), Err(error));
            assert_eq!(error.to_string(), words);
        }
        let unknown = WhatIfError::UnknownArgument { argument: 2, arguments: 2 };
        check(&[0, 2], &[], unknown, "argument 2 is to be removed from a framework of 2, which count from 0");
        check(
            &[0],
            &[(1, 1), (1, 0)],
            WhatIfError::AttackOnRemoved { attack: (1, 0) },
            "an attack of 1 on 0 is to be added, but one of the two is to be removed: do one or the other",
        );
        let error = FrameworkError::UnknownArgument { attack: (1, 2), arguments: 2 };
        check(&[], &[(1, 2)], WhatIfError::Framework(error), &error.to_string());
    }
}
