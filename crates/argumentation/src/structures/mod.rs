//! Data structures: bit sets, compressed lists of neighbors, counts that saturate, and random bits.

pub mod bitset;
pub mod count;
pub mod csr;
pub mod random_bits;
