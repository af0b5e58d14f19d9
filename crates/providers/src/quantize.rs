//! Quantization of embedding vectors: length 1, with components rounded to a fixed grid.
//!
//! The last bits of a sum differ between processors, thread counts and batch sizes. Components are therefore rounded to
//! multiples of 1/4096, and to multiples of 1/2048 from one half upward. These are exactly the values that half
//! precision represents, so a vector read from the database equals the vector that was written. Equal inputs give equal
//! scores on every machine, except for a component on the edge between two multiples. Rounding moves a component by at
//! most 1/4096, and a cosine of `MiniLM` vectors by about 0.000001.

/// Number of steps between 0 and 1.
const STEPS: f32 = 4096.0;

/// Number of steps that half precision represents exactly; above it, only every other step is representable.
const EXACT_STEPS: f32 = 2048.0;

/// Normalizes a vector to length 1 and rounds its components to the grid. The resulting length is 1 to within 0.003.
/// Cost: linear.
///
/// A vector without a direction (all zeros, or a component that is not a number) becomes the first axis, so that its
/// cosine is always a number.
pub fn quantize(vector: &mut [f32]) {
    let length = vector.iter().map(|component| f64::from(*component).powi(2)).sum::<f64>().sqrt();
    if !length.is_normal() {
        vector.fill(0.0);
        if let Some(first) = vector.first_mut() {
            *first = 1.0;
        }
        return;
    }
    for component in vector {
        *component = on_grid((f64::from(*component) / length) as f32);
    }
}

fn on_grid(component: f32) -> f32 {
    let steps = (component * STEPS).round();
    if steps.abs() <= EXACT_STEPS { steps / STEPS } else { (steps / 2.0).round() * 2.0 / STEPS }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_multiples_that_half_precision_represents() {
        let mut vector: Vec<f32> = (0..384).map(|number| (number as f32 * 0.37).sin()).collect();
        vector[7] = 20.0;
        quantize(&mut vector);
        for component in &vector {
            let step = if component.abs() > 0.5 { 2048.0 } else { 4096.0 };
            assert_eq!((component * step).fract(), 0.0, "{component} is off the grid");
        }
        let length = vector.iter().map(|component| component * component).sum::<f32>().sqrt();
        assert!((length - 1.0).abs() < 0.003, "the length is {length}");
    }

    #[test]
    fn quantizing_an_axis_twice_changes_nothing() {
        let mut vector = vec![0.0, -3.0, 0.0];
        quantize(&mut vector);
        assert_eq!(vector, [0.0, -1.0, 0.0]);
        quantize(&mut vector);
        assert_eq!(vector, [0.0, -1.0, 0.0]);
    }

    #[test]
    fn a_vector_without_a_direction_becomes_the_first_axis() {
        for mut vector in [vec![0.0; 3], vec![f32::NAN, 1.0, 0.0], vec![f32::INFINITY, 1.0, 0.0]] {
            quantize(&mut vector);
            assert_eq!(vector, [1.0, 0.0, 0.0]);
        }
        quantize(&mut []);
    }
}
