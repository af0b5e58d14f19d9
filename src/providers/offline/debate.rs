//! A debate as the offline personas know it: what is derived from the corpora once, before anybody speaks.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::events::ids::PersonaId;
use crate::providers::offline::issues::{self, Issues};
use crate::providers::offline::papers::{Line, Papers};
use crate::providers::offline::relate::rounded;
use crate::providers::offline::stance::{self, Side};
use crate::providers::ports::Sentence;

/// Papers, issues and sides of one debate.
#[derive(Debug)]
pub struct Debate {
    /// What is debated.
    pub topic: String,
    /// Everything that the participants wrote.
    pub papers: Papers,
    /// What they quarrel about.
    pub issues: Issues,
    /// The side of each participant.
    pub sides: Vec<Side>,
    /// From which relatedness on two texts are about the same thing.
    pub floor: Floor,
    /// For each line, how much more it is about what the others grant its writer than about what the writer grants them.
    pub favour: Vec<f64>,
}

/// From which relatedness on two texts are about the same thing: measured on the shipped corpora, for embeddings that
/// know paraphrase and for those that hash words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// Average relatedness at which passages are clustered into an issue.
    pub link: f64,
    /// From here on two lines say the same.
    pub echo: f64,
    /// An answer is put forward from here on.
    pub attack: f64,
    /// A line answers a part of an argument from here on.
    pub near: f64,
    /// The judge takes an answer for valid from here on.
    pub valid: f64,
    /// So much more is asked of an answer where one of the two stands between the sides: such writers share half of what
    /// either side says, and what is near is often the same.
    pub between: f64,
    /// A line backs one from another passage from here on.
    pub back: f64,
    /// A line backs one of its own passage from here on.
    pub beside: f64,
    /// A corpus whose nearest lines are farther from the topic than this has nothing to say on it.
    pub topic: f64,
}

impl Floor {
    /// The measures for an embedder, told by its name.
    pub fn of(embedder: &str) -> Self {
        if embedder.starts_with("hashing") {
            Floor {
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
            Floor {
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

/// A bare fact that is nearer than this to what its writer grants than to what others grant tells for the others.
const OWN: f64 = 0.15;
/// A fact before a concession that is this much nearer to what others grant tells for its writer all the same.
const RESCUED: f64 = 0.05;

impl Debate {
    /// Derives everything. `corpora` are in the order of `speakers`.
    pub fn derive(
        topic: &str,
        vector: &[f32],
        speakers: &[PersonaId],
        corpora: &[Arc<Vec<Sentence>>],
        embedder: &str,
    ) -> Self {
        let papers = Papers::lay_out((topic, vector), speakers, corpora, embedder);
        let floor = Floor::of(embedder);
        let issues = issues::find(&papers, floor.link);
        let sides: Vec<Side> = (0..speakers.len()).map(|it| stance::signs(&papers, it, topic).side()).collect();
        let favour = favours(&papers, &sides);
        Debate { topic: topic.to_owned(), papers, issues, sides, floor, favour }
    }

    /// Whether a participant wrote anything on the topic: the mean of the ten nearest lines is high enough.
    pub fn knows(&self, speaker: usize) -> bool {
        self.nearness(speaker) >= self.floor.topic
    }

    /// How much more than between declared opponents is asked of an answer between two speakers.
    pub fn extra(&self, one: usize, other: usize) -> f64 {
        let declared = |speaker: usize| matches!(self.sides[speaker], Side::Yes | Side::No);
        if declared(one) && declared(other) { 0.0 } else { self.floor.between }
    }

    /// Orders lines by score, and of equal scores puts the text that sorts first last: what `max_by` takes.
    pub fn order(&self, one: &(f64, usize), other: &(f64, usize)) -> Ordering {
        one.0.total_cmp(&other.0).then(self.papers.lines[other.1].text.cmp(&self.papers.lines[one.1].text))
    }

    /// Whether a line may stand as a claim: it asserts something, can be understood by itself, and is no part of a
    /// concession. A fact that leads up to a concession is one, unless it is what others grant as well.
    pub fn claims(&self, line: usize) -> bool {
        self.papers.lines[line].claims() && self.own(line)
    }

    /// Whether a line may be set against what others say. What follows on a concession tells for the other side, unless the
    /// writer stands between the sides: such a writer grants to one what is then held against the other.
    pub fn answers(&self, line: usize) -> bool {
        let place = &self.papers.lines[line];
        let between = self.sides[place.speaker] == Side::Nuanced && place.cues.values;
        let against = self.favour[line] < -OWN && !place.cues.concludes();
        (place.claims() || between && place.stands()) && self.own(line) && !against
    }

    /// Whether a line tells for its own writer, as far as concessions show.
    fn own(&self, line: usize) -> bool {
        !self.papers.lines[line].sets_up || self.favour[line] >= RESCUED
    }

    /// How near a participant's ten nearest lines are to the topic, on average.
    pub fn nearness(&self, speaker: usize) -> f64 {
        let mut near: Vec<f64> =
            self.papers.lines.iter().filter(|it| it.speaker == speaker).map(|it| it.topical).collect();
        near.sort_by(|one, other| other.total_cmp(one));
        near.truncate(10);
        if near.is_empty() { 0.0 } else { near.iter().sum::<f64>() / near.len() as f64 }
    }
}

/// For each line, its relatedness to the nearest concession that is made to its writer, less that to the nearest of the
/// writer's own, each against the writer's average: what the other side grants tells for a claim, what one grants oneself
/// tells against it. Writers between the sides grant to both, so only what they grant by name counts, and nothing
/// counts against them.
fn favours(papers: &Papers, sides: &[Side]) -> Vec<f64> {
    let grants: Vec<&Line> = papers.lines.iter().filter(|it| it.cues.concedes && !it.cues.flips).collect();
    let mut favours = Vec::with_capacity(papers.lines.len());
    for (speaker, side) in sides.iter().enumerate() {
        let between = *side == Side::Nuanced;
        let theirs = |it: &Line| {
            let opposed = sides[it.speaker] != Side::Nuanced && sides[it.speaker].opposes(*side);
            it.speaker != speaker && (it.names.contains(&speaker) || !between && opposed)
        };
        let own = |it: &Line| it.speaker == speaker && !between;
        let theirs = nearest(papers, speaker, &grants, &theirs);
        let own = nearest(papers, speaker, &grants, &own);
        favours.extend(theirs.into_iter().zip(own).map(|(theirs, own)| rounded(theirs - own)));
    }
    favours
}

/// For each line of a speaker, how near it is to the nearest of some concessions, less the average over the lines.
fn nearest(papers: &Papers, speaker: usize, grants: &[&Line], which: &dyn Fn(&Line) -> bool) -> Vec<f64> {
    let near = |line: &Line| {
        let grants = grants.iter().filter(|it| which(it));
        grants.map(|it| papers.gauge.relate(&it.probe, &line.probe)).fold(0.0, f64::max)
    };
    let near: Vec<f64> = papers.lines.iter().filter(|it| it.speaker == speaker).map(near).collect();
    let average = near.iter().sum::<f64>() / near.len().max(1) as f64;
    near.into_iter().map(|it| it - average).collect()
}
