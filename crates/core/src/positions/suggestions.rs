//! Suggested topics: questions that annotated writings of different personas answer with yes and with no.

use std::collections::BTreeMap;

use crate::events::dispute::Side;
use crate::events::ids::PersonaId;
use crate::positions::model::{AllPositions, PassageQuote};
use crate::questions::wording::says_the_same;

/// Question on which writings differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuggestedTopic {
    /// The question.
    pub question: String,
    /// Topic under which it is annotated; equal to the question for a topic itself.
    pub topic: String,
    /// Positions of personas, by id.
    pub positions: BTreeMap<PersonaId, WrittenPosition>,
}

/// Side of a persona on a question, with the words of its writings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenPosition {
    /// The side.
    pub side: Side,
    /// The words that state it.
    pub words: PassageQuote,
}

impl SuggestedTopic {
    /// Returns true if one persona says yes and another says no.
    pub fn is_contested(&self) -> bool {
        let has = |side| self.positions.values().any(|position| position.side == side);
        has(Side::Yes) && has(Side::No)
    }

    /// Returns true if the question is a topic of its own, with openings, claims and replies.
    pub fn is_topic(&self) -> bool {
        self.question == self.topic
    }
}

/// Lists the questions that are contested: topics before questions that came up on one, those with more personas first.
/// Cost: quadratic in the number of annotated questions.
pub fn suggested_topics(all: &AllPositions) -> Vec<SuggestedTopic> {
    let mut found: Vec<SuggestedTopic> = Vec::new();
    for (persona, positions) in all {
        for topic in &positions.topics {
            let own = (topic.question.as_str(), topic.side, &topic.statement);
            let disputes = topic.disputes.iter().map(|it| (it.question.as_str(), it.side, &it.words));
            for (question, side, words) in std::iter::once(own).chain(disputes) {
                let known = found.iter_mut().position(|it| says_the_same(&it.question, question));
                let at = known.unwrap_or_else(|| {
                    let (question, topic) = (question.to_owned(), topic.question.clone());
                    found.push(SuggestedTopic { question, topic, positions: BTreeMap::new() });
                    found.len() - 1
                });
                if question == topic.question {
                    // It is a topic of its own, wherever it came up before.
                    found[at].topic = found[at].question.clone();
                }
                let position = WrittenPosition { side, words: words.clone() };
                found[at].positions.entry(persona.clone()).or_insert(position);
            }
        }
    }
    found.retain(SuggestedTopic::is_contested);
    // The sort is stable: of equal ones, the first in the files comes first.
    found.sort_by_key(|it| (!it.is_topic(), std::cmp::Reverse(it.positions.len())));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::positions::parse::parse;

    fn positions(side: &str, crew: &str) -> String {
        let quote = |words: &str| format!("{{ document = \"notes\", quote = \"{words}\" }}");
        format!(
            "[[topics]]\nname = \"ferry\"\nquestion = \"Should the ferry run at night?\"\nside = \"{side}\"\nstatement = {}\n\
             opening = [{}]\nclosing = [{}]\n\n[[topics.disputes]]\nname = \"crew\"\nquestion = \"Can a crew be had?\"\n\
             side = \"{crew}\"\nwords = {}\nsettled_by = [{}]\n",
            quote("I say so."),
            quote("I open."),
            quote("I close."),
            quote("That is the crew."),
            quote("Ask the port."),
        )
    }

    fn suggested(all: &[(&str, &str, &str)]) -> Vec<String> {
        let read = |(id, side, crew): &(&str, &str, &str)| {
            (id.parse().expect("an id"), parse(&positions(side, crew)).expect("positions"))
        };
        let all: AllPositions = all.iter().map(read).collect();
        let line = |it: &SuggestedTopic| {
            let sides = it.positions.iter().map(|(persona, position)| format!("{persona} {}", position.side.name()));
            format!("{} {}", it.question, sides.collect::<Vec<_>>().join(", "))
        };
        suggested_topics(&all).iter().map(line).collect()
    }

    #[test]
    fn questions_with_a_yes_and_a_no_are_suggested() {
        assert_eq!(suggested(&[]), [""; 0]);
        assert_eq!(suggested(&[("ada", "yes", "no"), ("ben", "yes", "nuanced")]), [""; 0]);
        assert_eq!(
            suggested(&[("ada", "yes", "no"), ("ben", "no", "yes"), ("cleo", "nuanced", "yes")]),
            [
                "Should the ferry run at night? ada yes, ben no, cleo nuanced",
                "Can a crew be had? ada no, ben yes, cleo yes"
            ]
        );
        assert_eq!(suggested(&[("ada", "yes", "no"), ("ben", "yes", "yes")]), ["Can a crew be had? ada no, ben yes"]);
    }
}
