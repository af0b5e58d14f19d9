//! Settlements of arguments, in a single world.

use crate::framework::Framework;
use crate::labelling::{GroundedPropagation, Label, Labelling};

/// Settlement of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Intervention {
    /// The argument is permanently OUT.
    Refuted,
    /// The argument is permanently IN, and still attacks.
    Established,
}

impl Intervention {
    /// Both settlements, in order.
    pub const BOTH: [Self; 2] = [Self::Refuted, Self::Established];

    /// Returns the label of an argument that is settled in this way.
    pub fn label(self) -> Label {
        match self {
            Self::Refuted => Label::Out,
            Self::Established => Label::In,
        }
    }
}

/// Computes the grounded labelling of the framework in which these arguments are settled. Of two settlements of one
/// argument the later one wins. Linear time.
///
/// # Panics
///
/// Panics if a settled argument is not in the framework.
pub fn labels_after(framework: &Framework, settled: &[(u32, Intervention)]) -> Labelling {
    let mut grounding = GroundedPropagation::new(framework);
    for &(argument, way) in settled {
        match way {
            Intervention::Refuted => grounding.refute(argument),
            Intervention::Established => grounding.establish(argument),
        }
    }
    grounding.propagate().clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    use Intervention::{Established, Refuted};

    #[test]
    fn labels_follow_from_settlements() {
        fn check(attacks: &[(u32, u32)], settled: &[(u32, Intervention)], labels: [Label; 3]) {
            let framework = Framework::new(3, attacks.iter().copied()).expect("in range");
            assert_eq!(labels_after(&framework, settled).0, labels, "{attacks:?} {settled:?}");
        }
        use Label::{In as I, Out as O, Undec as U};
        let chain = [(0, 1), (1, 2)];
        check(&chain, &[], [I, O, I]);
        check(&chain, &[(0, Refuted)], [O, I, O]);
        check(&chain, &[(1, Established)], [I, I, O]);
        check(&chain, &[(0, Refuted), (1, Refuted)], [O, O, I]);
        check(&chain, &[(0, Refuted), (0, Established)], [I, O, I]);
        let ring = [(0, 1), (1, 2), (2, 0)];
        check(&ring, &[], [U, U, U]);
        check(&ring, &[(0, Refuted)], [O, I, O]);
        check(&ring, &[(0, Established)], [I, O, I]);
        check(&[(0, 0), (0, 1)], &[(0, Established)], [I, O, I]);
    }
}
