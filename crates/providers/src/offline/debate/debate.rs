//! Derived debate of the offline personas: everything computed once from the corpora, before anybody speaks.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::offline::corpus::corpus_index::{CorpusIndex, IndexedSentence};
use crate::offline::corpus::issues;
use crate::offline::corpus::issues::Issues;
use crate::offline::corpus::stance;
use crate::offline::corpus::stance::CorpusSide;
use crate::offline::text::relatedness::rounded;
use crate::ports::Sentence;
use faultline_core::events::ids::PersonaId;

/// Corpus index, issues and sides of one debate.
#[derive(Debug)]
pub struct DerivedDebate {
    /// Topic of the debate.
    pub topic: String,
    /// Index of everything that the participants wrote.
    pub papers: CorpusIndex,
    /// Issues on which several participants write.
    pub issues: Issues,
    /// Side of each participant.
    pub sides: Vec<CorpusSide>,
    /// Thresholds of relatedness.
    pub floor: Thresholds,
    /// Favour of each line: its relatedness to what the others concede to its writer, less that to what the writer
    /// concedes.
    pub favour: Vec<f64>,
}

/// Thresholds of relatedness. Measured on the shipped corpora, for embeddings that capture paraphrase and for those
/// that hash words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Average relatedness above which passages are clustered into an issue.
    pub link: f64,
    /// Minimum relatedness of two lines that say the same.
    pub echo: f64,
    /// Minimum score of an answer to be put forward.
    pub attack: f64,
    /// Minimum relatedness of a line to the part of an argument that it answers.
    pub near: f64,
    /// Minimum score of an answer that the judge calls valid.
    pub valid: f64,
    /// Increase of the thresholds for an answer if one of the two speakers takes a position between the sides: such
    /// writers share half of what either side says, and what is close is often the same.
    pub between: f64,
    /// Minimum relatedness of a supporting line from another passage.
    pub back: f64,
    /// Minimum relatedness of a supporting line from the same passage.
    pub beside: f64,
    /// Minimum closeness of a corpus to the topic; below it, the corpus has nothing to say on the topic.
    pub topic: f64,
}

impl Thresholds {
    /// Returns the thresholds for an embedder, chosen by its name.
    pub fn of(embedder: &str) -> Self {
        if embedder.starts_with("hashing") {
            Thresholds {
                link: 0.085,
                echo: 0.56,
                attack: 0.24,
                near: 0.03,
                valid: 0.26,
                between: 0.05,
                back: 0.135,
                beside: 0.0,
                topic: 0.135,
            }
        } else {
            Thresholds {
                link: 0.30,
                echo: 0.66,
                attack: 0.45,
                near: 0.12,
                valid: 0.47,
                between: 0.05,
                back: 0.30,
                beside: 0.08,
                topic: 0.26,
            }
        }
    }
}

/// Margin of disfavour beyond which a bare fact counts for the other side.
const OWN: f64 = 0.15;
/// Minimum favour of a fact before a concession to count for its writer all the same.
const RESCUED: f64 = 0.05;

impl DerivedDebate {
    /// Derives a debate. `corpora` are in the order of `speakers`.
    pub fn derive(
        topic: &str,
        vector: &[f32],
        speakers: &[PersonaId],
        corpora: &[Arc<Vec<Sentence>>],
        embedder: &str,
    ) -> Self {
        let papers = CorpusIndex::build((topic, vector), speakers, corpora, embedder);
        let floor = Thresholds::of(embedder);
        let issues = issues::find(&papers, floor.link);
        let sides: Vec<CorpusSide> =
            (0..speakers.len()).map(|speaker| stance::signs(&papers, speaker, topic).side()).collect();
        let favour = favours(&papers, &sides);
        DerivedDebate { topic: topic.to_owned(), papers, issues, sides, floor, favour }
    }

    /// Returns true if a participant wrote on the topic: the mean relatedness of its ten closest lines is high enough.
    pub fn knows(&self, speaker: usize) -> bool {
        self.nearness(speaker) >= self.floor.topic
    }

