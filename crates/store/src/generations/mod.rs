//! Generations of stored read models: requested, built, cut over, and cleaned up; and saving their rows.

mod coordinator_lease;
pub mod fences;
pub mod generation_cleanup;
pub mod generation_cutover;
pub mod generation_progress;
pub mod generations;
pub mod lane_leases;
pub mod projector_member;
pub mod save;
pub mod view_pairs;
