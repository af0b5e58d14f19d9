//! What was said and done in a debate so far, as far as one speaker is concerned.

use std::collections::BTreeSet;

use crate::kernel::task::{ArgumentTold, AttackTold};
use crate::providers::offline::debate::Debate;
use crate::providers::offline::reading::Reading;

/// A speaker's view of what was said and done.
#[derive(Debug)]
pub struct Past {
    /// Lines that the speaker has used.
    pub said: BTreeSet<usize>,
    /// Passages from which the speaker has taken a claim.
    pub spent: BTreeSet<usize>,
    /// How often the speaker has attacked each argument.
    pub mine: Vec<usize>,
    /// How often anybody has attacked it.
    pub all: Vec<usize>,
    /// Arguments that hit one of the speaker's own: places among those told.
    pub against_me: BTreeSet<usize>,
}

impl Past {
    /// Gathers the past of a speaker from the arguments and attacks told. `reading` is of the same arguments.
    pub fn read(
        debate: &Debate,
        reading: &Reading,
        speaker: usize,
        arguments: &[ArgumentTold],
        attacks: &[AttackTold],
    ) -> Self {
        let papers = &debate.papers;
        let me = &papers.speakers[speaker];
        let place = |alias: &str| arguments.iter().position(|it| it.alias == alias);
        let mut past = Past {
            said: BTreeSet::new(),
            spent: BTreeSet::new(),
            mine: vec![0; arguments.len()],
            all: vec![0; arguments.len()],
            against_me: BTreeSet::new(),
        };
        for told in reading.arguments.iter().filter(|it| it.speaker == Some(speaker)) {
            past.said.extend(told.parts.iter().filter_map(|it| it.line));
            past.spent.extend(told.claim().line.map(|it| papers.lines[it].passage));
        }
        for attack in attacks {
            let target = place(&attack.target);
            if let Some(target) = target {
                past.all[target] += 1;
                past.mine[target] += usize::from(attack.speaker == *me);
                if arguments[target].speaker == *me && attack.speaker != *me {
                    past.against_me.extend(place(&attack.source));
                }
            }
            if attack.speaker == *me {
                // The counter-argument of an attack that was found invalid is not among the arguments.
                let line = papers.find(Some(speaker), &attack.counter_claim);
                past.said.extend(line);
                past.spent.extend(line.map(|it| papers.lines[it].passage));
            }
        }
        past
    }
}
