//! Responses that come one after another, over whatever transport.
//!
//! [`hub`] executes a subscription once for all who ask the same ([`wanted`]): what it answers is written once, kept in the
//! desk's rings and handed to each. Resolvers say by [`reach`] behind which [`place`] a response leaves its reader. Each
//! connection has one of the [`seats`], which also tells it when to go. [`sse`] is GraphQL over Server-Sent Events, [`single`] the
//! same with many operations on one stream.

pub mod place;
pub mod reach;
pub mod told;
pub mod wanted;
pub mod hub;
pub mod seats;
pub mod sse;
pub mod single;
