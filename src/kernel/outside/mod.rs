//! What may be appended from outside.
//!
//! A debate of the engine `external` is driven by an orchestrator somewhere else, which appends what happens. Everything
//! that is shown of such a debate is computed here as for any other, so what comes in has to be of the vocabulary
//! ([`read`]) and may only follow what was there before ([`outside`]): in its life and its receipts ([`life`]), in what is
//! said and argued ([`claims`]), in disputes and cruxes ([`questions`]), in rooms ([`rooms`]), in checks of claims
//! ([`checks`]) and in proposals ([`proposals`]).
//!
//! Pure. A rule refuses in words, and says what would be granted.

pub mod read;
pub mod names;
pub mod life;
pub mod claims;
pub mod questions;
pub mod rooms;
pub mod checks;
pub mod proposals;
pub mod outside;
