//! The engine `dialectic`: a proposal, its criticism, and a synthesis. The smallest engine; start from it to write a new one.

pub mod acceptance;
pub mod concessions;
pub mod context;
pub mod decode;
pub mod dialectic;
pub mod dialectic_context;
pub mod proposal_dispute;
pub mod schema;
pub mod settings;
pub mod shown;
