//! Warning about arguments that are accepted only because nobody answered.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::events::ids::ArgumentId;
use crate::projections::argument_graph::{ArgumentFramework, ArgumentGraph, Attack};
use faultline_argumentation::labelling::{Label, Labelling};

/// Number of accepted arguments, and of those that rely on an unanswered attack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastWord {
    /// Number of arguments that are IN.
    pub standing: usize,
    /// Number of these that attack without being attacked, or that are defended by such an argument.
    pub unanswered: usize,
}

impl LastWord {
    /// Share of unanswered ones among the accepted arguments, from 0 to 1; 0 if none is accepted.
    pub fn share(&self) -> f64 {
        if self.standing == 0 { 0.0 } else { self.unanswered as f64 / self.standing as f64 }
    }

    /// True if every accepted argument relies on an attack that nobody answered, so that the last speaker wins by
    /// default.
    pub fn is_all(&self) -> bool {
        self.standing > 0 && self.unanswered == self.standing
    }
}

/// Counts accepted arguments. In a grounded labelling an attacked argument is accepted only through attacks that end in
/// unattacked arguments; an unattacked argument has the last word if it attacks another. Arguments that neither attack
/// nor are attacked are not counted as unanswered.
pub fn last_word(framed: &ArgumentFramework, labelling: &Labelling) -> LastWord {
    let framework = &framed.framework;
    let standing: Vec<u32> = labelling.with(Label::In).collect();
    let in_it =
        |argument: &&u32| !framework.attackers(**argument).is_empty() || !framework.attacked(**argument).is_empty();
    LastWord { standing: standing.len(), unanswered: standing.iter().filter(in_it).count() }
}

/// Active attacks that nobody answered, in order: in one direction, by arguments that nothing attacks.
pub fn unanswered_attacks(graph: &ArgumentGraph) -> Vec<&Attack> {
    let ends = |attack: &Attack| {
        let back = attack.is_mutual().then_some(attack.raised.source);
        [Some(attack.raised.target), back]
    };
    let attacked: BTreeSet<ArgumentId> = graph.active().flat_map(|(_, attack)| ends(attack)).flatten().collect();
    let opposed = graph.opposed_theses().into_iter().flat_map(|(one, other)| [one, other]);
    let attacked: BTreeSet<ArgumentId> = attacked.into_iter().chain(opposed).collect();
    graph.active().map(|(_, attack)| attack).filter(|attack| !attacked.contains(&attack.raised.source)).collect()
}
