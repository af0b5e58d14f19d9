//! Requests that follow the end of a debate: for an audit, or for probes.

use crate::events::audit::AuditConcluded;
use crate::events::checks::probes::ProbesConcluded;
use crate::events::event::Event;
use crate::kernel::closing::closing::Occasion;

/// Request after the end of a debate that is under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LateRequest {
    /// Occasion that the request gives for closing effects.
    pub occasion: Occasion,
    /// Registered name of the provider that is asked.
    pub provider: String,
}

impl LateRequest {
    /// Returns the request that an event makes; `None` if it makes none.
    pub fn of(event: &Event) -> Option<LateRequest> {
        let (occasion, provider) = match event {
            Event::AuditRequested(it) => (Occasion::AuditRequested, &it.provider),
            Event::ProbesRequested(it) => (Occasion::ProbesRequested, &it.provider),
            _ => return None,
        };
        Some(LateRequest { occasion, provider: provider.clone() })
    }

    /// Returns the event that concludes the request, with the result in words.
    pub fn conclusion(&self, reason: String) -> Event {
        match self.occasion {
            Occasion::ProbesRequested => Event::ProbesConcluded(ProbesConcluded { reason }),
            Occasion::End | Occasion::AuditRequested => Event::AuditConcluded(AuditConcluded { reason }),
        }
    }
}
