//! What never stops.
//!
//! A [`supervisor`] finds debates that nobody drives and holds their leases; a [`runner`] drives one session: it appends
//! what the session records, starts what it wants and settles what comes back; [`perform`] carries out one effect, and
//! [`likening`] tells how alike texts are. The [`projector`] keeps the stored views up with the log; a [`builder`] makes
//! them anew from all of it, beside those that are served; [`next_step`] says when. The [`keeper`] keeps vectors of what is
//! asked up with the stored views.
//!
//! There is no recovery code: after a crash the log is folded again, and the session wants the same things.

pub mod likening;
pub mod perform;
pub mod runner;
pub mod supervisor;
pub mod rows;
pub mod boards;
pub mod builder;
pub mod next_step;
pub mod projector;
pub mod keeper;
