//! Disputes about proposals: "should it stand?".
//!
//! A proposal that repeats an earlier one word for word raises no dispute of its own: the answers to the earlier one are
//! answers to it.

use crate::engines::dialectic::dialectic_context::DialecticContext;
use crate::engines::dialectic::shown::says_word_for_word;
use crate::events::dispute::{DisputeRaised, DisputeRetired, Side, StanceTaken};
use crate::events::event::Event;
use crate::events::ids::{DisputeId, ProposalId};
use crate::kernel::quotations::turn_quotes;
use crate::verdicts::crux_card::crux_text::quoted;

/// Criterion that settles the dispute about a proposal.
const CRITERION: &str = "every participant accepts the proposal in words, with a reason";

/// Retires the disputes about other proposals, and raises one about a new proposal, unless there is one about the same
/// words. Its author takes the side yes in the words, if any, that say that it should stand.
pub fn dispute_about(at: &DialecticContext, proposal: ProposalId, text: &str, stand: Option<String>) -> Vec<Event> {
    let same = open_dispute(at, text);
    let others = at.disputes.not_retired().filter(|(id, dispute)| !dispute.is_topic && Some(*id) != same);
    let retired = others.map(|(dispute, _)| {
        let reason = format!("{proposal} took the place of its proposal");
        Event::DisputeRetired(DisputeRetired { dispute, reason })
    });
    let dispute = same.unwrap_or_else(|| at.disputes.next_dispute());
    let raised = same.is_none().then(|| {
        let mut raised = DisputeRaised::bare(dispute, question(proposal, text), false);
        raised.criteria = vec![CRITERION.to_owned()];
        raised.turns = vec![at.turn];
        Event::DisputeRaised(raised)
    });
    // Who said so of the same words before need not say it again, and said it of the proposal that the dispute names.
    let holds = |id: DisputeId| {
        let there = at.disputes.disputes.get(&id).and_then(|dispute| dispute.stances.get(at.speaker));
        there.is_some_and(|stance| stance.side == Side::Yes)
    };
    let stands = stand.filter(|_| !holds(dispute)).map(|words| stance(at, dispute, Side::Yes, words));
    retired.chain(raised).chain(stands).collect()
}

/// Finds the dispute about a proposal with these words that is not retired.
pub fn open_dispute(at: &DialecticContext, text: &str) -> Option<DisputeId> {
    let same = at.proposals.proposals.iter().filter(|earlier| says_word_for_word(&earlier.text, text));
    let named: Vec<ProposalId> = same.map(|earlier| earlier.proposal).collect();
    let mut open = at.disputes.not_retired();
    open.find(|(_, dispute)| named.iter().any(|proposal| asks_about(&dispute.question, *proposal))).map(|(id, _)| id)
}

/// Takes a side in words of the turn.
pub fn stance(at: &DialecticContext, dispute: DisputeId, side: Side, words: String) -> Event {
    let (speaker, turn, quote) = (at.speaker.clone(), at.turn, Some(words));
    Event::StanceTaken(StanceTaken { dispute, speaker, side, turn, statement: None, confidence: None, quote })
}

/// Question of the dispute about a proposal, with the beginning of its text, so that it can be read by itself.
fn question(proposal: ProposalId, text: &str) -> String {
    match turn_quotes::first_words(text) {
        Some(first) => {
            let more = if first.len() < text.trim().len() { " …" } else { "" };
            format!("Should proposal {proposal} stand: “{}{more}”?", quoted(first.trim_end_matches('.')))
        }
        None => format!("Should proposal {proposal} stand?"),
    }
}

/// True if a question is whether this proposal stands. Older debates ask it without the text.
fn asks_about(question: &str, proposal: ProposalId) -> bool {
    let begins = |verb: &str| question.starts_with(&format!("{verb} proposal {proposal} stand"));
    begins("Should") || begins("Does")
}
