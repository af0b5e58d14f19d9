//! Wake-ups: watermarks of visible events in this process, and notifications to the others.

pub mod watermarks;

pub(crate) mod notify;
