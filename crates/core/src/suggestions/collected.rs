//! Suggestions of all pairs as one list: duplicates are merged, and questions that are known already are rejected.

use std::collections::btree_map::Entry;

use crate::engines::shared::view_prompts::excerpt;
use crate::engines::talk::question_matching::QuestionMatcher;
use crate::events::dispute::Side;
use crate::events::ids::PersonaId;
use crate::positions::suggestions::SuggestedTopic;
use crate::questions::wording::says_the_same;
use crate::suggestions::pairs::AuthorPair;
use crate::suggestions::verification::{CitedPosition, RejectedSuggestion, SuggestedQuestion};

/// Rule by which two questions ask the same: all content words are common.
const SAME: QuestionMatcher<'static> = QuestionMatcher { words: 1.0, likeness: None };

/// List of suggestions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CollectedSuggestions {
    /// Suggestions, in the order in which they came.
    pub suggested: Vec<SuggestedQuestion>,
    /// Suggestions that cannot be used.
    pub rejected: Vec<RejectedSuggestion>,
    /// Number of suggestions that were merged with an earlier one in the same words.
    pub n_merged: usize,
    /// Questions on which annotated writings differ.
    known: Vec<SuggestedTopic>,
    /// Maximum number of suggestions.
    most: usize,
}

impl CollectedSuggestions {
    /// Creates an empty list of at most `most` suggestions, none of which asks what annotated writings of the same personas
    /// answer with yes and with no.
    pub fn new(known: Vec<SuggestedTopic>, most: usize) -> CollectedSuggestions {
        CollectedSuggestions { known, most, ..CollectedSuggestions::default() }
    }

    /// Returns the number of suggestions that the list still takes.
    pub fn room(&self) -> usize {
        self.most.saturating_sub(self.suggested.len())
    }

    /// Returns the number of rejected suggestions.
    pub fn n_rejected(&self) -> usize {
        self.rejected.iter().map(|rejected| rejected.count).sum()
    }

    /// Returns the questions on which the annotated writings of a pair differ.
    pub fn known_to(&self, pair: &AuthorPair) -> Vec<&str> {
        let [one, other] = pair.authors.each_ref().map(|author| &author.id);
        let known = self.known.iter().filter(|topic| differ(topic, one, other));
        known.map(|topic| topic.question.as_str()).collect()
    }

    /// Adds the verified suggestions of one reply.
    pub fn add_all(&mut self, verified: Vec<Result<SuggestedQuestion, RejectedSuggestion>>) {
        for result in verified {
            let added = result.and_then(|suggested| self.add(suggested));
            self.rejected.extend(added.err());
        }
    }

    fn add(&mut self, new: SuggestedQuestion) -> Result<(), RejectedSuggestion> {
        let reject = |reason: String| Err(RejectedSuggestion::one(&new.question, reason));
        let mut personas = new.positions.keys();
        let pair = personas.next().zip(personas.next());
        let is_known = |topic: &&SuggestedTopic| {
            pair.is_some_and(|(one, other)| differ(topic, one, other))
                && SAME.of(&topic.question, &new.question).is_some()
        };
        if let Some(topic) = self.known.iter().find(is_known) {
            return reject(format!("annotated writings differ on it already: {}", excerpt(&topic.question)));
        }
        let same_words = self.suggested.iter().position(|earlier| says_the_same(&earlier.question, &new.question));
        if let Some(at) = same_words {
            return self.merge(at, new);
        }
        if let Some(earlier) = self.suggested.iter().find(|earlier| SAME.of(&earlier.question, &new.question).is_some())
        {
            return reject(format!("an earlier suggestion asks it in other words: {}", excerpt(&earlier.question)));
        }
        if self.room() == 0 {
            return reject(format!("there are {} suggestions already", self.most));
        }
        self.suggested.push(new);
        Ok(())
    }

    /// Adds the positions of other personas to an earlier suggestion in the same words.
    fn merge(&mut self, at: usize, new: SuggestedQuestion) -> Result<(), RejectedSuggestion> {
        let positions = &mut self.suggested[at].positions;
        let is_turned = |(id, position): &(&PersonaId, &CitedPosition)| {
            positions.get(*id).is_some_and(|earlier| earlier.side != position.side)
        };
        if let Some((id, _)) = new.positions.iter().find(is_turned) {
            let reason = format!("{id} takes the other side in an earlier suggestion of the same question");
            return Err(RejectedSuggestion::one(&new.question, reason));
        }
        for (id, position) in new.positions {
            if let Entry::Vacant(entry) = positions.entry(id) {
                entry.insert(position);
            }
        }
        self.n_merged += 1;
        Ok(())
    }
}

