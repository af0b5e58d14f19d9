//! What if arguments were withdrawn, and attacks were there: the verdict as it would be, and what differs.
//!
//! The graph is changed and judged by the same rules as every debate: there is no other computation, so what is told here
//! is what the debate would say.

use std::collections::BTreeSet;
use std::fmt;

use crate::events::argument::{ArgumentAdvanced, AttackJudged, AttackKind, AttackRaised, Component};
use crate::events::ids::ArgumentId;
use crate::projections::argument_graph::{ArgumentGraph, Attack};
use crate::verdicts::board::Board;
use crate::verdicts::difference::{Difference, difference};
use crate::verdicts::verdict::{Verdict, verdict};

/// The most arguments that may be withdrawn at once.
pub const MAX_WITHDRAWN: usize = 100;
/// The most attacks that may be added at once.
pub const MAX_ADDED: usize = 100;

/// A change to a debate that nobody made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// Arguments withdrawn, with every attack on and by them.
    pub withdrawn: Vec<ArgumentId>,
    /// Attacks that are there, and valid.
    pub added: Vec<Added>,
}

/// An attack that nobody raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Added {
    /// The argument with which.
    pub source: ArgumentId,
    /// The argument against which.
    pub target: ArgumentId,
    /// Whether the two tell against each other alike.
    pub mutual: bool,
}

/// Why a change cannot be thought through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unthinkable {
    /// More than [`MAX_WITHDRAWN`] arguments or [`MAX_ADDED`] attacks.
    TooMuch,
    /// An argument that the debate does not have.
    Unknown(ArgumentId, Option<ArgumentId>),
    /// An argument that does not count as things stand.
    NotLive(ArgumentId),
    /// An attack from or on an argument that is to be withdrawn.
    Withdrawn(ArgumentId),
}

impl fmt::Display for Unthinkable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unthinkable::TooMuch => {
                write!(f, "at most {MAX_WITHDRAWN} arguments are withdrawn and {MAX_ADDED} attacks added at once")
            }
            Unthinkable::Unknown(id, None) => write!(f, "there is no argument {id}: nobody has advanced any"),
            Unthinkable::Unknown(id, Some(last)) => {
                write!(f, "there is no argument {id} in this debate; the last is {last}")
            }
            Unthinkable::NotLive(id) => {
                write!(
                    f,
                    "argument {id} does not count as it is: it was withdrawn, or the attack that it carries is not valid"
                )
            }
            Unthinkable::Withdrawn(id) => {
                write!(f, "argument {id} is to be withdrawn and to attack or be attacked: do one or the other")
            }
        }
    }
}

/// What would be of a debate if it were changed so. `now` is the verdict over the board.
///
/// Cost: one verdict.
///
/// # Errors
/// [`Unthinkable`] where the change is too large or makes no sense.
pub fn what_if(board: &Board, now: &Verdict, change: &Change) -> Result<Difference, Unthinkable> {
    let graph = changed(&board.arguments, change)?;
    let then = verdict(&board.summary, &board.transcript, &graph, &board.disputes, &board.crux_proposals, None);
    Ok(difference(now, &then))
}

/// The graph with the change made.
fn changed(graph: &ArgumentGraph, change: &Change) -> Result<ArgumentGraph, Unthinkable> {
    if change.withdrawn.len() > MAX_WITHDRAWN || change.added.len() > MAX_ADDED {
        return Err(Unthinkable::TooMuch);
    }
    let ends = change.added.iter().flat_map(|it| [it.source, it.target]);
    for id in change.withdrawn.iter().copied().chain(ends.clone()) {
        if !graph.arguments.contains_key(&id) {
            return Err(Unthinkable::Unknown(id, graph.arguments.keys().next_back().copied()));
        }
        if !graph.is_live(id) {
            return Err(Unthinkable::NotLive(id));
        }
    }
    let withdrawn: BTreeSet<ArgumentId> = change.withdrawn.iter().copied().collect();
    if let Some(id) = ends.into_iter().find(|it| withdrawn.contains(it)) {
        return Err(Unthinkable::Withdrawn(id));
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

/// An attack as its source's speaker would have raised it where they advanced the source, judged valid.
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
            component: Component::Claim,
            kind,
            rationale: String::new(),
            confidence: 1.0,
        },
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
    }
}
