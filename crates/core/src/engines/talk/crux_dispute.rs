//! Dispute about a question that participants agreed on as the crux. It is raised when they agree, so that everybody is asked
//! at the end where they stand on it.

use crate::engines::talk::question_matching::{Matched, QuestionMatcher, asked_before, is_open_question};
use crate::events::dispute::{DisputeLinked, DisputeRaised};
use crate::events::event::Event;
use crate::events::ids::{DisputeId, TurnId};
use crate::projections::crux_proposals::ProposedCrux;
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::verdicts::crux_card::agreed_dispute::is_worded;
use crate::verdicts::crux_card::question::settling_question;

/// Returns the event that asks the question of a crux on which somebody agrees in a turn: a new dispute, or another wording
/// of a dispute that asks the same or its negation. `None` if it is asked already, or yes or no cannot answer it.
/// `proposer` is the display name of the participant who proposed it.
pub fn question_asked(disputes: &DisputeGraph, proposer: &str, crux: &ProposedCrux, turn: TurnId) -> Option<Event> {
    let question = settling_question(&crux.proposed.statement, Some(proposer));
    let turns = vec![crux.proposed.turn, turn];
    if is_open_question(&question) || dispute_about(disputes, proposer, crux).is_some() {
        return None;
    }
    let by_words = QuestionMatcher { words: 1.0, likeness: None };
    match asked_before(by_words, disputes, &question).filter(|(_, found)| found.matched != Matched::Mirrored) {
        Some((dispute, _)) if disputes.topic().is_some_and(|(topic, _)| topic == dispute) => None,
        Some((dispute, found)) => {
            let negates = found.matched == Matched::Negated;
            Some(Event::DisputeLinked(DisputeLinked { dispute, question, negates, turns, likeness: None }))
        }
        None => {
            let bare = DisputeRaised::bare(disputes.next_dispute(), question, false);
            Some(Event::DisputeRaised(DisputeRaised { turns, ..bare }))
        }
    }
}

/// Returns the dispute that asks the question of a proposed crux. `proposer` is the display name of the participant who
/// proposed it.
pub fn dispute_about(disputes: &DisputeGraph, proposer: &str, crux: &ProposedCrux) -> Option<DisputeId> {
    let mut asked = disputes.not_retired().filter(|(_, dispute)| !dispute.is_topic);
    asked.find(|(_, dispute)| is_worded(dispute, crux, proposer).is_some()).map(|(id, _)| id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::talk::replies::decode::noted;
    use crate::engines::talk::sample::talk;
    use crate::engines::talk::state::Talk;
    use crate::events::ids::CruxId;

    /// A talk in which ada proposed a statement as the crux, with disputes that ask these questions.
    fn proposed(statement: &str, asked: &[&str]) -> (Talk, ProposedCrux) {
        let mut talk = talk(&["ada", "ben"], &["ada: a", "? ada 1: it", "ben: b"]);
        let mut raise = |question: &str, is_topic: bool| {
            let dispute = talk.disputes.next_dispute();
            talk.evolve(&noted(&Event::DisputeRaised(DisputeRaised::bare(dispute, question, is_topic))));
        };
        raise("Should the ferry run at night?", true);
        asked.iter().for_each(|question| raise(question, false));
        let mut crux = talk.cruxes.cruxes[&CruxId(1)].clone();
        crux.proposed.statement = statement.to_owned();
        (talk, crux)
    }

    #[test]
    fn the_question_of_an_agreed_crux_is_asked_once() {
        let check = |statement: &str, asked: &[&str], expected: &str| {
            let (talk, crux) = proposed(statement, asked);
            let found = match question_asked(&talk.disputes, &talk.names.of(&crux.proposed.speaker), &crux, TurnId(2)) {
                None => "nothing".to_owned(),
                Some(Event::DisputeRaised(it)) => format!("raises {}: {} {:?}", it.dispute, it.question, it.turns),
                Some(Event::DisputeLinked(it)) => format!("links {} {}: {}", it.dispute, it.negates, it.question),
                Some(other) => panic!("{other:?}"),
            };
            assert_eq!(found, expected, "{statement}");
        };
        check("Can the crews refuse?", &[], "raises d2: Can the crews refuse? [TurnId(1), TurnId(2)]");
        check("Whether the crews can refuse.", &[], "raises d2: Can the crews refuse? [TurnId(1), TurnId(2)]");
        check("Whether the crews can refuse.", &["can the crews refuse"], "nothing");
        check(
            "Can the crews refuse?",
            &["Can the crews refuse the crossing?"],
            "raises d3: Can the crews refuse? [TurnId(1), TurnId(2)]",
        );
        check("Can the crews not refuse?", &["Can the crews refuse?"], "links d2 true: Can the crews not refuse?");
        check("What can the crews do?", &[], "nothing");
        check("Should the ferry not run at night?", &[], "nothing");
    }
}