    /// Increase of the threshold for answers between two speakers, compared with declared opponents.
    pub fn extra(&self, one: usize, other: usize) -> f64 {
        let declared = |speaker: usize| matches!(self.sides[speaker], CorpusSide::Yes | CorpusSide::No);
        if declared(one) && declared(other) { 0.0 } else { self.floor.between }
    }

    /// Orders lines by score, for use with `max_by`: on equal scores the text that sorts first is the maximum.
    pub fn order(&self, one: &(f64, usize), other: &(f64, usize)) -> Ordering {
        one.0.total_cmp(&other.0).then(self.papers.lines[other.1].text.cmp(&self.papers.lines[one.1].text))
    }

    /// Returns true if the line may serve as a claim: it asserts something, is understandable by itself, and is not
    /// part of a concession. A fact that leads up to a concession is part of it, unless others concede it as well.
    pub fn claims(&self, line: usize) -> bool {
        self.papers.lines[line].claims() && self.own(line)
    }

    /// Returns true if the line may be used against others. Lines after a concession count for the other side, unless
    /// the writer takes a position between the sides: such a writer concedes a point to one side and then uses it
    /// against the other.
    pub fn answers(&self, line: usize) -> bool {
        let place = &self.papers.lines[line];
        let between = self.sides[place.speaker] == CorpusSide::Nuanced && place.cues.values;
        let against = self.favour[line] < -OWN && !place.cues.concludes();
        (place.claims() || between && place.is_self_contained()) && self.own(line) && !against
    }

    /// Returns true if the line counts for its own writer, as far as concessions show.
    fn own(&self, line: usize) -> bool {
        !self.papers.lines[line].sets_up || self.favour[line] >= RESCUED
    }

    /// Mean relatedness of a participant's ten closest lines to the topic.
    pub fn nearness(&self, speaker: usize) -> f64 {
        let mut near: Vec<f64> =
            self.papers.lines.iter().filter(|line| line.speaker == speaker).map(|line| line.topical).collect();
        near.sort_by(|one, other| other.total_cmp(one));
        near.truncate(10);
        if near.is_empty() { 0.0 } else { near.iter().sum::<f64>() / near.len() as f64 }
    }
}

/// Computes the favour of each line: its relatedness to the closest concession made to its writer, less that to the
/// closest concession of the writer, each relative to the writer's average. A concession by the other side counts for a
/// claim, a concession by its writer counts against it. Writers between the sides concede to both, so only concessions
/// by name count for them, and nothing counts against them.
fn favours(papers: &CorpusIndex, sides: &[CorpusSide]) -> Vec<f64> {
    let grants: Vec<&IndexedSentence> =
        papers.lines.iter().filter(|line| line.cues.concedes && !line.cues.flips).collect();
    let mut favours = Vec::with_capacity(papers.lines.len());
    for (speaker, side) in sides.iter().enumerate() {
        let between = *side == CorpusSide::Nuanced;
        let theirs = |sentence: &IndexedSentence| {
            let opposed = sides[sentence.speaker] != CorpusSide::Nuanced && sides[sentence.speaker].opposes(*side);
            sentence.speaker != speaker && (sentence.names.contains(&speaker) || !between && opposed)
        };
        let own = |sentence: &IndexedSentence| sentence.speaker == speaker && !between;
        let theirs = nearest(papers, speaker, &grants, &theirs);
        let own = nearest(papers, speaker, &grants, &own);
        favours.extend(theirs.into_iter().zip(own).map(|(theirs, own)| rounded(theirs - own)));
    }
    favours
}

/// Returns, for each line of a speaker, its relatedness to the closest of some concessions, less the average over the
/// lines.
fn nearest(
    papers: &CorpusIndex,
    speaker: usize,
    grants: &[&IndexedSentence],
    which: &dyn Fn(&IndexedSentence) -> bool,
) -> Vec<f64> {
    let near = |line: &IndexedSentence| {
        let grants = grants.iter().filter(|grant| which(grant));
        grants.map(|grant| papers.gauge.relate(&grant.probe, &line.probe)).fold(0.0, f64::max)
    };
    let near: Vec<f64> = papers.lines.iter().filter(|line| line.speaker == speaker).map(near).collect();
    let average = near.iter().sum::<f64>() / near.len().max(1) as f64;
    near.into_iter().map(|nearness| nearness - average).collect()
}
