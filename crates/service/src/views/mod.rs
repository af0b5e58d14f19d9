//! Stored views of debates: the rows that a read model gives, and differences between the rows of two generations.

pub mod generation_diff;
pub mod stored_views;
pub mod view_rows;
