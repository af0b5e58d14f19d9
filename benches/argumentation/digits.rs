//! Sets as the test sets write them: a hexadecimal number whose bit i stands for argument i.

/// The arguments of a set, ascending.
pub fn set_of(digits: &str) -> Vec<u32> {
    let nibbles = digits.chars().rev().map(|it| it.to_digit(16).unwrap_or_else(|| panic!("{it} is no digit")));
    (0..)
        .step_by(4)
        .zip(nibbles)
        .flat_map(|(first, nibble)| (0..4).filter(move |bit| nibble >> bit & 1 == 1).map(move |bit| first + bit))
        .collect()
}
