//! Closing effects: requests that follow an engine's own end, the same for every engine.
//!
//! When an engine ends a debate by `settled`, `exhausted` or a limit of its own, such as the number of rounds, the session
//! first asks what the [`closing`] tasks lack, and concludes once every effect of theirs was answered or abandoned. After
//! a limit of calls, tokens, money or time, a failure or a cancellation nothing is asked. [`audit`] is such a task. It is
//! also asked on request after the end, and [`probes`] are asked only then ([`late_request`]). A further task is a file
//! here and a line in [`tasks`].

pub mod audit;
pub mod audit_request;
pub mod calibration;
pub mod closing;
pub mod late_request;
pub mod probes;
pub mod tasks;
