//! Statistics of the differences between two sets of stored views over many debates, with a few examples. Memory does
//! not grow with the number of debates.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::events::ids::DebateId;
use crate::verdicts::diff::stored_change::StoredChange;
use crate::verdicts::diff::verdict_change::ChangeKind;

/// Maximum number of examples of each field.
pub const MAX_EXAMPLES: usize = 10;
/// Maximum number of fields, and of kinds of change of a field, that are counted by name; others are counted as
/// [`OTHERS`].
pub const MAX_KINDS: usize = 128;
/// Name under which fields and kinds beyond [`MAX_KINDS`] are counted.
pub const OTHERS: &str = "others";

/// Differences between stored views over many debates.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerdictDiffStats {
    /// Number of debates whose views were compared.
    pub compared: u64,
    /// Number of compared debates without any difference, apart from the name of the algorithm.
    pub unchanged: u64,
    /// Changes by view and field, such as `verdict.regime_kind` or `cruxes.row_order`.
    pub changes: BTreeMap<String, ChangeStats>,
    /// Number of debates that only the first set contains.
    pub only_before: u64,
    /// Number of debates that only the second set contains.
    pub only_after: u64,
    /// Number of debates not compared because the two verdicts are of different versions.
    pub moved: u64,
    /// Number of debates not compared because the stored verdict of the first set could not be read.
    pub unreadable: u64,
}

/// Statistics of the changes of one field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ChangeStats {
    /// Number of debates with such a change.
    pub debates: u64,
    /// Total number of changes.
    pub changes: u64,
    /// Number of changes by kind: old and new value if there are few values, otherwise `added`, `removed` or `changed`.
    pub kinds: BTreeMap<String, u64>,
    /// First debates with such a change.
    pub examples: Vec<Example>,
}

/// Debate with a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Example {
    /// Id of the debate.
    pub debate: DebateId,
    /// Topic of the debate.
    pub topic: String,
    /// Changed item, such as a crux and a participant; empty for the view as a whole.
    pub item: String,
    /// Value before the change; `None` if there was none.
    pub before: Option<String>,
    /// Value after the change; `None` if there is none.
    pub after: Option<String>,
}

impl VerdictDiffStats {
    /// Counts the changes of a debate. An example shows the first change of a field.
    pub fn add(&mut self, debate: DebateId, topic: &str, changes: &[StoredChange]) {
        self.compared += 1;
        self.unchanged += u64::from(changes.iter().all(|change| change.field == ChangeKind::Algorithm.name()));
        let mut by_field: BTreeMap<String, Vec<&StoredChange>> = BTreeMap::new();
        for change in changes {
            by_field.entry(format!("{}.{}", change.view.name(), change.field)).or_default().push(change);
        }
        for (field, changes) in by_field {
            let is_known = self.changes.len() < MAX_KINDS || self.changes.contains_key(&field);
            let stats = self.changes.entry(if is_known { field } else { OTHERS.to_owned() }).or_default();
            stats.add(debate, topic, &changes);
        }
    }
}

impl ChangeStats {
    fn add(&mut self, debate: DebateId, topic: &str, changes: &[&StoredChange]) {
        self.debates += 1;
        for change in changes {
            self.changes += 1;
            let kind = kind_of(change);
            let is_known = self.kinds.len() < MAX_KINDS || self.kinds.contains_key(&kind);
            *self.kinds.entry(if is_known { kind } else { OTHERS.to_owned() }).or_default() += 1;
        }
        if let (Some(first), true) = (changes.first(), self.examples.len() < MAX_EXAMPLES) {
            let (item, before, after) = (first.item.clone(), first.from.clone(), first.to.clone());
            self.examples.push(Example { debate, topic: topic.to_owned(), item, before, after });
        }
    }
}

