//! A small set of indices in a fixed number of machine words.

/// A set of indices below `64 * W`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits<const W: usize>([u64; W]);

impl<const W: usize> Bits<W> {
    /// No index.
    pub const EMPTY: Self = Self([0; W]);

    /// Every index below `len`.
    pub fn below(len: usize) -> Self {
        debug_assert!(len <= 64 * W, "{len} indices in {W} words");
        Self(std::array::from_fn(|word| match len.saturating_sub(64 * word) {
            0 => 0,
            left @ 1..64 => (1 << left) - 1,
            _ => u64::MAX,
        }))
    }

    /// The set whose words these are, 64 indices in each, the lowest first.
    #[inline]
    pub fn of_words(words: [u64; W]) -> Self {
        Self(words)
    }

    /// The places of the items that `are_in`.
    ///
    /// # Panics
    ///
    /// If one of them has no place in the words.
    pub fn of<T>(items: &[T], are_in: impl Fn(&T) -> bool) -> Self {
        let mut set = Self::EMPTY;
        for (index, _) in items.iter().enumerate().filter(|(_, item)| are_in(item)) {
            set.insert(index);
        }
        set
    }

    /// Whether the set is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    /// How many indices are in the set.
    #[inline]
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Whether `index` is in the set.
    #[inline]
    pub fn has(&self, index: usize) -> bool {
        self.0[index / 64] & (1 << (index % 64)) != 0
    }

    /// Puts `index` into the set.
    #[inline]
    pub fn insert(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    /// Takes `index` out of the set.
    #[inline]
    pub fn remove(&mut self, index: usize) {
        self.0[index / 64] &= !(1 << (index % 64));
    }

    /// What is in either set.
    #[inline]
    pub fn or(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    /// What is in both sets.
    #[inline]
    pub fn and(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    /// What is in this set and not in the other.
    #[inline]
    pub fn minus(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }

    /// Whether the sets share an index.
    #[inline]
    pub fn meets(&self, other: &Self) -> bool {
        !self.and(other).is_empty()
    }

    /// Whether the other set holds all of this one.
    #[inline]
    pub fn within(&self, other: &Self) -> bool {
        self.minus(other).is_empty()
    }

    /// The smallest index in the set.
    #[inline]
    pub fn first(&self) -> Option<usize> {
        self.iter().next()
    }

    /// The index of a set that has exactly one.
    #[inline]
    pub fn only(&self) -> Option<usize> {
        let mut indices = self.iter();
        indices.next().filter(|_| indices.next().is_none())
    }

    /// The indices, ascending.
    #[inline]
    pub fn iter(&self) -> Indices<'_> {
        Indices::of(&self.0)
    }
}

/// The places of the ones in a row of words, ascending.
#[derive(Clone, Debug)]
pub struct Indices<'a> {
    words: &'a [u64],
    word: usize,
    /// What was not yet told of the current word.
    left: u64,
}

impl<'a> Indices<'a> {
    /// The indices in `words`, 64 in each.
    pub fn of(words: &'a [u64]) -> Self {
        Self { words, word: 0, left: words.first().copied().unwrap_or(0) }
    }
}

impl Iterator for Indices<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.left == 0 {
            self.word += 1;
            self.left = *self.words.get(self.word)?;
        }
        let bit = self.left.trailing_zeros() as usize;
        self.left &= self.left - 1;
        Some(64 * self.word + bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(indices: &[usize]) -> Bits<3> {
        let mut set = Bits::EMPTY;
        indices.iter().for_each(|&index| set.insert(index));
        set
    }

    #[test]
    fn a_set_holds_what_was_put_in() {
        fn check(indices: &[usize], only: Option<usize>) {
            let mut bits = set(indices);
            assert_eq!(bits.iter().collect::<Vec<_>>(), indices);
            assert_eq!((bits.len() as usize, bits.is_empty()), (indices.len(), indices.is_empty()));
            assert_eq!((bits.first(), bits.only()), (indices.first().copied(), only));
            for index in 0..192 {
                assert_eq!(bits.has(index), indices.contains(&index));
                bits.remove(index);
            }
            assert_eq!(bits, Bits::EMPTY);
        }
        check(&[], None);
        check(&[0], Some(0));
        check(&[191], Some(191));
        check(&[63, 64], None);
        check(&[0, 1, 63, 64, 127, 128, 190], None);
    }

    #[test]
    fn sets_combine() {
        fn check(a: &[usize], b: &[usize], or: &[usize], and: &[usize], minus: &[usize]) {
            let (a, b) = (set(a), set(b));
            assert_eq!((a.or(&b), a.and(&b), a.minus(&b)), (set(or), set(and), set(minus)));
            assert_eq!((a.meets(&b), a.within(&b)), (!and.is_empty(), minus.is_empty()));
        }
        check(&[], &[], &[], &[], &[]);
        check(&[1, 70], &[70, 150], &[1, 70, 150], &[70], &[1]);
        check(&[64], &[63, 64, 65], &[63, 64, 65], &[64], &[]);
        check(&[5], &[6], &[5, 6], &[], &[5]);
    }

    #[test]
    fn the_first_indices() {
        for len in [0, 1, 63, 64, 65, 128, 191, 192] {
            assert_eq!(Bits::<3>::below(len), set(&(0..len).collect::<Vec<_>>()));
        }
    }
}
