//! Answers to the question whether a proposal stands.

use crate::events::proposal::ProposalCriticized;
use crate::projections::disputes::dispute_state::{Dispute, DisputeStatus};
use crate::projections::proposals::{Proposal, Proposals};

/// Returns the criticism of the proposal that a dispute is about; `None` for other disputes, and without criticism. Such a
/// dispute is drawn from the turn of the proposal, or, in older debates, begins with the stance of its author in that turn.
pub fn criticism_of<'a>(proposals: &'a Proposals, dispute: &Dispute) -> Option<&'a ProposalCriticized> {
    let begins_with = |proposal: &Proposal| {
        let first = dispute.history.first();
        first.is_some_and(|(author, stance)| *author == proposal.speaker && stance.turn == proposal.turn)
    };
    let is_about = |proposal: &&Proposal| dispute.turns == [proposal.turn] || begins_with(proposal);
    let proposal = proposals.proposals.iter().find(is_about).filter(|_| !dispute.is_topic)?;
    proposal.criticism.as_ref()
}

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
        DisputeStatus::Proposed => "nobody took the other side",
        DisputeStatus::Open if !dispute.is_split() => "nobody takes the other side any more",
        DisputeStatus::Open => "open",
        DisputeStatus::Settled => "settled",
        DisputeStatus::Retired => "retired",
    }
}
