//! Clustering of questions: each cluster contains versions of one question.
//!
//! Agglomerative clustering with complete linkage (Sørensen, "A Method of Establishing Groups of Equal Amplitude in
//! Plant Sociology", 1948): two clusters are joined only if every question of one is the same as every question of the
//! other, so a chain of neighbours is cut where its ends are no longer the same. The nearest clusters are joined first,
//! by the least similarity between their members, and ties go to the lowest keys. The result therefore depends on the
//! links alone, and not on their order.
//!
//! Only links between questions that are the same are given; without a link two questions differ. Cost: each join takes
//! time in the sum of the two clusters' links, with a logarithmic factor; linear in the links if clusters are small.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// Link between two questions that are the same, with their similarity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimilarityLink<K> {
    /// One question.
    pub one: K,
    /// The other question.
    pub other: K,
    /// Similarity of the two; greater is nearer. Must not be NaN.
    pub near: f32,
}

/// Returns the clusters, each sorted by key, in the order of their first keys. Of a link given twice the nearer one
/// counts; a question without links is a cluster of its own; links with unknown questions are ignored.
pub fn clusters<K: Ord + Copy>(questions: &BTreeSet<K>, links: &[SimilarityLink<K>]) -> Vec<Vec<K>> {
    let keys: Vec<K> = questions.iter().copied().collect();
    let mut growing = Growing::new(keys.len());
    for link in links {
        if let (Ok(one), Ok(other)) = (keys.binary_search(&link.one), keys.binary_search(&link.other)) {
            growing.link(one, other, link.near);
        }
    }
    let named = |members: Vec<usize>| members.into_iter().map(|member| keys[member]).collect();
    growing.grown().into_iter().map(named).collect()
}

/// Candidate for joining two clusters.
#[derive(PartialEq)]
struct Join {
    near: f32,
    one: usize,
    other: usize,
}

impl Eq for Join {}

impl Ord for Join {
    fn cmp(&self, other: &Self) -> Ordering {
        self.near.total_cmp(&other.near).then_with(|| (other.one, other.other).cmp(&(self.one, self.other)))
    }
}

impl PartialOrd for Join {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Clusters in progress. Each is named by its least member; a cluster that was merged into another has no members.
struct Growing {
    members: Vec<Vec<usize>>,
    /// Clusters that each cluster may be joined with, and the least similarity between their members.
    links: Vec<BTreeMap<usize, f32>>,
}

impl Growing {
    fn new(n: usize) -> Growing {
        Growing { members: (0..n).map(|index| vec![index]).collect(), links: vec![BTreeMap::new(); n] }
    }

    fn link(&mut self, one: usize, other: usize, near: f32) {
        if one == other || near.is_nan() {
            return;
        }
        for (from, to) in [(one, other), (other, one)] {
            let known = self.links[from].entry(to).or_insert(near);
            *known = known.max(near);
        }
    }

    fn grown(mut self) -> Vec<Vec<usize>> {
        let mut joins = BinaryHeap::new();
        for (one, links) in self.links.iter().enumerate() {
            let behind = links.range(one + 1..);
            joins.extend(behind.map(|(other, near)| Join { near: *near, one, other: *other }));
        }
        while let Some(Join { near, one, other }) = joins.pop() {
            // Candidates that were joined since, or are less near by now, are found again later or not at all.
            if self.links[one].get(&other) == Some(&near) {
                joins.extend(self.join(one, other));
            }
        }
        self.members.retain(|group| !group.is_empty());
        self.members
    }

    /// Joins two clusters under the lesser name, and returns the new candidates for joining.
    fn join(&mut self, one: usize, other: usize) -> Vec<Join> {
        let moved = std::mem::take(&mut self.members[other]);
        self.members[one].extend(moved);
        self.members[one].sort_unstable();
        let mine = std::mem::take(&mut self.links[one]);
        let theirs = std::mem::take(&mut self.links[other]);
        for third in mine.keys().chain(theirs.keys()) {
            self.links[*third].remove(&one);
            self.links[*third].remove(&other);
        }
        let mut joins = Vec::new();
        for (third, near) in mine {
            let Some(also) = theirs.get(&third) else { continue };
            let near = near.min(*also);
            self.links[one].insert(third, near);
            self.links[third].insert(one, near);
            joins.push(Join { near, one: one.min(third), other: one.max(third) });
        }
        joins
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grouped(n: u32, links: &[(u32, u32, f32)]) -> Vec<Vec<u32>> {
        let links: Vec<SimilarityLink<u32>> =
            links.iter().map(|link| SimilarityLink { one: link.0, other: link.1, near: link.2 }).collect();
        clusters(&(0..n).collect(), &links)
    }

    #[test]
    fn all_members_of_a_cluster_are_the_same() {
        assert_eq!(grouped(0, &[]), Vec::<Vec<u32>>::new());
        assert_eq!(grouped(2, &[]), [vec![0], vec![1]]);
        assert_eq!(grouped(2, &[(1, 0, 0.9)]), [vec![0, 1]]);
        // A chain: the nearer pair is joined, and the third question stays alone.
        assert_eq!(grouped(3, &[(0, 1, 0.8), (1, 2, 0.9)]), [vec![0], vec![1, 2]]);
        // Ties go to the lowest keys.
        assert_eq!(grouped(3, &[(0, 1, 0.9), (1, 2, 0.9)]), [vec![0, 1], vec![2]]);
        assert_eq!(grouped(3, &[(0, 1, 0.9), (1, 2, 0.9), (0, 2, 0.8)]), [vec![0, 1, 2]]);
        // Unknown questions, self-links and duplicate links are harmless.
        assert_eq!(grouped(2, &[(0, 7, 0.9), (1, 1, 0.9), (0, 1, 0.8), (1, 0, 0.9)]), [vec![0, 1]]);
    }
}
