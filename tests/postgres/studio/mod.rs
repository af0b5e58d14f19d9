//! The studio in a real browser: what its readers see and do, held against the API.

mod accessibility;
mod addresses;
mod across;
pub mod browser;
mod citations;
mod leading;
mod engines;
mod hostile;
mod lists;
mod outages;
mod pictures;
mod reading;
mod replaying;
mod scene;
mod starting;
mod statistics;
