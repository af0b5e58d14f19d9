//! Folds: a view does not depend on how often it is stored and loaded, and every view is tested.

use std::collections::BTreeMap;
use std::fmt::Debug;

use faultline_core::projections::projection::{Projection, fold};
use faultline_core::verdicts::read_model::{DebateReadModel, ProjectionVisitor};

use crate::laws::support::debates;
use crate::rehearsal::Log;

/// A view stored after any event and loaded again continues as if it had never been stored.
#[test]
fn folding_in_pieces_gives_the_same_views() {
    for (name, log) in debates() {
        DebateReadModel::default().visit(&mut FoldsInPieces { name: &name, log: &log });
    }
}

/// Check of one projection at every event of a rehearsal.
struct FoldsInPieces<'a> {
    name: &'a str,
    log: &'a Log,
}

impl ProjectionVisitor for FoldsInPieces<'_> {
    fn visit<P: Projection + Clone + Debug + PartialEq>(&mut self, view: &'static str, _empty: &P) {
        let mut pieced = P::default();
        for (n, recorded) in (1..).zip(&self.log.0) {
            let row = serde_json::to_vec(&pieced).expect("a view is JSON");
            pieced = serde_json::from_slice(&row).expect("a view reads back");
            pieced.apply(recorded);
            let whole: P = fold(&self.log.0[..n]);
            assert_eq!(pieced, whole, "{view} of {} after {n} events", self.name);
        }
    }
}

/// Record of the projections that some debate changed.
struct Moved<'a>(&'a mut BTreeMap<&'static str, bool>);

impl ProjectionVisitor for Moved<'_> {
    fn visit<P: Projection + Clone + Debug + PartialEq>(&mut self, name: &'static str, view: &P) {
        *self.0.entry(name).or_default() |= *view != P::default();
    }
}

#[test]
fn every_projection_is_changed_by_some_debate() {
    let mut moved = BTreeMap::new();
    for (_, log) in debates() {
        DebateReadModel::of(&log.0).visit(&mut Moved(&mut moved));
    }
    let still: Vec<&str> = moved.iter().filter(|(_, moved)| !**moved).map(|(name, _)| *name).collect();
    assert!(still.is_empty(), "no debate changes {still:?}, so no law tests these projections");
}
