//! How a debate moves.
//!
//! An engine is a pure state machine over its debate's own events ([`engine`]). It wants effects, questions to the
//! world that its present state lacks the answers to ([`effect`]); a [`session`] says which of them to start, what an
//! outcome adds to the log, and when the debate is over. What a person may ask of a debate is granted or refused in
//! [`command`]; what somebody who runs a debate elsewhere may append, in [`outside`].
//!
//! What somebody wrote long ago lies beside a prompt as data: [`asking`] lays it there, [`hygiene`] and [`suspicion`] look at
//! it first; what is then said in its words is found and checked by [`quoted`], of [`quoting`] and [`folding`].
//!
//! Pure. Imports `events`, `argumentation`, `projections` and `verdicts`. It calls nothing and waits for nothing: the
//! runtime carries out what is decided here.

pub mod task;
pub mod prompt;
pub mod effect;
pub mod reply;
pub mod schema;
pub mod likeness;
pub mod engine;
pub mod ledger;
pub mod suspicion;
pub mod hygiene;
pub mod asking;
pub mod folding;
pub mod quoting;
pub mod quoted;
pub mod session;
pub mod command;
pub mod forking;
pub mod outside;
