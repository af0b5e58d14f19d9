//! Papers: everything that the participants of a debate wrote, laid out around its topic.
//!
//! A line is a sentence with its cues; a passage is a run of sentences from one chunk, at most [`LONGEST`]. Passages
//! matter more than lines: an author puts a claim and its grounds side by side, so a claim with its neighbours is an
//! argument, and two passages on one matter are an argument and its answer.
//!
//! Cost: linear in the number of sentences; about 40 ms for 700 of them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use uuid::Uuid;

use crate::events::ids::PersonaId;
use crate::providers::offline::cues::{self, Cues};
use crate::providers::offline::relate::{Gauge, Probe};
use crate::providers::offline::words::words;
use crate::providers::ports::Sentence;

/// The most sentences of a passage; longer chunks are cut into equal parts.
pub const LONGEST: usize = 7;

/// A fact this near to a concession at the end of its passage is part of the concession.
const SETS_UP: f64 = 0.3;

/// A sentence that somebody wrote.
#[derive(Clone, Debug)]
pub struct Line {
    /// Whose it is: a place in [`Papers::speakers`].
    pub speaker: usize,
    /// The passage that it is part of: a place in [`Papers::passages`].
    pub passage: usize,
    /// The stored chunk that it is part of.
    pub chunk: Uuid,
    /// The sentence, word for word.
    pub text: String,
    /// What its surface gives away.
    pub cues: Cues,
    /// The sentence made comparable.
    pub probe: Probe,
    /// The other participants whom it names.
    pub names: Vec<usize>,
    /// Goes on after a concession without turning against it.
    pub granted: bool,
    /// Tells the facts of a concession that follows in the passage.
    pub sets_up: bool,
    /// How much it is about the topic.
    pub topical: f64,
}

impl Line {
    /// Whether the line may stand as a claim: it asserts something, understandable by itself, and is no part of a
    /// concession.
    pub fn claims(&self) -> bool {
        self.stands() && !self.granted
    }

    /// Whether the line says something that can be understood by itself, be it to the other side.
    pub fn stands(&self) -> bool {
        self.cues.weight() >= 0.4 && !self.cues.leans
    }
}

/// A run of sentences from one chunk.
#[derive(Clone, Debug)]
pub struct Passage {
    /// Whose it is.
    pub speaker: usize,
    /// Its sentences: places in [`Papers::lines`].
    pub lines: Range<usize>,
    /// All of them as one.
    pub probe: Probe,
    /// The other participants whom it names.
    pub names: Vec<usize>,
    /// How much it is about the topic.
    pub topical: f64,
}

/// Everything that the participants wrote, laid out around a topic.
#[derive(Debug)]
pub struct Papers {
    /// The participants, in the order of their names.
    pub speakers: Vec<PersonaId>,
    /// Their sentences: one participant's after the other's, in the order in which they were written.
    pub lines: Vec<Line>,
    /// Their passages, in the same order.
    pub passages: Vec<Passage>,
    /// The topic made comparable.
    pub topic: Probe,
    /// What relatedness is measured with.
    pub gauge: Gauge,
    known: BTreeMap<String, Vec<usize>>,
}

impl Papers {
    /// Lays out the sentences of the participants around a topic. `corpora` are in the order of `speakers`.
    pub fn lay_out(
        topic: (&str, &[f32]),
        speakers: &[PersonaId],
        corpora: &[Arc<Vec<Sentence>>],
        embedder: &str,
    ) -> Self {
        let names: Vec<Vec<String>> = speakers.iter().map(names_of).collect();
        let texts = corpora.iter().flat_map(|it| it.iter()).map(|it| it.text.as_str());
        let gauge = Gauge::new(texts, &names.concat(), embedder);
        let topic = gauge.probe(topic.0, topic.1);
        let mut papers = Papers {
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

    /// The lines of a passage.
    pub fn of(&self, passage: usize) -> &[Line] {
        &self.lines[self.passages[passage].lines.clone()]
    }

    /// The place of a speaker among the participants.
    pub fn speaker(&self, id: &PersonaId) -> Option<usize> {
        self.speakers.iter().position(|it| it == id)
    }

    /// The line with exactly this text, the speaker's own before anybody else's.
    pub fn find(&self, speaker: Option<usize>, text: &str) -> Option<usize> {
        let known = self.known.get(text.trim())?;
        known.iter().copied().find(|at| Some(self.lines[*at].speaker) == speaker).or_else(|| known.first().copied())
    }

    /// How much two lines are about the same thing.
    pub fn relate(&self, one: usize, other: usize) -> f64 {
        self.gauge.relate(&self.lines[one].probe, &self.lines[other].probe)
    }

    /// How much two passages are about the same thing.
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
            self.lines.push(Line {
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
        let probe = self.gauge.join(self.lines[lines.clone()].iter().map(|it| &it.probe));
        let mut named: Vec<usize> = self.lines[lines.clone()].iter().flat_map(|it| it.names.clone()).collect();
        named.sort_unstable();
        named.dedup();
        let topical = self.gauge.relate(&probe, &self.topic);
        self.passages.push(Passage { speaker, lines, probe, names: named, topical });
    }

    /// Marks the facts that lead up to a concession, in the passage that begins with this line: those near to it, or all of
    /// them where the passage goes on from the concession, which then is its point.
    fn mark_set_ups(&mut self, from: usize) {
        let Some(conceded) = (from..self.lines.len()).rfind(|at| self.lines[*at].cues.concedes) else { return };
        let goes_on = self.lines.get(conceded + 1).is_some_and(|it| it.granted);
        for at in from..conceded {
            let bare = !self.lines[at].cues.values && !self.lines[at].cues.reasons;
            self.lines[at].sets_up = bare && (goes_on || self.relate(at, conceded) >= SETS_UP);
        }
    }
}

/// The words of a persona's id that may stand for the person: `ada`, `quill`.
fn names_of(id: &PersonaId) -> Vec<String> {
    id.as_str().split('-').filter(|it| it.len() > 2).map(str::to_owned).collect()
}

fn names_any(text: &str, names: &[String]) -> bool {
    words(text).any(|word| word.starts_with(char::is_uppercase) && names.contains(&word.to_lowercase()))
}
