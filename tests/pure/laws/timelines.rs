//! Timelines: they list exactly the changes between the verdicts of successive versions.

use faultline_core::events::event::Recorded;
use faultline_core::verdicts::crux::Crux;
use faultline_core::verdicts::crux_id::CruxKey;
use faultline_core::verdicts::diff::timeline::{Timeline, TimelineEntry};
use faultline_core::verdicts::diff::verdict_diff::verdict_diff;
use faultline_core::verdicts::read_model::DebateReadModel;

use crate::laws::support::debates;

#[test]
fn a_timeline_lists_every_change_of_the_verdict() {
    let mut n_entries = 0;
    for (name, log) in debates() {
        let expected = changes(&log.0);
        let whole = extended(Timeline::default(), &log.0);
        assert_eq!(whole.until(i64::MAX), expected, "{name}");
        n_entries += expected.len();
        for cut in [1, log.0.len() / 3, log.0.len() - 1] {
            let continued = extended(extended(Timeline::default(), &log.0[..cut]), &log.0);
            assert_eq!(continued, whole, "{name}, continued after {cut} events");
            let until = log.0[cut - 1].version;
            let earlier: Vec<&TimelineEntry> = expected.iter().filter(|entry| entry.version <= until).collect();
            assert_eq!(whole.until(until).iter().collect::<Vec<_>>(), earlier, "{name}, up to version {until}");
        }
    }
    assert!(n_entries > 0, "no debate changes its verdict");
}

fn extended(mut timeline: Timeline, events: &[Recorded]) -> Timeline {
    timeline.extend(&mut DebateReadModel::default(), events);
    timeline
}

/// Compares the verdicts of all successive versions.
fn changes(events: &[Recorded]) -> Vec<TimelineEntry> {
    let mut read_model = DebateReadModel::default();
    let (mut entries, mut last) = (Vec::new(), None);
    for recorded in events {
        read_model.apply(recorded);
        let verdict = read_model.verdict();
        if let Some(before) = &last {
            let diff = verdict_diff(before, &verdict);
            let entry = TimelineEntry {
                version: recorded.version,
                regime: diff.after.regime.kind,
                gained: keys(&diff.gained),
                lost: keys(&diff.lost),
                labels: diff.labels,
            };
            let is_change = !(entry.labels.is_empty() && entry.gained.is_empty() && entry.lost.is_empty())
                || diff.before.regime.kind != entry.regime;
            entries.extend(is_change.then_some(entry));
        }
        last = Some(verdict);
    }
    entries
}

fn keys(cruxes: &[(usize, Crux)]) -> Vec<CruxKey> {
    let mut keys: Vec<CruxKey> = cruxes.iter().map(|(_, crux)| crux.key).collect();
    keys.sort();
    keys
}
