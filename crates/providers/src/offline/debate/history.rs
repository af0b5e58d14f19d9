//! History of a debate from the perspective of one speaker.

use std::collections::BTreeSet;

use crate::offline::debate::debate::DerivedDebate;
use crate::offline::debate::reading::ResolvedTask;
use faultline_core::kernel::task::{ArgumentInput, AttackInput};

/// History of one speaker: lines used, attacks made and received.
#[derive(Debug)]
pub struct SpeakerHistory {
    /// Lines that the speaker has used.
    pub said: BTreeSet<usize>,
    /// Passages from which the speaker has taken a claim.
    pub spent: BTreeSet<usize>,
    /// Number of the speaker's attacks on each argument.
    pub mine: Vec<usize>,
    /// Number of all attacks on each argument.
    pub all: Vec<usize>,
    /// Indices of the arguments that attack one of the speaker's own.
    pub against_me: BTreeSet<usize>,
}

impl SpeakerHistory {
    /// Builds the history of a speaker from the arguments and attacks of a task. `reading` covers the same arguments.
    pub fn read(
        debate: &DerivedDebate,
        reading: &ResolvedTask,
        speaker: usize,
        arguments: &[ArgumentInput],
        attacks: &[AttackInput],
    ) -> Self {
        let papers = &debate.papers;
        let me = &papers.speakers[speaker];
        let place = |alias: &str| arguments.iter().position(|argument| argument.alias == alias);
        let mut past = SpeakerHistory {
            said: BTreeSet::new(),
            spent: BTreeSet::new(),
            mine: vec![0; arguments.len()],
            all: vec![0; arguments.len()],
            against_me: BTreeSet::new(),
        };
        for told in reading.arguments.iter().filter(|argument| argument.speaker == Some(speaker)) {
            past.said.extend(told.parts.iter().filter_map(|part| part.line));
            past.spent.extend(told.claim().line.map(|line| papers.lines[line].passage));
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
                // An invalid attack's counter-argument is not among the arguments.
                let line = papers.find(Some(speaker), &attack.counter_claim);
                past.said.extend(line);
                past.spent.extend(line.map(|line| papers.lines[line].passage));
            }
        }
        past
    }
}
