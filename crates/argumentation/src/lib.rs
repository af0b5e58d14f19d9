//! Abstract argumentation (Dung 1995).
//!
//! Arguments are indices, and attacks are pairs of indices: this module knows nothing about debates, speakers or text.
//! It is pure and imports only its own files.
//!
//! | topic | module | cost |
//! |-------|--------|------|
//! | grounded labelling | `labelling` | linear |
//! | reasons for the labels | `explanation` | linear |
//! | grounded labels of a framework that changes | `change` | about the size of the change |
//! | effects of refuting or establishing arguments | `counterfactual` | linear per question |
//! | extensions under each of seven semantics, and their number | `reasoning` | exponential at worst; budgeted |
//! | extensions that contain most of some given arguments | `max_membership` | as above, without listing the others |
//! | one extension: any, or one with or without an argument | `queries` | less |
//! | sceptical and credulous acceptance | `reasoning` | as above, without listing the extensions |
//! | sceptical and credulous acceptance of one argument | `queries` | less |
//! | issues that divide several extensions, and those that decide a thesis | `issues` | exact for up to 20 issues |
//! | gradual strength of an argument, given its attackers and supporters | `gradual` | linear; iterative on cycles |
//! | reading and writing frameworks in file formats | `formats` | linear |
//!
//! Data flow of the budgeted computations:
//!
//! ```text
//! framework --grounded--> undecided args --splitting--> independent problems
//!                                                              |
//!       .------ smaller problems, each solved once <--.        v
//!       |                                              '---- solver: the sets of the problem's source component
//!       '------------------------------------------------>     |     (search/ on bit sets; if that takes too long,
//!                                                              |      branching on one argument, by elimination;
//!                                                              |      if nothing splits, sat/ by clause learning)
//!                                                              v
//!                                              factors: sums of products
//!                                                |          |             |
//!                                                count      acceptance    listing
//! ```
//!
//! One extension or the acceptance of one argument is also searched in the whole framework at once: by clause learning,
//! and by local search in frameworks without structure (`sat/`).
//!
//! Preferred, complete and stable extensions are computed in this way directly, because they are SCC-recursive.
//! Semi-stable and stage extensions are the stable extensions of each largest range; the ideal extension lies within
//! the intersection of the preferred ones.
//!
//! An answer that may be incomplete names the limit that was reached. Answers do not depend on the order in which
//! attacks are given.
//!
//! Out of scope: preferences, the meaning of attacks, and speakers.

pub mod cancellation;
pub mod change;
pub mod components;
pub mod counterfactual;
pub mod explanation;
pub mod extensions;
pub mod factors;
pub mod formats;
pub mod framework;
pub mod gradual;
pub mod ideal;
pub mod issues;
pub mod labelling;
pub mod limits;
pub mod max_membership;
pub mod preferred;
pub mod queries;
pub mod reasoning;
pub mod sat;
pub mod search;
pub mod semantics;
pub mod structures;
pub mod what_if;
