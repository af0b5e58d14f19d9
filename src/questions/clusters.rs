//! Many questions into clusters, each of one question.
//!
//! Agglomerative clustering with complete linkage (Sørensen, "A Method of Establishing Groups of Equal Amplitude in Plant
//! Sociology", 1948): two clusters become one only where every question of the one is the same as every question of the
//! other, so a chain of neighbours ends where its ends are no longer the same. The nearest are joined first, nearest by
//! the least similarity between their members; among equals those with the least keys. So the outcome depends on the
//! links alone, and not on the order in which they come.
//!
//! Only links between questions that are the same are given: a missing link is a no. Cost: each join takes the sum of the
//! two clusters' links, and a logarithm for each of those; linear in the links where clusters are small.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// That two questions are the same, and how near they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link<K> {
    /// One of them.
    pub one: K,
    /// The other.
    pub other: K,
    /// Their similarity; the greater, the nearer. No NaN.
    pub near: f32,
}

/// The clusters, each in order of its keys, in order of their first keys. Of a link given twice the nearer counts; a
/// question linked with nothing is a cluster of its own; a link with something that is no question is none.
pub fn clusters<K: Ord + Copy>(questions: &BTreeSet<K>, links: &[Link<K>]) -> Vec<Vec<K>> {
    let keys: Vec<K> = questions.iter().copied().collect();
    let mut growing = Growing::new(keys.len());
    for link in links {
        if let (Ok(one), Ok(other)) = (keys.binary_search(&link.one), keys.binary_search(&link.other)) {
            growing.link(one, other, link.near);
        }
    }
    let named = |members: Vec<usize>| members.into_iter().map(|it| keys[it]).collect();
    growing.grown().into_iter().map(named).collect()
}

/// Two clusters that may be joined.
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

/// Clusters while they are being joined. Each is named by its least member; one that is no more has no members.
struct Growing {
    members: Vec<Vec<usize>>,
    /// For each cluster those that it may be joined with, and how near they are at the least.
    links: Vec<BTreeMap<usize, f32>>,
}

impl Growing {
    fn new(n: usize) -> Growing {
        Growing { members: (0..n).map(|it| vec![it]).collect(), links: vec![BTreeMap::new(); n] }
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
            // What was joined since, or is less near by now, is found again further down, or not at all.
            if self.links[one].get(&other) == Some(&near) {
                joins.extend(self.join(one, other));
            }
        }
        self.members.retain(|it| !it.is_empty());
        self.members
    }

    /// Joins two clusters under the lesser name; what it may be joined with next.
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
        let links: Vec<Link<u32>> = links.iter().map(|it| Link { one: it.0, other: it.1, near: it.2 }).collect();
        clusters(&(0..n).collect(), &links)
    }

    #[test]
    fn clusters_are_of_those_that_are_all_the_same() {
        assert_eq!(grouped(0, &[]), Vec::<Vec<u32>>::new());
        assert_eq!(grouped(2, &[]), [vec![0], vec![1]]);
        assert_eq!(grouped(2, &[(1, 0, 0.9)]), [vec![0, 1]]);
        // A chain: the nearer pair is one, and the third stays alone.
        assert_eq!(grouped(3, &[(0, 1, 0.8), (1, 2, 0.9)]), [vec![0], vec![1, 2]]);
        // Among equals those with the least keys.
        assert_eq!(grouped(3, &[(0, 1, 0.9), (1, 2, 0.9)]), [vec![0, 1], vec![2]]);
        assert_eq!(grouped(3, &[(0, 1, 0.9), (1, 2, 0.9), (0, 2, 0.8)]), [vec![0, 1, 2]]);
        // Unknown questions, links with oneself and links given twice do no harm.
        assert_eq!(grouped(2, &[(0, 7, 0.9), (1, 1, 0.9), (0, 1, 0.8), (1, 0, 0.9)]), [vec![0, 1]]);
    }
}
