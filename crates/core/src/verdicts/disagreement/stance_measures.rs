//! Measures of how far a question divides those who took a side on it.
//!
//! Every stance weighs as much as the confidence that its holder expressed, and 1 if they expressed none. *Entropy* is that of the
//! three shares of the weight, on yes, on no and on neither, divided by ln 3: 0 if all of it is on one, 1 if it is spread evenly
//! (Shannon, "A Mathematical Theory of Communication", 1948). *Distance* is the mean distance of two positions, where yes is the
//! confidence, no is minus the confidence, and neither is 0: from 0 to 2. Who took no stance has no weight, and is in no pair.
//! Cost: quadratic in the number of stances.

use crate::events::dispute::Side;
use crate::projections::disputes::dispute_state::Stance;

/// Measures of one question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StanceMeasures {
    /// Share of the weight on yes, from 0 to 1.
    pub yes: f64,
    /// Share of the weight on no.
    pub no: f64,
    /// Share of the weight on neither: nuanced and undecided stances.
    pub neither: f64,
    /// Normalised entropy of the three shares, from 0 to 1.
    pub entropy: f64,
    /// Mean distance of two positions, from 0 to 2; `None` for a single stance.
    pub distance: Option<f64>,
}

/// Measures the current stances on a question; `None` if nobody took one, or nobody with any confidence.
pub fn stance_measures<'a>(stances: impl IntoIterator<Item = &'a Stance>) -> Option<StanceMeasures> {
    let weighed: Vec<(Side, f64)> =
        stances.into_iter().map(|stance| (stance.side, stance.confidence.unwrap_or(1.0).clamp(0.0, 1.0))).collect();
    let total: f64 = weighed.iter().map(|(_, weight)| weight).sum();
    if total <= 0.0 {
        return None;
    }
    // Adding zero turns the negative zero of an empty sum into zero.
    let share = |is_there: fn(Side) -> bool| {
        weighed.iter().filter(|(side, _)| is_there(*side)).map(|(_, weight)| weight).sum::<f64>() / total + 0.0
    };
    let (yes, no) = (share(|side| side == Side::Yes), share(|side| side == Side::No));
    let neither = share(|side| matches!(side, Side::Nuanced | Side::Undecided));
    let parts = [yes, no, neither].into_iter().filter(|part| *part > 0.0);
    // Adding zero turns the negative zero of a single share into zero.
    let entropy = -parts.map(|part| part * part.ln()).sum::<f64>() / 3.0_f64.ln() + 0.0;
    Some(StanceMeasures {
        yes: rounded(yes),
        no: rounded(no),
        neither: rounded(neither),
        entropy: rounded(entropy),
        distance: distance(&weighed).map(rounded),
    })
}

fn distance(weighed: &[(Side, f64)]) -> Option<f64> {
    let position = |(side, weight): &(Side, f64)| match side {
        Side::Yes => *weight,
        Side::No => -*weight,
        Side::Nuanced | Side::Undecided => 0.0,
    };
    let positions: Vec<f64> = weighed.iter().map(position).collect();
    let pairs = (1..positions.len()).flat_map(|at| positions[..at].iter().map(move |one| (at, *one)));
    let apart: Vec<f64> = pairs.map(|(at, one)| (positions[at] - one).abs()).collect();
    (!apart.is_empty()).then(|| apart.iter().sum::<f64>() / apart.len() as f64)
}

/// Rounds to four decimal places.
fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::ids::TurnId;

    /// Builds stances such as `yes 0.8`, `no` or `nuanced 0.5`.
    fn stances(told: &str) -> Vec<Stance> {
        let stance = |text: &str| {
            let mut words = text.split_whitespace();
            let side = match words.next() {
                Some("yes") => Side::Yes,
                Some("no") => Side::No,
                Some("nuanced") => Side::Nuanced,
                _ => Side::Undecided,
            };
            let confidence = words.next().map(|share| share.parse().expect("a share"));
            let (turn, statement, quote, version, reading) = (TurnId(1), None, None, 1, None);
            Stance { side, turn, statement, confidence, quote, version, reading }
        };
        told.split(", ").filter(|text| !text.is_empty()).map(stance).collect()
    }

    /// Values computed by hand: shares, entropy of the shares over ln 3 = 1.0986, mean distance of the pairs.
    #[test]
    fn measures_are_those_computed_by_hand() {
        let check = |told: &str, expected: Option<([f64; 3], f64, Option<f64>)>| {
            let actual = stance_measures(&stances(told));
            let actual = actual.map(|it| ([it.yes, it.no, it.neither], it.entropy, it.distance));
            assert_eq!(actual, expected, "{told}");
        };
        check("", None);
        let one_sided = stance_measures(&stances("yes, yes")).expect("measures");
        assert!(one_sided.no.is_sign_positive() && one_sided.neither.is_sign_positive(), "{one_sided:?}");
        check("yes 0, no 0", None);
        check("yes 0.7", Some(([1.0, 0.0, 0.0], 0.0, None)));
        check("yes, yes, yes", Some(([1.0, 0.0, 0.0], 0.0, Some(0.0))));
        check("yes, no", Some(([0.5, 0.5, 0.0], 0.6309, Some(2.0))));
        check("yes, no, nuanced", Some(([0.3333, 0.3333, 0.3333], 1.0, Some(1.3333))));
        check("yes 0.9, no 0.3", Some(([0.75, 0.25, 0.0], 0.5119, Some(1.2))));
        check("yes 0.8, yes 0.4, no 0.4", Some(([0.75, 0.25, 0.0], 0.5119, Some(0.8))));
        check("yes 0.6, undecided 0.2", Some(([0.75, 0.0, 0.25], 0.5119, Some(0.6))));
        check("no 0.5, no 0.5, nuanced, undecided", Some(([0.0, 0.3333, 0.6667], 0.5794, Some(0.3333))));
    }
}
