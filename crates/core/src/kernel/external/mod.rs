//! Validation of events appended by external orchestrators.
//!
//! A debate of the engine `external` is driven by an orchestrator outside this service, which appends the events. All
//! views of such a debate are computed here as for any other, so its events must belong to the vocabulary ([`read`])
//! and be consistent with the debate so far ([`outside`]): lifecycle and receipts ([`life`]), turns and arguments
//! ([`claims`]), disputes and cruxes ([`questions`]), rooms ([`rooms`]), fact checks ([`checks`]) and proposals
//! ([`proposals`]).
//!
//! Pure. A refusal gives the reason and states what would be accepted.

pub mod checks;
pub mod claims;
pub mod decode;
pub mod external_debate;
pub mod id_rules;
pub mod lifecycle_rules;
pub mod proposals;
pub mod questions;
pub mod rooms;
