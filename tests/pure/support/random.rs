//! Random numbers from a seed, so that a failing test can be repeated.

/// Marsaglia's xorshift generator (2003): the same numbers in every run. The seed must not be 0.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns a number from 0 up to, but not including, `end`.
    pub fn below<N: TryFrom<u64> + TryInto<u64>>(&mut self, end: N) -> N {
        let end: u64 = end.try_into().ok().expect("an end that is not negative");
        N::try_from((self.next() >> 20) % end).ok().expect("less than `end`")
    }

    /// Returns one of these items.
    pub fn choose<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// Puts the items into a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}
