//! Audit log: one line in the process log for each administrative action, with the name of the actor.

use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use rustix::process::geteuid;

/// Tracing target of audit lines.
pub const TARGET: &str = "faultline::audit";

/// Actor of a change: the name of an API token, or a user of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    name: Option<Arc<str>>,
    is_at_terminal: bool,
}

impl Actor {
    /// Actor for the holder of the token `name`.
    pub fn token(name: &str) -> Actor {
        Actor { name: Some(name.into()), is_at_terminal: false }
    }

    /// Actor for the user who runs this command.
    pub fn command_line() -> Actor {
        let name = format!("command line, uid {}", geteuid().as_raw());
        Actor { name: Some(name.into()), is_at_terminal: true }
    }

    /// Actor for a client of a service that requires no token.
    pub fn unnamed() -> Actor {
        Actor { name: None, is_at_terminal: false }
    }

    /// Name to record with events; `None` for a client without a token.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }
}

impl Display for Actor {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name().unwrap_or("anonymous"))
    }
}

/// Logs a completed administrative action, such as `erase`, and its subject. Actions on the command line are logged at
/// debug level (`FAULTLINE_LOG=faultline::audit=debug`), because the command prints its own output.
pub fn done(actor: &Actor, act: &'static str, subject: &dyn Display) {
    if actor.is_at_terminal {
        tracing::debug!(target: TARGET, %actor, act, %subject, "administrative act");
    } else {
        tracing::info!(target: TARGET, %actor, act, %subject, "administrative act");
    }
}
