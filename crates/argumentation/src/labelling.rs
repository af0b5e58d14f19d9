//! Labellings with IN, OUT and UNDEC, and the grounded labelling in linear time.

use serde::{Deserialize, Serialize};

use crate::framework::Framework;

/// Label of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Label {
    /// Accepted: every attacker is OUT.
    In,
    /// Rejected: an attacker is IN.
    Out,
    /// Undecided: no attacker is IN, and not all are OUT.
    Undec,
}

/// Label of each argument, by index.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Labelling(pub Vec<Label>);

impl Labelling {
    /// Returns the label of `argument`.
    ///
    /// # Panics
    ///
    /// Panics if there is no such argument.
    pub fn of(&self, argument: u32) -> Label {
        self.0[argument as usize]
    }

    /// Returns the arguments with this label, ascending.
    pub fn with(&self, label: Label) -> impl Iterator<Item = u32> {
        self.0.iter().zip(0..).filter(move |(given, _)| **given == label).map(|(_, argument)| argument)
    }

    /// Returns the labelling of an extension: its members IN, the arguments they attack OUT, all others UNDEC.
    ///
    /// Linear time.
    ///
    /// # Panics
    ///
    /// Panics if a member is not an argument.
    pub fn of_extension(framework: &Framework, extension: &[u32]) -> Self {
        let mut labels = vec![Label::Undec; framework.len()];
        for &member in extension {
            framework.attacked(member).iter().for_each(|&target| labels[target as usize] = Label::Out);
        }
        extension.iter().for_each(|&member| labels[member as usize] = Label::In);
        Self(labels)
    }
}

/// Computes the grounded labelling: the complete labelling with the fewest IN arguments.
///
/// Unattacked arguments are IN, arguments attacked by an IN argument are OUT, arguments attacked only by OUT arguments
/// are IN, and so on (Dung 1995; as a labelling, Modgil and Caminada 2009). Linear in arguments and attacks.
pub fn grounded(framework: &Framework) -> Labelling {
    let mut grounding = GroundedPropagation::new(framework);
    grounding.propagate();
    grounding.labels
}

/// Returns true if this is a complete labelling: one label per argument, IN exactly if every attacker is OUT, OUT
/// exactly if an attacker is IN, and UNDEC otherwise.
///
/// Linear time.
pub fn is_complete(framework: &Framework, labelling: &Labelling) -> bool {
    let justified = |argument: u32| {
        let mut due = Label::In;
        for &attacker in framework.attackers(argument) {
            match labelling.of(attacker) {
                Label::In => return Label::Out,
                Label::Undec => due = Label::Undec,
                Label::Out => {}
            }
        }
        due
    };
    labelling.0.len() == framework.len()
        && framework.arguments().all(|argument| labelling.of(argument) == justified(argument))
}

/// Computation of the grounded labelling. Labels of single arguments can be fixed before propagation, and the memory is
/// reused from run to run.
#[derive(Debug)]
pub struct GroundedPropagation<'f> {
    framework: &'f Framework,
    labels: Labelling,
    /// Number of attackers of each argument that are not OUT.
    threats: Vec<u32>,
    /// Work queue: the arguments that were IN or OUT before propagation, then those that became IN, in that order.
    agenda: Vec<u32>,
}

impl<'f> GroundedPropagation<'f> {
    /// Starts with the unattacked arguments IN and nothing propagated.
    pub fn new(framework: &'f Framework) -> Self {
        let labels = Labelling(Vec::with_capacity(framework.len()));
        let (threats, agenda) = (Vec::with_capacity(framework.len()), Vec::with_capacity(framework.len()));
        let mut grounding = Self { framework, labels, threats, agenda };
        grounding.reset();
        grounding
    }

    /// Returns to the state after [`GroundedPropagation::new`].
    pub fn reset(&mut self) {
        self.labels.0.clear();
        self.labels.0.resize(self.framework.len(), Label::Undec);
        self.threats.clear();
        self.threats.extend(self.framework.attacker_counts());
        self.agenda.clear();
        for ((argument, &threats), label) in (0..).zip(&self.threats).zip(&mut self.labels.0) {
            if threats == 0 {
                *label = Label::In;
                self.agenda.push(argument);
            }
        }
    }

    /// Fixes `argument` as OUT, as if an additional unattacked argument attacked it. Call it before
    /// [`GroundedPropagation::propagate`]; of two calls for one argument the later one wins.
    ///
    /// # Panics
    ///
    /// Panics if there is no such argument.
    pub fn refute(&mut self, argument: u32) {
        self.fix(argument, Label::Out);
    }

    /// Fixes `argument` as IN, as if nothing attacked it. Call it before [`GroundedPropagation::propagate`]; of two calls for one
    /// argument the later one wins.
    ///
    /// # Panics
    ///
    /// Panics if there is no such argument.
    pub fn establish(&mut self, argument: u32) {
        self.fix(argument, Label::In);
    }

    fn fix(&mut self, argument: u32, label: Label) {
        if std::mem::replace(&mut self.labels.0[argument as usize], label) == Label::Undec {
            self.agenda.push(argument);
        }
    }

    /// Propagates all consequences. Call it once between two resets. Linear time.
    pub fn propagate(&mut self) -> &Labelling {
        let mut spent = 0;
        while let Some(&argument) = self.agenda.get(spent) {
            spent += 1;
            if self.labels.of(argument) == Label::Out {
                self.fall(argument);
                continue;
            }
            for &target in self.framework.attacked(argument) {
                let label = &mut self.labels.0[target as usize];
                if *label == Label::Undec {
                    *label = Label::Out;
                    self.fall(target);
                }
            }
        }
        &self.labels
    }

