//! Topics on which personas can debate from their annotated writings alone.

use std::collections::{BTreeMap, BTreeSet};

use crate::events::dispute::Side;
use crate::events::ids::PersonaId;
use crate::positions::model::{AllPositions, Positions, TopicPositions};
use crate::questions::wording::TextFeatures;

/// Name of the provider that plays annotated writings.
pub const OFFLINE: &str = "offline";

/// Name of that provider's auditor: it looks up the annotations of the words that it reads, and cannot disagree with them.
pub const ANNOTATIONS: &str = "annotations";

/// Notice with every debate that this provider plays.
pub const OFFLINE_NOTICE: &str = "offline: played from annotated writings; no model is at work";

/// Minimum number of personas with positions on a topic.
pub const MIN_PERSONAS: usize = 2;

/// Topic with the personas that have positions on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayableTopic {
    /// Short name.
    pub name: String,
    /// Question of the topic.
    pub question: String,
    /// Other wordings of the question.
    pub wordings: Vec<String>,
    /// Personas with positions on it, ordered by id.
    pub personas: Vec<PersonaId>,
}

/// Personas by the side of a topic that their writings take, each list ordered by id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SideTakers {
    /// Personas whose writings answer yes.
    pub yes: Vec<PersonaId>,
    /// Personas whose writings answer no.
    pub no: Vec<PersonaId>,
}

impl SideTakers {
    /// Lists the personas whose writings answer a topic, given in any of its annotated wordings, with yes or with no.
    pub fn on(all: &AllPositions, topic: &str) -> SideTakers {
        let taking = |side: Side| -> Vec<PersonaId> {
            let takes = |positions: &Positions| positions.topic_asked_by(topic).is_some_and(|own| own.side == side);
            all.iter().filter(|(_, positions)| takes(positions)).map(|(id, _)| id.clone()).collect()
        };
        SideTakers { yes: taking(Side::Yes), no: taking(Side::No) }
    }

    /// Lists both sides: `those who take one are ada, ben (for) and cy (against)`.
    pub fn in_words(&self) -> String {
        let ids = |side: &[PersonaId]| match side {
            [] => "nobody".to_owned(),
            some => some.iter().map(PersonaId::as_str).collect::<Vec<_>>().join(", "),
        };
        format!("those who take one are {} (for) and {} (against)", ids(&self.yes), ids(&self.no))
    }
}

/// Reason why a debate cannot be played from annotated writings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unplayable {
    /// No two personas have positions on the topic.
    Topic {
        /// Topics that can be played, the one nearest in words first.
        instead: Vec<PlayableTopic>,
    },
    /// Some participants have no positions on the topic.
    Personas {
        /// The topic, with the personas that have positions on it.
        topic: PlayableTopic,
        /// Participants without positions.
        missing: Vec<PersonaId>,
    },
}

/// Returns the topics on which at least [`MIN_PERSONAS`] personas have positions, ordered by name.
pub fn playable_topics(all: &AllPositions) -> Vec<PlayableTopic> {
    let mut topics: BTreeMap<&str, PlayableTopic> = BTreeMap::new();
    for (persona, topic) in all.iter().flat_map(|(id, positions)| positions.topics.iter().map(move |topic| (id, topic)))
    {
        topics.entry(&topic.name).or_insert_with(|| playable(topic)).personas.push(persona.clone());
    }
    topics.into_values().filter(|topic| topic.personas.len() >= MIN_PERSONAS).collect()
}

fn playable(topic: &TopicPositions) -> PlayableTopic {
    let TopicPositions { name, question, wordings, .. } = topic.clone();
    PlayableTopic { name, question, wordings, personas: Vec::new() }
}

/// Checks that these participants can debate a topic, given in any of its annotated wordings.
///
/// # Errors
/// [`Unplayable`], with the topics or the personas that can be chosen instead.
pub fn check_playable(all: &AllPositions, topic: &str, participants: &[PersonaId]) -> Result<(), Unplayable> {
    let asked = all.values().find_map(|positions| positions.topic_asked_by(topic)).map(|topic| &topic.name);
    let playable = playable_topics(all);
    let Some(found) = playable.iter().find(|topic| Some(&topic.name) == asked) else {
        return Err(Unplayable::Topic { instead: nearest_first(topic, playable) });
    };
    let missing: Vec<PersonaId> = participants.iter().filter(|id| !found.personas.contains(id)).cloned().collect();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(Unplayable::Personas { topic: found.clone(), missing }),
    }
}

