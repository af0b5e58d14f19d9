//! Wake-ups: watermarks of visible events in this process, and messages to the others: notifications of Postgres, and
//! appended events on a message bus.

pub mod bus;
pub mod watermarks;

pub(crate) mod bus_message;
pub(crate) mod notify;
