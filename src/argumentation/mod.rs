//! Dung's abstract argumentation, and nothing else.
//!
//! Arguments are indices, an attack is a pair of them: this folder knows no debate, no speaker and no text. It is pure
//! and imports only its own files.
//!
//! | question | file | cost |
//! |----------|------|------|
//! | which arguments stand when nobody is given the benefit of the doubt? | `labelling` | linear |
//! | and why does one stand, fall or stay undecided? | `reasons` | linear |
//! | how do the labels follow a framework that changes? | `change` | about what changes |
//! | what would change if these were refuted, or established? | `counterfactual` | linear a question |
//! | which positions can be held, under each of seven semantics, and how many are there? | `reasoning` | exponential at worst; budgeted |
//! | which of them hold most of some arguments? | `holding` | as above, without listing the others |
//! | what belongs to every such position, what to some? | `reasoning` | as above, without listing them |
//! | what are several positions divided on, and on which of it does a thesis turn? | `issues` | up to 20 issues exact |
//! | how strong is an argument, given what is said for and against it? | `gradual` | linear; circles to a limit |
//! | how is a framework read from a file, and written? | `formats` | linear |
//!
//! The way of a framework through the three of these that are budgeted:
//!
//! ```text
//! framework --grounded--> what is UNDEC --residue, desk--> independent problems
//!                                                              |
//!       .------ smaller problems, each solved once <--.        v
//!       |                                              '---- solver: what the source of the problem may come to
//!       '------------------------------------------------>     |     (search/, on bit sets; where that takes too long,
//!                                                              |      one argument IN or not, by elimination; where
//!                                                              |      nothing comes apart, sat/, by learning)
//!                                                              v
//!                                              factors: sums of products
//!                                                |          |             |
//!                                                count      acceptance    listing
//! ```
//!
//! Preferred, complete and stable extensions go this way as they are, for they are SCC-recursive. Semi-stable and stage
//! extensions are the stable ones of each largest range, the ideal one lies within what all preferred ones hold.
//!
//! An answer that may be incomplete says so and names the limit. The answer to a question does not depend on the order
//! in which attacks are given.
//!
//! Not here: preferences; what an attack means; who said what.

pub mod framework;

pub mod components;
pub mod labelling;

pub mod reasons;
pub mod skeleton;
pub mod telling;
pub mod what_if;

pub mod cancellation;
pub mod limits;
pub mod reasoning;
pub mod semantics;

pub mod acceptance;
pub mod change;
pub mod counterfactual;
pub mod extensions;
pub mod ideal;
pub mod issues;
pub mod preferred;
pub mod holding;

pub mod factors;
pub mod sat;
pub mod search;

pub mod count;

pub mod gradual;

pub mod witness;

pub mod formats;

pub mod bits;
pub mod rows;
