//! Talk of another debate, which a clerk distils anew: the events with which its turns are recorded.

use serde::Deserialize;
use serde_json::Value;

use crate::engines::baseline::settings::{Clerk, NAME, RecordedTalk};
use crate::engines::talk::state::{TOPIC, TalkPhase};
use crate::events::dispute::DisputeRaised;
use crate::events::event::Event;
use crate::events::lifecycle::{DebateOpened, Interjected, PhaseEntered};
use crate::events::turn::{Move, TurnTaken};
use crate::kernel::engine::Refusal;
use crate::projections::transcript::{Transcript, Turn};

/// Returns the events that follow the opening: the phase, the dispute about the topic, and the turns. Turns keep their ids,
/// texts, citations and answers. Their moves are left out, with all that the first clerk made of them: each turn makes a
/// claim. Rooms are not kept either, so the turns of all places follow one another in the order in which they were taken.
pub fn events(topic: &str, of: RecordedTalk, clerk: Clerk, transcript: &Transcript) -> Vec<Event> {
    let written =
        if transcript.is_written_by_one() { format!("; {}", PhaseEntered::WRITTEN_BY_ONE) } else { String::new() };
    let entered = PhaseEntered::new(TalkPhase::Exchange.name(), None, Some(phase_reason(of, clerk) + &written));
    let raised = DisputeRaised::bare(TOPIC, topic.to_owned(), true);
    let beginning = [Event::PhaseEntered(entered), Event::DisputeRaised(raised)];
    beginning.into_iter().chain(transcript.turns.iter().map(recorded)).collect()
}

/// Returns the recorded talk that a debate distils anew; `None` for a debate with a talk of its own.
pub fn of(opened: &DebateOpened) -> Option<RecordedTalk> {
    let of = opened.options.get("of").filter(|_| opened.engine == NAME)?;
    RecordedTalk::deserialize(of).ok()
}

/// Refuses to open a debate of this engine with the talk of another one in its options: its turns would be missing.
///
/// # Errors
/// A [`Refusal`] (invalid) that names the command to use.
pub fn refuse_opening(engine: &str, options: &Value) -> Result<(), Refusal> {
    let of = options.get("of").filter(|of| !of.is_null() && engine == NAME);
    let reason = "the option of is set by the command that distils a talk anew: use `faultline redistill ID`, or \
                  `redistillDebate` in GraphQL";
    of.map_or(Ok(()), |_| Err(Refusal::invalid(reason).of_option("of")))
}

/// Says whose talk it is, as the reason of its phase.
pub fn phase_reason(RecordedTalk { debate, version }: RecordedTalk, clerk: Clerk) -> String {
    let clerk = clerk.name();
    format!("the talk of debate {debate} up to version {version}, distilled anew by the clerk of {clerk}")
}

fn recorded(turn: &Turn) -> Event {
    let Turn { turn: id, speaker, moves, text, citations, answers, .. } = turn;
    match speaker {
        Some(speaker) if !moves.is_empty() => Event::TurnTaken(TurnTaken {
            turn: *id,
            speaker: speaker.clone(),
            round: None,
            room: None,
            moves: vec![Move::Claim],
            move_quotes: Vec::new(),
            answers: *answers,
            text: text.clone(),
            citations: citations.clone(),
            refused: Vec::new(),
            dangling: 0,
            preparation: None,
        }),
        speaker => {
            Event::Interjected(Interjected { turn: *id, text: text.clone(), speaker: speaker.clone(), room: None })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::talk::sample::talk;
    use crate::events::ids::{DebateId, TurnId};
    use crate::projections::transcript::PhaseStart;

    fn distilled_anew(lines: &[&str]) -> Vec<Event> {
        let source = talk(&["ada", "ben"], lines);
        let of = RecordedTalk { debate: "0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b".parse().expect("an id"), version: 9 };
        events("Should it sail?", of, Clerk::Dialogue, &source.transcript)
    }

    #[test]
    fn turns_keep_their_words_and_lose_what_a_clerk_made_of_them() {
        let found = distilled_anew(&["ada: It is old.", "@ Be brief.", "ben challenge >1: It floats."]);
        let Event::PhaseEntered(entered) = &found[0] else { panic!("{:?}", found[0]) };
        assert_eq!(
            entered.reason.as_deref(),
            Some(
                "the talk of debate 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b up to version 9, distilled anew by the clerk of \
                 dialogue"
            )
        );
        let said: Vec<_> = found[2..]
            .iter()
            .map(|event| match event {
                Event::TurnTaken(it) => (it.turn.0, it.text.as_str(), it.moves.as_slice(), it.answers.map(|it| it.0)),
                Event::Interjected(it) => (it.turn.0, it.text.as_str(), [].as_slice(), None),
                other => panic!("{other:?}"),
            })
            .collect();
        let claim = [Move::Claim].as_slice();
        assert_eq!(
            said,
            [(1, "It is old.", claim, None), (2, "Be brief.", &[], None), (3, "It floats.", claim, Some(1))]
        );
    }

    #[test]
    fn a_talk_that_one_model_wrote_stays_one() {
        let mut source = talk(&["ada", "ben"], &["ada: It is old."]).transcript;
        let is_written = |transcript: &Transcript| {
            let of = RecordedTalk { debate: DebateId(uuid::Uuid::nil()), version: 1 };
            let Some(Event::PhaseEntered(entered)) = events("?", of, Clerk::Disputes, transcript).into_iter().next()
            else {
                panic!("a phase")
            };
            entered.reason.is_some_and(|reason| reason.ends_with(PhaseEntered::WRITTEN_BY_ONE))
        };
        assert!(!is_written(&source));
        let (phase, reason) = ("exchange".to_owned(), Some(PhaseEntered::WRITTEN_BY_ONE.to_owned()));
        source.phases.push(PhaseStart { phase, round: None, reason, from: TurnId(1), version: 2 });
        assert!(is_written(&source));
    }
}