/// Returns true if one persona says yes on a topic and the other no.
fn differ(topic: &SuggestedTopic, one: &PersonaId, other: &PersonaId) -> bool {
    let side = |id: &PersonaId| topic.positions.get(id).map(|position| position.side);
    matches!((side(one), side(other)), (Some(Side::Yes), Some(Side::No)) | (Some(Side::No), Some(Side::Yes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::positions::model::PassageQuote;
    use crate::positions::suggestions::WrittenPosition;

    fn id(text: &str) -> PersonaId {
        text.parse().expect("an id")
    }

    fn suggested(question: &str, yes: &str, no: &str) -> Result<SuggestedQuestion, RejectedSuggestion> {
        let position = |side: Side| CitedPosition {
            side,
            quote: "It is so.".to_owned(),
            document: "notes".to_owned(),
            title: "Notes".to_owned(),
            ordinal: 0,
        };
        let positions = [(id(yes), position(Side::Yes)), (id(no), position(Side::No))].into();
        Ok(SuggestedQuestion { question: question.to_owned(), by: "test/model".to_owned(), positions })
    }

    fn known(question: &str, sides: [(&str, Side); 2]) -> SuggestedTopic {
        let words = PassageQuote { document: "notes".to_owned(), quote: "So.".to_owned(), line: 1 };
        let positions =
            sides.map(|(persona, side)| (id(persona), WrittenPosition { side, words: words.clone() })).into();
        SuggestedTopic { question: question.to_owned(), topic: question.to_owned(), positions }
    }

    fn reasons(list: &CollectedSuggestions) -> Vec<&str> {
        list.rejected.iter().map(|rejected| rejected.reason.as_str()).collect()
    }

    #[test]
    fn suggestions_in_the_same_words_are_merged() {
        let mut list = CollectedSuggestions::new(Vec::new(), 5);
        list.add_all(vec![
            suggested("Should the ferry sail?", "ada", "ben"),
            suggested("should the ferry sail ?", "ada", "ben"),
            suggested("Should the ferry sail?", "cleo", "ben"),
            suggested("Should the ferry sail?", "ben", "dora"),
            suggested("Should the ferry not sail?", "ben", "ada"),
        ]);
        let personas: Vec<&str> = list.suggested[0].positions.keys().map(PersonaId::as_str).collect();
        assert_eq!((list.suggested.len(), list.n_merged, personas), (1, 2, vec!["ada", "ben", "cleo"]));
        assert_eq!(
            reasons(&list),
            [
                "ben takes the other side in an earlier suggestion of the same question",
                "an earlier suggestion asks it in other words: \"Should the ferry sail?\"",
            ]
        );
    }

    #[test]
    fn questions_on_which_annotations_of_the_same_personas_differ_are_rejected() {
        let topics = vec![
            known("Should the ferry sail?", [("ada", Side::Yes), ("ben", Side::No)]),
            known("Is it cold?", [("ada", Side::Yes), ("ben", Side::Nuanced)]),
        ];
        let mut list = CollectedSuggestions::new(topics, 5);
        list.add_all(vec![
            suggested("Should the ferry not sail?", "ben", "ada"),
            suggested("Should the ferry sail?", "ada", "cleo"),
            suggested("Is it cold?", "ada", "ben"),
        ]);
        assert_eq!(reasons(&list), ["annotated writings differ on it already: \"Should the ferry sail?\""]);
        assert_eq!(list.suggested.len(), 2);
    }

    #[test]
    fn a_full_list_takes_no_more() {
        let mut list = CollectedSuggestions::new(Vec::new(), 1);
        let excess = RejectedSuggestion { question: String::new(), reason: "too many".to_owned(), count: 7 };
        list.add_all(vec![suggested("Is it so?", "ada", "ben"), suggested("Is it cold?", "ada", "ben"), Err(excess)]);
        assert_eq!((list.room(), list.suggested.len(), list.n_rejected()), (0, 1, 8));
        assert_eq!(reasons(&list), ["there are 1 suggestions already", "too many"]);
    }
}
