//! Cast of a debate: the participants with their positions on the topic, and the passages that they can quote.

use std::sync::Arc;

use uuid::Uuid;

use crate::ports::{Corpora, Sentence};
use faultline_core::events::ids::PersonaId;
use faultline_core::events::receipt::Failure;
use faultline_core::kernel::task::Task;
use faultline_core::positions::model::{AllPositions, TopicPositions};

/// Participants of a debate who have positions on its topic, ordered by id.
#[derive(Clone, Debug)]
pub struct Cast {
    /// The participants.
    pub members: Vec<CastMember>,
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
        for id in ids {
            let Some(topic) = all.get(id).and_then(|positions| positions.topic_asked_by(&task.topic)) else { continue };
            members.push(CastMember::of(id, topic, corpora).await?);
        }
        Ok(Cast { members })
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

/// Returns a text with single spaces for white space.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
