//! Deterministic pseudo-random bits, in several words at a time.

/// Generator xoshiro256++ (Blackman and Vigna 2021), one instance for each of `W` words; seeded by `SplitMix64`
/// (Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub struct RandomBits<const W: usize> {
    state: [[u64; W]; 4],
}

impl<const W: usize> RandomBits<W> {
    /// Creates a generator of `W` independent words; equal seeds give equal words.
    pub fn new(seed: u64) -> Self {
        let mut last = seed;
        let mut split = || {
            last = last.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut mixed = last;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            mixed ^ (mixed >> 31)
        };
        Self { state: std::array::from_fn(|_| std::array::from_fn(|_| split())) }
    }

    /// Returns the next words; each bit is one with probability 1/2.
    #[inline]
    pub fn words(&mut self) -> [u64; W] {
        let [s0, s1, s2, s3] = &mut self.state;
        let mut words = [0; W];
        for i in 0..W {
            words[i] = s0[i].wrapping_add(s3[i]).rotate_left(23).wrapping_add(s0[i]);
            let shifted = s1[i] << 17;
            s2[i] ^= s0[i];
            s3[i] ^= s1[i];
            s1[i] ^= s2[i];
            s0[i] ^= s3[i];
            s2[i] ^= shifted;
            s3[i] = s3[i].rotate_left(45);
        }
        words
    }

    /// Returns words in which each bit is one with probability `parts`/256, independently of the others.
    ///
    /// Compares a binary fraction with random digits, last digit first: one call of [`RandomBits::words`] for each digit up
    /// to the last one that is 1.
    #[inline]
    pub fn bits(&mut self, parts: u8) -> [u64; W] {
        let mut bits = [0; W];
        for digit in parts.trailing_zeros()..u8::BITS {
            let words = self.words();
            if parts >> digit & 1 == 1 {
                bits.iter_mut().zip(words).for_each(|(bits, word)| *bits |= word);
            } else {
                bits.iter_mut().zip(words).for_each(|(bits, word)| *bits &= word);
            }
        }
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_match_the_reference_implementation() {
        // Reference implementation, from the state 1, 2, 3, 4.
        let mut chance = RandomBits::<1> { state: [[1], [2], [3], [4]] };
        assert_eq!([(); 3].map(|()| chance.words()[0]), [41_943_041, 58_720_359, 3_588_806_011_781_223]);
        // Reference implementation of SplitMix64, from 1234567.
        let seeded = RandomBits::<1>::new(1_234_567);
        assert_eq!([seeded.state[0][0], seeded.state[1][0]], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
        assert_eq!(RandomBits::<8>::new(7).words(), RandomBits::<8>::new(7).words());
        assert_ne!(RandomBits::<8>::new(7).words(), RandomBits::<8>::new(8).words());
    }

    #[test]
    fn bits_have_the_requested_probability() {
        let mut chance = RandomBits::<8>::new(1);
        for parts in [0, 1, 2, 64, 100, 128, 192, 255] {
            let ones: u32 =
                (0..500).map(|_| chance.bits(parts).iter().map(|word| word.count_ones()).sum::<u32>()).sum();
            let (tried, likely) = (500.0 * 512.0, f64::from(parts) / 256.0);
            let deviation = (f64::from(ones) - likely * tried) / (tried * likely * (1.0 - likely)).sqrt().max(1e-9);
            assert!(deviation.abs() < 4.0, "{parts}: {ones}");
        }
    }
}
