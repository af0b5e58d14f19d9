//! Long-lived connections: GraphQL over a socket, Server-Sent Events, and resumption.

mod streaming;
mod debate_events;
mod debate_sse;
mod drafts;
mod hostile_frames;
mod resumption;
mod started_debates;
