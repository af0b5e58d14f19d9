//! The engine `disputes`: talk distilled into disputes, stances and reasons.

pub mod decode;
pub mod disputes;
pub mod schema;
