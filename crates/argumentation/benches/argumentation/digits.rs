//! Sets in the notation of the test sets: a hexadecimal number whose bit i stands for argument i.

/// Returns the arguments of a set, ascending.
pub fn set_of(digits: &str) -> Vec<u32> {
    let nibbles =
        digits.chars().rev().map(|it| it.to_digit(16).unwrap_or_else(|| panic!("{it} is not a hexadecimal digit")));
    (0..)
        .step_by(4)
        .zip(nibbles)
        .flat_map(|(first, nibble)| (0..4).filter(move |bit| nibble >> bit & 1 == 1).map(move |bit| first + bit))
        .collect()
}
