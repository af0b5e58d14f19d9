//! Counterfactuals: what would become of a thesis if arguments were settled, and which are the ones it turns on.
//!
//! To settle an argument is to *refute* it (a fresh argument that nobody attacks attacks it) or to *establish* it (the
//! attacks on it are gone). The status of a thesis is its grounded label.
//!
//! | | | file |
//! |---|---|---|
//! | pivot | an argument of which refuting and establishing give the thesis different labels | `cruxes` |
//! | crux of order k | a settlement of k arguments that changes the label of the thesis, where no part of it does | `cruxes` |
//! | responsibility | 1/k for an argument in a crux of order k and in none of a lower one | `responsibility` |
//! | share changed | of several theses, how many change when a set is settled one way or the other | `shares` |
//! | information | how much less is open about the thesis once one knows whether an argument fails | `information` |
//!
//! The definitions follow the notion of a counterfactual cause and its responsibility (Chockler and Halpern 2004). Only
//! what attacks a thesis, directly or not, can change it: its `cone`, and nothing else is tried. Worlds are tried many
//! at a time: a bit of a machine word is a world (`lanes`), and for two settlements at once only what differs from one
//! alone is worked out again (`ripple`).

pub mod settlement;

pub mod cone;
pub mod lanes;
pub mod ripple;

pub mod cruxes;
pub mod responsibility;
pub mod shares;

pub mod information;
pub mod chance;
