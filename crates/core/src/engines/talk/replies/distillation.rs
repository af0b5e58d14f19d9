//! Decoding of a distillation, as far as all talk engines do it alike.

use std::collections::BTreeSet;

use crate::engines::talk::replies::conceding;
use crate::engines::talk::replies::conceding::ConcessionContext;
use crate::engines::talk::replies::decode;
use crate::engines::talk::replies::decode::MAX_REFUSED;
use crate::engines::talk::replies::schema::Conceding;
use crate::engines::talk::state::{Talk, Window};
use crate::events::distillation::TurnsCrystallized;
use crate::events::event::Event;
use crate::kernel::reply::Unreadable;
use crate::projections::argument_graph::ArgumentGraph;
use crate::projections::projection::Projection;

/// Returns the next pairs of claims to examine, the oldest first, at most as many as one comparison takes.
pub fn unexamined<P: Ord>(talk: &Talk, pairs: impl IntoIterator<Item = P>, examined: &BTreeSet<P>) -> Vec<P> {
    let open = pairs.into_iter().filter(|pair| !examined.contains(pair));
    open.take(talk.options.pairs as usize).collect()
}

/// Result of decoding one item: the reason of its rejection if it cannot be used.
pub type Taken = Result<(), String>;

/// Events decoded so far, and the reasons of rejected items.
#[derive(Debug, Default)]
pub struct Decoded {
    /// Events in order.
    pub facts: Vec<Event>,
    /// Reasons of the rejected items.
    pub refused: Vec<String>,
}

/// Read model under construction: each event is applied as it is decoded.
pub trait DistillationDraft: Sized {
    /// Read model that the events change.
    type View: Projection;

    /// Returns the read model and the events decoded so far.
    fn parts(&mut self) -> (&mut Self::View, &mut Decoded);

    /// Decodes the first `most` of the given items.
    fn each<T>(&mut self, what: &str, most: usize, given: Vec<T>, take: fn(&mut Self, T) -> Taken) {
        if given.len() > most {
            let reason = format!("{} {what}, of which the first {most} are considered", given.len());
            self.parts().1.refused.push(reason);
        }
        for item in given.into_iter().take(most) {
            if let Err(reason) = take(self, item) {
                self.parts().1.refused.push(reason);
            }
        }
    }

    /// Adds an event and applies it.
    fn add(&mut self, fact: Event) {
        let (view, decoded) = self.parts();
        view.apply(&decode::noted(&fact));
        decoded.facts.push(fact);
    }
}

impl Decoded {
    /// Returns a decoded part, or records why it is rejected.
    pub fn usable<T>(&mut self, part: Result<T, String>) -> Option<T> {
        part.map_err(|reason| self.refused.push(reason)).ok()
    }

    /// Completes the events of a distillation: the distillation itself, the decoded events, and concessions that changed
    /// none of the speaker's arguments or stances. `graph` contains the arguments, if the engine has any. With `is_lost`, the reply had items and none of them could be used.
    ///
    /// # Errors
    /// [`Unreadable`] if `is_lost`, with the reasons of the rejected items.
    pub fn finish(
        self,
        is_lost: bool,
        talk: &Talk,
        window: &Window,
        graph: Option<&ArgumentGraph>,
        concessions: Vec<Conceding>,
    ) -> Result<Vec<Event>, Unreadable> {
        let Decoded { mut facts, mut refused } = self;
        if is_lost {
            refused.truncate(MAX_REFUSED);
            return Err(Unreadable::because(format!("nothing in the reply could be used: {}", refused.join("; "))));
        }
        let at = ConcessionContext { talk, window, graph, facts: &facts };
        let said = conceding::said(&at, concessions, &mut refused);
        facts.extend(said);
        refused.truncate(MAX_REFUSED);
        let (turns, repetition) = (window.names(), None);
        let crystallized = Event::TurnsCrystallized(TurnsCrystallized { turns, refused, repetition });
        Ok(std::iter::once(crystallized).chain(facts).collect())
    }
}
