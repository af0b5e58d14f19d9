//! Validates proposals and their criticism in external events.

use crate::events::event::Event;
use crate::events::ids::{IssueId, ProposalId};
use crate::events::proposal::{ProposalAccepted, ProposalCriticized, ProposalSynthesized};
use crate::kernel::engine::Refusal;
use crate::kernel::external::claims::check_count;
use crate::kernel::external::id_rules::{check_not_blank, conflict, missing, next, own_turn, share};
use crate::verdicts::read_model::DebateReadModel;
use crate::verdicts::topic::{are_opposite, stood_against, topic_side};

/// Maximum number of proposals in an external debate.
pub const MAX_PROPOSALS: usize = 1_000;

/// Checks whether a proposal or its criticism is consistent with the debate; accepts all other events.
///
/// # Errors
/// [`Refusal`] if the event is not.
pub fn check_proposal(read_model: &DebateReadModel, event: &Event) -> Result<(), Refusal> {
    match event {
        Event::ProposalDrafted(it) => {
            fresh(read_model, it.proposal)?;
            own_turn(read_model, &it.speaker, it.turn)?;
            check_not_blank("text", &it.text)?;
            share("confidence", it.confidence)
        }
        Event::ProposalCriticized(it) => criticized(read_model, it),
        Event::ProposalAccepted(it) => accepted(read_model, it),
        Event::ProposalSynthesized(it) => synthesized(read_model, it),
        _ => Ok(()),
    }
}

fn fresh(read_model: &DebateReadModel, id: ProposalId) -> Result<(), Refusal> {
    check_count("proposals", read_model.proposals.proposals.len(), MAX_PROPOSALS)?;
    next("proposal", &id, &read_model.proposals.next_proposal())
}

fn criticized(read_model: &DebateReadModel, it: &ProposalCriticized) -> Result<(), Refusal> {
    let found = read_model.proposals.get(it.proposal).ok_or_else(|| missing("proposal", it.proposal))?;
    own_turn(read_model, &it.speaker, it.turn)?;
    if found.criticism.is_some() {
        return Err(conflict(format!("the proposal {} has already been criticized", it.proposal)));
    }
    let first = read_model.proposals.next_issue().0;
    it.issues.iter().zip(first..).try_for_each(|(issue, free)| {
        next("issue", &issue.issue, &IssueId(free))?;
        check_not_blank("issue", &issue.text)
    })
}

/// Checks an acceptance: words and reason occur in the turn, and a participant who stood on the other side of the
/// topic than the author has taken another side and says so.
fn accepted(read_model: &DebateReadModel, it: &ProposalAccepted) -> Result<(), Refusal> {
    let found = read_model.proposals.get(it.proposal).ok_or_else(|| missing("proposal", it.proposal))?;
    own_turn(read_model, &it.speaker, it.turn)?;
    if found.is_accepted_by(&it.speaker) {
        return Err(conflict(format!("{} has already accepted {}, or is its author", it.speaker, it.proposal)));
    }
    let text = read_model.transcript.get(it.turn).map_or("", |turn| turn.text.as_str());
    let change = it.change_of_mind.as_deref();
    for (name, words) in [("words", Some(it.words.as_str())), ("reason", Some(&it.reason)), ("change_of_mind", change)]
    {
        let Some(words) = words else { continue };
        check_not_blank(name, words)?;
        if !text.contains(words) {
            return Err(Refusal::invalid(format!("the {name} {words:?} do not occur in the turn {}", it.turn)));
        }
    }
    let disputes = &read_model.disputes;
    if are_opposite(topic_side(disputes, &it.speaker), topic_side(disputes, &found.speaker)) {
        return Err(Refusal::invalid(format!(
            "{} and {} stand on opposite sides of the topic; record the stance that {} has changed to first",
            it.speaker, found.speaker, it.speaker
        )));
    }
    if change.is_none() && stood_against(disputes, &it.speaker, &found.speaker, it.turn) {
        return Err(Refusal::invalid(format!(
            "{} stood on the other side of the topic than {}; give the words of the `change_of_mind`",
            it.speaker, found.speaker
        )));
    }
    Ok(())
}

fn synthesized(read_model: &DebateReadModel, it: &ProposalSynthesized) -> Result<(), Refusal> {
    fresh(read_model, it.proposal)?;
    read_model.proposals.get(it.from).ok_or_else(|| missing("proposal", it.from))?;
    own_turn(read_model, &it.speaker, it.turn)?;
    check_not_blank("text", &it.text)?;
    share("confidence", it.confidence)?;
    let known = |id: IssueId| {
        let criticisms = read_model.proposals.proposals.iter().filter_map(|proposal| proposal.criticism.as_ref());
        criticisms.flat_map(|criticism| &criticism.issues).any(|entry| entry.issue == id)
    };
    match it.changes.iter().find(|change| !known(change.issue)) {
        Some(change) => Err(missing("issue", change.issue)),
        None => Ok(()),
    }
}
