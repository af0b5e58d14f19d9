//! Interval of a mean.

/// Quantiles of Student's t distribution at 0.975 for 1 to 30 degrees of freedom.
const QUANTILES: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
    2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];
/// Quantile of the normal distribution at 0.975.
const NORMAL: f64 = 1.960;

/// Interval that contains the mean of the population with a confidence of 95 %, from the number, the mean and the standard
/// deviation of a sample (Student's t; beyond 30 degrees of freedom the normal quantile, corrected by the first term of its
/// expansion), cut at 0, since no figure is negative, and for shares at 1. `None` for fewer than two values.
pub fn mean_interval(n: i64, mean: f64, deviation: f64, is_share: bool) -> Option<(f64, f64)> {
    let freedom = usize::try_from(n - 1).ok().filter(|freedom| *freedom > 0)?;
    let beyond = || NORMAL + (NORMAL.powi(3) + NORMAL) / (4.0 * freedom as f64);
    let quantile = QUANTILES.get(freedom - 1).copied().unwrap_or_else(beyond);
    let half = quantile * deviation / (n as f64).sqrt();
    let most = if is_share { 1.0 } else { f64::INFINITY };
    Some(((mean - half).max(0.0), (mean + half).min(most)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected values from tables of Student's t distribution.
    #[test]
    fn intervals_are_those_of_students_distribution() {
        let check = |n: i64, half: f64| {
            let (low, high) = mean_interval(n, 100.0, 1.0, false).expect("an interval");
            assert!((high - low - 2.0 * half).abs() < 2e-3, "{n}: {low} to {high}");
        };
        assert_eq!(mean_interval(0, 0.0, 1.0, false), None);
        assert_eq!(mean_interval(1, 0.0, 1.0, false), None);
        assert_eq!(mean_interval(2, 0.5, 1.0, true), Some((0.0, 1.0)));
        check(2, 12.706 / 2.0_f64.sqrt());
        check(5, 2.776 / 5.0_f64.sqrt());
        check(61, 2.000 / 61.0_f64.sqrt());
        check(1_001, 1.962 / 1_001.0_f64.sqrt());
    }
}