    /// Removes one threat from each target of an argument that became OUT.
    fn fall(&mut self, argument: u32) {
        for &target in self.framework.attacked(argument) {
            let threats = &mut self.threats[target as usize];
            *threats -= 1;
            if *threats == 0 && self.labels.of(target) == Label::Undec {
                self.labels.0[target as usize] = Label::In;
                self.agenda.push(target);
            }
        }
    }

    /// Returns the labels, and the IN arguments in derivation order: every attacker of an argument is defeated by
    /// arguments that come before it. The order is by the number of derivation steps, and then by the order of the
    /// attacks.
    ///
    /// Call it after [`GroundedPropagation::propagate`].
    pub fn into_derivation(self) -> (Labelling, Vec<u32>) {
        let Self { labels, mut agenda, .. } = self;
        agenda.retain(|&argument| labels.of(argument) == Label::In);
        (labels, agenda)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framework(arguments: usize, attacks: &[(u32, u32)]) -> Framework {
        Framework::new(arguments, attacks.iter().copied()).expect("in range")
    }

    /// Parses `I`, `O` and `U` as IN, OUT and UNDEC.
    fn labels(word: &str) -> Labelling {
        let label = |letter| match letter {
            'I' => Label::In,
            'O' => Label::Out,
            _ => Label::Undec,
        };
        Labelling(word.chars().map(label).collect())
    }

    #[test]
    fn grounded_labels_are_computed() {
        fn check(attacks: &[(u32, u32)], word: &str) {
            let framework = framework(word.len(), attacks);
            let labelling = grounded(&framework);
            assert_eq!(labelling, labels(word), "{attacks:?}");
            assert!(is_complete(&framework, &labelling));
            let extension: Vec<u32> = labelling.with(Label::In).collect();
            assert_eq!(Labelling::of_extension(&framework, &extension), labelling);
        }
        check(&[], "");
        check(&[], "III");
        check(&[(0, 0)], "U");
        check(&[(0, 0), (1, 0)], "OI");
        check(&[(0, 1), (1, 2), (2, 3)], "IOIO");
        check(&[(0, 1), (1, 0)], "UU");
        check(&[(0, 1), (1, 0), (2, 1)], "IOI");
        check(&[(0, 1), (1, 2), (2, 0)], "UUU");
        check(&[(0, 1), (1, 2), (2, 0), (3, 0)], "OIOI");
        check(&[(0, 1), (1, 0), (0, 2), (1, 2), (2, 3)], "UUUU");
    }

    #[test]
    fn completeness_is_checked() {
        fn check(attacks: &[(u32, u32)], word: &str, complete: bool) {
            assert_eq!(is_complete(&framework(2, attacks), &labels(word)), complete, "{attacks:?} {word}");
        }
        let mutual = [(0, 1), (1, 0)];
        for (word, complete) in [("UU", true), ("IO", true), ("OI", true), ("OO", false), ("II", false), ("IU", false)]
        {
            check(&mutual, word, complete);
        }
        check(&[(0, 1)], "IO", true);
        check(&[(0, 1)], "UU", false);
        check(&[(0, 1)], "IU", false);
        check(&[(0, 1)], "I", false);
        check(&[(0, 1)], "IOI", false);
        check(&[(1, 1)], "IU", true);
        check(&[(1, 1)], "IO", false);
    }

    #[test]
    fn fixed_labels_are_not_overwritten() {
        fn check(attacks: &[(u32, u32)], refuted: &[u32], established: &[u32], word: &str) {
            let framework = framework(word.len(), attacks);
            let mut grounding = GroundedPropagation::new(&framework);
            for _ in 0..2 {
                refuted.iter().for_each(|&argument| grounding.refute(argument));
                established.iter().for_each(|&argument| grounding.establish(argument));
                assert_eq!(grounding.propagate(), &labels(word));
                grounding.reset();
            }
        }
        check(&[(0, 1), (1, 2)], &[], &[], "IOI");
        check(&[(0, 1), (1, 2)], &[0], &[], "OIO");
        check(&[(0, 1), (1, 2)], &[], &[1], "IIO");
        check(&[(0, 1), (1, 2)], &[0, 1], &[], "OOI");
        check(&[(0, 1), (1, 2)], &[2], &[1], "IIO");
        check(&[(0, 1), (1, 2)], &[1], &[1], "IIO");
        check(&[(0, 0), (0, 1)], &[0], &[], "OI");
        check(&[(0, 0), (0, 1)], &[], &[0], "IO");
    }

    #[test]
    fn a_derivation_lists_defeaters_first() {
        let framework = framework(6, &[(5, 4), (4, 3), (3, 2), (2, 1), (0, 1), (1, 0)]);
        let mut grounding = GroundedPropagation::new(&framework);
        grounding.propagate();
        assert_eq!(grounding.into_derivation(), (labels("UUOIOI"), vec![5, 3]));
    }

    #[test]
    fn labels_are_serialized_by_name() {
        for (label, name) in [(Label::In, "\"IN\""), (Label::Out, "\"OUT\""), (Label::Undec, "\"UNDEC\"")] {
            assert_eq!(serde_json::to_string(&label).expect("a unit variant"), name);
            assert_eq!(serde_json::from_str::<Label>(name).expect("a label"), label);
        }
    }
}
