//! Counts of the words that two texts have in common.

use std::collections::BTreeMap;

/// Counts the words that both lists have, in any order; a word that occurs twice in both counts twice. Cost: near-linear.
pub fn common_words<T: Ord>(one: &[T], other: &[T]) -> usize {
    let mut left: BTreeMap<&T, usize> = BTreeMap::new();
    for word in other {
        *left.entry(word).or_default() += 1;
    }
    let mut is_left = |word: &&T| {
        let count = left.get_mut(*word).filter(|count| **count > 0);
        count.map(|count| *count -= 1).is_some()
    };
    one.iter().filter(|word| is_left(word)).count()
}

/// Returns the length of the longest common subsequence: the words that both lists have in the same order. Cost: words of
/// the one times words of the other.
pub fn common_words_in_order<T: PartialEq>(one: &[T], other: &[T]) -> usize {
    let mut row = vec![0_usize; other.len() + 1];
    for word in one {
        let mut diagonal = 0;
        for (at, candidate) in other.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if word == candidate { diagonal + 1 } else { above.max(row[at]) };
            diagonal = above;
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_are_counted_in_any_order_and_in_the_same_order() {
        let check = |one: &str, other: &str, expected: (usize, usize)| {
            let [one, other] = [one, other].map(|text| text.split(' ').map(str::to_owned).collect::<Vec<_>>());
            assert_eq!((common_words(&one, &other), common_words_in_order(&one, &other)), expected);
        };
        check("a b c", "a b c", (3, 3));
        check("a b c", "c a b", (3, 2));
        check("a a b", "a b b", (2, 2));
        check("a b", "c d", (0, 0));
    }
}
