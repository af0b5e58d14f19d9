//! Statistics of the differences between two sets of verdicts over many debates, with a few examples. Memory does not
//! grow with the number of debates.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::events::ids::{ArgumentId, DebateId, PersonaId};
use crate::verdicts::crux::Crux;
use crate::verdicts::verdict::Verdict;
use crate::verdicts::verdict_diff::{VerdictDiff, verdict_diff};
use faultline_argumentation::labelling::Label;

/// Maximum number of examples of each kind of change.
pub const EXAMPLES: usize = 10;
/// Maximum number of kinds that are counted by name; others are counted as [`OTHERS`].
pub const KINDS: usize = 64;
/// Name under which kinds beyond [`KINDS`] are counted.
pub const OTHERS: &str = "others";

/// Differences between verdicts over many debates.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerdictDiffStats {
    /// Number of debates whose verdicts were compared.
    pub compared: u64,
    /// Number of compared debates without any difference.
    pub unchanged: u64,
    /// Changes of the regime, by old and new regime.
    pub regimes: ChangeStats,
    /// Open cruxes that were lost, by origin.
    pub cruxes_lost: ChangeStats,
    /// Open cruxes that were gained, by origin.
    pub cruxes_gained: ChangeStats,
    /// Changes of camps, by old and new number of camps.
    pub camps: ChangeStats,
    /// Changes of grounded labels, by old and new label.
    pub labels: ChangeStats,
    /// Number of debates that only the first set contains.
    pub only_before: u64,
    /// Number of debates that only the second set contains.
    pub only_after: u64,
    /// Number of debates not compared because the two verdicts are of different versions.
    pub moved: u64,
    /// Number of debates not compared because the stored verdict of the first set could not be read.
    pub unreadable: u64,
}

/// Statistics of one kind of change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ChangeStats {
    /// Number of debates with such a change.
    pub debates: u64,
    /// Total number of changes.
    pub changes: u64,
    /// Number of changes by kind.
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
    /// State before the change.
    pub before: String,
    /// State after the change.
    pub after: String,
}

impl VerdictDiffStats {
    /// Counts the differences of a debate. Linear in the size of the verdicts.
    pub fn compare(&mut self, debate: DebateId, topic: &str, before: &Verdict, after: &Verdict) {
        self.compared += 1;
        let found = verdict_diff(before, after);
        let example = |before: String, after: String| Example { debate, topic: topic.to_owned(), before, after };
        let mut changes = 0;
        if found.before.regime.kind != found.after.regime.kind {
            let (from, to) = (found.before.regime.kind.name(), found.after.regime.kind.name());
            self.regimes.add([change(from, to)], || example(from.to_owned(), to.to_owned()));
            changes += 1;
        }
        let kinds = |cruxes: &[(usize, Crux)]| cruxes.iter().map(|(_, crux)| crux.origin.name().to_owned()).collect();
        let words = |cruxes: &[(usize, Crux)]| cruxes.first().map_or(String::new(), |(_, crux)| crux.statement.clone());
        let (lost, gained): (Vec<String>, Vec<String>) = (kinds(&found.lost), kinds(&found.gained));
        if !lost.is_empty() {
            self.cruxes_lost.add(lost, || example(words(&found.lost), String::new()));
            changes += 1;
        }
        if !gained.is_empty() {
            self.cruxes_gained.add(gained, || example(String::new(), words(&found.gained)));
            changes += 1;
        }
        if camps(before) != camps(after) {
            let number = change(&found.before.n_camps.to_string(), &found.after.n_camps.to_string());
            self.camps.add([number], || example(camps_text(before), camps_text(after)));
            changes += 1;
        }
        if !found.labels.is_empty() {
            let kinds = found.labels.iter().map(|entry| change(label(entry.from), label(entry.to)));
            let (from, to) = labels_text(&found);
            self.labels.add(kinds, || example(from, to));
            changes += 1;
        }
        self.unchanged += u64::from(changes == 0);
    }
}

