//! Validation of events appended by external orchestrators.
//!
//! An orchestrator outside this service drives the debates of an external engine: it appends their events. All views of
//! such a debate are computed here as for any other, so its events must belong to the vocabulary ([`decode`]) and be
//! consistent with the debate so far ([`external_debate`]): lifecycle and receipts ([`lifecycle_rules`]), ids
//! ([`id_rules`]), turns and arguments ([`claims`]), disputes and cruxes ([`questions`]), rooms ([`rooms`]), the main
//! channel ([`channel`]), tables ([`tables`]), fact checks ([`checks`]), proposals ([`proposals`]) and audits ([`audits`]).
//!
//! Pure. A refusal gives the reason and states what would be accepted.

pub mod audits;
pub mod channel;
pub mod checks;
pub mod claims;
pub mod decode;
pub mod drafts;
pub mod external_debate;
pub mod id_rules;
pub mod lifecycle_rules;
pub mod proposals;
pub mod questions;
pub mod rooms;
pub mod tables;
