//! Index of everything that the participants of a debate wrote, arranged around its topic.
//!
//! A line is a sentence with its cues; a passage is a run of sentences from one chunk, at most [`LONGEST`]. Passages
//! matter more than lines: authors put a claim and its grounds side by side, so a claim with its neighbours is an
//! argument, and two passages on one matter are an argument and its answer.
//!
//! Cost: linear in the number of sentences; about 40 ms for 700 of them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use uuid::Uuid;

use crate::offline::text::cues;
use crate::offline::text::cues::Cues;
use crate::offline::text::relatedness::{ComparableText, RelatednessMeasure};
use crate::offline::text::words::words;
use crate::ports::Sentence;
use faultline_core::events::ids::PersonaId;

/// Maximum number of sentences per passage; longer chunks are cut into equal parts.
pub const LONGEST: usize = 7;

/// Minimum relatedness of a fact to the concession that follows it in the passage to count as part of the concession.
const SETS_UP: f64 = 0.3;

/// Sentence of a participant's corpus.
#[derive(Clone, Debug)]
pub struct IndexedSentence {
    /// Author, as an index into [`CorpusIndex::speakers`].
    pub speaker: usize,
    /// Passage that contains it, as an index into [`CorpusIndex::passages`].
    pub passage: usize,
    /// Stored chunk that contains it.
    pub chunk: Uuid,
    /// Text of the sentence, word for word.
    pub text: String,
    /// Surface cues of the sentence.
    pub cues: Cues,
    /// Text of the sentence, made comparable.
    pub probe: ComparableText,
    /// Other participants whom it names.
    pub names: Vec<usize>,
    /// True if it follows a concession without contrasting with it.
    pub granted: bool,
    /// True if it states the facts of a concession that follows in the passage.
    pub sets_up: bool,
    /// Relatedness to the topic.
    pub topical: f64,
}

impl IndexedSentence {
    /// Returns true if the line may serve as a claim: it asserts something that is understandable by itself, and is not
    /// part of a concession.
    pub fn claims(&self) -> bool {
        self.is_self_contained() && !self.granted
    }

    /// Returns true if the line asserts something that is understandable by itself, even if it favours the other side.
    pub fn is_self_contained(&self) -> bool {
        self.cues.weight() >= 0.4 && !self.cues.leans
    }
}

/// Run of sentences from one chunk.
#[derive(Clone, Debug)]
pub struct IndexedPassage {
    /// Author, as an index into [`CorpusIndex::speakers`].
    pub speaker: usize,
    /// Sentences, as a range of [`CorpusIndex::lines`].
    pub lines: Range<usize>,
    /// Probe of all sentences joined.
    pub probe: ComparableText,
    /// Other participants whom it names.
    pub names: Vec<usize>,
    /// Relatedness to the topic.
    pub topical: f64,
}

/// Index of everything that the participants wrote.
#[derive(Debug)]
pub struct CorpusIndex {
    /// Participants, in the order of their names.
    pub speakers: Vec<PersonaId>,
    /// Sentences of all participants: grouped by participant, in the order in which they were written.
    pub lines: Vec<IndexedSentence>,
    /// Passages, in the same order.
    pub passages: Vec<IndexedPassage>,
    /// Topic, made comparable.
    pub topic: ComparableText,
    /// Gauge that measures relatedness.
    pub gauge: RelatednessMeasure,
    known: BTreeMap<String, Vec<usize>>,
}

impl CorpusIndex {
    /// Indexes the sentences of the participants around a topic. `corpora` are in the order of `speakers`.
    pub fn build(
        topic: (&str, &[f32]),
        speakers: &[PersonaId],
        corpora: &[Arc<Vec<Sentence>>],
        embedder: &str,
    ) -> Self {
        let names: Vec<Vec<String>> = speakers.iter().map(names_of).collect();
        let texts = corpora.iter().flat_map(|corpus| corpus.iter()).map(|passage| passage.text.as_str());
        let gauge = RelatednessMeasure::new(texts, &names.concat(), embedder);
        let topic = gauge.probe(topic.0, topic.1);
        let mut papers = CorpusIndex {
            speakers: speakers.to_vec(),
            lines: Vec::new(),
            passages: Vec::new(),
            topic,
            gauge,
            known: BTreeMap::new(),
        };
        for (speaker, corpus) in corpora.iter().enumerate() {
            for chunk in corpus.chunk_by(|one, next| one.chunk == next.chunk && one.ordinal < next.ordinal) {
                let parts = chunk.len().div_ceil(LONGEST);
                for part in chunk.chunks(chunk.len().div_ceil(parts)) {
                    papers.add(speaker, part, &names);
                }
            }
        }
        papers
    }

