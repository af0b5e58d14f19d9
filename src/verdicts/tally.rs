//! What changes when verdicts are made anew: counted over many debates, with a few examples of each. Memory does not grow
//! with the debates.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::argumentation::labelling::Label;
use crate::events::ids::{ArgumentId, DebateId, PersonaId};
use crate::verdicts::cruxes::Crux;
use crate::verdicts::difference::{Difference, difference};
use crate::verdicts::verdict::Verdict;

/// Examples of each that are kept.
pub const EXAMPLES: usize = 10;
/// Kinds of each that are counted by name; further ones count as [`OTHERS`].
pub const KINDS: usize = 64;
/// The name under which kinds beyond [`KINDS`] are counted.
pub const OTHERS: &str = "others";

/// What changes, over many debates.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Tally {
    /// Debates whose verdicts were compared.
    pub compared: u64,
    /// Debates of these in which nothing of what follows changes.
    pub unchanged: u64,
    /// What debates amount to: by what it was and becomes.
    pub regimes: Changed,
    /// Open cruxes that are none any more, by how they were found.
    pub cruxes_lost: Changed,
    /// Open cruxes that were none, by how they are found.
    pub cruxes_gained: Changed,
    /// Who stands together: by how many camps there were and are.
    pub camps: Changed,
    /// Grounded labels of arguments: by what they were and become.
    pub labels: Changed,
    /// Debates that only the first has.
    pub only_before: u64,
    /// Debates that only the second has.
    pub only_after: u64,
    /// Debates that went on meanwhile, so that the two are of different versions: not compared.
    pub moved: u64,
    /// Debates whose verdict in the first cannot be read any more: not compared.
    pub unreadable: u64,
}

/// One thing that changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Changed {
    /// In how many debates.
    pub debates: u64,
    /// How often in all.
    pub changes: u64,
    /// How often, by kind.
    pub kinds: BTreeMap<String, u64>,
    /// The first debates in which it does.
    pub examples: Vec<Example>,
}

/// A debate in which something changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Example {
    /// The debate.
    pub debate: DebateId,
    /// What is debated.
    pub topic: String,
    /// How it was.
    pub before: String,
    /// How it is to be.
    pub after: String,
}

impl Tally {
    /// Counts what changes in a debate. Linear in what the verdicts hold.
    pub fn compare(&mut self, debate: DebateId, topic: &str, before: &Verdict, after: &Verdict) {
        self.compared += 1;
        let found = difference(before, after);
        let example = |before: String, after: String| Example { debate, topic: topic.to_owned(), before, after };
        let mut changes = 0;
        if found.before.regime.kind != found.after.regime.kind {
            let (from, to) = (found.before.regime.kind.name(), found.after.regime.kind.name());
            self.regimes.add([change(from, to)], || example(from.to_owned(), to.to_owned()));
            changes += 1;
        }
        let kinds = |cruxes: &[(usize, Crux)]| cruxes.iter().map(|(_, it)| it.origin.name().to_owned()).collect();
        let words = |cruxes: &[(usize, Crux)]| cruxes.first().map_or(String::new(), |(_, it)| it.statement.clone());
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
            self.camps.add([number], || example(told_of_camps(before), told_of_camps(after)));
            changes += 1;
        }
        if !found.labels.is_empty() {
            let kinds = found.labels.iter().map(|it| change(label(it.from), label(it.to)));
            let (from, to) = told_of_labels(&found);
            self.labels.add(kinds, || example(from, to));
            changes += 1;
        }
        self.unchanged += u64::from(changes == 0);
    }
}

impl Changed {
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

/// The camps, whatever their order.
fn camps(verdict: &Verdict) -> BTreeSet<(&[ArgumentId], &[PersonaId], &[PersonaId])> {
    verdict.camps.iter().map(|it| (&*it.arguments, &*it.personas, &*it.tied)).collect()
}

fn told_of_camps(verdict: &Verdict) -> String {
    let names = |it: &[PersonaId]| it.iter().map(|it| it.to_string()).collect::<Vec<_>>().join(", ");
    let camp = verdict.camps.iter().map(|it| {
        let arguments: Vec<String> = it.arguments.iter().map(ToString::to_string).collect();
        format!("{} [{}]", names(&it.personas), arguments.join(" "))
    });
    camp.collect::<Vec<_>>().join(" | ")
}

fn told_of_labels(found: &Difference) -> (String, String) {
    let side = |of: &dyn Fn(&crate::verdicts::difference::Relabelled) -> Option<Label>| {
        let labels = found.labels.iter().map(|it| format!("{} {}", it.argument, label(of(it))));
        labels.collect::<Vec<_>>().join(", ")
    };
    (side(&|it| it.from), side(&|it| it.to))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::verdicts::board::Board;
    use crate::verdicts::camps::Camp;
    use crate::verdicts::regime::RegimeKind;

    fn debate(n: u128) -> DebateId {
        DebateId(Uuid::from_u128(n))
    }

    #[test]
    fn what_does_not_change_is_not_told() {
        let verdict = Board::default().verdict();
        let mut tally = Tally::default();
        tally.compare(debate(1), "a", &verdict, &verdict);
        assert_eq!(tally, Tally { compared: 1, unchanged: 1, ..Tally::default() });
    }

    #[test]
    fn everything_is_counted_and_only_the_first_are_kept_as_examples() {
        let before = Board::default().verdict();
        let mut after = before.clone();
        after.regime.kind = RegimeKind::Polarized;
        after.labels.insert(ArgumentId(1), Label::Out);
        after.labels.insert(ArgumentId(2), Label::In);
        after.camps.push(Camp { arguments: vec![ArgumentId(2)], personas: vec!["ada".parse().unwrap()], tied: vec![] });
        let mut tally = Tally::default();
        for n in 0..30 {
            tally.compare(debate(n), "why", &before, &after);
        }
        assert_eq!((tally.compared, tally.unchanged), (30, 0));
        let counted = |it: &Changed| (it.debates, it.changes, it.examples.len());
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
    fn kinds_without_end_are_counted_together() {
        let mut changed = Changed::default();
        let example =
            || Example { debate: debate(1), topic: String::new(), before: String::new(), after: String::new() };
        for n in 0..100 {
            changed.add([n.to_string()], example);
        }
        assert_eq!((changed.kinds.len(), changed.kinds[OTHERS], changed.changes), (KINDS + 1, 36, 100));
    }
}
