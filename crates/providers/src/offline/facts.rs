//! Fact checks by annotations: which sentences can be checked, and what the corpora say on them. A fact without an annotation is unverifiable.

use serde_json::{Value, json};

use crate::offline::cast::CastMember;
use crate::offline::phrases;
use crate::offline::talk::Answer;
use crate::ports::Corpora;
use faultline_core::events::checks::check::CheckVerdict;
use faultline_core::events::ids::PersonaId;
use faultline_core::events::receipt::{Failure, FailureKind, PassageRef};
use faultline_core::kernel::effect::EffectAttempt;
use faultline_core::kernel::quotations::turn_quotes;
use faultline_core::kernel::task::TurnInput;
use faultline_core::positions::model::{AllPositions, AnnotatedFact};
use faultline_core::questions::wording::says_the_same;

/// Annotated facts on a topic, in the files of all personas.
pub struct Facts<'a> {
    facts: Vec<(&'a PersonaId, &'a AnnotatedFact)>,
    positions: &'a AllPositions,
}

impl<'a> Facts<'a> {
    /// Collects the facts on a topic, given in any of its annotated wordings.
    pub fn of(positions: &'a AllPositions, topic: &str) -> Facts<'a> {
        let topics = positions.iter().filter_map(|(id, all)| Some((id, all.topic_asked_by(topic)?)));
        let facts = topics.flat_map(|(id, topic)| topic.facts.iter().map(move |fact| (id, fact))).collect();
        Facts { facts, positions }
    }

    /// Names the sentences of a speech that are annotated as facts, each fact once.
    pub fn extract(&self, turn: &TurnInput, most: usize) -> Value {
        let mut claims: Vec<(String, &AnnotatedFact)> = Vec::new();
        for (number, range) in (1..).zip(turn_quotes::sentences(&turn.text)) {
            let sentence = turn.text[range].trim();
            let known = |fact: &AnnotatedFact| claims.iter().any(|(_, found)| found.sentence == fact.sentence);
            let found = self.of_speaker(turn.speaker.as_ref()).find(|fact| is_in(sentence, fact) && !known(fact));
            claims.extend(found.map(|fact| (format!("{}.{number}", turn.alias), fact)));
        }
        let told = claims.into_iter().take(most);
        // A fact that is a part of its sentence is told apart from it.
        let told = told.map(|(sentence, fact)| json!({ "sentence": sentence, "claim": fact.sentence }));
        json!({ "claims": told.collect::<Vec<_>>() })
    }

    fn of_speaker<'s>(&'s self, speaker: Option<&'s PersonaId>) -> impl Iterator<Item = &'a AnnotatedFact> + 's {
        let is_theirs = move |fact: &&AnnotatedFact| Some(&fact.of) == speaker;
        self.facts.iter().map(|(_, fact)| *fact).filter(is_theirs)
    }

    /// Checks a claim of a speaker, with the passage that decides it.
    ///
    /// # Errors
    /// A [`Failure`] if the corpus of the source cannot be read or does not contain it.
    pub async fn check(
        &self,
        claim: &str,
        speaker: &PersonaId,
        topic: &str,
        corpora: &dyn Corpora,
        ask: &EffectAttempt,
    ) -> Answer {
        let found = self.facts.iter().find(|(_, fact)| fact.of == *speaker && says_the_same(&fact.sentence, claim));
        let Some((owner, fact)) = found else {
            return Ok((undecided(phrases::UNKNOWN_FACT), Vec::new()));
        };
        let Some(source) = &fact.source else { return Ok((undecided(&fact.reason), Vec::new())) };
        let positions = self.positions.get(*owner).and_then(|all| all.topic_asked_by(topic));
        let Some(positions) = positions else { return Ok((undecided(phrases::UNKNOWN_FACT), Vec::new())) };
        let member = CastMember::of(owner, positions, corpora).await?;
        let Some(chunk) = member.passage_with(&source.quote) else {
            let (line, quote) = (source.line, &source.quote);
            let message = format!(
                "line {line} of the positions of {owner} quotes {quote:?}, which is not in its corpus; run `faultline ingest` \
                 and `faultline persona check {owner}`"
            );
            return Err(Failure::new(FailureKind::Hopeless, message));
        };
        let given = ask.grounds.iter().find(|passage| passage.ground.chunk == chunk);
        let (alias, grounds) = match given {
            Some(passage) => (passage.ground.alias.clone(), Vec::new()),
            None => ("q1".to_owned(), vec![PassageRef::of_chunk("q1", chunk, 1.0)]),
        };
        let verdict = fact.verdict.name();
        let sources = json!([{ "passage": alias, "words": source.quote }]);
        Ok((json!({ "sources": sources, "explanation": fact.reason, "verdict": verdict, "confidence": 1.0 }), grounds))
    }
}

/// Returns true if a sentence of a speech states a fact: it contains the annotated sentence, or is the first of its sentences.
fn is_in(sentence: &str, fact: &AnnotatedFact) -> bool {
    let first = turn_quotes::sentence(&fact.sentence, 1).unwrap_or_default();
    sentence.contains(&fact.sentence) || says_the_same(sentence, &first)
}

fn undecided(explanation: &str) -> Value {
    let verdict = CheckVerdict::Unverifiable.name();
    json!({ "sources": [], "explanation": explanation, "verdict": verdict, "confidence": null })
}
