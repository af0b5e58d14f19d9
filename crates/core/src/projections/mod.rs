//! Projections: folds of a debate's events into read models.
//!
//! Each file contains one read model, a pure fold of one debate's events ([`projection`]). Engines read it to plan the
//! next step, and the API exposes it. Folding a prefix of the events gives a past state. The list of all projections is
//! in `verdicts/read_model.rs`: a new one needs its file and one line there.
//!
//! Pure. Imports `events`, `argumentation`, `programs` and `voices`. Projections do not import one another; rules that combine
//! several of them are in `verdicts`.

pub mod agenda;
pub mod argument_graph;
pub mod attention;
pub mod audits;
pub mod calls;
pub mod concessions;
pub mod crux_proposals;
pub mod crux_rooms;
pub mod disputes;
pub mod fact_checks;
pub mod flip_conditions;
pub mod floor;
pub mod grounding;
pub mod motion;
pub mod participants;
pub mod probes;
pub mod progress;
pub mod projection;
pub mod proposals;
pub mod room_candidates;
pub mod summary;
pub mod tables;
pub mod transcript;
pub mod voice_compliance;
