//! Status of a dispute in words.

use crate::events::proposal::{ProposalCriticized, Recommendation};
use crate::projections::disputes::dispute_state::{Dispute, DisputeStatus};

/// Status of a dispute, for readers. A question to which one participant alone has spoken is unanswered, and not agreed.
pub fn status_words(dispute: &Dispute, criticism: Option<&ProposalCriticized>, is_over: bool) -> &'static str {
    match dispute.status() {
        DisputeStatus::Proposed if criticism.is_none() && dispute.stances.len() < 2 => {
            match (dispute.stances.is_empty(), is_over) {
                (true, true) => "nobody answered it",
                (true, false) => "nobody has answered it yet",
                (false, true) => "only one participant answered it",
                (false, false) => "only one participant has answered it yet",
            }
        }
        DisputeStatus::Proposed => match criticism.map(|criticism| criticism.recommendation) {
            Some(Recommendation::Revise) => "issues are raised",
            Some(Recommendation::Reject) => "its critic would reject it",
            Some(Recommendation::NoObjection) => "nobody objects, and not all accept it",
            Some(Recommendation::Accept) | None => "nobody took the other side",
        },
        DisputeStatus::Open if !dispute.is_split() => "nobody takes the other side any more",
        DisputeStatus::Open => "open",
        DisputeStatus::Settled => "settled",
        DisputeStatus::Retired => "retired",
    }
}
