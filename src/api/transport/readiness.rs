//! Readiness report of the service, for load balancers and operators.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

/// Result of one readiness check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadinessCheck {
    /// Name of the check, such as `database`.
    pub name: &'static str,
    /// True if the check passed.
    pub well: bool,
    /// Description of the result, without secrets.
    pub detail: String,
}

/// All checks, each after those it depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readiness(pub Vec<ReadinessCheck>);

impl Readiness {
    /// Adds the result of a check.
    pub fn add(&mut self, name: &'static str, well: bool, detail: String) {
        self.0.push(ReadinessCheck { name, well, detail });
    }

    /// Returns true if all checks passed.
    pub fn is_ready(&self) -> bool {
        self.0.iter().all(|check| check.well)
    }
}

/// Responds with 200 and `ready`, or 503 and `not ready`, followed by one line per check.
impl IntoResponse for Readiness {
    fn into_response(self) -> Response {
        let (status, word) = match self.is_ready() {
            true => (StatusCode::OK, "ready"),
            false => (StatusCode::SERVICE_UNAVAILABLE, "not ready"),
        };
        let line = |check: ReadinessCheck| {
            format!("{} {}: {}\n", if check.well { "ok" } else { "no" }, check.name, check.detail)
        };
        let lines: String = self.0.into_iter().map(line).collect();
        (status, format!("{word}\n{lines}")).into_response()
    }
}
