//! The engine `disputes`: talk distilled into disputes, stances and reasons.

pub mod disputes;
