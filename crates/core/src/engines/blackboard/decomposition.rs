//! Decomposition of the topic into questions that can be tested. Each becomes a dispute.

use crate::engines::blackboard::schema::DecompositionReply;
use crate::engines::blackboard::words::WORDS;
use crate::engines::shared::view_prompts;
use crate::engines::talk::copied_words::named;
use crate::engines::talk::question_matching::{QuestionMatcher, asked_before};
use crate::engines::talk::raised_question::question;
use crate::engines::talk::replies::decode::{clipped, noted};
use crate::engines::talk::state::Talk;
use crate::events::dispute::DisputeRaised;
use crate::events::event::Event;
use crate::kernel::degenerate::is_crux_of_instructions;
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
            // A model may give an example of the instructions as its answer.
            if is_crux_of_instructions(&question, WORDS.0) {
                return Err(format!("asks {}, which repeats the instructions", view_prompts::excerpt(&question)));
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::talk::sample::talk;
    use crate::engines::talk::state::TOPIC;
    use serde_json::json;

    /// Decodes questions about "Should the ferry run at night?". Returns those that were raised, or the fault.
    fn read(questions: &[&str], most: usize) -> Result<Vec<String>, String> {
        let mut talk = talk(&["ada", "ben"], &[]);
        talk.evolve(&noted(&Event::DisputeRaised(DisputeRaised::bare(TOPIC, talk.topic.clone(), true))));
        let questions: Vec<_> = questions.iter().map(|question| json!({ "question": question })).collect();
        let reply = serde_json::from_value(json!({ "questions": questions })).expect("a reply");
        let raised = decomposed(&talk, reply, most, QuestionMatcher { words: 1.0, likeness: None });
        let question = |event| match event {
            Event::DisputeRaised(raised) => format!("{}: {}", raised.dispute, raised.question),
            other => panic!("{other:?}"),
        };
        raised.map(|events| events.into_iter().map(question).collect()).map_err(|fault| fault.failure().message)
    }

    #[test]
    fn usable_questions_are_raised_and_the_others_named() {
        let crew = "Can a second crew be had?";
        assert_eq!(
            read(&[crew, "Is the harbour lit?"], 4),
            Ok(vec![format!("d2: {crew}"), "d3: Is the harbour lit?".into()])
        );
        assert_eq!(read(&[crew, "Is the harbour lit?"], 1), Ok(vec![format!("d2: {crew}")]));
        assert_eq!(read(&[crew, "Can a second crew not be had?", "Why?"], 4), Ok(vec![format!("d2: {crew}")]));
        for (question, fault) in [
            ("Should the ferry run at night?", "asks the topic again"),
            ("What can be had?", "is not a yes-or-no question"),
            ("Do Ada and Ben agree about the crew?", "asks about participants"),
            ("Would more people borrow books if libraries opened on Sundays?", "repeats the instructions"),
        ] {
            let told = read(&[question], 4).expect_err("nothing usable");
            assert!(told.contains(fault), "{question}: {told}");
        }
        assert!(read(&[], 4).expect_err("nothing").contains("`questions` is empty"));
    }
}
