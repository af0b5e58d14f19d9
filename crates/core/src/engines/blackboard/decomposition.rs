//! Decomposition of the topic into questions that can be tested. Each becomes a dispute.

use crate::engines::blackboard::schema::DecompositionReply;
use crate::engines::shared::view_prompts;
use crate::engines::talk::copied_words::named;
use crate::engines::talk::dispute_clerk::decode::question;
use crate::engines::talk::question_matching::{QuestionMatcher, asked_before};
use crate::engines::talk::replies::decode::{clipped, noted};
use crate::engines::talk::state::Talk;
use crate::events::dispute::DisputeRaised;
use crate::events::event::Event;
use crate::kernel::reply::Unreadable;
use crate::projections::projection::Projection;

/// Decodes a decomposition: at most `most` questions, without the topic and without repetitions.
///
/// # Errors
/// [`Unreadable`] if no question can be used.
pub fn decomposed(
    talk: &Talk,
    reply: DecompositionReply,
    most: usize,
    same: QuestionMatcher,
) -> Result<Vec<Event>, Unreadable> {
    let mut disputes = talk.disputes.clone();
    let (mut raised, mut refused) = (Vec::new(), Vec::new());
    for asked in reply.questions {
        let usable = question(talk, &asked.question).and_then(|question| {
            if talk.disputes.asks_topic(&talk.topic, &question) {
                return Err(format!("asks the topic again: {}", view_prompts::excerpt(&question)));
            }
            match asked_before(same, &disputes, &question) {
                Some((dispute, _)) => Err(format!("asks {dispute} again: {}", view_prompts::excerpt(&question))),
                None => Ok(question),
            }
        });
        match usable {
            Ok(question) if raised.len() < most => {
                let horizon = named(asked.horizon.as_deref()).map(clipped);
                let bare = DisputeRaised::bare(disputes.next_dispute(), question, false);
                let event = Event::DisputeRaised(DisputeRaised { horizon, ..bare });
                disputes.apply(&noted(&event));
                raised.push(event);
            }
            Ok(_) => {}
            Err(reason) => refused.push(reason),
        }
    }
    if raised.is_empty() {
        let reasons = if refused.is_empty() { "`questions` is empty".to_owned() } else { refused.join("; ") };
        let fault = Unreadable::because(format!("the topic was not decomposed: {reasons}"));
        return Err(fault.advise("ask two to four yes-or-no questions, each about one thing"));
    }
    Ok(raised)
}
