//! Generations of stored read models: requested, built, cut over, and cleaned up; and saving their rows.

pub mod generation_cleanup;
pub mod generation_cutover;
pub mod generation_progress;
pub mod generations;
pub mod save;
pub mod view_pairs;
