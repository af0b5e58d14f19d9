//! Members of the projector: which process keeps which lanes of the stored views, and which one coordinates.

mod coordinator_lease;
pub mod lane_leases;
mod membership_term;
pub mod projector_member;
pub mod save_fence;
