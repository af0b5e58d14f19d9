//! Checks of what was said: debates of two sides with fact checks (who speaks for which side, drafts, checks of claims), and
//! probes of debates that have ended.

pub mod check;
pub mod claims;
pub mod drafts;
pub mod probes;
pub mod sides;
