//! Hypothetical changes: the grounded labels before and after arguments are removed and attacks added.

use std::error::Error;
use std::fmt;

use crate::framework::{Framework, FrameworkError};
use crate::labelling::{Label, Labelling, grounded};

/// A framework before and after a change, each with its grounded labelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhatIfLabels {
    /// Framework after the change. Arguments keep their indices; a removed one has no attacks.
    pub framework: Framework,
    /// Labels before the change.
    pub before: Labelling,
    /// Labels after the change, by the same indices; `None` for a removed argument.
    pub after: Vec<Option<Label>>,
    /// Arguments with different labels, ascending, including the removed ones.
    pub changed: Vec<ChangedLabel>,
}

/// Label change of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangedLabel {
    /// The argument.
    pub argument: u32,
    /// Label before the change.
    pub from: Label,
    /// Label after the change; `None` if the argument was removed.
    pub to: Option<Label>,
}

/// Error of [`what_if`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhatIfError {
    /// An argument to remove does not exist.
    UnknownArgument {
        /// The argument.
        argument: u32,
        /// Number of arguments in the framework.
        arguments: usize,
    },
    /// An attack to add starts from or targets an argument to remove.
    AttackOnRemoved {
        /// The attack, as (attacker, target).
        attack: (u32, u32),
    },
    /// The attacks to add do not make a valid framework.
    Framework(FrameworkError),
}

/// Computes the grounded labels after removing the arguments in `remove` with their attacks and adding the attacks in
/// `add`. Duplicate removals and existing attacks have no effect. Linear time.
///
/// # Errors
///
/// [`WhatIfError::UnknownArgument`] if an argument to remove does not exist, [`WhatIfError::AttackOnRemoved`] if an
/// attack to add involves a removed argument, and [`WhatIfError::Framework`] if an attack to add names an unknown
/// argument or there are too many attacks.
pub fn what_if(framework: &Framework, remove: &[u32], add: &[(u32, u32)]) -> Result<WhatIfLabels, WhatIfError> {
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
    let changed = differ.map(|(argument, (&from, &to))| ChangedLabel { argument, from, to }).collect();
    Ok(WhatIfLabels { framework: framework_after, before, after, changed })
}

impl fmt::Display for WhatIfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownArgument { argument, arguments } => {
                write!(f, "cannot remove argument {argument}: there are {arguments} arguments, numbered from 0")
            }
            Self::AttackOnRemoved { attack: (a, b) } => {
                write!(f, "cannot add the attack of {a} on {b}: one of these arguments is removed by the same change")
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
    fn labels_follow_from_the_change() {
        fn check(attacks: &[(u32, u32)], remove: &[u32], add: &[(u32, u32)], changed: &[(u32, Label, Option<Label>)]) {
            let framework = Framework::new(4, attacks.iter().copied()).expect("in range");
            let found = what_if(&framework, remove, add).expect("a valid change");
            let told: Vec<_> = found.changed.iter().map(|change| (change.argument, change.from, change.to)).collect();
            assert_eq!(told, changed, "{attacks:?} - {remove:?} + {add:?}");
            assert_eq!(found.before, grounded(&framework));
            for argument in framework.arguments() {
                let to = told
                    .iter()
                    .find(|change| change.0 == argument)
                    .map_or(Some(found.before.of(argument)), |change| change.2);
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
    fn invalid_changes_are_refused() {
        fn check(remove: &[u32], add: &[(u32, u32)], error: WhatIfError, words: &str) {
            let framework = Framework::new(2, [(0, 1)]).expect("in range");
            assert_eq!(what_if(&framework, remove, add), Err(error));
            assert_eq!(error.to_string(), words);
        }
        let unknown = WhatIfError::UnknownArgument { argument: 2, arguments: 2 };
        check(&[0, 2], &[], unknown, "cannot remove argument 2: there are 2 arguments, numbered from 0");
        check(
            &[0],
            &[(1, 1), (1, 0)],
            WhatIfError::AttackOnRemoved { attack: (1, 0) },
            "cannot add the attack of 1 on 0: one of these arguments is removed by the same change",
        );
        let error = FrameworkError::UnknownArgument { attack: (1, 2), arguments: 2 };
        check(&[], &[(1, 2)], WhatIfError::Framework(error), &error.to_string());
    }
}
