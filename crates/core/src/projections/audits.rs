//! Audits of a debate, in order.

use serde::{Deserialize, Serialize};

use crate::events::audit::{AuditQuestion, Auditor, Reading, WordsAudited};
use crate::events::event::{Event, Recorded};
use crate::events::receipt::EffectAbandoned;
use crate::projections::projection::Projection;

/// Purpose of the effects by which words are audited.
pub const AUDIT_PURPOSE: &str = "audit";

/// All audits of a debate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Audits {
    /// Audits in the order in which they were recorded.
    pub audits: Vec<RecordedAudit>,
    /// Audits that were abandoned, in order.
    pub abandoned: Vec<EffectAbandoned>,
}

/// Audit with the version that recorded it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedAudit {
    /// Auditor and readings.
    #[serde(flatten)]
    pub audited: WordsAudited,
    /// Version of the event that recorded it.
    pub version: i64,
}

impl Audits {
    /// Finds the latest reading of an event's words, with its auditor. A qualified auditor takes precedence over one that
    /// is not.
    pub fn reading(&self, event: i64, asked: AuditQuestion) -> Option<(Reading, &Auditor)> {
        let find = |qualified: bool| {
            let audits = self.audits.iter().rev().map(|audit| &audit.audited);
            audits.filter(|audited| audited.auditor.qualified == qualified).find_map(|audited| {
                let found = audited.readings.iter().rev().find(|it| it.event == event && it.asked == asked)?;
                Some((found.reading, &audited.auditor))
            })
        };
        find(true).or_else(|| find(false))
    }

    /// Auditor of the latest audit.
    pub fn latest(&self) -> Option<&Auditor> {
        self.audits.last().map(|audit| &audit.audited.auditor)
    }
}

impl Projection for Audits {
    fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::WordsAudited(audited) => {
                self.audits.push(RecordedAudit { audited: audited.clone(), version: recorded.version });
            }
            Event::EffectAbandoned(abandoned) if abandoned.key.purpose == AUDIT_PURPOSE => {
                self.abandoned.push(abandoned.clone());
            }
            _ => {}
        }
    }
}
