//! Times as text.

use chrono::{DateTime, SecondsFormat, Utc};

/// Time as text, with microseconds: `2026-11-28T05:31:07.123456Z`.
pub(crate) fn time_text(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Micros, true)
}
