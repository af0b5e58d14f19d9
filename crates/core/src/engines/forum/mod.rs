//! The engine `forum`: many participants, a main channel, and threads on questions that divide them.

pub mod agenda;
pub mod attention;
pub mod floor;
pub mod forum;
pub mod forum_state;
pub mod manner;
pub mod settings;
pub mod thread;
pub mod thread_requests;
pub mod words;
