//! Data structures: bit sets, compressed lists of neighbors, and counts that saturate.

pub mod bitset;
pub mod count;
pub mod csr;
