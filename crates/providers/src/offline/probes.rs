//! Answers of the offline provider to probes: what annotations state, and nothing else.
//!
//! A participant's annotated side of a question gives the rating of an agreed statement about it, as the author held it before
//! anybody changed their mind. Two statements contradict each other if they answer the very same question differently. Turns
//! are not judged: no annotation says what contradicts a contract.

use serde_json::{Value, json};

use faultline_core::events::dispute::Side;
use faultline_core::kernel::task::{StatementInput, StatementPairInput};
use faultline_core::positions::model::TopicPositions;
use faultline_core::questions::wording::says_the_same;

/// Rating of a statement with whose answer the annotated side agrees.
const AGREES: u32 = 6;
/// Rating of a statement whose answer is opposite to the annotated side.
const OPPOSES: u32 = 2;
/// Rating of a statement on whose question the annotated side is neither yes nor no.
const NEITHER: u32 = 4;

/// Returns the reply about turns beside a contract, of which none is read.
pub fn contract() -> Value {
    json!({ "contradictions": [], "read": [] })
}

/// Returns the reply about pairs of statements: those on the very same question are decided.
pub fn contradictions(pairs: &[StatementPairInput]) -> Value {
    let decided = pairs.iter().filter(|pair| says_the_same(&pair.one.question, &pair.other.question));
    let found = decided.map(|pair| {
        let both = if pair.one.side == pair.other.side { "yes" } else { "no" };
        json!({ "name": pair.alias, "both_can_be_true": both })
    });
    json!({ "pairs": found.collect::<Vec<_>>() })
}

/// Returns the ratings of a participant with these positions; none without positions.
pub fn ratings(positions: Option<&TopicPositions>, statements: &[StatementInput]) -> Value {
    let rated = statements.iter().filter_map(|statement| {
        let rating = rating(annotated_side(positions?, &statement.question)?, statement.side);
        Some(json!({ "name": statement.alias, "rating": rating }))
    });
    json!({ "ratings": rated.collect::<Vec<_>>() })
}

fn rating(own: Side, agreed: Side) -> u32 {
    match own {
        Side::Yes | Side::No if own == agreed => AGREES,
        Side::Yes | Side::No => OPPOSES,
        Side::Nuanced | Side::Undecided => NEITHER,
    }
}

/// Returns the annotated side of a question; `None` if the positions do not answer it.
fn annotated_side(positions: &TopicPositions, question: &str) -> Option<Side> {
    if positions.is_asked_by(question) {
        return Some(positions.side);
    }
    positions.dispute_asking(question).map(|dispute| dispute.side)
}

#[cfg(test)]
mod tests {
    use super::*;

    use faultline_core::positions::parse::parse;

    fn statement(alias: &str, question: &str, side: Side) -> StatementInput {
        StatementInput { alias: alias.to_owned(), question: question.to_owned(), side }
    }

    /// Positions of the shipped personas.
    fn shipped() -> Vec<TopicPositions> {
        let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus");
        let folders = std::fs::read_dir(corpus).expect("the folder of corpora");
        let files = folders.filter_map(|entry| std::fs::read_to_string(entry.ok()?.path().join("positions.toml")).ok());
        files.flat_map(|text| parse(&text).expect("valid positions").topics).collect()
    }

    #[test]
    fn a_statement_is_rated_by_the_annotated_side_of_its_question() {
        for topic in shipped() {
            for (question, side) in std::iter::once((&topic.question, topic.side))
                .chain(topic.disputes.iter().map(|dispute| (&dispute.question, dispute.side)))
            {
                let given = [
                    statement("s1", question, side),
                    statement("s2", question, side.negated()),
                    statement("s3", "Is the moon made of slate?", Side::Yes),
                ];
                let expected = match side {
                    Side::Yes | Side::No => json!([6, 2]),
                    Side::Nuanced | Side::Undecided => json!([4, 4]),
                };
                let reply = ratings(Some(&topic), &given);
                let rated = reply["ratings"].as_array().expect("ratings");
                assert_eq!(json!([rated[0]["rating"], rated[1]["rating"]]), expected, "{question}");
                assert_eq!(rated.len(), 2, "{question}: nothing is inferred");
            }
        }
        assert_eq!(ratings(None, &[statement("s1", "Is it?", Side::Yes)]), json!({ "ratings": [] }));
    }

    #[test]
    fn only_answers_to_the_very_same_question_are_compared() {
        let pair = |alias: &str, one: (&str, Side), other: (&str, Side)| StatementPairInput {
            alias: alias.to_owned(),
            one: statement("s1", one.0, one.1),
            other: statement("s2", other.0, other.1),
        };
        let reply = contradictions(&[
            pair("p1", ("Is there a crew?", Side::Yes), ("is there a crew?", Side::No)),
            pair("p2", ("Is there a crew?", Side::Yes), ("Is there a crew?", Side::Yes)),
            pair("p3", ("Is there a crew?", Side::Yes), ("Is there no crew?", Side::Yes)),
        ]);
        let expected = json!([
            { "name": "p1", "both_can_be_true": "no" },
            { "name": "p2", "both_can_be_true": "yes" },
        ]);
        assert_eq!(reply["pairs"], expected);
    }
}
