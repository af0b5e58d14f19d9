//! The engine `crux_rooms`: a main channel, and rooms beside it in which two participants work out what divides them.

pub mod admission;
pub mod aspects;
pub mod channel;
pub mod crux_rooms;
pub mod decode;
pub mod discussion;
pub mod panel;
pub mod room_requests;
pub mod schema;
pub mod settings;
pub mod words;
