//! Likeness of texts by their character trigrams: the same on every machine, without an embedder.

/// Maximum number of characters of a text that are compared.
pub const MAX_CHARS: usize = 2_000;

/// Text as the vector of its character trigrams, of length 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextVector(Vec<(Trigram, f64)>);

/// Three characters as one number, in the order of the characters. A character has 21 bits.
type Trigram = u64;

impl TextVector {
    /// Counts the trigrams of a text in lower case, in which everything but letters and digits is one space, with a space
    /// at each end. Cost: the length of the text times its logarithm.
    pub fn of(text: &str) -> TextVector {
        let mut letters = vec![' '];
        for letter in text.chars().take(MAX_CHARS).flat_map(char::to_lowercase) {
            if letter.is_alphanumeric() {
                letters.push(letter);
            } else if letters.last() != Some(&' ') {
                letters.push(' ');
            }
        }
        if letters.last() != Some(&' ') {
            letters.push(' ');
        }
        let packed =
            |window: &[char]| window.iter().fold(0, |sum, letter| sum << 21 | Trigram::from(u32::from(*letter)));
        let mut trigrams: Vec<Trigram> = letters.windows(3).map(packed).collect();
        trigrams.sort_unstable();
        let counts = trigrams.chunk_by(|one, other| one == other).map(|equal| (equal[0], equal.len() as f64));
        let length = counts.clone().map(|(_, count)| count * count).sum::<f64>().sqrt();
        TextVector(counts.map(|(trigram, count)| (trigram, count / length)).collect())
    }

    /// Cosine of two texts, from 0 for no common trigram to 1 for the same ones in the same proportions. Cost: the trigrams
    /// of both.
    pub fn likeness(&self, other: &TextVector) -> f64 {
        let (mut one, mut two) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut sum = 0.0;
        while let (Some((left, weight)), Some((right, other_weight))) = (one.peek(), two.peek()) {
            match left.cmp(right) {
                std::cmp::Ordering::Less => drop(one.next()),
                std::cmp::Ordering::Greater => drop(two.next()),
                std::cmp::Ordering::Equal => {
                    sum += weight * other_weight;
                    one.next();
                    two.next();
                }
            }
        }
        sum.clamp(0.0, 1.0)
    }
}

/// Greatest likeness of a text to others; 0 if there are no others.
pub fn greatest_likeness<'a>(text: &TextVector, others: impl IntoIterator<Item = &'a TextVector>) -> f64 {
    others.into_iter().map(|other| text.likeness(other)).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values computed by hand: `ab` has the trigrams ` ab` and `ab `; `abc` has ` ab`, `abc` and `bc `.
    #[test]
    fn likeness_is_the_cosine_of_trigrams() {
        let check = |one: &str, other: &str, expected: f64| {
            let found = TextVector::of(one).likeness(&TextVector::of(other));
            assert!((found - expected).abs() < 1e-9, "{one} | {other}: {found}");
        };
        check("ab", "ab", 1.0);
        check("ab", "AB!", 1.0);
        check("ab", "abc", 1.0 / 6.0_f64.sqrt());
        check("ab", "xy", 0.0);
        check("", "", 0.0);
        check("ab", "", 0.0);
    }
}
