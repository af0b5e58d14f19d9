//! Dung's abstract argumentation, and nothing else.
//!
//! Arguments are indices, an attack is a pair of them: this folder knows no debate, no speaker and no text. It is pure
//! and imports only its own files.
//!
//! | question | file | cost |
//! |----------|------|------|
//! | which arguments stand when nobody is given the benefit of the doubt? | `labelling` | linear |
//! | and why does one stand, fall or stay undecided? | `acceptance` | linear |
//! | what would change if these were refuted, or established? | `counterfactual` | linear a question |
//! | which positions can be held, and how many are there? | `preferred` | exponential at worst; budgeted |
//! | what belongs to every such position, what to some? | `acceptance` | as above, without listing them |
//!
//! The way of a framework through the last two (`preferred`):
//!
//! ```text
//! framework --grounded--> what is UNDEC --residue, desk--> independent problems
//!                                                              |
//!       .------ smaller problems, each solved once <--.        v
//!       |                                              '---- solver: what the source of the problem may come to
//!       '------------------------------------------------>     |     (search, on bit sets; where that takes too long,
//!                                                              |      one argument IN or not, by elimination)
//!                                                              v
//!                                              factors: sums of products
//!                                                |          |             |
//!                                                count      acceptance    listing
//! ```
//!
//! An answer that may be incomplete says so and names the limit. The answer to a question does not depend on the order
//! in which attacks are given.
//!
//! Not here: supports, weights and preferences; what an attack means; who said what.

pub mod framework;

pub mod components;
pub mod labelling;

pub mod reasons;
pub mod skeleton;
pub mod telling;
pub mod what_if;

pub mod acceptance;
pub mod counterfactual;
pub mod preferred;

pub mod frame;
pub mod problem;
pub mod residue;
pub mod solver;

pub mod desk;
pub mod elimination;
pub mod region;
pub mod search;

pub mod count;
pub mod factors;
pub mod listing;

pub mod bits;
pub mod rows;
