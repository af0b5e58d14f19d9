//! Fixed-size bit sets of small indices.

/// Set of indices below `64 * W`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitSet<const W: usize>([u64; W]);

impl<const W: usize> BitSet<W> {
    /// The empty set.
    pub const EMPTY: Self = Self([0; W]);

    /// Returns the set of all indices below `len`.
    pub fn below(len: usize) -> Self {
        debug_assert!(len <= 64 * W, "{len} indices in {W} words");
        Self(std::array::from_fn(|word| match len.saturating_sub(64 * word) {
            0 => 0,
            left @ 1..64 => (1 << left) - 1,
            _ => u64::MAX,
        }))
    }

    /// Builds a set from its words, 64 indices in each, lowest first.
    #[inline]
    pub fn from_words(words: [u64; W]) -> Self {
        Self(words)
    }

    /// Returns the set of the positions of the items for which `are_in` is true.
    ///
    /// # Panics
    ///
    /// Panics if such a position is not below `64 * W`.
    pub fn positions_of<T>(items: &[T], are_in: impl Fn(&T) -> bool) -> Self {
        let mut set = Self::EMPTY;
        for (index, _) in items.iter().enumerate().filter(|(_, item)| are_in(item)) {
            set.insert(index);
        }
        set
    }

    /// Returns true if the set is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    /// Returns the number of indices in the set.
    #[inline]
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Returns true if `index` is in the set.
    #[inline]
    pub fn contains(&self, index: usize) -> bool {
        self.0[index / 64] & (1 << (index % 64)) != 0
    }

    /// Adds `index` to the set.
    #[inline]
    pub fn insert(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    /// Removes `index` from the set.
    #[inline]
    pub fn remove(&mut self, index: usize) {
        self.0[index / 64] &= !(1 << (index % 64));
    }

    /// Returns the union of the sets.
    #[inline]
    pub fn or(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    /// Returns the intersection of the sets.
    #[inline]
    pub fn and(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    /// Returns the indices in this set that are not in the other.
    #[inline]
    pub fn minus(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }

    /// Returns true if the sets share an index.
    #[inline]
    pub fn intersects(&self, other: &Self) -> bool {
        !self.and(other).is_empty()
    }

    /// Returns true if this set is a subset of the other.
    #[inline]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.minus(other).is_empty()
    }

    /// Returns the smallest index in the set.
    #[inline]
    pub fn first(&self) -> Option<usize> {
        self.iter().next()
    }

    /// Returns the index of a set with exactly one index.
    #[inline]
    pub fn only(&self) -> Option<usize> {
        let mut indices = self.iter();
        indices.next().filter(|_| indices.next().is_none())
    }

    /// Returns the indices, ascending.
    #[inline]
    pub fn iter(&self) -> Indices<'_> {
        Indices::of(&self.0)
    }
}

/// Iterator over the positions of the one bits in a slice of words, ascending.
#[derive(Clone, Debug)]
pub struct Indices<'a> {
    words: &'a [u64],
    word: usize,
    /// Bits of the current word that were not returned yet.
    left: u64,
}

impl<'a> Indices<'a> {
    /// Returns the indices in `words`, 64 in each.
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

    fn set(indices: &[usize]) -> BitSet<3> {
        let mut set = BitSet::EMPTY;
        indices.iter().for_each(|&index| set.insert(index));
        set
    }

    #[test]
    fn a_set_contains_the_inserted_indices() {
        fn check(indices: &[usize], only: Option<usize>) {
            let mut bits = set(indices);
            assert_eq!(bits.iter().collect::<Vec<_>>(), indices);
            assert_eq!((bits.len() as usize, bits.is_empty()), (indices.len(), indices.is_empty()));
            assert_eq!((bits.first(), bits.only()), (indices.first().copied(), only));
            for index in 0..192 {
                assert_eq!(bits.contains(index), indices.contains(&index));
                bits.remove(index);
            }
            assert_eq!(bits, BitSet::EMPTY);
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
            assert_eq!((a.intersects(&b), a.is_subset(&b)), (!and.is_empty(), minus.is_empty()));
        }
        check(&[], &[], &[], &[], &[]);
        check(&[1, 70], &[70, 150], &[1, 70, 150], &[70], &[1]);
        check(&[64], &[63, 64, 65], &[63, 64, 65], &[64], &[]);
        check(&[5], &[6], &[5, 6], &[], &[5]);
    }

    #[test]
    fn below_contains_the_first_indices() {
        for len in [0, 1, 63, 64, 65, 128, 191, 192] {
            assert_eq!(BitSet::<3>::below(len), set(&(0..len).collect::<Vec<_>>()));
        }
    }
}
