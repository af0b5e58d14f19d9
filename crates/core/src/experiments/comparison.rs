//! Paired comparison of an arm with the baseline: by topic and seed.

use std::collections::BTreeMap;

use crate::experiments::bootstrap::bootstrap_interval;
use crate::experiments::results::CellResult;

/// Difference of an arm from the baseline in one figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArmComparison {
    /// Number of pairs: the same topic and seed, both with a value.
    pub pairs: usize,
    /// Mean of the arm's value minus the baseline's.
    pub difference: f64,
    /// Bootstrap interval of the difference with a confidence of 95 %; `None` with fewer than two pairs.
    pub interval: Option<(f64, f64)>,
    /// Number of pairs in which the arm has the greater value.
    pub greater: usize,
    /// Number of pairs in which it has the smaller value.
    pub smaller: usize,
}

impl ArmComparison {
    /// True if the interval does not contain 0.
    pub fn is_distinct(&self) -> bool {
        self.interval.is_some_and(|(low, high)| low > 0.0 || high < 0.0)
    }
}

/// Compares an arm with the baseline in one figure; `None` without pairs.
pub fn compare(results: &[CellResult], arm: &str, baseline: &str, figure: &str) -> Option<ArmComparison> {
    let values = |name: &str| -> BTreeMap<(usize, u64), f64> {
        let own = results.iter().filter(|it| it.arm == name);
        own.filter_map(|it| Some(((it.topic, it.seed), *it.values.get(figure)?))).collect()
    };
    let base = values(baseline);
    let differences: Vec<f64> =
        values(arm).into_iter().filter_map(|(pair, value)| Some(value - base.get(&pair)?)).collect();
    if differences.is_empty() {
        return None;
    }
    Some(ArmComparison {
        pairs: differences.len(),
        difference: differences.iter().sum::<f64>() / differences.len() as f64,
        interval: bootstrap_interval(&differences),
        greater: differences.iter().filter(|it| **it > 0.0).count(),
        smaller: differences.iter().filter(|it| **it < 0.0).count(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::ids::DebateId;

    fn result(topic: usize, arm: &str, seed: u64, value: Option<f64>) -> CellResult {
        CellResult {
            topic,
            arm: arm.to_owned(),
            seed,
            debate_id: DebateId(uuid::Uuid::nil()),
            outcome: "limit".to_owned(),
            regime: "partial".to_owned(),
            values: value.into_iter().map(|value| ("novelty".to_owned(), value)).collect(),
            cruxes: Vec::new(),
        }
    }

    #[test]
    fn pairs_have_the_same_topic_and_seed() {
        let results = [
            result(0, "a", 1, Some(0.2)),
            result(0, "b", 1, Some(0.6)),
            result(1, "a", 1, Some(0.5)),
            result(1, "b", 1, Some(0.7)),
            // No partner: another seed, and no value.
            result(0, "b", 2, Some(0.9)),
            result(1, "a", 2, None),
            result(1, "b", 2, Some(0.9)),
        ];
        let found = compare(&results, "b", "a", "novelty").expect("pairs");
        assert_eq!((found.pairs, found.greater, found.smaller), (2, 2, 0));
        assert!((found.difference - 0.3).abs() < 1e-9, "{found:?}");
        assert!(found.is_distinct());
        assert_eq!(compare(&results, "b", "c", "novelty"), None);
        assert_eq!(compare(&results, "b", "a", "cruxes"), None);
    }
}
