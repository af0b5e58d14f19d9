//! GraphQL types of events and views, each built from its domain type.
//!
//! Contains data and constructors only. Fields that are computed on demand are in
//! [`resolvers`](crate::api::resolvers), so that the files of types that refer to each other form no cycle.

pub mod analysis;
pub mod channel;
pub mod crux;
pub mod debate;
pub mod debate_object;
pub mod dispute;
pub mod event;
pub mod event_content;
pub mod generation_diff;
pub mod motion;
pub mod mutation;
pub mod node;
pub mod persona;
pub mod projection;
pub mod room;
pub mod room_summary;
pub mod scalars;
pub mod speech;
pub mod table;
pub mod viewer;
