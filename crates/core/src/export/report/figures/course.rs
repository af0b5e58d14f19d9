//! Course of a debate: counts, labels and open cruxes after its events, as series with a bounded number of points.

use std::collections::BTreeSet;

use crate::events::event::{Event, Recorded};
use crate::verdicts::diff::timeline::{can_change_cruxes, can_change_verdict};
use crate::verdicts::read_model::DebateReadModel;
use faultline_argumentation::labelling::Label;

/// Maximum number of versions at which a debate is counted.
pub const MAX_POINTS: usize = 400;
/// Maximum number of versions at which open cruxes are counted: each takes a verdict.
pub const MAX_VERDICTS: usize = 40;

/// Counts of a debate at one version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CourseCounts {
    /// Turns of participants.
    pub turns: usize,
    /// Live arguments; questions that are not retired in a debate without arguments.
    pub claims: usize,
    /// Valid attacks between live arguments; current stances on these questions in a debate without arguments.
    pub relations: usize,
    /// Live arguments by their grounded label: IN, OUT and UNDEC.
    pub labels: [usize; 3],
}

/// Course of a debate. A series has a point where its value changes, and the value holds until the next point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DebateCourse {
    /// True if arguments and attacks are counted, false if questions and stances are.
    pub has_arguments: bool,
    /// Version of the first event.
    pub first: i64,
    /// Version of the last event.
    pub last: i64,
    /// Counts by version.
    pub counts: Vec<(i64, CourseCounts)>,
    /// Number of open cruxes by version; empty if the verdict is not exact, because its search took all the steps that it may.
    pub cruxes: Vec<(i64, usize)>,
    /// True if counts were not taken at every version at which they can change.
    pub is_thinned: bool,
    /// True if open cruxes were not counted at every version at which they can change.
    pub is_sampled: bool,
}

/// Folds the events again, and counts at the versions at which something can change: at most [`MAX_POINTS`] of them, and
/// open cruxes at no more than [`MAX_VERDICTS`], evenly, the first and the last among them.
///
/// Cost: a fold of the events, a labelling for each point, and as many verdicts as versions at which cruxes are counted.
pub fn course(read_model: &DebateReadModel, events: &[Recorded]) -> DebateCourse {
    let (Some(first), Some(last)) = (events.first(), events.last()) else { return DebateCourse::default() };
    let has_arguments = !read_model.arguments.arguments.is_empty();
    let versions = |is_counted: fn(&Event) -> bool| -> Vec<i64> {
        events.iter().filter(|recorded| is_counted(&recorded.event)).map(|recorded| recorded.version).collect()
    };
    let changing = versions(can_change_verdict);
    let mut deciding = Vec::new();
    if read_model.verdict().regime.exact {
        deciding = versions(can_change_cruxes);
        deciding.extend(changing.last());
        deciding.dedup();
    }
    let counted_at = thinned(&changing, MAX_POINTS);
    let decided_at = thinned(&deciding, MAX_VERDICTS);

    let mut folded = DebateReadModel::default();
    let (mut counts, mut cruxes) = (Vec::new(), Vec::new());
    for recorded in events {
        folded.apply(recorded);
        if counted_at.contains(&recorded.version) {
            push_change(&mut counts, recorded.version, count(&folded, has_arguments));
        }
        if decided_at.contains(&recorded.version) {
            push_change(&mut cruxes, recorded.version, folded.verdict().cruxes.len());
        }
    }
    let (is_thinned, is_sampled) = (counted_at.len() < changing.len(), decided_at.len() < deciding.len());
    DebateCourse { has_arguments, first: first.version, last: last.version, counts, cruxes, is_thinned, is_sampled }
}

fn count(read_model: &DebateReadModel, has_arguments: bool) -> CourseCounts {
    let turns = read_model.transcript.turns.iter().filter(|turn| turn.speaker.is_some()).count();
    if !has_arguments {
        let questions = || read_model.disputes.not_retired().map(|(_, dispute)| dispute);
        let relations = questions().map(|dispute| dispute.stances.len()).sum();
        return CourseCounts { turns, claims: questions().count(), relations, labels: [0; 3] };
    }
    let labels = read_model.arguments.labels();
    let labelled = |wanted: Label| labels.values().filter(|label| **label == wanted).count();
    CourseCounts {
        turns,
        claims: labels.len(),
        relations: read_model.arguments.active().count(),
        labels: [Label::In, Label::Out, Label::Undec].map(labelled),
    }
}

/// Appends a value to a series, unless it is the last one.
fn push_change<T: PartialEq>(series: &mut Vec<(i64, T)>, version: i64, value: T) {
    if series.last().is_none_or(|(_, last)| *last != value) {
        series.push((version, value));
    }
}

/// Picks at most `most` versions, evenly, the first and the last among them. `most` is at least 2.
fn thinned(versions: &[i64], most: usize) -> BTreeSet<i64> {
    if versions.len() <= most {
        return versions.iter().copied().collect();
    }
    (0..most).map(|place| versions[place * (versions.len() - 1) / (most - 1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinned_versions_keep_the_first_and_the_last() {
        let versions: Vec<i64> = (1..=1_000).collect();
        let found = thinned(&versions, MAX_VERDICTS);
        assert_eq!((found.len(), found.first(), found.last()), (MAX_VERDICTS, Some(&1), Some(&1_000)));
        assert_eq!(thinned(&versions[..3], 3), BTreeSet::from([1, 2, 3]));
        assert_eq!(thinned(&versions[..5], 2), BTreeSet::from([1, 5]));
        assert_eq!(thinned(&[], 2), BTreeSet::new());
    }

    #[test]
    fn a_series_has_points_where_it_changes() {
        let mut series = Vec::new();
        for (version, value) in [(1, 0), (2, 0), (5, 1), (6, 1), (7, 0)] {
            push_change(&mut series, version, value);
        }
        assert_eq!(series, [(1, 0), (5, 1), (7, 0)]);
    }

    #[test]
    fn a_debate_without_events_has_no_course() {
        assert_eq!(course(&DebateReadModel::default(), &[]), DebateCourse::default());
    }
}
