//! What the holder of the projector's lock is to do about the generations that are there. Decides, and does nothing.

use crate::store::generations::{Generation, GenerationState, Reason};

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Another generation is lacking.
    Want(Reason),
    /// This one is of an older fold, and would be out of date before it is served.
    Reject(i32),
    /// A newer program's fold is served or on its way: its rows cannot be kept up by this one, and nobody asked for it to
    /// make its own.
    Leave,
    /// Keep one up, build another, where there are such.
    Work {
        /// The one that is served, if it is of this program's fold.
        keep: Option<i32>,
        /// The one that is under way.
        build: Option<i32>,
    },
}

/// What is to be done by a program of this revision, where these generations stand.
pub fn next_step(standing: &[Generation], revision: i32) -> Step {
    let served = standing.iter().find(|it| it.state == GenerationState::Served);
    let under_way = standing.iter().find(|it| it.state.is_under_way());
    if under_way.is_some_and(|it| it.revision > revision) {
        return Step::Leave;
    }
    if served.is_some_and(|it| it.revision > revision) {
        // Somebody goes back to this program. While a newer one is there too, that one rejects what is asked for here.
        let asked = under_way.filter(|it| it.revision == revision && it.reason == Reason::Asked);
        return asked.map_or(Step::Leave, |it| Step::Work { keep: None, build: Some(it.id) });
    }
    match (served, under_way) {
        (_, Some(it)) if it.revision < revision => Step::Reject(it.id),
        (None, None) => Step::Want(Reason::First),
        (Some(it), None) if it.revision < revision => Step::Want(Reason::Revision),
        _ => Step::Work {
            keep: served.filter(|it| it.revision == revision).map(|it| it.id),
            build: under_way.map(|it| it.id),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generation(id: i32, revision: i32, state: GenerationState) -> Generation {
        Generation {
            id,
            revision,
            state,
            reason: Reason::Asked,
            workers: None,
            holds: false,
            held_until: None,
            allows_letters: false,
            problem: None,
            wanted_at: Default::default(),
            started_at: None,
            caught_up_at: None,
            served_at: None,
            retired_at: None,
            dropped_at: None,
        }
    }

    #[test]
    fn the_newest_fold_is_built_beside_what_is_served_and_an_older_program_leaves() {
        use GenerationState::{Approved, Building, Held, Rejected, Retired, Served, Wanted};
        let work = |keep, build| Step::Work { keep, build };
        let cases: &[(&[(i32, GenerationState)], Step)] = &[
            (&[], Step::Want(Reason::First)),
            (&[(4, Rejected)], Step::Want(Reason::First)),
            (&[(4, Wanted)], work(None, Some(1))),
            (&[(4, Served)], work(Some(1), None)),
            (&[(4, Retired), (4, Served)], work(Some(2), None)),
            (&[(4, Served), (4, Building)], work(Some(1), Some(2))),
            (&[(4, Served), (4, Held)], work(Some(1), Some(2))),
            (&[(4, Served), (4, Rejected)], work(Some(1), None)),
            (&[(3, Served)], Step::Want(Reason::Revision)),
            (&[(3, Served), (4, Approved)], work(None, Some(2))),
            (&[(3, Served), (3, Building)], Step::Reject(2)),
            (&[(5, Served)], Step::Leave),
            (&[(4, Served), (5, Wanted)], Step::Leave),
            (&[(5, Served), (3, Wanted)], Step::Leave),
            (&[(5, Served), (4, Wanted)], work(None, Some(2))),
            (&[(5, Retired), (4, Served)], work(Some(2), None)),
        ];
        for (states, wanted) in cases {
            let standing: Vec<Generation> =
                (1..).zip(*states).map(|(id, (revision, state))| generation(id, *revision, *state)).collect();
            assert_eq!(next_step(&standing, 4), *wanted, "{states:?}");
        }
    }
}
