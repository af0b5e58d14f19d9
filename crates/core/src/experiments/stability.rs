//! Stability of an arm over seeds: which cruxes it finds again when the same topic is debated with another seed. The cruxes
//! that most seeds find are its self-consistent answer (Wang et al., "Self-consistency improves chain of thought reasoning in
//! language models", 2023, for answers of a model).

use crate::experiments::results::CellResult;
use crate::questions::wording::AskedQuestion;

/// Cruxes of an arm on one topic, over all seeds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stability {
    /// Number of debates, one for each seed.
    pub debates: usize,
    /// Mean over the pairs of debates of: cruxes of both / cruxes of either; a pair without any crux is left out. `None`
    /// with fewer than two debates, and without cruxes.
    pub overlap: Option<f64>,
    /// Cruxes by the number of debates that have them, the most frequent first, then in the order in which they were found.
    pub found: Vec<FoundCrux>,
}

/// Crux with the number of debates that have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundCrux {
    /// Question, in the wording of the first debate that has it.
    pub question: String,
    /// Number of debates that have it.
    pub debates: usize,
}

impl Stability {
    /// Cruxes that more than half of the debates have.
    pub fn majority(&self) -> impl Iterator<Item = &FoundCrux> {
        self.found.iter().filter(|crux| 2 * crux.debates > self.debates)
    }
}

/// Counts the cruxes of an arm on a topic. Two cruxes are the same if they ask the same question, however it is worded. Cost:
/// cruxes times distinct cruxes, in comparisons of questions, and the square of the number of debates.
pub fn stability(results: &[CellResult], arm: &str, topic: usize) -> Stability {
    let mut found: Vec<(AskedQuestion, FoundCrux)> = Vec::new();
    let mut by_debate: Vec<Vec<usize>> = Vec::new();
    for result in results.iter().filter(|it| it.arm == arm && it.topic == topic) {
        let mut places: Vec<usize> = result.cruxes.iter().map(|question| place_of(question, &mut found)).collect();
        places.sort_unstable();
        places.dedup();
        places.iter().for_each(|place| found[*place].1.debates += 1);
        by_debate.push(places);
    }
    let mut found: Vec<FoundCrux> = found.into_iter().map(|(_, crux)| crux).collect();
    found.sort_by_key(|crux| std::cmp::Reverse(crux.debates));
    Stability { debates: by_debate.len(), overlap: mean_overlap(&by_debate), found }
}

/// Returns the place of a question among those found, and adds it if it is new.
fn place_of(question: &str, found: &mut Vec<(AskedQuestion, FoundCrux)>) -> usize {
    if let Some(place) = found.iter().position(|(asked, _)| asked.is_asked_by(question)) {
        return place;
    }
    found.push((AskedQuestion::of(question), FoundCrux { question: question.to_owned(), debates: 0 }));
    found.len() - 1
}

fn mean_overlap(by_debate: &[Vec<usize>]) -> Option<f64> {
    let pairs = by_debate.iter().enumerate().flat_map(|(at, one)| by_debate[at + 1..].iter().map(move |it| (one, it)));
    let overlaps: Vec<f64> = pairs
        .filter_map(|(one, other)| {
            let shared = one.iter().filter(|place| other.contains(place)).count();
            let all = one.len() + other.len() - shared;
            (all > 0).then(|| shared as f64 / all as f64)
        })
        .collect();
    (!overlaps.is_empty()).then(|| overlaps.iter().sum::<f64>() / overlaps.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::ids::DebateId;

    fn result(seed: u64, cruxes: &[&str]) -> CellResult {
        CellResult {
            topic: 0,
            arm: "a".to_owned(),
            seed,
            debate_id: DebateId(uuid::Uuid::nil()),
            outcome: "limit".to_owned(),
            regime: "partial".to_owned(),
            values: Default::default(),
            cruxes: cruxes.iter().map(|question| (*question).to_owned()).collect(),
        }
    }

    #[test]
    fn cruxes_are_counted_over_seeds() {
        let (ferry, crew, fuel) = ("Is the ferry safe?", "Does the crew need nine hands?", "Is fuel too dear?");
        let results =
            [result(1, &[ferry, crew]), result(2, &["Is the ferry safe", fuel]), result(3, &[ferry, crew, crew])];
        let counted = stability(&results, "a", 0);
        let found: Vec<(&str, usize)> = counted.found.iter().map(|it| (it.question.as_str(), it.debates)).collect();
        assert_eq!(found, [(ferry, 3), (crew, 2), (fuel, 1)]);
        assert_eq!(counted.majority().count(), 2);
        // One of three, all of two, one of three.
        let overlap = counted.overlap.expect("three pairs");
        assert!((overlap - (1.0 / 3.0 + 1.0 + 1.0 / 3.0) / 3.0).abs() < 1e-9, "{overlap}");
        assert_eq!(stability(&results[..1], "a", 0).overlap, None);
        assert_eq!(stability(&results, "b", 0), Stability::default());
        let overlap = |results: &[CellResult]| stability(results, "a", 0).overlap;
        assert_eq!(overlap(&[result(1, &[]), result(2, &[])]), None, "nothing was found, so nothing was found again");
        assert_eq!(overlap(&[result(1, &[]), result(2, &[]), result(3, &[ferry])]), Some(0.0));
    }
}
