//! Difference between two verdicts: at two versions of a debate, of a debate and its fork, or of an actual and a
//! hypothetical graph.

use std::collections::{BTreeMap, BTreeSet};

use crate::events::dispute::Side;
use crate::events::ids::{ArgumentId, DisputeId, PersonaId, TurnId};
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::verdicts::common_ground::CommonGround;
use crate::verdicts::concessions::granted::GrantedStatement;
use crate::verdicts::crux::Crux;
use crate::verdicts::crux_id::CruxKey;
use crate::verdicts::diff::granted_changes::granted_key;
use crate::verdicts::diff::verdict_change::VerdictChange;
use crate::verdicts::diff::verdict_changes::verdict_changes;
use crate::verdicts::labels::last_word::LastWord;
use crate::verdicts::regime::Regime;
use crate::verdicts::verdict::Verdict;
use faultline_argumentation::labelling::Label;

/// Difference between two verdicts.
#[derive(Clone, Debug, PartialEq)]
pub struct VerdictDiff {
    /// All changes, each named with its two values. The other lists are parts of them as objects.
    pub changes: Vec<VerdictChange>,
    /// Arguments whose labels differ, in order.
    pub labels: Vec<Relabelled>,
    /// Open cruxes that only the second verdict has, in the order of their rank, each with its rank.
    pub gained: Vec<(usize, Crux)>,
    /// Open cruxes that only the first verdict has, each with its rank.
    pub lost: Vec<(usize, Crux)>,
    /// Common ground that only the second verdict has.
    pub agreed: Vec<CommonGround>,
    /// Common ground that only the first verdict has.
    pub disagreed: Vec<CommonGround>,
    /// Granted statements that only the second verdict has.
    pub granted_gained: Vec<GrantedStatement>,
    /// Granted statements that only the first verdict has.
    pub granted_lost: Vec<GrantedStatement>,
    /// Summary of the first verdict.
    pub before: DebateSnapshot,
    /// Summary of the second verdict.
    pub after: DebateSnapshot,
}

/// Argument whose label differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relabelled {
    /// Id of the argument.
    pub argument: ArgumentId,
    /// Grounded label in the first verdict; `None` if the argument is not live there.
    pub from: Option<Label>,
    /// Grounded label in the second verdict; `None` if the argument is not live there.
    pub to: Option<Label>,
}

/// Summary of a verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct DebateSnapshot {
    /// Regime.
    pub regime: Regime,
    /// Number of camps.
    pub n_camps: usize,
    /// Number of preferred extensions, as a decimal number.
    pub n_extensions: String,
    /// Number of open cruxes.
    pub n_cruxes: usize,
    /// Arguments accepted only because nobody answered.
    pub last_word: LastWord,
    /// True if the search for extensions and for camps was complete.
    pub exact: bool,
}

/// Stance that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StanceDiff {
    /// Id of the dispute.
    pub dispute: DisputeId,
    /// Participant.
    pub persona: PersonaId,
    /// Side and turn in the first debate; `None` if there is no stance.
    pub from: Option<(Side, TurnId)>,
    /// Side and turn in the second debate; `None` if there is no stance.
    pub to: Option<(Side, TurnId)>,
}

/// Compares two verdicts. Costs O(n log n) in their size.
pub fn verdict_diff(before: &Verdict, after: &Verdict) -> VerdictDiff {
    VerdictDiff {
        changes: verdict_changes(before, after),
        labels: relabelled(&before.labels, &after.labels),
        gained: only_in(after, before),
        lost: only_in(before, after),
        agreed: held_only_in(after, before),
        disagreed: held_only_in(before, after),
        granted_gained: granted_only_in(after, before),
        granted_lost: granted_only_in(before, after),
        before: whole(before),
        after: whole(after),
    }
}

/// Lists the arguments whose labels differ, in order.
pub fn relabelled(before: &BTreeMap<ArgumentId, Label>, after: &BTreeMap<ArgumentId, Label>) -> Vec<Relabelled> {
    let arguments: BTreeSet<&ArgumentId> = before.keys().chain(after.keys()).collect();
    let pairs = arguments.into_iter().map(|argument| Relabelled {
        argument: *argument,
        from: before.get(argument).copied(),
        to: after.get(argument).copied(),
    });
    pairs.filter(|pair| pair.from != pair.to).collect()
}

/// Compares the stances of two debates, by dispute and persona. A stance repeated in another turn does not differ.
pub fn stance_diffs(before: &DisputeGraph, after: &DisputeGraph) -> Vec<StanceDiff> {
    let stance = |graph: &DisputeGraph, dispute: &DisputeId, persona: &PersonaId| {
        graph.disputes.get(dispute)?.stances.get(persona).map(|stance| (stance.side, stance.turn))
    };
    let held = [before, after].into_iter().flat_map(|graph| &graph.disputes);
    let pairs: BTreeSet<(&DisputeId, &PersonaId)> =
        held.flat_map(|(dispute, entry)| entry.stances.keys().map(move |persona| (dispute, persona))).collect();
    let shift = |(dispute, persona): (&DisputeId, &PersonaId)| {
        let (from, to) = (stance(before, dispute, persona), stance(after, dispute, persona));
        let differs = from.map(|pair| pair.0) != to.map(|pair| pair.0);
        differs.then(|| StanceDiff { dispute: *dispute, persona: persona.clone(), from, to })
    };
    pairs.into_iter().filter_map(shift).collect()
}

fn only_in(one: &Verdict, other: &Verdict) -> Vec<(usize, Crux)> {
    let known: BTreeSet<CruxKey> = other.cruxes.iter().map(|crux| crux.key).collect();
    let ranked = (1..).zip(&one.cruxes).filter(|(_, crux)| !known.contains(&crux.key));
    ranked.map(|(rank, crux)| (rank, crux.clone())).collect()
}

fn held_only_in(one: &Verdict, other: &Verdict) -> Vec<CommonGround> {
    let known = |ground: &CommonGround| {
        other.common_ground.iter().any(|held| (held.dispute, held.side) == (ground.dispute, ground.side))
    };
    one.common_ground.iter().filter(|ground| !known(ground)).cloned().collect()
}

fn granted_only_in(one: &Verdict, other: &Verdict) -> Vec<GrantedStatement> {
    let known: BTreeSet<CruxKey> = other.granted.iter().map(granted_key).collect();
    one.granted.iter().filter(|granted| !known.contains(&granted_key(granted))).cloned().collect()
}

fn whole(verdict: &Verdict) -> DebateSnapshot {
    DebateSnapshot {
        regime: verdict.regime.clone(),
        n_camps: verdict.camps.len(),
        n_extensions: verdict.n_extensions.clone(),
        n_cruxes: verdict.cruxes.len(),
        last_word: verdict.last_word,
        exact: verdict.regime.exact && verdict.camps_exact,
    }
}
