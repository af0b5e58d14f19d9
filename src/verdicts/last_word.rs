//! A warning: what stands only because nobody answered.

use serde::{Deserialize, Serialize};

use crate::argumentation::labelling::{Label, Labelling};
use crate::projections::argument_graph::Framed;

/// How many of the arguments that stand do so by an attack that nobody answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastWord {
    /// Arguments that are IN.
    pub standing: usize,
    /// Those of them that make, or rest on, an attack by an argument that nothing attacks.
    pub unanswered: usize,
}

impl LastWord {
    /// From 0 to 1; 0 where nothing stands.
    pub fn share(&self) -> f64 {
        if self.standing == 0 { 0.0 } else { self.unanswered as f64 / self.standing as f64 }
    }

    /// Whether everything that stands does so by an attack that nobody answered: whoever spoke last won.
    pub fn is_all(&self) -> bool {
        self.standing > 0 && self.unanswered == self.standing
    }
}

/// Counts them. In a grounded labelling an attacked argument stands only through attacks that end in unattacked ones; an
/// unattacked one has the last word when it attacks something itself. What neither attacks nor is attacked has no word
/// in it at all.
pub fn last_word(framed: &Framed, labelling: &Labelling) -> LastWord {
    let framework = &framed.framework;
    let standing: Vec<u32> = labelling.with(Label::In).collect();
    let in_it = |it: &&u32| !framework.attackers(**it).is_empty() || !framework.attacked(**it).is_empty();
    LastWord { standing: standing.len(), unanswered: standing.iter().filter(in_it).count() }
}