/// Orders topics by the content words that they share with a text, most first; equal ones stay in their order.
pub fn nearest_first(text: &str, mut topics: Vec<PlayableTopic>) -> Vec<PlayableTopic> {
    let asked = content_words(text);
    let shared = |wording: &String| content_words(wording).intersection(&asked).count();
    topics.sort_by_cached_key(|topic| {
        let nearest = topic.wordings.iter().chain([&topic.question]).map(shared).max();
        std::cmp::Reverse(nearest)
    });
    topics
}

fn content_words(text: &str) -> BTreeSet<String> {
    let stem = |word: String| word.strip_suffix('s').map_or(word.clone(), str::to_owned);
    TextFeatures::of(text).words.into_iter().filter(|word| TextFeatures::is_full(word)).map(stem).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::positions::model::PassageQuote;

    fn persona(id: &str) -> PersonaId {
        id.parse().expect("an id")
    }

    fn all(given: &[(&str, &[(&str, &str)])]) -> AllPositions {
        let quote = PassageQuote { document: "essay".to_owned(), quote: "So it is.".to_owned(), line: 1 };
        let topic = |(name, question): &(&str, &str)| TopicPositions {
            name: (*name).to_owned(),
            question: (*question).to_owned(),
            wordings: vec![format!("In other words: {question}")],
            side: Side::Yes,
            statement: quote.clone(),
            openings: vec![quote.clone()],
            closings: vec![quote.clone()],
            falsifiers: Vec::new(),
            claims: Vec::new(),
            replies: Vec::new(),
            compatible: Vec::new(),
            disputes: Vec::new(),
            crux: None,
            facts: Vec::new(),
            line: 1,
        };
        let of = |(id, topics): &(&str, &[(&str, &str)])| {
            (persona(id), Positions { topics: topics.iter().map(topic).collect() })
        };
        given.iter().map(of).collect()
    }

    const CARS: (&str, &str) = ("cars", "Should the centre be closed to cars?");
    const WIND: (&str, &str) = ("wind", "Should the island build turbines?");

    #[test]
    fn a_topic_is_playable_in_each_of_its_wordings() {
        let all = all(&[("ada", &[CARS, WIND]), ("ben", &[CARS]), ("cy", &[WIND])]);
        let names: Vec<String> = playable_topics(&all).into_iter().map(|topic| topic.name).collect();
        assert_eq!(names, ["cars", "wind"]);
        for topic in
            [CARS.1, "should the centre be closed to cars", "In other words: Should the centre be closed to cars?"]
        {
            assert_eq!(check_playable(&all, topic, &[persona("ada"), persona("ben")]), Ok(()), "{topic}");
        }
    }

    #[test]
    fn another_topic_is_refused_with_the_nearest_first() {
        let all = all(&[("ada", &[CARS, WIND]), ("ben", &[CARS, WIND]), ("cy", &[("alone", "Is anybody there?")])]);
        let instead = |topic: &str| match check_playable(&all, topic, &[persona("ada"), persona("ben")]) {
            Err(Unplayable::Topic { instead }) => instead.into_iter().map(|topic| topic.name).collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        };
        assert_eq!(instead("Is pineapple on pizza good?"), ["cars", "wind"]);
        assert_eq!(instead("Are turbines ugly?"), ["wind", "cars"]);
        assert_eq!(instead("Is anybody there?"), ["cars", "wind"]);
    }

    #[test]
    fn participants_without_positions_are_named() {
        let all = all(&[("ada", &[CARS]), ("ben", &[CARS]), ("cy", &[WIND]), ("di", &[WIND])]);
        let found = check_playable(&all, CARS.1, &[persona("ada"), persona("cy"), persona("eve")]);
        let Err(Unplayable::Personas { topic, missing }) = found else { panic!("{found:?}") };
        assert_eq!(
            (topic.personas, missing),
            (vec![persona("ada"), persona("ben")], vec![persona("cy"), persona("eve")])
        );
    }

    #[test]
    fn personas_are_listed_by_the_side_that_their_writings_take() {
        let mut all = all(&[("ada", &[CARS]), ("ben", &[CARS, WIND]), ("cy", &[CARS]), ("di", &[CARS])]);
        for (id, side) in [("cy", Side::No), ("di", Side::Nuanced)] {
            all.get_mut(&persona(id)).expect("positions").topics[0].side = side;
        }
        let takers = SideTakers::on(&all, "should the centre be closed to cars");
        assert_eq!(takers, SideTakers { yes: vec![persona("ada"), persona("ben")], no: vec![persona("cy")] });
        assert_eq!(takers.in_words(), "those who take one are ada, ben (for) and cy (against)");
        assert_eq!(SideTakers::on(&all, WIND.1).in_words(), "those who take one are ben (for) and nobody (against)");
    }
}
