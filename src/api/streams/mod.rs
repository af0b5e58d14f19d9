//! Streams of responses, independent of the transport.
//!
//! [`hub`] executes a subscription once for all identical ones ([`wanted`]): each response is serialized once, kept in
//! shared ring buffers and sent to every subscriber. Resolvers use [`reach`] to report the [`place`], the position in
//! the stream that a subscriber has reached after a response. Every connection occupies one of the [`seats`], which
//! also signals when it has to end. [`sse`] is GraphQL over Server-Sent Events, [`single`] the same with many
//! operations on one stream.

pub mod connection_slots;
pub mod hub;
pub mod position;
pub mod rendered;
pub mod resume_point;
pub mod subscription_key;