    /// Returns the lines of a passage.
    pub fn of(&self, passage: usize) -> &[IndexedSentence] {
        &self.lines[self.passages[passage].lines.clone()]
    }

    /// Returns the index of a participant.
    pub fn speaker(&self, id: &PersonaId) -> Option<usize> {
        self.speakers.iter().position(|speaker| speaker == id)
    }

    /// Finds the line with exactly this text, preferring the speaker's own.
    pub fn find(&self, speaker: Option<usize>, text: &str) -> Option<usize> {
        let known = self.known.get(text.trim())?;
        known.iter().copied().find(|at| Some(self.lines[*at].speaker) == speaker).or_else(|| known.first().copied())
    }

    /// Relatedness of two lines.
    pub fn relate(&self, one: usize, other: usize) -> f64 {
        self.gauge.relate(&self.lines[one].probe, &self.lines[other].probe)
    }

    /// Relatedness of two passages.
    pub fn relate_passages(&self, one: usize, other: usize) -> f64 {
        self.gauge.relate(&self.passages[one].probe, &self.passages[other].probe)
    }

    fn add(&mut self, speaker: usize, sentences: &[Sentence], names: &[Vec<String>]) {
        let (passage, from) = (self.passages.len(), self.lines.len());
        let mut granted = false;
        for sentence in sentences {
            let mut cues = cues::read(&sentence.text);
            let mut named = Vec::new();
            for (other, names) in names.iter().enumerate().filter(|(other, _)| *other != speaker) {
                if !names_any(&sentence.text, names) {
                    continue;
                }
                named.push(other);
                cues.reports |= names.iter().any(|name| cues::reports_of(&sentence.text, name));
                cues.concedes |= cues::agrees(&sentence.text);
            }
            granted = !cues.turns && granted;
            let probe = self.gauge.probe(&sentence.text, &sentence.vector);
            let in_wake = granted;
            granted |= cues.concedes;
            self.known.entry(sentence.text.trim().to_owned()).or_default().push(self.lines.len());
            self.lines.push(IndexedSentence {
                speaker,
                passage,
                chunk: sentence.chunk,
                text: sentence.text.trim().to_owned(),
                cues,
                topical: self.gauge.relate(&probe, &self.topic),
                probe,
                names: named,
                granted: in_wake,
                sets_up: false,
            });
        }
        self.mark_set_ups(from);
        let lines = from..self.lines.len();
        let probe = self.gauge.join(self.lines[lines.clone()].iter().map(|line| &line.probe));
        let mut named: Vec<usize> = self.lines[lines.clone()].iter().flat_map(|line| line.names.clone()).collect();
        named.sort_unstable();
        named.dedup();
        let topical = self.gauge.relate(&probe, &self.topic);
        self.passages.push(IndexedPassage { speaker, lines, probe, names: named, topical });
    }

    /// Marks the facts that lead up to a concession, in the passage that begins with the line `from`: those related to
    /// it, or all of them if the passage continues from the concession, which is then its main point.
    fn mark_set_ups(&mut self, from: usize) {
        let Some(conceded) = (from..self.lines.len()).rfind(|at| self.lines[*at].cues.concedes) else { return };
        let goes_on = self.lines.get(conceded + 1).is_some_and(|line| line.granted);
        for at in from..conceded {
            let bare = !self.lines[at].cues.values && !self.lines[at].cues.reasons;
            self.lines[at].sets_up = bare && (goes_on || self.relate(at, conceded) >= SETS_UP);
        }
    }
}

/// Returns the words of a persona's id that may refer to the person: `ada`, `quill`.
fn names_of(id: &PersonaId) -> Vec<String> {
    id.as_str().split('-').filter(|part| part.len() > 2).map(str::to_owned).collect()
}

fn names_any(text: &str, names: &[String]) -> bool {
    words(text).any(|word| word.starts_with(char::is_uppercase) && names.contains(&word.to_lowercase()))
}
