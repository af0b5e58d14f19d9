//! Cruxes that two verdicts share, also of debates that have nothing else in common.

use crate::questions::wording::AskedQuestion;
use crate::verdicts::crux::Crux;

/// Cruxes of two verdicts by their places in the lists, highest rank first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CruxMatch {
    /// Places of shared cruxes in both lists, in the order of the first.
    pub shared: Vec<(usize, usize)>,
    /// Places of cruxes that only the first list has.
    pub only_first: Vec<usize>,
    /// Places of cruxes that only the second list has.
    pub only_second: Vec<usize>,
}

/// Matches the cruxes of two verdicts, each with at most one other. In versions of one debate, keys identify them; in two
/// debates, whose keys are numbered independently, they are shared if they ask the same question. Cost: the product of
/// both numbers, in comparisons of questions.
pub fn crux_match(first: &[Crux], second: &[Crux], of_one_debate: bool) -> CruxMatch {
    let mut matched = CruxMatch { only_second: (0..second.len()).collect(), ..CruxMatch::default() };
    for (place, crux) in first.iter().enumerate() {
        let asked = AskedQuestion::of(&crux.question);
        let is_same = |other: &Crux| {
            if of_one_debate { other.key == crux.key } else { asked.is_asked_by(&other.question) }
        };
        match matched.only_second.iter().position(|other| is_same(&second[*other])) {
            Some(at) => matched.shared.push((place, matched.only_second.remove(at))),
            None => matched.only_first.push(place),
        }
    }
    matched
}
