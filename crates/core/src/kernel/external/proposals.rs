//! Validates proposals and their criticism in external events.

use crate::events::event::Event;
use crate::events::ids::{IssueId, ProposalId};
use crate::events::proposal::{ProposalCriticized, ProposalSynthesized};
use crate::kernel::engine::Refusal;
use crate::kernel::external::claims::check_count;
use crate::kernel::external::id_rules::{check_not_blank, conflict, missing, next, own_turn, share};
use crate::verdicts::read_model::DebateReadModel;

/// Maximum number of proposals in an external debate.
pub const MAX_PROPOSALS: usize = 1_000;

/// Checks whether a proposal or its criticism is consistent with the debate; accepts all other events.
///
/// # Errors
/// [`Refusal`] if the event is not.
pub fn check_proposal(board: &DebateReadModel, event: &Event) -> Result<(), Refusal> {
    match event {
        Event::ProposalDrafted(it) => {
            fresh(board, it.proposal)?;
            own_turn(board, &it.speaker, it.turn)?;
            check_not_blank("text", &it.text)?;
            share("confidence", it.confidence)
        }
        Event::ProposalCriticized(it) => criticized(board, it),
        Event::ProposalSynthesized(it) => synthesized(board, it),
        _ => Ok(()),
    }
}

fn fresh(board: &DebateReadModel, id: ProposalId) -> Result<(), Refusal> {
    check_count("proposals", board.proposals.proposals.len(), MAX_PROPOSALS)?;
    next("proposal", &id, &board.proposals.next_proposal())
}

fn criticized(board: &DebateReadModel, it: &ProposalCriticized) -> Result<(), Refusal> {
    let found = board.proposals.get(it.proposal).ok_or_else(|| missing("proposal", it.proposal))?;
    own_turn(board, &it.speaker, it.turn)?;
    if found.criticism.is_some() {
        return Err(conflict(format!("the proposal {} has already been criticized", it.proposal)));
    }
    let first = board.proposals.next_issue().0;
    it.issues.iter().zip(first..).try_for_each(|(issue, free)| {
        next("issue", &issue.issue, &IssueId(free))?;
        check_not_blank("issue", &issue.text)
    })
}

fn synthesized(board: &DebateReadModel, it: &ProposalSynthesized) -> Result<(), Refusal> {
    fresh(board, it.proposal)?;
    board.proposals.get(it.from).ok_or_else(|| missing("proposal", it.from))?;
    own_turn(board, &it.speaker, it.turn)?;
    check_not_blank("text", &it.text)?;
    share("confidence", it.confidence)?;
    let known = |id: IssueId| {
        let criticisms = board.proposals.proposals.iter().filter_map(|proposal| proposal.criticism.as_ref());
        criticisms.flat_map(|criticism| &criticism.issues).any(|entry| entry.issue == id)
    };
    match it.changes.iter().find(|change| !known(change.issue)) {
        Some(change) => Err(missing("issue", change.issue)),
        None => Ok(()),
    }
}
