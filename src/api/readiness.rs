//! Whether the service can do its work, and what stands in the way if it cannot: for load balancers, and for people.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What: `database`.
    pub name: &'static str,
    /// Whether work can be done as far as this goes.
    pub well: bool,
    /// What was found; nothing of it is secret.
    pub told: String,
}

/// All that was looked at, in the order in which one needs the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readiness(pub Vec<Check>);

impl Readiness {
    /// Adds what was found of one thing.
    pub fn add(&mut self, name: &'static str, well: bool, told: String) {
        self.0.push(Check { name, well, told });
    }

    /// Whether nothing stands in the way.
    pub fn is_ready(&self) -> bool {
        self.0.iter().all(|it| it.well)
    }
}

/// 200 and `ready`, or 503 and `not ready`; then a line for each thing.
impl IntoResponse for Readiness {
    fn into_response(self) -> Response {
        let (status, word) = match self.is_ready() {
            true => (StatusCode::OK, "ready"),
            false => (StatusCode::SERVICE_UNAVAILABLE, "not ready"),
        };
        let line = |it: Check| format!("{} {}: {}\n", if it.well { "ok" } else { "no" }, it.name, it.told);
        let lines: String = self.0.into_iter().map(line).collect();
        (status, format!("{word}\n{lines}")).into_response()
    }
}
