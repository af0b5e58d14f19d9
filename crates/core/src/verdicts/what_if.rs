//! Hypothetical verdicts: the verdict with some arguments withdrawn or attacks added, compared with the actual one.
//!
//! The changed graph is judged by the same rules as every debate, so the result is the verdict that the debate would
//! have.

use std::collections::BTreeSet;
use std::fmt;

use crate::events::argument::{ArgumentAdvanced, ArgumentPart, AttackJudged, AttackKind, AttackRaised};
use crate::events::ids::ArgumentId;
use crate::projections::argument_graph::{ArgumentGraph, Attack};
use crate::verdicts::diff::verdict_diff::{VerdictDiff, verdict_diff};
use crate::verdicts::read_model::DebateReadModel;
use crate::verdicts::verdict::{Verdict, VerdictInputs, verdict};

/// Maximum number of withdrawn arguments.
pub const MAX_WITHDRAWN: usize = 100;
/// Maximum number of added attacks.
pub const MAX_ADDED: usize = 100;

/// Hypothetical change of a debate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HypotheticalChange {
    /// Arguments withdrawn, with all attacks on and by them.
    pub withdrawn: Vec<ArgumentId>,
    /// Attacks added, all of them valid.
    pub added: Vec<Added>,
}

/// Hypothetical attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Added {
    /// Attacking argument.
    pub source: ArgumentId,
    /// Attacked argument.
    pub target: ArgumentId,
    /// True if the two attack each other.
    pub mutual: bool,
}

/// Reason why a change is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhatIfError {
    /// More than [`MAX_WITHDRAWN`] arguments or [`MAX_ADDED`] attacks.
    TooMuch,
    /// Argument that the debate does not contain; second, its last argument.
    Unknown(ArgumentId, Option<ArgumentId>),
    /// Argument that is not live.
    NotLive(ArgumentId),
    /// Attack from or on an argument that is also withdrawn.
    Withdrawn(ArgumentId),
}

impl fmt::Display for WhatIfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WhatIfError::TooMuch => {
                write!(f, "a change may withdraw at most {MAX_WITHDRAWN} arguments and add at most {MAX_ADDED} attacks")
            }
            WhatIfError::Unknown(id, None) => write!(f, "there is no argument {id}: this debate has no arguments"),
            WhatIfError::Unknown(id, Some(last)) => {
                write!(f, "there is no argument {id} in this debate; the last is {last}")
            }
            WhatIfError::NotLive(id) => {
                write!(f, "argument {id} is not live: it was withdrawn, or the attack that it carries is not valid")
            }
            WhatIfError::Withdrawn(id) => {
                write!(f, "argument {id} is both withdrawn and part of an added attack: do one or the other")
            }
        }
    }
}

/// Compares the verdict of a changed debate with `now`, the verdict of the unchanged one.
///
/// Cost: one verdict.
///
/// # Errors
/// [`WhatIfError`] if the change is too large, names unknown or inactive arguments, or contradicts itself.
pub fn what_if(
    read_model: &DebateReadModel,
    now: &Verdict,
    change: &HypotheticalChange,
) -> Result<VerdictDiff, WhatIfError> {
    let graph = changed(&read_model.arguments, change)?;
    let then = verdict(VerdictInputs { graph: &graph, ..read_model.verdict_inputs() });
    Ok(verdict_diff(now, &then))
}

/// Applies the change to a copy of the graph.
fn changed(graph: &ArgumentGraph, change: &HypotheticalChange) -> Result<ArgumentGraph, WhatIfError> {
    if change.withdrawn.len() > MAX_WITHDRAWN || change.added.len() > MAX_ADDED {
        return Err(WhatIfError::TooMuch);
    }
    let ends = change.added.iter().flat_map(|attack| [attack.source, attack.target]);
    for id in change.withdrawn.iter().copied().chain(ends.clone()) {
        if !graph.arguments.contains_key(&id) {
            return Err(WhatIfError::Unknown(id, graph.arguments.keys().next_back().copied()));
        }
        if !graph.is_live(id) {
            return Err(WhatIfError::NotLive(id));
        }
    }
    let withdrawn: BTreeSet<ArgumentId> = change.withdrawn.iter().copied().collect();
    if let Some(id) = ends.into_iter().find(|id| withdrawn.contains(id)) {
        return Err(WhatIfError::Withdrawn(id));
    }
    let mut graph = graph.clone();
    graph.arguments.retain(|id, _| !withdrawn.contains(id));
    for added in &change.added {
        if let Some(source) = graph.arguments.get(&added.source) {
            let attack = attack(&graph, &source.advanced, *added, source.version);
            graph.attacks.insert(attack.raised.attack, attack);
        }
    }
    Ok(graph)
}

/// Attack by the source's speaker in the turn of the source, judged valid.
fn attack(graph: &ArgumentGraph, source: &ArgumentAdvanced, added: Added, version: i64) -> Attack {
    let attack = graph.next_attack();
    let kind = if added.mutual { AttackKind::Rebut } else { AttackKind::Undercut };
    Attack {
        raised: AttackRaised {
            attack,
            speaker: source.speaker.clone(),
            turn: source.turn,
            source: added.source,
            target: added.target,
            component: ArgumentPart::Claim,
            kind,
            rationale: String::new(),
            quote: None,
            confidence: 1.0,
        },
        judged_version: None,
        judged: Some(AttackJudged {
            attack,
            valid: true,
            strength: 1.0,
            reason: String::new(),
            kind: None,
            component: None,
        }),
        withdrawn: None,
        version,
        is_between_equals: graph.claim_equally(added.source, added.target),
    }
}
