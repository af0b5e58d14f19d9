//! GraphQL type of the measures of a question.

use async_graphql::SimpleObject;

use faultline_core::verdicts::disagreement::stance_measures;

/// Measures of how far a question divides those who took a side on it. A stance weighs as much as the confidence that its holder
/// expressed, and 1 if they expressed none. Measures decide nothing: verdicts rest on the stances themselves.
#[derive(SimpleObject, Clone)]
pub struct StanceMeasures {
    /// Share of the weight on yes, from 0 to 1.
    yes: f64,
    /// Share of the weight on no, from 0 to 1.
    no: f64,
    /// Share of the weight on neither, from 0 to 1: nuanced and undecided stances.
    neither: f64,
    /// Normalised entropy of the three shares: 0 if all weight is on one of them, 1 if it is spread evenly.
    entropy: f64,
    /// Mean distance of two positions, where yes is the confidence, no is minus the confidence and neither is 0: from 0 to 2; null
    /// for a single stance.
    distance: Option<f64>,
}

impl From<stance_measures::StanceMeasures> for StanceMeasures {
    fn from(measured: stance_measures::StanceMeasures) -> StanceMeasures {
        let stance_measures::StanceMeasures { yes, no, neither, entropy, distance } = measured;
        StanceMeasures { yes, no, neither, entropy, distance }
    }
}
