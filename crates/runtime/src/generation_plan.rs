//! Decides the next action of the coordinator for the existing generations. Pure function without side effects.

use faultline_store::generations::generations::{Generation, GenerationState, RebuildReason};

/// Next action of the coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenerationStep {
    /// Create another generation.
    Create(RebuildReason),
    /// Reject this generation: it is of an older revision, and would be out of date before it is served.
    Reject(i32),
    /// Do nothing: rows of a newer program's revision are served or being built. This program cannot keep them up to
    /// date, and nobody asked it to build its own.
    LeaveToNewer,
    /// Keep one generation up to date and build another, if they exist.
    Run {
        /// The served generation, if it is of this program's revision.
        keep: Option<i32>,
        /// The generation to build.
        build: Option<i32>,
    },
}

/// Returns the next action of a program of this revision, given the existing generations.
pub fn next_step(existing: &[Generation], revision: i32) -> GenerationStep {
    let served = existing.iter().find(|generation| generation.state == GenerationState::Served);
    let under_way = existing.iter().find(|generation| generation.state.is_under_way());
    if under_way.is_some_and(|generation| generation.revision > revision) {
        return GenerationStep::LeaveToNewer;
    }
    if served.is_some_and(|generation| generation.revision > revision) {
        // An operator returns to this program's version. While a newer program also runs, that one rejects the
        // requested generation.
        let asked =
            under_way.filter(|generation| generation.revision == revision && generation.reason == RebuildReason::Asked);
        return asked.map_or(GenerationStep::LeaveToNewer, |generation| GenerationStep::Run {
            keep: None,
            build: Some(generation.id),
        });
    }
    match (served, under_way) {
        (_, Some(it)) if it.revision < revision => GenerationStep::Reject(it.id),
        (None, None) => GenerationStep::Create(RebuildReason::First),
        (Some(it), None) if it.revision < revision => GenerationStep::Create(RebuildReason::Revision),
        _ => GenerationStep::Run {
            keep: served.filter(|generation| generation.revision == revision).map(|generation| generation.id),
            build: under_way.map(|generation| generation.id),
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
            reason: RebuildReason::Asked,
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
    fn the_newest_revision_is_built_beside_the_served_one_and_older_programs_leave_it_alone() {
        use GenerationState::{Approved, Building, Held, Rejected, Retired, Served, Wanted};
        let work = |keep, build| GenerationStep::Run { keep, build };
        let cases: &[(&[(i32, GenerationState)], GenerationStep)] = &[
            (&[], GenerationStep::Create(RebuildReason::First)),
            (&[(4, Rejected)], GenerationStep::Create(RebuildReason::First)),
            (&[(4, Wanted)], work(None, Some(1))),
            (&[(4, Served)], work(Some(1), None)),
            (&[(4, Retired), (4, Served)], work(Some(2), None)),
            (&[(4, Served), (4, Building)], work(Some(1), Some(2))),
            (&[(4, Served), (4, Held)], work(Some(1), Some(2))),
            (&[(4, Served), (4, Rejected)], work(Some(1), None)),
            (&[(3, Served)], GenerationStep::Create(RebuildReason::Revision)),
            (&[(3, Served), (4, Approved)], work(None, Some(2))),
            (&[(3, Served), (3, Building)], GenerationStep::Reject(2)),
            (&[(5, Served)], GenerationStep::LeaveToNewer),
            (&[(4, Served), (5, Wanted)], GenerationStep::LeaveToNewer),
            (&[(5, Served), (3, Wanted)], GenerationStep::LeaveToNewer),
            (&[(5, Served), (4, Wanted)], work(None, Some(2))),
            (&[(5, Retired), (4, Served)], work(Some(2), None)),
        ];
        for (states, wanted) in cases {
            let existing: Vec<Generation> =
                (1..).zip(*states).map(|(id, (revision, state))| generation(id, *revision, *state)).collect();
            assert_eq!(next_step(&existing, 4), *wanted, "{states:?}");
        }
    }
}