fn kind_of(change: &StoredChange) -> String {
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
    match (&change.from, &change.to) {
        (from, to) if change.is_categorical => format!("{} → {}", value(from), value(to)),
        (None, Some(_)) => "added".to_owned(),
        (Some(_), None) => "removed".to_owned(),
        _ => "changed".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::events::ids::ArgumentId;
    use crate::verdicts::camps::Camp;
    use crate::verdicts::diff::stored_change::{StoredView, changes_of_verdicts};
    use crate::verdicts::read_model::DebateReadModel;
    use crate::verdicts::regime::RegimeKind;
    use faultline_argumentation::labelling::Label;

    fn debate(n: u128) -> DebateId {
        DebateId(Uuid::from_u128(n))
    }

    #[test]
    fn equal_verdicts_and_other_algorithms_count_as_unchanged() {
        let verdict = DebateReadModel::default().verdict();
        let mut tally = VerdictDiffStats::default();
        tally.add(debate(1), "a", &changes_of_verdicts(&verdict, &verdict));
        assert_eq!(tally, VerdictDiffStats { compared: 1, unchanged: 1, ..VerdictDiffStats::default() });
        let mut other = verdict.clone();
        other.algorithm = "faultline-verdict/0".to_owned();
        tally.add(debate(1), "a", &changes_of_verdicts(&verdict, &other));
        assert_eq!((tally.compared, tally.unchanged, tally.changes["verdict.algorithm"].changes), (2, 2, 1));
    }

    #[test]
    fn all_changes_are_counted_and_examples_are_limited() {
        let before = DebateReadModel::default().verdict();
        let mut after = before.clone();
        after.regime.kind = RegimeKind::Polarized;
        after.labels.insert(ArgumentId(1), Label::Out);
        after.labels.insert(ArgumentId(2), Label::In);
        after.camps.push(Camp { arguments: vec![ArgumentId(2)], personas: vec!["ada".parse().unwrap()], tied: vec![] });
        let mut tally = VerdictDiffStats::default();
        for n in 0..30 {
            tally.add(debate(n), "why", &changes_of_verdicts(&before, &after));
        }
        assert_eq!((tally.compared, tally.unchanged, tally.changes.len()), (30, 0, 3));
        let counted = |field: &str| {
            let stats = &tally.changes[field];
            (stats.debates, stats.changes, stats.examples.len())
        };
        let [regimes, labels, camps] =
            ["verdict.regime_kind", "verdict.label", "verdict.camp"].map(|field| tally.changes[field].clone());
        assert_eq!(counted("verdict.regime_kind"), (30, 30, MAX_EXAMPLES));
        assert_eq!(regimes.kinds, BTreeMap::from([("undetermined → polarized".to_owned(), 30)]));
        assert_eq!(counted("verdict.label"), (30, 60, MAX_EXAMPLES));
        assert_eq!(labels.kinds, BTreeMap::from([("none → in".to_owned(), 30), ("none → out".to_owned(), 30)]));
        assert_eq!(counted("verdict.camp"), (30, 30, MAX_EXAMPLES));
        assert_eq!(camps.kinds, BTreeMap::from([("added".to_owned(), 30)]));
        assert_eq!((&*camps.examples[0].item, camps.examples[0].after.as_deref()), ("camp 1", Some("a2")));
        assert_eq!(regimes.examples[9].debate, debate(9));
    }

    #[test]
    fn fields_and_kinds_beyond_the_limit_are_counted_together() {
        let mut tally = VerdictDiffStats::default();
        for n in 0..MAX_KINDS + 36 {
            let mut change = StoredChange::row(StoredView::Summary, "", None, Some(n.to_string()));
            change.is_categorical = true;
            tally.add(debate(1), "", &[change.clone()]);
            change.field = n.to_string();
            tally.add(debate(1), "", &[change]);
        }
        let rows = &tally.changes["summary.row"];
        assert_eq!((rows.kinds.len(), rows.kinds[OTHERS], rows.changes), (MAX_KINDS + 1, 36, MAX_KINDS as u64 + 36));
        assert_eq!((tally.changes.len(), tally.changes[OTHERS].changes), (MAX_KINDS + 1, 37));
    }
}
