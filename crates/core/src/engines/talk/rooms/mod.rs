//! Rooms beside a talk: messages that may be skipped, the detector of disagreements, the gate that opens rooms, their turns,
//! and the clerk who distils one that is over. Shared by `crux_rooms` and `forum`.

pub mod cards;
pub mod detection;
pub mod extraction;
pub mod gate;
pub mod messages;
pub mod places;
pub mod room_slots;
pub mod room_view;
pub mod schema;
pub mod words;
