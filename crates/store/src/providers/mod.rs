//! Records on model providers: measured auditors, and what calls have spent.

pub mod auditors;
pub mod spending;
