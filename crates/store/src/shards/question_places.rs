//! Placement of the vectors of questions, as a process knows it.

use std::sync::{PoisonError, RwLock};

/// Numbers of the servers that hold the vectors of questions; 0 is the home.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct QuestionPlacement {
    /// Server that gets new vectors.
    pub(crate) current: usize,
    /// Server from which vectors are being moved.
    pub(crate) former: Option<usize>,
}

impl QuestionPlacement {
    /// Returns the servers that hold vectors, the former one first: a vector is deleted there after it was stored on the other,
    /// so a reader that asks them in this order misses none.
    pub(crate) fn servers(self) -> impl Iterator<Item = usize> {
        self.former.into_iter().chain([self.current])
    }

    /// Returns whether all vectors are at home.
    pub(crate) fn is_home(self) -> bool {
        self.servers().all(|place| place == 0)
    }
}

/// Placement that is known now.
#[derive(Debug, Default)]
pub(super) struct QuestionPlaces(RwLock<QuestionPlacement>);

impl QuestionPlaces {
    /// Returns the placement.
    pub(super) fn now(&self) -> QuestionPlacement {
        *self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces the placement. Returns whether it differs.
    pub(super) fn replace(&self, placement: QuestionPlacement) -> bool {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *known, placement) != placement
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_former_server_is_asked_first() {
        let order = |current, former| QuestionPlacement { current, former }.servers().collect::<Vec<_>>();
        assert_eq!((order(0, None), order(1, Some(0)), order(0, Some(2))), (vec![0], vec![0, 1], vec![2, 0]));
    }

    #[test]
    fn a_move_home_has_not_ended_before_the_former_server_is_empty() {
        let is_home = |current, former| QuestionPlacement { current, former }.is_home();
        assert!(is_home(0, None) && !is_home(0, Some(1)) && !is_home(1, Some(0)) && !is_home(1, None));
    }
}
