//! What differs between two verdicts: of one debate at two moments, of a debate and its fork, of what is and what would be.

use std::collections::BTreeSet;

use crate::argumentation::labelling::Label;
use crate::events::dispute::Side;
use crate::events::ids::{ArgumentId, DisputeId, PersonaId, TurnId};
use crate::projections::dispute_graph::DisputeGraph;
use crate::verdicts::common_ground::CommonGround;
use crate::verdicts::crux_name::CruxKey;
use crate::verdicts::cruxes::Crux;
use crate::verdicts::last_word::LastWord;
use crate::verdicts::regime::Regime;
use crate::verdicts::verdict::Verdict;

/// What differs between two verdicts.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The arguments whose labels differ, in order.
    pub labels: Vec<Relabelled>,
    /// Open cruxes that only the second has, most telling first, each with its place in its list.
    pub gained: Vec<(usize, Crux)>,
    /// Open cruxes that only the first has, each with its place in its list.
    pub lost: Vec<(usize, Crux)>,
    /// Common ground that only the second has.
    pub agreed: Vec<CommonGround>,
    /// Common ground that only the first has.
    pub disagreed: Vec<CommonGround>,
    /// The first as a whole.
    pub before: Whole,
    /// The second as a whole.
    pub after: Whole,
}

/// An argument whose label differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relabelled {
    /// The argument.
    pub argument: ArgumentId,
    /// Its grounded label in the first; `None` where it does not count there.
    pub from: Option<Label>,
    /// Its grounded label in the second; `None` where it does not count there.
    pub to: Option<Label>,
}

/// A debate as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Whole {
    /// Its state.
    pub regime: Regime,
    /// How many camps.
    pub n_camps: usize,
    /// How many preferred extensions, as a decimal number.
    pub n_extensions: String,
    /// How many open cruxes.
    pub n_cruxes: usize,
    /// What stands only because nobody answered.
    pub last_word: LastWord,
    /// Whether all of it is known.
    pub exact: bool,
}

/// A stance that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shift {
    /// The dispute.
    pub dispute: DisputeId,
    /// Whose stance.
    pub persona: PersonaId,
    /// The side and the turn of it in the first; `None` where nothing was said.
    pub from: Option<(Side, TurnId)>,
    /// The same in the second.
    pub to: Option<(Side, TurnId)>,
}

/// What differs between two verdicts. Linear in what they hold.
pub fn difference(before: &Verdict, after: &Verdict) -> Difference {
    let arguments: BTreeSet<&ArgumentId> = before.labels.keys().chain(after.labels.keys()).collect();
    let label = |it: &Verdict, argument: &ArgumentId| it.labels.get(argument).copied();
    let labels = arguments.into_iter().map(|argument| Relabelled {
        argument: *argument,
        from: label(before, argument),
        to: label(after, argument),
    });
    Difference {
        labels: labels.filter(|it| it.from != it.to).collect(),
        gained: only_in(after, before),
        lost: only_in(before, after),
        agreed: held_only_in(after, before),
        disagreed: held_only_in(before, after),
        before: whole(before),
        after: whole(after),
    }
}

/// The stances that differ, by dispute and persona. A stance repeated in another turn is the same stance.
pub fn shifts(before: &DisputeGraph, after: &DisputeGraph) -> Vec<Shift> {
    let stance = |graph: &DisputeGraph, dispute: &DisputeId, persona: &PersonaId| {
        graph.disputes.get(dispute)?.stances.get(persona).map(|it| (it.side, it.turn))
    };
    let held = [before, after].into_iter().flat_map(|graph| &graph.disputes);
    let pairs: BTreeSet<(&DisputeId, &PersonaId)> =
        held.flat_map(|(dispute, it)| it.stances.keys().map(move |persona| (dispute, persona))).collect();
    let shift = |(dispute, persona): (&DisputeId, &PersonaId)| {
        let (from, to) = (stance(before, dispute, persona), stance(after, dispute, persona));
        let differs = from.map(|it| it.0) != to.map(|it| it.0);
        differs.then(|| Shift { dispute: *dispute, persona: persona.clone(), from, to })
    };
    pairs.into_iter().filter_map(shift).collect()
}

fn only_in(one: &Verdict, other: &Verdict) -> Vec<(usize, Crux)> {
    let known: BTreeSet<CruxKey> = other.cruxes.iter().map(|it| it.key).collect();
    let ranked = (1..).zip(&one.cruxes).filter(|(_, it)| !known.contains(&it.key));
    ranked.map(|(rank, it)| (rank, it.clone())).collect()
}

fn held_only_in(one: &Verdict, other: &Verdict) -> Vec<CommonGround> {
    let known =
        |it: &CommonGround| other.common_ground.iter().any(|held| (held.dispute, held.side) == (it.dispute, it.side));
    one.common_ground.iter().filter(|it| !known(it)).cloned().collect()
}

fn whole(verdict: &Verdict) -> Whole {
    Whole {
        regime: verdict.regime.clone(),
        n_camps: verdict.camps.len(),
        n_extensions: verdict.n_extensions.clone(),
        n_cruxes: verdict.cruxes.len(),
        last_word: verdict.last_word,
        exact: verdict.regime.exact && verdict.camps_exact,
    }
}