impl ChangeStats {
    fn add(&mut self, kinds: impl IntoIterator<Item = String>, example: impl FnOnce() -> Example) {
        self.debates += 1;
        for kind in kinds {
            self.changes += 1;
            let is_known = self.kinds.len() < KINDS || self.kinds.contains_key(&kind);
            *self.kinds.entry(if is_known { kind } else { OTHERS.to_owned() }).or_default() += 1;
        }
        if self.examples.len() < EXAMPLES {
            self.examples.push(example());
        }
    }
}

fn change(from: &str, to: &str) -> String {
    format!("{from} → {to}")
}

fn label(label: Option<Label>) -> &'static str {
    match label {
        Some(Label::In) => "in",
        Some(Label::Out) => "out",
        Some(Label::Undec) => "undecided",
        None => "none",
    }
}

/// Camps as a set, regardless of their order.
fn camps(verdict: &Verdict) -> BTreeSet<(&[ArgumentId], &[PersonaId], &[PersonaId])> {
    verdict.camps.iter().map(|camp| (&*camp.arguments, &*camp.personas, &*camp.tied)).collect()
}

fn camps_text(verdict: &Verdict) -> String {
    let names =
        |personas: &[PersonaId]| personas.iter().map(|persona| persona.to_string()).collect::<Vec<_>>().join(", ");
    let camp = verdict.camps.iter().map(|camp| {
        let arguments: Vec<String> = camp.arguments.iter().map(ToString::to_string).collect();
        format!("{} [{}]", names(&camp.personas), arguments.join(" "))
    });
    camp.collect::<Vec<_>>().join(" | ")
}

fn labels_text(found: &VerdictDiff) -> (String, String) {
    let side = |of: &dyn Fn(&crate::verdicts::verdict_diff::Relabelled) -> Option<Label>| {
        let labels = found.labels.iter().map(|entry| format!("{} {}", entry.argument, label(of(entry))));
        labels.collect::<Vec<_>>().join(", ")
    };
    (side(&|entry| entry.from), side(&|entry| entry.to))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::verdicts::camps::Camp;
    use crate::verdicts::read_model::DebateReadModel;
    use crate::verdicts::regime::RegimeKind;

    fn debate(n: u128) -> DebateId {
        DebateId(Uuid::from_u128(n))
    }

    #[test]
    fn equal_verdicts_count_as_unchanged() {
        let verdict = DebateReadModel::default().verdict();
        let mut tally = VerdictDiffStats::default();
        tally.compare(debate(1), "a", &verdict, &verdict);
        assert_eq!(tally, VerdictDiffStats { compared: 1, unchanged: 1, ..VerdictDiffStats::default() });
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
            tally.compare(debate(n), "why", &before, &after);
        }
        assert_eq!((tally.compared, tally.unchanged), (30, 0));
        let counted = |stats: &ChangeStats| (stats.debates, stats.changes, stats.examples.len());
        assert_eq!(counted(&tally.regimes), (30, 30, EXAMPLES));
        assert_eq!(tally.regimes.kinds, BTreeMap::from([("undetermined → polarized".to_owned(), 30)]));
        assert_eq!(counted(&tally.labels), (30, 60, EXAMPLES));
        assert_eq!(tally.labels.kinds, BTreeMap::from([("none → in".to_owned(), 30), ("none → out".to_owned(), 30)]));
        assert_eq!(counted(&tally.camps), (30, 30, EXAMPLES));
        assert_eq!(tally.camps.examples[0].after, "ada [a2]");
        assert_eq!((counted(&tally.cruxes_lost), counted(&tally.cruxes_gained)), ((0, 0, 0), (0, 0, 0)));
        assert_eq!(tally.regimes.examples[9].debate, debate(9));
    }

    #[test]
    fn kinds_beyond_the_limit_are_counted_together() {
        let mut changed = ChangeStats::default();
        let example =
            || Example { debate: debate(1), topic: String::new(), before: String::new(), after: String::new() };
        for n in 0..100 {
            changed.add([n.to_string()], example);
        }
        assert_eq!((changed.kinds.len(), changed.kinds[OTHERS], changed.changes), (KINDS + 1, 36, 100));
    }
}
