//! Background work of the service.
//!
//! A [`supervisor`] finds debates that no process drives and holds their leases. A [`runner`] drives one session: it
//! appends the events that the session records, starts the effects that it requests, and records their outcomes.
//! [`effect_executor`] executes one effect, [`auditor_calibration`] measures how well a model reads words, and
//! [`similarity`] measures the similarity of texts. The [`projector`] keeps the stored views up to date with the log,
//! together with those of other processes: [`lane_projector`] follows the lanes of this one, [`read_model_cache`] folds
//! debates and keeps those used last, [`faultline_service::views`] builds their rows, and `saved_rows` leaves out those that
//! have not changed. A [`rebuilder`] rebuilds the views
//! from the whole log beside the served ones; the [`generation_coordinator`] cuts over to them, as [`generation_plan`]
//! decides. The [`question_embedder`] embeds the questions in the stored views.
//!
//! There is no recovery code: after a crash the log is folded again, and the session requests the same effects.

pub mod auditor_calibration;
mod bounded_cache;
pub mod budget;
pub mod effect_executor;
pub mod generation_coordinator;
pub mod generation_plan;
pub mod lane_projector;
pub mod projector;
mod projector_worker;
pub mod question_embedder;
pub mod read_model_cache;
pub mod rebuilder;
pub mod runner;
mod saved_rows;
pub mod similarity;
pub mod supervisor;
