//! Issues: the matters that several participants write about, found before anybody speaks.
//!
//! The passages of all participants are clustered by average linkage (UPGMA: Sokal and Michener 1958) on their
//! relatedness; a cluster with passages of at least two participants is an issue. Openings use one argument per issue,
//! and answers are first sought in the same issue, so that a debate stays with the matters on which both sides wrote.
//!
//! Cost: O(n²) relatedness and O(n³) merging, where n is at most [`MOST`] passages per speaker; 160 passages take about
//! 30 ms, the worst case of 4 speakers about a second.

use crate::offline::corpus::corpus_index::CorpusIndex;

/// Maximum number of passages of a speaker that are clustered: those closest to the topic.
pub const MOST: usize = 80;

/// Maximum number of passages of an issue.
const LARGEST: usize = 12;

/// Assignment of passages to issues.
#[derive(Clone, Debug, Default)]
pub struct Issues {
    /// Issue number of each passage; `None` if only one participant writes on the matter.
    pub of: Vec<Option<usize>>,
}

impl Issues {
    /// Returns true if two passages belong to the same issue.
    pub fn same(&self, one: usize, other: usize) -> bool {
        self.of[one].is_some() && self.of[one] == self.of[other]
    }
}

/// Clusters the passages. Clusters are merged while their average relatedness is at least `link`.
pub fn find(papers: &CorpusIndex, link: f64) -> Issues {
    let mut places: Vec<usize> = Vec::new();
    for speaker in 0..papers.speakers.len() {
        let mut own: Vec<usize> =
            (0..papers.passages.len()).filter(|at| papers.passages[*at].speaker == speaker).collect();
        own.sort_by(|one, other| papers.passages[*other].topical.total_cmp(&papers.passages[*one].topical));
        own.truncate(MOST);
        places.extend(own);
    }
    places.sort_unstable();
    let mut of = vec![None; papers.passages.len()];
    for (number, cluster) in cluster(papers, &places, link).into_iter().enumerate() {
        let first = papers.passages[cluster[0]].speaker;
        if cluster.iter().any(|at| papers.passages[*at].speaker != first) {
            cluster.iter().for_each(|at| of[*at] = Some(number));
        }
    }
    Issues { of }
}

fn cluster(papers: &CorpusIndex, places: &[usize], link: f64) -> Vec<Vec<usize>> {
    let mut clusters: Vec<Vec<usize>> = places.iter().map(|at| vec![*at]).collect();
    // Sums of relatedness between clusters; an average is a sum divided by the product of the sizes.
    let mut sums = vec![vec![0.0; places.len()]; places.len()];
    for one in 0..places.len() {
        for other in 0..one {
            sums[one][other] = papers.relate_passages(places[one], places[other]);
            sums[other][one] = sums[one][other];
        }
    }
    while let Some((one, other)) = nearest(&clusters, &sums, link) {
        let moved = std::mem::take(&mut clusters[other]);
        clusters[one].extend(moved);
        let merged = std::mem::take(&mut sums[other]);
        for at in 0..clusters.len() {
            if !sums[at].is_empty() {
                sums[one][at] += merged[at];
                sums[at][one] = sums[one][at];
            }
        }
    }
    clusters.retain(|cluster| !cluster.is_empty());
    clusters
}

/// Returns the two clusters of highest average relatedness above `link`; ties go to the first pair.
fn nearest(clusters: &[Vec<usize>], sums: &[Vec<f64>], link: f64) -> Option<(usize, usize)> {
    let mut best = (link, None);
    for one in 0..clusters.len() {
        if clusters[one].is_empty() {
            continue;
        }
        for other in one + 1..clusters.len() {
            let size = clusters[one].len() + clusters[other].len();
            if clusters[other].is_empty() || size > LARGEST {
                continue;
            }
            let average = sums[one][other] / (clusters[one].len() * clusters[other].len()) as f64;
            if average > best.0 {
                best = (average, Some((one, other)));
            }
        }
    }
    best.1
}
