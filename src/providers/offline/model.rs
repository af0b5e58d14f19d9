//! The provider: tasks in, quotations out.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};
use tokio::sync::OnceCell;

use crate::events::ids::PersonaId;
use crate::events::receipt::{Answer, Failure, FailureKind, Usage};
use crate::kernel::effect::Ask;
use crate::kernel::task::Task;
use crate::providers::offline::debate::Debate;
use crate::providers::offline::reading::Reading;
use crate::providers::offline::speaking::{self, Stage};
use crate::providers::ports::{Corpora, Embedder, Model, Pending, Sentence};

/// How many debates are kept derived at once.
const KEPT: usize = 8;

/// Personas that speak from their own corpora, without any language model.
pub struct Offline {
    corpora: Arc<dyn Corpora>,
    embedder: Arc<dyn Embedder>,
    kept: Mutex<VecDeque<Kept>>,
}

type Derived = Arc<OnceCell<Arc<Stage>>>;

/// A derived debate under the hash of all that it was derived from.
struct Kept {
    key: [u8; 32],
    derived: Derived,
}

impl Offline {
    /// Personas that speak from these corpora, compared by this embedder.
    pub fn new(corpora: Arc<dyn Corpora>, embedder: Arc<dyn Embedder>) -> Self {
        Offline { corpora, embedder, kept: Mutex::default() }
    }

    async fn answer(&self, ask: &Ask) -> Result<Answer, Failure> {
        let task = &ask.prompt.task;
        let stage = self.stage(task).await?;
        let speaker = speaker(&stage.debate, task)?;
        let foreign = Reading::foreign(&stage.debate, &task.work);
        let vectors = if foreign.is_empty() { Vec::new() } else { self.embedder.embed(&foreign).await? };
        let (stage, asked) = (Arc::clone(&stage), ask.clone());
        let spoken = tokio::task::spawn_blocking(move || speaking::speak(&stage, &asked, speaker, foreign, &vectors));
        let (text, grounds) = spoken.await.map_err(|it| hopeless(format!("the offline provider broke off: {it}")))??;
        Ok(Answer {
            by: format!("offline/extractive-1 ({})", self.embedder.name()),
            text,
            usage: Usage::default(),
            millis: 0,
            request_id: None,
            tries: 1,
            grounds,
        })
    }

    /// The debate that a task is part of, derived once.
    async fn stage(&self, task: &Task) -> Result<Arc<Stage>, Failure> {
        let mut speakers = task.participants.clone();
        speakers.extend(task.speaker.clone().filter(|it| !task.participants.contains(it)));
        let mut corpora = Vec::with_capacity(speakers.len());
        for speaker in &speakers {
            corpora.push(self.corpora.sentences(speaker).await?);
        }
        let derived = self.kept(key(&task.topic, &speakers, &corpora));
        let stage = derived.get_or_try_init(|| self.derive(&task.topic, speakers, corpora)).await?;
        Ok(Arc::clone(stage))
    }

    async fn derive(
        &self,
        topic: &str,
        speakers: Vec<PersonaId>,
        corpora: Vec<Arc<Vec<Sentence>>>,
    ) -> Result<Arc<Stage>, Failure> {
        let vectors = self.embedder.embed(&[topic.to_owned()]).await?;
        let vector = vectors.into_iter().next().ok_or_else(|| hopeless("the embedder gave no vector for the topic"))?;
        let (topic, embedder) = (topic.to_owned(), self.embedder.name().to_owned());
        let deriving = tokio::task::spawn_blocking(move || {
            Stage::set(Debate::derive(&topic, &vector, &speakers, &corpora, &embedder))
        });
        deriving.await.map(Arc::new).map_err(|it| hopeless(format!("the offline provider broke off: {it}")))
    }

    /// The place of a derived debate; the oldest is dropped where there are too many.
    fn kept(&self, key: [u8; 32]) -> Derived {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = kept.iter().find(|it| it.key == key) {
            return Arc::clone(&found.derived);
        }
        if kept.len() >= KEPT {
            kept.pop_front();
        }
        let derived = Derived::default();
        kept.push_back(Kept { key, derived: Arc::clone(&derived) });
        derived
    }
}

impl Model for Offline {
    fn name(&self) -> &str {
        "offline"
    }

    fn about(&self) -> String {
        format!(
            "no language model: personas quote their own corpora, sentence by sentence, with a few fixed connectives; \
             what answers what is decided by relatedness ({}), not by understanding",
            self.embedder.name()
        )
    }

    fn complete<'a>(&'a self, ask: &'a Ask) -> Pending<'a, Answer> {
        Box::pin(self.answer(ask))
    }
}

/// The place of the speaker of a task, who must have written on the topic; `None` for a clerk.
fn speaker(debate: &Debate, task: &Task) -> Result<Option<usize>, Failure> {
    let Some(id) = &task.speaker else { return Ok(None) };
    let place = debate.papers.speaker(id).ok_or_else(|| hopeless(format!("{id} does not take part in this debate")))?;
    if !debate.papers.lines.iter().any(|it| it.speaker == place) {
        let message = format!(
            "{id} has no corpus, and the offline provider can only quote: put texts into corpus/{id}/ and ingest them, \
             or choose another provider"
        );
        return Err(Failure::new(FailureKind::Declined, message));
    }
    if !debate.knows(place) {
        let message = format!(
            "{id} has written nothing on {:?}, and the offline provider can only quote: choose a topic that {id} wrote \
             about, other personas, or another provider",
            debate.topic
        );
        return Err(Failure::new(FailureKind::Declined, message));
    }
    Ok(Some(place))
}

/// Hashes all that a debate is derived from.
fn key(topic: &str, speakers: &[PersonaId], corpora: &[Arc<Vec<Sentence>>]) -> [u8; 32] {
    let mut hash = Sha256::new();
    let mut add = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    add(topic.as_bytes());
    for (speaker, corpus) in speakers.iter().zip(corpora) {
        add(speaker.as_str().as_bytes());
        for sentence in corpus.iter() {
            add(sentence.chunk.as_bytes());
            add(sentence.text.as_bytes());
        }
    }
    hash.finalize().into()
}

fn hopeless(message: impl Into<String>) -> Failure {
    Failure::new(FailureKind::Hopeless, message)
}
