//! Sides that words take, according to the annotations of their author. Never inferred from the words themselves.

use crate::events::dispute::Side;
use crate::positions::model::{AnnotatedReply, GivesWay, TopicPositions};
use crate::questions::wording::says_the_same;

/// Returns the side that words of the author of `positions` take on a question: that of the topic in any of its wordings, or
/// that of a dispute. `None` if the question is neither, or no annotation says that the words state a side of it.
pub fn side_of_words(positions: &TopicPositions, question: &str, words: &str) -> Option<Side> {
    stated_side(positions, question, words).map(|(side, _)| side)
}

/// Finds the annotated sentence in a text of the author of `positions` that states a side of a question. A sentence by
/// which the author changed sides comes before the others. White space, case and punctuation may differ only if the
/// text is nothing but the sentence, or the last sentence of an annotation of several.
pub fn stated_side<'a>(positions: &'a TopicPositions, question: &str, text: &str) -> Option<(Side, &'a str)> {
    let is_stated = |words: &str| {
        let last = words.rsplit_once(". ").map_or(words, |(_, last)| last);
        text.contains(words) || says_the_same(text, words) || says_the_same(text, last)
    };
    let moving = positions.replies.iter().filter(|reply| !reply.gives_way.is_empty() && is_stated(moving_words(reply)));
    let moving = moving.flat_map(|reply| reply.gives_way.iter().map(move |way| (way, moving_words(reply))));
    if positions.is_asked_by(question) {
        let mut moved = moving.filter_map(|(way, words)| match way {
            GivesWay::Topic { side, .. } => Some((*side, words)),
            GivesWay::Claim { .. } | GivesWay::Dispute { .. } => None,
        });
        let theses = positions.claims.iter().filter(|claim| claim.answers_topic).map(|claim| &claim.sentence);
        let mut stated = theses.chain([&positions.statement]).map(|quote| quote.quote.as_str());
        return moved.next().or_else(|| stated.find(|words| is_stated(words)).map(|words| (positions.side, words)));
    }
    let dispute = positions.dispute_asking(question)?;
    let mut moved = moving.filter_map(|(way, words)| match way {
        GivesWay::Dispute { name, side } if *name == dispute.name => Some((*side, words)),
        _ => None,
    });
    let words = dispute.words.quote.as_str();
    moved.next().or_else(|| is_stated(words).then_some((dispute.side, words)))
}

/// Returns the words of a reply in which its author gives way: its last quotation.
pub fn moving_words(reply: &AnnotatedReply) -> &str {
    reply.words.last().map_or("", |quote| quote.quote.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::positions::parse::parse;

    const FILE: &str = r#"
[[topics]]
name = "ferry"
question = "Should the night ferry run?"
wordings = ["Is a ferry at night right?"]
side = "yes"
statement = { document = "essay", quote = "The ferry should run at night." }
opening = [{ document = "essay", quote = "I have sailed it." }]
closing = [{ document = "essay", quote = "So I hold." }]

[[topics.replies]]
to = "ben/crews"
kind = "concede"
words = [{ document = "essay", quote = "He is right." }, { document = "essay", quote = "I no longer want the ferry at night." }]
reason = { own = "Crews are tired." }
gives_way = [{ topic = "no", closing = { document = "essay", quote = "I was wrong." } }, { dispute = "crews", side = "yes" }]

[[topics.disputes]]
name = "crews"
question = "Are the crews tired?"
side = "no"
words = { document = "essay", quote = "You ask after the crews. They are fresh." }
settled_by = [{ document = "essay", quote = "A doctor could tell." }]
"#;

    #[test]
    fn words_take_the_annotated_side_and_no_other() {
        let positions = parse(FILE).expect("positions");
        let topic = &positions.topics[0];
        for (question, words, expected) in [
            ("Should the night ferry run?", "The ferry should run at night.", Some(Side::Yes)),
            ("is a ferry at night right", "Well. The ferry should run at night. So I hold.", Some(Side::Yes)),
            ("Should the night ferry run?", "the ferry should run at night", Some(Side::Yes)),
            ("Should the night ferry run?", "I no longer want the ferry at night.", Some(Side::No)),
            ("Should the night ferry run?", "The ferry should run.", None),
            ("Should the night ferry run?", "They are fresh.", None),
            ("Are the crews tired?", "You ask after the crews. They are fresh.", Some(Side::No)),
            ("Are the crews tired?", "He is right. I no longer want the ferry at night.", Some(Side::Yes)),
            ("Are the crews tired?", "They are fresh.", Some(Side::No)),
            ("Are the crews tired?", "He is right.", None),
            ("Is the boat old?", "They are fresh.", None),
        ] {
            assert_eq!(side_of_words(topic, question, words), expected, "{question} {words}");
        }
    }
}
