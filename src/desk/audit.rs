//! A line in the log of the process for each administrative act, and the name under which it is recorded.

use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use rustix::process::geteuid;

/// The target under which administrative acts are traced.
pub const TARGET: &str = "faultline::audit";

/// The one who acts: the name of a token, or a user of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    name: Option<Arc<str>>,
    is_at_terminal: bool,
}

impl Actor {
    /// The holder of a token of this name.
    pub fn token(name: &str) -> Actor {
        Actor { name: Some(name.into()), is_at_terminal: false }
    }

    /// The user who runs this command.
    pub fn command_line() -> Actor {
        let name = format!("command line, uid {}", geteuid().as_raw());
        Actor { name: Some(name.into()), is_at_terminal: true }
    }

    /// Somebody who needs no token.
    pub fn unnamed() -> Actor {
        Actor { name: None, is_at_terminal: false }
    }

    /// The name, for an event; none where nobody has to say who they are.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }
}

impl Display for Actor {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name().unwrap_or("somebody without a token"))
    }
}

/// Logs an administrative act that was done: `erase`, and what it was done to. Who types a command reads its own output, so
/// there the line is for those who ask for it (`FAULTLINE_LOG=faultline::audit=debug`).
pub fn done(actor: &Actor, act: &'static str, subject: &dyn Display) {
    if actor.is_at_terminal {
        tracing::debug!(target: TARGET, %actor, act, %subject, "administrative act");
    } else {
        tracing::info!(target: TARGET, %actor, act, %subject, "administrative act");
    }
}
