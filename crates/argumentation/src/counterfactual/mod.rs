//! Counterfactuals: the effect of settling arguments on a thesis, and the arguments that decide it.
//!
//! To settle an argument is to *refute* it (an additional unattacked argument attacks it) or to *establish* it (the
//! attacks on it are removed). The status of a thesis is its grounded label.
//!
//! | term | meaning | file |
//! |------|---------|------|
//! | pivot | an argument for which refuting and establishing it give the thesis different labels | `cruxes` |
//! | crux of order k | intervention on k arguments that changes the label of the thesis, while no part does | `cruxes` |
//! | responsibility | 1/k for an argument in a crux of order k and in none of a lower order | `responsibility` |
//! | share changed | share of several theses that change if a set is settled one way or the other | `impact` |
//! | information | reduction of the uncertainty about the thesis by learning if an argument fails | `information` |
//!
//! The definitions follow the notion of a counterfactual cause and its responsibility (Chockler and Halpern 2004). Only
//! direct and indirect attackers of a thesis, its `ancestors`, can change it; nothing else is tried. Many worlds are tried
//! at a time, one per bit of a machine word (`bit_sliced`); for two settlements at once, only the differences to one alone
//! are recomputed (`incremental`).

pub mod ancestors;
pub mod bit_sliced;
pub mod cruxes;
pub mod impact;
pub mod incremental;
pub mod information;
pub mod intervention;
pub mod responsibility;
