//! Bootstrap interval of a mean difference of pairs.

/// Number of samples drawn.
pub const SAMPLES: usize = 10_000;
/// Seed of the draws: an interval is the same on every machine.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// Percentile interval that contains the mean of the population with a confidence of 95 %, from samples drawn with
/// replacement (Efron, "Bootstrap methods", 1979). `None` for fewer than two values. Cost: [`SAMPLES`] times the values.
pub fn bootstrap_interval(values: &[f64]) -> Option<(f64, f64)> {
    if values.len() < 2 {
        return None;
    }
    let mut state = SEED;
    let mut means: Vec<f64> = (0..SAMPLES)
        .map(|_| {
            let drawn = (0..values.len()).map(|_| values[below(&mut state, values.len())]);
            drawn.sum::<f64>() / values.len() as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    Some((percentile(&means, 0.025), percentile(&means, 0.975)))
}

fn percentile(sorted: &[f64], share: f64) -> f64 {
    let place = (share * (sorted.len() - 1) as f64).round() as usize;
    sorted[place.min(sorted.len() - 1)]
}

/// Draws a number below `end` by `SplitMix64` (Steele, Lea and Flood, 2014).
fn below(state: &mut u64, end: usize) -> usize {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    ((u128::from(mixed) * end as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_close_to_the_normal_ones() {
        assert_eq!(bootstrap_interval(&[]), None);
        assert_eq!(bootstrap_interval(&[1.0]), None);
        assert_eq!(bootstrap_interval(&[2.0, 2.0, 2.0]), Some((2.0, 2.0)));
        // 50 zeros and 50 ones: mean 0.5, standard error 0.05.
        let values: Vec<f64> = (0..100).map(|n| f64::from(n % 2)).collect();
        let (low, high) = bootstrap_interval(&values).expect("an interval");
        assert!((low - 0.40).abs() < 0.015 && (high - 0.60).abs() < 0.015, "{low} to {high}");
    }
}
