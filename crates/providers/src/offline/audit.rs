//! Readings of words by the offline provider: what annotations say that words mean, and nothing else.
//!
//! Words that no annotation knows, or that annotations of two authors read differently, get no reading. Nothing is inferred
//! from the words themselves.

use serde_json::{Value, json};

use crate::offline::recognition::{grants_its_part, is_part_of};
use faultline_core::events::audit::{AuditQuestion, Reading};
use faultline_core::events::dispute::Side;
use faultline_core::kernel::task::WordsInput;
use faultline_core::positions::model::{AnnotatedReply, GivesWay, PassageQuote, ReplyKind, TopicPositions};
use faultline_core::positions::sides::side_of_words;
use faultline_core::questions::wording::says_the_same;

/// Fixed sentence of the provider, and the side that it states on whatever question was asked.
pub type FixedSentence = (&'static str, Side);

/// Returns the reply of an auditor who knows these annotations and fixed sentences.
pub fn read(topics: &[&TopicPositions], fixed: &[FixedSentence], items: &[WordsInput]) -> Value {
    let read = |item: &WordsInput| {
        let reading = reading(topics, fixed, item)?;
        Some(json!({ "name": item.alias, "reading": reading.name() }))
    };
    json!({ "readings": items.iter().filter_map(read).collect::<Vec<_>>() })
}

/// Returns the annotated reading of words; `None` if they are unknown, or known with different readings.
pub fn reading(topics: &[&TopicPositions], fixed: &[FixedSentence], item: &WordsInput) -> Option<Reading> {
    let annotated = topics.iter().filter_map(|topic| annotated(topics, topic, item));
    let is_answer = matches!(item.asked, AuditQuestion::Side | AuditQuestion::Agreement);
    let stated = fixed.iter().filter(|(sentence, _)| is_answer && says_the_same(sentence, &item.words));
    let mut readings = annotated.chain(stated.map(|(_, side)| Reading::of_side(*side)));
    let first = readings.next()?;
    readings.all(|other| other == first).then_some(first)
}

fn annotated(all: &[&TopicPositions], topic: &TopicPositions, item: &WordsInput) -> Option<Reading> {
    let is_said = |quote: &str| item.words.contains(quote) || says_the_same(&item.words, quote);
    match item.asked {
        AuditQuestion::Side => side_of_words(topic, &item.question, &item.words).map(Reading::of_side),
        AuditQuestion::Claim => {
            let about = item.about.as_deref()?;
            let makes = |claim: &str| claim.contains(about) && (claim.contains(&item.words) || is_said(claim));
            claims(topic).any(makes).then_some(Reading::Yes)
        }
        AuditQuestion::Concession => conceding(topic, &item.words).next().map(|_| Reading::Yes),
        AuditQuestion::Grant => granted(all, topic, item),
        AuditQuestion::Agreement => {
            let crux = topic.crux.as_ref()?;
            // Naming the same question as one's own crux is an agreement.
            let own = topic
                .dispute(&crux.dispute)
                .filter(|own| item.about.as_deref().is_some_and(|about| says_the_same(about, &own.question)));
            let mut words = crux.signs.iter().map(|sign| &sign.words).chain(own.map(|_| &crux.words));
            words.any(|words| is_said(&words.quote)).then_some(Reading::Yes)
        }
    }
}

/// Returns the replies of an author that give ground in these words, or by the claim that they say remains.
fn conceding<'a>(topic: &'a TopicPositions, words: &'a str) -> impl Iterator<Item = &'a AnnotatedReply> {
    let gives = topic.replies.iter().filter(|reply| matches!(reply.kind, ReplyKind::Grant | ReplyKind::Concede));
    gives.filter(move |reply| is_made_in(reply, words) || remaining(reply).any(|left| is_said_in(&left.quote, words)))
}

/// Returns true if words are some of those in which a reply is made.
fn is_made_in(reply: &AnnotatedReply, words: &str) -> bool {
    reply.words.iter().any(|quote| is_said_in(&quote.quote, words))
}

/// Returns true if words say a quotation. The clerk points at one sentence of a quotation that may have several.
fn is_said_in(quote: &str, words: &str) -> bool {
    words.contains(quote) || quote.contains(words) || says_the_same(words, quote)
}

/// Returns what remains of the claims that a reply gives way on.
fn remaining(reply: &AnnotatedReply) -> impl Iterator<Item = &PassageQuote> {
    reply.gives_way.iter().filter_map(|way| match way {
        GivesWay::Claim { becomes, .. } => becomes.as_ref(),
        GivesWay::Dispute { .. } | GivesWay::Topic { .. } => None,
    })
}

/// Returns yes if the words are annotated as granting the statement in question, and none if they are annotated as giving
/// ground on something else only.
fn granted(all: &[&TopicPositions], topic: &TopicPositions, item: &WordsInput) -> Option<Reading> {
    let about = item.about.as_deref()?;
    let mut replies = conceding(topic, &item.words).peekable();
    replies.peek()?;
    let is_about = |reply: &AnnotatedReply| {
        let claims = all.iter().filter_map(|other| other.claim(&reply.to.claim));
        claims.filter_map(|claim| claim.part(reply.component)).any(|part| is_part_of(about, part))
    };
    let grants = |reply: &AnnotatedReply| grants_its_part(reply) && is_made_in(reply, &item.words) && is_about(reply);
    Some(if replies.any(grants) { Reading::Yes } else { Reading::None })
}

/// Returns the sentences that make claims: those of claims, of what remains of them, and of attacks.
fn claims(topic: &TopicPositions) -> impl Iterator<Item = &str> {
    let remains = topic.replies.iter().flat_map(remaining);
    let attacks = topic.replies.iter().filter(|reply| reply.kind.attack().is_some()).flat_map(|reply| &reply.words);
    let sentences = topic.claims.iter().map(|claim| &claim.sentence);
    sentences.chain(remains).chain(attacks).map(|quote| quote.quote.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    use faultline_core::kernel::closing::calibration;
    use faultline_core::positions::parse::parse;

    /// Positions of the shipped personas.
    fn shipped() -> Vec<TopicPositions> {
        let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus");
        let folders = std::fs::read_dir(corpus).expect("the folder of corpora");
        let files = folders.filter_map(|entry| std::fs::read_to_string(entry.ok()?.path().join("positions.toml")).ok());
        files.flat_map(|text| parse(&text).expect("valid positions").topics).collect()
    }

    fn item(asked: AuditQuestion, question: &str, words: &str, about: Option<&str>) -> WordsInput {
        WordsInput {
            alias: "e1".to_owned(),
            asked,
            question: question.to_owned(),
            about: about.map(str::to_owned),
            before: String::new(),
            words: words.to_owned(),
            after: String::new(),
        }
    }

    #[test]
    fn annotated_words_are_read_as_annotated() {
        let topics = shipped();
        let all: Vec<&TopicPositions> = topics.iter().collect();
        let (mut sides, mut claims) = (0, 0);
        for topic in &topics {
            for question in std::iter::once(&topic.question).chain(&topic.wordings) {
                let item = item(AuditQuestion::Side, question, &topic.statement.quote, None);
                assert_eq!(reading(&all, &[], &item), Some(Reading::of_side(topic.side)), "{item:?}");
                sides += 1;
            }
            for dispute in &topic.disputes {
                let item = item(AuditQuestion::Side, &dispute.question, &dispute.words.quote, None);
                assert_eq!(reading(&all, &[], &item), Some(Reading::of_side(dispute.side)), "{item:?}");
                sides += 1;
            }
            for claim in &topic.claims {
                let quote = &claim.sentence.quote;
                let item = item(AuditQuestion::Claim, "Does the speaker say this?", quote, Some(quote));
                assert_eq!(reading(&all, &[], &item), Some(Reading::Yes), "{item:?}");
                claims += 1;
            }
        }
        assert!(sides > 20 && claims > 60, "{sides} sides, {claims} claims");
    }

    #[test]
    fn a_grant_is_read_for_what_it_grants() {
        let topics = shipped();
        let all: Vec<&TopicPositions> = topics.iter().collect();
        let mut read = [0, 0];
        for reply in topics.iter().flat_map(|topic| &topic.replies).filter(|reply| reply.kind == ReplyKind::Grant) {
            let claims = topics.iter().filter_map(|topic| topic.claim(&reply.to.claim));
            for part in claims.filter_map(|claim| claim.part(reply.component)) {
                for words in &reply.words {
                    let of = |about: &str| {
                        let asked =
                            item(AuditQuestion::Grant, "Does the speaker grant this?", &words.quote, Some(about));
                        reading(&all, &[], &asked)
                    };
                    let expected = if reply.in_words { Reading::Yes } else { Reading::None };
                    assert_eq!(of(part), Some(expected), "{part:?} {words:?}");
                    assert_eq!(of("The moon is made of slate."), Some(Reading::None), "{words:?}");
                    read[usize::from(reply.in_words)] += 1;
                }
            }
        }
        assert!(read.iter().all(|n| *n > 15), "{read:?}");
    }

    #[test]
    fn unknown_words_get_no_reading() {
        let topics = shipped();
        let all: Vec<&TopicPositions> = topics.iter().collect();
        let labelled = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/audit/labelled.tsv");
        let labelled = calibration::read(&std::fs::read_to_string(labelled).expect("the labelled sentences"));
        let read = |fixed: &[FixedSentence]| {
            labelled.iter().filter(|sentence| reading(&all, fixed, &sentence.input).is_some()).count()
        };
        assert_eq!((labelled.len(), read(&[])), (320, 0));
    }

    #[test]
    fn a_fixed_sentence_states_its_side_on_any_question() {
        let fixed: &[FixedSentence] = &[("My answer is no.", Side::No)];
        let read = |words: &str| reading(&[], fixed, &item(AuditQuestion::Side, "Is it so?", words, None));
        assert_eq!((read("My answer is no."), read("My answer is no, or yes.")), (Some(Reading::No), None));
        let about_a_claim = item(AuditQuestion::Claim, "Does the speaker say this?", "My answer is no.", Some("No."));
        assert_eq!(reading(&[], fixed, &about_a_claim), None);
    }
}
