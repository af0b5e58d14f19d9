//! The studio in a real browser: what its readers see and do, held against the API.

mod accessibility;
mod addresses;
mod across;
mod axe;
pub mod browser;
mod browser_process;
mod citations;
mod dead_letters;
mod drafts;
mod engines;
mod hostile;
mod leading;
mod lists;
mod outages;
mod pictures;
mod reading;
mod replaying;
mod scene;
mod starting;
mod statistics;
