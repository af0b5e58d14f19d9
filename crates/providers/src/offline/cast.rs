//! Cast of a debate: the participants with their positions on the topic, and the passages that they can quote.

use std::sync::Arc;

use uuid::Uuid;

use crate::ports::{Corpora, Sentence};
use faultline_core::events::ids::PersonaId;
use faultline_core::events::receipt::Failure;
use faultline_core::kernel::task::Task;
use faultline_core::positions::model::{AllPositions, AnnotatedCrux, PassageQuote, TopicPositions};
use faultline_core::positions::playable::SideTakers;

/// Participants of a debate who have positions on its topic, ordered by id.
#[derive(Clone, Debug)]
pub struct Cast {
    /// The participants.
    pub members: Vec<CastMember>,
    /// Personas that take a side of the topic, whether or not they take part.
    pub side_takers: SideTakers,
    /// Names, by parts, of those who have positions on the topic and take no part in the debate.
    absent: Vec<String>,
}

/// Participant with positions on the topic.
#[derive(Clone, Debug)]
pub struct CastMember {
    /// The participant.
    pub id: PersonaId,
    /// Positions on the topic of the debate.
    pub topic: TopicPositions,
    /// Sentences of the participant's corpus, those of a passage side by side.
    sentences: Arc<Vec<Sentence>>,
}

impl Cast {
    /// Collects the cast of a task. Participants without positions on the topic are left out.
    ///
    /// # Errors
    /// A [`Failure`] if a corpus cannot be read.
    pub async fn of(task: &Task, all: &AllPositions, corpora: &dyn Corpora) -> Result<Cast, Failure> {
        let mut ids: Vec<&PersonaId> = task.participants.iter().chain(&task.speaker).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut members = Vec::with_capacity(ids.len());
        for id in ids.iter().copied() {
            let Some(topic) = all.get(id).and_then(|positions| positions.topic_asked_by(&task.topic)) else { continue };
            members.push(CastMember::of(id, topic, corpora).await?);
        }
        let on_topic = all.iter().filter(|(_, positions)| positions.topic_asked_by(&task.topic).is_some());
        let others = on_topic.map(|(id, _)| id).filter(|id| !ids.contains(id));
        let present: Vec<String> = ids.iter().flat_map(|id| names_of(id)).collect();
        let absent = others.flat_map(names_of).filter(|name| !present.contains(name)).collect();
        Ok(Cast { members, side_takers: SideTakers::on(all, &task.topic), absent })
    }

    /// Returns true if words name somebody who has positions on the topic and takes no part in the debate.
    pub fn names_absent(&self, words: &str) -> bool {
        let mut words = words.split(|letter: char| !letter.is_alphanumeric());
        words.any(|word| self.absent.iter().any(|name| name == word))
    }

    /// Returns the passages with which a participant can open: those that name nobody who takes no part in the debate.
    pub fn openings_of<'a>(&self, member: &'a CastMember) -> Vec<&'a PassageQuote> {
        member.topic.openings.iter().filter(|opening| !self.names_absent(&opening.quote)).collect()
    }

    /// Returns the crux that a participant would name; `None` if its words name somebody who takes no part in the debate.
    pub fn crux_of<'a>(&self, member: &'a CastMember) -> Option<&'a AnnotatedCrux> {
        member.topic.crux.as_ref().filter(|crux| !self.names_absent(&crux.words.quote))
    }

    /// Returns a participant.
    pub fn member(&self, id: &PersonaId) -> Option<&CastMember> {
        self.members.iter().find(|member| member.id == *id)
    }

    /// Returns all participants but one.
    pub fn others<'a>(&'a self, id: &'a PersonaId) -> impl Iterator<Item = &'a CastMember> {
        self.members.iter().filter(move |member| member.id != *id)
    }
}

impl CastMember {
    /// Creates a member with its corpus.
    ///
    /// # Errors
    /// A [`Failure`] if the corpus cannot be read.
    pub async fn of(id: &PersonaId, topic: &TopicPositions, corpora: &dyn Corpora) -> Result<CastMember, Failure> {
        Ok(CastMember { id: id.clone(), topic: topic.clone(), sentences: corpora.sentences(id).await? })
    }

    /// Returns the chunk of the first passage that contains these words; `None` if the corpus does not contain them.
    /// Linear in the corpus.
    pub fn passage_with(&self, words: &str) -> Option<Uuid> {
        let wanted = folded(words);
        let passages = self.sentences.chunk_by(|one, other| one.chunk == other.chunk);
        let contains = |passage: &&[Sentence]| {
            let texts: Vec<&str> = passage.iter().map(|sentence| sentence.text.as_str()).collect();
            folded(&texts.join(" ")).contains(&wanted)
        };
        passages.into_iter().find(contains).map(|passage| passage[0].chunk)
    }
}

/// Returns the names of a persona as its id spells them, such as `Kitto` and `Sarn` of `kitto-sarn`.
fn names_of(id: &PersonaId) -> impl Iterator<Item = String> + '_ {
    id.as_str().split('-').filter_map(|part| {
        let mut letters = part.chars();
        let first = letters.next()?;
        Some(first.to_uppercase().chain(letters).collect::<String>())
    })
}

/// Returns a text with single spaces for white space.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_personas_are_found_by_the_parts_of_their_names() {
        let id: PersonaId = "kitto-sarn".parse().expect("an id");
        let absent = names_of(&id).collect();
        let cast = Cast { members: Vec::new(), side_takers: SideTakers::default(), absent };
        for (words, expected) in [
            ("Mr Sarn and I disagree about one thing.", true),
            ("Kitto's best idea is to read the sentence.", true),
            ("Sarnley is a town.", false),
            ("They gave me kitto.", false),
        ] {
            assert_eq!(cast.names_absent(words), expected, "{words}");
        }
    }
}
