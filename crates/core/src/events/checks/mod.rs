//! Debates of two sides with fact checks: who speaks for which side, drafts, and checks of claims.

pub mod check;
pub mod claims;
pub mod drafts;
pub mod sides;
