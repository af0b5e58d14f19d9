//! Dung's abstract argumentation, and nothing else.
//!
//! Arguments are indices, an attack is a pair of them: this folder knows no debate, no speaker and no text. It is pure and
//! imports only its own files.
//!
//! | question | file | cost |
//! |----------|------|------|
//! | which arguments stand when nobody is given the benefit of the doubt? | `labelling` | linear |
//! | and why does one stand, fall or stay undecided? | `acceptance` | linear |
//! | what would change if these were refuted, or established? | `counterfactual` | linear a question |
//! | which positions can be held, and how many are there? | `preferred` | exponential at worst; budgeted |
//! | what belongs to every such position, what to some? | `acceptance` | as above, without listing them |
//!
//! The way of a framework through the last two:
//!
//! ```text
//! framework --grounded--> what is UNDEC --residue--> independent components
//!                                                      |  each: one strongly connected source at a time
//!                                                      v
//!                            factors <--memo-- search: the maximal admissible sets of the source, on bit sets
//!                               |
//!                               +--> exact count   +--> sceptical, credulous   +--> the sets, as many as are wanted
//! ```
//!
//! An answer that may be incomplete says so and names the limit. The answer to a question does not depend on the order in
//! which attacks are given.
//!
//! Not here: supports, weights and preferences; what an attack means; who said what.

pub mod acceptance;
pub mod bits;
pub mod components;
pub mod count;
pub mod counterfactual;
pub mod factors;
pub mod framework;
pub mod labelling;
pub mod listing;
pub mod preferred;
pub mod residue;
pub mod rows;
pub mod search;
