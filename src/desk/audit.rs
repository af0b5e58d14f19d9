//! A line in the log of the process for each administrative act, and the name under which it is recorded.

use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use rustix::process::geteuid;

/// The target under which administrative acts are traced.
pub const TARGET: &str = "faultline::audit";

/// Who does something: the name of a token, or a user of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor(Option<Arc<str>>);

impl Actor {
    /// The holder of a token of this name.
    pub fn token(name: &str) -> Actor {
        Actor(Some(name.into()))
    }

    /// The user who runs this command.
    pub fn command_line() -> Actor {
        Actor(Some(format!("command line, uid {}", geteuid().as_raw()).into()))
    }

    /// Somebody who needs no token.
    pub fn unnamed() -> Actor {
        Actor(None)
    }

    /// The name, for an event; none where nobody has to say who they are.
    pub fn name(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

impl Display for Actor {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name().unwrap_or("somebody without a token"))
    }
}

/// Logs an administrative act that was done: `erase`, and what it was done to.
pub fn done(actor: &Actor, act: &'static str, subject: &dyn Display) {
    tracing::info!(target: TARGET, %actor, act, %subject, "administrative act");
}
