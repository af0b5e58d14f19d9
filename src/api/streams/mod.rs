//! Streams of responses, independent of the transport.
//!
//! [`hub`] executes a subscription once for all identical ones ([`subscription_key`]): each response is serialized once
//! ([`rendered`]), kept in shared ring buffers and sent to every subscriber. Resolvers get the range to execute from
//! [`resume_point`] and report to it the [`position`] that a subscriber has reached after a response. Every connection
//! occupies one of the [`connection_slots`], which also signal when it has to end.

pub mod connection_slots;
pub mod hub;
pub mod position;
pub mod rendered;
pub mod resume_point;
pub mod subscription_key;
